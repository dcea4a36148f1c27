//! Git without files: a graph of commits in memory, with merge bases, trial merges and diffs.

pub(crate) mod commit;
pub(crate) mod diff;
pub(crate) mod graph;
pub(crate) mod replay;
pub(crate) mod sha;
pub(crate) mod tree;
pub(crate) mod trial;
