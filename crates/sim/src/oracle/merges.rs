//! Promises about a merge to the bot branch: what was really tested, and with what.

use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use crate::world::BOT_BRANCH;
use ralph_core::fold::READ_LAG;
use ralph_core::ids::RepoName;
use ralph_forge::{Event, EventKind, PullView};

impl Oracle {
    /// Records that others moved a bot branch on; for a while no read has to show it.
    pub(crate) fn note_moved_bases(&mut self, events: &[Event]) {
        for event in events {
            if let (EventKind::Push { branch, .. }, Some(repo)) =
                (&event.kind, RepoName::parse(&event.repo))
                && branch == BOT_BRANCH
            {
                self.record.bases_moved.insert(repo, self.clock.now());
            }
        }
    }

    /// The issue could still be read after the last required check of its change had turned green.
    pub(super) fn judge_issue_of(
        &mut self,
        forge: &mut ForgeSide,
        repo: &RepoName,
        view: &PullView,
    ) {
        let branch = &view.summary.head;
        let Some(lost) = forge.lost_since(repo, branch) else { return };
        let place = (repo.clone(), view.summary.head_sha.to_string());
        let Some(said) = self.record.checks_said.get(&place) else { return };
        let last = forge.required_checks(repo).iter().filter_map(|name| said.green.get(name)).max();
        if last.is_some_and(|green| lost <= *green) {
            self.broken("I11", format!("{branch} was merged, but its issue is gone since {lost}"));
        }
    }

    /// The head contains what it was merged into, or was tried with it, as far as Ralph can have known.
    pub(super) fn judge_base(&mut self, forge: &mut ForgeSide, repo: &RepoName, view: &PullView) {
        let Some(before) = forge.merged_into(repo, view) else { return };
        let head = view.summary.head_sha;
        let moved = self.record.bases_moved.get(repo);
        let is_news = moved.is_some_and(|at| self.clock.now().since(*at) <= READ_LAG);
        if forge.model().is_ancestor(repo.as_str(), before, head) {
            return;
        }
        if !self.judge_tried(forge, repo, view, is_news) && !is_news {
            let number = view.summary.issue.number;
            let detail = format!("{repo}#{number} was merged into {before}, never tested with it");
            self.broken("G5", detail);
        }
    }
}
