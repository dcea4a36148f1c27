//! Days with three accounts and random limits: no turn is started with an account that is known to be limited, no issue
//! escalates because of it, and work goes on within one poll of the end of a limit. The judge keeps its own books. Each of
//! its rules has a planted bug that it must find.

#[path = "throttle_days/judge.rs"]
mod judge;

use crate::story::{Story, Which as _, repo};
use judge::{HARD_MILLI, Judge, POLL, WINDOW, WINDOW_TOKENS};
use ralph_core::account::AccountName;
use ralph_core::bound::Bound;
use ralph_core::fact::{Fact, Outcome, What};
use ralph_core::ids::Attempt;
use ralph_core::issue::Phase;
use ralph_core::repo::Repo;
use ralph_core::role::Role;
use ralph_core::steps::Step;
use ralph_core::throttle::WindowRule;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::{EndClass, LimitUse, SeenLimit, TurnUse, Usage};
use std::collections::BTreeMap;

/// Days after which Ralph starts again, with nothing but its rows, and other issues are there.
const SEASON_DAYS: i64 = 5;
const DAY: Span = Span::from_mins(24 * 60);
/// Issues that are asked for in a season; more than can be done.
const ISSUES: u64 = 40;
const ACCOUNTS: [&str; 3] = ["one", "two", "three"];

/// A mistake that the judge has to find.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bug {
    None,
    /// Ralph does not count what its turns use.
    CountsNothing,
    /// A limit is taken for a program that fails.
    BlamesTheProgram,
    /// Ralph looks again only when a turn ends.
    Oversleeps,
}

/// Numbers that depend on nothing but their seed.
struct Dice(u64);

impl Dice {
    const fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn minutes(&mut self, from: u64, to: u64) -> Span {
        Span::from_mins(i64::try_from(from + self.below(to - from)).unwrap_or(1))
    }
}

/// A turn under way, and how it will end.
struct Turn {
    number: u64,
    attempt: Attempt,
    account: AccountName,
    is_probe: bool,
    began: Time,
    ends: Time,
    end: End,
}

enum End {
    Fails(EndClass),
    Answers { tokens: u64, limits: Vec<SeenLimit> },
}

struct Days {
    story: Story,
    bug: Bug,
    dice: Dice,
    judge: Judge,
    /// Until when the provider refuses an account, and whether it tells.
    limited: BTreeMap<AccountName, (Time, EndClass)>,
    turns: Vec<Turn>,
    started: BTreeMap<u64, Attempt>,
}

impl Days {
    fn new(bug: Bug, seed: u64) -> Self {
        let (judge, limited) = (Judge::default(), BTreeMap::new());
        let (turns, started) = (Vec::new(), BTreeMap::new());
        let story = Self::season(bug, None);
        Self { story, bug, dice: Dice(seed), judge, limited, turns, started }
    }

    /// Ralph starts with the row of its repository.
    fn season(bug: Bug, before: Option<(Repo, Time)>) -> Story {
        let mut story = Story::with(|rules| {
            (rules.slots, rules.claims_max) = (3, 4);
            rules.limits.turn_timeout = DAY;
            // The bot branch moves under runs that wait, and they are done again.
            rules.limits.bounds.set(Bound::Step(Step::Implement), 1_000);
            rules.limits.bounds.set(Bound::REFRESHES, 1_000);
        });
        story.is_long = true;
        story.policy.poll_interval = POLL;
        for role in Role::ALL {
            story.policy.accounts.insert(role, ACCOUNTS.map(AccountName::new).to_vec());
        }
        let throttle = &mut story.policy.throttle;
        throttle.hard_milli = HARD_MILLI;
        if bug != Bug::CountsNothing {
            let (name, length, tokens) = ("5h".to_owned(), WINDOW, WINDOW_TOKENS);
            throttle.windows = vec![WindowRule { name, length, tokens, account: None }];
        }
        if let Some((repo, now)) = before {
            story.now = now;
            let row = serde_json::to_string(&repo).unwrap_or_default();
            let read: Repo = serde_json::from_str(&row).unwrap_or_default();
            assert_eq!(read, repo, "a row is read as it was written");
            story.world.load_repo(crate::story::repo("acme/app"), read);
        }
        for number in 1..=ISSUES {
            story.queued(number);
        }
        story
    }

    /// Plays this many days.
    fn play(mut self, days: i64) -> Judge {
        let begin = self.story.now;
        for season in 0..days / SEASON_DAYS {
            let ends = begin.plus(Span(DAY.0 * SEASON_DAYS * (season + 1)));
            self.judge.asked = self.story.now;
            while self.story.now < ends {
                self.look();
                self.go_on(ends);
            }
            self.turns.clear();
            self.started.clear();
            self.judge.forget_turns();
            let row = self.story.world.repo(&repo("acme/app")).cloned().unwrap_or_default();
            self.story = Self::season(self.bug, Some((row, self.story.now)));
        }
        self.judge
    }

    /// Lets everything happen that takes no time, and notes the turns that were started.
    fn look(&mut self) {
        self.story.settles();
        // The end of one process may let another one start.
        while (1..=ISSUES).any(|number| self.advance(number)) {}
        let wants = (1..=ISSUES).any(|number| self.wants_turn(number));
        self.judge.idle(self.story.now, wants && self.turns.is_empty());
    }

    fn wants_turn(&self, number: u64) -> bool {
        let managed = self.story.managed(number);
        let is_at_turn = matches!(managed.phase, Phase::Running { step } if step.takes_turn());
        is_at_turn && managed.wants_slot()
    }

    /// True if something has happened.
    fn advance(&mut self, number: u64) -> bool {
        let managed = self.story.managed(number);
        if let Phase::Escalated { cause, .. } = &managed.phase {
            self.judge.escalated(self.story.now, number, cause);
            return false;
        }
        let Phase::Running { step } = managed.phase else { return false };
        match managed.work.clone() {
            Some(work) if step.takes_turn() => {
                let is_new = self.started.insert(number, work.attempt) != Some(work.attempt);
                if is_new {
                    let account = work.account.clone().unwrap_or_default();
                    let is_probe = self.judge.starts(work.started, &account);
                    self.begin(number, work.attempt, (account, is_probe));
                }
                is_new
            }
            Some(_) => {
                let outcome = self.story.success(number, step);
                self.story.finishes(number, outcome);
                true
            }
            None if step == Step::Checks => {
                self.story.passes_checks(number.key());
                self.story.settles();
                true
            }
            None => false,
        }
    }

    /// Draws how a turn that begins now will end.
    fn begin(&mut self, number: u64, attempt: Attempt, (account, is_probe): (AccountName, bool)) {
        let now = self.story.now;
        let known = self.limited.get(&account).copied().filter(|(until, _)| *until > now);
        let limit = known.or_else(|| (self.dice.below(100) < 12).then(|| self.draw_limit(now)));
        let (takes, end) = match limit {
            Some((until, class)) => {
                self.limited.insert(account.clone(), (until, class));
                (Span::from_secs(20), End::Fails(class))
            }
            None => {
                let tokens = 2_000 + self.dice.below(60_000);
                let limits = self.draw_report();
                (self.dice.minutes(20, 240), End::Answers { tokens, limits })
            }
        };
        let (began, ends) = (now, now.plus(takes));
        self.turns.push(Turn { number, attempt, account, is_probe, began, ends, end });
    }

    fn draw_limit(&mut self, now: Time) -> (Time, EndClass) {
        let until = now.plus(self.dice.minutes(5, 600));
        let told = Some(until).filter(|_| self.dice.below(2) == 0);
        let class = match self.dice.below(4) {
            0 => EndClass::Overloaded,
            1 => EndClass::RateLimit { until: told },
            _ => EndClass::UsageLimit { until: told },
        };
        (until, class)
    }

    /// One turn in eight reports a limit that is near or reached, with a reset or without one.
    fn draw_report(&mut self) -> Vec<SeenLimit> {
        if self.dice.below(8) > 0 {
            return Vec::new();
        }
        let used = LimitUse::Milli(u32::try_from(700 + self.dice.below(300)).unwrap_or(0));
        // Named from the end of the turn on, which is when it is told.
        let resets = (self.dice.below(2) == 0).then(|| Time(self.dice.minutes(10, 600).0));
        let (window, length) = ("weekly".to_owned(), Span::from_mins(7 * 24 * 60));
        vec![SeenLimit { window, length, used, resets }]
    }

    /// Goes to the next thing that happens, but not past one poll after a limit ends.
    fn go_on(&mut self, season_ends: Time) {
        let next_turn = self.turns.iter().map(|turn| turn.ends).min();
        let own = self.story.next_time().filter(|_| self.bug != Bug::Oversleeps);
        let judged = self.judge.next_look(self.story.now);
        let times = next_turn.into_iter().chain(own).chain(judged);
        let next = times.filter(|at| *at > self.story.now).min().unwrap_or(season_ends);
        if self.bug == Bug::Oversleeps && next_turn.is_none_or(|at| at > next) {
            self.story.now = next;
        } else {
            self.story.passes(next.since(self.story.now));
        }
        let now = self.story.now;
        let due = |turn: &Turn| turn.ends <= now;
        while let Some(place) = self.turns.iter().position(due) {
            let turn = self.turns.swap_remove(place);
            self.end(turn);
        }
    }

    fn end(&mut self, turn: Turn) {
        let (number, attempt, now) = (turn.number, turn.attempt, self.story.now);
        let outcome = match turn.end {
            End::Fails(class) => {
                self.judge.failed(now, &turn.account, class);
                let blamed = self.bug == Bug::BlamesTheProgram;
                let class = if blamed { EndClass::Crashed } else { class };
                Outcome::AgentFailed { reason: "a limit".to_owned(), class }
            }
            End::Answers { tokens, limits } => {
                let from_now = |at: Time| now.plus(Span(at.0));
                let limits: Vec<_> = limits
                    .into_iter()
                    .map(|it| SeenLimit { resets: it.resets.map(from_now), ..it })
                    .collect();
                let of = (&turn.account, turn.began, turn.is_probe);
                self.judge.answered(now, of, tokens, &limits);
                let used = TurnUse { usage: Usage::total(tokens), limits };
                self.story.tell(&Fact::of(number.key(), What::Used { attempt, used }));
                let Phase::Running { step } = self.story.managed(number).phase else { return };
                fresh(self.story.success(number, step))
            }
        };
        self.story.tell(&Fact::of(number.key(), What::Finished { attempt, outcome }));
    }
}

/// Without a session, so that every turn may have any account, and without usage, which was told before.
fn fresh(outcome: Outcome) -> Outcome {
    let Outcome::Turn { answer, .. } = outcome else { return outcome };
    Outcome::Turn { answer, session: None, usage: None }
}

#[test]
fn in_a_thousand_days_of_limits_none_is_ignored_no_issue_escalates_and_work_resumes_in_time() {
    let judge = Days::new(Bug::None, 0x5eed).play(1_000);
    assert_eq!(judge.broken, BTreeMap::new());
    let seen = (judge.turns, judge.failures, judge.held, judge.resumed);
    assert!(judge.turns > 10_000 && judge.failures > 500, "{seen:?}");
    assert!(judge.held > 100 && judge.resumed > 100, "{seen:?}");
}

#[test]
fn each_mistake_is_found_by_its_own_rule() {
    for (bug, rule) in [
        (Bug::CountsNothing, "started while hard"),
        (Bug::BlamesTheProgram, "escalated"),
        (Bug::Oversleeps, "not resumed"),
    ] {
        let broken = Days::new(bug, 0x5eed).play(100).broken;
        assert!(broken.contains_key(rule), "{rule}: {broken:?}");
    }
}
