//! The people who look after things: they merge rollups at any time, and once the faults have ended they answer
//! escalations, mend what others broke, and resume what was paused.

use crate::world::{BOT_BRANCH, CI, MAINTAINER, OWNER, REQUIRED, SimWorld};
use ralph_core::escalation::Cause;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Phase;
use ralph_core::lane::Lane;
use ralph_core::words;
use ralph_core::world::World;
use ralph_forge::{
    AddLabels, Content, CreateComment, CreateStatus, EditPull, Expected, GetPull, ListPulls,
    MergeMethod, MergeOrder, MergePull, MergeState, NewStatus, Page, PullEdit, PullFilter,
    PushBranch, StateChange, StateFilter, StatusState, Trial,
};

impl SimWorld {
    /// The owner merges the rollup now and then, in one of the ways GitHub offers.
    pub(crate) fn merge_rollup(&mut self, repo: &RepoName) {
        let Some(number) = self.forge.open_rollup(repo) else { return };
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return;
        };
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
        self.trace.say(&format!("owner merges rollup {repo}#{number}"));
        self.act(OWNER, repo, MergePull { number, order });
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
        if self.forge.model().is_ancestor(name, theirs, ours) {
            return;
        }
        let Ok(trial) = self.forge.model_mut().trial_merge(name, ours, theirs) else { return };
        let tree = match &*trial {
            Trial::Clean(tree) => *tree,
            Trial::Conflict(_) => match self.forge.model().find_commit(name, ours) {
                Some(commit) => commit.tree,
                None => return,
            },
        };
        let content = Content::Whole(tree);
        let made = self.forge.make_commit(repo, vec![ours, theirs], content, "Merge by hand");
        let Some(sha) = made else { return };
        let branch = branch.to_owned();
        let push = PushBranch { branch, sha, expected_old: Expected::Anything, force: false };
        self.act(OWNER, repo, push);
    }

    /// One round of looking after everything, after the faults.
    pub(crate) fn look_after(&mut self, world: &World) {
        for repo in self.forge.repos.clone() {
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
                Phase::Escalated { cause, episode }
                    if self.oracle.is_told(&mut self.forge, &key, episode) =>
                {
                    self.mend(&key, &cause);
                    self.resume(&key, &cause);
                }
                Phase::Queued | Phase::Running { .. } | Phase::Parked { .. } if is_paused => {
                    self.give_command(&key, "queue");
                }
                Phase::Stopped { .. } if key.number % 2 == 0 && self.forge.is_open(&key) => {
                    self.give_command(&key, "queue");
                }
                // Done and open means reopened: there is more to do, once.
                Phase::Done { is_closed: true, .. }
                    if self.forge.is_open(&key)
                        && self.oracle.record.done_again.insert(key.clone()) =>
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

    pub(crate) fn give_command(&mut self, key: &IssueKey, command: &str) {
        let (who, names) = (self.forge.keeper(), vec![format!("ralph:cmd:{command}")]);
        self.act(who, &key.repo, AddLabels { number: key.number, names });
        self.oracle.note_intent(&mut self.forge, key);
    }

    /// The three ways to resolve an escalation, each used.
    fn resume(&mut self, key: &IssueKey, cause: &Cause) {
        let (who, number) = (self.forge.keeper(), key.number);
        self.trace.say(&format!("{who} resolves {key}: {}", words::cause_summary(cause)));
        match self.prng.below(3) {
            0 => {
                let answers = ["RALPH RESOLVED: go on", "RALPH RESOLVED: replan"];
                let body = self.prng.pick(&answers).map(|it| (*it).to_owned()).unwrap_or_default();
                if let Some(view) = self.act(who, &key.repo, CreateComment { number, body }) {
                    self.oracle.record.intents.insert((key.clone(), view.comment.id));
                }
            }
            1 => {
                let names = vec!["ralph:status:queued".to_owned()];
                self.act(who, &key.repo, AddLabels { number, names });
                self.oracle.note_intent(&mut self.forge, key);
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
                if let Some((branch, head)) = self.forge.branch_of(&self.machine, key)
                    && let Some(base) = self.forge.model().branch(key.repo.as_str(), BOT_BRANCH)
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
            Cause::Unreadable { why, .. } => self.forge.mend_read(why),
            Cause::Cycle(members) => {
                for member in members {
                    self.give_command(member, "satisfy");
                }
            }
            Cause::BlockersMissing(references) => self.correct_references(key, references),
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
            | Cause::BudgetSpent { .. }
            | Cause::Inherited => {}
        }
    }

    fn restore_pull(&mut self, key: &IssueKey) {
        let filter = PullFilter { state: StateFilter::All, ..PullFilter::default() };
        let page = Page::largest();
        let (repo, call) = (&key.repo, ListPulls { filter, page });
        let Some(list) = self.forge.look(repo, call) else { return };
        let own = list.items.iter().find(|pull| self.machine.is_own_branch(key, &pull.head));
        let Some(pull) = own.map(|pull| pull.issue.number) else { return };
        let reopen = PullEdit { state: Some(StateChange::Reopen), ..PullEdit::default() };
        self.act(MAINTAINER, repo, EditPull { number: pull, edit: reopen });
        let rebase = PullEdit { base: Some(BOT_BRANCH.to_owned()), ..PullEdit::default() };
        self.act(MAINTAINER, repo, EditPull { number: pull, edit: rebase });
    }

    /// A red check of an honest change is made green by running it again; a broken change is mended first.
    fn rerun_checks(&mut self, key: &IssueKey) {
        let Some(number) = self.forge.open_pull_of(&self.machine, key) else { return };
        let repo = &key.repo;
        self.forge.doomed_pulls.remove(&(repo.clone(), number));
        let Some(view) = self.forge.look(repo, GetPull { number }) else {
            return;
        };
        let head = view.summary.head_sha;
        if self.forge.never_passes(key, head) {
            let path = crate::machine::working::file_of(key);
            let content = Content::written([(path.as_str(), "mended by hand")]);
            if let Some(sha) = self.forge.make_commit(repo, vec![head], content, "Mend") {
                let branch = view.summary.head;
                let expected_old = Expected::Anything;
                let push = PushBranch { branch, sha, expected_old, force: false };
                self.act(MAINTAINER, repo, push);
            }
            return;
        }
        for name in REQUIRED {
            self.report_check(repo, &head.to_string(), name);
            let (context, state) = (name.to_owned(), StatusState::Success);
            let status = NewStatus { context, state, description: None, target_url: None };
            self.act(CI, repo, CreateStatus { sha: head, status });
        }
    }
}
