//! The scripted model by itself: what it answers in each wire format, what it refuses, and what it records.

#![cfg(test)]

mod client;
mod conversations;
mod failures;
mod refusals;
