//! The good end: after the faults, while people answer, every issue must come to its end, and the forge must show
//! it.

use crate::oracle::Oracle;
use crate::world::SimWorld;
use ralph_core::ids::IssueKey;
use ralph_core::issue::{Blocked, BlockedSource, Issue, Phase};
use ralph_core::policy::AutoQueue;
use ralph_core::standing::Standing;
use ralph_core::time::Time;
use ralph_engine::Engine;

/// The ends of the issues of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ends {
    pub done: u64,
    pub stopped: u64,
    pub other: u64,
}

impl SimWorld {
    /// Is there nothing left that would move without a person?
    pub(crate) fn is_over(&mut self, engine: &Engine) -> bool {
        let now = self.clock.ralph_time();
        engine.outbox().next().is_none()
            && !self.forge.refuses_reads()
            && self.people.unseen(engine).is_none()
            && engine
                .world()
                .issues()
                .all(|(key, issue)| self.oracle.end_of(engine, now, key, issue).is_some())
            && self.forge.lacks_of_default(engine).is_none()
            && self.forge.waits_for_ended_pull(engine).is_none()
            && self.oracle.unfollowed(&mut self.forge).is_none()
            && self.oracle.untold_proposal().is_none()
    }

    pub(crate) fn judge_end(&mut self, engine: &Engine) -> Ends {
        let left: Vec<_> = engine.outbox().map(|row| row.key.clone()).collect();
        if !left.is_empty() {
            self.oracle.broken("L1", format!("still in the outbox: {}", left.join(", ")));
        }
        if let Some(head) = self.forge.lacks_of_default(engine) {
            self.oracle.broken("L4", format!("the bot branch lacks {head} of the default branch"));
        }
        if let Some((key, on)) = self.forge.waits_for_ended_pull(engine) {
            self.oracle.broken("L2", format!("{key} waits for {on}, which is merged or closed"));
        }
        if let Some(key) = self.people.unseen(engine) {
            self.oracle.broken("L2", format!("{key} was never seen"));
        }
        let alive: Vec<_> = self.machine.processes.iter().filter(|(_, p)| p.is_alive).collect();
        if let Some(((issue, attempt), _)) = alive.first() {
            self.oracle.broken("L3", format!("attempt {attempt} of {issue} is still running"));
        }
        if let Some(branch) = self.forge.leftover_sync_branch() {
            self.oracle.broken("L3", format!("{branch} is merged, and still there"));
        }
        if let Some(trial) = self.forge.leftover_trial() {
            self.oracle.broken("L3", format!("{trial} is still there, and its trial is over"));
        }
        let is_known = |path: &&String| {
            let mut managed =
                engine.world().issues().filter_map(|(_, issue)| issue.managed.as_ref());
            managed.any(|managed| managed.worktrees.iter().any(|known| known.as_str() == **path))
        };
        if let Some(path) = self.machine.worktrees.keys().find(|path| !is_known(path)).cloned() {
            self.oracle.broken("L3", format!("{path} is still there, and Ralph does not know"));
        }
        let (mut ends, now) = (Ends::default(), self.clock.ralph_time());
        for (key, issue) in engine.world().issues() {
            match self.oracle.end_of(engine, now, key, issue) {
                Some(End::Done) => ends.done += 1,
                Some(End::Stopped) => ends.stopped += 1,
                Some(End::Out | End::Behind) => ends.other += u64::from(issue.managed.is_some()),
                None => self
                    .oracle
                    .broken("L2", format!("{key} did not end: {}", standing_of(engine, key))),
            }
            if issue.managed.is_some() {
                self.oracle.judge_labels_at_end(&mut self.forge, key, issue);
            }
        }
        self.oracle.judge_waiting(engine.world());
        self.oracle.judge_ghosts(engine.world());
        self.oracle.judge_follow_ups(&mut self.forge, engine.world());
        self.oracle.judge_papercuts(engine.world());
        self.oracle.judge_orders(&mut self.forge, engine.world());
        ends
    }
}

impl Oracle {
    /// The good ends. What Ralph has opened is for people, who may leave it open.
    fn end_of(&self, engine: &Engine, now: Time, key: &IssueKey, issue: &Issue) -> Option<End> {
        if self.is_for_people(key) { Some(End::Out) } else { end_of(engine, now, key, issue) }
    }
}

enum End {
    Done,
    Stopped,
    Out,
    /// Waits for another issue that was given up.
    Behind,
}

/// An issue behind one that people gave up waits for ever, and says so.
fn end_of(engine: &Engine, now: Time, key: &IssueKey, issue: &Issue) -> Option<End> {
    let Some(managed) = issue.managed.as_deref() else {
        let rules = engine.policy().repo(&key.repo);
        let is_wanted = rules.is_some_and(|it| it.auto_queue == AutoQueue::AllOpen);
        return (!is_wanted || !issue.is_open() || issue.is_pull()).then_some(End::Out);
    };
    // A rollup that people closed is not opened again until something new joins it.
    let awaits = |of: &IssueKey| {
        engine.world().repo(&of.repo).is_some_and(|repo| repo.batch.awaits_new_member)
    };
    let is_at_rest = ralph_core::check::is_at_rest(issue, now);
    match &managed.phase {
        _ if !is_at_rest => None,
        Phase::Done { is_closed, .. } => {
            let is_clean = managed.worktrees.is_empty();
            ((*is_closed || !issue.is_open()) && is_clean).then_some(End::Done)
        }
        Phase::Stopped { .. } => managed.worktrees.is_empty().then_some(End::Stopped),
        Phase::Out => managed.worktrees.is_empty().then_some(End::Out),
        Phase::Queued | Phase::Parked { .. } => {
            // A person is asked about a blocker that does not exist, and corrects the text.
            let is_end = |blocked: &&Blocked| blocked.source != BlockedSource::DepsMissing;
            let blocked = managed.blocked.as_ref().filter(is_end)?;
            let is_final = |on: &IssueKey| {
                let given_up = engine.world().issue(on).is_none_or(|blocker| {
                    let phase = blocker.managed.as_ref().map(|managed| &managed.phase);
                    let is_stuck = matches!(phase, Some(Phase::InBot { .. })) && awaits(on);
                    // A child that people reopened after it was done blocks its parent again.
                    let is_reopened =
                        matches!(phase, Some(Phase::Done { .. })) && blocker.is_open();
                    is_stuck
                        || is_reopened
                        || matches!(phase, None | Some(Phase::Stopped { .. } | Phase::Out))
                        || blocker.managed.as_ref().is_some_and(|managed| managed.blocked.is_some())
                });
                given_up && on != key
            };
            blocked.by.iter().any(is_final).then_some(End::Behind)
        }
        Phase::InBot { .. } => awaits(key).then_some(End::Behind),
        Phase::Running { .. } | Phase::Escalated { .. } => None,
    }
}

fn standing_of(engine: &Engine, key: &IssueKey) -> String {
    let subject = ralph_core::fact::Subject::Issue(key.clone());
    let found = engine.standings().find(|(known, _)| **known == subject);
    found.map_or("no verdict".to_owned(), |(_, standing): (_, &Standing)| {
        ralph_core::words::standing(standing)
    })
}
