//! Git workspaces: a bare mirror per repository, and for each run a worktree whose git folder is its own clone
//! with the mirror as read-only alternate. Configuration, hooks and refs of an agent stay in there.

mod conflict;
mod described;
mod git_folder;
mod layout;
mod links;
mod messages;
mod mirror;
mod prepare;
mod remote;
mod rescue;
mod scan;
mod taking;
mod trial;
mod worktree;

pub(crate) use conflict::{Merging, Taken, take_merge};
pub(crate) use described::request;
pub(crate) use layout::Checkout;
pub(crate) use mirror::Mirror;
pub use remote::{Remote, TokenSource};
pub(crate) use taking::take_all;
pub(crate) use worktree::Worktree;

use crate::git::{GitError, in_full};
use crate::home::Owner;
use crate::jobs::Jobs;
use crate::workshop::Workshop;
use git_folder::At;
use ralph_contain::Switch;
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, Branch, IssueKey, RepoName, Sha};
use ralph_core::job::{Job, Turn};
use ralph_core::managed_path::ManagedPath;
use ralph_core::removal::{Removal, RescueRef};
use ralph_engine::ports::{Answer, Built, Read, RefusalKind, Start, Unread, Workspaces};
use std::io;
use std::sync::Arc;

/// The port to git. Clones share everything.
#[derive(Debug, Clone)]
pub struct GitWorkspaces {
    shop: Arc<Workshop>,
    jobs: Arc<Jobs>,
}

impl GitWorkspaces {
    pub(crate) const fn new(shop: Arc<Workshop>, jobs: Arc<Jobs>) -> Self {
        Self { shop, jobs }
    }

    /// Saves all commits and all uncommitted files of a worktree under `refs/ralph/rescue/<run>-<n>` of the
    /// mirror, and gives that ref. `None`: the worktree is gone.
    pub fn rescue(&mut self, path: &ManagedPath) -> Answer<Option<String>> {
        match self.try_rescue(path) {
            Ok(kept) => Answer::Happened(kept),
            Err(error) => Answer::refused(RefusalKind::Other, &error.in_full()),
        }
    }

    /// Removes a worktree whose work is given up: what is in it is rescued first.
    pub fn give_up(&mut self, path: &ManagedPath) -> Answer<Option<String>> {
        let kept = match self.try_rescue(path) {
            Ok(kept) => kept,
            Err(error) => return Answer::refused(RefusalKind::Other, &error.in_full()),
        };
        match self.remove_folder(path) {
            Ok(()) => Answer::Happened(kept),
            Err(error) => Answer::refused(RefusalKind::Other, &in_full(&error)),
        }
    }

    fn try_rescue(&self, path: &ManagedPath) -> Result<Option<String>, GitError> {
        let Some(owner) = self.shop.home.owner(path) else {
            return Err(GitError::Unusable(format!("{path:?} is no worktree of Ralph's")));
        };
        let (switch, mirror) = (new_switch()?, self.shop.home.mirror(&owner.repo_key));
        let mirror = self.shop.mirror(&switch, &mirror);
        let Owner { folder, run, .. } = owner;
        let path = self.shop.home.resolve(path).unwrap_or_default();
        let (home, index) = (&self.shop.home, folder.index());
        let worktree = Worktree { home, mirror, path, index, folder, file_bytes_max: u64::MAX };
        if !worktree.exists() {
            return Ok(None);
        }
        // A rescue needs a mirror, even if a person has removed it.
        mirror.ensure()?;
        rescue::rescue(&worktree, &run).map(Some)
    }

    fn push_known(&self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        let mirror = self.shop.home.mirror(&repo.key());
        let switch = match new_switch() {
            Ok(switch) => switch,
            Err(error) => return Answer::Later { until: None, why: error.in_full() },
        };
        let mirror = self.shop.mirror(&switch, &mirror);
        if !mirror.is_whole() {
            return Answer::refused(RefusalKind::Missing, "the mirror is gone");
        }
        match mirror.find(commit.as_str()) {
            Ok(Some(found)) if found == *commit => self.shop.remote.push(mirror, repo, to, commit),
            Ok(_) => Answer::refused(RefusalKind::Missing, &format!("no commit {commit} here")),
            Err(error) => Answer::Later { until: None, why: error.in_full() },
        }
    }

    /// Removes a worktree and the run's private folders. Transcripts stay.
    fn remove_folder(&self, path: &ManagedPath) -> io::Result<()> {
        let outside = || io::Error::new(io::ErrorKind::InvalidInput, "no worktree of Ralph's");
        let owner = self.shop.home.owner(path).ok_or_else(outside)?;
        self.shop.remove_worktree(path)?;
        // What is kept of a run goes with its last worktree.
        if self.shop.has_other_place(path) {
            return Ok(());
        }
        owner.folder.remove_private()?;
        let switch = Switch::new()?;
        let mirror = self.shop.home.mirror(&owner.repo_key);
        // The records of a worktree that is gone; they do no harm if they stay.
        let mirror = self.shop.mirror(&switch, &mirror);
        drop(mirror.forget(&taking::at_ref(&owner.run)));
        drop(mirror.forget(&conflict::laid_ref(&owner.run)));
        Ok(())
    }
}

fn new_switch() -> Result<Switch, GitError> {
    Switch::new().map_err(GitError::file("make a pipe"))
}

impl GitWorkspaces {
    /// Makes the worktree of a run, or brings an existing one up to its base.
    pub fn prepare(&self, start: &Start<'_>) -> Answer<()> {
        let Job::Workspace { run, path, branch, base, leaves } = start.job else {
            return Answer::refused(RefusalKind::Other, "this is no workspace to prepare");
        };
        let order = prepare::Order {
            issue: start.issue.clone(),
            attempt: start.attempt,
            run: *run,
            path: path.clone(),
            branch: branch.clone(),
            base: base.clone(),
            leaves: leaves.clone(),
        };
        let shop = self.shop.clone();
        self.jobs.start(start, move |ticket| {
            let ending = prepare::prepare(&shop, ticket.switch(), &order);
            let failed =
                |error: GitError| (Outcome::Failed { reason: error.in_full() }, Vec::new());
            ending.unwrap_or_else(failed)
        })
    }
}

impl Workspaces for GitWorkspaces {
    fn push(
        &mut self,
        issue: &IssueKey,
        _from: &ManagedPath,
        to: &Branch,
        commit: &Sha,
    ) -> Answer<()> {
        // After a turn every commit is in the mirror; the worktree is not asked again.
        self.push_known(&issue.repo, to, commit)
    }

    fn build_trial(&mut self, repo: &RepoName, base: &Sha, heads: &[&Sha]) -> Answer<Built> {
        let path = self.shop.home.mirror(&repo.key());
        let built = new_switch().and_then(|switch| {
            let mirror = self.shop.mirror(&switch, &path);
            self.shop.fetch(mirror, repo)?;
            trial::build(mirror, base, heads)
        });
        match built {
            Ok(built) => Answer::Happened(built),
            Err(error) => Answer::Later { until: None, why: error.in_full() },
        }
    }

    fn push_built(&mut self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        self.push_known(repo, to, commit)
    }

    fn remote_head(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<Sha>> {
        let unread = |error: GitError| Unread::failed(error.in_full());
        let switch = new_switch().map_err(unread)?;
        let path = self.shop.home.mirror(&repo.key());
        let mirror = self.shop.mirror(&switch, &path);
        self.shop.ensure(mirror, repo).map_err(unread)?;
        self.shop.remote.head(mirror, repo, branch)
    }

    fn remove(&mut self, path: &ManagedPath, proof: &Removal) -> Answer<Option<RescueRef>> {
        match proof {
            Removal::Done(_) => match self.remove_folder(path) {
                Ok(()) => Answer::Happened(None),
                Err(error) => Answer::refused(RefusalKind::Other, &in_full(&error)),
            },
            Removal::GivenUp(_) => match self.give_up(path) {
                Answer::Happened(rescued) => {
                    Answer::Happened(rescued.as_deref().map(RescueRef::new))
                }
                Answer::Refused(refusal) => Answer::Refused(refusal),
                Answer::Later { until, why } => Answer::Later { until, why },
                Answer::Unknown { why } => Answer::Unknown { why },
            },
        }
    }
}

/// Before a turn: takes over commits that an interrupted turn left, keeps what it did not commit, because an agent that
/// begins again may write over it, and makes the worktree usable again,
/// from the mirror if it is gone.
pub(crate) fn open_for_turn(
    shop: &Workshop,
    worktree: &Worktree<'_>,
    turn: &Turn,
    (issue, attempt): (&IssueKey, Attempt),
) -> Result<(), GitError> {
    let mirror = worktree.mirror;
    let run = turn.run.to_string();
    let head = if worktree.exists() {
        let head = match turn.merging {
            None => taking::take_what_fits(worktree, &turn.branch, &run)?,
            Some(_) => taking::known(worktree, &run)?,
        };
        let has_changes = rescue::keep_uncommitted(worktree, &run, &head)?;
        if !has_changes && turn.merging.is_none() {
            return worktree.point(At::Branch(&turn.branch, &head));
        }
        head
    } else {
        let known = mirror.find(&taking::at_ref(&run))?;
        let head = known.or_else(|| turn.head.clone()).unwrap_or_else(|| turn.base.clone());
        mirror.set(&taking::at_ref(&run), &head)?;
        let scratch = shop.scratch(mirror, issue, (turn.run, attempt))?;
        layout::lay_out(shop, scratch, (worktree, &turn.path), &head)?;
        mirror.forget(&conflict::laid_ref(&run))?;
        head
    };
    match &turn.merging {
        None => worktree.put_in_order(At::Branch(&turn.branch, &head)),
        Some(base) => {
            let merging = Merging { branch: &turn.branch, run: &run, ours: &head, base };
            conflict::lay(worktree, merging)
        }
    }
}
