//! The folders below the managed root, each held against the state store. What does not lie exactly where a
//! run of a known issue would is not Ralph's to judge.

use crate::commands::CommandContext;
use crate::error::CliError;
use ralph_core::ids::{IssueKey, RepoName, RunId};
use ralph_core::managed_path::{ManagedPath, ManagedRoot};
use ralph_engine::store::{Hold, HoldState};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// `<repoKey>/slot-<s>/<issue>/<run>`.
const DEPTH: usize = 4;

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Survey {
    pub(in crate::commands) root: PathBuf,
    pub(in crate::commands) worktrees: Vec<Worktree>,
}

#[derive(Debug, Serialize)]
pub(in crate::commands) struct Worktree {
    /// Below the root.
    pub(in crate::commands) path: String,
    #[serde(serialize_with = "as_text")]
    pub(in crate::commands) issue: Option<IssueKey>,
    pub(in crate::commands) is: Use,
    pub(in crate::commands) because: String,
    /// Only a folder at the place of one of our runs can ever be removed.
    #[serde(skip)]
    pub(in crate::commands) managed: Option<ManagedPath>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::commands) enum Use {
    #[serde(rename = "in_use")]
    Busy,
    Kept,
    Done,
    GivenUp,
    Foreign,
}

impl Use {
    pub(in crate::commands) const fn name(self) -> &'static str {
        match self {
            Self::Busy => "in use",
            Self::Kept => "kept",
            Self::Done => "done with",
            Self::GivenUp => "given up",
            Self::Foreign => "foreign",
        }
    }
}

impl Survey {
    pub(in crate::commands) fn take(context: &CommandContext<'_>) -> Result<Self, CliError> {
        let holds = context.reader()?.holds()?;
        let home = context.home.path();
        let failed = |path: &Path, cause| CliError::file("listed", path, &cause);
        // The links on the way to the home are the operator's; below it there are none.
        let home = fs::canonicalize(home).map_err(|source| failed(home, source))?;
        let root = home.join("worktrees");
        let managed = root
            .to_str()
            .and_then(ManagedRoot::new)
            .ok_or_else(|| failed(&root, io::Error::other("its name is not UTF-8")))?;
        let mut folders = Vec::new();
        match fs::symlink_metadata(&root) {
            Ok(found) if found.is_dir() => {
                walk(&root, DEPTH, &mut folders).map_err(|source| failed(&root, source))?;
            }
            Ok(_) => return Err(failed(&root, io::Error::other("it is not a folder"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&root, error)),
        }
        folders.sort();
        let judge = Judge::new(&managed, &holds);
        let worktrees = folders.iter().map(|path| judge.worktree(&root, path)).collect();
        Ok(Self { root, worktrees })
    }
}

/// Every folder at the depth of a worktree, and whatever stands in the way before that.
fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if depth > 1 && entry.file_type()?.is_dir() {
            walk(&entry.path(), depth - 1, found)?;
        } else {
            found.push(entry.path());
        }
    }
    Ok(())
}

struct Judge<'a> {
    root: &'a ManagedRoot,
    repos: BTreeMap<String, RepoName>,
    holds: BTreeMap<&'a IssueKey, &'a Hold>,
}

impl<'a> Judge<'a> {
    fn new(root: &'a ManagedRoot, holds: &'a [Hold]) -> Self {
        let repos = holds.iter().map(|hold| (hold.issue.repo.key(), hold.issue.repo.clone()));
        let by_issue = holds.iter().map(|hold| (&hold.issue, hold));
        Self { root, repos: repos.collect(), holds: by_issue.collect() }
    }

    fn worktree(&self, root: &Path, path: &Path) -> Worktree {
        let below = path.strip_prefix(root).unwrap_or(path);
        let shown = below.display().to_string();
        let foreign = |because: &str| Worktree {
            path: shown.clone(),
            issue: None,
            is: Use::Foreign,
            because: because.to_owned(),
            managed: None,
        };
        let Some((issue, run, managed)) = self.place(path, below) else {
            return foreign("it is not at the place of a known issue's worktree");
        };
        if !fs::symlink_metadata(path).is_ok_and(|found| found.is_dir()) {
            return foreign("it is not a folder");
        }
        let Some(hold) = self.holds.get(&issue) else {
            return foreign("the store does not know its issue");
        };
        let Some((is, because)) = judged(hold, run, &managed) else {
            return foreign("the store does not know its run");
        };
        Worktree { path: shown, issue: Some(issue), is, because, managed: Some(managed) }
    }

    /// The run a path belongs to, if it is exactly the path that this run would have.
    fn place(&self, path: &Path, below: &Path) -> Option<(IssueKey, RunId, ManagedPath)> {
        let parts: Option<Vec<_>> = below.iter().map(OsStr::to_str).collect();
        let [repo, slot, issue, run] = parts?.try_into().ok()?;
        let repo = self.repos.get(repo)?;
        let slot: u32 = slot.strip_prefix("slot-")?.parse().ok()?;
        let issue = IssueKey::new(repo.clone(), issue.parse().ok()?);
        let run = run.strip_prefix(&format!("{}-", issue.number))?.parse().ok()?;
        let run = RunId { issue: issue.number, run };
        let managed = self.root.worktree(&issue, slot, run);
        (Path::new(managed.as_str()) == path).then_some((issue, run, managed))
    }
}

/// The store's record of this run's worktree; `None` when it knows no such run.
fn judged(hold: &Hold, run: RunId, path: &ManagedPath) -> Option<(Use, String)> {
    let latest = hold.run?;
    if run.run > latest.run {
        return None;
    }
    if run.run < latest.run {
        return Some((Use::GivenUp, format!("run {latest} has taken its place")));
    }
    // The stored path may begin with another name of the home.
    let same_end = |stored: &ManagedPath| {
        let end = |path: &ManagedPath| {
            let parts = Path::new(path.as_str()).iter().rev().take(DEPTH);
            parts.map(OsStr::to_owned).collect::<Vec<_>>()
        };
        end(stored) == end(path)
    };
    if hold.workspace.as_ref().is_some_and(|stored| !same_end(stored)) {
        return None;
    }
    Some(match &hold.state {
        HoldState::Busy => (Use::Busy, "a process works for it".to_owned()),
        HoldState::Done => (Use::Done, "its change is on the default branch".to_owned()),
        HoldState::GivenUp => (Use::GivenUp, "its issue was stopped".to_owned()),
        HoldState::Kept { because } => (Use::Kept, because.clone()),
    })
}

fn as_text<S: Serializer>(issue: &Option<IssueKey>, serializer: S) -> Result<S::Ok, S::Error> {
    match issue {
        Some(issue) => serializer.collect_str(issue),
        None => serializer.serialize_none(),
    }
}
