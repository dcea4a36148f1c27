//! Branches as they are answered, with what everyone may know about their protection.

use super::paging::{Listing, Page};
use super::protection::{Protection, RequiredChecks};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::repository::Repository;
use super::turn::Turn;
use crate::git::sha::Sha;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BranchCall {
    /// → `Branch`
    Get { branch: String },
    /// → `Branches`, by name
    List { protected: Option<bool>, page: Page },
    /// → `Protection`
    GetProtection { branch: String },
    /// → `Protection`; replaces it whole
    SetProtection { branch: String, protection: Protection },
    /// → `Done`
    DeleteProtection { branch: String },
    /// → `Protection`; adds to the required checks that are there
    AddContexts { branch: String, contexts: Vec<String> },
    /// → `Rules` from rulesets
    Rules { branch: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchView {
    pub name: String,
    pub sha: Sha,
    /// By classic protection or an active ruleset.
    pub protected: bool,
    /// Those of classic protection, readable without admin rights.
    pub required_checks: Option<RequiredChecks>,
    /// Whether administrators are held to the required checks too.
    pub enforced_for_admins: bool,
}

impl Turn<'_> {
    pub(super) fn branch_call(&mut self, call: BranchCall) -> Response {
        match call {
            BranchCall::Get { branch } => {
                let repo = self.repo()?;
                let sha = repo.branches.get(&branch);
                let sha = *sha.ok_or_else(|| Refusal::absent("Branch not found"))?;
                Ok(Reply::Branch(Box::new(repo.branch_view(&branch, sha))))
            }
            BranchCall::List { protected, page } => {
                let repo = self.repo()?;
                let mut found: Vec<(&String, &Sha)> = repo.branches.iter().collect();
                found.retain(|(name, _sha)| {
                    protected.is_none_or(|protected| repo.is_protected(name) == protected)
                });
                let view = |found: &(&String, &Sha)| repo.branch_view(found.0, *found.1);
                Ok(Reply::Branches(Listing::of(&found, page, view)))
            }
            BranchCall::GetProtection { branch } => self.get_protection(&branch),
            BranchCall::SetProtection { branch, protection } => {
                self.set_protection(branch, protection)
            }
            BranchCall::DeleteProtection { branch } => self.delete_protection(&branch),
            BranchCall::AddContexts { branch, contexts } => self.add_contexts(&branch, contexts),
            BranchCall::Rules { branch } => self.rules_for(&branch),
        }
    }
}

impl Repository {
    pub(super) fn is_protected(&self, branch: &str) -> bool {
        self.protections.contains_key(branch) || self.rulesets_for(branch).next().is_some()
    }

    pub(super) fn branch_view(&self, name: &str, sha: Sha) -> BranchView {
        let protection = self.protections.get(name);
        BranchView {
            name: name.to_owned(),
            sha,
            protected: self.is_protected(name),
            required_checks: protection.and_then(|found| found.required_checks.clone()),
            enforced_for_admins: protection.is_some_and(|found| found.enforce_admins),
        }
    }
}
