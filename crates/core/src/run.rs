//! One run of an issue: its workspace, the evidence it has gathered, and what it has spent.

mod branch;
mod place;
mod red_checks;
mod survey;
mod work;

pub use branch::branch_for;
pub use place::{BranchUpdate, Conflict, Looked, Workspace};
pub use survey::Surveyed;
pub use work::{EndReason, Work, WorkState};

use crate::account::AccountName;
use crate::bound::{Bound, Spent};
use crate::digest::Digest;
use crate::escalation::Cause;
use crate::fold::READ_LAG;
use crate::gate::{Gate, GateRecord, GateStatus, Gates, Judged};
use crate::ids::{Attempt, Branch, IssueKey, PullNumber, RunId, Sha};
use crate::lane::Lane;
use crate::parent::Parent;
use crate::policy::RepoPolicy;
use crate::product_gap::ProductGap;
use crate::recipe::Recipe;
use crate::rerun::Rerun;
use crate::routing::Routing;
use crate::stall::Stalled;
use crate::steps::Step;
use crate::stored::is_default;
use crate::test_files::Changes;
use crate::time::Time;
use crate::triage::Triaged;
use crate::turn_end::Usage;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

/// Step records kept in a run. The journal has the rest; this bounds what every transaction rewrites.
const STEP_RECORDS_MAX: usize = 40;

/// The latest run of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub id: RunId,
    pub recipe: Recipe,
    pub started: Time,
    pub branch: Branch,
    /// The branch that was abandoned for this one. Its commits are rescued when the worktree is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Branch>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub slot: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub workspace: Option<Workspace>,
    /// The time until which it holds the merge slot: no other run of its repository moves the bot branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_until: Option<Time>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_set_up: bool,
    /// The verification of an issue whose sub-issues were all resolved when it was claimed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// The last time that the issue itself was read for this run and existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met_at: Option<Time>,
    /// The branch or its base has moved at the forge: the worktree has to follow before anything else.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_outdated: bool,
    /// The conflict of the worktree's last merge. A run of a conflict recipe resolves it; any other ends with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
    /// The last base with which the forge reported a conflict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub looked: Option<Looked>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub plan: Option<Plan>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub head: Option<Head>,
    /// The step in which the workspace was lost before anything was implemented. Commits found in its remains are an
    /// unfinished turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_in: Option<Step>,
    /// The reason why the last implementation or plan was sent back, for the next turn.
    #[serde(default, skip_serializing_if = "is_default")]
    pub feedback: Option<String>,
    /// The time at which a message asked for another turn, although the change was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steered: Option<Time>,
    /// The last return to planning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replanned: Option<Replanned>,
    /// The session that the next planning or implementing turn resumes; reviewers never see it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub session: Option<String>,
    pub gates: Gates,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pushed: Option<Sha>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pushed_at: Option<Time>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub pull: Option<PullNumber>,
    /// An earlier run opened the pull request, and this one has not seen it open yet. If it is closed, another replaces
    /// it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pull_inherited: bool,
    /// The pull request that the next one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<PullNumber>,
    /// The latest requested update of the pull request's branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<BranchUpdate>,
    /// The commit of Ralph's own merge of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Sha>,
    pub spent: Spent,
    /// Red checks whose logs were read, oldest first, including those of earlier runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red_checks: Vec<Triaged>,
    /// Checks that were rerun, including those of earlier runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reruns: Vec<Rerun>,
    /// The result of the survey for small fixes, once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub survey: Option<Surveyed>,
    /// The stall of the last turn, for the next one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<Stalled>,
    /// The latest failure in words, for the escalation that may follow.
    #[serde(default, skip_serializing_if = "is_default")]
    pub last_failure: Option<String>,
    /// Kept by the previous store format for a run that has to ask a person. The evidence replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Cause>,
    pub steps: Vec<Arc<StepRecord>>,
}

/// A plan, by the digest of its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub text: Digest,
    /// The planner's decision whether to ask for a person.
    #[serde(default, skip_serializing_if = "is_default")]
    pub routing: Routing,
    #[serde(default, skip_serializing_if = "is_default")]
    pub gap: ProductGap,
}

/// A plan that was sent back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replanned {
    pub by: Gate,
    /// The commit that was made by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Sha>,
}

/// The commit under review and what each gate is bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub commit: Sha,
    /// Preflight judges the tree.
    pub tree: String,
    /// Reviews judge the difference to the base.
    pub diff: String,
    /// It touches CI files only.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ci_only: bool,
    /// The files it touches. `None`: an earlier version did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// The last words of the agent that made it, for the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Digest>,
}

/// One finished step, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    pub step: Step,
    pub attempt: Attempt,
    pub started: Time,
    pub ended: Time,
    pub how: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub session: Option<String>,
    #[serde(default, alias = "tokens", skip_serializing_if = "is_default")]
    pub usage: Option<Usage>,
    /// The account of a turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountName>,
}

impl Run {
    /// Returns the next run of an issue. It keeps what an earlier run of the same branch has earned, and starts with
    /// fresh bounds.
    #[must_use]
    pub fn next(issue: &IssueKey, title: &str, earlier: Option<&Self>, now: Time) -> Self {
        let number = earlier.map_or(1, |run| run.id.run.saturating_add(1));
        Self {
            id: RunId { issue: issue.number, run: number },
            recipe: Recipe::Issue,
            started: now,
            branch: earlier.map_or_else(|| branch_for(issue, title), |run| run.branch.clone()),
            left: None,
            slot: 0,
            workspace: None,
            slot_until: None,
            is_set_up: false,
            parent: None,
            met_at: None,
            is_outdated: false,
            conflict: None,
            looked: None,
            plan: earlier.and_then(|run| run.passed(Gate::PlanReview).then(|| run.plan.clone())?),
            head: None,
            lost_in: None,
            feedback: None,
            steered: None,
            replanned: None,
            session: None,
            gates: earlier.map(|run| run.gates.earned()).unwrap_or_default(),
            pushed: earlier.and_then(|run| run.pushed.clone()),
            pushed_at: earlier.and_then(|run| run.pushed_at),
            pull: earlier.and_then(|run| run.pull),
            is_pull_inherited: false,
            replaces: earlier.and_then(|run| run.replaces),
            update: None,
            merged: None,
            spent: Spent::default(),
            red_checks: earlier.map(|run| run.red_checks.clone()).unwrap_or_default(),
            reruns: earlier.map(|run| run.reruns.clone()).unwrap_or_default(),
            survey: earlier.and_then(|run| run.survey.clone()),
            stalled: None,
            last_failure: None,
            trouble: None,
            steps: Vec::new(),
        }
    }

    /// Returns the next run of an issue, which abandons the work of the earlier ones.
    #[must_use]
    pub fn afresh(issue: &IssueKey, title: &str, earlier: Option<&Self>, now: Time) -> Self {
        let left = earlier.map_or_else(|| branch_for(issue, title), |run| run.branch.clone());
        let number = earlier.map_or(0, |run| run.id.run);
        let fresh = Self::next(issue, title, None, now);
        let id = RunId { issue: issue.number, run: number.saturating_add(1) };
        let survey = earlier.and_then(|run| run.survey.clone());
        Self { id, branch: branch::fresh(issue, title, now), left: Some(left), survey, ..fresh }
    }

    /// Returns the next run of an issue as an attempt of a lane: the failure to repair takes the place of plan and
    /// implementation.
    #[must_use]
    pub fn in_lane(issue: &IssueKey, lane: Lane, earlier: &Self, told: &str, now: Time) -> Self {
        Self {
            recipe: earlier.recipe.in_lane(lane),
            met_at: earlier.met_at,
            feedback: Some(told.to_owned()),
            ..Self::next(issue, "", Some(earlier), now)
        }
    }

    /// Resets all counts, so that each bound holds from here on.
    pub(crate) fn starts_counting_anew(&mut self) {
        self.spent = Spent::default();
        self.looked = None;
        self.stalled = None;
        self.gates.forget_repairs();
    }

    /// Returns the subject that this gate has to judge now; `None` while there is none.
    #[must_use]
    pub fn subject_of(&self, gate: Gate) -> Option<Cow<'_, str>> {
        let head = self.head.as_ref();
        match gate.judges() {
            Judged::Plan => self.plan.as_ref().map(|plan| plan.text.to_string().into()),
            Judged::Tree => head.map(|head| (&head.tree).into()),
            Judged::TreeAgainstBase => head.map(|head| {
                let base = head.changes.as_ref().map(|changes| format!(" on {}", changes.base));
                let plan = self.plan.as_ref().map(|plan| format!(" by {}", plan.text));
                let (base, plan) = (base.unwrap_or_default(), plan.unwrap_or_default());
                format!("{}{base}{plan}", head.tree).into()
            }),
            Judged::Diff => head.map(|head| (&head.diff).into()),
            Judged::Commit => head.map(|head| head.commit.as_str().into()),
        }
    }

    /// True if this gate has let through exactly the present subject.
    #[must_use]
    pub fn passed(&self, gate: Gate) -> bool {
        self.subject_of(gate).is_some_and(|subject| self.gates.satisfied_on(gate, &subject))
    }

    /// True if everything required before a pull request has passed.
    #[must_use]
    pub fn is_ready_for_pull(&self) -> bool {
        Gate::before_pull().all(|gate| self.passed(gate))
    }

    /// True if everything required before a merge has passed for the present head.
    #[must_use]
    pub fn is_ready_for_merge(&self) -> bool {
        Gate::ALL.iter().all(|gate| self.passed(*gate))
    }

    /// Returns the commit of the bot branch that the head was tested with; a merge into any other is untested.
    #[must_use]
    pub fn tested_on(&self) -> Option<&Sha> {
        let record =
            self.subject_of(Gate::Ci).and_then(|subject| self.gates.on(Gate::Ci, &subject));
        let known = record.and_then(|record| record.base.as_ref());
        known.or_else(|| self.workspace.as_ref().map(|workspace| &workspace.base))
    }

    /// True if any gate tests the head. If the operator has switched all of them off, nothing is tested again.
    #[must_use]
    pub fn is_tested(&self) -> bool {
        let is_skipped =
            |gate| self.gates.get(gate).is_some_and(|record| record.status == GateStatus::Skipped);
        !(is_skipped(Gate::Ci) && is_skipped(Gate::Preflight))
    }

    /// The time from which a read shows this run's last push, and what people did before it began.
    #[must_use]
    pub fn settles_at(&self) -> Time {
        self.pushed_at.unwrap_or(self.started).max(self.started).plus(READ_LAG)
    }

    #[must_use]
    pub fn position(&self, policy: &RepoPolicy) -> Step {
        self.recipe.position(self, policy)
    }

    /// Returns a fresh record for a gate on the present subject.
    #[must_use]
    pub fn judged(&self, gate: Gate, status: GateStatus, reason: &str, at: Time) -> GateRecord {
        let subject = self.subject_of(gate).unwrap_or_default();
        let repairs = self.gates.on(gate, &subject).map_or(0, |record| record.repairs);
        let base = self.workspace.as_ref().filter(|_| gate == Gate::Ci);
        GateRecord {
            status,
            base: base.map(|workspace| workspace.base.clone()),
            repairs,
            subject: subject.into_owned(),
            head: self.head.as_ref().map(|head| head.commit.clone()),
            reason: reason.to_owned(),
            command: None,
            commands: Vec::new(),
            url: None,
            session: None,
            said: None,
            excerpt: String::new(),
            added: None,
            gap: ProductGap::None,
            is_advisory: false,
            process: None,
            at,
        }
    }

    /// Counts a failed attempt at a step.
    pub(crate) fn fail(&mut self, step: Step, reason: String) {
        self.spent.add(Bound::Step(step));
        self.last_failure = Some(reason);
    }

    /// Adds feedback for the next turn, after any that is still open.
    pub(crate) fn add_feedback(&mut self, told: String) {
        self.feedback = Some(match self.feedback.take() {
            Some(earlier) if !earlier.contains(&told) => format!("{earlier}\n\n{told}"),
            Some(earlier) => earlier,
            None => told,
        });
    }

    /// The account that a session was begun with, as far as its turns are remembered.
    pub(crate) fn account_of(&self, session: &str) -> Option<&AccountName> {
        let made_it = |record: &&Arc<StepRecord>| record.session.as_deref() == Some(session);
        self.steps.iter().rev().find(made_it).and_then(|record| record.account.as_ref())
    }

    pub(crate) fn remember(&mut self, record: StepRecord) {
        if self.steps.len() >= STEP_RECORDS_MAX {
            self.steps.remove(0);
        }
        self.steps.push(Arc::new(record));
    }
}
