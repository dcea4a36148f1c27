//! Making a run's worktree, or bringing an existing one up to its base: what was pushed, what is only here, and
//! the base merged in. Work that is not committed stays as it is.

use super::git_folder::At;
use super::layout::lay_out;
use super::mirror::{Merged, Mirror, work_ref};
use super::rescue::keep;
use super::taking::{at_ref, record, take_what_fits};
use crate::git::GitError;
use crate::switch::Switch;
use crate::workshop::Workshop;
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, Branch, IssueKey, RunId, Sha};
use ralph_core::managed_path::ManagedPath;

/// What is to be prepared.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) issue: IssueKey,
    pub(super) attempt: Attempt,
    pub(super) run: RunId,
    pub(super) path: ManagedPath,
    pub(super) branch: Branch,
    pub(super) base: Branch,
}

pub(super) fn prepare(
    shop: &Workshop,
    switch: &Switch,
    order: &Order,
) -> Result<Outcome, GitError> {
    let mirror_path = shop.home.mirror(&order.issue.repo.key());
    let mirror = shop.mirror(switch, &mirror_path);
    shop.fetch(mirror, &order.issue.repo)?;
    let Some(base) = mirror.find(&format!("refs/heads/{}", order.base))? else {
        let reason = format!("the forge has no branch {}", order.base);
        return Ok(Outcome::Failed { reason });
    };
    let worktree = shop.worktree(mirror, &order.issue, order.run, &order.path)?;
    let here = match worktree.exists() {
        true => Some(take_what_fits(&worktree, &order.branch, &order.run.to_string())?),
        false => None,
    };
    let head = match head_of(mirror, order, here.as_ref(), &base)? {
        Ok(head) => head,
        Err(files) => return Ok(Outcome::WorkspaceConflict { files }),
    };
    let head = match here {
        None => {
            let scratch = shop.scratch(mirror, &order.issue, (order.run, order.attempt))?;
            mirror.set(&at_ref(&order.run.to_string()), &head)?;
            lay_out(shop, scratch, (&worktree, &order.path), &head)?;
            mirror.set(&work_ref(&order.branch), &head)?;
            worktree.point(At::Branch(&order.branch, &head))?;
            head
        }
        Some(here) => {
            // What is not committed may be in the way of the base: then it waits until it is committed.
            let head = if worktree.shift(&here, &head)? { head } else { here };
            record(&worktree, &order.branch, &order.run.to_string(), &head)?;
            worktree.put_in_order(At::Branch(&order.branch, &head))?;
            head
        }
    };
    if head == base {
        let path = order.path.clone();
        return Ok(Outcome::WorkspaceReady { path, base, head: None });
    }
    let base = mirror.merge_base(&head, &base)?;
    let described = mirror.describe(&base, &head)?;
    Ok(Outcome::WorkspaceReady { path: order.path.clone(), base, head: described })
}

/// The commit the worktree is to be on, or the files in which branch and base are at odds.
fn head_of(
    mirror: Mirror<'_>,
    order: &Order,
    here: Option<&Sha>,
    base: &Sha,
) -> Result<Result<Sha, Vec<String>>, GitError> {
    let remote = mirror.find(&format!("refs/heads/{}", order.branch))?;
    let local = match here {
        Some(here) => Some(here.clone()),
        None => mirror.work(&order.branch)?,
    };
    let own = match (remote, local) {
        (Some(remote), Some(local)) => {
            if mirror.is_ancestor(&remote, &local)? {
                local
            } else {
                // What people see on the forge wins; what was only here is kept aside.
                if !mirror.is_ancestor(&local, &remote)? {
                    keep(mirror, &order.run.to_string(), &local)?;
                }
                remote
            }
        }
        (Some(own), None) | (None, Some(own)) => own,
        (None, None) => return Ok(Ok(base.clone())),
    };
    if mirror.is_ancestor(base, &own)? {
        return Ok(Ok(own));
    }
    if mirror.is_ancestor(&own, base)? {
        return Ok(Ok(base.clone()));
    }
    match mirror.merge(&own, base)? {
        Merged::Conflict { files } => Ok(Err(files)),
        Merged::Clean { tree } => {
            let message = format!("Merge {} into {}", order.base, order.branch);
            mirror.commit(&tree, &[&own, base], &message).map(Ok)
        }
    }
}
