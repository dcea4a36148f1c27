//! Worktrees, agents and gates that start on request and end when the test says so, always successfully.

use ralph_core::digest::Digest;
use ralph_core::fact::{Answer as TurnAnswer, Outcome};
use ralph_core::ids::{Attempt, Branch, IssueKey, RepoName, Sha};
use ralph_core::job::{Asked, Job};
use ralph_core::managed_path::ManagedPath;
use ralph_core::messages::MessageId;
use ralph_core::product_gap::ProductGap;
use ralph_core::removal::{Removal, RescueRef};
use ralph_core::routing::Routing;
use ralph_core::run::Head;
use ralph_core::test_files::Changes;
use ralph_core::turn_end::Usage;
use ralph_engine::ports::{Answer, Built, Read, RefusalKind, Start, Workers, Workspaces};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const PLAN: &str = "# Intent\nAdd it.\n# Risk\nNone.\n# Reuse\nAll of it.";

/// One worker for all ports; clones share its state.
#[derive(Debug, Clone, Default)]
pub(crate) struct HandWork(Rc<RefCell<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    running: Vec<(IssueKey, Attempt, Job)>,
    pushed: Option<Sha>,
    asked: Vec<String>,
    takes_messages: bool,
}

impl HandWork {
    /// Every start, end, push and removal so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.0.borrow().asked.clone()
    }

    /// Takes the process that was started last, with its outcome.
    pub(crate) fn end_one(&self) -> Option<(IssueKey, Attempt, Outcome)> {
        let (issue, attempt, job) = self.0.borrow_mut().running.pop()?;
        Some((issue, attempt, outcome_of(job)))
    }

    /// From now on programs take messages while they work.
    pub(crate) fn take_messages(&self) {
        self.0.borrow_mut().takes_messages = true;
    }

    /// The prompt's part of the process that was started last: the messages in it.
    pub(crate) fn messages(&self) -> Vec<MessageId> {
        match self.0.borrow().running.last() {
            Some((_, _, Job::Turn(turn))) => turn.messages.iter().map(|it| it.id).collect(),
            Some(_) | None => Vec::new(),
        }
    }

    /// The machine dies, and its processes with it.
    pub(crate) fn die(&self) {
        self.0.borrow_mut().running.clear();
    }

    fn note(&self, what: String) -> Answer<()> {
        self.0.borrow_mut().asked.push(what);
        Answer::Happened(())
    }

    fn run(&self, start: &Start<'_>) -> Answer<()> {
        let begun = (start.issue.clone(), start.attempt, start.job.clone());
        self.0.borrow_mut().running.push(begun);
        self.note(format!("start {}", start.attempt))
    }
}

fn outcome_of(job: Job) -> Outcome {
    let turn = |answer| Outcome::Turn { answer, session: None, usage: Usage::total(1_000) };
    match job {
        Job::Workspace { path, .. } => Outcome::WorkspaceReady {
            path,
            base: Sha::new("bot-1"),
            head: None,
            guidance: Default::default(),
        },
        Job::Setup { commands, .. }
        | Job::Preflight { commands, .. }
        | Job::Integrity { commands, .. } => {
            Outcome::CommandsPassed { command: commands.join(" && "), ran: Vec::new() }
        }
        Job::Turn(asked) => turn(match asked.manner.asks {
            Asked::Plan => TurnAnswer::Plan {
                text: Digest::of(PLAN),
                routing: Routing::default(),
                gap: ProductGap::None,
            },
            Asked::ParentVerify | Asked::Survey => TurnAnswer::no_verdict("cannot tell".to_owned()),
            Asked::Verdict(_) => TurnAnswer::Verdict {
                pass: true,
                reason: "it is fine".to_owned(),
                gap: ProductGap::None,
                said: None,
                excerpt: String::new(),
            },
            Asked::Change => TurnAnswer::Changed(Head {
                commit: Sha::new("head-1"),
                tree: "tree-1".to_owned(),
                diff: "diff-1".to_owned(),
                ci_only: false,
                changes: Some(Changes {
                    base: Sha::new("bot-1"),
                    edited: Vec::new(),
                    added: Vec::new(),
                    is_cut: false,
                }),
                summary: None,
            }),
        }),
    }
}

impl Workspaces for HandWork {
    fn push(&mut self, _: &IssueKey, _: &ManagedPath, to: &Branch, commit: &Sha) -> Answer<()> {
        self.0.borrow_mut().pushed = Some(commit.clone());
        self.note(format!("push {commit} to {to}"))
    }

    fn build_trial(&mut self, _: &RepoName, base: &Sha, heads: &[&Sha]) -> Answer<Built> {
        let names: Vec<_> = heads.iter().map(|head| head.as_str()).collect();
        let trees = names.iter().map(|name| Some(format!("tree-{name}"))).collect();
        self.0.borrow_mut().asked.push(format!("build {} on {base}", names.join(" ")));
        Answer::Happened(Built { commit: Sha::new("trial-1"), trees })
    }

    fn push_built(&mut self, _: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        self.0.borrow_mut().pushed = Some(commit.clone());
        self.note(format!("push {commit} to {to}"))
    }

    fn remote_head(&mut self, _: &RepoName, _: &Branch) -> Read<Option<Sha>> {
        Ok(self.0.borrow().pushed.clone())
    }

    fn remove(&mut self, path: &ManagedPath, _: &Removal) -> Answer<Option<RescueRef>> {
        self.0.borrow_mut().asked.push(format!("remove {}", path.as_str()));
        Answer::Happened(None)
    }
}

impl Workers for HandWork {
    fn start(&mut self, start: &Start<'_>) -> Answer<()> {
        self.run(start)
    }

    fn tell(&mut self, _: &IssueKey, attempt: Attempt, _: MessageId, words: &str) -> Answer<()> {
        let takes_messages = self.0.borrow().takes_messages;
        match takes_messages {
            true => self.note(format!("tell {attempt} {words}")),
            false => Answer::refused(RefusalKind::Other, "it takes no words"),
        }
    }

    fn end(&mut self, _: &IssueKey, attempt: Attempt) -> Answer<()> {
        self.note(format!("end {attempt}"))
    }
}
