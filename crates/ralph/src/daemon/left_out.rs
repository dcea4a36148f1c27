//! Configured repositories in which nothing can be done. That is reported before an agent has worked for nothing,
//! and looked at again from time to time: rights are given, names are mended.

use super::tasks::Task;
use super::{Daemon, Event};
use crate::config::Config;
use crate::daemon_status::{Degraded, DegradedKind};
use crate::hindrance::{Hindrance, hindrances};
use ralph_core::ids::{Login, RepoName};
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_core::watch::Pace;
use ralph_engine::EngineError;
use ralph_github::{Client, Transport};
use std::collections::{BTreeMap, BTreeSet};

/// A repository that is not worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) repo: RepoName,
    pub(crate) why: String,
}

/// The result of a look at a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Looked {
    Usable,
    Unusable(String),
    /// A forge that does not answer now may do so later: only its word counts.
    NoAnswer,
}

/// Asks the forge whether `us` can work in a repository.
pub(super) fn look<T: Transport>(client: &mut Client<T>, us: &Login, name: &RepoName) -> Looked {
    let Ok(found) = client.repository(name) else { return Looked::NoAnswer };
    match hindrances(us, name, found.as_ref()).first() {
        Some(Hindrance { says, next }) => Looked::Unusable(format!("{says}; {next}")),
        None => Looked::Usable,
    }
}

/// Everything that is configured and not worked in.
#[derive(Debug)]
pub(super) struct Outside {
    /// The reason; `None` until the first look at one that was added to the file.
    repos: BTreeMap<RepoName, Option<String>>,
    /// Looks that are under way.
    asked: BTreeSet<RepoName>,
    next_look: Time,
}

impl Outside {
    /// There was no look yet.
    pub(super) const fn unknown(now: Time) -> Self {
        Self { repos: BTreeMap::new(), asked: BTreeSet::new(), next_look: now }
    }

    /// Looks at all that is configured.
    pub(super) fn find<T: Transport>(
        client: &mut Client<T>,
        us: &Login,
        config: &Config,
        now: Time,
    ) -> Self {
        let why = |name: &RepoName| match look(client, us, name) {
            Looked::Unusable(why) => Some((name.clone(), Some(why))),
            Looked::Usable | Looked::NoAnswer => None,
        };
        let repos = config.repos.keys().filter_map(why).collect();
        let next_look = now.plus(Pace::Rarely.every(config.poll_interval));
        Self { repos, asked: BTreeSet::new(), next_look }
    }

    pub(super) fn contains(&self, repo: &RepoName) -> bool {
        self.repos.contains_key(repo)
    }

    /// A policy in which nothing is done to these, and commands for them wait.
    pub(super) fn exclude(&self, policy: &mut Policy) {
        policy.left_out = policy.repos.keys().filter(|name| self.contains(name)).cloned().collect();
        policy.repos.retain(|name, _| !self.contains(name));
    }

    pub(super) fn left_out(&self) -> impl Iterator<Item = LeftOut> {
        let known = self.repos.iter().filter_map(|(repo, why)| Some((repo, why.as_ref()?)));
        known.map(|(repo, why)| LeftOut { repo: repo.clone(), why: why.clone() })
    }

    pub(super) fn degraded(&self) -> impl Iterator<Item = Degraded> {
        self.left_out().map(|LeftOut { repo, why }| {
            Degraded::new(DegradedKind::Repository, repo.to_string(), why, Some(self.next_look))
        })
    }

    /// Keeps what is still configured, and waits for a look at what is new. The next look is due at once.
    pub(super) fn configured(&mut self, before: &Config, config: &Config, now: Time) {
        self.repos.retain(|repo, _| config.repos.contains_key(repo));
        let new = config.repos.keys().filter(|repo| !before.repos.contains_key(*repo));
        self.repos.extend(new.map(|repo| (repo.clone(), None)));
        self.next_look = now;
    }

    /// The time of the next look, if there is one.
    pub(super) fn next_time(&self) -> Option<Time> {
        (!self.repos.is_empty()).then_some(self.next_look)
    }
}

impl Daemon {
    /// Sends a task to look once it is time.
    pub(super) fn look_outside(&mut self, now: Time) {
        if self.outside.next_time().is_none_or(|next| now < next) {
            return;
        }
        let repos: Vec<_> = self.outside.repos.keys().cloned().collect();
        self.look_at(repos);
        let pause = Pace::Rarely.every(self.engine.policy().poll_interval);
        self.outside.next_look = now.plus(pause);
    }

    /// Sends tasks to look at all configured repositories.
    pub(super) fn look_everywhere(&mut self, now: Time) {
        self.outside.next_look = now.plus(Pace::Rarely.every(self.engine.policy().poll_interval));
        self.look_at(self.settings.current.repos.keys().cloned().collect());
    }

    fn look_at(&mut self, repos: Vec<RepoName>) {
        for repo in repos {
            if self.outside.asked.insert(repo.clone()) {
                self.tasks.send(Task::Look { us: self.identity.login.clone(), repo });
            }
        }
    }

    /// Takes in what a look showed.
    pub(super) fn looked(
        &mut self,
        now: Time,
        repo: RepoName,
        found: Looked,
    ) -> Result<(), EngineError> {
        self.outside.asked.remove(&repo);
        if !self.settings.current.repos.contains_key(&repo) {
            return Ok(());
        }
        let known = self.outside.repos.get(&repo).cloned();
        match (found, known) {
            (Looked::Usable | Looked::NoAnswer, None) | (Looked::NoAnswer, Some(Some(_))) => Ok(()),
            (Looked::Unusable(why), known) => {
                if known.flatten().as_ref() != Some(&why) {
                    self.events
                        .emit(Event::LeftOut(&LeftOut { repo: repo.clone(), why: why.clone() }));
                }
                self.outside.repos.insert(repo, Some(why));
                self.apply_policy(now)
            }
            (Looked::Usable, Some(_)) | (Looked::NoAnswer, Some(None)) => {
                self.events.emit(Event::Note(&format!("{repo} is worked in from now on")));
                self.outside.repos.remove(&repo);
                self.apply_policy(now)
            }
        }
    }
}
