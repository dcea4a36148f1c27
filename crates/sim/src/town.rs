//! The world around Ralph: the forge, its people and checks, Ralph's processes and worktrees, and the
//! schedule of everything that is going to happen.

mod building;

use crate::bugs::Bug;
use crate::consistency::Rows;
use crate::errand::Errand;
use crate::fate::Fate;
use crate::gathering::Gathering;
use crate::ledger::{Ledger, Violation};
use crate::people::Outdated;
use crate::prng::Prng;
use crate::schedule::{Event, Schedule};
use crate::trace::Trace;
use crate::unreadable::Unreadable;
use crate::weather::{Fault, Weather};
use crate::working::{Process, Worktree};
use ralph_core::ids::{Attempt, IssueKey, RepoName, Sha};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::steady_clock::{Reading, SteadyClock};
use ralph_core::time::{Span, Time};
use ralph_core::world::World;
use ralph_engine::store::JournalEntry;
use ralph_forge::{
    CheckAction, EventKind, Forge, IssueCall, Page, Reply, Request, Site, SiteSettings,
    TimelineEvent,
};
use std::collections::{BTreeMap, BTreeSet};

/// The repositories that a life may have, the first in every one.
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

/// Where Ralph's client reaches the forge, and how it proves who it is.
pub(crate) const FORGE: &str = "https://forge.example";
pub(crate) const TOKEN: &str = "token-of-ralph-bot";
/// GitHub's own number of requests per hour.
pub(crate) const PLENTY: u32 = 5_000;

/// When every life begins: 2026-01-01.
pub(crate) const BEGINNING: Time = Time(1_767_225_600_000);

/// So many lives in a thousand have a personal token: Ralph and the owner are the same login.
const SHARED_LOGIN_PER_MILLE: u64 = 250;

/// So many lives in a thousand have every open issue worked on, and issues that nobody labelled.
const AUTOMATIC_PER_MILLE: u64 = 150;

const TRIAL_MISHAPS_MAX: u64 = 3;

/// A stale read shows the state before a change that is at most this old.
const STALE_MAX: Span = Span::from_secs(58);

#[derive(Debug)]
pub(crate) struct Town {
    pub(crate) site: Site,
    /// The forge before a recent change, for stale reads.
    before: Option<(Time, Site)>,
    pub(crate) now: Time,
    /// How far the clock of Ralph's machine is off.
    pub(crate) skew: Span,
    /// What the living process of Ralph's measures its waiting by.
    pub(crate) steady: SteadyClock,
    /// The latest time that an earlier process of Ralph's knew.
    pub(crate) set_back_from: Time,
    pub(crate) prng: Prng,
    pub(crate) weather: Weather,
    /// What may yet go wrong with trials.
    pub(crate) trial_mishaps: u32,
    pub(crate) fate: Fate,
    pub(crate) gathering: Gathering,
    /// Whose token Ralph has: its own account's, or the owner's.
    pub(crate) login: &'static str,
    /// Do surveys propose anything?
    pub(crate) has_proposals: bool,
    /// Is every open issue to be worked on, labelled or not?
    pub(crate) is_automatic: bool,
    pub(crate) schedule: Schedule,
    pub(crate) trace: Trace,
    pub(crate) ledger: Ledger,
    pub(crate) processes: BTreeMap<(IssueKey, Attempt), Process>,
    pub(crate) worktrees: BTreeMap<String, Worktree>,
    /// Commits under rescue refs, by the worktree they were saved from.
    pub(crate) rescued: BTreeMap<String, ralph_forge::Sha>,
    /// The newest commit of each issue's branch on this machine.
    pub(crate) local_heads: BTreeMap<IssueKey, (String, ralph_forge::Sha)>,
    /// Pull requests by the heads they have had.
    pub(crate) pulls_by_head: BTreeMap<(RepoName, ralph_forge::Sha), u64>,
    /// Pull requests whose checks only a person makes green.
    pub(crate) doomed_pulls: BTreeSet<(RepoName, u64)>,
    /// Issues whose conflicts are beyond the agent.
    pub(crate) stuck: BTreeSet<IssueKey>,
    pub(crate) violations: Vec<Violation>,
    /// Which of Ralph's processes is alive.
    pub(crate) life: u32,
    /// What Ralph is at the forge for just now.
    pub(crate) errand: Errand,
    pub(crate) labels_refused_until: Time,
    /// Conversations in which Ralph may not comment, and until when.
    pub(crate) locked: BTreeMap<IssueKey, Time>,
    pub(crate) credentials_refused_until: Time,
    pub(crate) unreadable: Unreadable,
    pub(crate) outdated: Outdated,
    /// When Ralph's hour of requests ends, as the forge last said, in Unix seconds.
    pub(crate) window_ends: u64,
    pub(crate) bug: Option<Bug>,
    pub(crate) repos: Vec<RepoName>,
    /// What people have asked for, oldest first.
    pub(crate) issues: Vec<IssueKey>,
    /// How much people have changed on the forge.
    pub(crate) changes_by_others: u64,
    /// When the forge last changed.
    pub(crate) last_act: Time,
    /// What the operator requires to be green.
    pub(crate) required: Option<Vec<String>>,
    /// Processes that were under way when Ralph was last looked at.
    pub(crate) busy: u32,
    /// Processes that may run beyond the limits because these were lowered meanwhile.
    pub(crate) tolerated: BTreeMap<RepoName, u32>,
    /// The stored state rows as last read.
    pub(crate) rows: Rows,
    /// The journal as it was read so far, and the world folded from it. Ralph itself may forget old facts.
    pub(crate) facts: Vec<JournalEntry>,
    pub(crate) folded: World,
}

impl Town {
    pub(crate) fn new(seed: u64, issues: u64, weather: Option<Weather>, trace: Trace) -> Self {
        let mut prng = Prng::new(seed);
        let weather = weather.unwrap_or_else(|| Weather::draw(&mut prng));
        let login = if prng.chance(SHARED_LOGIN_PER_MILLE) { OWNER } else { BOT };
        let is_automatic = prng.chance(AUTOMATIC_PER_MILLE);
        let mishaps = if weather.is_calm { 0 } else { prng.below(TRIAL_MISHAPS_MAX + 1) };
        let trial_mishaps = u32::try_from(mishaps).unwrap_or(0);
        let mut town = Self {
            site: Site::new(site_settings(PLENTY)),
            before: None,
            now: BEGINNING,
            skew: Span::ZERO,
            steady: SteadyClock::set(Reading { of_day: BEGINNING, steady: Span(BEGINNING.0) }),
            set_back_from: BEGINNING,
            prng,
            weather,
            trial_mishaps,
            fate: Fate::default(),
            gathering: Gathering::default(),
            login,
            has_proposals: false,
            is_automatic,
            schedule: Schedule::default(),
            trace,
            ledger: Ledger::default(),
            processes: BTreeMap::new(),
            worktrees: BTreeMap::new(),
            rescued: BTreeMap::new(),
            local_heads: BTreeMap::new(),
            pulls_by_head: BTreeMap::new(),
            doomed_pulls: BTreeSet::new(),
            stuck: BTreeSet::new(),
            violations: Vec::new(),
            life: 0,
            errand: Errand::default(),
            labels_refused_until: Time(0),
            locked: BTreeMap::new(),
            credentials_refused_until: Time(0),
            unreadable: Unreadable::default(),
            outdated: Outdated::default(),
            window_ends: 0,
            bug: None,
            repos: Vec::new(),
            issues: Vec::new(),
            changes_by_others: 0,
            last_act: BEGINNING,
            required: None,
            busy: 0,
            tolerated: BTreeMap::new(),
            rows: Rows::default(),
            facts: Vec::new(),
            folded: World::default(),
        };
        town.build(issues);
        town
    }

    /// From now on each user has that many requests per hour.
    pub(crate) fn offer_requests(&mut self, per_hour: u32) {
        let site = std::mem::take(&mut self.site);
        self.site = site.with_settings(site_settings(per_hour));
    }

    pub(crate) fn issue_id(&mut self, key: &IssueKey) -> Option<u64> {
        match self.look(&key.repo, IssueCall::Get { number: key.number })? {
            Reply::Issue(view) => Some(view.id),
            _other => None,
        }
    }

    pub(crate) fn forge(&self) -> &Forge {
        self.site.forge()
    }

    pub(crate) fn forge_mut(&mut self) -> &mut Forge {
        self.site.forge_mut()
    }

    pub(crate) fn seconds(&self) -> u64 {
        u64::try_from(self.now.0 / 1_000).unwrap_or(0)
    }

    pub(crate) fn millis(&self) -> u64 {
        u64::try_from(self.now.0).unwrap_or(0)
    }

    /// The time by which Ralph waits.
    pub(crate) fn ralph_time(&self) -> Time {
        self.steady.at(self.clocks())
    }

    /// What the clocks of Ralph's machine show.
    const fn clocks(&self) -> Reading {
        Reading { of_day: self.now.plus(self.skew), steady: Span(self.now.0) }
    }

    /// Time passes, for Ralph's clock too.
    pub(crate) fn pass(&mut self, to: Time) {
        self.now = to.max(self.now);
        self.steady.step(self.clocks());
    }

    /// A new process of Ralph's begins with the time of day.
    pub(crate) fn set_steady_clock(&mut self) {
        let before = self.ralph_time();
        self.set_back_from = self.set_back_from.max(before);
        // What a process noted of its own writes is measured by its clock; the next one may have another.
        if self.clocks().of_day > before.plus(Span::from_secs(1)) {
            self.before = None;
        }
        self.steady = SteadyClock::set(self.clocks());
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.trace.say(self.now, line);
    }

    pub(crate) fn broken(&mut self, rule: &'static str, detail: String) {
        self.say(&format!("VIOLATION {rule}: {detail}"));
        self.violations.push(Violation { rule, detail });
    }

    /// Somebody other than Ralph does something; what follows from it happens.
    pub(crate) fn act(
        &mut self,
        who: &str,
        repo: &RepoName,
        call: impl Into<ralph_forge::Call>,
    ) -> Option<Reply> {
        self.keep_for_stale_reads();
        let (now, request) = (self.seconds(), Request::on(repo.as_str(), call));
        let (response, events) = self.forge_mut().handle(who, now, request);
        self.spread(&events);
        response.ok()
    }

    /// A look at the forge by an all-seeing eye.
    pub(crate) fn look(
        &mut self,
        repo: &RepoName,
        call: impl Into<ralph_forge::Call>,
    ) -> Option<Reply> {
        let now = self.seconds();
        self.site.look(OWNER, now, Request::on(repo.as_str(), call)).ok()
    }

    /// Before a change: keeps what a lagging replica would still show.
    pub(crate) fn keep_for_stale_reads(&mut self) {
        let is_wanted = self.weather.rate(Fault::StaleRead) > 0;
        let is_old = self.before.as_ref().is_none_or(|(at, _)| self.now.since(*at) > STALE_MAX);
        if is_wanted && is_old && self.prng.chance(300) {
            self.before = Some((self.now, self.site.clone()));
        }
    }

    pub(crate) fn jump_the_clock(&mut self) {
        let millis = i64::try_from(self.prng.below(100_000)).unwrap_or(0) - 30_000;
        self.skew = Span(self.skew.0 + millis);
        self.weather.count(Fault::ClockJump);
        self.say(&format!("Ralph's clock jumps by {millis} ms"));
    }

    /// The commit of the mark on a repository.
    pub(crate) fn mark_of(&self, repo: &RepoName) -> Option<ralph_forge::Sha> {
        self.forge().reference(repo.as_str(), "refs/ralph/instance")
    }

    /// The forge as a lagging replica shows it, if there is one.
    pub(crate) fn stale(&mut self) -> Option<&mut Site> {
        let now = self.now;
        let recent = self.before.as_mut().filter(|(at, _)| now.since(*at) <= STALE_MAX);
        recent.map(|(_, site)| site)
    }

    /// Whoever looks after things and tells Ralph what to do: the owner, where Ralph has the owner's token.
    pub(crate) fn keeper(&self) -> &'static str {
        if self.login == OWNER { OWNER } else { MAINTAINER }
    }

    /// Somebody other than Ralph changed something; what follows from it happens.
    pub(crate) fn spread(&mut self, events: &[ralph_forge::Event]) {
        self.changes_by_others += events.len() as u64;
        self.note_label_changes(events);
        self.note_moved_bases(events);
        self.follow(events);
    }

    /// What the forge does after a change: webhooks, checks, computing.
    pub(crate) fn follow(&mut self, events: &[ralph_forge::Event]) {
        for event in events {
            self.send_hook(event);
            let Some(repo) = RepoName::parse(&event.repo) else { continue };
            match &event.kind {
                EventKind::PullSynchronized { number, after, .. } => {
                    self.pulls_by_head.insert((repo.clone(), *after), *number);
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
                    self.judge_closing(&IssueKey::new(repo, *number));
                }
                EventKind::Issue { number, action: ralph_forge::ThreadAction::Opened } => {
                    self.meet_new_issue(&IssueKey::new(repo, *number));
                }
                _other => {}
            }
        }
        if !events.is_empty() {
            self.last_act = self.now;
        }
        // A branch update that was accepted shows in no event until it is done.
        if !events.is_empty() || self.forge().has_background_work() {
            let delay = self.prng.between(500, 8_000);
            self.schedule.after(self.now, delay, Event::Background);
        }
    }

    /// Writes down every command on an issue that a person with the right has given.
    pub(crate) fn note_intent(&mut self, key: &IssueKey) {
        let mut page = Page::largest();
        loop {
            let call = IssueCall::Events { number: key.number, page };
            let Some(Reply::Timeline(events)) = self.look(&key.repo, call) else { return };
            for entry in &events.items {
                let may = [OWNER, MAINTAINER, TRIAGER].contains(&entry.actor.as_str());
                let is_own = self.ledger.own_events.contains(&entry.id);
                if let (TimelineEvent::Labeled(label), true, false) = (&entry.event, may, is_own) {
                    self.note_order(key, entry.id, &label.name);
                }
            }
            if page.number == events.last_page() {
                return;
            }
            page.number += 1;
        }
    }
}

/// How the forge stands in this town, with that many requests per hour for each.
pub(crate) fn site_settings(requests_per_hour_max: u32) -> SiteSettings {
    let base_url = FORGE.to_owned();
    SiteSettings { base_url, requests_per_hour_max, ..SiteSettings::default() }
}

pub(crate) fn sha(sha: ralph_forge::Sha) -> Sha {
    Sha::new(&sha.to_string())
}

pub(crate) fn root() -> ManagedRoot {
    #[expect(clippy::expect_used, reason = "the root is a constant of this file")]
    ManagedRoot::new(ROOT).expect("an absolute path without dots")
}
