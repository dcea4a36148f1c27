//! Pushes the branch and opens the pull request, once everything before has passed.

use super::StepSpec;
use crate::bound::Bound;
use crate::decide::step::{escalate, last_failure, may_try};
use crate::decide::{Context, Next};
use crate::effect::{IssueAct, MachineAct};
use crate::escalation::Cause;
use crate::gate::Gate;
use crate::run::Run;
use crate::standing::Standing;
use crate::words;

/// The words in a label that allow a change of CI files only.
const CI_WORDS: [&str; 3] = ["ci", "build", "infra"];

pub(super) static SPEC: StepSpec = StepSpec {
    name: "publish",
    is_usual: true,
    is_behind: |run, _| {
        let head = run.head.as_ref().map(|head| &head.commit);
        run.pull.is_some() && head == run.pushed.as_ref()
    },
    next,
    process: None,
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    let (Some(head), Some(workspace)) = (&run.head, &run.workspace) else {
        return escalate(Cause::NoEvidence);
    };
    if is_ci_alone(cx, run) {
        return escalate(Cause::CiOnly);
    }
    if run.pushed.as_ref() != Some(&head.commit) {
        if !may_try(cx, run, Bound::PUSH_REFUSALS) {
            return escalate(Cause::PushRefused(last_failure(run)));
        }
        let workspace = workspace.path.clone();
        let (branch, commit) = (run.branch.clone(), head.commit.clone());
        let push = MachineAct::Push { workspace, branch, commit };
        return Next::Act(cx.on_machine(push), Standing::Pushing);
    }
    if !may_try(cx, run, Bound::PULL_REFUSALS) {
        return escalate(Cause::PullRefused(last_failure(run)));
    }
    let gates = Gate::before_pull().filter_map(|gate| Some((gate, run.gates.get(gate)?)));
    let open = IssueAct::OpenPull {
        head: run.branch.clone(),
        base: cx.rules.bot_branch.clone(),
        title: words::pull_title(cx.issue.title(), cx.key),
        body: words::pull_body(cx.key, run, &cx.rules.test_globs, gates),
        replaces: run.replaces,
        plan: run.plan.as_ref().map(|plan| plan.text),
        summary: head.summary,
    };
    Next::Act(cx.on_issue(open), Standing::OpeningPull)
}

/// True if the change touches CI files only, on an issue that is not about CI.
pub(super) fn is_ci_alone(cx: &Context<'_>, run: &Run) -> bool {
    let is_ci_only = run.head.as_ref().is_some_and(|head| head.ci_only);
    is_ci_only && !run.recipe.is_sync() && !is_about_ci(cx)
}

fn is_about_ci(cx: &Context<'_>) -> bool {
    let mut words = cx.issue.labels().flat_map(|label| label.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| CI_WORDS.iter().any(|ci| word.eq_ignore_ascii_case(ci)))
}
