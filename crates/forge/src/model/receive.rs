//! A push as git sends it: several references at once, each judged for itself or all together.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::Forge;
use super::context::Context;
use super::event::Event;
use super::permission::Permission;
use super::push::{Motion, in_the_way};
use super::refs::Expected;
use super::refusal::Refusal;
use super::repository::Repository;
use super::view::View;
use crate::git::Git;
use crate::git::bare::Bare;
use crate::git::sha::Sha;
use std::sync::Arc;

/// One reference to be made, moved or deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefUpdate {
    /// In full, such as `refs/heads/main`.
    pub name: String,
    pub old: Option<Sha>,
    pub new: Option<Sha>,
}

/// References to be moved by one push.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Push {
    /// `owner/name`.
    pub repo: String,
    pub updates: Vec<RefUpdate>,
    /// Either all references change or none.
    pub is_atomic: bool,
}

/// The result of each update, in the order of the push.
pub type Received = Vec<Result<(), Declined>>;

/// The reason why a reference stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declined {
    /// The rules of the branch, in words.
    Protected { branch: String, words: String },
    /// In the words that git shows beside the reference.
    Because(String),
    /// Another reference of an atomic push was declined.
    Atomic,
}

impl fmt::Display for Declined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Protected { .. } => "protected branch hook declined",
            Self::Because(words) => words,
            Self::Atomic => "atomic transaction failed",
        })
    }
}

impl From<Refusal> for Declined {
    fn from(refusal: Refusal) -> Self {
        Self::Because(refusal.message)
    }
}

const BRANCHES: &str = "refs/heads/";
/// The references of pulls, which no push may change.
const PULLS: &str = "refs/pull/";

impl Forge {
    /// A push by someone who may write, whose objects are here already.
    ///
    /// # Errors
    /// The repository does not exist, or this person may not see it or write to it.
    pub fn receive(
        &mut self,
        who: &str,
        now: u64,
        push: &Push,
    ) -> Result<(Received, Vec<Event>), Refusal> {
        let actor = self.account(who).ok_or_else(Refusal::bad_credentials)?.login.clone();
        let id = self.repository_id(&push.repo).ok_or_else(Refusal::not_found)?;
        let updates = &push.updates;
        let mut context = Context::new(self, actor, now, id);
        context.view().need_read()?;
        context.need(Permission::Write)?;
        if push.is_atomic {
            let view = context.view();
            let mut judged: Vec<_> =
                updates.iter().map(|update| view.judge_update(update)).collect();
            judge_together(updates, &mut judged);
            if judged.iter().any(Result::is_err) {
                let declined =
                    judged.into_iter().map(|found| Err(found.err().unwrap_or(Declined::Atomic)));
                return Ok((declined.collect(), Vec::new()));
            }
        }
        let received = updates.iter().map(|update| context.apply_update(update)).collect();
        Ok((received, context.into_events()))
    }

    /// Every reference that the repository has, by full name.
    #[must_use]
    pub fn references(&self, repo: &str) -> BTreeMap<String, Sha> {
        self.repository(repo).map(Repository::references).unwrap_or_default()
    }

    /// The bare repository of a repository whose git is on disk.
    pub(crate) fn bare(&self, repo: &str) -> Option<Arc<Bare>> {
        match &self.repository(repo)?.git {
            Git::Memory(_graph) => None,
            Git::Disk(bare) => Some(Arc::clone(bare)),
        }
    }
}

impl Repository {
    pub(super) fn references(&self) -> BTreeMap<String, Sha> {
        let branches = self.branches.iter();
        let branches = branches.map(|(name, sha)| (format!("{BRANCHES}{name}"), *sha));
        let pulls = self.pulls.iter().filter_map(|number| {
            let pull = self.issues.get(number)?.pull.as_ref()?;
            Some((format!("{PULLS}{number}/head"), pull.head_sha))
        });
        let others = self.other_references.iter().map(|(name, sha)| (name.clone(), *sha));
        branches.chain(pulls).chain(others).collect()
    }
}

impl Context<'_> {
    pub(super) fn apply_update(&mut self, update: &RefUpdate) -> Result<(), Declined> {
        match (branch_of(&update.name), update.new) {
            (Some(branch), Some(new)) => {
                match self.view().motion(branch, update.old, new)? {
                    Motion::None => {}
                    Motion::Forward => self.move_branch(branch, Some(new), false)?,
                    Motion::Forced => self.move_branch(branch, Some(new), true)?,
                }
                Ok(())
            }
            (Some(branch), None) => {
                self.view().judge_deletion(branch, update.old)?;
                Ok(self.move_branch(branch, None, false)?)
            }
            (None, new) => {
                self.view().judge_other(update)?;
                let now = self.now;
                let repo = self.repo_mut()?;
                repo.pushed_at = now;
                let others = &mut repo.other_references;
                match new {
                    Some(sha) => others.insert(update.name.clone(), sha),
                    None => others.remove(&update.name),
                };
                Ok(())
            }
        }
    }
}

impl View<'_> {
    /// Refuses an update as `apply_update` would, without doing it.
    fn judge_update(self, update: &RefUpdate) -> Result<(), Declined> {
        match (branch_of(&update.name), update.new) {
            (Some(branch), Some(new)) => {
                self.motion(branch, update.old, new)?;
                Ok(())
            }
            (Some(branch), None) => self.judge_deletion(branch, update.old),
            (None, _) => self.judge_other(update),
        }
    }

    /// Git's client decides whether to force, so here only the rules of the branch refuse it.
    fn motion(self, branch: &str, old: Option<Sha>, new: Sha) -> Result<Motion, Declined> {
        let repo = self.repo()?;
        let here = repo.branches.get(branch).copied();
        unchanged(&format!("{BRANCHES}{branch}"), here, old)?;
        let forced = match here {
            Some(here) => !repo.git.is_ancestor(here, new).map_err(Refusal::from)?,
            None => false,
        };
        if here != Some(new)
            && let Some(words) = self.protection_words(branch, new, forced)?
        {
            return Err(Declined::Protected { branch: branch.to_owned(), words });
        }
        Ok(self.check_push(branch, new, Expected::Anything, true)?)
    }

    fn judge_deletion(self, branch: &str, old: Option<Sha>) -> Result<(), Declined> {
        let repo = self.repo()?;
        let here = repo.branches.get(branch).copied();
        unchanged(&format!("{BRANCHES}{branch}"), here, old.or(here))?;
        if here.is_none() {
            return Err(Declined::Because("deletion of a branch that does not exist".to_owned()));
        }
        if branch == repo.default_branch {
            let words = format!("refusing to delete the current branch: {BRANCHES}{branch}");
            return Err(Declined::Because(words));
        }
        if !self.may_delete(branch)? {
            let words = "Cannot delete this branch".to_owned();
            return Err(Declined::Protected { branch: branch.to_owned(), words });
        }
        Ok(())
    }

    fn judge_other(self, update: &RefUpdate) -> Result<(), Declined> {
        let others = &self.repo()?.other_references;
        let name = update.name.as_str();
        let refused = |words: &str| Err(Declined::Because(words.to_owned()));
        if name.starts_with(PULLS) {
            return refused("deny updating a hidden ref");
        }
        let here = others.get(name).copied();
        let git = &self.repo()?.git;
        if here.is_none() && !git.takes_name(name).map_err(Refusal::from)? {
            return refused("funny refname");
        }
        unchanged(name, here, update.old)?;
        if here.is_none() && in_the_way(others, name).is_some() {
            return refused("another reference is in the way");
        }
        Ok(())
    }
}

/// Refuses what git refuses about references that change in one step: a name that comes twice, and
/// a name that is a folder of another.
fn judge_together(updates: &[RefUpdate], judged: &mut [Result<(), Declined>]) {
    let mut seen: BTreeMap<String, ()> = BTreeMap::new();
    for (update, judgement) in updates.iter().zip(judged) {
        let name = &update.name;
        let words = if seen.contains_key(name) {
            Some(format!("multiple updates for ref '{name}' not allowed"))
        } else {
            let other = in_the_way(&seen, name);
            other.map(|other| format!("cannot process '{other}' and '{name}' at the same time"))
        };
        if let (Some(words), true) = (words, judgement.is_ok()) {
            *judgement = Err(Declined::Because(words));
        }
        seen.insert(name.clone(), ());
    }
}

fn branch_of(name: &str) -> Option<&str> {
    name.strip_prefix(BRANCHES)
}

/// Refuses an update of a reference that moved since the client saw it.
fn unchanged(name: &str, here: Option<Sha>, seen: Option<Sha>) -> Result<(), Declined> {
    if here == seen {
        return Ok(());
    }
    let show = |sha: Option<Sha>| sha.map_or_else(|| "nowhere".to_owned(), |sha| sha.to_string());
    let (here, seen) = (show(here), show(seen));
    let words = format!("cannot lock ref '{name}': is at {here} but expected {seen}");
    Err(Declined::Because(words))
}
