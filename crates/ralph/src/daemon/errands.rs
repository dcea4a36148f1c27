//! A few threads that carry out what the engine hands over, each with its own handle to the forge. At most one
//! effect of a lane is out at a time, so a slow one blocks nobody else.

use super::identity::Confirmed;
use super::left_out;
use super::requests::CountedTransport;
use super::sweep::Sweep;
use super::{Wake, Waker};
use crate::wall_clock;
use ralph_adapters::Adapters;
use ralph_core::ids::{Login, RepoName};
use ralph_engine::ports::Ports;
use ralph_engine::{Claimed, Question, ask, perform};
use ralph_github::Client;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Enough for slow pushes beside quick reads; more would only wait for the forge's own limits.
const HANDS: usize = 6;

#[derive(Debug)]
pub(super) enum Errand {
    Ask(Box<Question>),
    Perform(Box<Claimed>),
    Sweep(Box<Sweep>),
    WhoAreWe,
    /// Can anything be done there?
    Look {
        us: Login,
        repo: RepoName,
    },
}

#[derive(Debug)]
pub(super) struct Errands {
    queue: Option<Sender<Errand>>,
    out: usize,
}

/// What one thread works with.
pub(super) struct Hand {
    pub(super) forge: Client<CountedTransport>,
    pub(super) adapters: Adapters,
    pub(super) confirmed: Confirmed,
}

impl Errands {
    pub(super) fn new(waker: &Waker, hand: impl Fn() -> Hand) -> io::Result<Self> {
        let (queue, errands) = channel();
        let errands = Arc::new(Mutex::new(errands));
        for number in 1..=HANDS {
            let (errands, waker, mut hand) = (errands.clone(), waker.clone(), hand());
            let thread = thread::Builder::new().name(format!("errands {number}"));
            thread.spawn(move || {
                while let Some(errand) = next(&errands) {
                    if waker.send(hand.carry_out(errand)).is_err() {
                        break;
                    }
                }
            })?;
        }
        Ok(Self { queue: Some(queue), out: 0 })
    }

    pub(super) fn send(&mut self, errand: Errand) {
        if self.queue.as_ref().is_some_and(|queue| queue.send(errand).is_ok()) {
            self.out += 1;
        }
    }

    pub(super) const fn returned(&mut self) {
        self.out = self.out.saturating_sub(1);
    }

    /// How many are out.
    pub(super) const fn out(&self) -> usize {
        self.out
    }

    /// Nothing more is handed out. What is out may still reach the forge; the next start looks first.
    pub(super) fn close(&mut self) {
        self.queue = None;
    }
}

fn next(errands: &Mutex<Receiver<Errand>>) -> Option<Errand> {
    errands.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

impl Hand {
    fn carry_out(&mut self, errand: Errand) -> Wake {
        let now = wall_clock::now();
        match errand {
            Errand::Ask(question) => Wake::Answered(Box::new(ask(&question, now, &mut self.forge))),
            Errand::WhoAreWe => Wake::Identified(self.forge.identity().ok()),
            Errand::Sweep(sweep) => Wake::Swept(sweep.carry_out(&self.adapters)),
            Errand::Look { us, repo } => {
                Wake::Looked { found: left_out::look(&mut self.forge, &us, &repo), repo }
            }
            Errand::Perform(claimed) => {
                let Self { forge, adapters, confirmed } = self;
                let Adapters { workspaces, workers, .. } = adapters;
                let performed = confirmed.puts_off(&claimed.effect, now).unwrap_or_else(|| {
                    perform(&claimed, now, &mut Ports { forge, workspaces, workers })
                });
                Wake::Performed { id: claimed.id, performed: Box::new(performed) }
            }
        }
    }
}
