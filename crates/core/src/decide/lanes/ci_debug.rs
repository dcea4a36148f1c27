//! Decides how red required checks that were read become green.

use super::super::{Context, Next};
use crate::bound::Bound;
use crate::digest::Digest;
use crate::effect::IssueAct;
use crate::lane::{FINDINGS_MAX, Finding, How, Lane, Trigger};
use crate::pull::Pull;
use crate::rerun::RerunOf;
use crate::run::Run;
use crate::standing::Standing;
use crate::triage::{NextAction, Triaged};
use crate::words::{self, RedOnPull};
use std::collections::BTreeSet;

/// Decides by the logs; a check whose log could not be read counts by its name alone.
pub(crate) fn red(cx: &Context<'_>, run: &Run, pull: &Pull, failed: &[String]) -> Next {
    let read: Vec<&Triaged> =
        failed.iter().filter_map(|name| run.red_check(&pull.head, name)).collect();
    let is = |next: NextAction| move |red: &&&Triaged| red.next == next;
    let mut to_rerun = read.iter().filter(is(NextAction::Quarantine));
    if let Some(what) = to_rerun.find_map(|red| not_rerun_yet(run, red)) {
        let standing = Standing::RerunsChecks { checks: vec![what.check.clone()], until: None };
        return Next::Act(cx.on_issue(IssueAct::RerunCheck(what)), standing);
    }
    // A run that lost the work of its one resumption finds the same red check again.
    let is_first = run.spent.of(Bound::RESUMES) == 0;
    let how = if is_first && read.iter().any(|red| red.next == NextAction::Resume) {
        How::Resume
    } else {
        How::Spawn
    };
    let trigger = trigger(run, pull, failed, &read);
    let of = RedOnPull { pull, branch: &run.branch, base: &cx.rules.bot_branch };
    let told = words::red_checks_told(&of, &trigger, &read);
    super::enter(cx, Lane::CiDebug, how, trigger, told)
}

/// The rerun of a red check: once for each check of a commit, before any agent is started.
fn not_rerun_yet(run: &Run, red: &Triaged) -> Option<RerunOf> {
    let (head, check, of) = (red.head.clone(), red.check().to_owned(), red.of?);
    run.rerun_of(&head, &check).is_none().then_some(RerunOf { head, check, of })
}

fn trigger(run: &Run, pull: &Pull, failed: &[String], read: &[&Triaged]) -> Trigger {
    let url = |name: &str| pull.checks.as_ref()?.url_of(name).map(str::to_owned);
    let found = failed.iter().take(FINDINGS_MAX);
    Trigger {
        head: pull.head.clone(),
        base: run.workspace.as_ref().map(|workspace| workspace.base.clone()),
        signature: signature(failed, read),
        found: found.map(|name| Finding { name: name.clone(), url: url(name) }).collect(),
        count: u32::try_from(failed.len()).unwrap_or(u32::MAX),
    }
}

/// The signature of a single check is its own; several are known by all of theirs.
fn signature(failed: &[String], read: &[&Triaged]) -> String {
    let of = |name: &String| {
        let known = read.iter().find(|red| red.check() == name);
        known.map_or_else(|| name.clone(), |red| red.triage.signature.to_string())
    };
    let all: BTreeSet<String> = failed.iter().map(of).collect();
    match Vec::from_iter(all).as_slice() {
        [one] => one.clone(),
        several => Digest::of(&several.join("\n")).to_string(),
    }
}
