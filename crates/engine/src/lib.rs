//! Makes decisions durable: facts, state rows and wanted effects in one transaction, effects performed at
//! least once and settled once. Knows nothing of HTTP, GitHub's JSON or processes; those are behind `ports`.

pub mod ask;
pub mod engine;
pub mod perform;
pub mod ports;
pub mod store;

mod agenda;
mod claiming;
mod forgetting;
mod inbox;
mod mark_reads;
mod opening;
mod own_facts;
mod policies;
mod queue;
mod requests;
mod texts;
mod turn;

pub use agenda::{Hint, UnreadResource};
pub use ask::{Question, Reading, ask, wrong_labels};
pub use engine::{Claimed, Engine, EngineError, Rules};
pub use perform::{Performed, perform};
pub use queue::HeldLane;
pub use requests::{Flood, REQUESTS_MAX, REQUESTS_WINDOW};
