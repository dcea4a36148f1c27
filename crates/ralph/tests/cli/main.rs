//! The real binary against real stores in temporary homes: what it prints, where, and with which exit code.

#![cfg(test)]

mod canned_forge;
mod home;
mod real_worktree;
mod sample_store;

mod bad_input;
mod config;
mod config_refused;
mod config_spending;
mod daemon;
mod doctor;
mod doctor_forge;
mod doctor_home;
mod drain;
mod explain;
mod forge_import;
mod forge_tokens;
mod gates;
mod help;
mod init;
mod logs;
mod post;
mod prompt;
mod reference;
mod runs;
mod scale;
mod status;
mod stores;
mod tell;
mod usage;
mod watch;
mod worktrees;
