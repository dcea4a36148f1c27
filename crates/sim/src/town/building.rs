//! How the town is before Ralph comes: people, a repository with issues that wait for each other, and what
//! the operator has told Ralph to do.

use super::{
    BOT, BOT_BRANCH, CI, DEFAULT_BRANCH, MAINTAINER, OWNER, PLENTY, REPO, REQUIRED, STRANGER,
    TOKEN, TRIAGER, Town, root,
};
use crate::weather::Fault;
use ralph_core::ids::Login;
use ralph_core::policy::{AutoQueue, Policy, RepoPolicy};
use ralph_core::time::Span;
use ralph_forge::{
    BranchCall, IssueCall, NewIssue, NewRepository, Permission, Protection, RelationCall,
    RequiredChecks,
};
use std::collections::{BTreeMap, BTreeSet};

/// The rate from which on a life has few requests per hour: one in eight.
const SCARCE_ABOVE: u64 = 66;

impl Town {
    /// What Ralph is told to do in this town.
    pub(crate) fn policy(&mut self) -> Policy {
        let names = || REQUIRED.iter().map(|name| (*name).to_owned()).collect();
        self.required = self.prng.chance(500).then(names);
        let rules = RepoPolicy {
            setup: if self.prng.chance(300) { vec!["make setup".to_owned()] } else { Vec::new() },
            preflight: Some(vec!["make check".to_owned()]),
            required_checks: self.required.clone(),
            slots: u32::try_from(self.prng.between(1, 3)).unwrap_or(1),
            auto_queue: if self.is_automatic { AutoQueue::AllOpen } else { AutoQueue::LabeledOnly },
            rollup_batch: u32::try_from(self.prng.between(2, 5)).unwrap_or(2),
            ..RepoPolicy::default()
        };
        Policy {
            max_workers: 2,
            poll_interval: Span::from_secs(
                i64::try_from(self.prng.between(300, 2_400)).unwrap_or(60),
            ),
            read_lag: ralph_core::fold::READ_LAG,
            bot: Login::new(self.login),
            operator: None,
            worktrees: root(),
            draining: false,
            repos: BTreeMap::from([(self.repo.clone(), rules)]),
        }
    }

    pub(super) fn build(&mut self) {
        for login in [OWNER, BOT, MAINTAINER, TRIAGER, STRANGER, CI] {
            self.forge_mut().create_user(login);
        }
        let login = self.login;
        self.site.add_token(login, TOKEN);
        let at = self.seconds();
        let files = [("README.md", "widgets"), ("shared.txt", "start"), ("Makefile", "check:")];
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let made = self.forge_mut().create_repository(NewRepository {
            owner: OWNER.to_owned(),
            name: "widgets".to_owned(),
            default_branch: DEFAULT_BRANCH.to_owned(),
            files: files.collect(),
            at,
        });
        debug_assert!(made.is_ok(), "the owner exists and the name is free");
        for (login, role) in [
            (BOT, Permission::Write),
            (MAINTAINER, Permission::Write),
            (TRIAGER, Permission::Triage),
            (STRANGER, Permission::Read),
            (CI, Permission::Write),
        ] {
            let granted = self.forge_mut().grant(REPO, login, role);
            debug_assert!(granted.is_ok(), "everybody was made above");
        }
        if self.weather.rate(Fault::ScarceRequests) > SCARCE_ABOVE {
            let per_hour = self.prng.between(100, 400);
            self.offer_requests(u32::try_from(per_hour).unwrap_or(PLENTY));
            self.weather.count(Fault::ScarceRequests);
        }
        if self.prng.chance(600) {
            self.make_bot_branch();
        }
        for number in 1..=self.issues {
            self.open_issue(number);
        }
        self.relate();
    }

    fn make_bot_branch(&mut self) {
        let Some(sha) = self.forge().branch(REPO, DEFAULT_BRANCH) else { return };
        let branch = BOT_BRANCH.to_owned();
        self.act(OWNER, ralph_forge::GitCall::CreateRef { branch: branch.clone(), sha });
        let contexts: BTreeSet<_> = REQUIRED.iter().map(|name| (*name).to_owned()).collect();
        let protection = Protection {
            required_checks: Some(RequiredChecks { strict: false, contexts }),
            required_approvals: None,
            enforce_admins: false,
            allow_force_pushes: false,
            allow_deletions: false,
        };
        self.act(OWNER, BranchCall::SetProtection { branch, protection });
    }

    fn open_issue(&mut self, number: u64) {
        let mut labels = vec!["ralph:status:queued".to_owned()];
        if self.prng.chance(150) {
            labels = vec!["ralph:cmd:queue".to_owned()];
        } else if self.prng.chance(60) {
            labels = vec!["ralph:queued".to_owned()];
        }
        if self.is_automatic && self.prng.chance(500) {
            labels.clear();
        }
        if self.prng.chance(300) {
            labels.push(format!("ralph:priority:p{}", self.prng.below(5)));
        }
        if self.prng.chance(300) {
            labels.push("bug".to_owned());
        }
        let mut body =
            format!("Please do thing {number}.\n\n@everyone <!-- ralph-cmd:id=1 --> `x`");
        if number > 1 && self.prng.chance(250) {
            let on = self.prng.between(1, number - 1);
            body.push_str(&format!("\n\n## Blocked by\n- [ ] #{on} first\n"));
        }
        let title = format!("Thing {number}: make it work");
        let call = IssueCall::Create(NewIssue { title, body, labels });
        self.act(OWNER, call);
        let key = self.key(number);
        self.note_intent(&key);
    }

    /// Native dependencies and a parent with children.
    fn relate(&mut self) {
        for number in 2..=self.issues {
            if !self.prng.chance(300) {
                continue;
            }
            let on = self.prng.between(1, number - 1);
            if let Some(blocker_id) = self.issue_id(on) {
                self.act(OWNER, RelationCall::AddBlockedBy { number, blocker_id });
            }
        }
        if self.issues >= 3 && self.prng.chance(400) {
            let number = self.issues;
            if let Some(child_id) = self.issue_id(number - 2) {
                let call = RelationCall::AddSubIssue { number, child_id, replace_parent: false };
                self.act(OWNER, call);
            }
        }
    }
}
