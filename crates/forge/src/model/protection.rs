//! Rules for branches: classic protection, one per branch and replaced whole, and rulesets.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::permission::Permission;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;

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

impl Turn<'_> {
    /// Without rights the answer is the same as for a branch that does not exist.
    fn need_protection_rights(&self, branch: &str) -> Result<(), Refusal> {
        if self.permission() < Permission::Admin {
            if !self.holds(Behaviour::ProtectionIsHidden) {
                return Err(not_protected());
            }
            return Err(Refusal::not_found());
        }
        if self.repo()?.branches.contains_key(branch) {
            Ok(())
        } else {
            Err(Refusal::absent("Branch not found"))
        }
    }

    pub(super) fn get_protection(&self, branch: &str) -> Response {
        self.need_protection_rights(branch)?;
        let protection = self.repo()?.protections.get(branch).ok_or_else(not_protected)?;
        Ok(Reply::Protection(protection.clone()))
    }

    pub(super) fn set_protection(&mut self, branch: String, protection: Protection) -> Response {
        self.need_protection_rights(&branch)?;
        self.repo_mut()?.protections.insert(branch, protection.clone());
        Ok(Reply::Protection(protection))
    }

    pub(super) fn delete_protection(&mut self, branch: &str) -> Response {
        self.need_protection_rights(branch)?;
        self.repo_mut()?.protections.remove(branch).ok_or_else(not_protected)?;
        Ok(Reply::Done)
    }

    pub(super) fn add_contexts(&mut self, branch: &str, contexts: Vec<String>) -> Response {
        self.need_protection_rights(branch)?;
        let protection = self.repo_mut()?.protections.get_mut(branch).ok_or_else(not_protected)?;
        let Some(required) = &mut protection.required_checks else {
            return Err(Refusal::absent("Required status checks not enabled"));
        };
        required.contexts.extend(contexts);
        Ok(Reply::Protection(protection.clone()))
    }

    /// Needs no more than read access, and answers for branches that do not exist yet.
    pub(super) fn rules_for(&self, branch: &str) -> Response {
        let view = |ruleset_id| move |rule: &Rule| RuleView { ruleset_id, rule: rule.clone() };
        let rulesets = self.repo()?.rulesets_for(branch);
        let rules = rulesets.flat_map(|(id, ruleset)| ruleset.rules.iter().map(view(id)));
        Ok(Reply::Rules(rules.collect()))
    }
}

fn not_protected() -> Refusal {
    Refusal::absent("Branch not protected")
}
