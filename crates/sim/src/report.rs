//! Many lives, played on all cores, and their sum.

use crate::fate;
use crate::invariants::BOUNDS;
use crate::life::{LaneEnds, Life, Options, play};
use crate::weather::Fault;
use ralph_engine::EngineError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

/// A life that broke a promise.
#[derive(Debug)]
pub struct Failure {
    pub seed: u64,
    pub what: String,
    pub lines: Vec<String>,
}

/// How often there was something.
#[derive(Debug)]
pub struct Had {
    pub all: u64,
    pub fewest: u64,
}

/// The sum of many lives.
#[derive(Debug, Default)]
pub struct Sum {
    pub lives: u64,
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
    /// What every life has, how often in all and how often in the life with the fewest.
    pub had: BTreeMap<&'static str, Had>,
    /// Lives that did not have it, by seed.
    pub lacks: Vec<(u64, &'static str)>,
    pub failures: Vec<Failure>,
}

impl Sum {
    fn add(&mut self, seed: u64, life: Result<Life, EngineError>) {
        self.lives += 1;
        let life = match life {
            Ok(life) => life,
            Err(error) => {
                let what = format!("the engine failed: {error}");
                self.failures.push(Failure { seed, what, lines: Vec::new() });
                return;
            }
        };
        self.steps += life.steps;
        self.crashes += life.crashes;
        self.escalations += life.escalations;
        for (end, count) in &life.lane_ends {
            *self.lane_ends.entry(*end).or_insert(0) += count;
        }
        self.facts_forgotten += life.facts_forgotten;
        self.done += life.ends.done;
        self.stopped += life.ends.stopped;
        self.other += life.ends.other;
        self.simulated_hours += life.simulated_hours;
        for (fault, count) in &life.faults {
            *self.faults.entry(*fault).or_insert(0) += count;
        }
        for (name, count) in fate::had(&life) {
            let had = self.had.entry(name).or_insert(Had { all: 0, fewest: count });
            had.all += count;
            had.fewest = count.min(had.fewest);
            // A life that was broken off may not have come to it.
            if count == 0 && life.violations.is_empty() {
                self.lacks.push((seed, name));
            }
        }
        if let Some(violation) = life.violations.first() {
            let what = format!("{}: {}", violation.rule, violation.detail);
            self.failures.push(Failure { seed, what, lines: life.lines });
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
            "lives": self.lives,
            "violations": self.failures.len(),
            "steps": self.steps,
            "steps_per_life": self.steps / self.lives.max(1),
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
            "lives_per_second": per_second(self.lives),
            "steps_per_second": per_second(self.steps),
        })
    }
}

/// Plays lives `start..start + count` on this many threads.
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
                    let life = play(&Options::of_seed(seed));
                    // The store of a finished life is not needed for the sum.
                    let life = life.map(|life| Life { store: None, ..life });
                    if sender.send((seed, life)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut lives: Vec<_> = receiver.into_iter().collect();
        lives.sort_by_key(|(seed, _)| *seed);
        let mut sum = Sum::default();
        for (seed, life) in lives {
            sum.add(seed, life);
        }
        sum
    })
}
