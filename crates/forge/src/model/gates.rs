//! The rules of a branch, from classic protection and rulesets alike.

use std::collections::{BTreeMap, BTreeSet};

use super::checks::CheckState;
use super::protection::{Enforcement, Protection, RequiredChecks, Rule, Ruleset};
use super::repository::Repository;
use super::statuses::StatusState;
use crate::git::sha::Sha;

/// One source of rules for a branch.
#[derive(Debug, Default)]
pub(super) struct Gate<'a> {
    checks: Vec<&'a RequiredChecks>,
    /// Some when changes must come by pull.
    approvals: Option<u32>,
    refuses_force: bool,
    refuses_deletion: bool,
    exempt_admins: bool,
    bypass: Option<&'a BTreeSet<String>>,
}

impl Repository {
    pub(super) fn gates(&self, branch: &str) -> Vec<Gate<'_>> {
        let classic = self.protections.get(branch).map(Gate::from_protection);
        let rulesets = self.rulesets_for(branch).map(|(_id, ruleset)| Gate::from_ruleset(ruleset));
        classic.into_iter().chain(rulesets).collect()
    }

    /// Active rulesets that name the branch.
    pub(super) fn rulesets_for(&self, branch: &str) -> impl Iterator<Item = (u64, &Ruleset)> {
        let is_default = branch == self.default_branch;
        let names = move |ruleset: &Ruleset| {
            ruleset.branches.iter().any(|pattern| match pattern.as_str() {
                "~ALL" => true,
                "~DEFAULT_BRANCH" => is_default,
                name => name == branch,
            })
        };
        let rulesets = self.rulesets.iter().map(|(id, ruleset)| (*id, ruleset));
        rulesets.filter(move |(_id, ruleset)| {
            ruleset.enforcement == Enforcement::Active && names(ruleset)
        })
    }

    /// Returns the reports of check runs and statuses about a commit that is to join a branch; of
    /// each name the latest of either kind. A run by the definition of another branch does not
    /// count, because anyone may have written that branch.
    pub(super) fn reports_on(&self, sha: Sha, branch: &str) -> Reports<'_> {
        let mut reports = Reports::default();
        for id in self.check_runs_of.get(&sha).into_iter().flatten() {
            if let Some(run) = self.check_runs.get(id)
                && run.base.as_ref().is_none_or(|base| base == branch)
            {
                reports.runs.insert(&run.name, run.state.report());
            }
        }
        for status in self.statuses.get(&sha).into_iter().flatten() {
            reports.statuses.insert(&status.context, status.state.report());
        }
        reports
    }
}

impl<'a> Gate<'a> {
    fn from_protection(protection: &'a Protection) -> Self {
        Self {
            checks: protection.required_checks.iter().collect(),
            approvals: protection.required_approvals,
            refuses_force: !protection.allow_force_pushes,
            refuses_deletion: !protection.allow_deletions,
            exempt_admins: !protection.enforce_admins,
            bypass: None,
        }
    }

    fn from_ruleset(ruleset: &'a Ruleset) -> Self {
        let mut gate = Self { bypass: Some(&ruleset.bypass), ..Self::default() };
        for rule in &ruleset.rules {
            match rule {
                Rule::RequiredChecks(checks) => gate.checks.push(checks),
                Rule::PullRequest { approvals } => gate.approvals = Some(*approvals),
                Rule::NonFastForward => gate.refuses_force = true,
                Rule::Deletion => gate.refuses_deletion = true,
            }
        }
        gate
    }

    /// Returns whether this person may ignore checks and approvals.
    pub(super) fn exempts(&self, login: &str, admin: bool) -> bool {
        (self.exempt_admins && admin) || self.bypassed_by(login)
    }

    fn bypassed_by(&self, login: &str) -> bool {
        self.bypass.is_some_and(|bypass| bypass.contains(login))
    }

    pub(super) fn is_strict(&self) -> bool {
        self.checks.iter().any(|checks| checks.strict)
    }

    /// Returns the first thing that a pull with that many approvals lacks.
    pub(super) fn missing(&self, approvals: u32, reports: &Reports<'_>) -> Option<String> {
        if let Some(wanted) = self.approvals.filter(|wanted| *wanted > approvals) {
            let by = "approving review is required by reviewers with write access.";
            return Some(format!("At least {wanted} {by}"));
        }
        self.missing_check(reports)
    }

    fn missing_check(&self, reports: &Reports<'_>) -> Option<String> {
        let contexts = self.checks.iter().flat_map(|checks| &checks.contexts);
        contexts.into_iter().find_map(|context| match reports.of(context) {
            Report::Pass => None,
            Report::Fail => Some(format!("Required status check \"{context}\" is failing.")),
            Report::Pending => Some(format!("Required status check \"{context}\" is expected.")),
        })
    }

    /// Returns the reason why a direct push is refused, if it is. The ban on force holds for
    /// administrators too.
    pub(super) fn refuses_push(
        &self,
        login: &str,
        admin: bool,
        reports: &Reports<'_>,
        forced: bool,
    ) -> Option<String> {
        if forced && self.refuses_force && !self.bypassed_by(login) {
            return Some("Cannot force-push to this branch".to_owned());
        }
        if self.exempts(login, admin) {
            return None;
        }
        if self.approvals.is_some() {
            return Some("Changes must be made through a pull request.".to_owned());
        }
        self.missing_check(reports)
    }

    pub(super) fn refuses_deletion(&self, login: &str) -> bool {
        self.refuses_deletion && !self.bypassed_by(login)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Pass,
    Fail,
    Pending,
}

/// The latest check runs and statuses of a commit, by name.
#[derive(Debug, Default)]
pub(super) struct Reports<'a> {
    runs: BTreeMap<&'a str, Report>,
    statuses: BTreeMap<&'a str, Report>,
}

impl Reports<'_> {
    /// A name reported both ways needs both; one never reported is still expected.
    fn of(&self, context: &str) -> Report {
        match (self.runs.get(context), self.statuses.get(context)) {
            (None, None) => Report::Pending,
            (Some(one), None) | (None, Some(one)) => *one,
            (Some(Report::Pass), Some(other)) | (Some(other), Some(Report::Pass)) => *other,
            (Some(Report::Fail), Some(_)) | (Some(_), Some(Report::Fail)) => Report::Fail,
            (Some(Report::Pending), Some(Report::Pending)) => Report::Pending,
        }
    }

    pub(super) fn all_pass(&self) -> bool {
        self.runs.values().chain(self.statuses.values()).all(|report| *report == Report::Pass)
    }
}

impl CheckState {
    fn report(self) -> Report {
        match self {
            Self::Queued | Self::InProgress => Report::Pending,
            Self::Completed(conclusion) if conclusion.passes() => Report::Pass,
            Self::Completed(_conclusion) => Report::Fail,
        }
    }
}

impl StatusState {
    fn report(self) -> Report {
        match self {
            Self::Success => Report::Pass,
            Self::Failure | Self::Error => Report::Fail,
            Self::Pending => Report::Pending,
        }
    }
}
