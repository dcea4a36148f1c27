//! One run of an issue: its workspace, the evidence it has gathered, and what it has spent.

use crate::digest::Digest;
use crate::escalation::Cause;
use crate::fold::READ_LAG;
use crate::gate::{Gate, GateRecord, GateStatus, Gates};
use crate::ids::{Attempt, Branch, IssueKey, PullNumber, RunId, Sha};
use crate::lane::Lane;
use crate::managed_path::ManagedPath;
use crate::parent::Parent;
use crate::policy::RepoPolicy;
use crate::recipe::{Recipe, Step};
use crate::stall::{Stalled, Suspicion};
use crate::time::Time;
use crate::triage::{Triage, Triaged};
use crate::words;
use serde::{Deserialize, Serialize};

/// Step records kept in a run. The journal has the rest; this bounds what is rewritten at every turn.
const STEP_RECORDS_MAX: usize = 40;

/// Red checks kept in a run: enough to see a failure repeat, each has an excerpt of some kilobytes.
const RED_CHECKS_MAX: usize = 6;

/// The latest run of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub recipe: Recipe,
    pub started: Time,
    pub branch: Branch,
    pub slot: u32,
    pub workspace: Option<Workspace>,
    pub is_set_up: bool,
    /// Of an issue with sub-issues, all of them resolved when it was claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    pub plan: Option<Plan>,
    pub head: Option<Head>,
    /// Why the last implementation or plan was sent back; the next turn is told.
    pub feedback: Option<String>,
    /// What the next planning or implementing turn resumes; reviewers never see it.
    pub session: Option<String>,
    pub gates: Gates,
    pub pushed: Option<Sha>,
    pub pushed_at: Option<Time>,
    pub pull: Option<PullNumber>,
    /// The update of the pull request's branch that was asked for last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<BranchUpdate>,
    /// Ralph's own merge of the pull request took place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Sha>,
    pub spent: Spent,
    /// Red checks whose logs were read, oldest first, those of earlier runs included.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red_checks: Vec<Triaged>,
    /// The last turn stalled; the next one is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Stalled>,
    /// The latest failure in words, for the escalation that may follow.
    pub last_failure: Option<String>,
    /// Something only a person can settle has come up.
    pub trouble: Option<Cause>,
    pub steps: Vec<StepRecord>,
}

/// Where a run works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    pub path: ManagedPath,
    /// The commit of the bot branch the run's branch was last brought up to.
    pub base: Sha,
    /// The branch has moved at the forge by Ralph's own wish; the worktree has to follow.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outdated: bool,
}

/// An update of a pull request's branch from its base, made by the forge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchUpdate {
    /// The head that was behind. Any other is what came of the update.
    pub from: Sha,
    /// Has the forge said that it will?
    pub is_accepted: bool,
    /// When it was asked for, then when it was accepted.
    pub at: Time,
}

/// A plan, by the digest of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub text: Digest,
}

/// The commit under judgement, with what each kind of judgement is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub commit: Sha,
    /// Preflight judges the tree.
    pub tree: String,
    /// Reviews judge the difference to the base.
    pub diff: String,
    /// Does it touch CI files only?
    #[serde(default)]
    pub ci_only: bool,
}

/// What a run has used up. Only ever grows within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    pub workspace_tries: u32,
    pub setup_tries: u32,
    /// Turns that verified whether anything is left.
    #[serde(default)]
    pub verify_turns: u32,
    pub plan_turns: u32,
    pub implement_turns: u32,
    pub review_failures: u32,
    /// Preflights that could not be run, whatever the change is like.
    #[serde(default)]
    pub preflight_tries: u32,
    /// Turns that did not get anywhere.
    #[serde(default)]
    pub stalls: u32,
    pub push_refusals: u32,
    pub pull_refusals: u32,
    pub merge_refusals: u32,
    /// Updates of the branch from its base that were asked for.
    #[serde(default)]
    pub branch_updates: u32,
    #[serde(default)]
    pub update_refusals: u32,
    /// Times it was resumed to repair what a check found: each is one implementation turn more.
    #[serde(default)]
    pub resumes: u32,
    /// Deaths of Ralph since the last finished step.
    pub interruptions: u32,
}

/// One finished step, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    pub step: Step,
    pub attempt: Attempt,
    pub started: Time,
    pub ended: Time,
    pub how: String,
    pub session: Option<String>,
    pub tokens: Option<u64>,
}

/// A process of ours that runs, is about to, or is being ended. While there is one it holds a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    pub attempt: Attempt,
    pub step: Step,
    pub started: Time,
    pub deadline: Time,
    pub state: WorkState,
    /// It may be about to stall.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspicion: Option<Suspicion>,
}

impl Work {
    pub(crate) const fn starting(
        attempt: Attempt,
        step: Step,
        started: Time,
        deadline: Time,
    ) -> Self {
        let state = WorkState::Starting;
        Self { attempt, step, started, deadline, state, suspicion: None }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkState {
    /// Wanted, not yet confirmed.
    Starting,
    Underway,
    /// Its end is wanted; the slot is free once that is confirmed.
    Ending(EndReason),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// It ran past its deadline: a failed try.
    TimedOut,
    /// A person stopped or paused the issue: nobody's fault.
    Held,
}

impl Run {
    /// The next run of an issue. What an earlier run of the same branch has earned is carried over, what it
    /// has spent is not.
    #[must_use]
    pub fn next(issue: &IssueKey, title: &str, earlier: Option<&Self>, now: Time) -> Self {
        let number = earlier.map_or(1, |run| run.id.run.saturating_add(1));
        Self {
            id: RunId { issue: issue.number, run: number },
            recipe: Recipe::Issue,
            started: now,
            branch: earlier.map_or_else(|| branch_for(issue, title), |run| run.branch.clone()),
            slot: 0,
            workspace: None,
            is_set_up: false,
            parent: None,
            plan: earlier.and_then(|run| run.passed(Gate::PlanReview).then(|| run.plan.clone())?),
            head: None,
            feedback: None,
            session: None,
            gates: earlier.map(|run| run.gates.earned()).unwrap_or_default(),
            pushed: earlier.and_then(|run| run.pushed.clone()),
            pushed_at: earlier.and_then(|run| run.pushed_at),
            pull: earlier.and_then(|run| run.pull),
            update: None,
            merged: None,
            spent: Spent::default(),
            red_checks: earlier.map(|run| run.red_checks.clone()).unwrap_or_default(),
            stalled: None,
            last_failure: None,
            trouble: None,
            steps: Vec::new(),
        }
    }

    /// The next run of an issue as an attempt of a lane: what it has to repair stands for plan and implementation.
    #[must_use]
    pub fn in_lane(issue: &IssueKey, lane: Lane, earlier: &Self, told: &str, now: Time) -> Self {
        Self {
            recipe: lane.recipe(),
            feedback: Some(told.to_owned()),
            ..Self::next(issue, "", Some(earlier), now)
        }
    }

    /// What was read of a red check of what this run has pushed, and whether no repair was tried yet; a
    /// repetition changes nothing.
    pub(crate) fn learn_of_red_check(&mut self, head: &Sha, triage: &Triage, is_first: bool) {
        let is_known = self.red_check(head, &triage.signature.check).is_some();
        if is_known || self.pushed.as_ref() != Some(head) {
            return;
        }
        let red =
            Triaged::decide(self.id, head.clone(), triage.clone(), &self.red_checks, is_first);
        self.last_failure = Some(words::red_check(&red));
        if self.red_checks.len() >= RED_CHECKS_MAX {
            self.red_checks.remove(0);
        }
        self.red_checks.push(red);
    }

    /// What this run knows of a red check of a commit. What an earlier one read may be out of date: the check
    /// can have been run again.
    #[must_use]
    pub fn red_check(&self, head: &Sha, name: &str) -> Option<&Triaged> {
        let is_it = |red: &&Triaged| red.run == self.id && red.head == *head && red.check() == name;
        self.red_checks.iter().find(is_it)
    }

    /// Forgets every try spent, so that each bound holds from here on.
    pub(crate) fn starts_counting_anew(&mut self) {
        self.spent = Spent::default();
        self.stalled = None;
        self.gates.forget_repairs();
    }

    /// What this gate has to judge now; `None` while there is nothing to judge.
    #[must_use]
    pub fn subject_of(&self, gate: Gate) -> Option<String> {
        let head = self.head.as_ref();
        match gate {
            Gate::PlanReview => self.plan.as_ref().map(|plan| plan.text.to_string()),
            Gate::Preflight => head.map(|head| head.tree.clone()),
            Gate::ProductReview | Gate::DevexReview => head.map(|head| head.diff.clone()),
            Gate::Ci => head.map(|head| head.commit.as_str().to_owned()),
        }
    }

    /// Has this gate let through exactly what stands now?
    #[must_use]
    pub fn passed(&self, gate: Gate) -> bool {
        self.subject_of(gate).is_some_and(|subject| self.gates.satisfied_on(gate, &subject))
    }

    /// Derived: everything required before a pull request has passed.
    #[must_use]
    pub fn is_ready_for_pull(&self) -> bool {
        Gate::BEFORE_PULL.iter().all(|gate| self.passed(*gate))
    }

    /// Derived: everything required before a merge has passed for the present head.
    #[must_use]
    pub fn is_ready_for_merge(&self) -> bool {
        Gate::ALL.iter().all(|gate| self.passed(*gate))
    }

    /// From then on a read shows this run's last push, and what people did before it began.
    #[must_use]
    pub fn settles_at(&self) -> Time {
        self.pushed_at.unwrap_or(self.started).max(self.started).plus(READ_LAG)
    }

    #[must_use]
    pub fn position(&self, policy: &RepoPolicy) -> Step {
        self.recipe.position(self, policy)
    }

    /// A fresh record for a gate on what stands now.
    #[must_use]
    pub fn judged(&self, gate: Gate, status: GateStatus, reason: &str, at: Time) -> GateRecord {
        let subject = self.subject_of(gate).unwrap_or_default();
        let repairs = self.gates.on(gate, &subject).map_or(0, |record| record.repairs);
        GateRecord {
            status,
            repairs,
            subject,
            head: self.head.as_ref().map(|head| head.commit.clone()),
            reason: reason.to_owned(),
            command: None,
            url: None,
            session: None,
            said: None,
            at,
        }
    }

    pub(crate) fn remember(&mut self, record: StepRecord) {
        if self.steps.len() >= STEP_RECORDS_MAX {
            self.steps.remove(0);
        }
        self.steps.push(record);
    }
}

/// Longest slug in a branch name: long enough to recognise the issue, short enough for any file system.
const SLUG_BYTES_MAX: usize = 40;

/// `ralph/issue-<n>-<slug>`: the same for an issue for ever, because it is stored with its first run.
/// The branch of an issue, always the same for the same title.
#[must_use]
pub fn branch_for(issue: &IssueKey, title: &str) -> Branch {
    let mut slug = String::new();
    for letter in title.chars().map(|c| c.to_ascii_lowercase()) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= SLUG_BYTES_MAX {
            break;
        }
    }
    let number = issue.number;
    match slug.trim_end_matches('-') {
        "" => Branch::new(&format!("ralph/issue-{number}")),
        slug => Branch::new(&format!("ralph/issue-{number}-{slug}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RepoName;

    #[test]
    fn a_branch_name_is_made_of_number_and_title() {
        let issue = IssueKey::new(RepoName::parse("acme/widgets").unwrap(), 12);
        for (title, branch) in [
            ("Add a --json flag!", "ralph/issue-12-add-a-json-flag"),
            ("  ", "ralph/issue-12"),
            ("日本語", "ralph/issue-12"),
            ("../../etc/passwd", "ralph/issue-12-etc-passwd"),
        ] {
            assert_eq!(branch_for(&issue, title).as_str(), branch);
        }
        assert!(branch_for(&issue, &"x".repeat(500)).as_str().len() < 70);
    }
}
