//! The one thread that owns the site. Other threads send it a piece of work and wait for the answer.

mod checks;
mod following;
mod kept;

use std::sync::mpsc;
use std::thread::{Builder, JoinHandle};

use tokio::sync::oneshot;

pub use kept::KeptError;
pub(crate) use kept::{Kept, Opening};

type Work = Box<dyn FnOnce(&mut Kept) + Send>;

enum Order {
    Work(Work),
    Stop,
}

/// A way to ask the thread.
#[derive(Clone, Debug)]
pub(crate) struct Keeper {
    orders: mpsc::Sender<Order>,
}

/// The thread is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

impl Keeper {
    /// Moves the site to a new thread.
    pub(crate) fn start(kept: Kept) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (orders, inbox) = mpsc::channel();
        let thread = Builder::new().name("forge-keeper".to_owned());
        let thread = thread.spawn(move || keep(kept, &inbox))?;
        Ok((Self { orders }, thread))
    }

    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Kept) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.send(work)?.await.map_err(|_gone| Stopped)
    }

    /// For threads that may wait.
    pub(crate) fn ask_and_wait<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Kept) -> T + Send + 'static,
    ) -> Result<T, Stopped> {
        self.send(work)?.blocking_recv().map_err(|_gone| Stopped)
    }

    /// Ends the thread after what was asked before.
    pub(crate) fn stop(&self) {
        // A thread that is gone already is stopped.
        drop(self.orders.send(Order::Stop));
    }

    fn send<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Kept) -> T + Send + 'static,
    ) -> Result<oneshot::Receiver<T>, Stopped> {
        let (answer, wait) = oneshot::channel();
        let work: Work = Box::new(move |kept| {
            // The asker may have gone away; what was done stays done.
            drop(answer.send(work(kept)));
        });
        self.orders.send(Order::Work(work)).map_err(|_gone| Stopped)?;
        Ok(wait)
    }
}

fn keep(mut kept: Kept, inbox: &mpsc::Receiver<Order>) {
    while let Ok(Order::Work(work)) = inbox.recv() {
        work(&mut kept);
        kept.do_background_work();
        kept.do_due_checks();
    }
    kept.close();
}
