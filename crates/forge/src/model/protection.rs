//! Rules for branches: classic protection, one per branch and replaced whole, and rulesets.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::permission::Permission;
use super::refusal::Refusal;
use super::request::{Operation, operations};
use super::view::View;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protection {
    pub required_checks: Option<RequiredChecks>,
    /// Some when changes must come by pull, with that many approvals.
    pub required_approvals: Option<u32>,
    /// Off, administrators merge and push whatever the checks say.
    pub enforce_admins: bool,
    pub allow_force_pushes: bool,
    pub allow_deletions: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequiredChecks {
    /// Pulls must contain the tip of the base.
    pub strict: bool,
    pub contexts: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruleset {
    pub name: String,
    pub enforcement: Enforcement,
    /// Branch names, `~DEFAULT_BRANCH` or `~ALL`.
    pub branches: Vec<String>,
    pub rules: Vec<Rule>,
    /// Logins that no rule holds for.
    pub bypass: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Enforcement {
    Active,
    /// Looked at, but without effect.
    Evaluate,
    Disabled,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rule {
    RequiredChecks(RequiredChecks),
    PullRequest { approvals: u32 },
    NonFastForward,
    Deletion,
}

/// A rule that holds for a branch, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleView {
    pub ruleset_id: u64,
    pub rule: Rule,
}

operations! {
    /// Returns the classic protection of a branch.
    GetProtection { branch: String }
    /// Replaces the protection of a branch whole and returns it.
    SetProtection { branch: String, protection: Protection }
    DeleteProtection { branch: String }
    /// Adds to the required checks of a branch and returns its protection.
    AddContexts { branch: String, contexts: Vec<String> }
    /// Returns the rules from rulesets. It needs no more than read access, and answers for branches
    /// that do not exist yet.
    ListRules { branch: String }
}

impl View<'_> {
    /// Without rights the answer is the same as for a branch that does not exist.
    fn need_protection_rights(self, branch: &str) -> Result<(), Refusal> {
        if self.permission() < Permission::Admin {
            return Err(Refusal::not_found());
        }
        if self.repo()?.branches.contains_key(branch) {
            Ok(())
        } else {
            Err(Refusal::absent("Branch not found"))
        }
    }
}

impl Operation for GetProtection {
    type Reply = Protection;

    fn run(self, context: &mut Context<'_>) -> Result<Protection, Refusal> {
        context.view().need_protection_rights(&self.branch)?;
        context.repo()?.protections.get(&self.branch).cloned().ok_or_else(not_protected)
    }
}

impl Operation for SetProtection {
    type Reply = Protection;

    fn run(self, context: &mut Context<'_>) -> Result<Protection, Refusal> {
        context.view().need_protection_rights(&self.branch)?;
        context.repo_mut()?.protections.insert(self.branch, self.protection.clone());
        Ok(self.protection)
    }
}

impl Operation for DeleteProtection {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.view().need_protection_rights(&self.branch)?;
        let removed = context.repo_mut()?.protections.remove(&self.branch);
        removed.map(drop).ok_or_else(not_protected)
    }
}

impl Operation for AddContexts {
    type Reply = Protection;

    fn run(self, context: &mut Context<'_>) -> Result<Protection, Refusal> {
        context.view().need_protection_rights(&self.branch)?;
        let protections = &mut context.repo_mut()?.protections;
        let protection = protections.get_mut(&self.branch).ok_or_else(not_protected)?;
        let Some(required) = &mut protection.required_checks else {
            return Err(Refusal::absent("Required status checks not enabled"));
        };
        required.contexts.extend(self.contexts);
        Ok(protection.clone())
    }
}

impl Operation for ListRules {
    type Reply = Vec<RuleView>;

    fn run(self, context: &mut Context<'_>) -> Result<Vec<RuleView>, Refusal> {
        let view = |ruleset_id| move |rule: &Rule| RuleView { ruleset_id, rule: rule.clone() };
        let rulesets = context.repo()?.rulesets_for(&self.branch);
        Ok(rulesets.flat_map(|(id, ruleset)| ruleset.rules.iter().map(view(id))).collect())
    }
}

fn not_protected() -> Refusal {
    Refusal::absent("Branch not protected")
}
