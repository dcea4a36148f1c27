//! The client's transport: straight into the simulated forge, through the faults.

mod answers;
mod bugs;
mod faults;

use crate::world::{FORGE, SimWorld, TOKEN};
use http::{Request, Response};
use ralph_core::time::Time;
use ralph_github::{Account, Address, Client, Clock, NoResponse, Secret, Transport};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The result of a request.
pub(crate) type Carried = Result<Response<Vec<u8>>, NoResponse>;

#[derive(Debug)]
pub(crate) struct SimTransport {
    world: Rc<RefCell<SimWorld>>,
    clock: RalphClock,
}

impl Transport for SimTransport {
    fn send(&mut self, request: Request<Vec<u8>>) -> Carried {
        let world = &mut *self.world.borrow_mut();
        world.people.note_update(request.uri().path());
        let carried = match world.faults.bug {
            None => world.carry(&request),
            Some(bug) => bug.carry(world, request),
        };
        self.clock.set(world.machine.task.began.plus(world.machine.task.waited));
        carried
    }
}

/// Ralph's clock, as a handle for the client's account, which is shared between threads.
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

/// The memory of the client in one process of Ralph.
pub(crate) fn account(clock: &RalphClock, jitter: u64) -> Arc<Account> {
    #[expect(clippy::expect_used, reason = "the address is a constant of this crate")]
    let address = Address::parse(FORGE).expect("an address");
    let account = Account::new(address, &Secret::new(TOKEN), clock.shared(), jitter);
    #[expect(clippy::expect_used, reason = "the token is a constant of this crate")]
    Arc::new(account.expect("a token"))
}

/// The real client, for one task.
pub(crate) fn client(
    world: &Rc<RefCell<SimWorld>>,
    clock: &RalphClock,
    account: &Arc<Account>,
) -> Client<SimTransport> {
    let transport = SimTransport { world: Rc::clone(world), clock: clock.clone() };
    Client::new(transport, Arc::clone(account))
}
