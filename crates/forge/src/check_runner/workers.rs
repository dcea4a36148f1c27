//! The threads that run checks, two at a time.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{Builder, JoinHandle};

use ralph_contain::Switch;

use super::{CheckJob, CheckPlaces, execution};
use crate::keeper::Keeper;
use crate::persist::CheckChange;

/// Checks that run at the same time; more would make each other slow.
const WORKERS: usize = 2;

#[derive(Debug)]
pub(crate) struct Workers {
    threads: Vec<JoinHandle<()>>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    jobs: Mutex<mpsc::Receiver<CheckJob>>,
    keeper: Keeper,
    places: CheckPlaces,
    /// The switches that end running checks, by the id of their run; none once everything has to end.
    running: Mutex<Option<BTreeMap<u64, Arc<Switch>>>>,
}

impl Workers {
    pub(crate) fn start(
        jobs: mpsc::Receiver<CheckJob>,
        keeper: Keeper,
        places: CheckPlaces,
    ) -> io::Result<Self> {
        let (jobs, running) = (Mutex::new(jobs), Mutex::new(Some(BTreeMap::new())));
        let shared = Arc::new(Shared { jobs, keeper, places, running });
        let mut threads = Vec::new();
        for number in 1..=WORKERS {
            let shared = Arc::clone(&shared);
            let thread = Builder::new().name(format!("forge-check-{number}"));
            threads.push(thread.spawn(move || shared.work())?);
        }
        Ok(Self { threads, shared })
    }

    /// Ends the running checks; their runs stay as they are and are taken up at the next start. The threads end once
    /// their channel is closed.
    pub(crate) fn end_processes(&self) {
        let running = lock(&self.shared.running).take();
        running.into_iter().flatten().for_each(|(_id, switch)| switch.flip());
    }

    pub(crate) fn join(self) {
        for thread in self.threads {
            drop(thread.join());
        }
    }
}

impl Shared {
    fn work(&self) {
        loop {
            let job = lock(&self.jobs).recv();
            let Ok(job) = job else { return };
            if self.is_ending() {
                continue;
            }
            self.run(job);
        }
    }

    fn is_ending(&self) -> bool {
        lock(&self.running).is_none()
    }

    /// Runs a check and reports it. A keeper that is gone means that the server stops, and needs no report.
    fn run(&self, job: CheckJob) {
        let (repo, id) = (job.repo.clone(), job.id);
        let started = self
            .keeper
            .ask_and_wait(move |kept| kept.report_check(&repo, CheckChange::Start { id }));
        if !matches!(started, Ok(Ok(_id))) {
            return;
        }
        // Without a switch the run is taken up at the next start.
        let Ok(switch) = Switch::new().map(Arc::new) else { return };
        match lock(&self.running).as_mut() {
            Some(running) => running.insert(id, Arc::clone(&switch)),
            None => return,
        };
        let ended = execution::run(&job, &self.places, &switch);
        if let Some(running) = lock(&self.running).as_mut() {
            running.remove(&id);
        }
        let Some((conclusion, output)) = ended.filter(|_ended| !self.is_ending()) else { return };
        let reported = self.keeper.ask_and_wait(move |kept| {
            kept.report_check(&job.repo, CheckChange::Finish { id, conclusion, output })
        });
        // What could not be recorded is run again at the next start.
        drop(reported);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
