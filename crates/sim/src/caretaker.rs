//! The people who look after things: they merge rollups at any time, and once the weather has cleared they
//! answer escalations, mend what others broke, and resume what was paused.

use crate::town::{BOT_BRANCH, CI, MAINTAINER, OWNER, REQUIRED, Town};
use ralph_core::escalation::Cause;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{Phase, Slot};
use ralph_core::lane::Lane;
use ralph_core::world::World;
use ralph_core::{hidden_marker, words};
use ralph_forge::{
    CheckCall, CommentCall, Content, Expected, GitCall, LabelCall, MergeMethod, MergeOrder,
    MergeState, NewStatus, Page, PullCall, PullEdit, PullFilter, Reply, StateChange, StateFilter,
    StatusState, Trial,
};

impl Town {
    /// The owner merges the rollup now and then, in one of the ways GitHub offers.
    pub(crate) fn merge_rollup(&mut self, repo: &RepoName) {
        let Some(number) = self.open_rollup(repo) else { return };
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        // Whatever is in its way comes into the bot branch by Ralph's sync.
        if view.merge_state == MergeState::Dirty {
            return;
        }
        let method = match self.prng.below(100) {
            0..15 => MergeMethod::Squash,
            15..25 => MergeMethod::Rebase,
            _ => MergeMethod::Merge,
        };
        let order = MergeOrder { method, expected_head: None, message: None };
        self.say(&format!("owner merges rollup {repo}#{number}"));
        self.act(OWNER, repo, PullCall::Merge { number, order });
    }

    /// Merges one commit into another by hand, keeping our side of conflicts.
    pub(crate) fn merge_by_hand(
        &mut self,
        repo: &RepoName,
        branch: &str,
        ours: ralph_forge::Sha,
        theirs: ralph_forge::Sha,
    ) {
        let name = repo.as_str();
        if self.forge().is_ancestor(name, theirs, ours) {
            return;
        }
        let Ok(trial) = self.forge_mut().trial_merge(name, ours, theirs) else { return };
        let tree = match &*trial {
            Trial::Clean(tree) => *tree,
            Trial::Conflict(_) => match self.forge().find_commit(name, ours) {
                Some(commit) => commit.tree,
                None => return,
            },
        };
        let content = Content::Whole(tree);
        let made = self.make_commit(repo, vec![ours, theirs], content, "Merge by hand");
        let Some(sha) = made else { return };
        let branch = branch.to_owned();
        let push = GitCall::Push { branch, sha, expected_old: Expected::Anything, force: false };
        self.act(OWNER, repo, push);
    }

    /// One round of looking after everything, on a fine day.
    pub(crate) fn look_after(&mut self, world: &World) {
        for repo in self.repos.clone() {
            self.merge_rollup(&repo);
            self.see_to_sync(&repo, world);
        }
        self.end_pulls_by_hand();
        let waiting: Vec<_> = world
            .issues()
            .filter_map(|(key, issue)| Some((key, issue.managed.as_deref()?)))
            .filter(|(_, managed)| managed.commands.pending.is_empty())
            .map(|(key, managed)| (key.clone(), managed.phase.clone(), managed.is_paused))
            .collect();
        for (key, phase, is_paused) in waiting {
            match phase {
                // A person comes because of the comment, and not before.
                Phase::Escalated { cause, episode } if self.is_told(&key, episode) => {
                    self.mend(&key, &cause);
                    self.resume(&key, &cause);
                }
                Phase::Queued | Phase::Running { .. } | Phase::Parked { .. } if is_paused => {
                    self.give_command(&key, "queue");
                }
                Phase::Stopped { .. } if key.number % 2 == 0 && self.is_open(&key) => {
                    self.give_command(&key, "queue");
                }
                // Done and open means reopened: there is more to do, once.
                Phase::Done { is_closed: true, .. }
                    if self.is_open(&key) && self.ledger.done_again.insert(key.clone()) =>
                {
                    self.give_command(&key, "queue");
                }
                Phase::Out
                | Phase::Queued
                | Phase::Running { .. }
                | Phase::Parked { .. }
                | Phase::Escalated { .. }
                | Phase::Stopped { .. }
                | Phase::InBot { .. }
                | Phase::Done { .. } => {}
            }
        }
    }

    /// Does the issue show the comment that asks for a person? What people did to comments is theirs to know.
    fn is_told(&mut self, key: &IssueKey, episode: u32) -> bool {
        let wanted = words::marker(key, &Slot::Escalation { episode });
        let is_meddled_with =
            self.ledger.uncommented.contains(key) || self.ledger.rewritten.contains(key);
        let (number, page, since) = (key.number, Page::largest(), None);
        let call = CommentCall::List { number, since, page };
        let Some(Reply::Comments(list)) = self.look(&key.repo, call) else { return false };
        let is_it = |body: &str| hidden_marker::find(body).as_ref() == Some(&wanted);
        is_meddled_with || list.items.iter().any(|view| is_it(&view.comment.body))
    }

    /// Is this the branch that Ralph works on for an issue, and not one that it has left?
    pub(crate) fn is_own_branch(&self, key: &IssueKey, branch: &str) -> bool {
        let is_of_issue = || branch.starts_with(&format!("ralph/issue-{}-", key.number));
        self.local_heads.get(key).map_or_else(is_of_issue, |(own, _)| own == branch)
    }

    pub(crate) fn give_command(&mut self, key: &IssueKey, command: &str) {
        let (who, names) = (self.keeper(), vec![format!("ralph:cmd:{command}")]);
        self.act(who, &key.repo, LabelCall::Add { number: key.number, names });
        self.note_intent(key);
    }

    /// The three ways to resolve an escalation, each used.
    fn resume(&mut self, key: &IssueKey, cause: &Cause) {
        let (who, number) = (self.keeper(), key.number);
        self.say(&format!("{who} resolves {key}: {}", words::cause_summary(cause)));
        match self.prng.below(3) {
            0 => {
                let answers = ["RALPH RESOLVED: go on", "RALPH RESOLVED: replan"];
                let body = self.prng.pick(&answers).map(|it| (*it).to_owned()).unwrap_or_default();
                if let Some(Reply::Comment(view)) =
                    self.act(who, &key.repo, CommentCall::Create { number, body })
                {
                    self.ledger.intents.insert((key.clone(), view.comment.id));
                }
            }
            1 => {
                let names = vec!["ralph:status:queued".to_owned()];
                self.act(who, &key.repo, LabelCall::Add { number, names });
                self.note_intent(key);
            }
            _ => self.give_command(key, "queue"),
        }
    }

    /// Does what the escalation asks for.
    fn mend(&mut self, key: &IssueKey, cause: &Cause) {
        match cause {
            Cause::Conflict
            | Cause::ConflictUnseen { .. }
            | Cause::Behind
            | Cause::UpdateRefused(_)
            | Cause::LaneSpent { lane: Lane::MergeConflict, .. } => {
                if let Some((branch, head)) = self.branch_of(key)
                    && let Some(base) = self.forge().branch(key.repo.as_str(), BOT_BRANCH)
                {
                    self.merge_by_hand(&key.repo, &branch, head, base);
                }
            }
            // To resume is enough; some open it again all the same.
            Cause::PullClosed if self.prng.chance(600) => {}
            Cause::PullClosed | Cause::WrongBase(_) | Cause::PullRefused(_) => {
                self.restore_pull(key)
            }
            Cause::LaneSpent { lane: Lane::CiDebug, .. } => self.rerun_checks(key),
            Cause::Unreadable { why, .. } => self.mend_read(why),
            Cause::Cycle(members) => {
                for member in members {
                    self.give_command(member, "satisfy");
                }
            }
            Cause::ProductGap(_)
            | Cause::CloseOrClarify(_)
            | Cause::Routed(_)
            | Cause::ContractSurface(_)
            | Cause::PlanRejected(_)
            | Cause::TestsChanged(_)
            | Cause::MissingVerdict(_)
            | Cause::StepSpent { .. }
            | Cause::CouldNotRun { .. }
            | Cause::Stalled { .. }
            | Cause::Interrupted
            | Cause::CiOnly
            | Cause::MergeRefused(_)
            | Cause::PushRefused(_)
            | Cause::HeadMoved
            | Cause::NoEvidence
            | Cause::Inherited => {}
        }
    }

    /// The branch that Ralph works on for an issue, pushed or not.
    fn branch_of(&mut self, key: &IssueKey) -> Option<(String, ralph_forge::Sha)> {
        // A sync pull request has its own branch.
        if let Some(Reply::Pull(view)) = self.look(&key.repo, PullCall::Get { number: key.number })
        {
            return Some((view.summary.head.clone(), view.summary.head_sha));
        }
        let (branch, local) = self.local_heads.get(key).cloned()?;
        let pushed = self.forge().branch(key.repo.as_str(), &branch);
        Some((branch, pushed.unwrap_or(local)))
    }

    fn restore_pull(&mut self, key: &IssueKey) {
        let filter = PullFilter { state: StateFilter::All, ..PullFilter::default() };
        let page = Page::largest();
        let (repo, call) = (&key.repo, PullCall::List { filter, page });
        let Some(Reply::Pulls(list)) = self.look(repo, call) else { return };
        let own = list.items.iter().find(|pull| self.is_own_branch(key, &pull.head));
        let Some(pull) = own.map(|pull| pull.issue.number) else { return };
        let reopen = PullEdit { state: Some(StateChange::Reopen), ..PullEdit::default() };
        self.act(MAINTAINER, repo, PullCall::Edit { number: pull, edit: reopen });
        let rebase = PullEdit { base: Some(BOT_BRANCH.to_owned()), ..PullEdit::default() };
        self.act(MAINTAINER, repo, PullCall::Edit { number: pull, edit: rebase });
    }

    /// Would this head of an issue's branch never pass its checks?
    pub(crate) fn never_passes(&self, key: &IssueKey, head: ralph_forge::Sha) -> bool {
        let text = self.forge().text_at(key.repo.as_str(), head, &crate::working::file_of(key));
        text.is_some_and(|text| text.contains("broken"))
    }

    /// A red check of an honest change is made green by running it again; a broken change is mended first.
    fn rerun_checks(&mut self, key: &IssueKey) {
        let Some(number) = self.open_pull_of(key) else { return };
        let repo = &key.repo;
        self.doomed_pulls.remove(&(repo.clone(), number));
        let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) else { return };
        let head = view.summary.head_sha;
        if self.never_passes(key, head) {
            let path = crate::working::file_of(key);
            let content = Content::written([(path.as_str(), "mended by hand")]);
            if let Some(sha) = self.make_commit(repo, vec![head], content, "Mend") {
                let branch = view.summary.head.clone();
                let expected_old = Expected::Anything;
                let push = GitCall::Push { branch, sha, expected_old, force: false };
                self.act(MAINTAINER, repo, push);
            }
            return;
        }
        for name in REQUIRED {
            self.report_check(repo, &head.to_string(), name);
            let (context, state) = (name.to_owned(), StatusState::Success);
            let status = NewStatus { context, state, description: None, target_url: None };
            self.act(CI, repo, CheckCall::CreateStatus { sha: head, status });
        }
    }
}
