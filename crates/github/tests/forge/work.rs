//! Worktrees, agents and gates that begin when asked and end well when the test says so. What an agent
//! changes is a commit in the forge's own store, pushed as the bot.

use crate::world::{BOT, BOT_BRANCH, REPO, World};
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
use ralph_forge::{Content, Expected, NewCommit, PushBranch};
use std::cell::RefCell;
use std::rc::Rc;

pub(crate) const PLAN: &str = "# Intent\nAdd it.\n# Risk\nNone.\n# Reuse\nAll of it.";

/// One hand for all three ports; clones share what runs.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    world: World,
    running: Rc<RefCell<Vec<(IssueKey, Attempt, Job)>>>,
}

impl Work {
    pub(crate) fn new(world: &World) -> Self {
        Self { world: world.clone(), running: Rc::default() }
    }

    /// Ends what was begun last.
    pub(crate) fn end_one(&self) -> Option<(IssueKey, Attempt, Outcome)> {
        let (issue, attempt, job) = self.running.borrow_mut().pop()?;
        let outcome = self.outcome_of(&issue, job);
        Some((issue, attempt, outcome))
    }

    fn begin(&self, start: &Start<'_>) -> Answer<()> {
        let begun = (start.issue.clone(), start.attempt, start.job.clone());
        self.running.borrow_mut().push(begun);
        Answer::Happened(())
    }

    fn outcome_of(&self, issue: &IssueKey, job: Job) -> Outcome {
        let turn = |answer| Outcome::Turn { answer, session: None, usage: Usage::total(1_000) };
        match job {
            Job::Workspace { path, .. } => {
                let base = self.world.branch(BOT_BRANCH).expect("a bot branch");
                Outcome::WorkspaceReady { path, base, head: None, guidance: Default::default() }
            }
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
                Asked::ParentVerify | Asked::Survey => {
                    TurnAnswer::no_verdict("cannot tell".to_owned())
                }
                Asked::Verdict(_) => TurnAnswer::Verdict {
                    pass: true,
                    reason: "it is fine".to_owned(),
                    gap: ProductGap::None,
                    said: None,
                    excerpt: String::new(),
                },
                Asked::Change => TurnAnswer::Changed(self.commit(issue)),
            }),
        }
    }

    fn commit(&self, issue: &IssueKey) -> Head {
        let at = self.world.seconds();
        let commit = self.world.model(|forge| {
            let base = forge.branch(REPO, BOT_BRANCH).expect("a bot branch");
            let file = format!("src/{}.txt", issue.number);
            let content = Content::Changes([(file, Some("done\n".to_owned()))].into());
            let message = format!("Do what #{} asks for", issue.number);
            let author = "agent".to_owned();
            let new = NewCommit { parents: vec![base], content, message, author, at };
            forge.commit(REPO, new).expect("a commit")
        });
        let commit = Sha::new(&commit.to_string());
        let (base, edited, added) = (Sha::new("base"), Vec::new(), Vec::new());
        let changes = Some(Changes { base, edited, added, is_cut: false });
        Head {
            commit,
            tree: "tree".to_owned(),
            diff: "diff".to_owned(),
            ci_only: false,
            changes,
            summary: None,
        }
    }
}

impl Workspaces for Work {
    fn push(&mut self, _: &IssueKey, _: &ManagedPath, to: &Branch, commit: &Sha) -> Answer<()> {
        let sha = commit.as_str().parse().expect("a sha");
        let branch = to.to_string();
        let push = PushBranch { branch, sha, expected_old: Expected::Anything, force: false };
        match self.world.act(BOT, push) {
            Ok(_) => Answer::Happened(()),
            Err(refusal) => Answer::refused(RefusalKind::Other, &refusal.to_string()),
        }
    }

    fn build_trial(&mut self, _: &RepoName, _: &Sha, _: &[&Sha]) -> Answer<Built> {
        Answer::refused(RefusalKind::Other, "one issue at a time")
    }

    fn push_built(&mut self, _: &RepoName, _: &Branch, _: &Sha) -> Answer<()> {
        Answer::refused(RefusalKind::Other, "one issue at a time")
    }

    fn remote_head(&mut self, _: &RepoName, branch: &Branch) -> Read<Option<Sha>> {
        Ok(self.world.branch(branch.as_str()))
    }

    fn remove(&mut self, _: &ManagedPath, _: &Removal) -> Answer<Option<RescueRef>> {
        Answer::Happened(None)
    }
}

impl Workers for Work {
    fn start(&mut self, start: &Start<'_>) -> Answer<()> {
        self.begin(start)
    }

    fn tell(&mut self, _: &IssueKey, _: Attempt, _: MessageId, _: &str) -> Answer<()> {
        Answer::refused(RefusalKind::Other, "it takes no words")
    }

    fn end(&mut self, _: &IssueKey, _: Attempt) -> Answer<()> {
        Answer::Happened(())
    }
}
