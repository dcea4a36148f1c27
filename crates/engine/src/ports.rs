//! The seams to the world outside. Each port has a real and a simulated implementation; all are synchronous
//! here, whatever an adapter does inside.

use ralph_core::command::{Command, Manner};
use ralph_core::ids::{Attempt, Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::job::Job;
use ralph_core::managed_path::ManagedPath;
use ralph_core::policy::MergeMethod;
use ralph_core::pull::{Checks, Pull, Required};
use ralph_core::removal::{Removal, RescueRef};
use ralph_core::repo::Branches;
use ralph_core::rerun::Rerunnable;
use ralph_core::time::Time;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is known after asking for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    Happened(T),
    /// Understood and declined: asking again unchanged is useless.
    Refused(Refusal),
    /// Never sent, or turned away unread: nothing happened.
    Later {
        until: Option<Time>,
        why: String,
    },
    /// No answer: it may have happened.
    Unknown {
        why: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// What was to be changed is not there.
    Missing,
    /// What was to be made is there already.
    Exists,
    Other,
}

/// Why a read gave nothing. The last known answer stays in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// Not before this time: the forge has set a limit for everything.
    pub until: Option<Time>,
    pub why: String,
    /// Understood and declined: asking again unchanged is useless until a person mends something.
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

    /// A limit that the forge sets for everything, which says nothing about what was asked.
    #[must_use]
    pub const fn is_limit(&self) -> bool {
        self.until.is_some() && !self.is_refused
    }
}

/// An entry of a list that made no sense. The rest of the list counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub why: String,
    /// When it last changed, if it says so much.
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
    /// Pull requests are issues too, and may be named where issues are.
    pub is_pull: bool,
}

/// The forge's own count of an issue's dependencies and sub-issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationCount {
    Zero,
    Some,
    /// It counts neither or only one of the two: only the lists can say.
    Unknown,
}

/// Native dependencies and sub-issues, with the issues themselves. Each is a feature by itself: an older forge may
/// have the one and not the other.
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

/// The cause of a closing, by the issue's timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClosedBy {
    /// It does not show the closing.
    Untold,
    /// No commit.
    Person,
    /// A commit, which pull requests of these branches brought.
    Commit(Vec<(RepoName, Branch)>),
}

/// A label put on or taken off an issue.
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
    /// Later than `created` once somebody has edited it.
    pub updated: Time,
}

/// What a person may do in a repository, by the forge's permission endpoint.
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

/// What an issue's timeline tells of how it came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimelineEntry {
    /// A merged pull request of the same repository refers to the issue.
    MergedPull { number: PullNumber, body: String },
    /// A commit closed it.
    ClosedBy { commit: Sha },
}

/// A pull request found by its branches.
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

/// The mark of a Ralph as the forge has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundMark {
    pub commit: Sha,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMark<'a> {
    pub over: Option<&'a Sha>,
    /// A commit whose tree it borrows.
    pub like: &'a Sha,
    pub message: &'a str,
}

/// Heads merged one onto the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    pub commit: Sha,
    /// The tree after each head, in order; `None` for one that conflicts and was left out.
    pub trees: Vec<Option<String>>,
}

/// What a red check has left to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckLog {
    /// The forge's word for how the check ended.
    pub conclusion: String,
    pub text: String,
    /// What can be run once more; `None` for a status.
    pub of: Option<Rerunnable>,
}

/// GitHub, or something that cannot be told apart from it.
pub trait Forge {
    fn issues_since(&mut self, repo: &RepoName, since: Option<Time>) -> Read<Vec<ForgeIssue>>;
    /// Entries that the lists read since the last call had to leave out.
    fn skipped(&mut self) -> Vec<Skipped> {
        Vec::new()
    }
    /// `None`: the forge says that this repository has no such issue, or none by this number any longer.
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
    /// Every pull request ever opened from a branch, newest first, whatever its base is by now.
    fn pulls_from(&mut self, repo: &RepoName, head: &Branch) -> Read<Vec<FoundPull>>;
    fn checks(&mut self, repo: &RepoName, head: &Sha) -> Read<Checks>;
    /// `None`: no check of this name is red on this commit.
    fn check_log(&mut self, repo: &RepoName, head: &Sha, name: &str) -> Read<Option<CheckLog>>;
    fn required(&mut self, repo: &RepoName, branches: [&Branch; 2]) -> Read<Required>;
    fn branches(&mut self, repo: &RepoName, bot: &Branch) -> Read<Branches>;
    /// Is `commit` an ancestor of `head`, or the same?
    fn contains(&mut self, repo: &RepoName, head: &Sha, commit: &Sha) -> Read<bool>;
    /// Does `head` have changes since it parted from `base`? Merges of what `base` has anyway are none.
    fn brings_changes(&mut self, repo: &RepoName, base: &Sha, head: &Sha) -> Read<bool>;
    fn labels(&mut self, repo: &RepoName) -> Read<Vec<LabelDefinition>>;
    /// The mark of the Ralph that works in a repository.
    fn mark(&mut self, repo: &RepoName) -> Read<Option<FoundMark>>;
    /// `None`: the forge does not know this commit, or not yet.
    fn tree_of(&mut self, repo: &RepoName, commit: &Sha) -> Read<Option<String>>;

    fn add_label(&mut self, key: &IssueKey, label: &str) -> Answer<()>;
    fn remove_label(&mut self, key: &IssueKey, label: &str) -> Answer<()>;
    fn create_comment(&mut self, key: &IssueKey, body: &str) -> Answer<CommentId>;
    fn edit_comment(&mut self, key: &IssueKey, id: CommentId, body: &str) -> Answer<()>;
    fn close_issue(&mut self, key: &IssueKey) -> Answer<()>;
    /// Gives its number.
    fn open_issue(&mut self, repo: &RepoName, title: &str, body: &str) -> Answer<u64>;
    /// Gives an issue another text.
    fn edit_issue(&mut self, key: &IssueKey, body: &str) -> Answer<()>;
    fn open_pull(&mut self, repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull>;
    /// One that is not meant to be merged.
    fn open_draft(&mut self, repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull>;
    fn edit_pull(&mut self, repo: &RepoName, number: PullNumber, body: &str) -> Answer<()>;
    fn close_pull(&mut self, repo: &RepoName, number: PullNumber) -> Answer<()>;
    /// Merges exactly this head, or is refused. Gives the merge commit.
    fn merge(
        &mut self,
        repo: &RepoName,
        pull: PullNumber,
        head: &Sha,
        how: MergeMethod,
    ) -> Answer<Sha>;
    /// Merges the base into the pull request's branch if this is still its head, now or soon.
    fn update_branch(&mut self, repo: &RepoName, pull: PullNumber, head: &Sha) -> Answer<()>;
    /// Runs a finished check once more.
    fn rerun(&mut self, repo: &RepoName, of: Rerunnable) -> Answer<()>;
    fn create_label(&mut self, repo: &RepoName, label: &LabelDefinition) -> Answer<()>;
    fn edit_label(&mut self, repo: &RepoName, label: &LabelDefinition) -> Answer<()>;
    /// May Ralph change what branches require?
    fn may_protect(&mut self, repo: &RepoName) -> Read<bool>;
    /// Has a branch require these checks too.
    fn require_checks(&mut self, repo: &RepoName, branch: &Branch, checks: &[&str]) -> Answer<()>;
    fn create_branch(&mut self, repo: &RepoName, branch: &Branch, at: &Sha) -> Answer<()>;
    fn delete_branch(&mut self, repo: &RepoName, branch: &Branch) -> Answer<()>;
    /// Puts a mark in place of the one that is named, or of none. Gives its commit; `None` when another one is there
    /// by then.
    fn write_mark(&mut self, repo: &RepoName, new: &NewMark<'_>) -> Answer<Option<Sha>>;
}

/// A process to start. Its end comes back as a fact that names the attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start<'a> {
    pub issue: &'a IssueKey,
    pub attempt: Attempt,
    /// Fencing token of the claim: whoever has seen a higher one refuses this.
    pub token: u64,
    pub job: &'a Job,
    /// What the agent is told, or the plan that a change is held against; empty for other work.
    pub prompt: &'a str,
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
    /// Merges heads onto a base, one onto the other, without a worktree and without telling anybody. Whatever
    /// conflicts with what is before it is left out.
    fn build_trial(&mut self, repo: &RepoName, base: &Sha, heads: &[&Sha]) -> Answer<Built>;
    /// Puts a commit that was built here on a branch.
    fn push_built(&mut self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()>;
    /// Where a branch stands at the forge.
    fn remote_head(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<Sha>>;
    /// Removes a worktree, which may be half made, or gone already. One that is given up is emptied into a
    /// rescue ref first, commits and uncommitted files alike, unless all of it is on a branch of Ralph's own
    /// clone anyway. Gives the name of that ref, also when an earlier try made it.
    fn remove(&mut self, path: &ManagedPath, proof: &Removal) -> Answer<Option<RescueRef>>;
}

/// Processes on this machine, at most one for each issue: a worktree that is made, the operator's commands, a turn of
/// an agent.
pub trait Workers {
    fn start(&mut self, start: &Start<'_>) -> Answer<()>;
    /// Returns once nothing of the attempt is left.
    fn end(&mut self, issue: &IssueKey, attempt: Attempt) -> Answer<()>;
}

/// All ports, for whoever performs an effect.
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

/// A command given on this machine instead of on the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalCommand {
    pub issue: IssueKey,
    pub command: Command,
    pub manner: Manner,
    pub actor: Login,
}

impl<T> Answer<T> {
    #[must_use]
    pub fn refused(kind: RefusalKind, message: &str) -> Self {
        Self::Refused(Refusal { kind, message: message.to_owned() })
    }
}
