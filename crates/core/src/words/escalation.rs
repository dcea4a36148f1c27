//! The comment that asks for a person: what happened, what is missing, the choices, how to go on.

use super::packet::packet;
use super::{checks, lane, line, listed, marker, one_line, quoted, usage};
use crate::escalation::Cause;
use crate::gate::Gate;
use crate::ids::{IssueKey, Login};
use crate::issue::Slot;
use crate::lane::Lanes;
use crate::triage::Triaged;
use serde_json::json;

/// Everything that was read and tried before a person was asked.
#[derive(Debug, Clone, Copy)]
pub struct Tried<'a> {
    pub red_checks: &'a [Triaged],
    pub lanes: &'a Lanes,
    /// The words of reviewers who have passed nothing.
    pub reviews: &'a [(Gate, &'a str)],
    /// False for a sync pull request, which has neither a plan nor another branch.
    pub can_replan: bool,
}

/// The whole escalation comment.
#[must_use]
pub fn escalation(
    key: &IssueKey,
    episode: u32,
    cause: &Cause,
    operator: &Login,
    tried: &Tried<'_>,
) -> String {
    let Tried { red_checks, lanes, reviews, can_replan } = *tried;
    let red = checks::named(cause, red_checks);
    let packet = packet(cause);
    let marker = marker(key, &Slot::Escalation { episode }).render();
    let summary = summary(cause);
    let mut body = format!("{marker}\n@{operator} Ralph needs a person here.\n\n**{summary}**\n");
    if let Cause::BudgetSpent { used, reserved, .. } = cause {
        body.push_str(&usage::spent_on(used, *reserved));
    }
    if let Some(detail) = detail(cause) {
        line(&mut body, format_args!("\n{}\n", quoted(detail)));
    }
    for (gate, said) in reviews.iter().filter(|_| cause.may_be_by_reviews()) {
        line(&mut body, format_args!("\nWhat the reviewer of {gate} said:\n{}\n", quoted(said)));
    }
    for one in &red {
        line(&mut body, format_args!("\n{}\n", checks::evidence(one, red_checks)));
    }
    if let Cause::LaneSpent { lane, .. } = cause {
        body.push_str("\nWhat was tried:\n");
        lane::attempts(&mut body, lanes.attempts(*lane));
    }
    line(&mut body, format_args!("\nWhat is missing: {}\n", packet.missing));
    body.push_str("\nChoices:\n");
    for option in packet.options {
        line(&mut body, format_args!("- {option}\n"));
    }
    line(&mut body, format_args!("\nRecommended: {}\n", packet.recommendation));
    body.push_str(
        "\nTo resume, apply `ralph:cmd:queue`, or comment `RALPH RESOLVED:` with your answer (write \
         access needed), or add `ralph:status:queued` again. ",
    );
    if can_replan {
        body.push_str(
            "To begin with a new plan on a fresh branch, comment `RALPH RESOLVED: replan`. ",
        );
    }
    body.push_str("To cancel, apply `ralph:cmd:stop`.\n");
    let mut machine = json!({
        "state": summary, "missing": packet.missing, "options": packet.options,
        "recommendation": packet.recommendation, "questions": [packet.question],
    });
    if let (false, Some(fields)) = (red.is_empty(), machine.as_object_mut()) {
        let checks: Vec<_> = red.iter().map(|one| checks::machine(one)).collect();
        fields.insert("checks".to_owned(), checks.into());
    }
    line(&mut body, format_args!("\n<details><summary>Decision packet</summary>\n\n"));
    line(&mut body, format_args!("```json\n{machine}\n```\n\n</details>"));
    body
}

/// The cause in one sentence.
#[must_use]
pub fn summary(cause: &Cause) -> String {
    match cause {
        Cause::ProductGap(_) => "The product documents leave a question open.".to_owned(),
        Cause::Routed(_) => "The planner asks for a person.".to_owned(),
        Cause::ContractSurface(_) => {
            "The plan would break something that others rely on.".to_owned()
        }
        Cause::PlanRejected(_) => "No plan has passed the plan review.".to_owned(),
        Cause::TestsChanged(_) => {
            "The change fails with the base's own tests and check definitions.".to_owned()
        }
        Cause::MissingVerdict(gate) => {
            format!("The reviewer of {gate} never gave a valid verdict.")
        }
        Cause::CloseOrClarify(_) => {
            "Its sub-issues are resolved and nothing seems to be left: close or clarify.".to_owned()
        }
        Cause::StepSpent { step, .. } => format!("The {step} step failed as often as it may."),
        Cause::CouldNotRun { step, .. } if step.takes_turn() => format!(
            "The agent's program fails again and again in the {step} step of this issue, and works for others."
        ),
        Cause::CouldNotRun { step, .. } => {
            format!("The commands of the {step} step could not be run on Ralph's machine.")
        }
        Cause::Stalled { step, .. } => {
            format!("The agent stalled again and again, at last in the {step} step.")
        }
        Cause::BudgetSpent { exceeded, .. } => usage::budget_spent(*exceeded),
        Cause::Interrupted => "Ralph was interrupted again and again during this run.".to_owned(),
        Cause::LaneSpent { lane, end, attempts, failing } => {
            lane::spent(*lane, *end, *attempts, failing)
        }
        Cause::Conflict => {
            "The change conflicts with the bot branch, and no reviewed plan says what it is to be."
                .to_owned()
        }
        Cause::ConflictUnseen { looks } => {
            let times = if *looks == 1 { "once".to_owned() } else { format!("{looks} times") };
            format!(
                "The forge says that the change conflicts with the bot branch, and git merged the two without a \
                 conflict, {times}."
            )
        }
        Cause::Behind => {
            "The bot branch requires up-to-date heads, and this one falls behind again and again."
                .to_owned()
        }
        Cause::UpdateRefused(_) => {
            "The bot branch requires up-to-date heads, and this one cannot be brought up to date."
                .to_owned()
        }
        Cause::Unreadable { of, .. } => {
            format!("Ralph cannot read {} on the forge.", super::unread::named(*of))
        }
        Cause::CiOnly => "The change touches CI files only, and no label says it may.".to_owned(),
        Cause::WrongBase(base) => {
            format!("The pull request's base was changed to `{}`.", one_line(base))
        }
        Cause::MergeRefused(_) => "The forge keeps refusing the merge.".to_owned(),
        Cause::PushRefused(_) => "The branch could not be pushed.".to_owned(),
        Cause::PullRefused(_) => "The pull request could not be opened.".to_owned(),
        Cause::PullClosed => "The pull request was closed without being merged.".to_owned(),
        Cause::HeadMoved => "Someone else pushed to the pull request's branch.".to_owned(),
        Cause::Cycle(members) => {
            format!("These issues block each other in a circle: {}.", named(members, " → "))
        }
        Cause::BlockersMissing(on) => blockers_missing(on),
        Cause::NoEvidence => "The label says merged, but nothing here proves it.".to_owned(),
        Cause::Inherited => "The issue carries the escalated label from before.".to_owned(),
    }
}

fn blockers_missing(on: &[IssueKey]) -> String {
    let names = named(on, ", ");
    format!("It waits for issues that do not exist, or that Ralph may not read: {names}.")
}

fn named(issues: &[IssueKey], between: &str) -> String {
    let names: Vec<_> = issues.iter().map(ToString::to_string).collect();
    listed(&names, between)
}

fn detail(cause: &Cause) -> Option<&str> {
    match cause {
        Cause::ProductGap(text)
        | Cause::Routed(text)
        | Cause::ContractSurface(text)
        | Cause::PlanRejected(text)
        | Cause::TestsChanged(text)
        | Cause::CloseOrClarify(text)
        | Cause::StepSpent { reason: text, .. }
        | Cause::CouldNotRun { reason: text, .. }
        | Cause::Stalled { reason: text, .. }
        | Cause::UpdateRefused(text)
        | Cause::Unreadable { why: text, .. }
        | Cause::MergeRefused(text)
        | Cause::PushRefused(text)
        | Cause::PullRefused(text) => {
            Some(text).filter(|text| !text.is_empty()).map(String::as_str)
        }
        Cause::MissingVerdict(_)
        | Cause::BudgetSpent { .. }
        | Cause::Interrupted
        | Cause::LaneSpent { .. }
        | Cause::Conflict
        | Cause::ConflictUnseen { .. }
        | Cause::Behind
        | Cause::CiOnly
        | Cause::WrongBase(_)
        | Cause::PullClosed
        | Cause::HeadMoved
        | Cause::Cycle(_)
        | Cause::BlockersMissing(_)
        | Cause::NoEvidence
        | Cause::Inherited => None,
    }
}
