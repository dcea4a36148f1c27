//! The engine through its public surface, on real SQLite in temporary folders: one file per question.

#![cfg(test)]

mod desk;
mod hand_forge;
mod hand_work;
mod life;

mod auto_queue;
mod events;
mod inbox;
mod journal;
mod leases;
mod lookups;
mod merge;
mod notes;
mod opening;
mod outbox;
mod own_events;
mod people;
mod recovery;
mod rights;
mod texts;
mod turns;
mod views;
