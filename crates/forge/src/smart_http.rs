//! Git over HTTP, as `git clone`, `git fetch` and `git push` speak it: what is read goes through
//! `git upload-pack`, what is pushed is taken in here, because the model decides about it.

pub(crate) mod address;
mod incoming;
pub(crate) mod packet;
mod push_request;
pub(crate) mod receive;
mod report;
pub(crate) mod upload;

pub(crate) use incoming::Incoming;
