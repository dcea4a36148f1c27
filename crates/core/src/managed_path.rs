//! Folders that Ralph may make and remove. A `ManagedPath` can only be built below a `ManagedRoot`, so code that
//! deletes by this type cannot reach anything else.

use crate::ids::{Attempt, IssueKey, RunId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Number of parts of a worktree's path below its root.
const WORKTREE_DEPTH: usize = 4;

/// A folder that belongs to Ralph alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedRoot(String);

impl ManagedRoot {
    /// Accepts an absolute path without `.` or `..` parts that is not the file system's root.
    #[must_use]
    pub fn new(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let clean =
            path.starts_with('/') && !path.split('/').any(|part| part == "." || part == "..");
        clean.then(|| Self(path.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of a run's worktree: `<root>/<repoKey>/slot-<s>/<issue>/<run>`.
    #[must_use]
    pub fn worktree(&self, issue: &IssueKey, slot: u32, run: RunId) -> ManagedPath {
        let (root, repo, number) = (&self.0, issue.repo.key(), issue.number);
        ManagedPath(format!("{root}/{repo}/slot-{slot}/{number}/{run}"))
    }

    /// The path of a checkout that lasts no longer than an attempt: `<root>/<repoKey>/scratch/<run>-<attempt>`.
    #[must_use]
    pub fn scratch(&self, issue: &IssueKey, run: RunId, attempt: Attempt) -> ManagedPath {
        let (root, repo) = (&self.0, issue.repo.key());
        ManagedPath(format!("{root}/{repo}/scratch/{run}-{attempt}"))
    }

    /// The path of a worktree after its root was moved to this one; `None` if it is below this one already.
    #[must_use]
    pub fn rehomed(&self, path: &ManagedPath) -> Option<ManagedPath> {
        if self.holds(path) {
            return None;
        }
        let mut parts: Vec<_> = path.0.rsplit('/').take(WORKTREE_DEPTH).collect();
        parts.reverse();
        Some(ManagedPath(format!("{}/{}", self.0, parts.join("/"))))
    }

    /// True if this path is strictly below the root.
    #[must_use]
    pub fn holds(&self, path: &ManagedPath) -> bool {
        path.0.strip_prefix(&self.0).is_some_and(|rest| rest.len() > 1 && rest.starts_with('/'))
    }
}

/// A folder below a managed root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ManagedPath(String);

impl ManagedPath {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ManagedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RepoName;

    #[test]
    fn a_worktree_lies_strictly_below_its_root() {
        let root = ManagedRoot::new("/srv/ralph/worktrees/").unwrap();
        let issue = IssueKey::new(RepoName::parse("Acme/Widgets").unwrap(), 7);
        let path = root.worktree(&issue, 0, RunId { issue: 7, run: 2 });
        assert_eq!(path.as_str(), "/srv/ralph/worktrees/acme__widgets/slot-0/7/7-2");
        assert!(root.holds(&path));
        let scratch = root.scratch(&issue, RunId { issue: 7, run: 2 }, Attempt(5));
        assert_eq!(scratch.as_str(), "/srv/ralph/worktrees/acme__widgets/scratch/7-2-5");
        assert!(root.holds(&scratch));
        let other = ManagedRoot::new("/srv/ralph/work").unwrap();
        assert!(!other.holds(&path));
        assert_eq!(root.rehomed(&path), None);
        let moved = other.rehomed(&path).unwrap();
        assert_eq!(moved.as_str(), "/srv/ralph/work/acme__widgets/slot-0/7/7-2");
        assert!(other.holds(&moved));
    }

    #[test]
    fn a_root_is_absolute_and_has_no_dots() {
        for bad in ["", "/", "relative", "/a/../b", "/a/./b", "~/x"] {
            assert_eq!(ManagedRoot::new(bad), None, "{bad:?}");
        }
    }
}
