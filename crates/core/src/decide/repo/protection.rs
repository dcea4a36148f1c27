//! With a configured list, the forge has to require the same checks, so that no person merges past them by mistake. The
//! required checks of a branch are only ever added to.

use super::RepoContext;
use crate::effect::RepoAct;

pub(super) fn want(cx: &RepoContext<'_>) -> Vec<RepoAct> {
    let kept = cx.rules.kept_checks();
    let acts = cx.repo.unrequired.iter().map(|(branch, missing)| {
        let checks = missing.iter().filter(|check| kept.contains(check)).cloned().collect();
        RepoAct::RequireChecks { branch: branch.clone(), checks }
    });
    let is_needed =
        |act: &RepoAct| !matches!(act, RepoAct::RequireChecks { checks, .. } if checks.is_empty());
    acts.filter(is_needed).collect()
}
