//! A store in the middle of its work, made by a real engine from facts: one issue at work after a failed
//! preflight, one that needs a person, one blocked, one merely seen.

use crate::home::{Home, no_process};
use ralph_core::answer;
use ralph_core::command::Command;
use ralph_core::dependency::parse_body;
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, Fact, Move, Observation, Outcome, RepoObservation, Settled, What};
use ralph_core::gate::CommandRun;
use ralph_core::ids::{Attempt, Branch, IssueKey, Login, RepoName, RunId, Sha};
use ralph_core::issue::{CommandId, CommandVia, DoneEvidence, PendingCommand, Seen};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::repo::Branches;
use ralph_core::run::Head;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::{EndClass, LimitUse, SeenLimit, TurnUse, Usage};
use ralph_core::verdict::VerdictKind;
use ralph_engine::store::{Store, Takeover};
use ralph_engine::{Engine, Performed};
use std::collections::{BTreeMap, BTreeSet};

/// 2024-01-01: long ago, so that times are shown as dates.
const BEGINNING: Time = Time(1_704_067_200_000);

pub(crate) struct SampleStore {
    pub(crate) engine: Engine,
    now: Time,
    asked: u64,
}

/// A home with a store in the middle of its work, closed by its writer.
pub(crate) fn sample_home() -> Home {
    let home = Home::empty();
    closed(&home, SampleStore::work);
    home
}

/// Opens a home's store, lets something happen, and closes it, with no process about that could keep a copy of
/// the lock.
pub(crate) fn closed(home: &Home, happen: impl FnOnce(SampleStore) -> SampleStore) {
    let _guard = no_process();
    drop(happen(SampleStore::open(home)));
}

pub(crate) fn key(number: u64) -> IssueKey {
    IssueKey::new(repo(), number)
}

fn repo() -> RepoName {
    RepoName::parse("acme/widgets").unwrap()
}

fn other_repo() -> RepoName {
    RepoName::parse("acme/gadgets").unwrap()
}

fn root() -> ManagedRoot {
    ManagedRoot::new("/srv/ralph/worktrees").unwrap()
}

/// A repository in which work can begin.
fn branches(repo: RepoName) -> Fact {
    let (default, head) = (Branch::new("main"), Sha::new("def0c0de"));
    let branches = Branches { default, default_head: head.clone(), bot_head: Some(head) };
    Fact::of_repo(repo, What::RepoSeen(RepoObservation::Branches(branches)))
}

impl SampleStore {
    /// Opens the home's store for writing, and makes it if need be.
    pub(crate) fn begin(home: &Home) -> Self {
        let _guard = no_process();
        Self::open(home)
    }

    fn open(home: &Home) -> Self {
        let store = Store::open(&home.store()).unwrap();
        let rules = RepoPolicy {
            preflight: Some(vec!["make check".to_owned()]),
            required_checks: Some(vec!["build".to_owned()]),
            slots: 2,
            ..RepoPolicy::default()
        };
        let policy = Policy {
            web: "https://forge.example".to_owned(),
            max_workers: 2,
            poll_interval: Span::from_secs(30),
            read_lag: ralph_core::fold::READ_LAG,
            bot: Login::new("ralph-bot"),
            operator: None,
            worktrees: root(),
            draining: false,
            has_no_sandbox: false,
            is_short_of_disk: false,
            throttle: Default::default(),
            budget: Default::default(),
            accounts: BTreeMap::new(),
            left_out: BTreeSet::new(),
            instance: None,
            repos: BTreeMap::from([(repo(), rules.clone()), (other_repo(), rules)]),
        };
        let takeover = Takeover::HolderIsGone;
        let engine = Engine::open(store, "test", BEGINNING, policy, takeover).unwrap();
        let mut sample = Self { engine, now: BEGINNING, asked: 1_000 };
        sample.engine.observe(BEGINNING, [repo(), other_repo()].map(branches).into()).unwrap();
        sample
    }

    /// One more issue waits behind one that waits itself.
    pub(crate) fn wait_in_line(mut self) -> Self {
        self.see(5, "After all of them", "## Blocked by\n- [ ] #4\n");
        self.ask(5);
        self
    }

    /// Issue 1 is stopped in the middle of its sixth attempt and then asked for again.
    pub(crate) fn run_again(mut self) -> Self {
        self.order(1, Command::Stop);
        self.learn(1, What::Settled(Settled::Ended { attempt: Attempt(6) }));
        self.ask(1);
        self
    }

    /// Another repository has an issue 1 as well.
    pub(crate) fn claim_elsewhere(mut self) -> Self {
        let key = IssueKey::new(other_repo(), 1);
        let seen = What::Seen(Observation::Issue(self.seen("A gadget", "")));
        let id = CommandId { at: self.now, id: 99, is_local: true };
        let facts =
            vec![Fact::of(key.clone(), seen), Fact::of(key.clone(), asked(id, Command::Queue))];
        self.pass_a_second();
        self.engine.observe(self.now, facts).unwrap();
        self.engine.observe(self.now, vec![Fact::of(key, looked(self.now))]).unwrap();
        self
    }

    /// Issue 2 is found on the default branch, however it got there.
    pub(crate) fn finish_second(mut self) -> Self {
        let (merged, default_head) = (Sha::new("fee1900d"), Sha::new("def0c0de"));
        let evidence = DoneEvidence::Reachable { merged, default_head };
        self.learn(2, What::Moved(Move::Done { evidence }));
        self
    }

    /// As many issues as these, every tenth of them asked for.
    pub(crate) fn know(mut self, numbers: std::ops::Range<u64>) -> Self {
        let mut facts = Vec::new();
        for number in numbers {
            let seen = self.seen(&format!("Issue {number} of a very large project"), "");
            facts.push(Fact::of(key(number), What::Seen(Observation::Issue(seen))));
            if number % 10 == 0 {
                let id = CommandId { at: self.now, id: number, is_local: true };
                facts.push(Fact::of(key(number), asked(id, Command::Queue)));
            }
        }
        self.engine.observe(self.now, facts).unwrap();
        self
    }

    pub(crate) fn work(mut self) -> Self {
        self.see(1, "Add a --json flag", "");
        self.see(2, "Choose a colour for the button, or a shape, or both of them", "");
        self.see(3, "Somebody else's work", "");
        self.see(4, "Clear\u{1b}[2Jthe screen", "## Blocked by\n- [ ] #3\n");
        for number in [1, 2, 4] {
            self.ask(number);
        }
        self.fail_preflight();
        self.need_a_person();
        self.lose_an_answer();
        self
    }

    fn fail_preflight(&mut self) {
        self.ready(1);
        self.turn(1, 2, answer::plan("# Intent\n# Risk\n# Reuse\n").unwrap().answer);
        let verdict = "RALPH_PLAN_REVIEW: {\"status\":\"pass\",\"reason\":\"small and clear\"}";
        self.turn(1, 3, answer::review(VerdictKind::PlanReview, verdict).answer);
        let commit = Sha::new("5ea1f00d5ea1f00d5ea1f00d5ea1f00d5ea1f00d");
        let (tree, diff) = ("tree".to_owned(), "diff".to_owned());
        self.turn(
            1,
            4,
            Answer::Changed(Head {
                commit,
                tree,
                diff,
                ci_only: false,
                changes: None,
                summary: None,
            }),
        );
        let (command, excerpt) = ("make check".to_owned(), "2 tests failed".to_owned());
        let ran = |command: &str, how: &str, took| CommandRun {
            command: command.to_owned(),
            how: how.to_owned(),
            took,
        };
        let ran = vec![
            ran("make lint", "exit status 0", Span(250)),
            ran(&command, "exit status 2", Span(700)),
        ];
        self.finish(1, 5, Outcome::CommandsFailed { command, excerpt, ran });
    }

    fn need_a_person(&mut self) {
        self.ready(2);
        let response = "# Intent\n# Risk\n# Reuse\nPRODUCT GAP: which colour?\n";
        self.turn(2, 2, answer::plan(response).unwrap().answer);
    }

    /// The turn under way changes something, and preflight says at length what is wrong with it.
    pub(crate) fn fail_at_length(mut self) -> Self {
        let commit = Sha::new("0dd5ea1f00d5ea1f00d5ea1f00d5ea1f00d5ea1f");
        let (tree, diff) = ("another".to_owned(), "another".to_owned());
        let head = Head { commit, tree, diff, ci_only: false, changes: None, summary: None };
        self.turn(1, 6, Answer::Changed(head));
        let excerpt = (1..=40).map(|line| format!("line {line} of a long log\n")).collect();
        let command = "make check".to_owned();
        self.finish(1, 7, Outcome::CommandsFailed { command, excerpt, ran: Vec::new() });
        self
    }

    /// The first effect is tried and never answered.
    fn lose_an_answer(&mut self) {
        self.pass_a_second();
        let claimed = self.engine.lease(self.now).unwrap().unwrap();
        let lost = Performed::Unknown { why: "no answer".to_owned() };
        self.engine.settle(self.now, claimed.id, lost).unwrap();
    }

    fn see(&mut self, number: u64, title: &str, body: &str) {
        let seen = self.seen(title, body);
        self.learn(number, What::Seen(Observation::Issue(seen)));
    }

    fn seen(&self, title: &str, body: &str) -> Seen {
        Seen {
            title: title.into(),
            open: true,
            author: Login::new("acme"),
            labels: BTreeSet::new(),
            body: Digest::of(body),
            blocked_by: parse_body(&repo(), body).blocked_by,
            blocks: Vec::new(),
            manual_checks: Vec::new(),
            is_pull: Some(false),
            closed_by: None,
            follow_up: None,
            updated: self.now,
            has_relations: false,
        }
    }

    fn ask(&mut self, number: u64) {
        self.order(number, Command::Queue);
        self.engine.observe(self.now, vec![Fact::of(key(number), looked(self.now))]).unwrap();
    }

    pub(crate) fn order(&mut self, number: u64, command: Command) {
        self.asked += 1;
        let id = CommandId { at: self.now, id: self.asked, is_local: true };
        self.learn(number, asked(id, command));
    }

    fn ready(&mut self, number: u64) {
        let path = root().worktree(&key(number), 0, RunId { issue: number, run: 1 });
        let base = Sha::new("ba5eba5eba5eba5eba5eba5eba5eba5eba5eba5e");
        self.finish(
            number,
            1,
            Outcome::WorkspaceReady { path, base, head: None, guidance: Default::default() },
        );
    }

    fn turn(&mut self, number: u64, attempt: u32, answer: Answer) {
        self.finish(number, attempt, Outcome::Turn { answer, session: None, usage: None });
    }

    /// The turn under way on the first issue has told what it used.
    pub(crate) fn use_tokens(mut self, tokens: u64, micro_usd: u64) -> Self {
        let managed = self.engine.world().issue(&key(1)).unwrap().managed.as_deref().unwrap();
        let attempt = managed.attempt;
        let usage = Some(Usage { input: tokens, cached: 0, output: 0, micro_usd: Some(micro_usd) });
        let limit = SeenLimit {
            window: "weekly".to_owned(),
            length: Span::from_mins(7 * 24 * 60),
            used: LimitUse::Milli(850),
            resets: Some(self.now.plus(Span::from_mins(60))),
        };
        let used = TurnUse { usage, limits: vec![limit] };
        self.learn(1, What::Used { attempt, used });
        let reason = "it broke".to_owned();
        let outcome = Outcome::AgentFailed { reason, class: EndClass::Crashed };
        self.finish(1, attempt.0, outcome);
        self
    }

    fn finish(&mut self, number: u64, attempt: u32, outcome: Outcome) {
        self.learn(number, What::Finished { attempt: Attempt(attempt), outcome });
    }

    fn learn(&mut self, number: u64, what: What) {
        self.pass_a_second();
        self.engine.observe(self.now, vec![Fact::of(key(number), what)]).unwrap();
    }

    fn pass_a_second(&mut self) {
        self.now = self.now.plus(Span::from_secs(1));
    }

    pub(crate) fn take_inbox(&mut self) {
        self.pass_a_second();
        self.engine.take_inbox(self.now).unwrap();
    }
}

/// The issue was read for the run that has just begun.
const fn looked(at: Time) -> What {
    What::Seen(Observation::Looked { at, is_partial: false })
}

fn asked(id: CommandId, command: Command) -> What {
    let actor = Some(Login::new("mia"));
    let via = CommandVia::CommandLine;
    let command = PendingCommand::plain(command, actor, true, via);
    What::Seen(Observation::Command { id, command })
}
