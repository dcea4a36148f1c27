//! The forge as a server: real git and HTTP clients on loopback, and what is left after kill -9.

#![cfg(test)]

#[path = "../claims/signing.rs"]
mod signing;

mod client;
mod desk;
mod receiver;

mod apps;
mod checks;
mod crashes;
mod credentials;
mod faults;
mod folders;
mod merges;
mod operator;
mod pushes;
mod restarts;
mod volume;
mod webhooks;
