//! The standing of an issue or a repository, as one line.

use super::escalation::summary;
use super::{listed, mark, one_line, repository, stall, unread};
use crate::account::AccountHold;
use crate::escalation::Cause;
use crate::ids::{IssueKey, PullNumber};
use crate::issue::{BlockedSource, StopReason};
use crate::lane::Lane;
use crate::outage::Outage;
use crate::repo::Refusal;
use crate::stall::Suspicion;
use crate::standing::Standing;
use crate::steps::Step;
use crate::time::Time;
use crate::turn_end::EndClass;
use crate::unread::ReadOf;

/// The standing as status and `explain` show it: first the lane that a run is an attempt of, while it works, and last
/// the contract's name for the blocker.
#[must_use]
pub fn standing_in(lane: Option<Lane>, of: &Standing) -> String {
    let is_at_work = matches!(
        of,
        Standing::WaitsForSlot { .. }
            | Standing::WaitsForAnswers { .. }
            | Standing::Starting { .. }
            | Standing::Working { .. }
            | Standing::Ending { .. }
            | Standing::Pushing
            | Standing::LooksAtIssue { .. }
            | Standing::WaitsForPull { .. }
            | Standing::WaitsForRequiredChecks { .. }
            | Standing::WaitsForChecks { .. }
            | Standing::ReadsCheckLogs { .. }
            | Standing::RerunsChecks { .. }
    );
    let lane = lane.filter(|_| is_at_work).map(|lane| format!("{lane} run: "));
    let source = of.blocked_source().map(|source| format!(" [{source}]"));
    format!("{}{}{}", lane.unwrap_or_default(), standing(of), source.unwrap_or_default())
}

/// The state of an issue when the last daemon ended, while none runs. `None` if nothing was under way, so that the
/// standing is true without a daemon.
#[must_use]
pub fn left_under_way(of: &Standing) -> Option<String> {
    let was = match of {
        Standing::Starting { step } => format!("{step} was about to start"),
        Standing::Working { step, .. } => format!("{step} was under way"),
        Standing::Ending { step } => format!("{step} was being ended"),
        Standing::Pushing | Standing::OpeningPull | Standing::Merging { .. } => {
            format!("it was {}", standing(of))
        }
        Standing::BringingUpToDate { pull } => format!("{pull} was being brought up to date"),
        Standing::TellsVerdict => "the comment that ends it was being written".to_owned(),
        Standing::Out
        | Standing::LooksForIssue
        | Standing::WouldQueue
        | Standing::InLine
        | Standing::WaitsForBotBranch
        | Standing::Blocked { .. }
        | Standing::ReadsProof { .. }
        | Standing::WaitsForSlot { .. }
        | Standing::WaitsForAnswers { .. }
        | Standing::LooksAtIssue { .. }
        | Standing::WaitsForPull { .. }
        | Standing::WaitsForRequiredChecks { .. }
        | Standing::WaitsForChecks { .. }
        | Standing::ReadsCheckLogs { .. }
        | Standing::RerunsChecks { .. }
        | Standing::WaitsForMergeable { .. }
        | Standing::WaitsForMergeSlot { .. }
        | Standing::WaitsForTrial { .. }
        | Standing::WaitsForCompany { .. }
        | Standing::TrialsRest { .. }
        | Standing::Paused { .. }
        | Standing::Escalated { .. }
        | Standing::Stopped { .. }
        | Standing::InBot { .. }
        | Standing::Done
        | Standing::RepositoryHeld
        | Standing::LooksUp
        | Standing::Repository { .. } => return None,
    };
    Some(format!("no daemon runs; {was}, and goes on once one does"))
}

/// The reason why an issue that could continue waits while the agents' program fails; `None` for one that continues.
#[must_use]
pub fn waits_for_agents(of: &Standing, outage: &Outage) -> Option<String> {
    let waits = matches!(of, Standing::InLine | Standing::WaitsForSlot { .. });
    waits.then(|| {
        let Outage { failures, probe_at, .. } = outage;
        format!("waits: the agents' program failed {failures} times in a row; one is tried at {probe_at}")
    })
}

/// The reason why nothing new starts.
#[must_use]
pub fn outage(outage: &Outage) -> String {
    let Outage { failures, since, reason, probe_at, .. } = outage;
    let reason = one_line(reason);
    let blame = match outage.only_issue() {
        None => "No issue is to blame for it.".to_owned(),
        Some(only) => format!(
            "Only {only} was tried: if a turn of another issue works, a person is asked about that one."
        ),
    };
    format!(
        "nothing new starts: the agents' program failed {failures} times in a row since {since} ({reason}). {blame} One \
         turn is tried at {probe_at}; `ralph queue` on any issue tries at once. `ralph doctor` looks at the command"
    )
}

/// The reason why no turn is started with an account, and the action of a person that helps.
#[must_use]
pub fn account_hold(hold: &AccountHold) -> String {
    let AccountHold { account, class, reason, since, probe_at, is_told, .. } = hold;
    let (what, help) = match class {
        EndClass::UsageLimit { .. } => ("has reached its usage limit", "Nothing has to be done"),
        EndClass::RateLimit { .. } => ("is sent too many requests", "Nothing has to be done"),
        EndClass::Overloaded => {
            ("gets no answer, its provider is overloaded", "Nothing has to be done")
        }
        EndClass::NeedsLogin => (
            "is not accepted by its provider",
            "Log in again or renew the key that `ralph doctor` names, then `ralph queue` an issue",
        ),
        EndClass::UnknownModel => (
            "may not use the model that is set",
            "Correct `model` in the configuration, then `ralph queue` an issue",
        ),
        EndClass::Crashed
        | EndClass::PermissionRefused
        | EndClass::ContextFull
        | EndClass::Cancelled => ("fails", "`ralph doctor` looks at it"),
    };
    let when = if *is_told { "until" } else { "and is tried again at" };
    let reason = one_line(reason);
    format!(
        "account {account} {what} since {since} ({reason}), {when} {probe_at}. No turn is started with it, no attempt is \
         spent, and no issue is to blame. {help}"
    )
}

#[must_use]
pub fn standing(standing: &Standing) -> String {
    match standing {
        Standing::Out => "not in the queue".to_owned(),
        Standing::LooksForIssue => "reads whether there is such an issue".to_owned(),
        Standing::WouldQueue => "would be queued by itself (dry run)".to_owned(),
        Standing::InLine => "next in line, waits for a free worker".to_owned(),
        Standing::WaitsForBotBranch => "waits until the bot branch is there".to_owned(),
        Standing::Blocked { source, by } => blocked(*source, by),
        Standing::ReadsProof { until } => reads_proof(*until),
        Standing::TellsVerdict => "says why nothing is left to do".to_owned(),
        Standing::WaitsForSlot { step } => format!("waits for a free worker to run {step}"),
        Standing::WaitsForAnswers { step, .. } => {
            format!("reads what people answered before it runs {step}")
        }
        Standing::LooksAtIssue { until, why } => {
            waits("reads the issue before it goes on", *until, why.as_deref())
        }
        Standing::Starting { step } => format!("starting {step}"),
        Standing::Working { step, until, suspicion } => working(*step, *until, suspicion.as_ref()),
        Standing::Ending { step } => format!("ending {step}"),
        Standing::Pushing => "pushing its branch".to_owned(),
        Standing::OpeningPull => "opening its pull request".to_owned(),
        Standing::WaitsForPull { until, why } => {
            waits("waits until the forge shows the pull request", *until, why.as_deref())
        }
        Standing::WaitsForRequiredChecks { until, why } => {
            let waits_for = "waits: which checks are required could not be read yet";
            waits(waits_for, *until, why.as_deref())
        }
        Standing::WaitsForChecks { pending, until, why } => {
            waits_for_checks(pending, *until, why.as_deref())
        }
        Standing::ReadsCheckLogs { checks, until } => {
            format!("reads the logs of red checks: {} (until {until})", listed(checks, ", "))
        }
        Standing::RerunsChecks { checks, until } => rerun(checks, *until),
        Standing::WaitsForMergeable { until } => {
            waits("waits until the forge can merge it", *until, None)
        }
        Standing::WaitsForMergeSlot { behind } => format!("waits for its turn, after {behind}"),
        Standing::WaitsForTrial { pull } => waits_for_trial(*pull),
        Standing::WaitsForCompany { until } => {
            format!("waits until {until} for others that are to be tested again with it")
        }
        Standing::TrialsRest { until } => format!(
            "waits: trials have merged nothing for too long, so nothing is tested again before {until}"
        ),
        Standing::BringingUpToDate { pull } => format!("brings {pull} up to date with its base"),
        Standing::Merging { pull } => format!("merging {pull}"),
        Standing::Paused { at: Some(step) } => format!("paused at {step}"),
        Standing::Paused { at: None } => "paused".to_owned(),
        Standing::Escalated { cause, untold } => escalated(cause, untold.as_ref()),
        Standing::Stopped { why } => stopped(*why).to_owned(),
        Standing::InBot { rollup, merged, why } => in_bot(*rollup, *merged, why.as_deref()),
        Standing::Done => "done".to_owned(),
        Standing::Repository { refused, sync, trial, mark: held } => {
            let mark = held.as_ref().map(mark::standing);
            repository::repository(mark, refused, sync.as_ref(), trial.as_ref())
        }
        Standing::LooksUp => mark::LOOKS_UP.to_owned(),
        Standing::RepositoryHeld => mark::HELD_ELSEWHERE.to_owned(),
    }
}

fn waits_for_trial(pull: Option<PullNumber>) -> String {
    match pull {
        Some(pull) => format!("waits for {pull}, in which several changes are tried together"),
        None => "waits to be tried together with others".to_owned(),
    }
}

fn escalated(cause: &Cause, untold: Option<&Refusal>) -> String {
    let told = untold.map(|refusal| format!(" ({})", comment_refused(refusal)));
    format!("needs a person: {}{}", summary(cause), told.unwrap_or_default())
}

fn in_bot(rollup: Option<PullNumber>, merged: Option<PullNumber>, why: Option<&str>) -> String {
    let waits = match (merged, rollup) {
        (Some(pull), _) => format!("rollup {pull} is merged, looks for it on the default branch"),
        (None, Some(pull)) => format!("in the bot branch, rollup {pull} is open"),
        (None, None) => "in the bot branch, waits for the next rollup".to_owned(),
    };
    match why {
        None => waits,
        Some(why) => format!("{waits}; {}", unread::could_not(ReadOf::Reach, &one_line(why))),
    }
}

const fn stopped(why: StopReason) -> &'static str {
    match why {
        StopReason::Command => "stopped by command",
        StopReason::Closed => "stopped: the issue was closed",
        StopReason::Gone => "stopped: the issue is gone",
        StopReason::Adopted => "stopped before this record began",
    }
}

/// The refusal of a comment, and when it is tried again.
#[must_use]
pub fn comment_refused(refusal: &Refusal) -> String {
    let Refusal { times, until, why } = refusal;
    let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
    format!(
        "the forge refused {times} to take a comment that a person has to see: {}; tried again from {until} on",
        one_line(why)
    )
}

fn blocked(source: BlockedSource, by: &[IssueKey]) -> String {
    let names: Vec<_> = by.iter().map(ToString::to_string).collect();
    let names = listed(&names, ", ");
    match source {
        BlockedSource::Deps => format!("blocked by {names}"),
        BlockedSource::DepsUnknown if by.is_empty() => {
            "its dependencies could not be read yet".to_owned()
        }
        BlockedSource::DepsUnknown => format!("refers to {names}, not read yet"),
        BlockedSource::DepsMissing => format!(
            "refers to {names}, which does not exist: remove or tick that line of the issue, \
             or give the command `satisfy` for it"
        ),
        BlockedSource::Allowlist => {
            "its repository is not configured, or is left out for now: nothing is done to it"
                .to_owned()
        }
        BlockedSource::PreflightMissing => {
            "set `preflight_command` for this repository ([] to skip it)".to_owned()
        }
    }
}

fn reads_proof(until: Time) -> String {
    format!("reads what shows that nothing is left to do (until {until})")
}

/// A wait; if it takes longer than usual, also its end and the answer of the forge.
fn waits(what: &str, until: Time, why: Option<&str>) -> String {
    match why {
        None => what.to_owned(),
        Some(why) => format!("{what} (until {until}): it cannot be read: {}", one_line(why)),
    }
}

fn waits_for_checks(pending: &[String], until: Time, why: Option<&str>) -> String {
    let checks = if pending.is_empty() {
        "waits for the checks".to_owned()
    } else {
        format!("waits for checks: {}", listed(pending, ", "))
    };
    match why {
        None => format!("{checks} (until {until})"),
        Some(_) => waits(&checks, until, why),
    }
}

fn rerun(checks: &[String], until: Option<Time>) -> String {
    let checks = listed(checks, ", ");
    match until {
        None => format!("has checks run again: {checks}"),
        Some(until) => format!("waits for checks that run again: {checks} (until {until})"),
    }
}

fn working(step: Step, until: Time, suspicion: Option<&Suspicion>) -> String {
    let doubt = suspicion.map(|it| format!("; {}", stall::suspected(it))).unwrap_or_default();
    format!("running {step}, until {until} at most{doubt}")
}
