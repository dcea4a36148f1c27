//! The owner of the sample repository, whom the demo plays: makes it, opens issues, merges rollups.

use super::DemoError;
use super::story::{SAMPLES, Sample};
use ralph_adapters::http_transport::{HttpTransport, SendError};
use ralph_forge::{OpenedIssue, VisitError, Visitor};
use std::collections::BTreeMap;

/// The repository's name below its owner.
pub(super) const NAME: &str = "calc";

type Send = Box<dyn FnMut(http::Request<Vec<u8>>) -> Result<http::Response<Vec<u8>>, SendError>>;

pub(super) struct Owner {
    visitor: Visitor<Send>,
    repo: String,
}

impl Owner {
    pub(super) fn new(url: &str, token: &str, repo: String, transport: HttpTransport) -> Self {
        let send: Send = Box::new(move |request| transport.send(request));
        Self { visitor: Visitor::new(url, token, send), repo }
    }

    pub(super) fn create_repository(&mut self) -> Result<(), VisitError> {
        self.visitor.create_repository(NAME)
    }

    pub(super) fn add_hook(&mut self, to: &str, secret: &str) -> Result<(), VisitError> {
        self.visitor.add_hook(&self.repo, to, secret)
    }

    /// Opens all issues, ties them together, and queues them last, so that none starts too early.
    pub(super) fn open_issues(&mut self) -> Result<BTreeMap<u64, &'static Sample>, DemoError> {
        let mut opened: BTreeMap<&str, OpenedIssue> = BTreeMap::new();
        for sample in &SAMPLES {
            let labels = [format!("ralph:priority:{}", sample.priority)];
            let issue = self.visitor.open_issue(&self.repo, sample.title, sample.body, &labels)?;
            opened.insert(sample.title, issue);
        }
        let mut issues = BTreeMap::new();
        for sample in &SAMPLES {
            let Some(issue) = opened.get(sample.title) else { continue };
            for by in sample.blocked_by.iter().filter_map(|title| opened.get(title)) {
                self.visitor.block(&self.repo, issue.number, *by)?;
            }
            for child in sample.children.iter().filter_map(|title| opened.get(title)) {
                self.visitor.add_child(&self.repo, issue.number, *child)?;
            }
            issues.insert(issue.number, sample);
        }
        for number in issues.keys() {
            self.visitor.add_label(&self.repo, *number, "ralph:status:queued")?;
        }
        Ok(issues)
    }

    /// Merges the rollup if one is open and the forge lets us. Gives its number.
    pub(super) fn merge_rollup(&mut self, base: &str) -> Result<Option<u64>, VisitError> {
        let Some(pull) = self.visitor.open_pulls(&self.repo, base)?.first().copied() else {
            return Ok(None);
        };
        match self.visitor.merge(&self.repo, pull) {
            Ok(()) => Ok(Some(pull)),
            // Its check is still running, or mergeability is being computed.
            Err(error) if error.status.is_some_and(|status| status.as_u16() == 405) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
