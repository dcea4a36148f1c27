//! The repository that the checks look at: every file that git knows or would add, and the packages of the workspace.

use super::metadata::{self, Package};
use super::third_party::Fetched;
use crate::command::Invocation;
use crate::failure::Failure;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The repository as the checks see it.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Every file, text or not, relative to the root with forward slashes.
    pub(super) paths: BTreeSet<String>,
    /// Those that are UTF-8 text.
    pub(super) files: Vec<SourceFile>,
    pub(super) packages: Vec<Package>,
    /// Every crate that a build may fetch, ours included.
    pub(super) fetched: Vec<Fetched>,
}

#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// One place that breaks a rule, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) message: String,
}

impl Tree {
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let listing = Invocation::git(
            root,
            &["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        );
        let (packages, fetched) = metadata::read(root)?;
        let mut tree = Self { packages, fetched, ..Self::default() };
        for path in listing.stdout()?.split('\0').filter(|path| !path.is_empty()) {
            tree.add(root, path)?;
        }
        Ok(tree)
    }

    /// A file that git still lists but that is gone from the disk is about to be deleted, and a folder in the
    /// list is another repository: no check wants either.
    fn add(&mut self, root: &Path, path: &str) -> Result<(), Failure> {
        let full = root.join(path);
        let bytes = match std::fs::read(&full) {
            Ok(bytes) => bytes,
            Err(error) if is_no_file(&error) => return Ok(()),
            Err(source) => return Err(Failure::File { doing: "read", path: full, source }),
        };
        let is_new = self.paths.insert(path.to_owned());
        if let (true, Ok(text)) = (is_new, String::from_utf8(bytes)) {
            self.files.push(SourceFile { path: path.to_owned(), text });
        }
        Ok(())
    }

    pub(super) fn rust_files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.has_extension("rs"))
    }

    pub(super) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// A tree of planted texts, to see a check fire.
    #[cfg(test)]
    pub(super) fn planted(files: &[(&str, &str)]) -> Self {
        let files: Vec<SourceFile> = files
            .iter()
            .map(|&(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() })
            .collect();
        let paths = files.iter().map(|file| file.path.clone()).collect();
        Self { paths, files, ..Self::default() }
    }
}

impl SourceFile {
    /// Each line with its number, counted from one.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }

    /// The lines that are not comments as a whole. A check that forbids code lets prose speak of it.
    pub(super) fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    pub(super) fn has_extension(&self, extension: &str) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
    }

    pub(super) fn is_under_any(&self, prefixes: &[&str]) -> bool {
        prefixes.iter().any(|prefix| self.path.starts_with(prefix))
    }

    pub(super) fn finding(&self, line: usize, message: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, message: message.into() }
    }
}

fn is_no_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory)
}

/// `path:line` of each finding: what the tests of the checks compare.
#[cfg(test)]
pub(super) fn places(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|finding| format!("{}:{}", finding.path, finding.line)).collect()
}
