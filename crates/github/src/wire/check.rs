//! Check runs and commit statuses.

use crate::page::Page;
use ralph_core::pull::{Check, CheckState};
use ralph_core::rerun::Rerunnable;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRuns {
    pub(crate) check_runs: Vec<CheckRun>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CheckRun {
    #[serde(default)]
    pub(crate) id: u64,
    pub(crate) name: String,
    status: String,
    pub(crate) conclusion: Option<String>,
    #[serde(default)]
    pub(crate) output: Output,
    details_url: Option<String>,
    html_url: Option<String>,
    app: Option<App>,
}

/// Whose check it is.
#[derive(Debug, Deserialize)]
struct App {
    slug: Option<String>,
}

/// What an app reports with its check run.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Output {
    title: Option<String>,
    summary: Option<String>,
    text: Option<String>,
    #[serde(default)]
    pub(crate) annotations_count: u64,
}

impl Output {
    pub(crate) fn has_text(&self) -> bool {
        self.text.as_ref().is_some_and(|text| !text.is_empty())
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        [&self.title, &self.summary, &self.text].into_iter().flatten().map(String::as_str)
    }
}

/// A remark on a line of the source.
#[derive(Debug, Deserialize)]
pub(crate) struct Annotation {
    path: String,
    start_line: u64,
    annotation_level: Option<String>,
    message: Option<String>,
    raw_details: Option<String>,
}

impl Annotation {
    /// In the shape in which compilers say it.
    pub(crate) fn line(&self) -> String {
        let severity = match self.annotation_level.as_deref() {
            Some("failure") => "error",
            Some("warning") => "warning",
            Some(_) | None => "note",
        };
        let message = self.message.as_deref().unwrap_or_default();
        let details = self.raw_details.as_deref().unwrap_or_default();
        let text = format!("{}:{}: {severity}: {message}\n{details}", self.path, self.start_line);
        text.trim_end().to_owned()
    }
}

impl CheckRun {
    /// By what it can be run once more: the jobs of GitHub Actions have a way of their own.
    pub(crate) fn rerunnable(&self) -> Rerunnable {
        let slug = self.app.as_ref().and_then(|app| app.slug.as_deref());
        if slug == Some("github-actions") {
            Rerunnable::Job(self.id)
        } else {
            Rerunnable::CheckRun(self.id)
        }
    }

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
    pub(crate) state: String,
    pub(crate) description: Option<String>,
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
