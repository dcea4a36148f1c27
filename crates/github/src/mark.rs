//! The mark of the Ralph that works in a repository: a reference that is no branch, to a commit that says who.

use crate::budget::Purpose;
use crate::client::Client;
use crate::reading::if_there;
use crate::transport::Transport;
use crate::wire::repository::{GitCommit, MarkCommit, Reference};
use crate::wire::request::{CreateCommit, CreateRef, UpdateRef};
use crate::writing::then;
use http::Method;
use ralph_core::ids::{RepoName, Sha};
use ralph_engine::ports::{Answer, FoundMark, NewMark, Read, RefusalKind};

/// Below no folder that GitHub or git give a meaning to.
const REFERENCE: &str = "ralph/instance";
/// GitHub's words when the reference is not where it was.
const MOVED: [&str; 2] = ["not a fast forward", "Reference does not exist"];

impl<T: Transport> Client<T> {
    pub(crate) fn read_mark(&mut self, repo: &RepoName) -> Read<Option<FoundMark>> {
        let path = format!("/repos/{repo}/git/ref/{REFERENCE}");
        let Some(found) = if_there(self.get::<Reference>(&path))? else {
            self.confirm_repository(repo)?;
            return Ok(None);
        };
        let commit = found.object.sha.clone();
        let path = format!("/repos/{repo}/git/commits/{commit}");
        let says = self.get_final::<MarkCommit>(&path)?;
        Ok(Some(FoundMark { commit, message: says.message.clone() }))
    }

    /// The commit first, which nothing leads to and which changes nothing; then the reference, if it is still where it
    /// was: a new one must not exist, a known one can only be followed.
    pub(crate) fn put_mark(&mut self, repo: &RepoName, new: &NewMark<'_>) -> Answer<Option<Sha>> {
        let like = self.get_final::<GitCommit>(&format!("/repos/{repo}/git/commits/{}", new.like));
        let like = match like {
            Ok(like) => like,
            Err(miss) => {
                let unread = ralph_engine::ports::Unread::from(miss);
                return Answer::Later { until: unread.until, why: unread.why };
            }
        };
        let parents: Vec<&str> = new.over.iter().map(|over| over.as_str()).collect();
        let tree = like.tree.sha.as_str();
        let create = CreateCommit { message: new.message, tree, parents: &parents };
        let path = format!("/repos/{repo}/git/commits");
        // It changes nothing that anybody sees, so it keeps no distance to the write that follows.
        let made = self.change_for(&Method::POST, &path, Purpose::Read, &create);
        then(made, |made: Made| {
            let sha = made.sha.as_str();
            let answer = if new.over.is_some() {
                let path = format!("/repos/{repo}/git/refs/{REFERENCE}");
                let update = UpdateRef { sha, force: false };
                self.change(&Method::PATCH, &path, Purpose::Essential, &update)
            } else {
                let create = CreateRef { reference: &format!("refs/{REFERENCE}"), sha };
                let path = format!("/repos/{repo}/git/refs");
                self.change(&Method::POST, &path, Purpose::Essential, &create)
            };
            match answer {
                Answer::Happened(()) => Answer::Happened(Some(made.sha.clone())),
                Answer::Refused(refusal)
                    if refusal.kind == RefusalKind::Exists
                        || MOVED.iter().any(|words| refusal.message.contains(words)) =>
                {
                    Answer::Happened(None)
                }
                Answer::Refused(refusal) => Answer::Refused(refusal),
                Answer::Later { until, why } => Answer::Later { until, why },
                Answer::Unknown { why } => Answer::Unknown { why },
            }
        })
    }
}

#[derive(serde::Deserialize)]
struct Made {
    sha: Sha,
}
