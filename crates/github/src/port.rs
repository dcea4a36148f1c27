//! The engine's port to the forge, on GitHub's REST API. Each write is one request.

use crate::budget::Purpose;
use crate::client::Client;
use crate::route;
use crate::transport::Transport;
use crate::wire::issue::{Comment, Opened};
use crate::wire::pull::Merged;
use crate::wire::request::{
    AddLabels, Close, ClosePull, CreateRef, Label, Merge, Nothing, OpenIssue, Text, UpdateBranch,
};
use crate::writing::then;
use http::Method;
use ralph_core::ids::{Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::policy::MergeMethod;
use ralph_core::pull::{Checks, Pull, Required};
use ralph_core::repo::Branches;
use ralph_core::rerun::Rerunnable;
use ralph_core::time::Time;
use ralph_core::words;
use ralph_engine::ports::{
    Answer, CheckLog, ClosedBy, Forge, ForgeComment, ForgeIssue, FoundMark, FoundPull,
    LabelDefinition, LabelEvents, NewMark, NewPull, Read, RefusalKind, Relations, Rights, Skipped,
    TimelineEntry, Unread,
};

const NO_SUCH_REFERENCE: &str = "Reference does not exist";

impl<T: Transport> Forge for Client<T> {
    fn issues_since(&mut self, repo: &RepoName, since: Option<Time>) -> Read<Vec<ForgeIssue>> {
        self.read_issues(repo, since)
    }

    fn issue(&mut self, key: &IssueKey) -> Read<Option<ForgeIssue>> {
        self.read_issue(key)
    }

    fn issues_by(&mut self, repo: &RepoName, who: &Login, since: Time) -> Read<Vec<ForgeIssue>> {
        self.read_issues_by(repo, who, since)
    }

    fn skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skipped)
    }

    fn relations(&mut self, key: &IssueKey) -> Relations {
        self.read_relations(key)
    }

    fn label_events(&mut self, key: &IssueKey, after: u64) -> Read<LabelEvents> {
        self.read_label_events(key, after)
    }

    fn timeline(&mut self, key: &IssueKey) -> Read<Vec<TimelineEntry>> {
        self.read_timeline(key)
    }

    fn closed_by(&mut self, key: &IssueKey) -> Read<ClosedBy> {
        self.read_closed_by(key)
    }

    fn rights(&mut self, repo: &RepoName, login: &Login) -> Read<Rights> {
        self.read_rights(repo, login)
    }

    fn comments_since(&mut self, key: &IssueKey, since: Time) -> Read<Vec<ForgeComment>> {
        self.read_comments(key, since)
    }

    fn pull(&mut self, repo: &RepoName, number: PullNumber) -> Read<Option<Pull>> {
        self.read_pull(repo, number)
    }

    fn pulls_from(&mut self, repo: &RepoName, head: &Branch) -> Read<Vec<FoundPull>> {
        self.read_pulls_from(repo, head)
    }

    fn checks(&mut self, repo: &RepoName, head: &Sha) -> Read<Checks> {
        self.read_checks(repo, head)
    }

    fn check_log(&mut self, repo: &RepoName, head: &Sha, name: &str) -> Read<Option<CheckLog>> {
        self.read_check_log(repo, head, name)
    }

    fn required(&mut self, repo: &RepoName, branches: [&Branch; 2]) -> Read<Required> {
        self.read_required(repo, branches)
    }

    fn branches(&mut self, repo: &RepoName, bot: &Branch) -> Read<Branches> {
        self.read_branches(repo, bot)
    }

    fn contains(&mut self, repo: &RepoName, head: &Sha, commit: &Sha) -> Read<bool> {
        self.read_contains(repo, head, commit)
    }

    fn brings_changes(&mut self, repo: &RepoName, base: &Sha, head: &Sha) -> Read<bool> {
        self.read_brings_changes(repo, base, head)
    }

    fn labels(&mut self, repo: &RepoName) -> Read<Vec<LabelDefinition>> {
        self.read_labels(repo)
    }

    fn mark(&mut self, repo: &RepoName) -> Read<Option<FoundMark>> {
        self.read_mark(repo)
    }

    fn write_mark(&mut self, repo: &RepoName, new: &NewMark<'_>) -> Answer<Option<Sha>> {
        self.put_mark(repo, new)
    }

    fn tree_of(&mut self, repo: &RepoName, commit: &Sha) -> Read<Option<String>> {
        self.read_tree_of(repo, commit)
    }

    fn add_label(&mut self, key: &IssueKey, label: &str) -> Answer<()> {
        let path = format!("{}/labels", route::issue(key));
        self.change(&Method::POST, &path, Purpose::BestEffort, &AddLabels { labels: [label] })
    }

    fn remove_label(&mut self, key: &IssueKey, label: &str) -> Answer<()> {
        let path = format!("{}/labels/{}", route::issue(key), route::part(label));
        self.delete(&path, Purpose::BestEffort)
    }

    fn create_comment(&mut self, key: &IssueKey, body: &str) -> Answer<CommentId> {
        let path = format!("{}/comments", route::issue(key));
        let answer = self.change_for(&Method::POST, &path, Purpose::Essential, &Text { body });
        then(answer, |comment: Comment| Answer::Happened(CommentId(comment.id)))
    }

    fn edit_comment(&mut self, key: &IssueKey, id: CommentId, body: &str) -> Answer<()> {
        let path = format!("/repos/{}/issues/comments/{}", key.repo, id.0);
        self.change(&Method::PATCH, &path, Purpose::BestEffort, &Text { body })
    }

    fn close_issue(&mut self, key: &IssueKey) -> Answer<()> {
        let close = Close { state: "closed", state_reason: "completed" };
        self.change(&Method::PATCH, &route::issue(key), Purpose::Essential, &close)
    }

    fn open_issue(&mut self, repo: &RepoName, title: &str, body: &str) -> Answer<u64> {
        let (path, open) = (format!("/repos/{repo}/issues"), OpenIssue { title, body });
        let answer = self.change_for(&Method::POST, &path, Purpose::BestEffort, &open);
        then(answer, |opened: Opened| Answer::Happened(opened.number))
    }

    fn edit_issue(&mut self, key: &IssueKey, body: &str) -> Answer<()> {
        self.change(&Method::PATCH, &route::issue(key), Purpose::BestEffort, &Text { body })
    }

    fn open_pull(&mut self, repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull> {
        self.propose(repo, new, false)
    }

    fn open_draft(&mut self, repo: &RepoName, new: &NewPull<'_>) -> Answer<Pull> {
        self.propose(repo, new, true)
    }

    fn close_pull(&mut self, repo: &RepoName, number: PullNumber) -> Answer<()> {
        self.account.known().forget_opened(repo, number);
        let path = format!("/repos/{repo}/pulls/{}", number.0);
        self.change(&Method::PATCH, &path, Purpose::BestEffort, &ClosePull { state: "closed" })
    }

    fn edit_pull(&mut self, repo: &RepoName, number: PullNumber, body: &str) -> Answer<()> {
        self.account.known().forget_opened(repo, number);
        let path = format!("/repos/{repo}/pulls/{}", number.0);
        self.change(&Method::PATCH, &path, Purpose::BestEffort, &Text { body })
    }

    fn merge(
        &mut self,
        repo: &RepoName,
        pull: PullNumber,
        head: &Sha,
        how: MergeMethod,
    ) -> Answer<Sha> {
        self.account.known().forget_opened(repo, pull);
        let merge_method = match how {
            MergeMethod::Merge => "merge",
            MergeMethod::Squash => "squash",
            MergeMethod::Rebase => "rebase",
        };
        let merge = Merge { sha: head.as_str(), merge_method };
        let path = format!("/repos/{repo}/pulls/{}/merge", pull.0);
        let answer = self.change_for(&Method::PUT, &path, Purpose::Essential, &merge);
        then(answer, |merged: Merged| {
            if merged.merged {
                Answer::Happened(merged.sha)
            } else {
                Answer::refused(RefusalKind::Other, &merged.message)
            }
        })
    }

    fn update_branch(&mut self, repo: &RepoName, pull: PullNumber, head: &Sha) -> Answer<()> {
        self.account.known().forget_opened(repo, pull);
        let update = UpdateBranch { expected_head_sha: head.as_str() };
        let path = format!("/repos/{repo}/pulls/{}/update-branch", pull.0);
        self.change(&Method::PUT, &path, Purpose::Essential, &update)
    }

    fn rerun(&mut self, repo: &RepoName, of: Rerunnable) -> Answer<()> {
        let path = match of {
            Rerunnable::CheckRun(id) => format!("/repos/{repo}/check-runs/{id}/rerequest"),
            Rerunnable::Job(id) => format!("/repos/{repo}/actions/jobs/{id}/rerun"),
        };
        self.change(&Method::POST, &path, Purpose::Essential, &Nothing {})
    }

    fn create_label(&mut self, repo: &RepoName, label: &LabelDefinition) -> Answer<()> {
        let LabelDefinition { name, color, description } = label;
        let label = Label { name: Some(name), color, description };
        self.change(&Method::POST, &format!("/repos/{repo}/labels"), Purpose::BestEffort, &label)
    }

    fn edit_label(&mut self, repo: &RepoName, label: &LabelDefinition) -> Answer<()> {
        let LabelDefinition { name, color, description } = label;
        let path = format!("/repos/{repo}/labels/{}", route::part(name));
        let label = Label { name: None, color, description };
        self.change(&Method::PATCH, &path, Purpose::BestEffort, &label)
    }

    fn may_protect(&mut self, repo: &RepoName) -> Read<bool> {
        let found = self.repository(repo)?;
        // Nothing is written under a name that leads elsewhere.
        match found {
            Some(found) if found.is_called(repo) => Ok(found.is_admin),
            Some(found) => Err(Unread::refused(words::renamed(repo, Some(&found.full_name)))),
            None => Ok(false),
        }
    }

    fn require_checks(&mut self, repo: &RepoName, branch: &Branch, checks: &[&str]) -> Answer<()> {
        self.add_required_checks(repo, branch, checks)
    }

    /// GitHub says of a branch that is not there what it says of other things that make no sense.
    fn delete_branch(&mut self, repo: &RepoName, branch: &Branch) -> Answer<()> {
        let mut answer = self.delete(&route::reference(repo, branch), Purpose::BestEffort);
        if let Answer::Refused(refusal) = &mut answer
            && refusal.message.contains(NO_SUCH_REFERENCE)
        {
            refusal.kind = RefusalKind::Missing;
        }
        answer
    }

    fn create_branch(&mut self, repo: &RepoName, branch: &Branch, at: &Sha) -> Answer<()> {
        let reference = format!("refs/heads/{branch}");
        let create = CreateRef { reference: &reference, sha: at.as_str() };
        self.change(&Method::POST, &format!("/repos/{repo}/git/refs"), Purpose::Essential, &create)
    }
}
