//! The ports to the outside world. Each has a real and a simulated implementation, and all are synchronous here,
//! whatever an adapter does inside.

mod answer;

pub use answer::{Answer, Refusal, RefusalKind};

use ralph_core::ids::{Attempt, Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::job::Job;
use ralph_core::managed_path::ManagedPath;
use ralph_core::messages::MessageId;
use ralph_core::policy::MergeMethod;
use ralph_core::pull::{Checks, Pull, Required};
use ralph_core::removal::{Removal, RescueRef};
use ralph_core::repo::Branches;
use ralph_core::rerun::Rerunnable;
use ralph_core::time::Time;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The reason why a read failed. The last known answer stays in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Do not ask before this time: the forge has set a limit for all requests.
    pub until: Option<Time>,
    pub why: String,
    /// Understood and declined. Asking again unchanged is useless until a person fixes something.
    pub is_refused: bool,
}

impl Unread {
    #[must_use]
    pub const fn failed(why: String) -> Self {
        Self { until: None, why, is_refused: false }
    }

    #[must_use]
    pub const fn refused(why: String) -> Self {
        Self { until: None, why, is_refused: true }
    }

    /// True for a limit that the forge sets for all requests, which says nothing about this one.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        self.until.is_some() && !self.is_refused
    }
}

/// An entry of a list that could not be understood. The rest of the list counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub why: String,
    /// The time of its last change, if it gives one.
    pub updated: Option<Time>,
}

pub type Read<T> = Result<T, Unread>;

/// An issue as the forge shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeIssue {
    pub key: IssueKey,
    pub title: Arc<str>,
    pub body: String,
    pub open: bool,
    pub author: Login,
    pub labels: BTreeSet<Arc<str>>,
    pub updated: Time,
    pub relations: RelationCount,
    /// Pull requests are issues too, and can be referred to as such.
    pub is_pull: bool,
}

/// The forge's count of an issue's dependencies and sub-issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationCount {
    Zero,
    Some,
    /// The forge counts neither or only one of the two, so only the lists can tell.
    Unknown,
}

/// Native dependencies and sub-issues, with the issues themselves. They are separate features: an older forge may have
/// only one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relations {
    pub blocked_by: Read<Related>,
    pub children: Read<Related>,
}

/// One list of related issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Related {
    /// The forge has no such feature here.
    Unavailable,
    List(Vec<ForgeIssue>),
}

/// The cause of a closing, according to the issue's timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClosedBy {
    /// The timeline does not show the closing.
    Untold,
    /// Closed without a commit.
    Person,
    /// Closed by a commit that came with pull requests from these branches.
    Commit(Vec<(RepoName, Branch)>),
}

/// A label added to or removed from an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEvent {
    pub id: u64,
    pub at: Time,
    pub actor: Login,
    pub label: Arc<str>,
    pub is_added: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelEvents {
    /// The forge has no such endpoint for this issue: 404 or 410.
    Unavailable,
    /// Oldest first.
    List(Vec<LabelEvent>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgeComment {
    pub id: CommentId,
    pub author: Login,
    pub body: String,
    pub created: Time,
    /// Later than `created` if the comment was edited.
    pub updated: Time,
}

/// A person's permissions in a repository, according to the forge's permission endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights {
    pub triage: bool,
    pub push: bool,
}

/// A label of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelDefinition {
    pub name: String,
    pub color: String,
    pub description: String,
}

/// An entry of an issue's timeline that may explain how it was completed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineEntry {
    /// A merged pull request of the same repository refers to the issue.
    MergedPull { number: PullNumber, body: String },
    /// A commit closed it.
    ClosedBy { commit: Sha },
}

/// A pull request found by its branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPull {
    pub number: PullNumber,
    pub author: Login,
    pub is_open: bool,
    /// Its merge commit, once it is merged.
    pub merged: Option<Sha>,
    pub head: Sha,
    pub base: Branch,
    pub body: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPull<'a> {
    pub head: &'a Branch,
    pub base: &'a Branch,
    pub title: &'a str,
    pub body: &'a str,
}

/// A Ralph's mark as stored on the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMark {
    pub commit: Sha,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMark<'a> {
    pub over: Option<&'a Sha>,
    /// A commit whose tree the mark reuses.
    pub like: &'a Sha,
    pub message: &'a str,
}

/// The result of merging heads one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    pub commit: Sha,
    /// The tree after each head, in order; `None` for a head that conflicts and was left out.
    pub trees: Vec<Option<String>>,
}

/// The log of a red check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckLog {
    /// The forge's conclusion of the check.
    pub conclusion: String,
    pub text: String,
    /// The identifier for running it again; `None` for a status.
    pub of: Option<Rerunnable>,
}

/// GitHub, or a forge that behaves like it.
pub trait Forge {
    fn issues_since(&mut self, repo: &RepoName, since: Option<Time>) -> Read<Vec<ForgeIssue>>;
    /// Returns the entries that lists had to leave out since the last call.
    fn skipped(&mut self) -> Vec<Skipped> {
        Vec::new()
    }
    /// `None` if this repository has no issue with this number, or no longer has it.
    fn issue(&mut self, key: &IssueKey) -> Read<Option<ForgeIssue>>;
    /// Every issue that this person wrote and that changed since then.
    fn issues_by(&mut self, repo: &RepoName, who: &Login, since: Time) -> Read<Vec<ForgeIssue>>;
    fn relations(&mut self, key: &IssueKey) -> Relations;
    /// All label events of an issue after this id.
    fn label_events(&mut self, key: &IssueKey, after: u64) -> Read<LabelEvents>;
    /// Oldest first.
    fn timeline(&mut self, key: &IssueKey) -> Read<Vec<TimelineEntry>>;
    /// The cause of an issue's last closing.
    fn closed_by(&mut self, key: &IssueKey) -> Read<ClosedBy>;
    fn rights(&mut self, repo: &RepoName, login: &Login) -> Read<Rights>;
    fn comments_since(&mut self, key: &IssueKey, since: Time) -> Read<Vec<ForgeComment>>;
    fn pull(&mut self, repo: &RepoName, number: PullNumber) -> Read<Option<Pull>>;
    /// Every pull request ever opened from a branch, newest first, whatever its base is now.
    fn pulls_from(&mut self, repo: &RepoName, head: &Branch) -> Read<Vec<FoundPull>>;
    fn checks(&mut self, repo: &RepoName, head: &Sha) -> Read<Checks>;
    /// `None` if no check with this name is red on this commit.
    fn check_log(&mut self, repo: &RepoName, head: &Sha, name: &str) -> Read<Option<CheckLog>>;
    fn required(&mut self, repo: &RepoName, branches: [&Branch; 2]) -> Read<Required>;
    fn branches(&mut self, repo: &RepoName, bot: &Branch) -> Read<Branches>;
    /// True if `commit` is an ancestor of `head`, or the same.
    fn contains(&mut self, repo: &RepoName, head: &Sha, commit: &Sha) -> Read<bool>;
    /// True if `head` has changes since it diverged from `base`. Merges of commits that `base` has are not changes.
    fn brings_changes(&mut self, repo: &RepoName, base: &Sha, head: &Sha) -> Read<bool>;
    fn labels(&mut self, repo: &RepoName) -> Read<Vec<LabelDefinition>>;
    /// The mark of the Ralph that works in a repository.
    fn mark(&mut self, repo: &RepoName) -> Read<Option<FoundMark>>;
    /// `None` if the forge does not know this commit yet.
    fn tree_of(&mut self, repo: &RepoName, commit: &Sha) -> Read<Option<String>>;

    fn add_label(&mut self, key: &IssueKey, label: &str) -> Answer<()>;
    fn remove_label(&mut self, key: &IssueKey, label: &str) -> Answer<()>;
    fn create_comment(&mut self, key: &IssueKey, body: &str) -> Answer<CommentId>;
    fn edit_comment(&mut self, key: &IssueKey, id: CommentId, body: &str) -> Answer<()>;
    fn close_issue(&mut self, key: &IssueKey) -> Answer<()>;
    /// Returns its number.
    fn open_issue(&mut self, repo: &RepoName, title: &str, body: &str) -> Answer<u64>;
    /// Replaces the body of an issue.
    fn edit_issue(&mut self, key: &IssueKey, body: &str) -> Answer<()>;
    fn open_pull(&mut self, repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull>;
    /// Opens a pull request that is not meant to be merged.
    fn open_draft(&mut self, repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull>;
    fn edit_pull(&mut self, repo: &RepoName, number: PullNumber, body: &str) -> Answer<()>;
    fn close_pull(&mut self, repo: &RepoName, number: PullNumber) -> Answer<()>;
    /// Merges exactly this head, or is refused. Returns the merge commit.
    fn merge(
        &mut self,
        repo: &RepoName,
        pull: PullNumber,
        head: &Sha,
        how: MergeMethod,
    ) -> Answer<Sha>;
    /// Merges the base into the pull request's branch, now or soon, if this is still its head.
    fn update_branch(&mut self, repo: &RepoName, pull: PullNumber, head: &Sha) -> Answer<()>;
    /// Runs a finished check again.
    fn rerun(&mut self, repo: &RepoName, of: Rerunnable) -> Answer<()>;
    fn create_label(&mut self, repo: &RepoName, label: &LabelDefinition) -> Answer<()>;
    fn edit_label(&mut self, repo: &RepoName, label: &LabelDefinition) -> Answer<()>;
    /// True if Ralph may change what branches require.
    fn may_protect(&mut self, repo: &RepoName) -> Read<bool>;
    /// Makes a branch require these checks too.
    fn require_checks(&mut self, repo: &RepoName, branch: &Branch, checks: &[&str]) -> Answer<()>;
    fn create_branch(&mut self, repo: &RepoName, branch: &Branch, at: &Sha) -> Answer<()>;
    fn delete_branch(&mut self, repo: &RepoName, branch: &Branch) -> Answer<()>;
    /// Replaces the given mark, or creates the first one. Returns its commit; `None` if another mark is there by then.
    fn write_mark(&mut self, repo: &RepoName, new: &NewMark<'_>) -> Answer<Option<Sha>>;
}

/// A process to start. Its end comes back as a fact that names the attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start<'a> {
    pub issue: &'a IssueKey,
    pub attempt: Attempt,
    /// Fencing token of the claim. A worker that has seen a higher token refuses this start.
    pub token: u64,
    pub job: &'a Job,
    /// The agent's prompt, or the plan that a change is compared with; empty for other work.
    pub prompt: &'a str,
    /// Lines for the attempt's log about texts that the prompt could not use.
    pub remarks: &'a [String],
}

/// Git: worktrees, branches, pushes.
pub trait Workspaces {
    fn push(
        &mut self,
        issue: &IssueKey,
        from: &ManagedPath,
        to: &Branch,
        commit: &Sha,
    ) -> Answer<()>;
    /// Merges heads onto a base one after the other, without a worktree and without pushing. A head that conflicts with
    /// the result so far is left out.
    fn build_trial(&mut self, repo: &RepoName, base: &Sha, heads: &[&Sha]) -> Answer<Built>;
    /// Pushes a commit that was built here to a branch.
    fn push_built(&mut self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()>;
    /// The head of a branch on the forge.
    fn remote_head(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<Sha>>;
    /// Removes a worktree, which may be half made or already gone. If its run was given up, commits and uncommitted
    /// files are first saved to a rescue ref, unless a branch of Ralph's clone has all of them. Returns the name of
    /// that ref, also if an earlier try made it.
    fn remove(&mut self, path: &ManagedPath, proof: &Removal) -> Answer<Option<RescueRef>>;
}

/// Processes on this machine, at most one for each issue: preparing a worktree, the operator's commands, a turn of an
/// agent.
pub trait Workers {
    fn start(&mut self, start: &Start<'_>) -> Answer<()>;
    /// Gives a message to the program of an attempt, in the turn under way. Refused if it takes none while it works, or
    /// is over. The end of the attempt names every message that its program was given.
    fn tell(
        &mut self,
        issue: &IssueKey,
        attempt: Attempt,
        message: MessageId,
        words: &str,
    ) -> Answer<()>;
    /// Returns once no process of the attempt is left.
    fn end(&mut self, issue: &IssueKey, attempt: Attempt) -> Answer<()>;
}

/// All ports, for performing an effect.
pub struct Ports<'a> {
    pub forge: &'a mut dyn Forge,
    pub workspaces: &'a mut dyn Workspaces,
    pub workers: &'a mut dyn Workers,
}

impl std::fmt::Debug for Ports<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ports")
    }
}
