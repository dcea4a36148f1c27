//! The forge side of the world: the model of GitHub, what it refuses or hides for a while, and how far its replicas lag.

pub(crate) mod check_runner;
mod commits;
mod hooks;
pub(crate) mod transport;
mod unreadable;
mod views;

pub(crate) use unreadable::Unreadable;
pub(crate) use views::ShownAnswer;

use crate::clock::SimClock;
use crate::world::{FORGE, MAINTAINER, OWNER, PLENTY};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::time::{Span, Time};
use ralph_forge::{Forge, Operation, Site, SiteSettings, on};
use std::collections::{BTreeMap, BTreeSet};

/// A stale read shows the state before a change that is at most this old.
pub(crate) const STALE_MAX: Span = Span::from_secs(58);

#[derive(Debug)]
pub(crate) struct ForgeSide {
    pub(crate) clock: SimClock,
    pub(crate) site: Site,
    /// The forge before a recent change, for stale reads.
    pub(crate) before: Option<(Time, Site)>,
    pub(crate) repos: Vec<RepoName>,
    /// The account of Ralph's token: its own, or the owner's.
    pub(crate) login: &'static str,
    /// The checks that the operator requires to be green.
    pub(crate) required: Option<Vec<String>>,
    /// Pull requests by the heads they have had.
    pub(crate) pulls_by_head: BTreeMap<(RepoName, ralph_forge::Sha), u64>,
    /// Pull requests whose checks only a person makes green.
    pub(crate) doomed_pulls: BTreeSet<(RepoName, u64)>,
    pub(crate) unreadable: Unreadable,
    pub(crate) labels_refused_until: Time,
    pub(crate) credentials_refused_until: Time,
    /// Conversations in which Ralph may not comment, and until when.
    pub(crate) locked: BTreeMap<IssueKey, Time>,
    /// The end of Ralph's hour of requests, as the forge last said, in Unix seconds.
    pub(crate) window_ends: u64,
    /// The time of the last change.
    pub(crate) last_act: Time,
}

impl ForgeSide {
    pub(crate) fn new(clock: SimClock, login: &'static str) -> Self {
        Self {
            site: Site::new(site_settings(PLENTY)),
            before: None,
            repos: Vec::new(),
            login,
            required: None,
            pulls_by_head: BTreeMap::new(),
            doomed_pulls: BTreeSet::new(),
            unreadable: Unreadable::default(),
            labels_refused_until: Time(0),
            credentials_refused_until: Time(0),
            locked: BTreeMap::new(),
            window_ends: 0,
            last_act: clock.now(),
            clock,
        }
    }

    /// From now on each user has that many requests per hour.
    pub(crate) fn offer_requests(&mut self, per_hour: u32) {
        let site = std::mem::take(&mut self.site);
        self.site = site.with_settings(site_settings(per_hour));
    }

    pub(crate) fn model(&self) -> &Forge {
        self.site.forge()
    }

    pub(crate) fn model_mut(&mut self) -> &mut Forge {
        self.site.forge_mut()
    }

    /// Reads the forge with full rights and without faults.
    pub(crate) fn look<O: Operation>(&mut self, repo: &RepoName, call: O) -> Option<O::Reply> {
        let now = self.clock.seconds();
        self.site.look(OWNER, now, on(repo.as_str(), call)).ok()
    }

    /// The commit of the mark on a repository.
    pub(crate) fn mark_of(&self, repo: &RepoName) -> Option<ralph_forge::Sha> {
        self.model().reference(repo.as_str(), "refs/ralph/instance")
    }

    /// The forge as a lagging replica shows it, if there is one.
    pub(crate) fn stale(&mut self) -> Option<&mut Site> {
        let now = self.clock.now();
        let recent = self.before.as_mut().filter(|(at, _)| now.since(*at) <= STALE_MAX);
        recent.map(|(_, site)| site)
    }

    /// The login of the person who gives Ralph commands: the owner, where Ralph has the owner's token.
    pub(crate) fn keeper(&self) -> &'static str {
        if self.login == OWNER { OWNER } else { MAINTAINER }
    }
}

/// The settings of the forge, with that many requests per hour for each user.
fn site_settings(requests_per_hour_max: u32) -> SiteSettings {
    let base_url = FORGE.to_owned();
    SiteSettings { base_url, requests_per_hour_max, ..SiteSettings::default() }
}
