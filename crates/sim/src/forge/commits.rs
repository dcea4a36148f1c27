//! Commits and trees of the simulated forge: their contents, and where they have arrived.

use crate::faults::cheating::{STRICT, TESTS};
use crate::forge::ForgeSide;
use crate::machine::Machine;
use crate::machine::resolving::MARK;
use crate::machine::wording::SKIPS;
use crate::machine::working::file_of;
use crate::oracle::steps::folder_of;
use crate::people::syncing::SYNC_BRANCHES;
use crate::world::{BOT_BRANCH, DEFAULT_BRANCH, sha};
use ralph_core::digest::Digest;
use ralph_core::gate::Gate;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::job::{Asked, Job, Turn};
use ralph_core::managed_path::ManagedPath;
use ralph_core::run::Head;
use ralph_core::test_files::Changes;
use ralph_engine::Engine;
use ralph_engine::ports::Built;
use ralph_forge::{
    Commit, CompareCommits, Content, GetPull, ListPulls, NewCommit, Page, PullSummary, PullView,
    Sha, Trial,
};
use std::collections::BTreeMap;
use std::sync::Arc;

impl ForgeSide {
    /// Is this merge on the default branch, itself or inside a squashed rollup?
    pub(crate) fn has_reached_default(&mut self, repo: &RepoName, commit: Sha) -> bool {
        let name = repo.as_str();
        let Some(main) = self.model().branch(name, DEFAULT_BRANCH) else { return false };
        if self.model().is_ancestor(name, commit, main) {
            return true;
        }
        let filter = ralph_forge::PullFilter {
            state: ralph_forge::StateFilter::Closed,
            head: Some(BOT_BRANCH.to_owned()),
            ..ralph_forge::PullFilter::default()
        };
        let list = self.look(repo, ListPulls { filter, page: Page::largest() });
        let Some(list) = list else { return false };
        let contains = |pull: &PullSummary| {
            pull.merged.is_some() && self.model().is_ancestor(name, commit, pull.head_sha)
        };
        list.items.iter().any(contains)
    }

    pub(crate) fn is_broken(&self, commit: &ralph_core::ids::Sha, issue: &IssueKey) -> bool {
        self.text_in(commit.as_str(), issue).contains("broken build")
    }

    pub(crate) fn is_strict(&self, repo: &RepoName, commit: &ralph_core::ids::Sha) -> bool {
        commit.as_str().parse().is_ok_and(|commit| self.has_strict_tests(repo, commit))
    }

    /// Do the tests of this commit find what is broken?
    pub(crate) fn has_strict_tests(&self, repo: &RepoName, commit: Sha) -> bool {
        self.model().text_at(repo.as_str(), commit, TESTS).is_none_or(|text| *text == *STRICT)
    }

    /// The files of the base that differ in the head, and those that are new.
    pub(crate) fn changes(&self, repo: &RepoName, base: Sha, head: Sha) -> Changes {
        let (mut edited, mut added) = (Vec::new(), Vec::new());
        for (path, text) in self.files_at(repo, head) {
            match self.model().text_at(repo.as_str(), base, &path) {
                None => added.push(path.to_string()),
                Some(before) if before != text => edited.push(path.to_string()),
                Some(_) => {}
            }
        }
        Changes { base: sha(base), edited, added, is_cut: false }
    }

    /// The files that the base has changed, with both sides' text where they conflict.
    pub(crate) fn resolved(
        &mut self,
        issue: &IssueKey,
        (head, base): (Sha, Sha),
        files: &[String],
        stays: bool,
    ) -> Option<BTreeMap<String, String>> {
        let (left, right) = (base.to_string(), head.to_string());
        let call = CompareCommits { base: left, head: right };
        let met = self.look(&issue.repo, call)?;
        let repo = issue.repo.as_str();
        let text = |commit, path: &str| self.model().text_at(repo, commit, path);
        let mut written = BTreeMap::new();
        for (path, theirs) in self.files_at(&issue.repo, base) {
            if files.iter().any(|file| **file == *path) {
                let ours = text(head, &path).unwrap_or_default();
                let mark = if stays { MARK } else { "" };
                written.insert(path.to_string(), format!("{mark}{ours} and {theirs}"));
            } else if text(met.merge_base, &path).as_ref() != Some(&theirs) {
                written.insert(path.to_string(), theirs.to_string());
            }
        }
        Some(written)
    }

    /// Has a commit a file that is in conflict still?
    pub(crate) fn has_conflicts(&self, repo: &RepoName, commit: Sha) -> bool {
        self.files_at(repo, commit).any(|(_, text)| text.contains(MARK))
    }

    /// Does the message of this commit keep checks from running?
    pub(crate) fn skips_checks(&self, repo: &RepoName, head: &str) -> bool {
        let commit = head.parse().ok().and_then(|sha| self.model().find_commit(repo.as_str(), sha));
        commit.is_some_and(|commit| {
            let message = commit.message.to_ascii_lowercase();
            SKIPS.iter().any(|skip| message.contains(skip))
        })
    }

    pub(crate) fn find_commit(&self, repo: &RepoName, commit: &str) -> Option<Arc<Commit>> {
        self.model().find_commit(repo.as_str(), commit.parse().ok()?)
    }

    /// Every file of a commit with its text.
    pub(crate) fn files_at(
        &self,
        repo: &RepoName,
        commit: Sha,
    ) -> impl Iterator<Item = (Arc<str>, Arc<str>)> {
        let paths = self.model().paths_at(repo.as_str(), commit).into_iter();
        paths.filter_map(move |path| {
            let text = self.model().text_at(repo.as_str(), commit, &path)?;
            Some((path, text))
        })
    }

    pub(crate) fn text_in(&self, commit: &str, issue: &IssueKey) -> String {
        let text = commit
            .parse()
            .ok()
            .and_then(|commit| self.model().text_at(issue.repo.as_str(), commit, &file_of(issue)));
        text.map(|text| text.to_string()).unwrap_or_default()
    }

    pub(crate) fn make_commit(
        &mut self,
        repo: &RepoName,
        parents: Vec<Sha>,
        content: Content,
        message: &str,
    ) -> Option<Sha> {
        let (message, author, at) = (message.to_owned(), "agent".to_owned(), self.clock.seconds());
        let commit = NewCommit { parents, content, message, author, at };
        self.model_mut().commit(repo.as_str(), commit).ok()
    }

    /// Describes a head for the gates: its tree, and its difference to the base.
    pub(crate) fn describe(&self, repo: &RepoName, base: Sha, head: Sha) -> Option<Head> {
        let from = self.model().find_commit(repo.as_str(), base)?;
        let to = self.model().find_commit(repo.as_str(), head)?;
        let changed = self.files_at(repo, head).filter(|(path, text)| {
            self.model().text_at(repo.as_str(), from.sha, path).as_ref() != Some(text)
        });
        let lines: Vec<_> = changed.map(|(path, text)| format!("{path}: {text}\n")).collect();
        let diff =
            if lines.is_empty() { String::new() } else { Digest::of(&lines.concat()).to_string() };
        let changes = Some(self.changes(repo, from.sha, head));
        Some(Head {
            commit: sha(head),
            tree: to.tree.to_string(),
            diff,
            ci_only: false,
            changes,
            summary: None,
        })
    }

    pub(crate) fn diff_of(&self, repo: &RepoName, turn: &Turn) -> Option<String> {
        let head = turn.head.as_ref()?.as_str().parse().ok()?;
        let base = turn.base.as_str().parse().ok()?;
        Some(self.describe(repo, base, head)?.diff)
    }

    /// The gate that this process is to judge for, and what.
    pub(crate) fn subject_of(&self, key: &IssueKey, job: &Job) -> Option<(Gate, String)> {
        let tree = |commit: &ralph_core::ids::Sha| {
            let commit = self.model().find_commit(key.repo.as_str(), commit.as_str().parse().ok()?);
            Some(commit?.tree.to_string())
        };
        match job {
            Job::Preflight { commit, .. } => Some((Gate::Preflight, tree(commit)?)),
            Job::Integrity { commit, base, plan, .. } => {
                let by = plan.map(|plan| format!(" by {plan}")).unwrap_or_default();
                Some((Gate::TestIntegrity, format!("{} on {base}{by}", tree(commit)?)))
            }
            Job::Turn(turn) => match turn.manner.asks {
                Asked::Verdict(Gate::PlanReview) => {
                    Some((Gate::PlanReview, turn.plan?.to_string()))
                }
                Asked::Verdict(gate) => Some((gate, self.diff_of(&key.repo, turn)?)),
                Asked::Plan | Asked::Change | Asked::ParentVerify | Asked::Survey => None,
            },
            Job::Workspace { .. } | Job::Setup { .. } => None,
        }
    }

    /// Merges heads onto a base as git would.
    pub(crate) fn build_trial(
        &mut self,
        repo: &RepoName,
        base: &ralph_core::ids::Sha,
        heads: &[&ralph_core::ids::Sha],
    ) -> Option<Built> {
        let mut commit: Sha = base.as_str().parse().ok()?;
        let mut trees = Vec::new();
        for head in heads {
            let head: Sha = head.as_str().parse().ok()?;
            let trial = self.model_mut().trial_merge(repo.as_str(), commit, head).ok()?;
            let Trial::Clean(tree) = &*trial else {
                trees.push(None);
                continue;
            };
            let content = Content::Whole(*tree);
            commit = self.make_commit(repo, vec![commit, head], content, "Merge to be tried")?;
            trees.push(Some(tree.to_string()));
        }
        Some(Built { commit: sha(commit), trees })
    }

    /// Returns the repository that a worktree belongs to.
    pub(crate) fn repo_of(&self, path: &ManagedPath) -> Option<RepoName> {
        self.repos.iter().find(|repo| path.as_str().contains(&folder_of(repo))).cloned()
    }

    pub(crate) fn is_rescued(
        &self,
        machine: &Machine,
        repo: &RepoName,
        path: &ManagedPath,
    ) -> bool {
        let Some(worktree) = machine.worktrees.get(path.as_str()) else { return true };
        let Some(saved) = machine.rescued.get(path.as_str()) else { return false };
        let has = |(path, text): (&String, &String)| {
            self.model().text_at(repo.as_str(), *saved, path).is_some_and(|found| *found == **text)
        };
        self.model().is_ancestor(repo.as_str(), worktree.head, *saved)
            && worktree.uncommitted.iter().all(has)
    }

    /// The head of the bot branch before this merge.
    pub(crate) fn merged_into(&self, repo: &RepoName, view: &PullView) -> Option<Sha> {
        let merge = view.summary.merged.as_ref()?.commit;
        self.model().find_commit(repo.as_str(), merge)?.parents.first().copied()
    }

    /// The change that the merge brought to the bot branch: the difference between the merge base and the head.
    pub(crate) fn merged_diff(&mut self, repo: &RepoName, view: &PullView) -> Option<String> {
        let before = self.merged_into(repo, view)?;
        let head = view.summary.head_sha;
        let (left, right) = (before.to_string(), head.to_string());
        let call = CompareCommits { base: left, head: right };
        let met = self.look(repo, call)?;
        Some(self.describe(repo, met.merge_base, head)?.diff)
    }

    /// Does this branch bring nothing but what the default branch has?
    pub(crate) fn is_plain_sync(&self, repo: &RepoName, branch: &str, head: Sha) -> bool {
        let name = repo.as_str();
        let main = self.model().branch(name, DEFAULT_BRANCH);
        let is_on_main = main.is_some_and(|main| self.model().is_ancestor(name, head, main));
        branch.starts_with(SYNC_BRANCHES) && is_on_main
    }

    /// L4. Commits on top of what the bot branch has that change nothing are not missed there, and what a person
    /// turned down is not brought.
    pub(crate) fn lacks_of_default(&self, engine: &Engine) -> Option<Sha> {
        self.repos.iter().find_map(|repo| self.lacks_in(repo, engine))
    }

    pub(crate) fn lacks_in(&self, repo: &RepoName, engine: &Engine) -> Option<Sha> {
        let name = repo.as_str();
        let main = self.model().branch(name, DEFAULT_BRANCH)?;
        let bot = self.model().branch(name, BOT_BRANCH)?;
        let repo = engine.world().repo(repo);
        let declined = repo.and_then(|repo| repo.sync.declined.as_ref());
        let tree = |commit: Sha| self.model().find_commit(name, commit).map(|found| found.tree);
        let is_there = |commit: Sha| self.model().is_ancestor(name, commit, bot);
        if declined.is_some_and(|declined| *declined == sha(main)) {
            return None;
        }
        let mut unchanged = vec![main];
        while let Some(commit) = unchanged.pop() {
            if is_there(commit) {
                return None;
            }
            let found = self.model().find_commit(name, commit)?;
            unchanged.extend(found.parents.iter().filter(|parent| tree(**parent) == tree(main)));
        }
        Some(main)
    }

    /// The branch that Ralph works on for an issue, pushed or not.
    pub(crate) fn branch_of(&mut self, machine: &Machine, key: &IssueKey) -> Option<(String, Sha)> {
        // A sync pull request has its own branch.
        if let Some(view) = self.look(&key.repo, GetPull { number: key.number }) {
            return Some((view.summary.head.clone(), view.summary.head_sha));
        }
        let (branch, local) = machine.local_heads.get(key).cloned()?;
        let pushed = self.model().branch(key.repo.as_str(), &branch);
        Some((branch, pushed.unwrap_or(local)))
    }

    /// Would this head of an issue's branch never pass its checks?
    pub(crate) fn never_passes(&self, key: &IssueKey, head: Sha) -> bool {
        let text = self.model().text_at(key.repo.as_str(), head, &file_of(key));
        text.is_some_and(|text| text.contains("broken"))
    }
}
