//! The same behaviour with git as bare repositories on disk.

#![cfg(test)]

const GIT_IS_ON_DISK: bool = true;

#[path = "../forge/world.rs"]
mod world;

#[path = "../forge/branches.rs"]
mod branches;
#[path = "../forge/checks.rs"]
mod checks;
#[path = "../forge/closing.rs"]
mod closing;
#[path = "../forge/comments.rs"]
mod comments;
#[path = "../forge/git.rs"]
mod git;
#[path = "../forge/issues.rs"]
mod issues;
#[path = "../forge/labels.rs"]
mod labels;
#[path = "../forge/mergeability.rs"]
mod mergeability;
#[path = "../forge/merging.rs"]
mod merging;
#[path = "../forge/permissions.rs"]
mod permissions;
#[path = "../forge/pulls.rs"]
mod pulls;
#[path = "../forge/pushes.rs"]
mod pushes;
#[path = "../forge/relations.rs"]
mod relations;
#[path = "../forge/timeline.rs"]
mod timeline;
