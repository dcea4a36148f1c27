//! The engine through its public surface, on real SQLite in temporary folders: one file per question.

#![cfg(test)]

mod hand_forge;
mod hand_issues;
mod hand_work;
mod harness;
mod reply_mode;
mod whole_run;

mod auto_queue;
mod behind;
mod damage;
mod events;
mod evidence;
mod floods;
mod follow_ups;
mod former_stores;
mod inbox;
mod journal;
mod leases;
mod lookups;
mod merge;
mod messages;
mod notes;
mod opening;
mod outbox;
mod own_events;
mod people;
mod policies;
mod readings;
mod recovery;
mod red_checks;
mod restored;
mod rights;
mod rollups;
mod sync;
mod texts;
mod trials;
mod turns;
mod views;
