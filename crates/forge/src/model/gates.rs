//! What stands before a branch, from classic protection and rulesets alike.

use std::collections::{BTreeMap, BTreeSet};

use super::behaviour::Behaviour;
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
        let rulesets = rulesets.filter(|_gate| self.holds(Behaviour::RulesetsGate));
        let mut gates: Vec<Gate<'_>> = classic.into_iter().chain(rulesets).collect();
        for gate in &mut gates {
            gate.exempt_admins &= self.holds(Behaviour::AdministratorsPassUnlessHeld);
            gate.refuses_force &= self.holds(Behaviour::ForceIsRefusedWhereProtected);
        }
        gates
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

    /// What check runs and statuses say about a commit that is to join a branch; of each name the
    /// latest of either kind. What ran by another branch's definition says nothing here: that branch
    /// may be anybody's.
    pub(super) fn reports_on(&self, sha: Sha, branch: &str) -> Reports<'_> {
        let mut reports = Reports::default();
        let latest = self.holds(Behaviour::TheLatestRunCounts);
        for id in self.check_runs_of.get(&sha).into_iter().flatten() {
            if let Some(run) = self.check_runs.get(id)
                && run.base.as_ref().is_none_or(|base| base == branch)
                && (latest || !reports.runs.contains_key(run.name.as_str()))
            {
                reports.runs.insert(&run.name, run.state.verdict());
            }
        }
        let count = self.holds(Behaviour::StatusesCountAsChecks);
        for status in self.statuses.get(&sha).filter(|_found| count).into_iter().flatten() {
            reports.statuses.insert(&status.context, status.state.verdict());
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

    /// Whether this person is held to checks and approvals.
    pub(super) fn exempts(&self, login: &str, admin: bool) -> bool {
        (self.exempt_admins && admin) || self.bypassed_by(login)
    }

    fn bypassed_by(&self, login: &str) -> bool {
        self.bypass.is_some_and(|bypass| bypass.contains(login))
    }

    pub(super) fn is_strict(&self) -> bool {
        self.checks.iter().any(|checks| checks.strict)
    }

    /// What a pull with that many approvals still lacks, in words.
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
            Verdict::Pass => None,
            Verdict::Fail => Some(format!("Required status check \"{context}\" is failing.")),
            Verdict::Pending => Some(format!("Required status check \"{context}\" is expected.")),
        })
    }

    /// Why a direct push is refused, in words. Administrators are not spared the ban on force.
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
pub(super) enum Verdict {
    Pass,
    Fail,
    Pending,
}

/// The latest check runs and statuses of a commit, by name.
#[derive(Debug, Default)]
pub(super) struct Reports<'a> {
    runs: BTreeMap<&'a str, Verdict>,
    statuses: BTreeMap<&'a str, Verdict>,
}

impl Reports<'_> {
    /// A name reported both ways needs both; one never reported is still expected.
    fn of(&self, context: &str) -> Verdict {
        match (self.runs.get(context), self.statuses.get(context)) {
            (None, None) => Verdict::Pending,
            (Some(one), None) | (None, Some(one)) => *one,
            (Some(Verdict::Pass), Some(other)) | (Some(other), Some(Verdict::Pass)) => *other,
            (Some(Verdict::Fail), Some(_)) | (Some(_), Some(Verdict::Fail)) => Verdict::Fail,
            (Some(Verdict::Pending), Some(Verdict::Pending)) => Verdict::Pending,
        }
    }

    pub(super) fn all_pass(&self) -> bool {
        self.runs.values().chain(self.statuses.values()).all(|verdict| *verdict == Verdict::Pass)
    }
}

impl CheckState {
    fn verdict(self) -> Verdict {
        match self {
            Self::Queued | Self::InProgress => Verdict::Pending,
            Self::Completed(conclusion) if conclusion.passes() => Verdict::Pass,
            Self::Completed(_conclusion) => Verdict::Fail,
        }
    }
}

impl StatusState {
    fn verdict(self) -> Verdict {
        match self {
            Self::Success => Verdict::Pass,
            Self::Failure | Self::Error => Verdict::Fail,
            Self::Pending => Verdict::Pending,
        }
    }
}
