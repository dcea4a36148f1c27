//! The people who look after things: they merge rollups at any time, and once the weather has cleared they
//! answer escalations, mend what others broke, and resume what was paused.

use crate::town::{BOT_BRANCH, CI, DEFAULT_BRANCH, MAINTAINER, OWNER, REPO, REQUIRED, Town};
use ralph_core::escalation::Cause;
use ralph_core::issue::Phase;
use ralph_core::world::World;
use ralph_forge::{
    CheckCall, CommentCall, Content, Expected, GitCall, LabelCall, MergeMethod, MergeOrder,
    MergeState, NewStatus, Page, PullCall, PullEdit, PullFilter, Reply, StateChange, StateFilter,
    StatusState, Trial,
};

impl Town {
    /// The owner merges the rollup now and then, in one of the ways GitHub offers.
    pub(crate) fn merge_rollup(&mut self) {
        let Some(number) = self.open_rollup() else { return };
        let Some(Reply::Pull(view)) = self.look(PullCall::Get { number }) else { return };
        if view.merge_state == MergeState::Dirty {
            self.sync_bot_branch();
            return;
        }
        let method = if self.prng.chance(150) { MergeMethod::Squash } else { MergeMethod::Merge };
        let order = MergeOrder { method, expected_head: None, message: None };
        self.say(&format!("owner merges rollup #{number}"));
        self.act(OWNER, PullCall::Merge { number, order });
    }

    /// Merges the default branch into the bot branch, keeping the bot branch's side of conflicts.
    fn sync_bot_branch(&mut self) {
        let (Some(bot), Some(main)) =
            (self.forge().branch(REPO, BOT_BRANCH), self.forge().branch(REPO, DEFAULT_BRANCH))
        else {
            return;
        };
        self.merge_by_hand(BOT_BRANCH, bot, main);
    }

    fn merge_by_hand(&mut self, branch: &str, ours: ralph_forge::Sha, theirs: ralph_forge::Sha) {
        if self.forge().is_ancestor(REPO, theirs, ours) {
            return;
        }
        let Ok(trial) = self.forge_mut().trial_merge(REPO, ours, theirs) else { return };
        let tree = match &*trial {
            Trial::Clean(tree) => *tree,
            Trial::Conflict(_) => match self.forge().find_commit(REPO, ours) {
                Some(commit) => commit.tree,
                None => return,
            },
        };
        let content = Content::Whole(tree);
        let Some(sha) = self.make_commit(vec![ours, theirs], content, "Merge by hand") else {
            return;
        };
        let branch = branch.to_owned();
        let push = GitCall::Push { branch, sha, expected_old: Expected::Anything, force: false };
        self.act(OWNER, push);
    }

    /// One round of looking after everything, on a fine day.
    pub(crate) fn look_after(&mut self, world: &World) {
        self.merge_rollup();
        let waiting: Vec<_> = world
            .issues()
            .filter_map(|(key, issue)| Some((key.number, issue.managed.as_deref()?)))
            .filter(|(_, managed)| managed.commands.pending.is_empty())
            .map(|(number, managed)| (number, managed.phase.clone(), managed.is_paused))
            .collect();
        for (number, phase, is_paused) in waiting {
            match phase {
                Phase::Escalated { cause, .. } => {
                    self.mend(number, &cause);
                    self.resume(number, &cause);
                }
                Phase::Queued | Phase::Running { .. } | Phase::Parked { .. } if is_paused => {
                    self.give_command(number, "queue");
                }
                Phase::Stopped { .. } if number % 2 == 0 && self.is_open(number) => {
                    self.give_command(number, "queue");
                }
                Phase::Out
                | Phase::Queued
                | Phase::Running { .. }
                | Phase::Parked { .. }
                | Phase::Stopped { .. }
                | Phase::InBot { .. }
                | Phase::Done { .. } => {}
            }
        }
    }

    pub(crate) fn give_command(&mut self, number: u64, command: &str) {
        let (who, names) = (self.keeper(), vec![format!("ralph:cmd:{command}")]);
        self.act(who, LabelCall::Add { number, names });
        let key = self.key(number);
        self.note_intent(&key);
    }

    /// The three ways to resolve an escalation, each used.
    fn resume(&mut self, number: u64, cause: &Cause) {
        let (key, who) = (self.key(number), self.keeper());
        self.say(&format!("{who} resolves #{number}: {}", ralph_core::words::cause_summary(cause)));
        match self.prng.below(3) {
            0 => {
                let body = "RALPH RESOLVED: go on".to_owned();
                if let Some(Reply::Comment(view)) =
                    self.act(who, CommentCall::Create { number, body })
                {
                    self.ledger.intents.insert((key, view.comment.id));
                }
            }
            1 => {
                let names = vec!["ralph:status:queued".to_owned()];
                self.act(who, LabelCall::Add { number, names });
                self.note_intent(&key);
            }
            _ => self.give_command(number, "queue"),
        }
    }

    /// Does what the escalation asks for.
    fn mend(&mut self, number: u64, cause: &Cause) {
        match cause {
            Cause::Conflict => {
                if let Some((branch, head)) = self.branch_of(number)
                    && let Some(base) = self.forge().branch(REPO, BOT_BRANCH)
                {
                    self.merge_by_hand(&branch, head, base);
                }
            }
            Cause::PullClosed | Cause::WrongBase(_) | Cause::PullRefused(_) => {
                self.restore_pull(number)
            }
            Cause::ChecksFailed(_) | Cause::ChecksTimedOut(_) => self.rerun_checks(number),
            Cause::Cycle(members) => {
                for member in members {
                    self.give_command(member.number, "satisfy");
                }
            }
            Cause::ProductGap(_)
            | Cause::Routed(_)
            | Cause::ContractSurface(_)
            | Cause::PlanRejected(_)
            | Cause::MissingVerdict(_)
            | Cause::StepSpent { .. }
            | Cause::CouldNotRun { .. }
            | Cause::Interrupted
            | Cause::Behind
            | Cause::CiOnly
            | Cause::MergeRefused(_)
            | Cause::PushRefused(_)
            | Cause::HeadMoved
            | Cause::NoEvidence
            | Cause::Inherited => {}
        }
    }

    fn branch_of(&self, number: u64) -> Option<(String, ralph_forge::Sha)> {
        let prefix = format!("ralph/issue-{number}-");
        let mut own = self.forge().branches(REPO).filter(|(name, _)| name.starts_with(&prefix));
        let found = own.next().map(|(name, sha)| (name.to_owned(), sha));
        // A conflict met before the first push is between what is here and the base.
        found.or_else(|| {
            let local = self.local_heads.get(&number)?;
            Some((format!("ralph/issue-{number}-thing-{number}-make-it-work"), *local))
        })
    }

    fn restore_pull(&mut self, number: u64) {
        let filter = PullFilter { state: StateFilter::All, ..PullFilter::default() };
        let page = Page::largest();
        let Some(Reply::Pulls(list)) = self.look(PullCall::List { filter, page }) else { return };
        let prefix = format!("ralph/issue-{number}-");
        let own = list.items.iter().find(|pull| pull.head.starts_with(&prefix));
        let Some(pull) = own.map(|pull| pull.issue.number) else { return };
        let reopen = PullEdit { state: Some(StateChange::Reopen), ..PullEdit::default() };
        self.act(MAINTAINER, PullCall::Edit { number: pull, edit: reopen });
        let rebase = PullEdit { base: Some(BOT_BRANCH.to_owned()), ..PullEdit::default() };
        self.act(MAINTAINER, PullCall::Edit { number: pull, edit: rebase });
    }

    /// Would this head of an issue's branch never pass its checks?
    pub(crate) fn is_broken(&self, number: u64, head: ralph_forge::Sha) -> bool {
        let path = crate::working::file_of(&self.key(number));
        self.forge().text_at(REPO, head, &path).is_some_and(|text| text.contains("broken"))
    }

    /// A red check of an honest change is made green by running it again; a broken change is mended first.
    fn rerun_checks(&mut self, number: u64) {
        let Some(pull) = self.open_pull_of(number) else { return };
        let Some(Reply::Pull(view)) = self.look(PullCall::Get { number: pull }) else { return };
        let head = view.summary.head_sha;
        if self.is_broken(number, head) {
            let path = crate::working::file_of(&self.key(number));
            let content = Content::written([(path.as_str(), "mended by hand")]);
            if let Some(sha) = self.make_commit(vec![head], content, "Mend") {
                let branch = view.summary.head.clone();
                let expected_old = Expected::Anything;
                self.act(MAINTAINER, GitCall::Push { branch, sha, expected_old, force: false });
            }
            return;
        }
        for name in REQUIRED {
            self.report_check(&head.to_string(), name);
            let (context, state) = (name.to_owned(), StatusState::Success);
            let status = NewStatus { context, state, description: None, target_url: None };
            self.act(CI, CheckCall::CreateStatus { sha: head, status });
        }
    }
}
