//! Reads of the simulated forge that neither faults nor limits touch.

use crate::forge::ForgeSide;
use crate::machine::Machine;
use crate::oracle::trials::TRIAL_BRANCHES;
use crate::people::syncing::SYNC_BRANCHES;
use crate::world::BOT_BRANCH;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Slot;
use ralph_core::label::Status;
use ralph_core::{hidden_marker, words};
use ralph_engine::Engine;
use ralph_forge::{
    CheckState, CommentView, Conclusion, GetBranch, GetIssue, GetProtection, GetPull, IssueState,
    IssueView, ListCheckRuns, ListComments, ListIssueEvents, ListPulls, Listing, Operation, Page,
    Protection, PullFilter, PullView, StateFilter, TimelineEntry, TimelineEvent,
};
use std::collections::BTreeSet;

/// The answer to a command as the one result comment on its issue shows it.
pub(crate) enum ShownAnswer {
    Refused,
    /// It shows a command that came later, or could not be written.
    NotShown,
    Otherwise,
}

impl ForgeSide {
    pub(crate) fn issue_id(&mut self, key: &IssueKey) -> Option<u64> {
        self.look(&key.repo, GetIssue { number: key.number }).map(|view| view.id)
    }

    pub(crate) fn is_open(&mut self, key: &IssueKey) -> bool {
        match self.look(&key.repo, GetIssue { number: key.number }) {
            Some(view) => matches!(view.state, IssueState::Open { .. }),
            _other => false,
        }
    }

    /// The checks that the operator requires, or else those of the bot branch.
    pub(crate) fn required_checks(&mut self, repo: &RepoName) -> Vec<String> {
        if let Some(names) = self.required.clone() {
            return names;
        }
        match self.look(repo, GetBranch { branch: BOT_BRANCH.to_owned() }) {
            Some(view) => {
                view.required_checks.into_iter().flat_map(|checks| checks.contexts).collect()
            }
            _other => Vec::new(),
        }
    }

    pub(crate) fn is_green(&mut self, repo: &RepoName, head: ralph_forge::Sha, name: &str) -> bool {
        let (reference, page) = (head.to_string(), Page::largest());
        let runs = ListCheckRuns { reference, name: Some(name.to_owned()), all: false, page };
        let Some(runs) = self.look(repo, runs) else { return false };
        runs.items.iter().any(|run| {
            let green = [Conclusion::Success, Conclusion::Neutral, Conclusion::Skipped];
            green.iter().any(|conclusion| run.state == CheckState::Completed(*conclusion))
        })
    }

    /// The protection of the bot branch if it wants up-to-date heads; then nothing is tried together.
    pub(crate) fn strict_protection(&mut self, repo: &RepoName) -> Option<Protection> {
        let get = GetProtection { branch: BOT_BRANCH.to_owned() };
        let protection = self.look(repo, get)?;
        let is_strict = protection.required_checks.as_ref().is_some_and(|checks| checks.strict);
        is_strict.then_some(protection)
    }

    /// A command on an issue that is closed is refused, which a later reopening would not show.
    pub(crate) fn is_commanded(&mut self, key: &IssueKey) -> bool {
        let found = self.look(&key.repo, GetIssue { number: key.number });
        let Some(view) = found else { return false };
        view.labels.iter().any(|label| label.name.starts_with("ralph:cmd:"))
    }

    pub(crate) fn label_events(&mut self, key: &IssueKey) -> Vec<TimelineEntry> {
        let (mut page, mut all) = (Page::largest(), Vec::new());
        loop {
            let call = ListIssueEvents { number: key.number, page };
            let Some(events) = self.look(&key.repo, call) else { return all };
            let is_last = page.number >= events.last_page();
            all.extend(events.items);
            if is_last {
                return all;
            }
            page.number += 1;
        }
    }

    pub(crate) fn open_trial(&mut self, repo: &RepoName) -> Option<PullView> {
        let call = ListPulls { filter: PullFilter::default(), page: Page::largest() };
        let list = self.look(repo, call)?;
        let mut trials = list.items.iter().filter(|pull| pull.head.starts_with(TRIAL_BRANCHES));
        let number = trials.next()?.issue.number;
        match self.look(repo, GetPull { number }) {
            Some(view) => Some(view),
            _other => None,
        }
    }

    /// L3. Nothing of a trial is left once it is over.
    pub(crate) fn leftover_trial(&mut self) -> Option<String> {
        for repo in self.repos.clone() {
            let names: Vec<_> =
                self.model().branches(repo.as_str()).map(|(name, _)| name.to_owned()).collect();
            let left = names.into_iter().find(|name| name.starts_with(TRIAL_BRANCHES));
            if left.is_some() {
                return left;
            }
            if let Some(view) = self.open_trial(&repo) {
                return Some(format!("{repo}#{}", view.summary.issue.number));
            }
        }
        None
    }

    /// An issue that waits for a pull request which is over.
    pub(crate) fn waits_for_ended_pull(&mut self, engine: &Engine) -> Option<(IssueKey, IssueKey)> {
        let blocked = engine.world().issues().flat_map(|(key, issue)| {
            let managed = issue.managed.as_deref().and_then(|managed| managed.blocked.as_ref());
            managed.into_iter().flat_map(|on| &on.by).map(|on| (key.clone(), on.clone()))
        });
        let blocked: Vec<_> = blocked.collect();
        blocked.into_iter().find(|(_, on)| {
            let call = GetIssue { number: on.number };
            match self.look(&on.repo, call) {
                Some(view) => view.pull.is_some() && !matches!(view.state, IssueState::Open { .. }),
                _other => false,
            }
        })
    }

    /// The event that last put this label on.
    pub(crate) fn last_application(&mut self, key: &IssueKey, name: &str) -> Option<u64> {
        let mut events = self.label_events(key).into_iter().rev();
        let applied = events.find(|entry| match &entry.event {
            TimelineEvent::Labeled(label) => label.name.eq_ignore_ascii_case(name),
            _other => false,
        });
        applied.map(|entry| entry.id)
    }

    /// The answer in the result comment to the command of this event.
    pub(crate) fn shown_answer(&mut self, key: &IssueKey, event: u64) -> ShownAnswer {
        let (number, page) = (key.number, Page::largest());
        let list = self.look(&key.repo, ListComments { number, since: None, page });
        let Some(list) = list else { return ShownAnswer::Otherwise };
        let (login, marker) = (self.login, words::marker(key, &Slot::Command));
        let is_it = |text: &str| hidden_marker::find(text).is_some_and(|found| found == marker);
        let mut comments = list.items.iter().map(|view| &view.comment);
        let Some(comment) = comments.find(|it| it.author == login && is_it(&it.body)) else {
            return ShownAnswer::NotShown;
        };
        if comment.body.contains(&format!("was refused (event {event})")) {
            return ShownAnswer::Refused;
        }
        let shown = comment.body.split_once("(event ").and_then(|(_, rest)| rest.split_once(')'));
        let shown = shown.and_then(|(id, _)| id.parse::<u64>().ok());
        // A command of the command line has no event; it may have come later.
        let is_later = shown.is_none_or(|shown| shown > event);
        if is_later { ShownAnswer::NotShown } else { ShownAnswer::Otherwise }
    }

    pub(crate) fn first_related<O>(&mut self, key: &IssueKey, list: O) -> Option<u64>
    where
        O: Operation<Reply = Listing<IssueView>>,
    {
        self.look(&key.repo, list)?.items.first().map(|view| view.id)
    }

    /// L3. The branch of a sync pull request goes once that is merged.
    pub(crate) fn leftover_sync_branch(&mut self) -> Option<String> {
        for repo in self.repos.clone() {
            let all = self.model().branches(repo.as_str());
            let of_syncs = all.filter(|(name, _)| name.starts_with(SYNC_BRANCHES));
            let names: Vec<_> = of_syncs.map(|(name, _)| name.to_owned()).collect();
            for name in names {
                let (state, head) = (StateFilter::All, Some(name.clone()));
                let filter = PullFilter { state, head, ..PullFilter::default() };
                let call = ListPulls { filter, page: Page::largest() };
                let Some(list) = self.look(&repo, call) else { continue };
                if list.items.iter().any(|pull| pull.merged.is_some()) {
                    return Some(name);
                }
            }
        }
        None
    }

    pub(crate) fn body(&mut self, key: &IssueKey) -> String {
        match self.look(&key.repo, GetIssue { number: key.number }) {
            Some(view) => view.body,
            _other => String::new(),
        }
    }

    pub(crate) fn comments(&mut self, key: &IssueKey) -> Vec<CommentView> {
        let page = Page::largest();
        match self.look(&key.repo, ListComments { number: key.number, since: None, page }) {
            Some(list) => list.items,
            _other => Vec::new(),
        }
    }

    /// The open task pull request of an issue.
    pub(crate) fn open_pull_of(&mut self, machine: &Machine, key: &IssueKey) -> Option<u64> {
        let filter = PullFilter::default();
        let page = Page::largest();
        let call = ListPulls { filter, page };
        let list = self.look(&key.repo, call)?;
        let mut own = list.items.iter().filter(|pull| machine.is_own_branch(key, &pull.head));
        own.next().map(|pull| pull.issue.number)
    }

    pub(crate) fn open_sync(&mut self, repo: &RepoName) -> Option<u64> {
        let (filter, page) = (PullFilter::default(), Page::largest());
        let call = ListPulls { filter, page };
        let list = self.look(repo, call)?;
        let mut syncs = list.items.iter().filter(|pull| pull.head.starts_with(SYNC_BRANCHES));
        syncs.next().map(|pull| pull.issue.number)
    }

    pub(crate) fn open_rollup(&mut self, repo: &RepoName) -> Option<u64> {
        let filter = PullFilter { head: Some(BOT_BRANCH.to_owned()), ..PullFilter::default() };
        let page = Page::largest();
        match self.look(repo, ListPulls { filter, page }) {
            Some(list) => list.items.first().map(|pull| pull.issue.number),
            _other => None,
        }
    }

    pub(crate) fn statuses_on(&mut self, key: &IssueKey) -> BTreeSet<Status> {
        let call = GetIssue { number: key.number };
        let Some(view) = self.look(&key.repo, call) else { return BTreeSet::new() };
        let names = view.labels.iter().map(|label| label.name.as_str());
        let shown = |name| Status::ALL.into_iter().find(|status| status.label() == name);
        names.filter_map(shown).collect()
    }
}
