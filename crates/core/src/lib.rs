//! Every rule, marker, parser and sentence of the contract, and the one place that decides what happens
//! next. Pure: no clock, file, process, network, database or randomness is reachable from here.

pub mod ids;
pub mod time;
