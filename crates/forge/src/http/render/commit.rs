//! Commits, in the form of the repository and in that of git.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{RenderContext, each, entries, object};
use crate::git::commit::Commit;
use crate::git::diff::{FileChange, FileStatus};
use crate::git::sha::Sha;
use crate::http::moment::Moment;
use crate::model::compare::{CompareStatus, Comparison};

/// A commit as the repository shows it.
pub(in crate::http) struct CommitJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) commit: &'a Commit,
    /// Only when it is shown alone.
    pub(in crate::http) files: Option<&'a [FileChange]>,
}

impl Serialize for CommitJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (base, repo, sha) = (self.render.base, self.repo, self.commit.sha);
        let author = self.render.forge.account(&self.commit.author);
        let author = author.map(|account| self.render.user(&account.login));
        let mut map = serializer.serialize_map(None)?;
        entries!(map, {
            "sha": sha,
            "node_id": format_args!("C_{sha}"),
            "url": format_args!("{base}/repos/{repo}/commits/{sha}"),
            "html_url": format_args!("{base}/{repo}/commit/{sha}"),
            "comments_url": format_args!("{base}/repos/{repo}/commits/{sha}/comments"),
            "commit": Inner(self),
            "author": author,
            "committer": author,
            "parents": each(&self.commit.parents, |parent| Parent { base, repo, sha: *parent }),
        });
        if let Some(files) = self.files {
            entries!(map, {
                "stats": Stats(files),
                "files": each(files, |file| FileJson { render: self.render, repo, sha, file }),
            });
        }
        map.end()
    }
}

struct Inner<'a>(&'a CommitJson<'a>);

impl Serialize for Inner<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let CommitJson { render, repo, commit, .. } = self.0;
        let (base, sha) = (render.base, commit.sha);
        object!(serializer, {
            "url": format_args!("{base}/repos/{repo}/git/commits/{sha}"),
            "author": Signature { commit, at: commit.authored_at },
            "committer": Signature { commit, at: commit.at },
            "message": commit.message,
            "comment_count": 0,
            "tree": TreeJson { base, repo, sha: commit.tree },
            "verification": Verification,
        })
    }
}

/// A commit as git knows it.
pub(in crate::http) struct GitCommitJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) commit: &'a Commit,
}

impl Serialize for GitCommitJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

impl GitCommitJson<'_> {
    pub(super) fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Self { render, repo, commit } = self;
        let (base, sha) = (render.base, commit.sha);
        entries!(map, {
            "sha": sha,
            "node_id": format_args!("C_{sha}"),
            "url": format_args!("{base}/repos/{repo}/git/commits/{sha}"),
            "html_url": format_args!("{base}/{repo}/commit/{sha}"),
            "author": Signature { commit, at: commit.authored_at },
            "committer": Signature { commit, at: commit.at },
            "message": commit.message,
            "tree": TreeJson { base, repo, sha: commit.tree },
            "parents": each(&commit.parents, |parent| Parent { base, repo, sha: *parent }),
            "verification": Verification,
        });
        Ok(())
    }
}

/// A commit as pushes and check suites carry it.
pub(in crate::http) struct SimpleCommit<'a> {
    pub(in crate::http) commit: &'a Commit,
}

impl Serialize for SimpleCommit<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { commit } = self;
        object!(serializer, {
            "id": commit.sha,
            "tree_id": commit.tree,
            "message": commit.message,
            "timestamp": Moment(commit.at),
            "author": Person { commit },
            "committer": Person { commit },
        })
    }
}

/// The author of a commit, without the time.
struct Person<'a> {
    commit: &'a Commit,
}

impl Serialize for Person<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "name": self.commit.author, "email": self.commit.email })
    }
}

/// The author of a commit, with the time.
pub(in crate::http) struct Signature<'a> {
    pub(in crate::http) commit: &'a Commit,
    /// Unix seconds.
    pub(in crate::http) at: u64,
}

impl Serialize for Signature<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "name": self.commit.author,
            "email": self.commit.email,
            "date": Moment(self.at),
        })
    }
}

struct Parent<'a> {
    base: &'a str,
    repo: &'a str,
    sha: Sha,
}

impl Serialize for Parent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, sha } = self;
        object!(serializer, {
            "sha": sha,
            "url": format_args!("{base}/repos/{repo}/commits/{sha}"),
            "html_url": format_args!("{base}/{repo}/commit/{sha}"),
        })
    }
}

struct TreeJson<'a> {
    base: &'a str,
    repo: &'a str,
    sha: Sha,
}

impl Serialize for TreeJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, sha } = self;
        object!(serializer, {
            "sha": sha,
            "url": format_args!("{base}/repos/{repo}/git/trees/{sha}"),
        })
    }
}

/// Nothing is signed here.
pub(super) struct Verification;

impl Serialize for Verification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nothing: Option<&str> = None;
        object!(serializer, {
            "verified": false,
            "reason": "unsigned",
            "signature": nothing,
            "payload": nothing,
            "verified_at": nothing,
        })
    }
}

/// Lines changed in all files together.
struct Stats<'a>(&'a [FileChange]);

impl Serialize for Stats<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let additions: u64 = self.0.iter().map(|file| file.additions).sum();
        let deletions: u64 = self.0.iter().map(|file| file.deletions).sum();
        let total = additions + deletions;
        object!(serializer, { "additions": additions, "deletions": deletions, "total": total })
    }
}

/// A changed file.
pub(in crate::http) struct FileJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    /// The commit whose version is linked to.
    pub(in crate::http) sha: Sha,
    pub(in crate::http) file: &'a FileChange,
}

impl Serialize for FileJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, sha, file } = self;
        let (base, path) = (render.base, &file.path);
        let status = match file.status {
            FileStatus::Added => "added",
            FileStatus::Modified => "modified",
            FileStatus::Removed => "removed",
        };
        let mut map = serializer.serialize_map(None)?;
        entries!(map, {
            "sha": file.blob,
            "filename": &**path,
            "status": status,
            "additions": file.additions,
            "deletions": file.deletions,
            "changes": file.additions + file.deletions,
            "blob_url": format_args!("{base}/{repo}/blob/{sha}/{path}"),
            "raw_url": format_args!("{base}/{repo}/raw/{sha}/{path}"),
            "contents_url": format_args!("{base}/repos/{repo}/contents/{path}?ref={sha}"),
        });
        if let Some(patch) = &file.patch {
            map.serialize_entry("patch", &**patch)?;
        }
        map.end()
    }
}

/// The comparison of two commits.
pub(in crate::http) struct ComparisonJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repo: &'a str,
    /// `base...head` as it was asked for.
    pub(in crate::http) range: &'a str,
    pub(in crate::http) base_commit: &'a Commit,
    pub(in crate::http) merge_base: &'a Commit,
    pub(in crate::http) head: Sha,
    pub(in crate::http) comparison: &'a Comparison,
    /// The page of commits that is shown.
    pub(in crate::http) commits: &'a [std::sync::Arc<Commit>],
}

impl Serialize for ComparisonJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, range, comparison, head, .. } = self;
        let base = render.base;
        let commit = |commit| CommitJson { render, repo, commit, files: None };
        let status = match comparison.status {
            CompareStatus::Identical => "identical",
            CompareStatus::Ahead => "ahead",
            CompareStatus::Behind => "behind",
            CompareStatus::Diverged => "diverged",
        };
        object!(serializer, {
            "url": format_args!("{base}/repos/{repo}/compare/{range}"),
            "html_url": format_args!("{base}/{repo}/compare/{range}"),
            "permalink_url": format_args!("{base}/{repo}/compare/{range}"),
            "diff_url": format_args!("{base}/{repo}/compare/{range}.diff"),
            "patch_url": format_args!("{base}/{repo}/compare/{range}.patch"),
            "base_commit": commit(self.base_commit),
            "merge_base_commit": commit(self.merge_base),
            "status": status,
            "ahead_by": comparison.ahead_by,
            "behind_by": comparison.behind_by,
            "total_commits": comparison.ahead_by,
            "commits": each(self.commits, |found| commit(found)),
            "files": each(&comparison.files, |file| FileJson { render, repo, sha: *head, file }),
        })
    }
}
