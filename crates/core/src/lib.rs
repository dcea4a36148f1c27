//! Every rule, marker, parser and sentence of the contract, and the one place that decides what happens next. Pure: no
//! clock, file, process, network, database or randomness is reachable from here.

pub mod bound;
pub mod digest;
pub mod ids;
pub mod managed_path;
pub mod policy;
pub mod steady_clock;
pub mod time;

pub mod account;
pub mod answer;
pub mod books;
pub mod budget;
pub mod change;
pub mod closing;
pub mod command;
pub mod defuse;
pub mod dependency;
pub mod excerpt;
pub mod forecast;
pub mod hidden_marker;
pub mod label;
pub mod manual_checks;
mod markdown;
pub mod parent_verify;
pub mod price;
pub mod product_gap;
pub mod redact;
pub mod resolution;
pub mod routing;
pub mod signature;
pub mod throttle;
pub mod triage;
pub mod turn_end;
pub mod unread;
pub mod verdict;

pub mod command_book;
pub mod escalation;
pub mod gate;
pub mod guidance;
pub mod issue;
pub mod job;
pub mod label_book;
pub mod lane;
pub mod merge_queue;
pub mod messages;
pub mod notes;
pub mod outage;
pub mod parent;
pub mod pull;
pub mod recall;
pub mod recipe;
pub mod removal;
pub mod repo;
pub mod rerun;
pub mod role;
pub mod role_text;
pub mod run;
pub mod stall;
pub mod steps;
mod stored;
pub mod test_files;

pub mod fact;
pub mod fold;
pub mod world;

pub mod check;
pub mod decide;
pub mod effect;
pub mod standing;
pub mod survey;
pub mod watch;
pub mod words;
