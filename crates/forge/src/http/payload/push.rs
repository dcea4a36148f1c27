//! Webhooks about pushes.

use std::fmt;
use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Notice, Own, Setting};
use crate::git::commit::{Commit, email_of};
use crate::git::diff::{FileChange, FileStatus};
use crate::git::sha::Sha;
use crate::http::moment::Moment;
use crate::http::render::commit::Signature;
use crate::http::render::{RenderContext, each, entries, object};
use crate::model::repository_calls::RepositoryView;

/// GitHub's limit on the commits that one push carries.
const COMMITS_MAX: usize = 2048;

impl Setting<'_> {
    pub(super) fn push(
        &mut self,
        branch: &str,
        before: Option<Sha>,
        after: Option<Sha>,
        forced: bool,
    ) -> Option<Notice> {
        let repo = self.repo;
        let arrived = after.map(|after| self.forge.arrivals(repo, before, after));
        let mut commits: Vec<Arrived> = Vec::new();
        for commit in arrived.unwrap_or_default().into_iter().take(COMMITS_MAX) {
            let files = self.forge.changes_of(repo, &commit);
            commits.push(Arrived { commit, files });
        }
        let head = after.and_then(|after| self.forge.find_commit(repo, after));
        let head = head.map(|commit| {
            let files = self.forge.changes_of(repo, &commit);
            Arrived { commit, files }
        });
        let (branch, pusher) = (branch.to_owned(), self.actor.to_owned());
        let own = AboutPush { branch, before, after, forced, commits, head, pusher };
        self.notice("push", None, &own)
    }
}

struct Arrived {
    commit: Arc<Commit>,
    files: Vec<FileChange>,
}

struct AboutPush {
    branch: String,
    before: Option<Sha>,
    after: Option<Sha>,
    forced: bool,
    commits: Vec<Arrived>,
    head: Option<Arrived>,
    pusher: String,
}

/// A sha, or zeroes where there is none.
struct OrZero(Option<Sha>);

impl fmt::Display for OrZero {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(sha) => sha.fmt(formatter),
            None => write!(formatter, "{:040}", 0),
        }
    }
}

impl Own for AboutPush {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let (base, repo) = (render.base, repository.full_name());
        let (before, after) = (OrZero(self.before), OrZero(self.after));
        let json = |arrived| ArrivedJson { base, repo: &repo, arrived };
        entries!(map, {
            "ref": format_args!("refs/heads/{}", self.branch),
            "before": format_args!("{before}"),
            "after": format_args!("{after}"),
            "base_ref": None::<&str>,
            "created": self.before.is_none(),
            "deleted": self.after.is_none(),
            "forced": self.forced,
            "compare": format_args!("{base}/{repo}/compare/{before}...{after}"),
            "commits": each(&self.commits, &json),
            "head_commit": self.head.as_ref().map(json),
            "pusher": Pusher(&self.pusher),
        });
        Ok(())
    }
}

struct Pusher<'a>(&'a str);

impl Serialize for Pusher<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "name": self.0,
            "email": email_of(self.0),
        })
    }
}

struct ArrivedJson<'a> {
    base: &'a str,
    repo: &'a str,
    arrived: &'a Arrived,
}

impl Serialize for ArrivedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (base, repo, commit) = (self.base, self.repo, &self.arrived.commit);
        let sha = commit.sha;
        let paths = |status: FileStatus| {
            let files = self.arrived.files.iter().filter(move |file| file.status == status);
            files.map(|file| &*file.path).collect::<Vec<&str>>()
        };
        object!(serializer, {
            "id": sha,
            "tree_id": commit.tree,
            "distinct": true,
            "message": commit.message,
            "timestamp": Moment(commit.at),
            "url": format_args!("{base}/{repo}/commit/{sha}"),
            "author": Signature { commit, at: commit.authored_at },
            "committer": Signature { commit, at: commit.at },
            "added": paths(FileStatus::Added),
            "removed": paths(FileStatus::Removed),
            "modified": paths(FileStatus::Modified),
        })
    }
}
