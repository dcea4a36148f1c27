//! An agents' program that fails at once, for every issue and for a while: a usage limit, a mistyped command. Then
//! it is mended. Or it fails on one issue alone, until the faults end.

use crate::faults::Fault;
use crate::world::SimWorld;
use ralph_core::ids::IssueKey;
use ralph_core::job::Turn;
use ralph_core::time::Span;
use ralph_core::turn_end::EndClass;

/// The time for which it fails, in milliseconds: too short to be noticed, up to several tries.
const BROKEN_MILLIS: (u64, u64) = (20_000, 1_500_000);
/// The time for which an account is limited, in milliseconds.
const LIMITED_MILLIS: (u64, u64) = (30_000, 1_500_000);
/// It is drawn so many times more seldom than others: each time it strikes many turns.
const SELDOM: u64 = 6;
/// One issue that it fails on is drawn as often as other faults: it has to fail while others work.
const ON_ONE_SELDOM: u64 = 1;
/// Its last words.
pub(crate) const SAYS: &str = "exit status 1\nusage limit reached";
/// Its last words when its account is limited.
pub(crate) const SAYS_LIMITED: &str = "exit status 1\nlimited";
/// Its last words on the one issue that it fails on.
pub(crate) const SAYS_ON_ONE: &str = "exit status 139\nstack overflow";

impl SimWorld {
    /// Does the program fail? At the start of a turn it may break.
    pub(crate) fn program_fails(&mut self, may_break: bool) -> bool {
        if self.faults.is_calm {
            return false;
        }
        let is_broken = self.oracle.record.program.broken_until > self.clock.now();
        let breaks = may_break
            && !is_broken
            && self.faults.threatens(Fault::AgentProgramFails, SELDOM, &mut self.prng);
        if breaks {
            let lasts = self.prng.between(BROKEN_MILLIS.0, BROKEN_MILLIS.1);
            let lasts = Span(i64::try_from(lasts).unwrap_or(0));
            self.oracle.record.program.broken_until = self.clock.now().plus(lasts);
            self.trace.say("the agents' program breaks");
        }
        is_broken || breaks
    }

    /// The limit that the account of a turn has now. At the start of the turn it may be reached.
    pub(crate) fn account_limit(&mut self, turn: &Turn, may_begin: bool) -> Option<EndClass> {
        if self.faults.is_calm {
            return None;
        }
        let now = self.clock.now();
        let account = turn.account.clone().unwrap_or_default();
        let known = self.oracle.record.program.limits.get(&account);
        if let Some((_, class)) = known.filter(|(until, _)| *until > now) {
            return Some(*class);
        }
        let begins =
            may_begin && self.faults.threatens(Fault::AccountLimited, SELDOM, &mut self.prng);
        if !begins {
            return None;
        }
        let lasts = self.prng.between(LIMITED_MILLIS.0, LIMITED_MILLIS.1);
        let lasts = Span(i64::try_from(lasts).unwrap_or(0));
        let told = Some(self.clock.ralph_time().plus(lasts)).filter(|_| self.prng.chance(500));
        let class = match self.prng.below(3) {
            0 => EndClass::UsageLimit { until: told },
            1 => EndClass::RateLimit { until: told },
            _ => EndClass::Overloaded,
        };
        self.trace.say(&format!("account {account} of the agents is limited"));
        self.oracle.record.program.limits.insert(account, (now.plus(lasts), class));
        Some(class)
    }

    /// Does the program fail on this issue alone?
    pub(crate) fn program_fails_on(&mut self, key: &IssueKey) -> bool {
        if self.faults.is_calm {
            return false;
        }
        let is_chosen = self.oracle.record.program.fails_on.is_none()
            && self.faults.threatens(Fault::AgentFailsOnOne, ON_ONE_SELDOM, &mut self.prng);
        if is_chosen {
            self.trace.say(&format!("the agents' program fails on {key} from now on"));
            self.oracle.record.program.fails_on = Some(key.clone());
        }
        let fails = self.oracle.record.program.fails_on.as_ref() == Some(key);
        if fails {
            self.faults.count(Fault::AgentFailsOnOne);
        }
        fails
    }

    /// A turn on the issue that the program fails on is over at once.
    pub(crate) fn ends_at_once(&self, turn: &Turn) -> bool {
        let key = self.oracle.record.program.fails_on.as_ref().filter(|_| !self.faults.is_calm);
        key.is_some_and(|key| {
            turn.run.issue == key.number
                && self.forge.repo_of(&turn.path).as_ref() == Some(&key.repo)
        })
    }
}
