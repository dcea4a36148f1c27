//! The survey of a run and its result. It is tried once, and nothing of the run depends on it.

use super::Run;
use crate::fact::{Answer, Outcome};
use crate::ids::Attempt;
use crate::issue::{Managed, Phase};
use crate::steps::Step;
use crate::words;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surveyed {
    pub proposals: u32,
    /// The reason why there are no proposals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}

impl Surveyed {
    pub(crate) fn not(why: &str) -> Self {
        Self { proposals: 0, why_not: Some(why.to_owned()) }
    }
}

impl Run {
    /// Takes in the end of the one surveying turn, good or bad.
    pub(crate) fn take_survey(&mut self, outcome: &Outcome) {
        self.survey = Some(match outcome {
            Outcome::Turn { answer: Answer::Survey(proposals), .. } => {
                let proposals = u32::try_from(proposals.len()).unwrap_or(u32::MAX);
                Surveyed { proposals, why_not: None }
            }
            Outcome::WorkspaceReady { .. }
            | Outcome::WorkspaceConflict { .. }
            | Outcome::CommandsPassed { .. }
            | Outcome::CommandsFailed { .. }
            | Outcome::Turn { .. }
            | Outcome::TimedOut { .. }
            | Outcome::Stalled { .. }
            | Outcome::WorkspaceLost { .. }
            | Outcome::AgentFailed { .. }
            | Outcome::Failed { .. } => Surveyed::not(&words::failure(outcome)),
        });
    }
}

impl Managed {
    /// True if this attempt is the survey under way.
    pub(crate) fn is_surveying(&self, attempt: Attempt) -> bool {
        let work = self.work.as_ref().filter(|work| work.attempt == attempt);
        let is_survey = work.is_some_and(|work| work.step == Step::Survey);
        is_survey && self.phase == Phase::Running { step: Step::Survey }
    }
}
