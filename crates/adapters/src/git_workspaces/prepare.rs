//! Making a run's worktree, or bringing an existing one up to its base: what was pushed, what is only here, and
//! the base merged in. Work that is not committed stays as it is.

use super::described::guidance;
use super::git_folder::At;
use super::layout::lay_out;
use super::messages::defused;
use super::mirror::{Merged, Mirror, work_ref};
use super::rescue::{keep, rescue_unrecorded};
use super::scan::scan;
use super::taking::{at_ref, record, take_what_fits};
use super::worktree::Worktree;
use crate::git::GitError;
use crate::jobs::Ending;
use crate::workshop::Workshop;
use ralph_contain::Switch;
use ralph_core::fact::{ConflictAt, Outcome};
use ralph_core::guidance::Guidance;
use ralph_core::ids::{Attempt, Branch, IssueKey, RunId, Sha};
use ralph_core::managed_path::ManagedPath;

/// The worktree to prepare.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) issue: IssueKey,
    pub(super) attempt: Attempt,
    pub(super) run: RunId,
    pub(super) path: ManagedPath,
    pub(super) branch: Branch,
    pub(super) base: Branch,
    /// The branch that the run leaves behind: its commits are rescued.
    pub(super) leaves: Option<Branch>,
}

pub(super) fn prepare(shop: &Workshop, switch: &Switch, order: &Order) -> Result<Ending, GitError> {
    let mirror_path = shop.home.mirror(&order.issue.repo.key());
    let mirror = shop.mirror(switch, &mirror_path);
    let mut outcome = made(shop, mirror, order)?;
    let (base, files) = match &mut outcome {
        Outcome::WorkspaceReady { base, guidance, .. } => (&*base, guidance),
        Outcome::WorkspaceConflict { at: Some(at), .. } => {
            let ConflictAt { base, guidance, .. } = &mut **at;
            (&*base, guidance)
        }
        Outcome::WorkspaceConflict { at: None, .. }
        | Outcome::CommandsPassed { .. }
        | Outcome::CommandsFailed { .. }
        | Outcome::Turn { .. }
        | Outcome::TimedOut { .. }
        | Outcome::Stalled { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::Failed { .. }
        | Outcome::AgentFailed { .. } => return Ok((outcome, Vec::new())),
    };
    let (found, texts) = guidance(mirror, base)?;
    *files = found;
    Ok((outcome, texts))
}

/// The worktree without the guidance of its base.
fn made(shop: &Workshop, mirror: Mirror<'_>, order: &Order) -> Result<Outcome, GitError> {
    shop.fetch(mirror, &order.issue.repo)?;
    let Some(base) = mirror.find(&format!("refs/heads/{}", order.base))? else {
        let reason = format!("the forge has no branch {}", order.base);
        return Ok(Outcome::Failed { reason });
    };
    if let Some(left) = &order.leaves {
        rescue_branch(mirror, left, &order.run, &base)?;
    }
    let worktree = shop.worktree(mirror, &order.issue, order.run, &order.path)?;
    let here = if worktree.exists() { take_up(&worktree, order, &base)? } else { None };
    let Met { head, conflict } = meet(mirror, order, here.as_ref(), &base)?;
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
            let head = if worktree.run(&here, &head)? { head } else { here };
            record(&worktree, &order.branch, &order.run.to_string(), &head)?;
            worktree.put_in_order(At::Branch(&order.branch, &head))?;
            head
        }
    };
    if let Some(files) = conflict {
        let Some(head) = mirror.describe(&base, &head)? else {
            let reason = format!("{} has no changes, and conflicts all the same", order.branch);
            return Ok(Outcome::Failed { reason });
        };
        let (path, guidance) = (order.path.clone(), Guidance::default());
        let at = Some(Box::new(ConflictAt { path, base, head, guidance }));
        return Ok(Outcome::WorkspaceConflict { files, at });
    }
    let (path, guidance) = (order.path.clone(), Guidance::default());
    if head == base {
        return Ok(Outcome::WorkspaceReady { path, base, head: None, guidance });
    }
    let base = mirror.merge_base(&head, &base)?;
    let head = mirror.describe(&base, &head)?;
    Ok(Outcome::WorkspaceReady { path, base, head, guidance })
}

/// Keeps the commits of a branch, pushed or not, that the base does not have.
fn rescue_branch(
    mirror: Mirror<'_>,
    branch: &Branch,
    run: &RunId,
    base: &Sha,
) -> Result<(), GitError> {
    let pushed = mirror.find(&format!("refs/heads/{branch}"))?;
    for commit in pushed.into_iter().chain(mirror.work(branch)?) {
        if !mirror.is_ancestor(&commit, base)? {
            keep(mirror, &run.to_string(), &commit)?;
        }
    }
    Ok(())
}

/// The commit that a worktree is on. `None`: there is no record of it, because its mirror was lost or Ralph died in
/// between. Then everything in it is saved, the commits of its branch count as far as they can be read, and the
/// worktree is made again.
fn take_up(worktree: &Worktree<'_>, order: &Order, base: &Sha) -> Result<Option<Sha>, GitError> {
    let (mirror, run) = (worktree.mirror, order.run.to_string());
    if mirror.find(&at_ref(&run))?.is_some() {
        return take_what_fits(worktree, &order.branch, &run).map(Some);
    }
    let branch = format!("refs/heads/{}", order.branch);
    let Some(tip) = rescue_unrecorded(worktree, &run, Some(&branch))?.tip else { return Ok(None) };
    if mirror.has_merge_base(&tip, base)? {
        let known = mirror.merge_base(&tip, base)?;
        match scan(worktree, &known, &tip) {
            Ok(()) => mirror.set(&work_ref(&order.branch), &defused(worktree, &known, &tip)?)?,
            // What must not be taken is kept under the rescue ref and nowhere else.
            Err(refusal) if refusal.is_refusal() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// The commit at which branch and base meet.
struct Met {
    /// The commit the worktree is to be on.
    head: Sha,
    /// The files in which the two are at odds; the worktree is on the branch as it is then.
    conflict: Option<Vec<String>>,
}

fn meet(
    mirror: Mirror<'_>,
    order: &Order,
    here: Option<&Sha>,
    base: &Sha,
) -> Result<Met, GitError> {
    let at = |head: &Sha| Ok(Met { head: head.clone(), conflict: None });
    let Some(own) = own_head(mirror, order, here)? else { return at(base) };
    if mirror.is_ancestor(base, &own)? {
        return at(&own);
    }
    if mirror.is_ancestor(&own, base)? {
        return at(base);
    }
    match mirror.merge(&own, base)? {
        Merged::Conflict { files, .. } => Ok(Met { head: own, conflict: Some(files) }),
        Merged::Clean { tree } => {
            let message = format!("Merge {} into {}", order.base, order.branch);
            at(&mirror.commit(&tree, &[&own, base], &message)?)
        }
    }
}

/// The last commit of the branch, pushed or not; `None` if there is none.
fn own_head(
    mirror: Mirror<'_>,
    order: &Order,
    here: Option<&Sha>,
) -> Result<Option<Sha>, GitError> {
    let remote = mirror.find(&format!("refs/heads/{}", order.branch))?;
    let local = match here {
        Some(here) => Some(here.clone()),
        None => mirror.work(&order.branch)?,
    };
    let (Some(ahead), Some(known)) = (&remote, &local) else { return Ok(remote.or(local)) };
    if mirror.is_ancestor(ahead, known)? {
        return Ok(local);
    }
    // What people see on the forge wins; what was only here is kept aside.
    if !mirror.is_ancestor(known, ahead)? {
        keep(mirror, &order.run.to_string(), known)?;
    }
    Ok(remote)
}
