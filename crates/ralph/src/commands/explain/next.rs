//! The next step for an issue: what Ralph will do by itself, or what a person can do about it.

use ralph_core::escalation::Cause;
use ralph_core::ids::IssueKey;
use ralph_core::issue::{BlockedSource, StopReason};
use ralph_core::lane::Lane;
use ralph_core::recipe::Recipe;
use ralph_core::standing::Standing;
use ralph_core::steps::Step;
use ralph_engine::store::IssueReport;

const LOOKS_FOR_IT: &str =
    "its command is obeyed once the forge shows it, and refused if it does not exist";
const MAKES_BOT_BRANCH: &str = "Ralph makes the bot branch; `ralph doctor` says if it may not";
const MEND_READ: &str = "repair what the message names; Ralph reads it again by itself, and asks a person after that time";
const AFTER_LOGS: &str =
    "by what they say, the agent repairs it within bounds; after that a person is asked";
const AFTER_TURN: &str = "then it is tested again with the bot branch as it is by then, and merged";
const AFTER_UPDATE: &str = "its worktree takes the result, and preflight and checks run again";
const AFTER_LOOK: &str = "it goes on as soon as the issue is read";
const AFTER_TRIAL: &str =
    "if the checks pass it is merged as it was tried; else fewer are tried at a time";
const AFTER_COMPANY: &str =
    "then it is tested again with the bot branch as it is by then, alone or with others";

pub(super) fn next_step(key: &IssueKey, issue: &IssueReport) -> Option<String> {
    let standing = issue.standing.as_ref()?;
    let recipe = issue.lane.map_or(Recipe::Issue, Lane::recipe);
    let after = |step| after(recipe, step);
    let then = |step| format!(", then {}", after(step));
    let queue = format!("`ralph queue {} {}`", key.repo, key.number);
    Some(match standing {
        Standing::Escalated { cause, .. } => answer(cause, &queue),
        Standing::Paused { .. }
        | Standing::Stopped { why: StopReason::Command | StopReason::Adopted } => {
            format!("{queue} sets it going again")
        }
        Standing::Stopped { why: StopReason::Closed } => format!("reopen it, then {queue}"),
        Standing::LooksForIssue => LOOKS_FOR_IT.to_owned(),
        Standing::Out => format!("{queue} puts it into the queue"),
        Standing::WouldQueue => {
            format!("{queue} puts it into the queue, and so does `auto_queue = \"all-open\"`")
        }
        Standing::InLine => format!("it is claimed, then {}", Step::Workspace),
        Standing::WaitsForBotBranch => MAKES_BOT_BRANCH.to_owned(),
        Standing::Blocked { source, by } => blocked(*source, by),
        Standing::WaitsForSlot { step } => {
            format!("{step} as soon as a worker is free{}", then(*step))
        }
        Standing::WaitsForAnswers { step, .. } => {
            format!("{step} once the comments are read, after ten minutes in any case")
        }
        Standing::Starting { step } | Standing::Working { step, .. } => {
            format!("when {step} has passed: {}", after(*step))
        }
        Standing::Ending { step } => format!("once {step} has ended its worker is free again"),
        Standing::Pushing => format!("its pull request is opened{}", then(Step::Publish)),
        Standing::LooksAtIssue { why: None, .. } => AFTER_LOOK.to_owned(),
        Standing::WaitsForPull { why: Some(_), .. }
        | Standing::WaitsForRequiredChecks { why: Some(_), .. }
        | Standing::WaitsForChecks { why: Some(_), .. }
        | Standing::LooksAtIssue { why: Some(_), .. }
        | Standing::InBot { why: Some(_), .. } => MEND_READ.to_owned(),
        Standing::OpeningPull | Standing::WaitsForPull { .. } => after(Step::Publish),
        Standing::WaitsForRequiredChecks { .. } | Standing::WaitsForChecks { .. } => {
            after(Step::Checks)
        }
        Standing::RerunsChecks { .. } => {
            format!("if they stay red the agent repairs it; else {}", after(Step::Checks))
        }
        Standing::ReadsProof { .. } | Standing::TellsVerdict => closes(),
        Standing::ReadsCheckLogs { .. } => AFTER_LOGS.to_owned(),
        Standing::WaitsForMergeable { .. } => after(Step::Checks),
        Standing::WaitsForMergeSlot { .. } => AFTER_TURN.to_owned(),
        Standing::WaitsForTrial { .. } => AFTER_TRIAL.to_owned(),
        Standing::WaitsForCompany { .. } => AFTER_COMPANY.to_owned(),
        Standing::TrialsRest { .. } => "then it is tested by itself".to_owned(),
        Standing::BringingUpToDate { .. } => AFTER_UPDATE.to_owned(),
        Standing::Merging { .. } => "it waits in the bot branch for the next rollup".to_owned(),
        Standing::InBot { merged: Some(_), .. } => {
            "once it is found there the issue is done and closed".to_owned()
        }
        Standing::InBot { rollup: Some(rollup), .. } => {
            format!("merge {rollup}; once it is on the default branch the issue is done and closed")
        }
        Standing::InBot { rollup: None, .. } => {
            "a rollup to the default branch is opened, which a person merges".to_owned()
        }
        Standing::Stopped { why: StopReason::Gone }
        | Standing::Done
        | Standing::RepositoryHeld
        | Standing::LooksUp
        | Standing::Repository { .. } => return None,
    })
}

fn closes() -> String {
    "it is done and closed without a pull request".to_owned()
}

/// The action of a person that an escalation waits for.
fn answer(cause: &Cause, queue: &str) -> String {
    if matches!(cause, Cause::TestsChanged(_)) {
        return format!("say which tests may change, then {queue}, with `--fresh` for a new plan");
    }
    if matches!(cause, Cause::BlockersMissing(_)) {
        return format!("correct the line of the issue, then {queue}");
    }
    format!("resolve it, then {queue}")
}

fn blocked(source: BlockedSource, by: &[IssueKey]) -> String {
    match (source, by.first()) {
        (BlockedSource::Deps, Some(first)) => {
            let (repo, number) = (&first.repo, first.number);
            format!(
                "it goes on by itself once they are closed or done; `ralph satisfy {repo} {number}` counts one \
                 as resolved"
            )
        }
        (BlockedSource::Deps, None) => "it goes on by itself once that is resolved".to_owned(),
        (BlockedSource::DepsMissing, _) => {
            "it goes on by itself once the line is corrected or gone, or its box is ticked; after three hours a \
             person is asked"
                .to_owned()
        }
        (BlockedSource::DepsUnknown, _) => "they are read again by themselves".to_owned(),
        (BlockedSource::Allowlist, _) => "add a [[repos]] for it to the configuration".to_owned(),
        (BlockedSource::PreflightMissing, _) => {
            "set it in the configuration; the daemon reads the file again by itself".to_owned()
        }
    }
}

/// The steps that follow in the recipe, the next one first.
fn after(recipe: Recipe, step: Step) -> String {
    let steps = recipe.steps().iter().skip_while(|known| **known != step).skip(1);
    let steps = steps.filter(|step| step.is_usual());
    let names: Vec<_> = steps.map(|step| step.name()).collect();
    if names.is_empty() { "nothing is left to do".to_owned() } else { names.join(", ") }
}
