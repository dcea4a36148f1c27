//! A cooperative outside world: every effect takes place, every process does what it should. A test says where it does
//! otherwise.

mod looking;
mod repository;

use crate::story::{Story, Which, repo};
use looking::unseen;
use ralph_core::answer::ReadReview;
use ralph_core::command::Command;
use ralph_core::dependency::BodyEdge;
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct, MachineAct};
use ralph_core::fact::{
    Answer, Fact, Observation, Outcome, RepoObservation, RunSettled, Settled, What,
};
use ralph_core::ids::{Branch, CommentId, IssueKey, Login, PullNumber, Sha};
use ralph_core::issue::{CommandId, CommandVia, Native, PendingCommand, Phase, Seen};
use ralph_core::job::{Job, Turn};
use ralph_core::product_gap::ProductGap;
use ralph_core::pull::{Check, CheckState, Checks, Mergeable, Pull, PullState};
use ralph_core::repo::Branches;
use ralph_core::routing::Routing;
use ralph_core::run::{Head, WorkState};
use ralph_core::steps::Step;
use ralph_core::test_files::Changes;
use repository::happens_here;
use std::collections::{BTreeMap, BTreeSet};

/// More effects in a row mean that two of them undo each other.
const EFFECTS_MAX: usize = 200;

pub(crate) const QUEUED: &str = "ralph:status:queued";

/// Actions of people.
impl Story {
    pub(crate) fn sees_issue(&mut self, which: impl Which, change: impl FnOnce(&mut Seen)) {
        let key = which.key();
        let known = self.world.issue(&key).and_then(|issue| issue.seen.clone());
        let mut seen = known.unwrap_or_else(|| unseen(key.number));
        change(&mut seen);
        seen.updated = self.now;
        self.reads(key, Observation::Issue(seen));
    }

    /// The forge shows an open issue with exactly these labels.
    pub(crate) fn sees(&mut self, which: impl Which, labels: &[&str]) {
        self.sees_issue(which, |seen| seen.labels = labels.iter().map(|l| (*l).into()).collect());
    }

    pub(crate) fn blocks_in_body(&mut self, which: impl Which, on: &[&str]) {
        let edge = |on: &&str| BodyEdge {
            on: IssueKey::parse(on.trim_end_matches('x')).expect("owner/name#number"),
            ticked: on.ends_with('x'),
        };
        self.sees_issue(which, |seen| seen.blocked_by = on.iter().map(edge).collect());
    }

    /// The body of this issue declares others blocked by it, and its author may do so.
    pub(crate) fn holds_up(&mut self, which: impl Which, others: &[u64]) {
        let edge = |number: &u64| BodyEdge { on: number.key(), ticked: false };
        self.sees_issue(which, |seen| seen.blocks = others.iter().map(edge).collect());
    }

    pub(crate) fn reads_native(&mut self, which: impl Which, blocked_by: &[u64], children: &[u64]) {
        let keys =
            |numbers: &[u64]| numbers.iter().copied().map(Which::key).collect::<BTreeSet<_>>();
        let (blocked_by, children, at) = (keys(blocked_by), keys(children), self.now);
        self.reads(
            which,
            Observation::Native(Native::Read { blocked_by, children, at, unread: None }),
        );
    }

    /// A person adds the queued label, and Ralph reads its event.
    pub(crate) fn queued(&mut self, which: impl Which) {
        let key = which.key();
        self.sees_issue(key.clone(), |seen| {
            seen.labels.insert(QUEUED.into());
        });
        let event = self.event(Command::Queue, CommandVia::QueuedLabel, true);
        self.reads_events(key, vec![event]);
    }

    /// A person adds a command label, and Ralph reads its event.
    pub(crate) fn labelled(&mut self, which: impl Which, command: Command) {
        let key = which.key();
        self.sees_issue(key.clone(), |seen| {
            seen.labels.insert(command.label().into());
        });
        let event = self.event(command, CommandVia::CommandLabel, true);
        self.reads_events(key, vec![event]);
    }

    /// A person gives a command on the command line; it has no label.
    pub(crate) fn ordered(&mut self, which: impl Which, command: Command) {
        let (id, command) = self.event(command, CommandVia::CommandLine, true);
        let id = CommandId { is_local: true, ..id };
        self.reads(which, Observation::Command { id, command });
    }

    pub(crate) fn event(
        &mut self,
        command: Command,
        via: CommandVia,
        is_allowed: bool,
    ) -> (CommandId, PendingCommand) {
        self.ids += 1;
        let id = CommandId { at: self.now, id: self.ids, is_local: false };
        (id, PendingCommand::plain(command, Some(Login::new("ann")), is_allowed, via))
    }

    pub(crate) fn reads_events(
        &mut self,
        which: impl Which,
        events: Vec<(CommandId, PendingCommand)>,
    ) {
        self.reads_events_but(which, events, BTreeSet::new());
    }

    /// The same, with some that were taken back.
    pub(crate) fn reads_events_but(
        &mut self,
        which: impl Which,
        events: Vec<(CommandId, PendingCommand)>,
        withdrawn: BTreeSet<u64>,
    ) {
        let (up_to, commands) = (self.ids, events.into_iter().collect::<BTreeMap<_, _>>());
        let (own, is_partial) = (Vec::new(), false);
        self.reads(which, Observation::Commands { up_to, commands, own, withdrawn, is_partial });
    }
}

/// Reads of the forge.
impl Story {
    /// The forge shows the pull request as Ralph left it, open and clean, with this change.
    pub(crate) fn reads_pull(&mut self, which: impl Which, change: impl FnOnce(&mut Pull)) {
        let key = which.key();
        let run = self.run(key.clone());
        let mut pull = Pull {
            number: run.pull.expect("a pull request"),
            head: run.pushed.clone().expect("a pushed branch"),
            base: Branch::new("bot/integration"),
            state: PullState::Open,
            mergeable: Mergeable::Clean,
            checks: None,
            read_at: self.now,
        };
        change(&mut pull);
        self.reads(key, Observation::Pull(pull));
    }

    pub(crate) fn reads_checks(&mut self, which: impl Which, states: &[(&str, &str)]) {
        let key = which.key();
        let head = self.run(key.clone()).pushed.clone().expect("a pushed branch");
        let check = |state| Check { state: CheckState::from_conclusion(state), url: None };
        let mut by_name = BTreeMap::<String, Vec<Check>>::new();
        for (name, state) in states {
            by_name.entry((*name).to_owned()).or_default().push(check(state));
        }
        self.reads(key, Observation::Checks(Checks { head, by_name }));
    }

    pub(crate) fn reads_branches(&mut self, default_head: &str, bot_head: Option<&str>) {
        let (default, default_head) = (Branch::new("main"), Sha::new(default_head));
        let bot_head = bot_head.map(Sha::new);
        let branches = Branches { default, default_head, bot_head };
        self.reads_repo("acme/app", RepoObservation::Branches(branches));
    }
}

/// Results of effects and processes.
impl Story {
    /// Performs every desired effect, one after the other, until none is left.
    pub(crate) fn settles(&mut self) {
        for _ in 0..EFFECTS_MAX {
            self.reads_unread_comments();
            let Some(effect) = self.wanted().into_iter().next() else { return };
            let fact = self.happens(&effect);
            self.tell(&fact);
        }
        panic!("effects without end; still wanted: {:?}", self.wanted());
    }

    /// Performs the first desired effect whose key contains this.
    pub(crate) fn performs(&mut self, key: &str) {
        let wanted = self.wanted();
        let effect = wanted.iter().find(|effect| effect.key().contains(key));
        let effect = effect.unwrap_or_else(|| panic!("{key} is not among {wanted:?}"));
        let fact = self.happens(effect);
        self.tell(&fact);
    }

    /// Refuses, for good, the first desired effect whose key contains this.
    pub(crate) fn refuses(&mut self, key: &str) {
        let wanted = self.wanted();
        let effect = wanted.iter().find(|effect| effect.key().contains(key));
        let effect = effect.unwrap_or_else(|| panic!("{key} is not among {wanted:?}"));
        self.tell(&effect.refused("not allowed"));
    }

    pub(crate) fn happens(&mut self, effect: &Effect) -> Fact {
        self.ids += 1;
        let settled = match effect {
            Effect::Issue(key, act) => self.happens_on_issue(key, act),
            Effect::Repo(_, act) => Settled::Repo(self.happens_on_repo(act)),
            Effect::Machine(_, act) => happens_here(act),
        };
        Fact { subject: effect.subject(), what: What::Settled(settled) }
    }

    fn happens_on_issue(&self, key: &IssueKey, act: &IssueAct) -> Settled {
        match act {
            IssueAct::AddLabel { label } => Settled::LabelAdded(label.clone()),
            IssueAct::RemoveLabel { label } => Settled::LabelRemoved(label.clone()),
            IssueAct::CreateComment { slot, body } => Settled::CommentPosted {
                slot: slot.clone(),
                id: CommentId(self.ids),
                body: Digest::of(body),
            },
            IssueAct::EditComment { slot, id, body } => {
                Settled::CommentPosted { slot: slot.clone(), id: *id, body: Digest::of(body) }
            }
            IssueAct::CloseIssue => Settled::IssueClosed,
            IssueAct::OpenPull { .. } => Settled::Run(RunSettled::PullOpened {
                number: PullNumber(100 + key.number),
                head: None,
            }),
            IssueAct::Merge { pull, .. } => {
                let commit = Sha::new(&format!("merge-{}", key.number));
                Settled::Run(RunSettled::Merged { number: *pull, commit })
            }
            IssueAct::RerunCheck(what) => Settled::Run(RunSettled::CheckRerun(what.clone())),
            IssueAct::UpdateBranch { .. } => Settled::Run(RunSettled::BranchUpdated),
        }
    }

    /// The process under way ends like this, and everything that follows by itself takes place.
    pub(crate) fn finishes(&mut self, which: impl Which, outcome: Outcome) {
        self.ends(which, outcome);
        self.settles();
    }

    /// The process under way ends like this, and nothing has followed yet.
    pub(crate) fn ends(&mut self, which: impl Which, outcome: Outcome) {
        let key = which.key();
        let attempt = self.managed(key.clone()).attempt;
        self.tell(&Fact::of(key, What::Finished { attempt, outcome }));
    }

    /// Returns the turn of an agent that should be started now.
    pub(crate) fn wanted_turn(&self) -> Option<Turn> {
        self.wanted().into_iter().find_map(|effect| {
            let Effect::Machine(_, MachineAct::Start { job: Job::Turn(turn), .. }) = effect else {
                return None;
            };
            Some(*turn)
        })
    }

    /// Moves the issue from any place to this step, with a process under way if the step has one.
    pub(crate) fn reaches(&mut self, which: impl Which, step: Step) {
        let key = which.key();
        self.settles();
        for _ in 0..EFFECTS_MAX {
            let managed = self.managed(key.clone());
            let Phase::Running { step: at } = managed.phase else {
                panic!("{key} is not running: {}", self.stands(key.clone()))
            };
            let work = managed.work.as_ref().map(|work| work.state);
            if at == step && (!step.takes_slot() || work == Some(WorkState::Underway)) {
                return;
            }
            if at == Step::Checks {
                self.passes_checks(key.clone());
            } else {
                self.finishes(key.clone(), self.success(key.clone(), at));
            }
        }
        panic!("{key} never reaches {step}: {}", self.stands(key.clone()));
    }

    pub(crate) fn passes_checks(&mut self, key: IssueKey) {
        self.reads_pull(key.clone(), |_| {});
        self.reads_checks(key, &[("ci", "success")]);
    }

    /// Moves the issue from any place to the bot branch.
    pub(crate) fn merges(&mut self, which: impl Which) {
        let key = which.key();
        self.reaches(key.clone(), Step::Checks);
        self.passes_checks(key);
        self.settles();
    }

    pub(crate) fn success(&self, which: impl Which, step: Step) -> Outcome {
        let key = which.key();
        let (attempt, run) = (self.managed(key.clone()).attempt, self.run(key.clone()));
        match step {
            Step::Workspace => Outcome::WorkspaceReady {
                path: self.policy.worktrees.worktree(&key, run.slot, run.id),
                base: Sha::new("base"),
                head: None,
                guidance: Default::default(),
            },
            Step::ParentVerify | Step::Survey => turn(Answer::no_verdict("unsure".to_owned())),
            Step::Plan => planned(&format!("plan {attempt}")),
            Step::PlanReview | Step::ProductReview | Step::DevexReview => verdict(true, "fine"),
            Step::Implement | Step::Repair => changed(&format!("{attempt}")),
            Step::Setup | Step::Preflight | Step::Integrity => {
                Outcome::CommandsPassed { command: "make check".to_owned(), ran: Vec::new() }
            }
            Step::Publish | Step::Checks | Step::Merge => panic!("{step} has no process"),
        }
    }
}

pub(crate) const fn turn(answer: Answer) -> Outcome {
    Outcome::Turn { answer, session: None, usage: None }
}

/// The same turn, in a session that can be resumed.
pub(crate) fn in_session(outcome: Outcome, session: &str) -> Outcome {
    let Outcome::Turn { answer, usage, .. } = outcome else { panic!("not a turn: {outcome:?}") };
    Outcome::Turn { answer, session: Some(session.to_owned()), usage }
}

pub(crate) fn planned(text: &str) -> Outcome {
    let text = Digest::of(text);
    turn(Answer::Plan { text, routing: Routing::default(), gap: ProductGap::None })
}

pub(crate) fn verdict(pass: bool, reason: &str) -> Outcome {
    let (reason, gap) = (reason.to_owned(), ProductGap::None);
    turn(Answer::Verdict { pass, reason, gap, said: None, excerpt: String::new() })
}

pub(crate) fn no_verdict() -> Outcome {
    turn(ReadReview::without_verdict("no marker".to_owned(), "I looked, and it is good.").answer)
}

/// A head whose commit, tree and diff all carry this name.
pub(crate) fn head(name: &str) -> Head {
    Head {
        commit: Sha::new(&format!("commit-{name}")),
        tree: format!("tree-{name}"),
        diff: format!("diff-{name}"),
        ci_only: false,
        changes: Some(changes(&[])),
        summary: None,
    }
}

/// A change of these files of the base.
pub(crate) fn changes(edited: &[&str]) -> Changes {
    let (base, edited) = (Sha::new("base"), edited.iter().map(|&path| path.to_owned()).collect());
    Changes { base, edited, added: Vec::new(), is_cut: false }
}

pub(crate) fn changed(name: &str) -> Outcome {
    turn(Answer::Changed(head(name)))
}

pub(crate) fn failed(reason: &str) -> Outcome {
    Outcome::Failed { reason: reason.to_owned() }
}

pub(crate) fn commands_failed(excerpt: &str) -> Outcome {
    let command = "make check".to_owned();
    Outcome::CommandsFailed { command, excerpt: excerpt.to_owned(), ran: Vec::new() }
}

/// The workspace of the next run, with the branch as an earlier run left it.
pub(crate) fn workspace(story: &Story, which: impl Which, found: Option<Head>) -> Outcome {
    let ready = story.success(which.key(), Step::Workspace);
    let Outcome::WorkspaceReady { path, base, .. } = ready else { panic!("{ready:?}") };
    Outcome::WorkspaceReady { path, base, head: found, guidance: Default::default() }
}

/// A second repository with the same rules.
pub(crate) fn add_repo(story: &mut Story, name: &str) {
    story.policy.repos.insert(repo(name), crate::story::rules());
    story.world.load_repo(repo(name), crate::story::ready());
}
