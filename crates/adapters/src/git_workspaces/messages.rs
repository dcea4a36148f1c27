//! Messages of commits that an agent made. A forge acts on words in them once they arrive on the default branch, long
//! after the agent is gone, so such words are defused before anything else knows these commits. Trees, authors and
//! dates stay, what the forge has already is left alone, and the same commits always become the same.

use super::mirror::Mirror;
use super::worktree::Worktree;
use crate::git::GitError;
use crate::private_files;
use ralph_core::defuse::defuse;
use ralph_core::ids::Sha;
use std::collections::BTreeMap;
use std::path::Path;

/// Headers that a commit with another message or other parents cannot keep: signatures of what it was, and the
/// encoding of the message, which is UTF-8 afterwards.
const DROPPED: [&str; 4] = ["gpgsig", "gpgsig-sha256", "mergetag", "encoding"];

/// The last commit with every message on the way from `known` defused; `tip` itself if there was nothing to do.
pub(super) fn defused(worktree: &Worktree<'_>, known: &Sha, tip: &Sha) -> Result<Sha, GitError> {
    let mirror = worktree.mirror;
    let new = new_commits(mirror, known, tip)?;
    if new.iter().all(|commit| defuse(&commit.message) == commit.message) {
        return Ok(tip.clone());
    }
    let file = worktree.index.with_extension("message");
    let mut rewritten = BTreeMap::new();
    for commit in &new {
        let raw = raw_commit(mirror, &commit.id)?;
        if let Some(changed) = changed(&raw, &commit.message, &rewritten) {
            let id = write(mirror, &changed, &file)?;
            rewritten.insert(commit.id.clone(), id);
        }
    }
    drop(std::fs::remove_file(&file));
    Ok(rewritten.remove(tip.as_str()).map_or_else(|| tip.clone(), |id| Sha::new(&id)))
}

/// A commit that neither `known` nor the forge has.
struct New {
    id: String,
    /// As people and forges read it, whatever it is encoded in.
    message: String,
}

/// Parents before their children.
fn new_commits(mirror: Mirror<'_>, known: &Sha, tip: &Sha) -> Result<Vec<New>, GitError> {
    let words = ["log", "--topo-order", "--reverse", "--encoding=UTF-8", "--no-notes", "-z"];
    let which = ["--format=%H%n%B", tip.as_str(), "--not", known.as_str(), "--branches"];
    let mut said = Vec::new();
    let call = mirror.call(&[words.as_slice(), &which].concat());
    call.stream(&mut |bytes| said.extend_from_slice(bytes))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let entries = said.split('\0').filter_map(|entry| entry.split_once('\n'));
    Ok(entries
        .map(|(id, message)| New { id: id.to_owned(), message: message.to_owned() })
        .collect())
}

fn raw_commit(mirror: Mirror<'_>, id: &str) -> Result<Vec<u8>, GitError> {
    let mut raw = Vec::new();
    mirror.call(&["cat-file", "commit", id]).stream(&mut |bytes| raw.extend_from_slice(bytes))?;
    Ok(raw)
}

/// The commit with its message defused and its parents replaced; `None` if it can stay as it is.
fn changed(raw: &[u8], message: &str, rewritten: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let end = raw.windows(2).position(|pair| pair == b"\n\n").map_or(raw.len(), |end| end + 1);
    let (headers, body) = raw.split_at_checked(end)?;
    let harmless = defuse(message);
    let mut has_new_parent = false;
    let mut made = Vec::with_capacity(raw.len());
    let mut is_dropped = false;
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        let name = line.split(|byte| *byte == b' ').next().unwrap_or_default();
        // A header of several lines goes on in those that begin with a space.
        is_dropped = if line.starts_with(b" ") {
            is_dropped
        } else {
            DROPPED.iter().any(|dropped| dropped.as_bytes() == name)
        };
        let parent = line.strip_prefix(b"parent ").map(String::from_utf8_lossy);
        match parent.and_then(|parent| rewritten.get(parent.trim()).cloned()) {
            Some(parent) => {
                has_new_parent = true;
                made.extend_from_slice(format!("parent {parent}\n").as_bytes());
            }
            None if is_dropped => {}
            None => made.extend_from_slice(line),
        }
    }
    let is_same = harmless == message;
    if is_same && !has_new_parent {
        return None;
    }
    made.push(b'\n');
    let was_encoded = headers.windows(10).any(|part| part == b"\nencoding ");
    if is_same && !was_encoded {
        made.extend_from_slice(body.strip_prefix(b"\n").unwrap_or(body));
    } else {
        made.extend_from_slice(harmless.trim_end().as_bytes());
        made.push(b'\n');
    }
    Some(made)
}

fn write(mirror: Mirror<'_>, commit: &[u8], file: &Path) -> Result<String, GitError> {
    private_files::write(file, commit).map_err(GitError::file("write a commit's message"))?;
    let id = mirror.call(&["hash-object", "-t", "commit", "-w", "--stdin"]).input(file).quick()?;
    Ok(id.trim().to_owned())
}

#[cfg(test)]
mod tests {
    const RAW: &str = "tree 1\nparent aa\nparent bb\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\
                       encoding ISO-8859-1\ngpgsig -----BEGIN\n more\n -----END\n\nCloses #2\n";

    fn changed(message: &str, rewritten: &[(&str, &str)]) -> Option<String> {
        let pair = |(old, new): &(&str, &str)| ((*old).to_owned(), (*new).to_owned());
        let made = super::changed(RAW.as_bytes(), message, &rewritten.iter().map(pair).collect());
        made.map(|made| String::from_utf8_lossy(&made).into_owned())
    }

    #[test]
    fn a_message_is_defused_and_everything_else_that_still_holds_stays() {
        assert_eq!(
            changed("Closes #2\n", &[("bb", "cc")]).as_deref(),
            Some(
                "tree 1\nparent aa\nparent cc\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\n\
                 Closes issue #2\n"
            )
        );
        assert_eq!(changed("Work\n", &[]), None);
        assert!(
            changed("Work\n", &[("aa", "cc")]).is_some_and(|made| made.contains("parent cc\n"))
        );
    }
}
