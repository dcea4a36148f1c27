//! The forge as a server: real git and HTTP clients on loopback, and what is left after kill -9.

#![cfg(test)]

#[path = "../claims/signing.rs"]
mod signing;

mod chance;
mod client;
mod raw_push;
mod receiver;
mod test_server;

mod apps;
mod checks;
mod contents;
mod crashes;
mod credentials;
mod damage;
mod faults;
mod folders;
mod group_kills;
mod half_open;
mod merges;
mod operator;
mod pages;
mod pushes;
mod ref_names;
mod restarts;
mod tags;
mod volume;
mod webhooks;
