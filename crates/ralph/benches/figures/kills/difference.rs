//! The state of the forge at the end of a run, and the differences of two such states.

use super::bytes::repositories;
use crate::Outcome;
use crate::place::Place;
use crate::process::output;
use ralph_forge::{Snapshot, Thread};
use std::collections::BTreeMap;
use std::ffi::OsStr;

/// The first part of the name of a trial's pull request.
const TRIALS: &str = "ralph/trial/";

/// Everything a reader of the forge sees, in lines that name where they belong.
#[derive(Debug)]
pub(super) struct End {
    snapshot: Snapshot,
    /// Path and content of each file on the default branch.
    files: Vec<String>,
    pub(super) is_as_the_demo_expects: bool,
}

impl End {
    pub(super) fn of(place: &mut Place, is_as_the_demo_expects: bool) -> Outcome<Self> {
        let repo = place.owner.repo().to_owned();
        let snapshot = place.owner.client.snapshot(&repo)?;
        let mut files = Vec::new();
        for repository in repositories(&place.forge_git())? {
            let words = [OsStr::new("--git-dir"), repository.as_os_str()];
            let words = [words.as_slice(), &["ls-tree", "-r", "HEAD"].map(OsStr::new)].concat();
            files.extend(output("git", &words, "")?.lines().map(str::to_owned));
        }
        Ok(Self { snapshot, files, is_as_the_demo_expects })
    }

    pub(super) fn threads(&self) -> usize {
        self.snapshot.threads.values().map(Vec::len).sum()
    }

    /// The final state. The way to it is no part of it.
    fn state(&self) -> Counted {
        let mut lines = Counted::default();
        for branch in &self.snapshot.branches {
            lines.add("branch", branch);
        }
        for file in &self.files {
            lines.add("file", file);
        }
        self.each(|name, thread| {
            lines.add(name, &thread.state);
            lines.add(name, &format!("says {:?}", thread.body));
            let parts = [
                ("label", &thread.labels),
                ("comment", &thread.comments),
                ("changes", &thread.files),
                ("check", &thread.checks),
            ];
            for (what, values) in parts {
                values.iter().for_each(|value| lines.add(name, &format!("{what} {value:?}")));
            }
        });
        lines
    }

    /// Events that must not happen twice.
    fn doings(&self) -> Counted {
        let mut lines = Counted::default();
        self.each(|name, thread| {
            lines.add(name, "opened");
            thread.comments.iter().for_each(|value| lines.add(name, &format!("comment {value:?}")));
            thread.label_events.iter().for_each(|value| lines.add(name, value));
        });
        lines
    }

    /// All threads but trials: which pull requests are ready at the same time depends on how long each took.
    fn each(&self, mut see: impl FnMut(&str, &Thread)) {
        let lasting = self.snapshot.threads.iter().filter(|(name, _)| !name.starts_with(TRIALS));
        for (name, threads) in lasting {
            threads.iter().for_each(|thread| see(name, thread));
        }
    }

    pub(super) fn differences(&self, other: &Self) -> Vec<String> {
        let (here, there) = (self.state(), other.state());
        let missing = here.beyond(&there).into_iter().map(|line| format!("missing: {line}"));
        let added = there.beyond(&here).into_iter().map(|line| format!("added: {line}"));
        missing.chain(added).collect()
    }
}

/// Comments, pull requests and changes of labels that the other end has beyond those expected.
pub(super) fn surplus(expected: &End, other: &End) -> Vec<String> {
    other.doings().beyond(&expected.doings())
}

/// The number of times that each line is there.
#[derive(Debug, Default)]
struct Counted(BTreeMap<String, usize>);

impl Counted {
    fn add(&mut self, name: &str, line: &str) {
        *self.0.entry(format!("{name}: {line}")).or_default() += 1;
    }

    /// Lines that are here more often than there, as often as that.
    fn beyond(&self, other: &Self) -> Vec<String> {
        let mut beyond = Vec::new();
        for (line, count) in &self.0 {
            let there = other.0.get(line).copied().unwrap_or_default();
            beyond.extend((there..*count).map(|_| line.clone()));
        }
        beyond
    }
}
