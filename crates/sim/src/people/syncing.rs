//! The bot branch has to have what the default branch has: how people see to a sync pull request that Ralph
//! asked them to see to, and the promise that it is so in the end.

use crate::world::{BOT_BRANCH, DEFAULT_BRANCH, OWNER, REQUIRED, SimWorld};
use ralph_core::ids::RepoName;
use ralph_core::world::World;
use ralph_forge::{GetPull, MergeMethod, MergeOrder, MergePull, MergeState};

/// The prefix of sync branches.
pub(crate) const SYNC_BRANCHES: &str = "ralph/sync-";

impl SimWorld {
    /// Does what Ralph's comment on a sync pull request asks for, once there is one.
    pub(crate) fn see_to_sync(&mut self, repo: &RepoName, world: &World) {
        let Some(sync) = world.repo(repo).map(|repo| &repo.sync) else { return };
        if sync.open.is_none() && sync.declined.is_some() {
            self.bring_by_hand(repo);
        }
        let told = sync.open.as_ref().filter(|open| open.is_told);
        let Some(number) = told.map(|open| open.number.0) else { return };
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return;
        };
        let (branch, head) = (view.summary.head.clone(), view.summary.head_sha);
        if view.merge_state == MergeState::Dirty {
            if let Some(bot) = self.forge.model().branch(repo.as_str(), BOT_BRANCH) {
                self.trace.say(&format!("owner resolves the conflicts of {repo}#{number}"));
                self.merge_by_hand(repo, &branch, head, bot);
            }
            return;
        }
        for name in REQUIRED {
            self.report_check(repo, &head.to_string(), name);
        }
        let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
        self.trace.say(&format!("owner merges {repo}#{number}"));
        self.act(OWNER, repo, MergePull { number, order });
    }

    /// Merges by hand where people turned a sync down and the rollup conflicts.
    fn bring_by_hand(&mut self, repo: &RepoName) {
        let branch = |world: &Self, name| world.forge.model().branch(repo.as_str(), name);
        let ends = branch(self, BOT_BRANCH).zip(branch(self, DEFAULT_BRANCH));
        if let Some((bot, default)) = ends {
            self.trace.say(&format!("owner brings {DEFAULT_BRANCH} into {BOT_BRANCH} of {repo}"));
            self.merge_by_hand(repo, BOT_BRANCH, bot, default);
        }
    }
}
