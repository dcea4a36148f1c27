//! Promises about recovery lanes: their attempts are bounded, whatever Ralph says of them, and are never forgotten.

use crate::oracle::Oracle;
use ralph_core::bound::Bound;
use ralph_core::escalation::Cause;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{Managed, Phase};
use ralph_core::job::Turn;
use ralph_core::lane::{How, Lane, LaneBook, LaneEnd, Trigger, in_all_max};
use ralph_core::parent::{Parent, ParentState};
use ralph_core::policy::RepoPolicy;
use ralph_core::steps::Step;
use ralph_core::triage::{RedCheck, triage};
use ralph_engine::Engine;
use std::collections::BTreeMap;

const CI_DEBUG_SPENT: &str = "CI-debug attempts";
const CI_DEBUG_REPEATS: &str = "CI-debug repeats";
const CONFLICT_SPENT: &str = "merge-conflict attempts";
const CONFLICT_REPEATS: &str = "merge-conflict repeats";
const VERIFICATION_SPENT: &str = "parent verification turns";
const STALLS_SPENT: &str = "stalled turns";

/// The bounds that each have to be reached in some run.
pub(crate) const BOUNDS: [&str; 6] = [
    CI_DEBUG_SPENT,
    CI_DEBUG_REPEATS,
    CONFLICT_SPENT,
    CONFLICT_REPEATS,
    VERIFICATION_SPENT,
    STALLS_SPENT,
];

impl Oracle {
    /// A turn begins: is it one of a lane?
    pub(crate) fn note_lane_turn(&mut self, issue: &IssueKey, turn: &Turn) {
        let Some(lane) = turn.role.lane() else { return };
        self.record.lane_runs.entry((issue.clone(), lane)).or_default().insert(turn.run.run);
    }

    /// Ralph has a check of a commit run again.
    pub(crate) fn judge_rerun(&mut self, repo: &RepoName, head: String, name: &str) {
        let count = self.record.reruns.entry((repo.clone(), head, name.to_owned())).or_insert(0);
        *count += 1;
        let count = *count;
        if count > 1 {
            self.broken("T1", format!("{name} of {repo} was run again {count} times"));
        }
    }

    /// No lane repairs a check that only chance made red, unless its log could not be read.
    fn judge_attempt(&mut self, key: &IssueKey, trigger: &Trigger) {
        let [found] = trigger.found.as_slice() else { return };
        let place = (key.repo.clone(), trigger.head.to_string(), found.name.clone());
        if !self.record.by_chance.contains(&place) {
            return;
        }
        // What Ralph never saw red, because no read came in time, is late to it.
        let late = RedCheck { name: &found.name, conclusion: "timed_out", log: "" };
        let is_late = trigger.signature == triage(&late).signature.to_string();
        let is_read = trigger.signature != found.name && !is_late;
        if is_read && !self.record.reruns.contains_key(&place) {
            self.broken("T1", format!("{key} is repaired before {} ran again", found.name));
        }
    }

    /// Attempts stay within their bound, and only a person's `queue` forgets them.
    pub(crate) fn judge_lanes(&mut self, key: &IssueKey, managed: &Managed, engine: &Engine) {
        let Some(rules) = engine.policy().repo(&key.repo) else { return };
        let now = self.clock.ralph_time();
        for lane in Lane::ALL {
            let attempts = managed.lanes.attempts(lane);
            let count = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
            let numbers: Vec<u32> = attempts.iter().map(|attempt| attempt.run.run).collect();
            let first = numbers.first().copied();
            let known =
                self.record.lane_attempts.insert((key.clone(), lane), (now, numbers.clone()));
            let (since, before) = known.unwrap_or((now, Vec::new()));
            if !numbers.starts_with(&before) && !self.is_queued_again(engine, key, since) {
                self.broken(
                    "I12",
                    format!("{key} forgot {lane} attempts: {before:?}, {numbers:?}"),
                );
            }
            if let (Lane::CiDebug, Some(last)) = (lane, attempts.last()) {
                self.judge_attempt(key, &last.trigger);
            }
            let spawned = attempts.iter().filter(|attempt| attempt.how == How::Spawn).count();
            let runs = self.record.lane_runs.get(&(key.clone(), lane)).into_iter().flatten();
            // A lane that began before the issue was queued again may go on afterwards.
            let is_resumed =
                |run: u32| attempts.iter().any(|it| it.how == How::Resume && it.run.run == run);
            let runs = runs.filter(|run| first.is_some_and(|first| **run >= first));
            let runs = runs.filter(|run| !is_resumed(**run)).count();
            let limit = rules.limits.of(lane.bound());
            let in_vain = managed.lanes.book(lane).map_or(0, LaneBook::in_vain);
            if in_vain > limit || count > in_all_max(limit) || runs > spawned {
                self.broken("I12", format!("{key} had {runs} {lane} runs, {count} attempts"));
            }
        }
        let spent = bound_reached(managed).map(|(name, episode)| (name, key.clone(), episode));
        let seeded = seeded_run(managed, rules).map(|run| (VERIFICATION_SPENT, key.clone(), run));
        for reached in spent.into_iter().chain(seeded) {
            let name = reached.0;
            if self.record.bounds.insert(reached) {
                *self.record.lane_ends.entry(name).or_insert(0) += 1;
            }
        }
    }

    /// Runs of this lane that an agent took a turn of.
    pub(crate) fn runs_in(&self, lane: Lane) -> u64 {
        let runs = self.record.lane_runs.iter().filter(|((_, of), _)| *of == lane);
        runs.map(|(_, runs)| runs.len() as u64).sum()
    }

    /// The number of runs in each lane.
    pub(crate) fn lanes_taken(&self) -> BTreeMap<&'static str, u64> {
        let mut taken: BTreeMap<_, _> =
            Lane::ALL.iter().map(|lane| (lane.name(), self.runs_in(*lane))).collect();
        taken.insert("parent verification", self.record.verifications);
        taken.insert("trial of a batch", self.record.trials.len() as u64);
        taken.insert("survey", self.record.surveys.len() as u64);
        taken.insert("merge lost on its way", self.record.merges_lost);
        taken.insert("push right before a merge", self.record.merges_pushed);
        taken
    }
}

/// The bound that a repair has reached, if a person is asked because of it, and the episode.
fn bound_reached(managed: &Managed) -> Option<(&'static str, u32)> {
    let Phase::Escalated { cause, episode } = &managed.phase else { return None };
    let name = match cause {
        Cause::LaneSpent { lane, end, .. } => match (lane, end) {
            (Lane::CiDebug, LaneEnd::Attempts | LaneEnd::Total) => CI_DEBUG_SPENT,
            (Lane::CiDebug, LaneEnd::Repeats) => CI_DEBUG_REPEATS,
            (Lane::MergeConflict, LaneEnd::Attempts | LaneEnd::Total) => CONFLICT_SPENT,
            (Lane::MergeConflict, LaneEnd::Repeats) => CONFLICT_REPEATS,
        },
        Cause::Stalled { .. } => STALLS_SPENT,
        _other => return None,
    };
    Some((name, *episode))
}

/// The run of a parent that is worked on because verification could not tell, however often it was asked.
fn seeded_run(managed: &Managed, rules: &RepoPolicy) -> Option<u32> {
    let run = managed.run.as_ref()?;
    let is_seeded = |parent: &Parent| matches!(parent.state, ParentState::Seeded { .. });
    let is_spent = run.spent.of(Bound::Step(Step::ParentVerify))
        >= rules.limits.of(Bound::Step(Step::ParentVerify));
    (is_spent && run.parent.as_ref().is_some_and(is_seeded)).then_some(run.id.run)
}
