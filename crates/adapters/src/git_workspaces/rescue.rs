//! Saving work before its worktree goes: every commit in it and every file not committed, under one ref of the
//! mirror that nothing prunes.

use super::mirror::Mirror;
use super::taking::{at_ref, incoming_ref};
use super::worktree::Worktree;
use crate::git::GitError;
use crate::private_files;
use ralph_core::ids::Sha;

/// Branches of the mirror whose commits are not brought in again. More of them would only make a smaller bundle.
const KNOWN_MAX: usize = 50;

fn rescue_ref(run: &str, number: u32) -> String {
    format!("refs/ralph/rescue/{run}-{number}")
}

/// Keeps a commit under the next free rescue ref of a run, and gives that ref.
pub(super) fn keep(mirror: Mirror<'_>, run: &str, commit: &Sha) -> Result<String, GitError> {
    let mut number = 1_u32;
    loop {
        let reference = rescue_ref(run, number);
        match mirror.find(&reference)? {
            Some(kept) if kept == *commit => return Ok(reference),
            Some(_) => number += 1,
            None => {
                mirror.set(&reference, commit)?;
                return Ok(reference);
            }
        }
    }
}

/// Keeps what is in a worktree and in no commit; `false` if there is no such thing. The same files are kept once,
/// however often they are found.
pub(super) fn keep_uncommitted(
    worktree: &Worktree<'_>,
    run: &str,
    head: &Sha,
) -> Result<bool, GitError> {
    let mirror = worktree.mirror;
    let Some(tree) = worktree.changed_tree(head)? else { return Ok(false) };
    let mut last = None;
    for number in 1_u32.. {
        match mirror.find(&rescue_ref(run, number))? {
            Some(kept) => last = Some(kept),
            None => break,
        }
    }
    let is_kept = match last {
        Some(last) => mirror.tree_of(&last)? == tree,
        None => false,
    };
    if !is_kept {
        let message = format!("What a turn of run {run} left uncommitted");
        keep(mirror, run, &mirror.commit(&tree, &[head], &message)?)?;
    }
    Ok(true)
}

/// Saves everything that is in a worktree, and says where.
pub(super) fn rescue(worktree: &Worktree<'_>, run: &str) -> Result<String, GitError> {
    let mirror = worktree.mirror;
    let Some(at) = mirror.find(&at_ref(run))? else {
        return rescue_unrecorded(worktree, run, None).map(|saved| saved.reference);
    };
    let incoming = import_all(worktree, &[format!("^{at}")], run)?;
    let mut parents = vec![at.clone()];
    for (_, reference) in &incoming {
        // A ref may name something else than a commit, which then goes.
        if let Some(tip) = mirror.find(reference)?
            && !parents.contains(&tip)
            && !mirror.is_ancestor(&tip, &at)?
        {
            parents.push(tip);
        }
    }
    let tree = worktree.tree_now(&at, u64::MAX)?;
    let saved = if parents.len() > 1 || tree != mirror.tree_of(&at)? {
        let parents: Vec<&Sha> = parents.iter().collect();
        mirror.commit(&tree, &parents, &format!("Everything that run {run} left behind"))?
    } else {
        at
    };
    let kept = keep(mirror, run, &saved)?;
    incoming.iter().try_for_each(|(_, reference)| mirror.forget(reference))?;
    Ok(kept)
}

/// Work that was saved without a record of where it began.
pub(super) struct Saved {
    pub(super) reference: String,
    /// The commit that the branch asked for was on.
    pub(super) tip: Option<Sha>,
}

/// As `rescue`, for a worktree that the mirror has no record of: all of its files, and every commit of its git
/// folder that can still be read.
pub(super) fn rescue_unrecorded(
    worktree: &Worktree<'_>,
    run: &str,
    branch: Option<&str>,
) -> Result<Saved, GitError> {
    let mirror = worktree.mirror;
    let doing = GitError::file("make the folder of the run");
    private_files::make_folder(worktree.folder.path()).map_err(doing)?;
    let known = mirror.call(&["for-each-ref", "--format=^%(objectname)", "refs/heads"]).quick()?;
    let known: Vec<_> = known.lines().take(KNOWN_MAX).map(str::to_owned).collect();
    let incoming = import_all(worktree, &known, run)?;
    let (mut parents, mut tip) = (Vec::new(), None);
    for (name, reference) in &incoming {
        let Some(commit) = mirror.find(reference)? else { continue };
        if branch == Some(name) {
            tip = Some(commit.clone());
        }
        if !parents.contains(&commit) {
            parents.push(commit);
        }
    }
    let parents: Vec<&Sha> = parents.iter().collect();
    let message = format!("Everything that was found in the worktree of run {run}");
    let saved = mirror.commit(&worktree.whole_tree()?, &parents, &message)?;
    let reference = keep(mirror, run, &saved)?;
    incoming.iter().try_for_each(|(_, reference)| mirror.forget(reference))?;
    Ok(Saved { reference, tip })
}

/// Every branch, tag, stash and detached head of the worktree's own git folder, brought into the mirror: their names
/// and the refs they are under now. What is reachable from `known` is there already.
fn import_all(
    worktree: &Worktree<'_>,
    known: &[String],
    run: &str,
) -> Result<Vec<(String, String)>, GitError> {
    let what = ["--all", "HEAD"].into_iter().chain(known.iter().map(String::as_str));
    let what: Vec<_> = what.collect();
    let Some(bundle) = worktree.bundle(&what)? else { return Ok(Vec::new()) };
    let heads =
        worktree.mirror.call(&["bundle", "list-heads", &bundle.to_string_lossy()]).quick()?;
    let mut incoming = Vec::new();
    for name in heads.lines().filter_map(|line| Some(line.split_once(' ')?.1)) {
        let reference = format!("{}-{}", incoming_ref(run), incoming.len());
        worktree.take(&bundle, &[&format!("+{name}:{reference}")])?;
        incoming.push((name.to_owned(), reference));
    }
    drop(std::fs::remove_file(&bundle));
    Ok(incoming)
}
