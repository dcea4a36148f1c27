//! Entries of an issue's timeline, as far as they tell how it came to its end.

use ralph_core::ids::{PullNumber, RepoName, Sha};
use ralph_engine::ports::TimelineEntry;
use serde::Deserialize;
use serde::de::IgnoredAny;

/// Entries differ much; each has what it needs, and is known by its `event`.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    #[serde(default)]
    event: String,
    commit_id: Option<Sha>,
    /// Names the repository of the commit, which may be another one.
    commit_url: Option<String>,
    source: Option<Source>,
}

#[derive(Debug, Deserialize)]
struct Source {
    issue: Option<Referrer>,
}

#[derive(Debug, Deserialize)]
struct Referrer {
    number: u64,
    body: Option<String>,
    repository: Option<Home>,
    pull_request: Option<PullPart>,
}

#[derive(Debug, Deserialize)]
struct Home {
    full_name: String,
}

#[derive(Debug, Deserialize)]
struct PullPart {
    merged_at: Option<IgnoredAny>,
}

impl Entry {
    pub(crate) fn is_closing(&self) -> bool {
        self.event == "closed"
    }

    pub(crate) fn is_reopening(&self) -> bool {
        self.event == "reopened"
    }

    /// The commit that did it, and where that is. None for what a person or a pull request did.
    pub(crate) fn commit(&self, repo: &RepoName) -> Option<(RepoName, Sha)> {
        let path = self.commit_url.as_deref().and_then(|url| url.split_once("/repos/"));
        let named = path.and_then(|(_, path)| {
            let mut parts = path.splitn(3, '/');
            RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))
        });
        Some((named.unwrap_or_else(|| repo.clone()), self.commit_id.clone()?))
    }

    pub(crate) fn shown(&self, repo: &RepoName) -> Option<TimelineEntry> {
        match self.event.as_str() {
            "closed" => {
                let commit = self.commit_id.clone()?;
                Some(TimelineEntry::ClosedBy { commit })
            }
            "cross-referenced" => {
                let found = self.source.as_ref()?.issue.as_ref()?;
                let home = found.repository.as_ref().and_then(|it| RepoName::parse(&it.full_name));
                let is_merged = found.pull_request.as_ref()?.merged_at.is_some();
                (is_merged && home.as_ref() == Some(repo)).then(|| TimelineEntry::MergedPull {
                    number: PullNumber(found.number),
                    body: found.body.clone().unwrap_or_default(),
                })
            }
            _other => None,
        }
    }
}
