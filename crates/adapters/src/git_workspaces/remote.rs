//! The forge's side of git: fetching, pushing, looking. The token goes along in the environment of that one
//! call, never on a command line and never into a file.

use super::mirror::Mirror;
use crate::git::{Call, Exchange, GitError};
use base64::Engine as _;
use ralph_contain::Ending;
use ralph_core::ids::{Branch, RepoName, Sha};
use ralph_engine::ports::{Answer, Read, RefusalKind, Unread};
use ralph_github::Fence;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// For a call that carries objects.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// For a call that only asks.
const ASK_TIMEOUT: Duration = Duration::from_secs(60);

/// Gives the token that is good for a repository now; `None` where none is needed.
pub type TokenSource = Arc<dyn Fn(&RepoName) -> Read<Option<String>> + Send + Sync>;

/// The forge that repositories are cloned from and pushed to.
#[derive(Clone)]
pub struct Remote {
    /// `https://github.com`, the embedded forge's address, or a folder: `<base>/<owner>/<name>.git`.
    pub base_url: String,
    pub token: TokenSource,
    /// Outside of it nothing is pushed.
    pub fence: Option<Fence>,
    /// Only what is named here; the environment's proxies are not used.
    pub proxy: Option<String>,
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Remote {
    fn url(&self, repo: &RepoName) -> String {
        format!("{}/{repo}.git", self.base_url.trim_end_matches('/'))
    }

    /// The call with the credentials for this repository, for this forge and no other.
    fn signed<'a>(&self, call: Call<'a>, repo: &RepoName) -> Read<Call<'a>> {
        let call = match &self.proxy {
            Some(proxy) => call.setting("http.proxy", proxy),
            None => call,
        };
        let Some(token) = (self.token)(repo)? else { return Ok(call) };
        let basic = base64::prelude::BASE64_STANDARD.encode(format!("x-access-token:{token}"));
        let name = format!("http.{}/.extraHeader", self.base_url.trim_end_matches('/'));
        Ok(call.secret_setting(&name, format!("Authorization: Basic {basic}")))
    }

    /// Brings every branch of the forge into the mirror. What was deleted there goes here too.
    pub(crate) fn fetch(&self, mirror: Mirror<'_>, repo: &RepoName) -> Result<(), GitError> {
        let url = self.url(repo);
        let words = ["fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head"];
        let call = mirror.call(&[words.as_slice(), &[&url, "+refs/heads/*:refs/heads/*"]].concat());
        let call = self.signed(call, repo).map_err(|unread| GitError::NoToken(unread.why))?;
        call.timeout(TRANSFER_TIMEOUT).guarded().map(drop)
    }

    /// Puts exactly this commit on exactly this branch. Never forced.
    pub(super) fn push(
        &self,
        mirror: Mirror<'_>,
        repo: &RepoName,
        branch: &Branch,
        commit: &Sha,
    ) -> Answer<()> {
        let fence = self.fence.as_ref();
        if let Some(why) = fence.and_then(|fence| fence.refusal(Some(repo))) {
            return Answer::refused(RefusalKind::Other, &format!("the push {why}"));
        }
        let (url, refspec) = (self.url(repo), format!("{commit}:refs/heads/{branch}"));
        let call = mirror.call(&["push", "--porcelain", "--no-verify", &url, &refspec]);
        let call = match self.signed(call, repo) {
            Ok(call) => call,
            Err(Unread { until, why, .. }) => return Answer::Later { until, why },
        };
        match call.timeout(TRANSFER_TIMEOUT).asked() {
            Ok(Exchange { ending: Ending::Exited(0), .. }) => Answer::Happened(()),
            Ok(exchange) => refused_or_lost(&exchange),
            Err(error) => Answer::Later { until: None, why: error.in_full() },
        }
    }

    pub(super) fn head(
        &self,
        mirror: Mirror<'_>,
        repo: &RepoName,
        branch: &Branch,
    ) -> Read<Option<Sha>> {
        let (url, name) = (self.url(repo), format!("refs/heads/{branch}"));
        let call = mirror.call(&["ls-remote", "--quiet", &url, &name]).timeout(ASK_TIMEOUT);
        match self.signed(call, repo)?.guarded() {
            Ok(lines) => Ok(lines
                .lines()
                .filter_map(|line| line.split_once('\t'))
                .find(|(_, found)| *found == name)
                .map(|(sha, _)| Sha::new(sha))),
            Err(error) => Err(Unread::failed(error.in_full())),
        }
    }
}

/// The meaning of a failed push, by the words of git. They are English, because the language is fixed.
fn refused_or_lost(exchange: &Exchange) -> Answer<()> {
    let is_rejected = |line: &&str| line.starts_with('!') && line.contains("rejected]");
    let rejected = exchange.output.lines().find(is_rejected);
    let said = &exchange.said;
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| said.contains(phrase));
    let later = |why: &str| Answer::Later { until: None, why: why.to_owned() };
    if let Some(line) = rejected {
        let reason = line.rsplit('\t').next().unwrap_or(line);
        return Answer::refused(RefusalKind::Other, &format!("{reason}\n{said}"));
    }
    match exchange.ending {
        Ending::TimedOut
        | Ending::Halted
        | Ending::Ended
        | Ending::OverLimit(_)
        | Ending::Signalled(_) => Answer::Unknown { why: format!("git push: {}", exchange.ending) },
        Ending::Exited(_) if says(&NEVER_SENT) => later(said),
        Ending::Exited(_) if says(&NO_CREDENTIALS) => {
            later(&format!("the forge does not accept the token: {said}"))
        }
        Ending::Exited(_) if says(&["error: 429"]) => later(said),
        Ending::Exited(_) if says(&["error: 404", "not found", "does not appear to be a git"]) => {
            Answer::refused(RefusalKind::Missing, said)
        }
        Ending::Exited(_) if says(&["error: 403", "error: 422"]) => {
            Answer::refused(RefusalKind::Other, said)
        }
        Ending::Exited(_) => Answer::Unknown { why: said.clone() },
    }
}

const NEVER_SENT: [&str; 4] =
    ["Could not resolve host", "Failed to connect", "Couldn't connect", "Connection refused"];
const NO_CREDENTIALS: [&str; 3] =
    ["Authentication failed", "could not read Username", "error: 401"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_says_of_a_push_is_understood() {
        let said = |output: &str, said: &str, ending| {
            let exchange = Exchange { ending, output: output.to_owned(), said: said.to_owned() };
            match refused_or_lost(&exchange) {
                Answer::Happened(()) => "happened",
                Answer::Refused(_) => "refused",
                Answer::Later { .. } => "later",
                Answer::Unknown { .. } => "unknown",
            }
        };
        let exit = || Ending::Exited(128);
        for (output, text, ending, expected) in [
            (
                "!\ta:refs/heads/b\t[rejected] (non-fast-forward)",
                "error",
                Ending::Exited(1),
                "refused",
            ),
            ("!\ta:b\t[remote rejected] (protected)", "", Ending::Exited(1), "refused"),
            ("", "fatal: Could not resolve host: x", exit(), "later"),
            ("", "fatal: Authentication failed for 'x'", exit(), "later"),
            ("", "The requested URL returned error: 403", exit(), "refused"),
            ("", "The requested URL returned error: 429", exit(), "later"),
            ("", "fatal: repository 'x' not found", exit(), "refused"),
            ("", "error: RPC failed; HTTP 502", exit(), "unknown"),
            ("", "fatal: the remote end hung up unexpectedly", exit(), "unknown"),
            ("!\ta:b\t[remote failure] (no report)", "", Ending::Exited(1), "unknown"),
            ("", "", Ending::TimedOut, "unknown"),
        ] {
            assert_eq!(said(output, text, ending), expected, "{text}");
        }
    }
}
