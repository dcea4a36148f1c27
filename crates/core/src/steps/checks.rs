//! Waits for the required checks on the pull request's head.

use super::{StepSpec, merge, skip_reason};
use crate::decide::{Context, Next, lanes, unread};
use crate::fact::{Move, RunMove};
use crate::gate::{Gate, GateRecord, GateStatus};
use crate::pull::{CheckState, Checks, Pull, Required};
use crate::rerun::RERUN_REACTION;
use crate::run::Run;
use crate::standing::Standing;
use crate::time::{Span, Time};
use crate::unread::ReadOf;
use crate::watch::{Pace, Resource, Watch};

/// The most red checks whose logs are read: the first ones say enough.
const LOGS_READ_MAX: usize = 3;
/// The time that the forge has to show a log. One that cannot by then will not, so a person learns of the red check
/// without its log.
const LOGS_READ_TIMEOUT: Span = Span::from_mins(5);

pub(super) static SPEC: StepSpec = StepSpec {
    name: "checks",
    is_usual: true,
    is_behind: |run, _| run.passed(Gate::Ci),
    next,
    process: None,
};

fn next(cx: &Context<'_>, run: &Run) -> Next {
    let pull = match merge::pull_as_we_left_it(cx, run) {
        Ok(pull) => pull,
        Err(next) => return *next,
    };
    let record = match judge(cx, run, pull) {
        Ok(record) => record,
        Err(next) => return *next,
    };
    let known = run.gates.on(Gate::Ci, &record.subject);
    let is_same =
        |known: &&GateRecord| known.status == record.status && known.reason == record.reason;
    let Some(known) = known.filter(is_same) else {
        return Next::Move(Move::Run(RunMove::Judged { gate: Gate::Ci, record: record.into() }));
    };
    let names = |state| names_in(state, cx, pull.checks.as_ref());
    if record.status == GateStatus::Fail {
        return red(cx, run, pull, known.at, &names(CheckState::Fail));
    }
    let pending = names(CheckState::Pending);
    let until = deadline(cx, run);
    let why = unread::why(cx, ReadOf::Checks);
    if until <= cx.now {
        // Checks that could not be read are not known to be late.
        let is_unread = why.is_some();
        return if is_unread {
            unread::escalate(cx, ReadOf::Checks)
        } else {
            late(cx, run, pull, &pending)
        };
    }
    let watch = vec![merge::watch(cx, pull, Pace::Normal)];
    Next::Until(Standing::WaitsForChecks { pending, until, why }, watch, until)
}

/// Classifies checks that did not report in time by their names alone, then treats them as red.
fn late(cx: &Context<'_>, run: &Run, pull: &Pull, pending: &[String]) -> Next {
    let is_unread = |name: &&String| run.red_check(&pull.head, name).is_none();
    let checks: Vec<String> =
        pending.iter().take(LOGS_READ_MAX).filter(is_unread).cloned().collect();
    if checks.is_empty() {
        return lanes::red(cx, run, pull, pending);
    }
    let head = pull.head.clone();
    Next::Move(Move::Run(RunMove::ChecksLate { head, checks }))
}

/// Reads the logs of red checks first, for a limited time. Of a check that was run again only the new result counts.
fn red(cx: &Context<'_>, run: &Run, pull: &Pull, since: Time, failed: &[String]) -> Next {
    let is_unread = |name: &&String| run.red_check(&pull.head, name).is_none();
    let checks: Vec<String> =
        failed.iter().take(LOGS_READ_MAX).filter(is_unread).cloned().collect();
    let rerun = run.last_rerun(&pull.head).map(|at| at.plus(RERUN_REACTION));
    let until = rerun.map_or(since, |rerun| since.max(rerun)).plus(LOGS_READ_TIMEOUT);
    if checks.is_empty() || until <= cx.now {
        return lanes::red(cx, run, pull, failed);
    }
    let log = |name: &String| Watch {
        resource: Resource::CheckLog(cx.key.clone(), pull.head.clone(), name.clone()),
        pace: Pace::Soon,
    };
    let mut watch: Vec<Watch> = checks.iter().map(log).collect();
    watch.push(merge::watch(cx, pull, Pace::Normal));
    let is_rerun =
        |name: &String| run.rerun_of(&pull.head, name).is_some_and(|rerun| !rerun.is_refused);
    let standing = if checks.iter().any(is_rerun) {
        Standing::RerunsChecks { checks, until: Some(until) }
    } else {
        Standing::ReadsCheckLogs { checks, until }
    };
    Next::Until(standing, watch, until)
}

/// The time by which the checks must report: counted from the last push, from the claim of a later run of the same
/// head, or from the last rerun of one of its checks.
pub(super) fn deadline(cx: &Context<'_>, run: &Run) -> Time {
    let pushed = run.pushed_at.unwrap_or(run.started).max(run.started);
    let rerun = run.pushed.as_ref().and_then(|head| run.last_rerun(head));
    rerun.map_or(pushed, |rerun| pushed.max(rerun)).plus(cx.rules.limits.ci_timeout)
}

/// Judges the checks of the head as they are now; `Err` while they are not known.
pub(super) fn judge(cx: &Context<'_>, run: &Run, pull: &Pull) -> Result<GateRecord, Box<Next>> {
    let skipped = |reason| Ok(run.judged(Gate::Ci, GateStatus::Skipped, reason, cx.now));
    if let Some(reason) = skip_reason(cx, Gate::Ci) {
        return skipped(reason);
    }
    let names = match (&cx.rules.required_checks, &cx.repo.required) {
        (Some(names), _) if names.is_empty() => return skipped("configured"),
        (Some(names), _) | (None, Required::Names(names)) => names,
        (None, Required::Nothing) => return skipped("no-required-checks"),
        (None, Required::Unknown) => {
            let resource = Resource::Required(cx.key.repo.clone());
            let watch =
                vec![Watch { resource, pace: Pace::Normal }, merge::watch(cx, pull, Pace::Normal)];
            let standing = |until, why| Standing::WaitsForRequiredChecks { until, why };
            let (of, until) = (ReadOf::RequiredChecks, deadline(cx, run));
            return Err(unread::wait(cx, of, until, watch, standing).into());
        }
    };
    let Some(checks) = &pull.checks else {
        let watch = vec![merge::watch(cx, pull, Pace::Normal)];
        let standing = |until, why| Standing::WaitsForChecks { pending: Vec::new(), until, why };
        let (of, until) = (ReadOf::Checks, deadline(cx, run));
        return Err(unread::wait(cx, of, until, watch, standing).into());
    };
    let worst = names.iter().map(|name| checks.state_of(name)).max().unwrap_or(CheckState::Pass);
    let status = match worst {
        CheckState::Pass => GateStatus::Pass,
        CheckState::Pending => GateStatus::Pending,
        CheckState::Fail => GateStatus::Fail,
    };
    let failed = names.iter().find(|name| checks.state_of(name) == CheckState::Fail);
    let url = failed.or(names.first()).and_then(|name| checks.url_of(name)).map(str::to_owned);
    let reason = names_in(CheckState::Fail, cx, Some(checks)).join(", ");
    Ok(GateRecord { url, ..run.judged(Gate::Ci, status, &reason, cx.now) })
}

fn names_in(state: CheckState, cx: &Context<'_>, checks: Option<&Checks>) -> Vec<String> {
    let required: &[String] = match (&cx.rules.required_checks, &cx.repo.required) {
        (Some(names), _) | (None, Required::Names(names)) => names,
        (None, Required::Nothing | Required::Unknown) => &[],
    };
    let is_in = |name: &&String| {
        checks.map_or(CheckState::Pending, |checks| checks.state_of(name)) == state
    };
    required.iter().filter(is_in).cloned().collect()
}
