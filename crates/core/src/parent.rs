//! Parent verification: before a run works on an issue whose children are all resolved, a turn checks whether anything
//! is left to do.

use crate::bound::Bound;
use crate::fact::{Answer, Outcome};
use crate::ids::{IssueKey, PullNumber, RepoName, Sha};
use crate::issue::{Managed, Native, Phase};
use crate::parent_verify::ParentVerify;
use crate::routing::Confidence;
use crate::run::Run;
use crate::steps::Step;
use crate::time::Time;
use crate::words;
use serde::{Deserialize, Serialize};

/// Children named in a prompt; the forge allows 100, and a reader follows fewer.
pub const CHILDREN_MAX: usize = 50;

/// The verification of an issue with children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    pub children: Vec<IssueKey>,
    pub state: ParentState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentState {
    /// Not verified yet, or without a clear result.
    Open,
    /// Work remains besides that of the children.
    WorkRemains { reason: String },
    /// The result is unclear, or a person wants the issue done: it is worked on, with the work of its children in view.
    Seeded { said: String },
    /// The verdict says that nothing is left. Ralph reads its evidence before it counts.
    Claimed { verdict: Box<ParentVerify>, at: Time },
    /// Nothing is left. Ralph says so in a comment, then the issue is done.
    Satisfied(Box<ParentVerify>),
    /// The verdict says that nothing is left, but its evidence is too weak.
    Weak(Box<ParentVerify>),
}

/// The part of a prompt about the children of its issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentBrief {
    pub children: Vec<Child>,
    /// The text of the verification.
    pub said: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub issue: IssueKey,
    pub title: String,
    /// The way it was resolved.
    pub how: String,
    pub pull: Option<PullNumber>,
    /// The web addresses of the issue, its pull request and its merge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
}

/// An item of a child that can prove that it is done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    Issue(IssueKey),
    Pull(RepoName, PullNumber),
    Commit(RepoName, Sha),
}

impl Proof {
    /// Returns every possible proof for a child.
    pub fn of_child<'a>(
        key: &'a IssueKey,
        managed: Option<&'a Managed>,
    ) -> impl Iterator<Item = Self> + 'a {
        let run = managed.and_then(|managed| managed.run.as_ref());
        let pull = run.and_then(|run| run.pull);
        let merged = managed.and_then(|managed| match &managed.phase {
            Phase::InBot { merged, .. } => Some(merged),
            Phase::Done { evidence, .. } => evidence.merged(),
            Phase::Out
            | Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. } => None,
        });
        std::iter::once(Self::Issue(key.clone()))
            .chain(pull.map(|pull| Self::Pull(key.repo.clone(), pull)))
            .chain(merged.map(|merged| Self::Commit(key.repo.clone(), merged.clone())))
    }

    /// Returns its web address.
    #[must_use]
    pub fn address(&self, web: &str) -> String {
        match self {
            Self::Issue(key) => format!("{web}/{}/issues/{}", key.repo, key.number),
            Self::Pull(repo, number) => format!("{web}/{repo}/pull/{}", number.0),
            Self::Commit(repo, commit) => format!("{web}/{repo}/commit/{commit}"),
        }
    }

    /// True if this is its address, with or without a position on that page.
    #[must_use]
    pub fn is_at(&self, web: &str, url: &str) -> bool {
        let page = url.split(['#', '?']).next().unwrap_or_default();
        page.trim_end_matches('/') == self.address(web)
    }
}

impl Parent {
    /// Returns the state for a run that begins. Earlier results still hold; if the earlier run asked a person, being
    /// queued again is the answer that work remains. An issue that already has a change needs no verification.
    #[must_use]
    pub(crate) fn of_next_run(native: &Native, earlier: Option<&Run>) -> Option<Self> {
        let children = match native {
            Native::Read { children, .. } => children,
            Native::Unread | Native::Unavailable => return None,
        };
        let has_change = earlier.is_some_and(|run| run.pushed.is_some() || run.pull.is_some());
        if children.is_empty() || has_change {
            return None;
        }
        let known = earlier.and_then(|run| run.parent.as_ref()).map(|parent| &parent.state);
        let state = match known {
            None
            | Some(ParentState::Open | ParentState::Claimed { .. } | ParentState::Satisfied(_)) => {
                ParentState::Open
            }
            Some(ParentState::Weak(verdict)) => {
                ParentState::Seeded { said: verdict.reason.clone() }
            }
            Some(state @ (ParentState::WorkRemains { .. } | ParentState::Seeded { .. })) => {
                state.clone()
            }
        };
        Some(Self { children: children.iter().take(CHILDREN_MAX).cloned().collect(), state })
    }

    /// True if it may be planned.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        match self.state {
            ParentState::WorkRemains { .. } | ParentState::Seeded { .. } => true,
            ParentState::Open
            | ParentState::Claimed { .. }
            | ParentState::Satisfied(_)
            | ParentState::Weak(_) => false,
        }
    }

    /// Returns the text of the verification that a planner should know.
    #[must_use]
    pub fn said(&self) -> Option<&str> {
        match &self.state {
            ParentState::WorkRemains { reason } => Some(reason),
            ParentState::Seeded { said } => Some(said),
            ParentState::Open
            | ParentState::Claimed { .. }
            | ParentState::Satisfied(_)
            | ParentState::Weak(_) => None,
        }
    }
}

impl Managed {
    /// True if the issue or people's answers must be read first, or if the verdict that nothing is left must be posted.
    pub(crate) const fn has_to_wait(&self, step: Step) -> bool {
        self.has_to_look() || self.waits_for_answers(step) || self.tells_verdict(step)
    }

    /// True if it is claimed and must be read before its first step.
    pub(crate) const fn is_looked_at(&self) -> bool {
        matches!(self.phase, Phase::Running { .. }) && !self.is_paused && self.has_to_look()
    }

    /// True if the issue itself was not read for this run yet.
    const fn has_to_look(&self) -> bool {
        matches!(&self.run, Some(Run { met_at: None, .. }))
    }

    /// True if this step only has to read the evidence that nothing is left, and post the verdict.
    const fn tells_verdict(&self, step: Step) -> bool {
        let is_satisfied = matches!(
            &self.run,
            Some(Run {
                parent: Some(Parent {
                    state: ParentState::Claimed { .. } | ParentState::Satisfied(_),
                    ..
                }),
                ..
            })
        );
        matches!(step, Step::ParentVerify) && is_satisfied
    }
}

impl Run {
    /// Returns the verdict that nothing is left, once there is one.
    #[must_use]
    pub fn satisfied(&self) -> Option<&ParentVerify> {
        match &self.parent.as_ref()?.state {
            ParentState::Satisfied(verdict) => Some(verdict),
            ParentState::Open
            | ParentState::Claimed { .. }
            | ParentState::WorkRemains { .. }
            | ParentState::Seeded { .. }
            | ParentState::Weak(_) => None,
        }
    }

    /// Returns the verdict that nothing is left, while its evidence has to be read.
    #[must_use]
    pub fn claimed(&self) -> Option<(&Parent, &ParentVerify)> {
        let parent = self.parent.as_ref()?;
        let ParentState::Claimed { verdict, .. } = &parent.state else { return None };
        Some((parent, verdict))
    }

    /// Keeps only the evidence that was found: nothing else counts or is shown.
    pub(crate) fn read_proof(&mut self, found: &[String]) {
        let Some(parent) = self.parent.as_mut() else { return };
        let ParentState::Claimed { verdict, .. } = &parent.state else { return };
        let mut verdict = verdict.clone();
        verdict.evidence.retain(|evidence| found.contains(&evidence.url));
        parent.state = match verdict.evidence.is_empty() {
            false => ParentState::Satisfied(verdict),
            true => ParentState::Weak(verdict),
        };
    }

    /// Reopens the question whether anything is left, because a blocker appeared.
    pub(crate) fn doubt_verdict(&mut self) {
        if let Some(parent) = self.parent.as_mut()
            && matches!(parent.state, ParentState::Claimed { .. } | ParentState::Satisfied(_))
        {
            parent.state = ParentState::Open;
        }
    }

    /// Overrules the verdict that nothing is left, because a person wants the issue done: it is worked on, with the
    /// verification's text in view.
    pub(crate) fn contradict_verdict(&mut self) {
        if let Some(parent) = self.parent.as_mut()
            && let ParentState::Satisfied(verdict) = &parent.state
        {
            parent.state = ParentState::Seeded { said: verdict.reason.clone() };
        }
    }

    pub(crate) fn seed(&mut self, said: &str) {
        if let Some(parent) = self.parent.as_mut() {
            parent.state = ParentState::Seeded { said: said.to_owned() };
        }
    }

    /// Takes in the end of a verifying turn.
    pub(crate) fn take_parent_verdict(&mut self, now: Time, outcome: &Outcome) {
        self.spent.add(Bound::Step(Step::ParentVerify));
        let Some(parent) = self.parent.as_mut() else { return };
        let Outcome::Turn { answer: Answer::Parent(verdict), .. } = outcome else {
            self.last_failure = Some(words::failure(outcome));
            return;
        };
        parent.state = judged(now, verdict);
        self.last_failure = Some(verdict.reason.clone());
    }
}

/// Rates a verdict. One that is not sure that nothing is left counts as none.
fn judged(now: Time, verdict: &ParentVerify) -> ParentState {
    let is_sure = verdict.confidence >= Confidence::Medium;
    match (verdict.work_remains, is_sure, verdict.is_strong()) {
        (true, ..) => ParentState::WorkRemains { reason: verdict.reason.clone() },
        (false, false, _) => ParentState::Open,
        (false, true, true) => ParentState::Claimed { verdict: Box::new(verdict.clone()), at: now },
        (false, true, false) => ParentState::Weak(Box::new(verdict.clone())),
    }
}
