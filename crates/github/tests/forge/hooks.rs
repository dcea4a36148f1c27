//! Deliveries as the forge would send them, with the fields that hints are made from.

use crate::world::{OWNER, REPO, World};
use ralph_engine::Hint;
use ralph_forge::{
    Event, EventKind, GetComment, ListCommitPulls, Operation, Page, Refusal, ThreadAction, on,
};
use ralph_github::webhook;

impl World {
    /// The hints of all deliveries since the last look.
    pub(crate) fn take_hints(&self) -> Vec<Hint> {
        let events = self.take_events();
        events.iter().filter_map(|event| self.delivery(event)).flat_map(hints_of).collect()
    }

    fn delivery(&self, event: &Event) -> Option<(&'static str, String)> {
        let thread = |kind: &str, number: u64, action: &ThreadAction| {
            let (action, label) = match action {
                ThreadAction::Opened => ("opened", None),
                ThreadAction::Edited => ("edited", None),
                ThreadAction::Closed => ("closed", None),
                ThreadAction::Reopened => ("reopened", None),
                ThreadAction::Labeled { label } => ("labeled", Some(label)),
                ThreadAction::Unlabeled { label } => ("unlabeled", Some(label)),
            };
            let label = label.map(|name| format!(r#","label":{{"name":"{name}"}}"#));
            let label = label.unwrap_or_default();
            format!(r#""action":"{action}","{kind}":{{"number":{number}}}{label}"#)
        };
        let pull = |number: u64| format!(r#""pull_request":{{"number":{number}}}"#);
        Some(match &event.kind {
            EventKind::Issue { number, action } => ("issues", thread("issue", *number, action)),
            EventKind::Pull { number, action } => {
                ("pull_request", thread("pull_request", *number, action))
            }
            EventKind::PullMerged { number, .. }
            | EventKind::PullSynchronized { number, .. }
            | EventKind::PullDraft { number, .. } => ("pull_request", pull(*number)),
            EventKind::Comment { number, comment, .. } => {
                let body = serde_json::to_string(&self.comment(*comment)).expect("a string");
                let issue = format!(r#""issue":{{"number":{number}}}"#);
                ("issue_comment", format!(r#"{issue},"comment":{{"body":{body}}}"#))
            }
            EventKind::Label { .. } => ("label", r#""action":"created""#.to_owned()),
            EventKind::Push { branch, .. } => ("push", format!(r#""ref":"refs/heads/{branch}""#)),
            EventKind::CheckRun { head, .. } => {
                let call = ListCommitPulls { sha: *head, page: Page::default() };
                let Ok(pulls) = self.look(call) else { return None };
                let number = pulls.items.first()?.issue.number;
                let check =
                    format!(r#"{{"status":"completed","pull_requests":[{{"number":{number}}}]}}"#);
                ("check_run", format!(r#""check_run":{check}"#))
            }
            EventKind::SubIssue { .. }
            | EventKind::Dependency { .. }
            | EventKind::Status { .. } => {
                return None;
            }
        })
    }

    fn comment(&self, id: u64) -> String {
        match self.look(GetComment { id }) {
            Ok(view) => view.comment.body,
            _gone => String::new(),
        }
    }

    /// A look that leaves no trace.
    pub(crate) fn look<O: Operation>(&self, call: O) -> Result<O::Reply, Refusal> {
        let (now, request) = (self.seconds(), on(REPO, call));
        self.model(|forge| forge.handle(OWNER, now, request).0)
    }
}

fn hints_of((event, fields): (&'static str, String)) -> Vec<Hint> {
    let body = format!(r#"{{"repository":{{"full_name":"{REPO}"}},{fields}}}"#);
    webhook::hints(event, body.as_bytes())
}
