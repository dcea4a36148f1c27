//! Everything that does not work as it should at the moment, in one list: what, why, since when and until when.

use super::{Daemon, Event, floods};
use crate::containment::Sandbox;
use crate::daemon_status::{Degraded, DegradedKind};
use ralph_core::account::AccountHold;
use ralph_core::effect::OrderingKey;
use ralph_core::fact::{Fact, Settled, What};
use ralph_core::ids::RepoName;
use ralph_core::outage::Outage;
use ralph_core::redact::redact;
use ralph_core::standing::{MarkStanding, Standing};
use ralph_core::time::{Span, Time};
use ralph_core::words;
use ralph_engine::{Engine, HeldKey, Reading, UnreadResource};
use std::collections::BTreeMap;

/// Looking through the outbox and all issues costs a millisecond when there are thousands; a list that is this
/// old is new enough.
const LOOK_THROUGH: Span = Span::from_secs(1);
/// Entries shown. More of them have the same cause.
const LISTED_MAX: usize = 50;
/// Longest reason; a forge may answer with a whole page.
const WHY_CHARS_MAX: usize = 700;

const LOG_LOSES: &str = "lines of the log are lost: its file for today is full, or the disk is";

/// The troubles that a look through everything finds, and the memory that it needs.
#[derive(Debug)]
pub(super) struct Troubles {
    found: Vec<Degraded>,
    /// Reads that got no answer. Each has its own reason only while the forge answers others.
    unanswered: Vec<Degraded>,
    looked: Time,
    /// The forge's last refusal of a label in each repository.
    label_refusals: BTreeMap<RepoName, String>,
}

impl Default for Troubles {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            unanswered: Vec::new(),
            looked: Time(i64::MIN),
            label_refusals: BTreeMap::new(),
        }
    }
}

impl Troubles {
    /// Something did not get through: the list is out of date.
    pub(super) const fn stir(&mut self) {
        self.looked = Time(i64::MIN);
    }

    /// A read that failed has to show at once, and one that succeeds again too.
    pub(super) fn note_reading(&mut self, reading: &Reading) {
        let mut reported = self.found.iter().chain(&self.unanswered);
        let is_reported = reported.any(|found| found.kind == DegradedKind::Reading);
        if is_reported || reading.failed.is_some() || !reading.missed.is_empty() {
            self.stir();
        }
    }

    /// The reason why the forge refuses labels is in the journal only.
    pub(super) fn note(&mut self, fact: &Fact) {
        if let What::Settled(Settled::LabelRefused { reason, .. }) = &fact.what {
            self.label_refusals.insert(fact.subject.repo().clone(), reason.clone());
        }
    }

    fn look_through(&mut self, engine: &Engine, now: Time) {
        if self.looked.plus(LOOK_THROUGH) > now {
            return;
        }
        self.looked = now;
        let lanes = engine.held_keys();
        let (flooding, outage) = (engine.floods(now), engine.world().outage());
        let holds = engine.world().held_accounts();
        let reported = flooding.iter().map(floods::shown).chain(outage.as_ref().map(agents));
        let reported = reported.chain(holds.iter().map(account)).chain(throttled(engine, now));
        let found = reported.chain(lanes.iter().map(lane)).chain(self.labels(engine, now));
        let (refused, unanswered): (Vec<_>, Vec<_>) =
            engine.unread().partition(|unread| unread.is_refused);
        let found = found.chain(comments(engine)).chain(held(engine));
        self.found = found.chain(refused.into_iter().map(unread)).collect();
        self.unanswered = unanswered.into_iter().map(unread).collect();
    }

    /// Repositories in which label writes were refused and are not due again.
    fn labels(&self, engine: &Engine, now: Time) -> Vec<Degraded> {
        let mut repos: BTreeMap<&RepoName, (usize, Time)> = BTreeMap::new();
        for key in engine.standings().filter_map(|(subject, _)| subject.issue()) {
            let issue = engine.world().issue(key);
            let retry_at = issue.and_then(|issue| issue.managed.as_ref()?.labels.retry_at);
            if let Some(at) = retry_at.filter(|at| *at > now) {
                let (issues, until) = repos.entry(&key.repo).or_insert((0, at));
                *issues += 1;
                *until = at.min(*until);
            }
        }
        let one = |(repo, (issues, until)): (&RepoName, (usize, Time))| {
            let said = self.label_refusals.get(repo).map(|said| format!(": {said}"));
            let said = said.unwrap_or_default();
            let on = if issues == 1 { "one issue".to_owned() } else { format!("{issues} issues") };
            let why = format!("the forge refuses to write labels on {on}{said}");
            Degraded::new(DegradedKind::Labels, format!("labels of {repo}"), why, Some(until))
        };
        repos.into_iter().map(one).collect()
    }
}

/// Repositories in which another Ralph works, so that this one does nothing.
fn held(engine: &Engine) -> impl Iterator<Item = Degraded> {
    engine.standings().filter_map(|(subject, standing)| {
        let Standing::Repository { mark: Some(MarkStanding::Theirs { .. }), .. } = standing else {
            return None;
        };
        let (what, why) = (subject.to_string(), words::standing(standing));
        Some(Degraded::new(DegradedKind::Repository, what, why, None))
    })
}

/// Issues on which the forge refuses a comment that a person has to see.
fn comments(engine: &Engine) -> impl Iterator<Item = Degraded> {
    let keys = engine.standings().filter_map(|(subject, _)| subject.issue());
    keys.filter_map(|key| {
        let managed = engine.world().issue(key)?.managed.as_ref()?;
        let refused = managed.refused_comment()?;
        let (what, why) = (format!("comments on {key}"), words::comment_refused(refused));
        Some(Degraded::new(DegradedKind::Effects, what, why, Some(refused.until)))
    })
}

fn agents(outage: &Outage) -> Degraded {
    let (why, since) = (words::outage(outage), Some(outage.since));
    let found =
        Degraded::new(DegradedKind::Agents, "agents".to_owned(), why, Some(outage.probe_at));
    Degraded { since, ..found }
}

fn account(hold: &AccountHold) -> Degraded {
    let (what, why) = (format!("account {}", hold.account), words::account_hold(hold));
    let found = Degraded::new(DegradedKind::Agents, what, why, Some(hold.probe_at));
    Degraded { since: Some(hold.since), ..found }
}

/// Accounts whose windows are used up, and the day's budget.
fn throttled(engine: &Engine, now: Time) -> Vec<Degraded> {
    let (world, policy) = (engine.world(), engine.policy());
    let accounts = world.account_use(policy.all_accounts(), policy, now).into_iter();
    let accounts = accounts.filter_map(|of| {
        let (what, why) = (format!("limits of {}", of.account), words::throttled(&of)?);
        Some(Degraded::new(DegradedKind::Throttle, what, why, of.until))
    });
    let day = world.day_use(policy, now);
    let day = words::budget_day(&day).map(|why| {
        Degraded::new(DegradedKind::Throttle, "budget of the day".to_owned(), why, day.until)
    });
    accounts.chain(day).collect()
}

fn lane(held: &HeldKey) -> Degraded {
    let what = match &held.key {
        OrderingKey::Forge(repo) => format!("comments and pull requests of {repo}"),
        OrderingKey::Labels(repo) => format!("labels of {repo}"),
        OrderingKey::Git(repo) => format!("pushes to {repo}"),
        OrderingKey::Process(issue) => format!("processes of {issue}"),
    };
    let why = match held.effects {
        1 => held.why.clone(),
        many => format!("{} ({many} wait)", held.why),
    };
    Degraded::new(DegradedKind::Effects, what, why, Some(held.until))
}

fn unread(unread: UnreadResource) -> Degraded {
    let UnreadResource { resource, why, since, next_try, .. } = unread;
    let what = words::resource_name(&resource);
    let found = Degraded::new(DegradedKind::Reading, what, why, Some(next_try));
    Degraded { since: Some(since), ..found }
}

impl Daemon {
    /// The list as it is now. What was there before is as old as it was.
    pub(super) fn degraded(&mut self, now: Time) -> Vec<Degraded> {
        self.troubles.look_through(&self.engine, now);
        let forge = self.account.snapshot().degraded.map(|found| {
            let what = self.account.address().as_str().to_owned();
            Degraded::new(DegradedKind::Forge, what, found.why, found.until)
        });
        let log = self.log.losses().is_losing.then(|| {
            let (what, why) = (self.home.logs().display().to_string(), LOG_LOSES.to_owned());
            Degraded::new(DegradedKind::Log, what, why, None)
        });
        let identity = self.identity.degraded(self.account.address().as_str());
        let settings = self.settings.degraded().into_iter().chain(identity).chain(log);
        let settings = self.no_sandbox().into_iter().chain(self.no_room()).chain(settings);
        // Effects that wait for the forge as a whole are reported once.
        let is_its_own =
            |found: &&Degraded| forge.as_ref().is_none_or(|forge| forge.why != found.why);
        let unanswered = self.troubles.unanswered.iter().filter(|_| forge.is_none());
        let own = self.troubles.found.iter().chain(unanswered).filter(is_its_own);
        let own: Vec<_> = own.cloned().collect();
        let all = forge.into_iter().chain(settings).chain(self.outside.degraded()).chain(own);
        let mut all: Vec<_> = all.map(|found| self.dated(found, now)).collect();
        let more = all.len().saturating_sub(LISTED_MAX);
        if more > 0 {
            all.truncate(LISTED_MAX);
            let why = "they wait for much the same".to_owned();
            all.push(Degraded::new(DegradedKind::Effects, format!("{more} more"), why, None));
        }
        all
    }

    fn no_sandbox(&self) -> Option<Degraded> {
        let Sandbox::Missing(missing) = &self.sandbox else { return None };
        let what = "sandbox".to_owned();
        Some(Degraded::new(DegradedKind::Sandbox, what, missing.says(), None))
    }

    fn dated(&self, found: Degraded, now: Time) -> Degraded {
        let before = self.status.degraded.iter().find(|before| before.is_same(&found));
        let since = before.and_then(|before| before.since).or(found.since).unwrap_or(now);
        // Git answers in several lines.
        let words: Vec<_> = found.why.split_whitespace().collect();
        let why = redact(&words.join(" ")).chars().take(WHY_CHARS_MAX).collect();
        Degraded { why, since: Some(since), ..found }
    }

    /// Tells what has begun and what is over.
    pub(super) fn tell_degraded(&mut self, new: &[Degraded]) {
        let before = &self.status.degraded;
        let is_in = |list: &[Degraded], one: &Degraded| list.iter().any(|other| other.is_same(one));
        for begun in new.iter().filter(|one| !is_in(before, one)) {
            self.events.emit(Event::Degraded(begun));
        }
        for over in before.iter().filter(|one| !is_in(new, one)) {
            self.events.emit(Event::Well(over));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::watch::Resource;

    #[test]
    fn a_read_that_is_refused_is_shown_with_what_why_since_when_and_the_next_try() {
        let repo = RepoName::parse("acme/app").unwrap();
        let (since, next_try) = (Time(1), Time(9));
        let (resource, why) = (Resource::Issues(repo), "403: no".to_owned());
        let shown = unread(UnreadResource { resource, why, since, next_try, is_refused: true });
        assert_eq!(
            (shown.kind, shown.what.as_str()),
            (DegradedKind::Reading, "issues of acme/app")
        );
        assert_eq!(
            (shown.why.as_str(), shown.since, shown.until),
            ("403: no", Some(since), Some(next_try))
        );
    }
}
