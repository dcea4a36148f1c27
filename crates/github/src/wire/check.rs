//! Check runs and commit statuses.

use crate::page::Page;
use ralph_core::pull::{Check, CheckState};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRuns {
    pub(crate) check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRun {
    pub(crate) name: String,
    status: String,
    conclusion: Option<String>,
    details_url: Option<String>,
    html_url: Option<String>,
}

impl CheckRun {
    pub(crate) fn shown(&self) -> Check {
        let conclusion = self.conclusion.as_deref().filter(|_| self.status == "completed");
        Check {
            state: CheckState::from_conclusion(conclusion.unwrap_or_default()),
            url: self.details_url.clone().or_else(|| self.html_url.clone()),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct CombinedStatus {
    #[serde(deserialize_with = "super::list", default)]
    pub(crate) statuses: Vec<Status>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Status {
    pub(crate) context: String,
    state: String,
    target_url: Option<String>,
}

impl Status {
    pub(crate) fn shown(&self) -> Check {
        let state = CheckState::from_conclusion(&self.state);
        Check { state, url: self.target_url.clone() }
    }
}

impl Page for CheckRuns {
    fn items(&self) -> usize {
        self.check_runs.len()
    }
}

impl Page for CombinedStatus {
    fn items(&self) -> usize {
        self.statuses.len()
    }
}
