//! The mergeability of a pull: computed after it was requested, from a real trial merge, protection
//! and checks.

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::issues::IssueKey;
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::view::View;
use crate::git::commit::{Content, NewCommit};
use crate::git::sha::Sha;
use crate::git::trial::Trial;

/// In order of precedence: the first that applies is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeState {
    /// Not computed yet for these tips, or the pull is closed.
    Unknown,
    /// In conflict with its base.
    Dirty,
    Draft,
    /// A required check or approval is missing.
    Blocked,
    /// Its base moved on and protection wants it up to date.
    Behind,
    /// Mergeable, while some check that is not required did not pass.
    Unstable,
    HasHooks,
    Clean,
}

/// The outcome of a trial merge of two tips; meaningless for other tips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Judgement {
    base: Sha,
    head: Sha,
    /// None when they conflict.
    pub(super) test_merge: Option<Sha>,
}

impl Context<'_> {
    /// Computes the mergeability that the next reply about the pull has.
    pub(super) fn judge(&mut self, key: IssueKey) -> Result<(), Refusal> {
        self.pull_at(key)?;
        let repo = self.repo_at_mut(key.repository)?;
        let Some((base, head)) = repo.tips_to_judge(key.number) else { return Ok(()) };
        // Whenever it is computed, it is the same commit.
        let at = repo.git.commit(base)?.at.max(repo.git.commit(head)?.at);
        let test_merge = match &*repo.git.trial(base, head)? {
            Trial::Conflict(_paths) => None,
            Trial::Clean(tree) => Some(repo.git.add(NewCommit {
                parents: vec![base, head],
                content: Content::Whole(*tree),
                message: format!("Merge {head} into {base}"),
                author: "GitHub".to_owned(),
                at,
            })?),
        };
        self.pull_at_mut(key)?.judgement = Some(Judgement { base, head, test_merge });
        Ok(())
    }

    pub(super) fn judge_open_pulls(&mut self) {
        let open: Vec<u64> = self
            .repo()
            .map_or_else(|_gone| Vec::new(), |repo| repo.open_pulls.iter().copied().collect());
        for number in open {
            // What cannot be judged stays unknown.
            if self.judge(self.key(number)).is_err() {
                continue;
            }
        }
    }
}

impl View<'_> {
    /// Returns the reason why the viewer may not merge this pull now, if there is one. Conflicts are
    /// found elsewhere.
    pub(super) fn merge_obstacle(self, key: IssueKey) -> Result<Option<String>, Refusal> {
        let repo = self.forge.repo_at(key.repository)?;
        let pull = repo.pull(key.number)?;
        let base = repo.branches.get(&pull.base).copied();
        let behind = match base {
            Some(base) => !repo.git.is_ancestor(base, pull.head_sha)?,
            None => false,
        };
        let checks = repo.reports_on(pull.head_sha, &pull.base);
        let admin = self.permission_in(key.repository) == Permission::Admin;
        let approvals = repo.approvals_of(key.number);
        for gate in repo.gates(&pull.base) {
            if gate.exempts(self.viewer, admin) {
                continue;
            }
            if let Some(missing) = gate.missing(approvals, &checks) {
                return Ok(Some(missing));
            }
            if behind && gate.is_strict() {
                let words = "Head branch is out of date. Review and try the merge again.";
                return Ok(Some(words.to_owned()));
            }
        }
        Ok(None)
    }
}

impl Repository {
    pub(super) fn merge_state(&self, number: u64) -> Result<MergeState, Refusal> {
        let pull = self.pull(number)?;
        let Some(judgement) = &pull.judgement else { return Ok(MergeState::Unknown) };
        if !self.issue(number)?.state.is_open() || self.tips_to_judge(number).is_some() {
            return Ok(MergeState::Unknown);
        }
        if judgement.test_merge.is_none() {
            return Ok(MergeState::Dirty);
        }
        if pull.draft {
            return Ok(MergeState::Draft);
        }
        let gates = self.gates(&pull.base);
        let checks = self.reports_on(pull.head_sha, &pull.base);
        let approvals = self.approvals_of(number);
        if gates.iter().any(|gate| gate.missing(approvals, &checks).is_some()) {
            return Ok(MergeState::Blocked);
        }
        let behind = !self.git.is_ancestor(judgement.base, judgement.head)?;
        let strict = gates.iter().any(super::gates::Gate::is_strict);
        if behind && strict {
            return Ok(MergeState::Behind);
        }
        if !checks.all_pass() {
            return Ok(MergeState::Unstable);
        }
        if self.settings.pre_receive_hooks {
            return Ok(MergeState::HasHooks);
        }
        Ok(MergeState::Clean)
    }

    /// Returns the tips of an open pull, unless they were judged already.
    fn tips_to_judge(&self, number: u64) -> Option<(Sha, Sha)> {
        let issue = self.issues.get(&number).filter(|issue| issue.state.is_open())?;
        let pull = issue.pull.as_ref()?;
        let tips = (self.branches.get(&pull.base).copied()?, pull.head_sha);
        let judged = pull.judgement.as_ref().map(|judgement| (judgement.base, judgement.head));
        Some(tips).filter(|tips| judged != Some(*tips))
    }

    pub(super) fn has_unjudged_pulls(&self) -> bool {
        self.set_aside.is_none()
            && self.open_pulls.iter().any(|number| self.tips_to_judge(*number).is_some())
    }
}
