//! Pull requests and merges.

use ralph_core::ids::{Branch, Login, PullNumber, Sha};
use ralph_core::pull::{Mergeable, Pull, PullState};
use ralph_core::time::Time;
use ralph_engine::ports::FoundPull;
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Deserialize)]
pub(crate) struct PullRequest {
    number: u64,
    #[serde(rename = "user", deserialize_with = "super::login", default = "super::ghost")]
    author: Login,
    body: Option<String>,
    state: String,
    head: End,
    base: End,
    /// Absent from lists, as are the next two.
    #[serde(default)]
    merged: bool,
    merge_commit_sha: Option<Sha>,
    merged_at: Option<IgnoredAny>,
    mergeable_state: Option<String>,
}

#[derive(Debug, Deserialize)]
struct End {
    sha: Sha,
    #[serde(rename = "ref")]
    branch: Branch,
}

impl PullRequest {
    pub(crate) const fn head_branch(&self) -> &Branch {
        &self.head.branch
    }

    pub(crate) fn shown(&self, read_at: Time) -> Pull {
        let state = match (&self.merge_commit_sha, self.state.as_str()) {
            (Some(commit), _) if self.merged => PullState::Merged { commit: commit.clone() },
            (_, "open") => PullState::Open,
            (_, _closed) => PullState::Closed,
        };
        Pull {
            number: PullNumber(self.number),
            head: self.head.sha.clone(),
            base: self.base.branch.clone(),
            state,
            mergeable: mergeable(self.mergeable_state.as_deref()),
            checks: None,
            read_at,
        }
    }

    pub(crate) fn found(&self) -> FoundPull {
        FoundPull {
            number: PullNumber(self.number),
            author: self.author.clone(),
            is_open: self.state == "open",
            // A list says when it was merged and by which commit, but not that it was.
            merged: self.merge_commit_sha.clone().filter(|_| self.merged_at.is_some()),
            base: self.base.branch.clone(),
            head: self.head.sha.clone(),
            body: self.body.clone().unwrap_or_default(),
        }
    }
}

/// A word that is new is not taken as fine.
fn mergeable(word: Option<&str>) -> Mergeable {
    match word.unwrap_or_default() {
        "clean" | "has_hooks" => Mergeable::Clean,
        "dirty" => Mergeable::Dirty,
        "behind" => Mergeable::Behind,
        "blocked" => Mergeable::Blocked,
        "unstable" => Mergeable::Unstable,
        "draft" => Mergeable::Draft,
        _unknown => Mergeable::Unknown,
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct Merged {
    pub(crate) sha: Sha,
    #[serde(default)]
    pub(crate) merged: bool,
    #[serde(default)]
    pub(crate) message: String,
}
