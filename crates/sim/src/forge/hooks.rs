//! Webhooks: the deliveries of the forge, as far as the client reads them, and the hints the client takes from them.
//! Deliveries get lost, doubled and late.

use crate::faults::Fault;
use crate::forge::ForgeSide;
use crate::schedule::Event;
use crate::world::SimWorld;
use ralph_core::ids::RepoName;
use ralph_engine::Hint;
use ralph_forge::{EventKind, GetComment, LabelAction, ThreadAction};
use ralph_github::webhook;
use serde_json::{Value, json};

impl SimWorld {
    pub(crate) fn send_hook(&mut self, event: &ralph_forge::Event) {
        let hints = self.forge.hints(event);
        if hints.is_empty() {
            return;
        }
        let Self { faults, prng, .. } = self;
        if faults.strikes(Fault::HookDropped, prng) {
            return;
        }
        let mut delay = prng.between(100, 3_000);
        if faults.strikes(Fault::HookLate, prng) {
            delay += prng.between(10_000, 600_000);
        }
        if faults.strikes(Fault::HookDoubled, prng) {
            let later = delay + self.prng.between(1, 60_000);
            self.schedule.after(self.clock.now(), later, Event::Hook { hints: hints.clone() });
        }
        self.schedule.after(self.clock.now(), delay, Event::Hook { hints });
    }
}

impl ForgeSide {
    /// The hints that the client takes from the delivery.
    fn hints(&mut self, event: &ralph_forge::Event) -> Vec<Hint> {
        let Some(repo) = RepoName::parse(&event.repo) else { return Vec::new() };
        let Some((name, mut body)) = self.delivery(&repo, &event.kind) else { return Vec::new() };
        if let Some(body) = body.as_object_mut() {
            body.insert("repository".to_owned(), json!({ "full_name": event.repo }));
        }
        webhook::hints(name, &serde_json::to_vec(&body).unwrap_or_default())
    }

    /// The event's name and the fields that matter; `None` for one that never hints at anything.
    fn delivery(&mut self, repo: &RepoName, kind: &EventKind) -> Option<(&'static str, Value)> {
        let number = |number: &u64| json!({ "number": number });
        Some(match kind {
            EventKind::Issue { number, action } => ("issues", thread(*number, action)),
            EventKind::Comment { number: issue, comment, .. } => {
                let body = self.comment(repo, *comment);
                let comment = json!({ "body": body });
                ("issue_comment", json!({ "issue": number(issue), "comment": comment }))
            }
            EventKind::Pull { number: pull, .. }
            | EventKind::PullMerged { number: pull, .. }
            | EventKind::PullSynchronized { number: pull, .. }
            | EventKind::PullDraft { number: pull, .. } => {
                ("pull_request", json!({ "pull_request": number(pull) }))
            }
            EventKind::SubIssue { parent, child, .. } => {
                let (parent, child) = (number(&parent.number), number(&child.number));
                ("sub_issues", json!({ "parent_issue": parent, "sub_issue": child }))
            }
            EventKind::Dependency { blocked, blocking, .. } => {
                let (blocked, blocking) = (number(&blocked.number), number(&blocking.number));
                let body = json!({ "blocked_issue": blocked, "blocking_issue": blocking });
                ("issue_dependencies", body)
            }
            EventKind::Label { action, .. } => {
                let action = match action {
                    LabelAction::Created => "created",
                    LabelAction::Edited => "edited",
                    LabelAction::Deleted => "deleted",
                };
                ("label", json!({ "action": action }))
            }
            EventKind::Push { branch, .. } => {
                ("push", json!({ "ref": format!("refs/heads/{branch}") }))
            }
            EventKind::CheckRun { head, .. } => {
                let pulls = [number(self.pulls_by_head.get(&(repo.clone(), *head))?)];
                let run = json!({ "status": "completed", "pull_requests": pulls });
                ("check_run", json!({ "check_run": run }))
            }
            EventKind::Status { .. } => return None,
        })
    }

    fn comment(&mut self, repo: &RepoName, id: u64) -> String {
        match self.look(repo, GetComment { id }) {
            Some(view) => view.comment.body,
            _gone => String::new(),
        }
    }
}

fn thread(number: u64, action: &ThreadAction) -> Value {
    let issue = json!({ "number": number });
    let (action, label) = match action {
        ThreadAction::Opened => ("opened", None),
        ThreadAction::Edited => ("edited", None),
        ThreadAction::Closed => ("closed", None),
        ThreadAction::Reopened => ("reopened", None),
        ThreadAction::Labeled { label } => ("labeled", Some(json!({ "name": label }))),
        ThreadAction::Unlabeled { label } => ("unlabeled", Some(json!({ "name": label }))),
    };
    json!({ "action": action, "issue": issue, "label": label })
}
