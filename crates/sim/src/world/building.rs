//! The world before Ralph comes: people, repositories with issues that wait for each other, and the operator's
//! settings for Ralph.

use super::{
    BOT, BOT_BRANCH, CI, DEFAULT_BRANCH, MAINTAINER, OTHER_OWNER, OWNER, PLENTY, REPOS, REQUIRED,
    STRANGER, SimWorld, TOKEN, TRIAGER, root,
};
use crate::faults::Fault;
use crate::faults::cheating::{STRICT, TESTS};
use crate::machine::surveying::SURVEYED_PER_MILLE;
use crate::people::reference;
use ralph_core::account::AccountName;
use ralph_core::budget::Budget;
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::label;
use ralph_core::policy::{AutoQueue, Instance, Policy, RepoPolicy};
use ralph_core::role::Role;
use ralph_core::time::Span;
use ralph_forge::{
    AddBlockedBy, AddSubIssue, CloseReason, CreateBranch, CreateIssue, CreateLabel, EditIssue,
    IssueEdit, NewIssue, NewLabel, NewRepository, Permission, Protection, RequiredChecks,
    SetProtection, StateChange,
};
use std::collections::{BTreeMap, BTreeSet};

/// The rate above which a run has few requests per hour: one in eight.
const SCARCE_ABOVE: u64 = 66;

/// So many protected bot branches in a thousand want up-to-date heads.
const STRICT_PER_MILLE: u64 = 400;

/// In so many runs in a thousand Ralph has not been to the first repository before.
const NEW_PER_MILLE: u64 = 150;

/// So many runs in a thousand have one repository only.
const ALONE_PER_MILLE: u64 = 650;

/// So many runs in a thousand have three accounts, and budgets.
const THREE_ACCOUNTS_PER_MILLE: u64 = 400;
const BUDGETED_PER_MILLE: u64 = 250;

/// The numbers of changes that may be tried together.
const BATCHES: [u32; 3] = [1, 2, 8];

impl SimWorld {
    /// Ralph's policy in this world.
    pub(crate) fn policy(&mut self) -> Policy {
        let names = || REQUIRED.iter().map(|name| (*name).to_owned()).collect();
        // Somewhere there has to be a check that Ralph waits for.
        let first = self.forge.repos.first().map(RepoName::as_str).unwrap_or_default();
        let is_protected = self.forge.model().branch(first, BOT_BRANCH).is_some();
        self.forge.required = (self.prng.chance(500) || !is_protected).then(names);
        self.people.has_proposals = self.prng.chance(SURVEYED_PER_MILLE);
        let mut repos = BTreeMap::new();
        for repo in self.forge.repos.clone() {
            // Changes are tried together in the first one.
            let batches = if repos.is_empty() { &BATCHES[1..] } else { &BATCHES };
            let batch_max = self.prng.pick(batches).copied().unwrap_or(1);
            let survey = self.people.has_proposals || repos.is_empty();
            repos.insert(repo, RepoPolicy { survey, batch_max, ..self.rules() });
        }
        Policy {
            web: "https://forge.example".to_owned(),
            max_workers: if self.prng.chance(300) { 4 } else { 2 },
            poll_interval: Span::from_secs(
                i64::try_from(self.prng.between(300, 2_400)).unwrap_or(60),
            ),
            read_lag: ralph_core::fold::READ_LAG,
            bot: Login::new(self.forge.login),
            operator: None,
            worktrees: root(),
            draining: false,
            has_no_sandbox: false,
            is_short_of_disk: false,
            throttle: Default::default(),
            budget: self.budget(),
            accounts: self.accounts(),
            left_out: BTreeSet::new(),
            instance: Some(Instance {
                store: "the-only-one".to_owned(),
                start: String::new(),
                name: "the simulator".to_owned(),
                was_away: false,
                is_behind: false,
            }),
            repos,
        }
    }

    /// In some runs every role has three accounts.
    fn accounts(&mut self) -> BTreeMap<Role, Vec<AccountName>> {
        if !self.prng.chance(THREE_ACCOUNTS_PER_MILLE) {
            return BTreeMap::new();
        }
        let names = ["one", "two", "three"].map(AccountName::new).to_vec();
        Role::ALL.map(|role| (role, names.clone())).into()
    }

    /// In some runs an issue may use no more than a few turns do.
    fn budget(&mut self) -> Budget {
        let mut budget = Budget::default();
        if self.prng.chance(BUDGETED_PER_MILLE) {
            budget.first_turn.tokens = 1_000;
            budget.issue.tokens = Some(self.prng.between(5_000, 40_000));
        }
        budget
    }

    fn rules(&mut self) -> RepoPolicy {
        let mut draw = |from, to| u32::try_from(self.prng.between(from, to)).unwrap_or(1);
        RepoPolicy {
            slots: draw(1, 4),
            claims_max: draw(4, 8),
            auto_queue: if self.people.is_automatic {
                AutoQueue::AllOpen
            } else {
                AutoQueue::LabeledOnly
            },
            rollup_size: draw(2, 5),
            weight_milli: draw(100, 10_000),
            setup: if draw(1, 10) <= 3 { vec!["make setup".to_owned()] } else { Vec::new() },
            preflight: Some(vec!["make check".to_owned()]),
            required_checks: self.forge.required.clone(),
            ..RepoPolicy::default()
        }
    }

    pub(super) fn build(&mut self, issues: u64) {
        for login in [OWNER, OTHER_OWNER, BOT, MAINTAINER, TRIAGER, STRANGER, CI] {
            self.forge.model_mut().create_user(login);
        }
        let login = self.forge.login;
        self.forge.site.add_token(login, TOKEN);
        let is_alone = self.faults.is_calm || self.prng.chance(ALONE_PER_MILLE);
        let count = if is_alone { 1 } else { self.prng.between(2, 3) };
        for name in REPOS.iter().zip(0..count).map(|(name, _)| *name) {
            self.make_repository(name);
        }
        self.make_foreign_repository();
        // The repositories are old: no replica lags so far behind.
        self.forge.before = None;
        if self.faults.rate(Fault::ScarceRequests) > SCARCE_ABOVE {
            let per_hour = self.prng.between(100, 400);
            self.forge.offer_requests(u32::try_from(per_hour).unwrap_or(PLENTY));
            self.faults.count(Fault::ScarceRequests);
        }
        for repo in self.forge.repos.clone() {
            if self.prng.chance(600) {
                self.make_bot_branch(&repo);
            }
        }
        for (_, repo) in (0..issues).zip(self.forge.repos.clone().into_iter().cycle()) {
            self.open_issue(repo);
        }
        self.relate();
        self.draw_script();
    }

    fn make_repository(&mut self, full_name: &str) {
        let Some(repo) = RepoName::parse(full_name) else { return };
        let name = full_name.rsplit('/').next().unwrap_or_default();
        let files =
            [("README.md", name), ("shared.txt", "start"), ("Makefile", "check:"), (TESTS, STRICT)];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let new = NewRepository {
            owner: repo.owner().to_owned(),
            name: name.to_owned(),
            default_branch: DEFAULT_BRANCH.to_owned(),
            files: files.collect(),
            at: self.clock.seconds(),
        };
        let made = self.forge.model_mut().create_repository(new);
        debug_assert!(made.is_ok(), "the owner exists and the name is free");
        for (login, role) in [
            (OWNER, Permission::Admin),
            (BOT, if self.prng.chance(300) { Permission::Admin } else { Permission::Write }),
            (MAINTAINER, Permission::Write),
            (TRIAGER, Permission::Triage),
            (STRANGER, Permission::Read),
            (CI, Permission::Write),
        ] {
            if login != repo.owner() {
                let granted = self.forge.model_mut().grant(full_name, login, role);
                debug_assert!(granted.is_ok(), "everybody was made above");
            }
        }
        if !self.forge.repos.is_empty() || !self.prng.chance(NEW_PER_MILLE) {
            self.define_labels(&repo);
        }
        self.forge.repos.push(repo);
    }

    /// Ralph has been here before.
    fn define_labels(&mut self, repo: &RepoName) {
        for definition in label::DEFINITIONS {
            let label = NewLabel {
                name: definition.name.to_owned(),
                color: Some(definition.color.to_owned()),
                description: Some(definition.description.to_owned()),
            };
            self.act(OWNER, repo, CreateLabel(label));
        }
    }

    fn make_bot_branch(&mut self, repo: &RepoName) {
        let Some(sha) = self.forge.model().branch(repo.as_str(), DEFAULT_BRANCH) else { return };
        let create = CreateBranch { branch: BOT_BRANCH.to_owned(), sha };
        self.act(OWNER, repo, create);
        let strict = self.prng.chance(STRICT_PER_MILLE);
        let branch = BOT_BRANCH.to_owned();
        let contexts: BTreeSet<_> = REQUIRED.iter().map(|name| (*name).to_owned()).collect();
        let protection = Protection {
            required_checks: Some(RequiredChecks { strict, contexts }),
            required_approvals: None,
            enforce_admins: false,
            allow_force_pushes: false,
            allow_deletions: false,
        };
        self.act(OWNER, repo, SetProtection { branch, protection });
    }

    fn open_issue(&mut self, repo: RepoName) {
        let mut labels = vec!["ralph:status:queued".to_owned()];
        if self.prng.chance(150) {
            labels = vec!["ralph:cmd:queue".to_owned()];
        } else if self.prng.chance(60) {
            labels = vec!["ralph:queued".to_owned()];
        }
        if self.people.is_automatic && self.prng.chance(500) {
            labels.clear();
        }
        if self.prng.chance(300) {
            labels.push(format!("ralph:priority:p{}", self.prng.below(5)));
        }
        if self.prng.chance(300) {
            labels.push("bug".to_owned());
        }
        let mut body = "Please do it.\n\n@everyone <!-- ralph-cmd:id=1 --> `x`".to_owned();
        if self.prng.chance(250)
            && let Some(on) = self.prng.pick(&self.people.issues)
        {
            let on = reference(&repo, on);
            body.push_str(&format!("\n\n## Blocked by\n- [ ] {on} first\n"));
        }
        self.ask_for(repo, body, labels);
    }

    /// A person opens an issue.
    pub(crate) fn ask_for(&mut self, repo: RepoName, body: String, labels: Vec<String>) {
        let place = 1 + self.people.issues.iter().filter(|key| key.repo == repo).count();
        let title = format!("Thing {place}: make it work");
        let made = self.act(OWNER, &repo, CreateIssue(NewIssue { title, body, labels }));
        let Some(view) = made else { return };
        let key = IssueKey::new(repo, view.number);
        self.oracle.note_intent(&mut self.forge, &key);
        self.people.issues.push(key);
    }

    /// Native dependencies and a parent with children, across repositories too.
    fn relate(&mut self) {
        let keys = self.people.issues.clone();
        for (place, key) in keys.iter().enumerate().skip(1) {
            if !self.prng.chance(300) {
                continue;
            }
            let earlier = keys.get(..place).unwrap_or_default();
            let on = self.prng.pick(earlier).cloned();
            if let Some(blocker_id) = on.and_then(|on| self.forge.issue_id(&on)) {
                let number = key.number;
                self.act(OWNER, &key.repo, AddBlockedBy { number, blocker_id });
            }
        }
        if let [.., child, _, parent] = keys.as_slice()
            && let Some(child_id) = self.forge.issue_id(child)
        {
            let number = parent.number;
            let call = AddSubIssue { number, child_id, replace_parent: false };
            self.act(OWNER, &parent.repo, call);
            // The child is done already, so that its parent is soon to be verified.
            if !self.faults.is_calm && !self.forge.is_commanded(child) {
                let edit = IssueEdit {
                    state: Some(StateChange::Close(CloseReason::Completed)),
                    ..IssueEdit::default()
                };
                self.act(OWNER, &child.repo, EditIssue { number: child.number, edit });
            }
        }
    }
}
