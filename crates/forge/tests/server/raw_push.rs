//! Pushes as bytes, since git's own client refuses to send names that it would not take.

use crate::test_server::{REPO, TestServer, Who};

/// A pack without objects.
const EMPTY_PACK: &[u8] = b"PACK\0\0\0\x02\0\0\0\0\
    \x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e";

pub(crate) const NONE: &str = "0000000000000000000000000000000000000000";

/// One reference to be moved: from, to, and its full name.
pub(crate) type Command<'a> = (&'a str, &'a str, &'a [u8]);

fn packet(bytes: &[u8]) -> Vec<u8> {
    [format!("{:04x}", bytes.len() + 4).as_bytes(), bytes].concat()
}

/// The body of a push of objects that are there already.
pub(crate) fn body(commands: &[Command<'_>], abilities: &str) -> Vec<u8> {
    let mut body = Vec::new();
    for (at, (old, new, name)) in commands.iter().enumerate() {
        let mut line = [old.as_bytes(), b" ", new.as_bytes(), b" ", name].concat();
        if at == 0 {
            line.extend_from_slice(format!("\0 report-status {abilities}").as_bytes());
        }
        body.extend(packet(&line));
    }
    body.extend_from_slice(b"0000");
    if commands.iter().any(|(_old, new, _name)| *new != NONE) {
        body.extend_from_slice(EMPTY_PACK);
    }
    body
}

/// Sends it; the report, unless no whole answer came.
pub(crate) fn send(base: &str, token: &str, repo: &str, body: &[u8]) -> Option<Vec<u8>> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let request = agent
        .post(format!("{base}/{repo}.git/git-receive-pack"))
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "application/x-git-receive-pack-request");
    let mut response = request.send(body).ok()?;
    let answer = response.body_mut().read_to_vec().ok()?;
    (response.status() == 200).then_some(answer)
}

/// Returns whether the report says that this reference moved.
pub(crate) fn is_ok(report: &[u8], name: &[u8]) -> bool {
    let wanted = packet(&[b"ok ", name, b"\n"].concat());
    report.windows(wanted.len()).any(|window| window == wanted)
}

impl TestServer {
    /// Pushes as the owner; what each command was answered.
    pub(crate) fn push_raw(&self, commands: &[Command<'_>], abilities: &str) -> Vec<bool> {
        let token = &self.credentials(Who::Owner).token;
        let report = send(self.base(), token, REPO, &body(commands, abilities)).unwrap();
        commands.iter().map(|(_old, _new, name)| is_ok(&report, name)).collect()
    }
}
