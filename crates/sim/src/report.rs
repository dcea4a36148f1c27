//! Many runs, played on all cores, and their sum.

use crate::faults::Fault;
use crate::oracle::BOUNDS;
use crate::run::{LaneEnds, Options, SimRun, play};
use ralph_engine::EngineError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

/// A run that broke a promise.
#[derive(Debug)]
pub struct Failure {
    pub seed: u64,
    pub what: String,
    pub lines: Vec<String>,
}

/// The count of a scripted event over all runs.
#[derive(Debug)]
pub struct Had {
    pub all: u64,
    pub fewest: u64,
}

/// The sum of many runs.
#[derive(Debug, Default)]
pub struct Sum {
    pub runs: u64,
    pub steps: u64,
    pub crashes: u64,
    pub escalations: u64,
    pub lane_ends: LaneEnds,
    pub facts_forgotten: u64,
    pub done: u64,
    pub stopped: u64,
    pub other: u64,
    pub simulated_hours: u64,
    pub faults: BTreeMap<Fault, u64>,
    /// Events that every run has: the count in all, and in the run with the fewest.
    pub had: BTreeMap<&'static str, Had>,
    /// Runs that lacked one, by seed.
    pub lacks: Vec<(u64, &'static str)>,
    pub failures: Vec<Failure>,
}

impl Sum {
    fn add(&mut self, seed: u64, run: Result<SimRun, EngineError>) {
        self.runs += 1;
        let run = match run {
            Ok(run) => run,
            Err(error) => {
                let what = format!("the engine failed: {error}");
                self.failures.push(Failure { seed, what, lines: Vec::new() });
                return;
            }
        };
        self.steps += run.steps;
        self.crashes += run.crashes;
        self.escalations += run.escalations;
        for (end, count) in &run.lane_ends {
            *self.lane_ends.entry(*end).or_insert(0) += count;
        }
        self.facts_forgotten += run.facts_forgotten;
        self.done += run.ends.done;
        self.stopped += run.ends.stopped;
        self.other += run.ends.other;
        self.simulated_hours += run.simulated_hours;
        for (fault, count) in &run.faults {
            *self.faults.entry(*fault).or_insert(0) += count;
        }
        for (name, count) in crate::faults::script::had(&run) {
            let had = self.had.entry(name).or_insert(Had { all: 0, fewest: count });
            had.all += count;
            had.fewest = count.min(had.fewest);
            // A run that was broken off may not have come to it.
            if count == 0 && run.violations.is_empty() {
                self.lacks.push((seed, name));
            }
        }
        if let Some(violation) = run.violations.first() {
            let what = format!("{}: {}", violation.rule, violation.detail);
            self.failures.push(Failure { seed, what, lines: run.lines });
        }
    }

    /// The last line of a run.
    #[must_use]
    pub fn json(&self, seconds: f64) -> Value {
        let faults: Map<_, _> = Fault::ALL
            .iter()
            .map(|fault| {
                let count = self.faults.get(fault).copied().unwrap_or(0);
                (fault.name().to_owned(), Value::from(count))
            })
            .collect();
        let had = |(name, Had { all, fewest }): (&&str, &Had)| {
            ((*name).to_owned(), json!({ "all": all, "fewest_per_life": fewest }))
        };
        let had: Map<_, _> = self.had.iter().map(had).collect();
        let bound = |name: &&str| {
            let count = self.lane_ends.get(name).copied().unwrap_or(0);
            ((*name).to_owned(), Value::from(count))
        };
        let bounds: Map<_, _> = BOUNDS.iter().map(bound).collect();
        let per_second = |count: u64| (count as f64 / seconds.max(1e-9)).round();
        json!({
            "lives": self.runs,
            "violations": self.failures.len(),
            "steps": self.steps,
            "steps_per_life": self.steps / self.runs.max(1),
            "simulated_hours": self.simulated_hours,
            "faults": faults,
            "in_every_life": had,
            "lacking": self.lacks.len(),
            "crashes": self.crashes,
            "escalations": self.escalations,
            "lane_bounds_reached": bounds,
            "facts_forgotten": self.facts_forgotten,
            "done": self.done,
            "stopped": self.stopped,
            "other_ends": self.other,
            "lives_per_second": per_second(self.runs),
            "steps_per_second": per_second(self.steps),
        })
    }
}

/// Plays runs `start..start + count` on this many threads.
#[must_use]
pub fn play_many(start: u64, count: u64, threads: usize) -> Sum {
    let next = AtomicU64::new(start);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= start + count {
                        break;
                    }
                    let run = play(&Options::of_seed(seed));
                    // The store of a finished run is not needed for the sum.
                    let run = run.map(|run| SimRun { store: None, ..run });
                    if sender.send((seed, run)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut runs: Vec<_> = receiver.into_iter().collect();
        runs.sort_by_key(|(seed, _)| *seed);
        let mut sum = Sum::default();
        for (seed, run) in runs {
            sum.add(seed, run);
        }
        sum
    })
}
