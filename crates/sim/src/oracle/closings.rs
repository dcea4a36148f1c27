//! Promises about closed issues: no commit message of an agent closes an issue or skips checks.

use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use crate::people::syncing::SYNC_BRANCHES;
use crate::world::BOT_BRANCH;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{Phase, StopReason};
use ralph_core::world::World;
use ralph_forge::{ListCommitPulls, ListIssueEvents, Page, PullSummary, Sha, TimelineEvent};

impl Oracle {
    /// An issue was closed: did a commit close it that Ralph's own work brought?
    pub(crate) fn judge_closing(&mut self, forge: &mut ForgeSide, key: &IssueKey) {
        let call = ListIssueEvents { number: key.number, page: Page::largest() };
        let Some(events) = forge.look(&key.repo, call) else { return };
        let closed = events.items.iter().rev().find_map(|entry| match &entry.event {
            TimelineEvent::Closed { commit, .. } => Some(*commit),
            _other => None,
        });
        // A worktree that begins with what a person pushed has it from that person.
        let is_by_hand = |commit: &Sha| self.record.by_hand.contains(&commit.to_string());
        let by: Option<Sha> = closed.flatten().filter(|commit| !is_by_hand(commit));
        if let Some(commit) = by.filter(|commit| self.record.produced.contains(&commit.to_string()))
        {
            self.broken("D1", format!("{key} was closed by the words of {commit}"));
        }
    }

    /// Every stop is looked at when it comes, because what happens to the issue later is no cause of it.
    pub(crate) fn judge_stops(&mut self, forge: &mut ForgeSide, world: &World) {
        for (key, issue) in world.issues() {
            let managed = issue.managed.as_deref();
            let closed = Phase::Stopped { why: StopReason::Closed };
            let Some(stopped) = managed.filter(|it| it.phase == closed) else { continue };
            if self.record.stops.insert((key.clone(), stopped.since)) {
                self.judge_stop(forge, key);
            }
        }
    }

    /// Ralph has stopped this because it was closed: did a person close it, or was the cause kept from Ralph?
    pub(crate) fn judge_stop(&mut self, forge: &mut ForgeSide, key: &IssueKey) {
        let call = ListIssueEvents { number: key.number, page: Page::largest() };
        let Some(events) = forge.look(&key.repo, call) else { return };
        let closed = events.items.iter().rev().find_map(|entry| match &entry.event {
            TimelineEvent::Closed { commit, .. } => Some(*commit),
            _other => None,
        });
        let Some(sha) = closed.flatten() else { return };
        let is_own = |pull: &PullSummary| {
            let branch = pull.head.as_str();
            let is_made = branch.starts_with("ralph/") && !branch.starts_with(SYNC_BRANCHES);
            branch == BOT_BRANCH || is_made
        };
        // The commit may be one of another repository that Ralph works in.
        for repo in forge.repos.clone() {
            let call = ListCommitPulls { sha, page: Page::largest() };
            let Some(pulls) = forge.look(&repo, call) else { continue };
            let is_known = !forge.unreadable.kept_closer(key, &repo, sha);
            if is_known && pulls.items.iter().any(is_own) {
                self.broken("D1", format!("{key} was stopped because {sha} of Ralph's closed it"));
            }
        }
    }

    /// Ralph has pushed this: would its checks run?
    pub(crate) fn judge_wording(&mut self, forge: &mut ForgeSide, repo: &RepoName, commit: Sha) {
        if forge.skips_checks(repo, &commit.to_string()) {
            self.broken("D1", format!("{commit} keeps the checks of {repo} from running"));
        }
    }
}
