//! The daemon: one thread owns the engine, and everything that can wake it arrives as one kind of message.
//! Nothing here decides; it hands out what the engine wants done and takes in what became of it.

mod degraded;
mod events;
mod floods;
mod identity;
mod idle;
mod left_out;
mod measures;
mod metrics_endpoint;
mod own_home;
mod ports;
mod reload;
mod report;
mod requests;
mod room;
mod sweep;
mod tasks;
mod wake;
mod webhooks;
mod wiring;

pub(crate) use events::{Event, EventListener};
pub(crate) use identity::RunError;
pub(crate) use left_out::{LeftOut, Looked};
pub(crate) use ports::agents as agent_settings;
pub(crate) use sweep::Swept;
pub(crate) use wake::{Wake, Waker};
pub(crate) use wiring::{StartError, StartOptions, WebhookListener, author};

use crate::agent_versions::Warnings;
use crate::containment::Sandbox;
use crate::daemon_status::DaemonStatus;
use crate::home::Home;
use crate::log::Log;
use crate::notify::NotificationListener;
use crate::wall_clock;
use degraded::Troubles;
use events::Events;
use identity::Identity;
use idle::Unread;
use left_out::Outside;
use measures::Counts;
use ports::Variables;
use ralph_adapters::Adapters;
use ralph_adapters::jobs::Report;
use ralph_core::fact::{Fact, What, finished};
use ralph_core::time::{Span, Time};
use ralph_engine::store::StoreError;
use ralph_engine::{Engine, EngineError, Performed};
use ralph_github::Account;
use reload::Settings;
use requests::Requests;
use room::Room;
pub(crate) use room::free_bytes;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use sweep::Sweeping;
use tasks::{Task, Tasks};

/// The writer's lease lasts 60 s; an idle daemon renews it well before.
const LEASE_RENEWAL: Span = Span::from_secs(20);

/// Messages taken in before the engine is asked again what is to be done.
const WAKES_AT_ONCE: usize = 64;

/// The condition on which the daemon ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    Stopped,
    /// Nothing is left that moves without a person.
    Idle,
}

/// Everything that runs.
pub(crate) struct Daemon {
    engine: Engine,
    adapters: Adapters,
    account: Arc<Account>,
    tasks: Tasks,
    wakes: Receiver<Wake>,
    home: Home,
    status: DaemonStatus,
    events: Events,
    log: Log,
    counts: Counts,
    requests: Requests,
    /// The last entry of the journal that was reported.
    reported: u64,
    faults_reported: usize,
    /// Changes that were reported as held back.
    floods_reported: BTreeSet<String>,
    unread: Unread,
    identity: Identity,
    outside: Outside,
    troubles: Troubles,
    settings: Settings,
    sandbox: Sandbox,
    room: Room,
    variables: Variables,
    renewed: Time,
    sweeping: Sweeping,
    agent_versions: Warnings,
    /// Its socket is there while the store is ours, and no longer.
    notifications: Arc<NotificationListener>,
}

impl Daemon {
    /// Runs until it is stopped or idle. Processes under way are ended first.
    pub(crate) fn run(mut self, until: Until) -> Result<(), RunError> {
        let _log = self.log.here();
        let ended = self.go_on(until);
        match &ended {
            Ok(()) => tracing::info!("ended"),
            Err(error) => tracing::error!(why = %error, "ended"),
        }
        self.adapters.end_all();
        self.tasks.close();
        self.notifications.leave();
        self.report(wall_clock::now());
        ended
    }

    fn go_on(&mut self, until: Until) -> Result<(), RunError> {
        loop {
            let now = wall_clock::now();
            self.engine.tick(now)?;
            self.hand_out(now)?;
            self.keep_house(now)?;
            self.look_at_settings(now)?;
            self.look_at_disk(now)?;
            self.ask_who_we_are(now);
            self.look_outside(now);
            self.report_facts()?;
            self.report_faults();
            self.report_floods(now);
            self.report(now);
            if until == Until::Idle && self.is_idle(now) {
                return Ok(());
            }
            let patience = self.patience(wall_clock::now());
            let mut wake = match self.wakes.recv_timeout(patience) {
                Ok(wake) => Some(wake),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            for _ in 0..WAKES_AT_ONCE {
                let Some(next) = wake.take() else { break };
                if matches!(next, Wake::Stop) {
                    return Ok(());
                }
                self.take(next)?;
                wake = self.wakes.try_recv().ok();
            }
            if let Some(left) = wake {
                self.take(left)?;
            }
        }
    }

    /// Gives every question and every effect that is due to a worker.
    fn hand_out(&mut self, now: Time) -> Result<(), EngineError> {
        while let Some(question) = self.engine.next_question(now)? {
            self.tasks.send(Task::Ask(Box::new(question)));
        }
        while let Some(claimed) = self.engine.lease(now)? {
            self.tasks.send(Task::Perform(Box::new(claimed)));
        }
        Ok(())
    }

    /// All that can happen to a daemon.
    fn take(&mut self, wake: Wake) -> Result<(), RunError> {
        let now = wall_clock::now();
        match wake {
            Wake::Hints(hints) => {
                self.counts.hints += hints.len() as u64;
                hints.iter().for_each(|hint| self.engine.hint(now, hint));
            }
            Wake::Answered(reading) => {
                self.tasks.returned();
                self.unread.note(&reading);
                self.counts.read(reading.failed.is_some());
                self.troubles.note_reading(&reading);
                self.engine.take_reading(now, *reading)?;
            }
            Wake::Performed { id, performed } => {
                self.tasks.returned();
                self.note_performed(id, &performed);
                self.engine.settle(now, id, *performed)?;
            }
            Wake::Work(report) => match *report {
                Report::Finished { issue, attempt, outcome, texts, heard } => {
                    self.counts.finished(&self.engine, &issue, &outcome);
                    let facts = finished(&issue, attempt, heard, outcome);
                    self.engine.observe_with_texts(now, facts, texts)?;
                }
                Report::Used { issue, attempt, used } => {
                    let fact = Fact::of(issue, What::Used { attempt, used });
                    self.engine.observe(now, vec![fact])?;
                }
                Report::Suspected { issue, attempt, suspicion } => {
                    let fact = Fact::of(issue, What::Suspected { attempt, suspicion });
                    self.engine.observe(now, vec![fact])?;
                }
                Report::Output { issue, line, .. } => {
                    self.events.emit(Event::Output { issue: &issue, line: &line });
                }
            },
            Wake::Looked { repo, found } => {
                self.tasks.returned();
                self.looked(now, repo, found)?;
            }
            Wake::Identified(found) => {
                self.tasks.returned();
                self.identified(now, found)?;
            }
            Wake::Swept(swept) => {
                self.tasks.returned();
                self.swept(&swept);
            }
            Wake::Reload => {
                self.events.emit(Event::Note("reads the configuration again, as asked"));
                self.reload(now)?;
            }
            Wake::Notified => self.look_into_inbox(now)?,
            // The caller may have stopped waiting.
            Wake::Measure(reply) => drop(reply.send(self.measure(now))),
            Wake::Stop => {}
        }
        Ok(())
    }

    fn note_performed(&mut self, id: i64, performed: &Performed) {
        let Some(row) = self.engine.row(id) else { return };
        self.counts.performed(&row.effect.ordering_key(), performed);
        events::log_performed(&row.key, performed);
        if !matches!(performed, Performed::Happened(_)) {
            self.troubles.stir();
        }
    }

    fn look_into_inbox(&mut self, now: Time) -> Result<(), EngineError> {
        self.engine.take_inbox(now)?;
        let store = self.engine.store().ok_or(EngineError::Broken)?;
        let draining = store.draining().map_err(EngineError::Store)?.is_some();
        if draining != self.engine.policy().draining {
            let mut policy = self.engine.policy().clone();
            policy.draining = draining;
            self.engine.set_policy(now, policy)?;
        }
        Ok(())
    }

    /// A turn renews the lease, without any it would run out; and what is old makes room.
    fn keep_house(&mut self, now: Time) -> Result<(), EngineError> {
        if now.since(self.renewed) >= LEASE_RENEWAL {
            self.engine.observe(now, Vec::new())?;
            self.renewed = now;
        }
        self.sweep(now)
    }

    /// Each finding of the checker of decisions is a bug of Ralph.
    fn report_faults(&mut self) {
        let faults = self.engine.faults();
        for fault in faults.get(self.faults_reported..).unwrap_or_default() {
            let (subject, effect, rule) = (&fault.subject, &fault.effect, fault.rule);
            tracing::error!(%subject, effect, ?rule, "a bug: this decision breaks a rule and is not carried out");
        }
        self.faults_reported = faults.len();
    }

    /// The same change over and over is a bug of Ralph's own too.
    fn report_floods(&mut self, now: Time) {
        if floods::log(&self.engine.floods(now), &mut self.floods_reported) {
            self.troubles.stir();
        }
    }

    /// Tells what was learned and decided since the last time.
    fn report_facts(&mut self) -> Result<(), StoreError> {
        let Some(store) = self.engine.store() else { return Ok(()) };
        for entry in store.journal_after(self.reported)? {
            self.reported = entry.seq;
            self.troubles.note(&entry.fact);
            self.counts.facts += 1;
            self.events.emit(Event::Fact(&entry));
        }
        Ok(())
    }

    /// The time until something has to be done, if no message arrives.
    fn patience(&self, now: Time) -> Duration {
        let renewal = self.renewed.plus(LEASE_RENEWAL).min(self.settings.next_look());
        let own = self.outside.next_time().into_iter().chain(self.identity.next_time());
        let times = self.engine.next_time().into_iter().chain(own);
        let next = times.fold(renewal, Time::min);
        let millis = u64::try_from(next.since(now).as_millis()).unwrap_or_default();
        Duration::from_millis(millis)
    }
}
