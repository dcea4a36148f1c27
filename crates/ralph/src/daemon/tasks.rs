//! A few threads that carry out questions and effects of the engine, each with its own handle to the forge. At most
//! one effect of an ordering key is under way at a time, so a slow one blocks no other.

use super::identity::Confirmed;
use super::left_out;
use super::requests::CountedTransport;
use super::sweep::Sweep;
use super::{Wake, Waker};
use crate::wall_clock;
use ralph_adapters::Adapters;
use ralph_core::ids::{Login, RepoName};
use ralph_engine::ports::Ports;
use ralph_engine::{Leased, Question, ask, perform};
use ralph_github::Client;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Enough for slow pushes beside quick reads; more would only wait for the forge's own limits.
const WORKERS: usize = 6;

#[derive(Debug)]
pub(super) enum Task {
    Ask(Box<Question>),
    Perform(Box<Leased>),
    Sweep(Box<Sweep>),
    WhoAreWe,
    /// Can anything be done there?
    Look {
        us: Login,
        repo: RepoName,
    },
}

#[derive(Debug)]
pub(super) struct Tasks {
    queue: Option<Sender<Task>>,
    out: usize,
}

/// The handles of one thread.
pub(super) struct TaskWorker {
    pub(super) forge: Client<CountedTransport>,
    pub(super) adapters: Adapters,
    pub(super) confirmed: Confirmed,
}

impl Tasks {
    pub(super) fn new(waker: &Waker, worker: impl Fn() -> TaskWorker) -> io::Result<Self> {
        let (queue, tasks) = channel();
        let tasks = Arc::new(Mutex::new(tasks));
        for number in 1..=WORKERS {
            let (tasks, waker, mut worker) = (tasks.clone(), waker.clone(), worker());
            let thread = thread::Builder::new().name(format!("tasks {number}"));
            thread.spawn(move || {
                while let Some(task) = next(&tasks) {
                    if waker.send(worker.carry_out(task)).is_err() {
                        break;
                    }
                }
            })?;
        }
        Ok(Self { queue: Some(queue), out: 0 })
    }

    pub(super) fn send(&mut self, task: Task) {
        if self.queue.as_ref().is_some_and(|queue| queue.send(task).is_ok()) {
            self.out += 1;
        }
    }

    pub(super) const fn returned(&mut self) {
        self.out = self.out.saturating_sub(1);
    }

    /// The number of tasks under way.
    pub(super) const fn out(&self) -> usize {
        self.out
    }

    /// Takes no more tasks. A task under way may still reach the forge; the next start looks first.
    pub(super) fn close(&mut self) {
        self.queue = None;
    }
}

fn next(tasks: &Mutex<Receiver<Task>>) -> Option<Task> {
    tasks.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

impl TaskWorker {
    fn carry_out(&mut self, task: Task) -> Wake {
        let now = wall_clock::now();
        match task {
            Task::Ask(question) => Wake::Answered(Box::new(ask(&question, now, &mut self.forge))),
            Task::WhoAreWe => Wake::Identified(self.forge.identity().ok()),
            Task::Sweep(sweep) => Wake::Swept(sweep.carry_out(&self.adapters)),
            Task::Look { us, repo } => {
                Wake::Looked { found: left_out::look(&mut self.forge, &us, &repo), repo }
            }
            Task::Perform(leased) => {
                let Self { forge, adapters, confirmed } = self;
                let Adapters { workspaces, workers, .. } = adapters;
                let performed = confirmed.puts_off(&leased.effect, now).unwrap_or_else(|| {
                    perform(&leased, now, &mut Ports { forge, workspaces, workers })
                });
                Wake::Performed { id: leased.id, performed: Box::new(performed) }
            }
        }
    }
}
