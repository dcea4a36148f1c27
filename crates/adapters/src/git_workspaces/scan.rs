//! A look at everything that commits bring in, each version of each file, its name and each message, before any of
//! it can be pushed. Secrets and files that the base has already are accepted.

use super::links::look_at_links;
use super::mirror::Mirror;
use super::worktree::Worktree;
use crate::git::GitError;
use crate::private_files;
use ralph_core::change::{self, Scan, Secret, forbidden_name};
use ralph_core::ids::Sha;
use ralph_core::redact::redact;
use std::collections::BTreeMap;
use std::path::Path;

/// Answer of git to a search that finds nothing.
const NOTHING_FOUND: i32 = 1;

/// One file or message that is new.
#[derive(Debug)]
struct New {
    id: String,
    path: String,
}

/// Refuses commits up to `tip` that bring in what must not be part of a change. `known` and what the forge has
/// need no second look.
pub(super) fn scan(worktree: &Worktree<'_>, known: &Sha, tip: &Sha) -> Result<(), GitError> {
    if known == tip {
        return Ok(());
    }
    let mirror = worktree.mirror;
    let words = ["diff", "--no-ext-diff", "--name-only", "--no-renames", "--diff-filter=A", "-z"];
    let added =
        mirror.call(&[words.as_slice(), &[known.as_str(), tip.as_str()]].concat()).quick()?;
    for path in added.split('\0') {
        if let Some(why) = forbidden_name(path) {
            return Err(GitError::Forbidden { path: path.to_owned(), why });
        }
    }
    look_at_names(mirror, known, tip)?;
    look_at_links(mirror, known, tip)?;
    let list = worktree.index.with_extension("scan");
    let looked = look_at_all(worktree, (known, tip), &list);
    drop(std::fs::remove_file(&list));
    looked
}

/// The name of every file that a commit adds, also if a later one takes it away again.
fn look_at_names(mirror: Mirror<'_>, known: &Sha, tip: &Sha) -> Result<(), GitError> {
    let words = ["log", "--format=", "--name-only", "--no-renames", "--diff-filter=A", "-z"];
    let which = [tip.as_str(), "--not", known.as_str(), "--branches"];
    let added = lossy(mirror, &[words.as_slice(), &which].concat())?;
    let secrets = |path: &str| change::scan("", path).secrets.into_iter();
    let found: Vec<(&str, Secret)> = added
        .split('\0')
        .flat_map(|path| secrets(path).map(move |secret| (path, secret)))
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    let words = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", known.as_str()];
    let in_base = lossy(mirror, &words)?;
    let is_new =
        |(_, secret): &&(&str, Secret)| !in_base.contains(&*String::from_utf8_lossy(&secret.text));
    found.iter().find(is_new).map_or(Ok(()), |(path, secret)| {
        Err(GitError::Forbidden { path: format!("the name of {}", redact(path)), why: secret.is })
    })
}

fn lossy(mirror: Mirror<'_>, words: &[&str]) -> Result<String, GitError> {
    let mut said = Vec::new();
    mirror.call(words).stream(&mut |bytes| said.extend_from_slice(bytes))?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

fn look_at_all(
    worktree: &Worktree<'_>,
    (known, tip): (&Sha, &Sha),
    list: &Path,
) -> Result<(), GitError> {
    let mirror = worktree.mirror;
    let new = new_objects(mirror, known, tip)?;
    let sized = sizes(mirror, &new, list)?;
    let limit = worktree.file_bytes_max;
    if let Some((new, bytes)) = sized.iter().find(|(_, bytes)| *bytes > limit) {
        let path = new.path.clone();
        return Err(GitError::TooLarge { path, bytes: *bytes, limit });
    }
    let new: Vec<&New> = sized.iter().map(|(new, _)| *new).collect();
    let mut suspects: BTreeMap<Secret, String> = BTreeMap::new();
    let mut refused = None;
    write_list(list, &new)?;
    let mut reading = Batch::new(&new, |path: &str, scan: Scan<'_>| {
        let findings = scan.finish();
        if let Some(why) = findings.is {
            refused.get_or_insert_with(|| GitError::Forbidden { path: path.to_owned(), why });
        }
        for secret in findings.secrets {
            suspects.entry(secret).or_insert_with(|| path.to_owned());
        }
    });
    mirror.call(&["cat-file", "--batch"]).input(list).stream(&mut |bytes| reading.take(bytes))?;
    if let Some(refused) = refused {
        return Err(refused);
    }
    for (secret, path) in suspects {
        if !is_in(mirror, known, &secret, list)? {
            return Err(GitError::Forbidden { path, why: secret.is });
        }
    }
    Ok(())
}

/// Commits and files that neither `known` nor a branch of the forge has. Folders are among them.
fn new_objects(mirror: Mirror<'_>, known: &Sha, tip: &Sha) -> Result<Vec<New>, GitError> {
    let words = ["rev-list", "--objects", tip.as_str(), "--not", known.as_str(), "--branches"];
    let mut listed = Vec::new();
    mirror.call(&words).stream(&mut |bytes| listed.extend_from_slice(bytes))?;
    let lines = listed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines = lines.map(|line| String::from_utf8_lossy(line).into_owned());
    Ok(lines
        .map(|line| match line.split_once(' ') {
            Some((id, path)) => New { id: id.to_owned(), path: path.to_owned() },
            None => New { path: format!("the message of commit {line}"), id: line },
        })
        .collect())
}

/// Files and messages with their size.
fn sizes<'a>(
    mirror: Mirror<'_>,
    new: &'a [New],
    list: &Path,
) -> Result<Vec<(&'a New, u64)>, GitError> {
    write_list(list, &new.iter().collect::<Vec<_>>())?;
    let mut answer = Vec::new();
    let call = mirror.call(&["cat-file", "--batch-check=%(objecttype) %(objectsize)"]);
    call.input(list).stream(&mut |bytes| answer.extend_from_slice(bytes))?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let sized = new.iter().zip(answer.lines()).filter_map(|(new, line)| {
        let (kind, size) = line.split_once(' ')?;
        matches!(kind, "blob" | "commit").then(|| (new, size.parse().unwrap_or(u64::MAX)))
    });
    Ok(sized.collect())
}

fn write_list(file: &Path, new: &[&New]) -> Result<(), GitError> {
    let mut list = String::new();
    for New { id, .. } in new {
        list.push_str(id);
        list.push('\n');
    }
    private_files::write(file, list.as_bytes()).map_err(GitError::file("list what is new"))
}

/// Tells whether a file of the commit has this secret already.
fn is_in(mirror: Mirror<'_>, commit: &Sha, secret: &Secret, file: &Path) -> Result<bool, GitError> {
    private_files::write(file, &secret.text)
        .map_err(GitError::file("look for a secret in the base"))?;
    let file = file.to_string_lossy();
    let words = ["grep", "--quiet", "--text", "--fixed-strings", "-f", &file, commit.as_str()];
    match mirror.call(&words).quick() {
        Ok(_) => Ok(true),
        Err(error) if error.is_exit(NOTHING_FOUND) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Takes apart what `git cat-file --batch` prints: a line with kind and size, the content, a line's end.
struct Batch<'a, F> {
    new: std::slice::Iter<'a, &'a New>,
    at: At<'a>,
    done: F,
}

enum At<'a> {
    Head(Vec<u8>),
    Content { path: &'a str, scan: Scan<'a>, left: u64 },
    End,
}

impl<'a, F: FnMut(&str, Scan<'a>)> Batch<'a, F> {
    fn new(new: &'a [&'a New], done: F) -> Self {
        Self { new: new.iter(), at: At::Head(Vec::new()), done }
    }

    fn take(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = self.take_part(bytes);
        }
    }

    /// Takes what belongs to one part, and gives back the rest.
    fn take_part<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        match &mut self.at {
            At::Head(line) => {
                let end = bytes.iter().position(|byte| *byte == b'\n');
                let (part, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
                line.extend_from_slice(part);
                if end.is_some() {
                    let line = String::from_utf8_lossy(line);
                    let size = line.rsplit(' ').next().and_then(|size| size.parse().ok());
                    let path = self.new.next().map_or("", |new| new.path.as_str());
                    self.at = At::Content { path, scan: Scan::of(path), left: size.unwrap_or(0) };
                    self.end_if_read();
                }
                rest.get(1..).unwrap_or_default()
            }
            At::Content { scan, left, .. } => {
                let room = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                let (part, rest) = bytes.split_at(room);
                scan.take(part);
                *left -= part.len() as u64;
                self.end_if_read();
                rest
            }
            At::End => {
                self.at = At::Head(Vec::new());
                bytes.get(1..).unwrap_or_default()
            }
        }
    }

    fn end_if_read(&mut self) {
        if !matches!(self.at, At::Content { left: 0, .. }) {
            return;
        }
        if let At::Content { path, scan, .. } = std::mem::replace(&mut self.at, At::End) {
            (self.done)(path, scan);
        }
    }
}

impl GitError {
    /// Tells whether a change was scanned and is refused as it is.
    pub(super) const fn is_refusal(&self) -> bool {
        matches!(self, Self::TooLarge { .. } | Self::Forbidden { .. })
    }
}
