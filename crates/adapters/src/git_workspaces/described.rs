//! The description of a commit for agents: the difference to the base file by file, and the messages of its commits;
//! for a plan, the repository's claims ledger; of a base, the files that speak to agents.

use super::mirror::Mirror;
use crate::git::GitError;
use ralph_core::digest::Digest;
use ralph_core::guidance::{GUIDANCE_BYTES_MAX, Guidance};
use ralph_core::ids::Sha;
use ralph_core::job::{Shown, Turn};
use ralph_core::words::{self, FILE_DIFF_BYTES_MAX, FileDiff, Material};

/// The beginning of a file in git's differences. No line inside of a file begins with it.
const FILE_BEGINS: &[u8] = b"diff --git ";
/// More of a claims ledger is never shown.
const CLAIMS_BYTES_MAX: usize = 256 * 1024;

/// The prompt of a review with everything in it that is reviewed.
pub(crate) fn request(mirror: Mirror<'_>, turn: &Turn, prompt: &str) -> Result<String, GitError> {
    let base = &turn.base;
    match (turn.manner.shows, &turn.head) {
        (Shown::Difference, Some(head)) => {
            let files = differences(mirror, base, head)?;
            let range = format!("{base}..{head}");
            let words = ["log", "--reverse", "--no-merges", "--format=%B", &range];
            let messages = mirror.call(&words).quick()?;
            let material = Material { base, head, files: &files, messages: &messages };
            Ok(words::review_request(prompt, &material))
        }
        (Shown::Claims, _) => {
            let commit = turn.head.as_ref().unwrap_or(base);
            let claims = claims(mirror, commit, &turn.claims_file)?;
            Ok(claims.map_or_else(
                || prompt.to_owned(),
                |claims| words::with_claims(prompt, &turn.claims_file, &claims),
            ))
        }
        (Shown::Difference | Shown::Nothing, _) => Ok(prompt.to_owned()),
    }
}

/// The claims ledger of a commit; `None` if the repository has none.
fn claims(mirror: Mirror<'_>, commit: &Sha, path: &str) -> Result<Option<String>, GitError> {
    let entry = entries(mirror, commit, &[path])?.into_iter().next();
    entry.map(|(_, id)| beginning(mirror, &id, CLAIMS_BYTES_MAX)).transpose()
}

/// The files of a base commit that speak to agents, with their texts to keep.
pub(super) fn guidance(
    mirror: Mirror<'_>,
    base: &Sha,
) -> Result<(Guidance, Vec<(Digest, String)>), GitError> {
    let paths: Vec<String> = Guidance::paths().collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let (mut guidance, mut texts) = (Guidance::default(), Vec::new());
    for (path, id) in entries(mirror, base, &paths)? {
        let text = beginning(mirror, &id, GUIDANCE_BYTES_MAX + 1)?;
        texts.push(guidance.add(&path, &text));
    }
    Ok((guidance, texts))
}

/// Those of these paths that are files of a commit, each with its object. A link is no file: it may lead anywhere.
fn entries(
    mirror: Mirror<'_>,
    commit: &Sha,
    paths: &[&str],
) -> Result<Vec<(String, String)>, GitError> {
    let words = ["ls-tree", "-z", "--full-tree", commit.as_str(), "--"];
    let listed = mirror.call(&[words.as_slice(), paths].concat()).quick()?;
    let entry = |entry: &str| {
        let (what, path) = entry.split_once('\t')?;
        let &[mode, "blob", id] = what.split(' ').collect::<Vec<_>>().as_slice() else {
            return None;
        };
        (mode != LINK_MODE).then(|| (path.to_owned(), id.to_owned()))
    };
    Ok(listed.split('\0').filter_map(entry).collect())
}

/// The mode of a symbolic link in git's trees.
const LINK_MODE: &str = "120000";

/// At most so many bytes of a file.
fn beginning(mirror: Mirror<'_>, id: &str, bytes_max: usize) -> Result<String, GitError> {
    let mut text = Vec::new();
    let mut take = |bytes: &[u8]| {
        let room = bytes_max.saturating_sub(text.len()).min(bytes.len());
        text.extend(bytes.iter().take(room));
    };
    mirror.call(&["cat-file", "blob", id]).stream(&mut take)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Every changed file with its difference.
fn differences(mirror: Mirror<'_>, base: &Sha, head: &Sha) -> Result<Vec<FileDiff>, GitError> {
    let range = format!("{base}...{head}");
    let words = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames"];
    let names = [words.as_slice(), &["--name-status", "-z", &range]].concat();
    let names = mirror.call(&names).quick()?;
    let mut names = names.split('\0').filter(|field| !field.is_empty());
    let mut files = Vec::new();
    while let (Some(status), Some(path)) = (names.next(), names.next()) {
        let (path, is_added) = (path.to_owned(), status == "A");
        files.push(FileDiff { path, is_added, ..FileDiff::default() });
    }
    let mut pages = Pages { files: &mut files, at: None, line: Vec::new() };
    let call = mirror.call(&[words.as_slice(), &[&range]].concat());
    call.stream(&mut |bytes| pages.take(bytes))?;
    pages.end_line();
    Ok(files)
}

/// Gives each line of a difference to the file that it is about. They come in the order of the names.
struct Pages<'a> {
    files: &'a mut Vec<FileDiff>,
    at: Option<usize>,
    line: Vec<u8>,
}

impl Pages<'_> {
    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            // Of a line without end no more is needed than what may be shown.
            let room = FILE_DIFF_BYTES_MAX.saturating_sub(self.line.len()).min(piece.len());
            self.line.extend(piece.iter().take(room));
            if piece.ends_with(b"\n") {
                self.end_line();
            }
        }
    }

    fn end_line(&mut self) {
        if self.line.starts_with(FILE_BEGINS) {
            self.at = Some(self.at.map_or(0, |at| at + 1));
        }
        if let Some(file) = self.at.and_then(|at| self.files.get_mut(at)) {
            let fits = file.text.len() + self.line.len() <= FILE_DIFF_BYTES_MAX && !file.is_cut;
            if fits {
                file.text.push_str(&String::from_utf8_lossy(&self.line));
            } else {
                file.is_cut = true;
            }
        }
        self.line.clear();
    }
}
