//! Taking in a push: first its objects, then the model's word on each reference.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use axum::body::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

use super::incoming::Incoming;
use super::push_request::{PushRequest, Reader};
use super::report;
use crate::git::bare::Bare;
use crate::git::sha::Sha;
use crate::http::Caller;
use crate::keeper::Keeper;
use crate::model::receive::Push;
use crate::process::Git;

/// A pack with fewer objects is unpacked, as git does, so that many small pushes do not leave many
/// small packs.
const UNPACKED_OBJECTS_MAX: u32 = 100;

/// The head of a pack: `PACK`, its version and how many objects it has.
const PACK_HEAD_BYTES: usize = 12;

/// GitHub's limit on one push.
const PACK_BYTES_MAX: u64 = 2 * 1024 * 1024 * 1024;

/// The reason why a push was not even looked at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadRequest {
    #[error("the push breaks off before its references are named")]
    Unfinished,
    #[error("{0}")]
    Malformed(String),
    #[error("could not read the request: {0}")]
    Unreadable(#[from] io::Error),
    #[error("the forge is stopping; push again later")]
    Stopping,
}

/// The caller who pushes, and the repository.
#[derive(Clone, Debug)]
pub(crate) struct Pusher {
    pub(crate) caller: Caller,
    /// `owner/name`.
    pub(crate) repo: String,
    pub(crate) bare: Arc<Bare>,
}

/// Returns the repository's references, for a client that wants to push.
pub(crate) fn advertise(references: &BTreeMap<String, Sha>) -> Vec<u8> {
    report::advertisement(references)
}

/// The body of the answer to a push.
pub(crate) async fn receive(
    keeper: &Keeper,
    pusher: Pusher,
    mut incoming: Incoming,
) -> Result<Vec<u8>, BadRequest> {
    let (request, first) = read_request(&mut incoming).await?;
    if request.updates.is_empty() {
        return Ok(Vec::new());
    }
    if request.has_pack() {
        if let Err(error) = unpack(&pusher.bare, first, &mut incoming).await {
            return Ok(report::not_unpacked(&request, &error.to_string()));
        }
        let new: Vec<Sha> = request.updates.iter().filter_map(|update| update.new).collect();
        let bare = Arc::clone(&pusher.bare);
        let complete = tokio::task::spawn_blocking(move || bare.is_complete(&new)).await;
        if !matches!(complete, Ok(Ok(true))) {
            return Ok(report::not_unpacked(&request, "missing necessary objects"));
        }
    }
    let bare = Arc::clone(&pusher.bare);
    let (updates, is_atomic) = (request.updates.clone(), request.is_atomic);
    let push = Push { repo: pusher.repo, updates, is_atomic };
    let decided = keeper
        .ask(move |kept| kept.push(&pusher.caller, push))
        .await
        .map_err(|_stopped| BadRequest::Stopping)?;
    if let Some(packing) = bare.after_push().and_then(|git| git.start_unheard().ok()) {
        tokio::spawn(pack(packing));
    }
    Ok(match decided {
        Ok(received) => report::received(&request, &received),
        Err(refusal) => report::not_unpacked(&request, &refusal.to_string()),
    })
}

/// Waits for packing. A failure is ignored: the next push packs again.
async fn pack(mut packing: Child) {
    drop(packing.stdin.take());
    drop(packing.wait().await);
}

/// The references, and what of the pack came with them.
async fn read_request(incoming: &mut Incoming) -> Result<(PushRequest, Vec<u8>), BadRequest> {
    let mut reader = Reader::default();
    let mut is_empty = true;
    while let Some(piece) = incoming.next().await? {
        is_empty &= piece.is_empty();
        let read = reader.feed(&piece).map_err(|bad| BadRequest::Malformed(bad.to_string()))?;
        if let Some(found) = read {
            return Ok(found);
        }
    }
    if is_empty { Ok((PushRequest::default(), Vec::new())) } else { Err(BadRequest::Unfinished) }
}

/// Puts the objects of a pack into the repository.
async fn unpack(bare: &Bare, first: Vec<u8>, incoming: &mut Incoming) -> io::Result<()> {
    let mut head = first;
    while head.len() < PACK_HEAD_BYTES {
        match incoming.next().await? {
            Some(piece) => head.extend_from_slice(&piece),
            None => break,
        }
    }
    let count = head.get(8..PACK_HEAD_BYTES).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    let Some(count) = count.map(u32::from_be_bytes).filter(|_count| head.starts_with(b"PACK"))
    else {
        return Err(io::Error::other("the push brings no pack of objects"));
    };
    let limit = format!("--max-input-size={PACK_BYTES_MAX}");
    let small = ["unpack-objects", "-q", "--strict", limit.as_str()];
    let large = ["index-pack", "--stdin", "--fix-thin", "--strict", limit.as_str()];
    let is_small = count < UNPACKED_OBJECTS_MAX;
    let git = if is_small { Git::on(bare.path(), small) } else { Git::on(bare.path(), large) };
    feed(git.start()?, Bytes::from(head), incoming).await
}

async fn feed(mut child: Child, head: Bytes, incoming: &mut Incoming) -> io::Result<()> {
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) = pipes else {
        return Err(io::Error::other("git has no pipes"));
    };
    let listening = tokio::spawn(async move {
        let (mut said, mut complaint) = (Vec::new(), Vec::new());
        tokio::try_join!(stdout.read_to_end(&mut said), stderr.read_to_end(&mut complaint))?;
        io::Result::Ok(complaint)
    });
    let mut piece = Some(head);
    while let Some(bytes) = piece {
        // Git stops reading when it has seen enough; its complaint says why.
        if stdin.write_all(&bytes).await.is_err() {
            break;
        }
        piece = incoming.next().await?;
    }
    drop(stdin);
    let status = child.wait().await?;
    if status.success() {
        return Ok(());
    }
    let complaint = listening.await.map_err(io::Error::other)??;
    let complaint = String::from_utf8_lossy(&complaint);
    let words =
        complaint.lines().find(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
    Err(io::Error::other(words.unwrap_or("the objects were refused").to_owned()))
}
