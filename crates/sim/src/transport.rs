//! The client's transport: straight into the forge of the town, through the weather.

mod answers;
mod bugs;
mod faults;

use crate::town::{FORGE, TOKEN, Town};
use http::{Request, Response};
use ralph_core::time::Time;
use ralph_github::{Account, Address, Client, Clock, NoResponse, Secret, Transport};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// What a request comes back with.
pub(crate) type Carried = Result<Response<Vec<u8>>, NoResponse>;

#[derive(Debug)]
pub(crate) struct SimTransport {
    town: Rc<RefCell<Town>>,
    clock: RalphClock,
}

impl Transport for SimTransport {
    fn send(&mut self, request: Request<Vec<u8>>) -> Carried {
        let town = &mut *self.town.borrow_mut();
        town.note_update(request.uri().path());
        let carried = match town.bug {
            None => town.carry(&request),
            Some(bug) => bug.carry(town, request),
        };
        self.clock.set(town.errand.began.plus(town.errand.waited));
        carried
    }
}

/// What Ralph's clock shows, also to the client's account, which wants to be shared between threads.
#[derive(Debug, Clone, Default)]
pub(crate) struct RalphClock(Arc<AtomicI64>);

impl RalphClock {
    pub(crate) fn set(&self, now: Time) {
        self.0.store(now.0, Ordering::Relaxed);
    }

    fn shared(&self) -> Clock {
        let clock = Arc::clone(&self.0);
        Arc::new(move || Time(clock.load(Ordering::Relaxed)))
    }
}

/// All that the client remembers in one life of Ralph's process.
pub(crate) fn account(clock: &RalphClock, jitter: u64) -> Arc<Account> {
    #[expect(clippy::expect_used, reason = "the address is a constant of this crate")]
    let address = Address::parse(FORGE).expect("an address");
    let account = Account::new(address, &Secret::new(TOKEN), clock.shared(), jitter);
    #[expect(clippy::expect_used, reason = "the token is a constant of this crate")]
    Arc::new(account.expect("a token"))
}

/// The real client, for one errand.
pub(crate) fn client(
    town: &Rc<RefCell<Town>>,
    clock: &RalphClock,
    account: &Arc<Account>,
) -> Client<SimTransport> {
    let transport = SimTransport { town: Rc::clone(town), clock: clock.clone() };
    Client::new(transport, Arc::clone(account))
}
