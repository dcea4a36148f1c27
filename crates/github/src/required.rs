//! The checks that must be green, from classic protection and from rulesets, both readable without admin
//! rights. Only two answers that name nothing mean that nothing is required.

use crate::client::Client;
use crate::page::PAGE_ITEMS;
use crate::protection::NOT_PROTECTED;
use crate::reading::Miss;
use crate::route;
use crate::transport::Transport;
use crate::wire::repository::{BranchHead, Protection, RequiredCheck, Rule};
use ralph_core::ids::{Branch, RepoName};
use ralph_core::pull::Required;
use ralph_engine::ports::{Read, Skipped};
use std::collections::BTreeSet;

/// The forge's words for a branch that does not exist; "Not Found" is for a branch that we may not see.
const NO_BRANCH: &str = "branch not found";
/// Its words for a billing plan without any protection.
const NO_FEATURE: &str = "upgrade to github";

/// The result of one read: names, or that it may not be read.
type Names = Option<BTreeSet<String>>;

/// A demand of a branch on what is merged into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demand {
    /// Every commit is signed.
    Signatures,
    /// The forge's own queue merges, and nothing else.
    MergeQueue,
}

impl<T: Transport> Client<T> {
    /// The first branch that requires anything decides. `skipped` says what may not be read.
    pub(crate) fn read_required(
        &mut self,
        repo: &RepoName,
        branches: [&Branch; 2],
    ) -> Read<Required> {
        let [bot, default] = branches;
        let branches = if bot == default { &branches[..1] } else { &branches[..] };
        for branch in branches {
            let Some(mut names) = self.required_by_protection(repo, branch)? else {
                return Ok(Required::Unknown);
            };
            let Some(more) = self.required_by_rules(repo, branch)? else {
                return Ok(Required::Unknown);
            };
            names.extend(more);
            if !names.is_empty() {
                return Ok(Required::Names(names.into_iter().collect()));
            }
        }
        Ok(Required::Nothing)
    }

    /// Does a branch take up-to-date heads only? `None`: rulesets do not say so, and the classic protection is shown
    /// to admins alone.
    pub fn wants_up_to_date(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<bool>> {
        let part = route::part(branch.as_str());
        let path = format!("/repos/{repo}/rules/branches/{part}?per_page={PAGE_ITEMS}");
        let by_rules = match self.list::<Vec<Rule>>(&path) {
            Ok(pages) => pages.iter().flat_map(|page| page.iter()).any(Rule::is_strict),
            Err(miss) => {
                unless_failed(miss)?;
                false
            }
        };
        if by_rules {
            return Ok(Some(true));
        }
        match self.get::<Protection>(&format!("{}/protection", route::branch(repo, branch))) {
            Ok(found) => {
                Ok(Some(found.required_status_checks.as_ref().is_some_and(|it| it.strict)))
            }
            Err(Miss::Refused { complaint, .. }) => {
                Ok(complaint.says(NOT_PROTECTED).then_some(false))
            }
            Err(Miss::Unread(unread)) => Err(unread),
        }
    }

    /// The demands of rulesets on a branch that Ralph does not meet. Rules that cannot be read name none.
    pub fn unmet_demands(&mut self, repo: &RepoName, branch: &Branch) -> Read<Vec<Demand>> {
        let branch = route::part(branch.as_str());
        let path = format!("/repos/{repo}/rules/branches/{branch}?per_page={PAGE_ITEMS}");
        let pages = match self.list::<Vec<Rule>>(&path) {
            Ok(pages) => pages,
            Err(miss) => return unless_failed(miss).map(|_| Vec::new()),
        };
        let demands = pages.iter().flat_map(|page| page.iter()).filter_map(|rule| match rule {
            Rule::Signatures => Some(Demand::Signatures),
            Rule::MergeQueue => Some(Demand::MergeQueue),
            Rule::RequiredChecks { .. } | Rule::Other => None,
        });
        Ok(demands.collect())
    }

    fn required_by_protection(&mut self, repo: &RepoName, branch: &Branch) -> Read<Names> {
        let head = match self.get::<BranchHead>(&route::branch(repo, branch)) {
            Ok(head) => head,
            Err(miss) => return self.unless_unreadable(miss),
        };
        let Some(protection) = &head.protection else {
            if head.protected {
                let why = format!("{branch} of {repo} is protected, and by what is not shown");
                self.skipped.push(Skipped { why, updated: None });
            }
            return Ok((!head.protected).then(BTreeSet::new));
        };
        let names = protection.required_status_checks.as_ref().map(|required| {
            let checks = required.checks.iter().map(context);
            required.contexts.iter().cloned().chain(checks).collect()
        });
        Ok(Some(names.unwrap_or_default()))
    }

    fn required_by_rules(&mut self, repo: &RepoName, branch: &Branch) -> Read<Names> {
        let branch = route::part(branch.as_str());
        let path = format!("/repos/{repo}/rules/branches/{branch}?per_page={PAGE_ITEMS}");
        let pages = match self.list::<Vec<Rule>>(&path) {
            Ok(pages) => pages,
            Err(miss) => return self.unless_unreadable(miss),
        };
        let checks = pages.iter().flat_map(|page| page.iter()).flat_map(|rule| match rule {
            Rule::RequiredChecks { parameters } => parameters.required_status_checks.as_slice(),
            Rule::Signatures | Rule::MergeQueue | Rule::Other => &[],
        });
        Ok(Some(checks.map(context).collect()))
    }

    fn unless_unreadable(&mut self, miss: Miss) -> Read<Names> {
        let why = match &miss {
            Miss::Refused { why, .. } => why.clone(),
            Miss::Unread(unread) => unread.why.clone(),
        };
        let names = unless_failed(miss)?;
        if names.is_none() {
            self.skipped.push(Skipped { why, updated: None });
        }
        Ok(names)
    }
}

fn context(check: &RequiredCheck) -> String {
    check.context.clone()
}

/// Refusals that are answers name nothing; others are unreadable. What failed otherwise is read again.
fn unless_failed(miss: Miss) -> Read<Names> {
    match miss {
        Miss::Refused { complaint, .. } => {
            let is_answer = match complaint.status.as_u16() {
                404 => complaint.says(NO_BRANCH),
                403 => complaint.says(NO_FEATURE),
                _other => false,
            };
            Ok(is_answer.then(BTreeSet::new))
        }
        Miss::Unread(unread) => Err(unread),
    }
}
