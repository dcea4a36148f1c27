//! The search for planted bugs: runs are played until the checker that is named for a bug fires.

use super::Bug;
use crate::run::{Options, play};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// The number of runs played until a bug shows itself; most do in the first few.
const RUNS_MAX: u64 = 400;

/// Any bug may keep a run from its good end as well.
const MAY_ALWAYS_FIRE: [&str; 2] = ["L1", "L2"];

/// The result of the search for a planted bug.
#[derive(Debug)]
pub struct Catch {
    pub bug: Bug,
    /// The first run in which the rule named for it fired.
    pub seed: Option<u64>,
    /// Rules that fired although they are not named for it.
    pub unexpected: BTreeSet<&'static str>,
}

/// Plays every bug of the catalogue until it is caught, on this many threads.
#[must_use]
pub fn catch_all(threads: usize) -> Vec<Catch> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(bug) = Bug::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send(catch(*bug)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut catches: Vec<_> = receiver.into_iter().collect();
        catches.sort_by_key(|catch| catch.bug);
        catches
    })
}

fn catch(bug: Bug) -> Catch {
    let mut unexpected = BTreeSet::new();
    let seed = (1..=RUNS_MAX).find(|seed| {
        let Ok(run) = play(&Options { bug: Some(bug), ..Options::of_seed(*seed) }) else {
            return false;
        };
        let fired: BTreeSet<_> = run.violations.iter().map(|violation| violation.rule).collect();
        let is_named =
            |rule: &&&str| bug.caught_by().contains(*rule) || MAY_ALWAYS_FIRE.contains(*rule);
        unexpected.extend(fired.iter().filter(|rule| !is_named(rule)));
        bug.caught_by().first().is_some_and(|rule| fired.contains(rule))
    });
    Catch { bug, seed, unexpected }
}
