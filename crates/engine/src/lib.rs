//! Makes decisions durable: facts, state rows and desired effects in one transaction; effects are performed at least
//! once and settled once. It knows nothing of HTTP, GitHub's JSON or processes, which are behind `ports`.

pub mod ask;
pub mod engine;
pub mod local_command;
pub mod perform;
pub mod ports;
pub mod store;

mod agenda;
mod forgetting;
mod inbox;
mod leasing;
mod mark_reads;
mod opening;
mod own_facts;
mod policies;
mod queue;
mod requests;
mod texts;
mod transaction;

pub use agenda::{Hint, UnreadResource};
pub use ask::{Question, Reading, ask, wrong_labels};
pub use engine::{Engine, EngineError, Leased, Rules};
pub use perform::{Performed, perform};
pub use queue::HeldKey;
pub use requests::{Flood, REQUESTS_MAX, REQUESTS_WINDOW};
