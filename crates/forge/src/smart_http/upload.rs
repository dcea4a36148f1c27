//! Clones and fetches: `git upload-pack` with its pipes on the connection, so that a large
//! repository passes through without being held.

use std::io;
use std::path::Path;

use axum::body::Body;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin};
use tokio_util::io::ReaderStream;

use super::incoming::Incoming;
use super::packet;
use crate::process::Git;

/// Git's own words for the second version of its protocol.
const VERSION_2: &str = "version=2";

/// Returns the repository's references, as the answer to a client's first question.
pub(crate) async fn advertise(repository: &Path, protocol: Option<&str>) -> io::Result<Vec<u8>> {
    let arguments = ["upload-pack", "--strict", "--stateless-rpc", "--http-backend-info-refs"];
    let child =
        speaking(Git::on(repository, arguments.into_iter().chain(["."])), protocol).start()?;
    let ended = child.wait_with_output().await?;
    if !ended.status.success() {
        return Err(io::Error::other(String::from_utf8_lossy(&ended.stderr).into_owned()));
    }
    let mut answer = Vec::new();
    if !protocol.is_some_and(|protocol| protocol.split(':').any(|word| word == VERSION_2)) {
        packet::put(&mut answer, b"# service=git-upload-pack\n");
        packet::flush(&mut answer);
    }
    answer.extend_from_slice(&ended.stdout);
    Ok(answer)
}

/// Feeds a request to git and returns git's answer as it comes.
pub(crate) fn exchange(
    repository: &Path,
    protocol: Option<&str>,
    incoming: Incoming,
) -> io::Result<Body> {
    let arguments = ["upload-pack", "--strict", "--stateless-rpc", "."];
    let mut child = speaking(Git::on(repository, arguments), protocol).start_unheard()?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("git has no pipes"));
    };
    tokio::spawn(feed(child, stdin, incoming));
    Ok(Body::from_stream(ReaderStream::new(stdout)))
}

fn speaking(git: Git, protocol: Option<&str>) -> Git {
    match protocol {
        Some(protocol) => git.env("GIT_PROTOCOL", protocol),
        None => git,
    }
}

/// A client that goes away closes git's output, and a request that breaks off closes its input;
/// either way git ends by itself and tells the client what it can.
async fn feed(mut child: Child, mut stdin: ChildStdin, mut incoming: Incoming) -> io::Result<()> {
    while let Some(piece) = incoming.next().await? {
        stdin.write_all(&piece).await?;
    }
    drop(stdin);
    child.wait().await.map(|_status| ())
}
