//! The bot branch has to have what the default branch has: how people see to a sync pull request that Ralph
//! asked them to see to, and the promise that it is so in the end.

use crate::town::{BOT_BRANCH, DEFAULT_BRANCH, OWNER, REQUIRED, Town};
use ralph_core::ids::RepoName;
use ralph_core::world::World;
use ralph_engine::Engine;
use ralph_forge::{
    MergeMethod, MergeOrder, MergeState, Page, PullCall, PullFilter, Reply, Sha, StateFilter,
};

/// What the branches of sync pull requests begin with.
pub(crate) const SYNC_BRANCHES: &str = "ralph/sync-";

impl Town {
    /// Does what Ralph's comment on a sync pull request asks for, once there is one.
    pub(crate) fn see_to_sync(&mut self, repo: &RepoName, world: &World) {
        let Some(sync) = world.repo(repo).map(|repo| &repo.sync) else { return };
        if sync.open.is_none() && sync.declined.is_some() {
            self.bring_by_hand(repo);
        }
        let told = sync.open.as_ref().filter(|open| open.is_told);
        let Some(number) = told.map(|open| open.number.0) else { return };
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        let (branch, head) = (view.summary.head.clone(), view.summary.head_sha);
        if view.merge_state == MergeState::Dirty {
            if let Some(bot) = self.forge().branch(repo.as_str(), BOT_BRANCH) {
                self.say(&format!("owner resolves the conflicts of {repo}#{number}"));
                self.merge_by_hand(repo, &branch, head, bot);
            }
            return;
        }
        for name in REQUIRED {
            self.report_check(repo, &head.to_string(), name);
        }
        let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
        self.say(&format!("owner merges {repo}#{number}"));
        self.act(OWNER, repo, PullCall::Merge { number, order });
    }

    /// Whoever turns a sync down, and has a rollup that conflicts, has to do it by hand.
    fn bring_by_hand(&mut self, repo: &RepoName) {
        let branch = |town: &Self, name| town.forge().branch(repo.as_str(), name);
        let ends = branch(self, BOT_BRANCH).zip(branch(self, DEFAULT_BRANCH));
        if let Some((bot, default)) = ends {
            self.say(&format!("owner brings {DEFAULT_BRANCH} into {BOT_BRANCH} of {repo}"));
            self.merge_by_hand(repo, BOT_BRANCH, bot, default);
        }
    }

    /// Does this branch bring nothing but what the default branch has?
    pub(crate) fn is_plain_sync(&self, repo: &RepoName, branch: &str, head: Sha) -> bool {
        let name = repo.as_str();
        let main = self.forge().branch(name, DEFAULT_BRANCH);
        let is_on_main = main.is_some_and(|main| self.forge().is_ancestor(name, head, main));
        branch.starts_with(SYNC_BRANCHES) && is_on_main
    }

    /// L3. The branch of a sync pull request goes once that is merged.
    pub(crate) fn leftover_sync_branch(&mut self) -> Option<String> {
        for repo in self.repos.clone() {
            let all = self.forge().branches(repo.as_str());
            let of_syncs = all.filter(|(name, _)| name.starts_with(SYNC_BRANCHES));
            let names: Vec<_> = of_syncs.map(|(name, _)| name.to_owned()).collect();
            for name in names {
                let (state, head) = (StateFilter::All, Some(name.clone()));
                let filter = PullFilter { state, head, ..PullFilter::default() };
                let call = PullCall::List { filter, page: Page::largest() };
                let Some(Reply::Pulls(list)) = self.look(&repo, call) else { continue };
                if list.items.iter().any(|pull| pull.merged.is_some()) {
                    return Some(name);
                }
            }
        }
        None
    }

    /// L4. Commits on top of what the bot branch has that change nothing are not missed there, and what a person
    /// turned down is not brought.
    pub(crate) fn lacks_of_default(&self, engine: &Engine) -> Option<Sha> {
        self.repos.iter().find_map(|repo| self.lacks_in(repo, engine))
    }

    fn lacks_in(&self, repo: &RepoName, engine: &Engine) -> Option<Sha> {
        let name = repo.as_str();
        let main = self.forge().branch(name, DEFAULT_BRANCH)?;
        let bot = self.forge().branch(name, BOT_BRANCH)?;
        let repo = engine.world().repo(repo);
        let declined = repo.and_then(|repo| repo.sync.declined.as_ref());
        let tree = |commit: Sha| self.forge().find_commit(name, commit).map(|found| found.tree);
        let is_there = |commit: Sha| self.forge().is_ancestor(name, commit, bot);
        if declined.is_some_and(|declined| *declined == crate::town::sha(main)) {
            return None;
        }
        let mut unchanged = vec![main];
        while let Some(commit) = unchanged.pop() {
            if is_there(commit) {
                return None;
            }
            let found = self.forge().find_commit(name, commit)?;
            unchanged.extend(found.parents.iter().filter(|parent| tree(**parent) == tree(main)));
        }
        Some(main)
    }
}
