//! Issues that Ralph itself opens and edits.

use super::{Performed, happened, is_missing, known, repo};
use crate::engine::Leased;
use crate::ports::Ports;
use ralph_core::fact::RepoSettled;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::repo::FollowUpId;

pub(super) fn open(
    leased: &Leased,
    name: &RepoName,
    (id, seen): (&FollowUpId, u32),
    (title, body): (&str, &str),
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.forge.open_issue(name, title, body);
    let id = id.clone();
    known(leased, answer, |issue| repo(RepoSettled::FollowUpTold { id, issue, seen }))
}

pub(super) fn edit(
    leased: &Leased,
    key: &IssueKey,
    (id, seen): (&FollowUpId, u32),
    body: &str,
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.forge.edit_issue(key, body);
    let (id, issue) = (id.clone(), key.number);
    if is_missing(&answer) {
        return happened(leased, repo(RepoSettled::FollowUpGone { id }));
    }
    known(leased, answer, |()| repo(RepoSettled::FollowUpTold { id, issue, seen }))
}
