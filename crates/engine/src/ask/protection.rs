//! Configured checks that the forge does not require for a merge.

use super::{Reading, tell};
use crate::ports::{Forge, Read};
use ralph_core::fact::RepoObservation;
use ralph_core::ids::{Branch, IssueKey, RepoName, Sha};
use ralph_core::policy::RepoPolicy;
use ralph_core::pull::Required;
use ralph_core::world::World;
use std::collections::{BTreeMap, BTreeSet};

/// The configured checks, the heads of the branches that should require them, and the checks known to be reported: some
/// run on pull requests only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    checks: Vec<String>,
    heads: BTreeMap<Branch, Sha>,
    reported: BTreeSet<String>,
}

impl Wanted {
    /// `None` while the branches are not known.
    pub(super) fn by(rules: &RepoPolicy, repo: &RepoName, world: &World) -> Option<Self> {
        let branches = world.repo(repo)?.branches.as_ref()?;
        let default = (branches.default.clone(), branches.default_head.clone());
        let bot = branches.bot_head.clone().map(|head| (rules.bot_branch.clone(), head));
        let heads = bot.into_iter().chain([default]).collect();
        let queues = world.queues(repo).into_iter();
        let numbers = queues.flat_map(|queues| queues.claimed.iter().chain(&queues.in_bot));
        let issues = numbers.filter_map(|it| world.issue(&IssueKey::new(repo.clone(), *it)));
        let pulls = issues.filter_map(|issue| issue.managed.as_deref()?.pull.as_ref());
        let checks = pulls.filter_map(|pull| pull.checks.as_ref());
        let reported = checks.flat_map(|checks| checks.by_name.keys().cloned()).collect();
        Some(Self { checks: rules.kept_checks().to_vec(), heads, reported })
    }
}

pub(super) fn read(
    reading: &mut Reading,
    repo: &RepoName,
    wanted: &Wanted,
    forge: &mut dyn Forge,
) -> Read<()> {
    let mut unrequired = BTreeMap::new();
    for branch in wanted.heads.keys() {
        let has = match forge.required(repo, [branch, branch])? {
            Required::Names(names) => names,
            Required::Nothing => Vec::new(),
            // The requirement is unknown, so nothing is changed.
            Required::Unknown => continue,
        };
        let missing: Vec<_> =
            wanted.checks.iter().filter(|check| !has.contains(check)).cloned().collect();
        if !missing.is_empty() {
            unrequired.insert(branch.clone(), missing);
        }
    }
    if !unrequired.is_empty() && !forge.may_protect(repo)? {
        unrequired.clear();
    }
    if !unrequired.is_empty() {
        // Requiring a check that nothing ever reported would block every merge for ever.
        let reported = reported(repo, wanted, forge)?;
        unrequired
            .values_mut()
            .for_each(|missing| missing.retain(|check| reported.contains(check)));
        unrequired.retain(|_, missing| !missing.is_empty());
    }
    tell(reading, repo, RepoObservation::Unrequired(unrequired));
    Ok(())
}

fn reported(repo: &RepoName, wanted: &Wanted, forge: &mut dyn Forge) -> Read<BTreeSet<String>> {
    let heads: BTreeSet<&Sha> = wanted.heads.values().collect();
    let mut reported = wanted.reported.clone();
    for head in heads {
        reported.extend(forge.checks(repo, head)?.by_name.into_keys());
    }
    Ok(reported)
}
