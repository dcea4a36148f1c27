//! The forge through its public API, one file per resource.

#![cfg(test)]

const GIT_IS_ON_DISK: bool = false;

mod world;

mod branches;
mod checks;
mod closing;
mod comments;
mod git;
mod issues;
mod labels;
mod mergeability;
mod merging;
mod permissions;
mod properties;
mod pulls;
mod pushes;
mod relations;
mod reviews;
mod timeline;
