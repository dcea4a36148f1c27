//! Moving a branch, and its consequences for pulls and issues.

use std::collections::BTreeMap;

use super::context::Context;
use super::event::EventKind;
use super::issues::{CloseReason, IssueKey};
use super::permission::Permission;
use super::pulls::Pull;
use super::refs::Expected;
use super::refusal::{DetailCode, Refusal};
use super::repository::Repository;
use super::timeline::TimelineEvent;
use super::view::View;
use crate::git::sha::Sha;

/// The way a push moves a branch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Motion {
    /// It is there already.
    None,
    Forward,
    Forced,
}

impl Context<'_> {
    /// A push by the actor: rights, what it expects to replace, fast-forward and protection.
    pub(super) fn push(
        &mut self,
        branch: &str,
        sha: Sha,
        expected_old: Expected,
        force: bool,
    ) -> Result<Sha, Refusal> {
        self.need(Permission::Write)?;
        match self.view().check_push(branch, sha, expected_old, force)? {
            Motion::None => {}
            Motion::Forward => self.move_branch(branch, Some(sha), false)?,
            Motion::Forced => self.move_branch(branch, Some(sha), true)?,
        }
        Ok(sha)
    }

    /// Moves or deletes a branch without asking for rights, and updates pulls and issues.
    pub(super) fn move_branch(
        &mut self,
        branch: &str,
        to: Option<Sha>,
        forced: bool,
    ) -> Result<(), Refusal> {
        let now = self.now;
        let repo = self.repo_mut()?;
        let news = match to {
            Some(tip) => repo.publish(tip)?,
            None => Vec::new(),
        };
        repo.pushed_at = now;
        if repo.branches.is_empty() {
            branch.clone_into(&mut repo.default_branch);
        }
        let before = match to {
            Some(sha) => repo.branches.insert(branch.to_owned(), sha),
            None => repo.branches.remove(branch),
        };
        self.emit(EventKind::Push { branch: branch.to_owned(), before, after: to, forced });
        match to {
            Some(after) => {
                self.reference_by_commits(&news)?;
                self.synchronize_pulls(branch, after, forced)?;
                self.merge_contained_pulls(branch, before, after)?;
                self.close_by_arrivals(branch, before, after)
            }
            None => self.close_pulls_of(branch),
        }
    }

    fn close_by_arrivals(
        &mut self,
        branch: &str,
        before: Option<Sha>,
        after: Sha,
    ) -> Result<(), Refusal> {
        let repo = self.repo()?;
        let Some(before) = before.filter(|_old| repo.default_branch == branch) else {
            return Ok(());
        };
        let arrived = repo.git.split(before, after)?.commits;
        self.close_by_commits(&arrived)
    }

    fn synchronize_pulls(&mut self, branch: &str, after: Sha, forced: bool) -> Result<(), Refusal> {
        for key in self.open_pulls_where(|pull| pull.head == branch)? {
            let base_tip = self.repo()?.base_tip(key.number)?;
            let pull = self.pull_at_mut(key)?;
            let before = std::mem::replace(&mut pull.head_sha, after);
            pull.base_sha = base_tip;
            self.touch(key)?;
            if forced {
                self.record(key, TimelineEvent::HeadForcePushed)?;
            }
            let number = key.number;
            self.emit(EventKind::PullSynchronized { number, before, after });
        }
        Ok(())
    }

    /// Marks pulls as merged whose commits reached their base in another way.
    fn merge_contained_pulls(
        &mut self,
        branch: &str,
        before: Option<Sha>,
        after: Sha,
    ) -> Result<(), Refusal> {
        for key in self.open_pulls_where(|pull| pull.base == branch)? {
            let pull = self.pull_at(key)?;
            let base_before = before.unwrap_or(pull.base_sha);
            if self.repo()?.git.is_ancestor(pull.head_sha, after)? {
                self.mark_merged(key, after, base_before)?;
            }
        }
        Ok(())
    }

    fn close_pulls_of(&mut self, branch: &str) -> Result<(), Refusal> {
        for key in self.open_pulls_where(|pull| pull.head == branch || pull.base == branch)? {
            if self.pull_at(key)?.head == branch {
                self.record(key, TimelineEvent::HeadDeleted)?;
            }
            self.close(key, CloseReason::Completed, None)?;
        }
        Ok(())
    }

    fn open_pulls_where(&self, holds: impl Fn(&Pull) -> bool) -> Result<Vec<IssueKey>, Refusal> {
        let keys = self.repo()?.open_pulls.iter().map(|number| self.key(*number));
        Ok(keys.filter(|key| self.pull_at(*key).is_ok_and(&holds)).collect())
    }
}

impl View<'_> {
    /// Returns what a push would do to a branch, without asking for the rights of the viewer.
    pub(super) fn check_push(
        self,
        branch: &str,
        sha: Sha,
        expected_old: Expected,
        force: bool,
    ) -> Result<Motion, Refusal> {
        let repo = self.repo()?;
        if !repo.git.contains(sha)? {
            return Err(Refusal::unprocessable("Object does not exist"));
        }
        let old = repo.branches.get(branch).copied();
        if old.is_none() && !repo.git.takes_name(&format!("refs/heads/{branch}"))? {
            return Err(Refusal::invalid("Reference", "ref", DetailCode::Invalid));
        }
        let as_expected = match expected_old {
            Expected::Anything => true,
            Expected::Absent => old.is_none(),
            Expected::At(expected) => old == Some(expected),
        };
        if !as_expected {
            return Err(Refusal::conflict(format!("stale info: {branch} is not where expected")));
        }
        if old == Some(sha) {
            return Ok(Motion::None);
        }
        if let Some(other) = repo.branch_in_the_way(branch) {
            let words = format!("Reference cannot be created beside refs/heads/{other}");
            return Err(Refusal::unprocessable(words));
        }
        let forced = match old {
            Some(old) => !repo.git.is_ancestor(old, sha)?,
            None => false,
        };
        if forced && !force {
            return Err(Refusal::unprocessable("Update is not a fast forward"));
        }
        if let Some(words) = self.protection_words(branch, sha, forced)? {
            let failed = format!("Protected branch update failed for refs/heads/{branch}");
            return Err(Refusal::unprocessable(format!("{failed}: {words}")));
        }
        Ok(if forced { Motion::Forced } else { Motion::Forward })
    }

    /// Returns the reason why the rules of the branch refuse the push, if they do.
    pub(super) fn protection_words(
        self,
        branch: &str,
        sha: Sha,
        forced: bool,
    ) -> Result<Option<String>, Refusal> {
        let repo = self.repo()?;
        let reports = repo.reports_on(sha, branch);
        let admin = self.permission() == Permission::Admin;
        let gates = repo.gates(branch);
        let mut words =
            gates.iter().map(|gate| gate.refuses_push(self.viewer, admin, &reports, forced));
        Ok(words.find_map(|words| words))
    }

    pub(super) fn may_delete(self, branch: &str) -> Result<bool, Refusal> {
        let repo = self.repo()?;
        let refuses = repo.gates(branch).iter().any(|gate| gate.refuses_deletion(self.viewer));
        Ok(branch != repo.default_branch && !refuses)
    }
}

impl Repository {
    fn branch_in_the_way(&self, branch: &str) -> Option<&str> {
        in_the_way(&self.branches, branch)
    }
}

/// A name that is a folder of another one or the other way round, which git cannot store.
pub(super) fn in_the_way<'a, V>(names: &'a BTreeMap<String, V>, new: &str) -> Option<&'a str> {
    let above = new.match_indices('/').filter_map(|(at, _slash)| new.get(..at));
    let mut above = above.filter_map(|folder| names.get_key_value(folder));
    let below = format!("{new}/");
    let mut next = names.range(below.clone()..);
    let first_below = || next.next().filter(|(name, _value)| name.starts_with(&below));
    above.next().or_else(first_below).map(|(name, _value)| name.as_str())
}
