//! Check runs and commit statuses.

use crate::page::{self, Page};
use ralph_core::pull::{Check, CheckState};
use ralph_core::rerun::Rerunnable;
use ralph_engine::ports::Skipped;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

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

/// The app that owns the check.
#[derive(Debug, Deserialize)]
struct App {
    slug: Option<String>,
}

/// The output of a check run.
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
    /// The id by which it can be run again: jobs of GitHub Actions have their own route.
    pub(crate) fn rerunnable(&self) -> Rerunnable {
        let slug = self.app.as_ref().and_then(|app| app.slug.as_deref());
        if slug == Some("github-actions") {
            Rerunnable::Job(self.id)
        } else {
            Rerunnable::CheckRun(self.id)
        }
    }

    /// One of which no more than its name is known.
    fn pending(name: &str) -> Self {
        Self {
            id: 0,
            name: name.to_owned(),
            status: String::new(),
            conclusion: None,
            output: Output::default(),
            details_url: None,
            html_url: None,
            app: None,
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
    /// One of which no more than its context is known.
    fn pending(context: &str) -> Self {
        let (context, state) = (context.to_owned(), String::new());
        Self { context, state, description: None, target_url: None }
    }

    pub(crate) fn shown(&self) -> Check {
        let state = CheckState::from_conclusion(&self.state);
        Check { state, url: self.target_url.clone() }
    }
}

impl CheckRuns {
    /// A check run that makes no sense is left out, and is pending if it has a name: nothing passes because of it.
    pub(crate) fn salvage(body: &[u8]) -> Option<(Self, Vec<Skipped>)> {
        let (check_runs, skipped) = salvage(body, "check_runs", "name", CheckRun::pending)?;
        Some((Self { check_runs }, skipped))
    }
}

impl CombinedStatus {
    /// The same for statuses.
    pub(crate) fn salvage(body: &[u8]) -> Option<(Self, Vec<Skipped>)> {
        let (statuses, skipped) = salvage(body, "statuses", "context", Status::pending)?;
        Some((Self { statuses }, skipped))
    }
}

fn salvage<I: DeserializeOwned>(
    body: &[u8],
    list: &str,
    name: &str,
    pending: fn(&str) -> I,
) -> Option<(Vec<I>, Vec<Skipped>)> {
    let mut page: Value = serde_json::from_slice(body).ok()?;
    let Value::Array(entries) = page.get_mut(list)?.take() else { return None };
    let (mut kept, mut all) = (Vec::new(), Vec::new());
    for entry in entries {
        let named = entry.get(name).and_then(Value::as_str).map(pending);
        let (read, skipped) = page::salvage_entries(vec![entry]);
        kept.extend(named.filter(|_| read.is_empty()));
        kept.extend(read);
        all.extend(skipped);
    }
    Some((kept, all))
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
