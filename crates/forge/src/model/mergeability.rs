//! Whether a pull can be merged: computed after it was asked for, from a real trial merge,
//! protection and checks.

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::Repository;
use super::turn::{IssueKey, Turn};
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

/// The outcome of a trial merge of two tips; of no worth for other tips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Judgement {
    base: Sha,
    head: Sha,
    /// None when they conflict.
    pub(super) test_merge: Option<Sha>,
}

impl Turn<'_> {
    /// Computes what the next look at the pull will say.
    pub(super) fn judge(&mut self, key: IssueKey) -> Result<(), Refusal> {
        let Some((base, head)) = self.tips_to_judge(key)? else { return Ok(()) };
        let repo = self.repo_at_mut(key.repository)?;
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

    /// The tips of an open pull, unless they were judged already.
    fn tips_to_judge(&self, key: IssueKey) -> Result<Option<(Sha, Sha)>, Refusal> {
        self.pull_at(key)?;
        Ok(self.repo_at(key.repository)?.tips_to_judge(key.number))
    }

    pub(super) fn merge_state(&self, key: IssueKey) -> Result<MergeState, Refusal> {
        let pull = self.pull_at(key)?;
        let repo = self.repo_at(key.repository)?;
        let Some(judgement) = &pull.judgement else { return Ok(MergeState::Unknown) };
        if !self.issue_at(key)?.state.is_open() || self.tips_to_judge(key)?.is_some() {
            return Ok(MergeState::Unknown);
        }
        if judgement.test_merge.is_none() {
            return Ok(MergeState::Dirty);
        }
        if pull.draft {
            return Ok(MergeState::Draft);
        }
        let gates = repo.gates(&pull.base);
        let checks = repo.reports_on(pull.head_sha, &pull.base);
        let approvals = repo.approvals_of(key.number);
        if gates.iter().any(|gate| gate.missing(approvals, &checks).is_some()) {
            return Ok(MergeState::Blocked);
        }
        let behind = !repo.git.is_ancestor(judgement.base, judgement.head)?;
        let strict = gates.iter().any(super::gates::Gate::is_strict);
        if behind && (strict || !self.holds(Behaviour::OnlyStrictProtectionIsBehind)) {
            return Ok(MergeState::Behind);
        }
        if !checks.all_pass() && self.holds(Behaviour::FailedChecksAreUnstable) {
            return Ok(MergeState::Unstable);
        }
        if repo.settings.pre_receive_hooks {
            return Ok(MergeState::HasHooks);
        }
        Ok(MergeState::Clean)
    }

    /// Why the actor may not merge this pull now, conflicts aside.
    pub(super) fn merge_obstacle(&self, key: IssueKey) -> Result<Option<String>, Refusal> {
        if !self.holds(Behaviour::RequiredChecksHoldMerges) {
            return Ok(None);
        }
        let pull = self.pull_at(key)?;
        let repo = self.repo_at(key.repository)?;
        let base = repo.branches.get(&pull.base).copied();
        let behind = match base {
            Some(base) => !repo.git.is_ancestor(base, pull.head_sha)?,
            None => false,
        };
        let checks = repo.reports_on(pull.head_sha, &pull.base);
        let admin = self.permission_in(key.repository) == Permission::Admin;
        let approvals = repo.approvals_of(key.number);
        for gate in repo.gates(&pull.base) {
            if gate.exempts(&self.actor, admin) {
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
