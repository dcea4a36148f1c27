//! The world around Ralph: the forge, its people and checks, Ralph's processes and worktrees, and the
//! schedule of everything that is going to happen.

mod building;

use crate::clock::SimClock;
use crate::faults::{Fault, FaultPlan};
use crate::forge::{ForgeSide, STALE_MAX};
use crate::machine::Machine;
use crate::oracle::Oracle;
use crate::people::People;
use crate::prng::Prng;
use crate::schedule::{Event, Schedule};
use crate::trace::Trace;
use ralph_core::ids::{IssueKey, RepoName, Sha};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::time::{Span, Time};
use ralph_forge::{CheckAction, EventKind, Operation, on};

/// The repositories that a run may have, the first in every one.
pub(crate) const REPOS: [&str; 3] = ["acme/widgets", "globex/parts", "acme/gadgets"];
pub(crate) const OWNER: &str = "acme";
/// Owns a repository where Ralph works too.
pub(crate) const OTHER_OWNER: &str = "globex";
pub(crate) const BOT: &str = "ralph-bot";
/// May label and push.
pub(crate) const MAINTAINER: &str = "mia";
/// May label, not push.
pub(crate) const TRIAGER: &str = "tim";
/// May only read and comment.
pub(crate) const STRANGER: &str = "sam";
pub(crate) const CI: &str = "checks";
pub(crate) const BOT_BRANCH: &str = "bot/integration";
pub(crate) const DEFAULT_BRANCH: &str = "main";
pub(crate) const ROOT: &str = "/sim/worktrees";
pub(crate) const REQUIRED: [&str; 2] = ["build", "test"];

/// The address of the forge for Ralph's client, and its token.
pub(crate) const FORGE: &str = "https://forge.example";
pub(crate) const TOKEN: &str = "token-of-ralph-bot";
/// GitHub's own number of requests per hour.
pub(crate) const PLENTY: u32 = 5_000;

/// The beginning of every run: 2026-01-01.
pub(crate) const BEGINNING: Time = Time(1_767_225_600_000);

/// So many runs in a thousand have a personal token: Ralph and the owner are the same login.
const SHARED_LOGIN_PER_MILLE: u64 = 250;

/// So many runs in a thousand have every open issue worked on, and issues without labels.
const AUTOMATIC_PER_MILLE: u64 = 150;

const TRIAL_MISHAPS_MAX: u64 = 3;

#[derive(Debug)]
pub(crate) struct SimWorld {
    pub(crate) clock: SimClock,
    pub(crate) prng: Prng,
    pub(crate) schedule: Schedule,
    pub(crate) trace: Trace,
    pub(crate) forge: ForgeSide,
    pub(crate) machine: Machine,
    pub(crate) people: People,
    pub(crate) faults: FaultPlan,
    pub(crate) oracle: Oracle,
}

impl SimWorld {
    pub(crate) fn new(seed: u64, issues: u64, faults: Option<FaultPlan>, is_traced: bool) -> Self {
        let clock = SimClock::starting_at(BEGINNING);
        let trace = Trace::new(&clock, is_traced);
        let mut prng = Prng::new(seed);
        let mut faults = faults.unwrap_or_else(|| FaultPlan::draw(&mut prng));
        let login = if prng.chance(SHARED_LOGIN_PER_MILLE) { OWNER } else { BOT };
        let is_automatic = prng.chance(AUTOMATIC_PER_MILLE);
        let mishaps = if faults.is_calm { 0 } else { prng.below(TRIAL_MISHAPS_MAX + 1) };
        faults.trial_mishaps = u32::try_from(mishaps).unwrap_or(0);
        let mut world = Self {
            forge: ForgeSide::new(clock.clone(), login),
            machine: Machine::default(),
            people: People { is_automatic, ..People::default() },
            oracle: Oracle::new(clock.clone(), trace.clone()),
            schedule: Schedule::default(),
            clock,
            prng,
            trace,
            faults,
        };
        world.build(issues);
        world
    }

    /// Starts the clock of a new process of Ralph.
    pub(crate) fn set_steady_clock(&mut self) {
        // A process times its own writes by its clock; the next process may have another.
        if self.clock.restart() {
            self.forge.before = None;
        }
    }

    /// A person or program other than Ralph does something, and all that follows happens.
    pub(crate) fn act<O: Operation>(
        &mut self,
        who: &str,
        repo: &RepoName,
        call: O,
    ) -> Option<O::Reply> {
        self.keep_for_stale_reads();
        let (now, request) = (self.clock.seconds(), on(repo.as_str(), call));
        let (response, events) = self.forge.model_mut().handle(who, now, request);
        self.spread(&events);
        response.ok()
    }

    /// Before a change: keeps what a lagging replica would still show.
    pub(crate) fn keep_for_stale_reads(&mut self) {
        let is_wanted = self.faults.rate(Fault::StaleRead) > 0;
        let is_old = self
            .forge
            .before
            .as_ref()
            .is_none_or(|(at, _)| self.clock.now().since(*at) > STALE_MAX);
        if is_wanted && is_old && self.prng.chance(300) {
            self.forge.before = Some((self.clock.now(), self.forge.site.clone()));
        }
    }

    pub(crate) fn jump_the_clock(&mut self) {
        let millis = i64::try_from(self.prng.below(100_000)).unwrap_or(0) - 30_000;
        self.clock.jump(Span(millis));
        self.faults.count(Fault::ClockJump);
        self.trace.say(&format!("Ralph's clock jumps by {millis} ms"));
    }

    /// Handles the events that others than Ralph caused.
    pub(crate) fn spread(&mut self, events: &[ralph_forge::Event]) {
        self.people.changes_by_others += events.len() as u64;
        self.oracle.note_label_changes(events);
        self.oracle.note_moved_bases(events);
        self.oracle.note_comments(events);
        self.follow(events);
    }

    /// Does what the forge does after a change: webhooks, checks, computing.
    pub(crate) fn follow(&mut self, events: &[ralph_forge::Event]) {
        for event in events {
            self.send_hook(event);
            let Some(repo) = RepoName::parse(&event.repo) else { continue };
            match &event.kind {
                EventKind::PullSynchronized { number, after, .. } => {
                    self.forge.pulls_by_head.insert((repo.clone(), *after), *number);
                    self.start_checks(&repo, &after.to_string());
                    self.move_strict_branch(&repo, *number);
                }
                EventKind::CheckRun { head, name, action: CheckAction::Rerequested, .. } => {
                    self.run_check_again(&repo, *head, name);
                }
                EventKind::Pull { number, action: ralph_forge::ThreadAction::Opened } => {
                    self.checks_of_pull(&repo, *number);
                }
                EventKind::Issue { number, action: ralph_forge::ThreadAction::Closed } => {
                    self.oracle.judge_closing(&mut self.forge, &IssueKey::new(repo, *number));
                }
                EventKind::Issue { number, action: ralph_forge::ThreadAction::Opened } => {
                    self.meet_new_issue(&IssueKey::new(repo, *number));
                }
                _other => {}
            }
        }
        if !events.is_empty() {
            self.forge.last_act = self.clock.now();
        }
        // A branch update that was accepted shows in no event until it is done.
        if !events.is_empty() || self.forge.model().has_background_work() {
            let delay = self.prng.between(500, 8_000);
            self.schedule.after(self.clock.now(), delay, Event::Background);
        }
    }
}

pub(crate) fn sha(sha: ralph_forge::Sha) -> Sha {
    Sha::new(&sha.to_string())
}

pub(crate) fn root() -> ManagedRoot {
    #[expect(clippy::expect_used, reason = "the root is a constant of this file")]
    ManagedRoot::new(ROOT).expect("an absolute path without dots")
}
