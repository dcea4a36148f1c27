//! Messages of commits that an agent made. A forge acts on words in them once they arrive on the default branch, long
//! after the agent is gone, so such words are defused before anything else knows these commits. So are the names of
//! authors, which the message of a squashed merge repeats. Trees and dates stay, what the forge has already is left
//! alone, and the same commits always become the same.

use super::mirror::Mirror;
use super::worktree::Worktree;
use crate::git::GitError;
use crate::private_files;
use ralph_core::defuse::defuse;
use ralph_core::ids::Sha;
use std::collections::BTreeMap;
use std::path::Path;

/// Headers that a commit with another message or other parents cannot keep: signatures of what it was.
const SIGNATURES: [&str; 3] = ["gpgsig", "gpgsig-sha256", "mergetag"];
/// The header of a message that is not in UTF-8. One that was defused is.
const ENCODING: &str = "encoding";
/// Headers with the name of a person.
const PEOPLE: [&str; 2] = ["author", "committer"];

/// The last commit with every message on the way from `known` defused; `tip` itself if there was nothing to do.
pub(super) fn defused(worktree: &Worktree<'_>, known: &Sha, tip: &Sha) -> Result<Sha, GitError> {
    let mirror = worktree.mirror;
    let new = new_commits(mirror, known, tip)?;
    if new.iter().all(New::is_harmless) {
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
    /// The encoding that it names; empty for the usual one.
    encoding: String,
    people: String,
    /// The message in UTF-8, from any encoding.
    message: String,
}

impl New {
    /// Tells whether a forge acts on nothing in it. A message that claims another encoding is also checked as it is
    /// stored.
    fn is_harmless(&self) -> bool {
        let is_same = |text: &String| defuse(text) == *text;
        self.encoding.is_empty() && is_same(&self.people) && is_same(&self.message)
    }
}

/// Parents before their children.
fn new_commits(mirror: Mirror<'_>, known: &Sha, tip: &Sha) -> Result<Vec<New>, GitError> {
    let words = ["log", "--topo-order", "--reverse", "--encoding=UTF-8", "--no-notes", "-z"];
    let format = "--format=%H%n%e%n%an <%ae> %cn <%ce>%n%B";
    let which = [format, tip.as_str(), "--not", known.as_str(), "--branches"];
    let mut said = Vec::new();
    let call = mirror.call(&[words.as_slice(), &which].concat());
    call.stream(&mut |bytes| said.extend_from_slice(bytes))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let read = |entry: &str| {
        let mut lines = entry.splitn(4, '\n').map(str::to_owned);
        let (id, encoding) = (lines.next()?, lines.next()?);
        Some(New { id, encoding, people: lines.next()?, message: lines.next()? })
    };
    Ok(said.split('\0').filter_map(read).collect())
}

fn raw_commit(mirror: Mirror<'_>, id: &str) -> Result<Vec<u8>, GitError> {
    let mut raw = Vec::new();
    mirror.call(&["cat-file", "commit", id]).stream(&mut |bytes| raw.extend_from_slice(bytes))?;
    Ok(raw)
}

/// The commit with its message and its people defused and its parents replaced; `None` if it can stay as it is.
fn changed(raw: &[u8], message: &str, rewritten: &BTreeMap<String, String>) -> Option<Vec<u8>> {
    let end = raw.windows(2).position(|pair| pair == b"\n\n").map_or(raw.len(), |end| end + 1);
    let (headers, body) = raw.split_at_checked(end)?;
    let body = body.strip_prefix(b"\n").unwrap_or(body);
    let harmless = harmless_message(body, message);
    let mut is_changed = harmless.is_some();
    let mut made = Vec::with_capacity(raw.len());
    let mut is_dropped = false;
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        let name = line.split(|byte| *byte == b' ').next().unwrap_or_default();
        let is_in = |names: &[&str]| names.iter().any(|one| one.as_bytes() == name);
        // A header of several lines goes on in those that begin with a space.
        if !line.starts_with(b" ") {
            is_dropped = is_in(&SIGNATURES) || harmless.is_some() && is_in(&[ENCODING]);
        }
        let other = if is_in(&PEOPLE) { other_person(line) } else { other_parent(line, rewritten) };
        match other {
            Some(other) => {
                is_changed = true;
                made.extend_from_slice(other.as_bytes());
            }
            None if is_dropped => {}
            None => made.extend_from_slice(line),
        }
    }
    made.push(b'\n');
    match harmless {
        Some(harmless) => {
            made.extend_from_slice(harmless.trim_end().as_bytes());
            made.push(b'\n');
        }
        None => made.extend_from_slice(body),
    }
    is_changed.then_some(made)
}

/// The message without what a forge acts on; `None` if there is nothing of it. A forge may believe the encoding that a
/// commit names or not, so both readings count.
fn harmless_message(stored: &[u8], message: &str) -> Option<String> {
    let stored = String::from_utf8_lossy(stored);
    let harmless = |text: &str| Some(defuse(text)).filter(|harmless| harmless != text);
    harmless(message).or_else(|| harmless(&stored))
}

/// The line with another parent, where that one was rewritten.
fn other_parent(line: &[u8], rewritten: &BTreeMap<String, String>) -> Option<String> {
    let parent = String::from_utf8_lossy(line.strip_prefix(b"parent ")?);
    rewritten.get(parent.trim()).map(|parent| format!("parent {parent}\n"))
}

/// The line of a person whose name or address holds what a forge acts on, without that.
fn other_person(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let (person, time) = line.rsplit_once('>')?;
    let harmless = defuse(person);
    (harmless != person).then(|| format!("{harmless}>{time}"))
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
    }

    #[test]
    fn what_is_stored_counts_whatever_encoding_it_claims() {
        let made = changed("\u{c4}%?\u{cb}\n", &[]).unwrap_or_default();
        assert!(made.ends_with("\n\nCloses issue #2\n") && !made.contains("encoding"), "{made}");
    }

    #[test]
    fn a_harmless_message_stays_as_it_is_stored() {
        let raw = RAW.replace("Closes #2", "See #2");
        let of = |rewritten: &[(&str, &str)]| {
            let pair = |(old, new): &(&str, &str)| ((*old).to_owned(), (*new).to_owned());
            let rewritten = rewritten.iter().map(pair).collect();
            let made = super::changed(raw.as_bytes(), "See #2\n", &rewritten)?;
            Some(String::from_utf8_lossy(&made).into_owned())
        };
        assert_eq!(of(&[]), None);
        let made = of(&[("aa", "cc")]).unwrap_or_default();
        assert!(made.contains("parent cc\n") && !made.contains("gpgsig"), "{made}");
        assert!(made.ends_with("encoding ISO-8859-1\n\nSee #2\n"), "{made}");
    }
}
