//! Promises about a merge to the bot branch: what was really tested, and with what.

use crate::town::{BOT_BRANCH, Town};
use ralph_core::fold::READ_LAG;
use ralph_core::ids::RepoName;
use ralph_forge::{Event, EventKind, GitCall, PullView, Reply, Sha};

impl Town {
    /// Somebody else moved a bot branch on; for a while no read has to show it.
    pub(crate) fn note_moved_bases(&mut self, events: &[Event]) {
        for event in events {
            if let (EventKind::Push { branch, .. }, Some(repo)) =
                (&event.kind, RepoName::parse(&event.repo))
                && branch == BOT_BRANCH
            {
                self.ledger.bases_moved.insert(repo, self.now);
            }
        }
    }

    /// The head contains what it was merged into, or was tried with it, as far as Ralph can have known.
    pub(super) fn judge_base(&mut self, repo: &RepoName, view: &PullView) {
        let Some(before) = self.merged_into(repo, view) else { return };
        let head = view.summary.head_sha;
        let moved = self.ledger.bases_moved.get(repo);
        let is_news = moved.is_some_and(|at| self.now.since(*at) <= READ_LAG);
        if self.forge().is_ancestor(repo.as_str(), before, head) {
            return;
        }
        if !self.judge_tried(repo, view, is_news) && !is_news {
            let number = view.summary.issue.number;
            let detail = format!("{repo}#{number} was merged into {before}, never tested with it");
            self.broken("G5", detail);
        }
    }

    /// Where the bot branch stood before this merge.
    fn merged_into(&self, repo: &RepoName, view: &PullView) -> Option<Sha> {
        let merge = view.summary.merged.as_ref()?.commit;
        self.forge().find_commit(repo.as_str(), merge)?.parents.first().copied()
    }

    /// What the merge brought to the bot branch: the difference between where the two had met and the head.
    pub(super) fn merged_diff(&mut self, repo: &RepoName, view: &PullView) -> Option<String> {
        let before = self.merged_into(repo, view)?;
        let head = view.summary.head_sha;
        let (left, right) = (before.to_string(), head.to_string());
        let call = GitCall::Compare { base: left, head: right };
        let Some(Reply::Comparison(met)) = self.look(repo, call) else { return None };
        Some(self.describe(repo, met.merge_base, head)?.diff)
    }
}
