//! Links to commits of other repositories, as git keeps them for submodules. One that a change brings in has to lead
//! somewhere: a link without an entry in `.gitmodules`, or to a commit that is not to be found, breaks every clone.

use super::mirror::Mirror;
use crate::git::GitError;
use ralph_contain::Ending;
use ralph_core::change::Forbidden;
use ralph_core::ids::Sha;
use std::collections::BTreeMap;

/// The mode of such a link.
const LINK: &str = "160000";
const MODULES: &str = ".gitmodules";
/// So many links of one commit are looked at; a change with more is not taken.
const LINKS_MAX: usize = 200;

/// Refuses a tip whose links lead nowhere, unless `known` or a branch of the forge has the same link just so.
///
/// The commit of a link can be looked for in this repository alone: who could be asked for any other is named by the
/// change itself. A link to another repository is therefore a person's to add or to move.
pub(super) fn look_at_links(mirror: Mirror<'_>, known: &Sha, tip: &Sha) -> Result<(), GitError> {
    if !touches_links(mirror, known, tip)? {
        return Ok(());
    }
    let ours = Links::of(mirror, tip.as_str())?;
    let mut fine_elsewhere = vec![Links::of(mirror, known.as_str())?];
    if ours.unlike(&fine_elsewhere).is_none() {
        return Ok(());
    }
    let branches = mirror.call(&["for-each-ref", "--format=%(refname)", "refs/heads"]).quick()?;
    for branch in branches.lines() {
        fine_elsewhere.push(Links::of(mirror, branch)?);
    }
    for (path, id) in ours.all_unlike(&fine_elsewhere).take(LINKS_MAX + 1) {
        let is_found = ours.is_declared(path) && mirror.find(id)?.is_some();
        if !is_found {
            return Err(GitError::Forbidden { path: path.clone(), why: Forbidden::Submodule });
        }
    }
    Ok(())
}

fn touches_links(mirror: Mirror<'_>, known: &Sha, tip: &Sha) -> Result<bool, GitError> {
    let words =
        ["diff", "--no-ext-diff", "--raw", "--no-renames", "--ignore-submodules=none", "-z"];
    let mut listed = Vec::new();
    let call = mirror.call(&[words.as_slice(), &[known.as_str(), tip.as_str()]].concat());
    call.stream(&mut |bytes| listed.extend_from_slice(bytes))?;
    let mut fields = listed.split(|byte| *byte == 0);
    while let (Some(what), Some(path)) = (fields.next(), fields.next()) {
        let what = String::from_utf8_lossy(what);
        if path == MODULES.as_bytes() || what.split(' ').nth(1) == Some(LINK) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The links of a commit, and what its `.gitmodules` says of them.
#[derive(Debug)]
struct Links {
    commits: BTreeMap<String, String>,
    /// Paths that have an address.
    declared: Vec<String>,
}

impl Links {
    fn of(mirror: Mirror<'_>, commit: &str) -> Result<Self, GitError> {
        let mut listed = Vec::new();
        let call = mirror.call(&["ls-tree", "-r", "-z", "--full-tree", commit]);
        call.stream(&mut |bytes| listed.extend_from_slice(bytes))?;
        let mut commits = BTreeMap::new();
        for entry in
            listed.split(|byte| *byte == 0).filter(|entry| entry.starts_with(LINK.as_bytes()))
        {
            let entry = String::from_utf8_lossy(entry);
            let Some((what, path)) = entry.split_once('\t') else { continue };
            let id = what.rsplit(' ').next().unwrap_or_default();
            commits.insert(path.to_owned(), id.to_owned());
        }
        let declared = if commits.is_empty() { Vec::new() } else { declared(mirror, commit)? };
        Ok(Self { commits, declared })
    }

    fn is_declared(&self, path: &str) -> bool {
        self.declared.iter().any(|known| known == path)
    }

    /// Tells whether it has the same link, declared here if it is declared there.
    fn is_as_in(&self, other: &Self, path: &str) -> bool {
        let is_same = other.commits.get(path) == self.commits.get(path);
        is_same && (self.is_declared(path) || !other.is_declared(path))
    }

    fn all_unlike<'a>(
        &'a self,
        others: &'a [Self],
    ) -> impl Iterator<Item = (&'a String, &'a String)> {
        let is_known = |path: &str| others.iter().any(|other| self.is_as_in(other, path));
        self.commits.iter().filter(move |(path, _)| !is_known(path))
    }

    fn unlike<'a>(&'a self, others: &'a [Self]) -> Option<(&'a String, &'a String)> {
        self.all_unlike(others).next()
    }
}

/// The paths that `.gitmodules` gives an address to. What git cannot read declares nothing.
fn declared(mirror: Mirror<'_>, commit: &str) -> Result<Vec<String>, GitError> {
    let file = format!("--blob={commit}:{MODULES}");
    let call =
        mirror.call(&["config", &file, "-z", "--get-regexp", r"^submodule\..*\.(path|url)$"]);
    let listed = match call.quick() {
        Ok(listed) => listed,
        Err(GitError::Failed { ending: Ending::Exited(_), .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let (mut paths, mut addressed) = (BTreeMap::new(), Vec::new());
    for entry in listed.split('\0') {
        let Some((key, value)) = entry.split_once('\n') else { continue };
        if let Some(name) = key.strip_suffix(".path") {
            paths.insert(name.to_owned(), value.to_owned());
        } else if let Some(name) = key.strip_suffix(".url").filter(|_| !value.is_empty()) {
            addressed.push(name.to_owned());
        }
    }
    Ok(addressed.iter().filter_map(|name| paths.remove(name)).collect())
}
