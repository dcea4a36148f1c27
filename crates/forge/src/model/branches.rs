//! Branches in replies, with the part of their protection that every reader may see.

use super::context::Context;
use super::paging::{Listing, Page};
use super::protection::RequiredChecks;
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
use crate::git::sha::Sha;

operations! {
    /// Returns a branch.
    GetBranch { branch: String }
    /// Returns the branches by name.
    ListBranches { protected: Option<bool>, page: Page }
}

/// A branch, as everyone who can read the repository sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchView {
    pub name: String,
    pub sha: Sha,
    /// By classic protection or an active ruleset.
    pub protected: bool,
    /// Those of classic protection, readable without admin rights.
    pub required_checks: Option<RequiredChecks>,
    /// Holds administrators to the required checks too.
    pub enforced_for_admins: bool,
}

impl Operation for GetBranch {
    type Reply = BranchView;

    fn run(self, context: &mut Context<'_>) -> Result<BranchView, Refusal> {
        let repo = context.repo()?;
        let sha = repo.branches.get(&self.branch);
        let sha = *sha.ok_or_else(|| Refusal::absent("Branch not found"))?;
        Ok(repo.branch_view(&self.branch, sha))
    }
}

impl Operation for ListBranches {
    type Reply = Listing<BranchView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<BranchView>, Refusal> {
        let repo = context.repo()?;
        let mut found: Vec<(&String, &Sha)> = repo.branches.iter().collect();
        found.retain(|(name, _sha)| {
            self.protected.is_none_or(|protected| repo.is_protected(name) == protected)
        });
        let view = |found: &(&String, &Sha)| repo.branch_view(found.0, *found.1);
        Ok(Listing::of(&found, self.page, view))
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
