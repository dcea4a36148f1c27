//! Parent verification of a run: an issue whose children are all resolved is looked at before it is worked on,
//! because nothing may be left to do.

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

/// Children that are told of; the forge allows 100, and a reader follows fewer.
pub const CHILDREN_MAX: usize = 50;

/// What is known of an issue with children.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    pub children: Vec<IssueKey>,
    pub state: ParentState,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParentState {
    /// Nobody has looked yet, or nobody could tell.
    Open,
    /// It has work of its own.
    WorkRemains { reason: String },
    /// Nobody could tell, or a person wants it done: it is worked on, with what its children did in view.
    Seeded { said: String },
    /// Nothing is left, it is said. What that rests on is read before it is believed.
    Claimed { verdict: Box<ParentVerify>, at: Time },
    /// Nothing is left. That is told first, then the issue is done.
    Satisfied(Box<ParentVerify>),
    /// Nothing is left, it is said, and too little shows it.
    Weak(Box<ParentVerify>),
}

/// What a turn is told of the children of its issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParentBrief {
    pub children: Vec<Child>,
    /// What verification said.
    pub said: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub issue: IssueKey,
    pub title: String,
    /// How it was resolved.
    pub how: String,
    pub pull: Option<PullNumber>,
    /// Where people see the issue, its pull request and its merge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
}

/// Something of a child's that can show that it is done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    Issue(IssueKey),
    Pull(RepoName, PullNumber),
    Commit(RepoName, Sha),
}

impl Proof {
    /// Everything there is to show for a child.
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

    /// Where people see it.
    #[must_use]
    pub fn address(&self, web: &str) -> String {
        match self {
            Self::Issue(key) => format!("{web}/{}/issues/{}", key.repo, key.number),
            Self::Pull(repo, number) => format!("{web}/{repo}/pull/{}", number.0),
            Self::Commit(repo, commit) => format!("{web}/{repo}/commit/{commit}"),
        }
    }

    /// Is this the address of it, whatever place on that page it leads to?
    #[must_use]
    pub fn is_at(&self, web: &str, url: &str) -> bool {
        let page = url.split(['#', '?']).next().unwrap_or_default();
        page.trim_end_matches('/') == self.address(web)
    }
}

impl Parent {
    /// Of a run that begins. What an earlier one found out still holds; where it asked a person, being queued
    /// again is the answer that work remains. An issue with a change of its own needs no such look.
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

    /// May it be planned?
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

    /// What verification said that a planner should know.
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
    /// The issue or what people answered is to be read first, or that nothing is left is to be said.
    pub(crate) const fn has_to_wait(&self, step: Step) -> bool {
        self.has_to_look() || self.waits_for_answers(step) || self.tells_verdict(step)
    }

    /// Claimed, and to be read before its first step.
    pub(crate) const fn is_looked_at(&self) -> bool {
        matches!(self.phase, Phase::Running { .. }) && !self.is_paused && self.has_to_look()
    }

    /// The issue itself was not read for this run yet.
    const fn has_to_look(&self) -> bool {
        matches!(&self.run, Some(Run { met_at: None, .. }))
    }

    /// At this step nothing is left to do but to read what that rests on, and to say so.
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
    /// The verdict that nothing is left, once there is one.
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

    /// The verdict that nothing is left, while its evidence has to be read.
    #[must_use]
    pub fn claimed(&self) -> Option<(&Parent, &ParentVerify)> {
        let parent = self.parent.as_ref()?;
        let ParentState::Claimed { verdict, .. } = &parent.state else { return None };
        Some((parent, verdict))
    }

    /// Takes what was read of it: only that counts as evidence, and only that is shown.
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

    /// A blocker appeared: whether anything is left has to be looked at again.
    pub(crate) fn doubt_verdict(&mut self) {
        if let Some(parent) = self.parent.as_mut()
            && matches!(parent.state, ParentState::Claimed { .. } | ParentState::Satisfied(_))
        {
            parent.state = ParentState::Open;
        }
    }

    /// Nothing was left to do, and a person wants it done all the same: it is worked on, with what verification said
    /// in view.
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

    /// A turn that verifies came to its end.
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

/// Whoever is not sure that nothing is left has not answered.
fn judged(now: Time, verdict: &ParentVerify) -> ParentState {
    let is_sure = verdict.confidence >= Confidence::Medium;
    match (verdict.work_remains, is_sure, verdict.is_strong()) {
        (true, ..) => ParentState::WorkRemains { reason: verdict.reason.clone() },
        (false, false, _) => ParentState::Open,
        (false, true, true) => ParentState::Claimed { verdict: Box::new(verdict.clone()), at: now },
        (false, true, false) => ParentState::Weak(Box::new(verdict.clone())),
    }
}
