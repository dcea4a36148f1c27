//! Files that were in a worktree when the daemon was killed, and whether their contents are still to be had:
//! in a worktree, or from a reference of the mirror or of the forge.

use crate::Outcome;
use crate::place::Place;
use crate::process::output;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// `<root>/<repoKey>/slot-<s>/<issue>/<run>`: how deep a worktree lies below the root of all.
const DEPTH: usize = 4;
/// Checkouts that are made again from a commit each time lie in folders with other names.
const SLOT: &str = "slot-";

/// The files that were there, by the digest of their content, each with one of its places.
#[derive(Debug, Default)]
pub(super) struct Kept(BTreeMap<String, String>);

impl Kept {
    /// Notes every file of every worktree.
    pub(super) fn note(&mut self, place: &Place) -> Outcome<()> {
        self.0.extend(blobs(&place.home.worktrees())?);
        Ok(())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The files whose content is lost.
    pub(super) fn lost(&self, place: &Place) -> Outcome<Vec<String>> {
        let mut there: BTreeSet<String> = blobs(&place.home.worktrees())?.into_keys().collect();
        let mirrors = repositories(&place.home.repos())?;
        for repository in mirrors.into_iter().chain(repositories(&place.forge_git())?) {
            let words = ["--git-dir", text(&repository)?, "rev-list", "--objects", "--all"];
            let listed = output("git", &words, "")?;
            let names = listed.lines().filter_map(|line| line.split(' ').next());
            there.extend(names.map(str::to_owned));
        }
        let lost = self.0.iter().filter(|(blob, _)| !there.contains(*blob));
        Ok(lost.map(|(blob, path)| format!("{path} ({blob})")).collect())
    }
}

/// Digest and place of every file in a worktree that has any content.
fn blobs(root: &Path) -> Outcome<BTreeMap<String, String>> {
    let mut files = Vec::new();
    for worktree in worktrees(root, DEPTH) {
        find_files(&worktree, &mut files)?;
    }
    if files.is_empty() {
        return Ok(BTreeMap::new());
    }
    let paths = files.iter().map(|path| text(path)).collect::<Outcome<Vec<_>>>()?;
    let words = ["hash-object", "--no-filters", "--stdin-paths"];
    let digests = output("git", &words, &format!("{}\n", paths.join("\n")))?;
    let digests = digests.lines().map(str::to_owned);
    Ok(digests.zip(paths.iter().map(|path| (*path).to_owned())).collect())
}

fn text(path: &Path) -> Outcome<&str> {
    path.to_str().ok_or_else(|| format!("{} is not text", path.display()).into())
}

fn worktrees(root: &Path, depth: usize) -> Vec<PathBuf> {
    if depth == 0 {
        return vec![root.to_owned()];
    }
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let is_slot = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        depth != DEPTH - 1 || name.starts_with(SLOT)
    };
    let folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir() && is_slot(path));
    folders.flat_map(|folder| worktrees(&folder, depth - 1)).collect()
}

fn find_files(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if entry.file_name() == ".git" {
            continue;
        }
        if kind.is_dir() {
            find_files(&entry.path(), files)?;
        } else if kind.is_file() && entry.metadata()?.len() > 0 {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Folders that are bare repositories, however deep.
pub(super) fn repositories(folder: &Path) -> Outcome<Vec<PathBuf>> {
    if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(repositories(&path)?);
        }
    }
    Ok(found)
}
