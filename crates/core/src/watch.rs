//! Watches: the things to read from the forge, and how fresh each must be. `decide` derives them, a poller serves them.

use crate::ids::{IssueKey, PullNumber, RepoName, Sha};
use crate::time::Span;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// Issues of a repository that changed since the cursor.
    Issues(RepoName),
    Branches(RepoName),
    Labels(RepoName),
    Required(RepoName),
    /// The mark of the Ralph that works here.
    Mark(RepoName),
    /// The configured checks that the forge does not require of others.
    Protection(RepoName),
    Rollup(RepoName, PullNumber),
    /// The comparison of the default branch with the bot branch.
    Behind(RepoName),
    Sync(RepoName, PullNumber),
    Trial(RepoName, PullNumber),
    /// The tree of a commit of the bot branch.
    Tree(RepoName, Sha),
    Issue(IssueKey),
    /// An issue that is worked on: its existence and its blockers.
    Look(IssueKey),
    Native(IssueKey),
    /// Label events, for commands.
    Commands(IssueKey),
    /// Comments that may answer an escalation.
    Comments(IssueKey),
    Pull(IssueKey, PullNumber),
    /// The log of a red check of a commit, by the check's name.
    CheckLog(IssueKey, Sha, String),
    Reach(IssueKey),
    /// The forge's knowledge of an issue that this store may lack.
    Recall(IssueKey),
    /// The evidence for a label that says merged or done.
    Evidence(IssueKey),
    /// The evidence of a verdict that nothing is left of an issue.
    Proof(IssueKey),
}

impl Resource {
    #[must_use]
    pub const fn repo(&self) -> &RepoName {
        match self {
            Self::Issues(repo)
            | Self::Branches(repo)
            | Self::Labels(repo)
            | Self::Required(repo)
            | Self::Mark(repo)
            | Self::Protection(repo)
            | Self::Rollup(repo, _)
            | Self::Behind(repo)
            | Self::Sync(repo, _)
            | Self::Trial(repo, _)
            | Self::Tree(repo, _) => repo,
            Self::Issue(issue)
            | Self::Look(issue)
            | Self::Native(issue)
            | Self::Commands(issue)
            | Self::Comments(issue)
            | Self::Pull(issue, _)
            | Self::CheckLog(issue, ..)
            | Self::Reach(issue)
            | Self::Recall(issue)
            | Self::Evidence(issue)
            | Self::Proof(issue) => &issue.repo,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    pub resource: Resource,
    pub pace: Pace,
}

impl Watch {
    /// The pause before the first read, given the operator's poll interval. The results of these two were known before,
    /// or they would be desired sooner.
    #[must_use]
    pub const fn first_after(&self, poll_interval: Span) -> Span {
        let is_known = matches!(self.resource, Resource::Issue(_) | Resource::Reach(_));
        match self.pace {
            Pace::Rarely | Pace::Seldom if is_known => self.pace.every(poll_interval),
            Pace::Rarely | Pace::Seldom | Pace::Normal | Pace::Soon => Span::ZERO,
        }
    }

    /// The longest pause before the next read once it is desired sooner than before.
    #[must_use]
    pub const fn hurried_after(&self, poll_interval: Span) -> Span {
        match &self.resource {
            // The default branch has moved: changes may have reached it.
            Resource::Reach(_) | Resource::Look(_) => Span::ZERO,
            Resource::Issues(_)
            | Resource::Branches(_)
            | Resource::Labels(_)
            | Resource::Required(_)
            | Resource::Mark(_)
            | Resource::Protection(_)
            | Resource::Rollup(..)
            | Resource::Behind(_)
            | Resource::Sync(..)
            | Resource::Trial(..)
            | Resource::Tree(..)
            | Resource::Evidence(_)
            | Resource::Proof(_)
            | Resource::Recall(_)
            | Resource::Issue(_)
            | Resource::Native(_)
            | Resource::Commands(_)
            | Resource::Comments(_)
            | Resource::Pull(..)
            | Resource::CheckLog(..) => self.pace.every(poll_interval),
        }
    }
}

/// The required freshness of a read, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pace {
    /// A change is expected any moment.
    Soon,
    /// The ordinary pace of a poll.
    Normal,
    /// Changes rarely, and a webhook usually reports it.
    Rarely,
    /// Only a person's repair can change it, and each read costs a request.
    Seldom,
}

/// The least time between two reads of what only a person can repair, however short the poll interval is.
const SELDOM_MIN: Span = Span::from_mins(60);

impl Pace {
    /// The time between two reads, given the operator's poll interval.
    #[must_use]
    pub const fn every(self, poll_interval: Span) -> Span {
        match self {
            Self::Soon => Span(poll_interval.0 / 3),
            Self::Normal => poll_interval,
            Self::Rarely => Span(poll_interval.0 * 10),
            Self::Seldom if poll_interval.0 * 120 > SELDOM_MIN.0 => Span(poll_interval.0 * 120),
            Self::Seldom => SELDOM_MIN,
        }
    }
}
