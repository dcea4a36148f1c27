//! Sentences about recovery lanes: the comment of each lane on its issue, the task of a repairing turn, and the
//! attempts that a person sees.

use super::packet::Packet;
use super::{line, marker, one_line};
use crate::ids::{Branch, IssueKey, PullNumber};
use crate::issue::Slot;
use crate::lane::{Entry, Finding, How, Lane, LaneAttempt, LaneBook, LaneEnd, Trigger};
use crate::pull::Pull;
use crate::run::Conflict;
use crate::triage::Triaged;

const CI_DEBUG: &str = "Ralph is spawning a dedicated CI-debug run to make required checks green.";
const RESUMED: &str = "Ralph has the session that made the change make required checks green.";
const MERGE_CONFLICT: &str = "Ralph merges the base into the branch in a dedicated run, resolves the conflicts, \
                              runs preflight and pushes; nothing is rebased or force-pushed.";

/// The most attempts listed in one text: as many as fit into a comment of the forge, whatever their names are.
const ATTEMPTS_TOLD_MAX: usize = 50;
/// The most conflicting files named to a turn; git in the worktree knows the rest.
const FILES_TOLD_MAX: usize = 100;
/// The longest address that is linked.
const URL_BYTES_MAX: usize = 300;

/// The progress of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneState {
    Repairing,
    /// The last attempt has repaired the fault, and the change is not merged yet.
    Repaired,
    Merged,
    GivenUp,
    /// A person is asked for another reason, before the attempt has ended.
    Waits,
    /// There is nothing left to repair: the pull request is closed, or has nothing to bring.
    Over,
}

/// The pull request, the branches and the limit of a lane.
#[derive(Debug, Clone, Copy)]
pub struct LanePlace<'a> {
    pub pull: Option<PullNumber>,
    pub branch: &'a Branch,
    pub base: &'a Branch,
    /// The number of attempts that it may make.
    pub limit: u32,
}

/// The one comment of a lane on its issue.
#[must_use]
pub fn lane_comment(
    key: &IssueKey,
    lane: Lane,
    book: &LaneBook,
    place: &LanePlace<'_>,
    state: LaneState,
) -> String {
    let marker = marker(key, &Slot::Lane { lane }).render();
    let mut body = format!("{marker}\n{}\n", says(lane, book, state));
    if let Some(last) = book.attempts.last() {
        found(&mut body, lane, place, &last.trigger);
    }
    let limit = place.limit;
    line(&mut body, format_args!("\nAttempts, of at most {limit} in a row without a repair:\n"));
    attempts(&mut body, &book.attempts);
    body
}

/// The sentence on what is being done, or how it ended.
fn says(lane: Lane, book: &LaneBook, state: LaneState) -> &'static str {
    let how = book.attempts.last().map(|last| last.how);
    match (state, lane) {
        (LaneState::Repairing, Lane::CiDebug) => match how {
            Some(How::Resume) => RESUMED,
            Some(How::Spawn) | None => CI_DEBUG,
        },
        (LaneState::Repairing, Lane::MergeConflict) => MERGE_CONFLICT,
        (LaneState::Repaired, Lane::CiDebug) => "Required checks are green again.",
        (LaneState::Repaired, Lane::MergeConflict) => "The conflict is resolved.",
        (LaneState::Merged, Lane::CiDebug) => "Required checks are green, and it is merged.",
        (LaneState::Merged, Lane::MergeConflict) => "The conflict is resolved, and it is merged.",
        (LaneState::GivenUp, Lane::CiDebug) => {
            "Required checks are still red. Ralph tries no more and asks for a person."
        }
        (LaneState::GivenUp, Lane::MergeConflict) => {
            "The conflict remains. Ralph tries no more and asks for a person."
        }
        (LaneState::Over, _) => {
            "Ralph does nothing more here: the pull request is closed, or nothing is left to resolve."
        }
        (LaneState::Waits, _) => {
            "The last attempt has not come to its end: Ralph asks for a person for another reason."
        }
    }
}

fn found(body: &mut String, lane: Lane, place: &LanePlace<'_>, trigger: &Trigger) {
    let pull = place.pull.map(|pull| format!(" of {pull}")).unwrap_or_default();
    let what = match lane {
        Lane::CiDebug => "Failing required checks",
        Lane::MergeConflict => "Conflicting files",
    };
    line(body, format_args!("\n{what}{pull}: {}\n", trigger.count));
    for one in &trigger.found {
        line(body, format_args!("- {}\n", linked(one)));
    }
    let base = trigger.base.as_ref().map(|base| format!(" at {base}")).unwrap_or_default();
    let (branch, head) = (place.branch, &trigger.head);
    line(body, format_args!("\nBase `{}`{base}, head `{branch}` at {head}.\n", place.base));
}

/// The beginning of an attempt, as a line of the story.
pub(super) fn entered(entry: &Entry) -> String {
    let lane = entry.lane;
    match entry.how {
        How::Resume => format!("{lane}: the session that made the change gets what failed"),
        How::Spawn => format!("{lane}: a dedicated run begins"),
    }
}

/// The attempts of a lane, one per line.
#[must_use]
pub fn lane_attempts(book: &LaneBook) -> String {
    let mut lines = String::new();
    attempts(&mut lines, &book.attempts);
    lines
}

/// Lists each attempt with the fault that it had to repair and a link to it.
pub(super) fn attempts(body: &mut String, attempts: &[LaneAttempt]) {
    let untold = attempts.len().saturating_sub(ATTEMPTS_TOLD_MAX);
    if untold > 0 {
        line(body, format_args!("({untold} earlier ones are in Ralph's records.)\n"));
    }
    for (number, attempt) in (1..).zip(attempts).skip(untold) {
        let LaneAttempt { run, at, how, trigger, is_green } = attempt;
        let how = match how {
            How::Resume => "in the session that made the change",
            How::Spawn => "a dedicated run",
        };
        let first = trigger.found.first().map(linked).unwrap_or_default();
        let more = match trigger.count.saturating_sub(1) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let head = &trigger.head;
        line(body, format_args!("{number}. run {run}, {how}, {at}: {first}{more} on {head}"));
        let repaired = if *is_green { ", repaired" } else { "" };
        let signature = one_line(&trigger.signature);
        line(body, format_args!(" (signature `{signature}`){repaired}\n"));
    }
}

/// A foreign name, linked if nothing in its address can break out of the link.
fn linked(one: &Finding) -> String {
    let name = one_line(&one.name).replace(['[', ']'], " ");
    let is_plain = |url: &&String| {
        let is_web = url.starts_with("https://") || url.starts_with("http://");
        is_web
            && url.len() <= URL_BYTES_MAX
            && !url.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '<' | '>'))
    };
    match one.url.as_ref().filter(is_plain) {
        Some(url) => format!("[{name}]({url})"),
        None => name,
    }
}

/// A pull request with red checks.
#[derive(Debug, Clone, Copy)]
pub struct RedOnPull<'a> {
    pub pull: &'a Pull,
    pub branch: &'a Branch,
    pub base: &'a Branch,
}

/// The task of a turn that has to make checks green: their names and links, the refs, and what they say.
#[must_use]
pub fn red_checks_told(of: &RedOnPull<'_>, trigger: &Trigger, read: &[&Triaged]) -> String {
    let RedOnPull { pull, branch, base } = of;
    let (number, head) = (pull.number, &pull.head);
    let mut told = format!(
        "Required checks are red on pull request {number}, {branch} at {head}, which is to be merged into {base}:\n"
    );
    for Finding { name, url } in &trigger.found {
        let url = url.as_ref().map(|url| format!(" ({url})")).unwrap_or_default();
        line(&mut told, format_args!("- {name}{url}\n"));
    }
    for red in read {
        line(&mut told, format_args!("\n{}\n", super::red_check(red)));
    }
    told
}

/// The task of a turn that has to resolve a conflict: the refs, and the files in conflict.
#[must_use]
pub fn conflict_told(branch: &Branch, base: &Branch, conflict: &Conflict) -> String {
    let Conflict { base: at, head, files } = conflict;
    let mut told = format!(
        "{branch} at {head} conflicts with {base} at {at}. Ralph has begun to merge {base} in this worktree, and git has \
         left these files in conflict, {} in all:\n",
        files.len()
    );
    for file in files.iter().take(FILES_TOLD_MAX) {
        line(&mut told, format_args!("- {}\n", one_line(file)));
    }
    told
}

/// The cause in one sentence.
pub(super) fn spent(lane: Lane, end: LaneEnd, attempts: u32, failing: &[String]) -> String {
    let attempts = match (attempts, end) {
        // A row of a version without lanes.
        (0, _) => "the run that made the change".to_owned(),
        (1, _) => "one attempt".to_owned(),
        (many, LaneEnd::Attempts) => format!("{many} attempts"),
        (many, LaneEnd::Total) => format!("{many} attempts in all, some of which held for a while"),
        (many, LaneEnd::Repeats) => format!("{many} attempts, the last two with the same failure"),
    };
    let failing = super::listed(failing, ", ");
    match lane {
        Lane::CiDebug => format!("Required checks are still red after {attempts}: {failing}."),
        Lane::MergeConflict => {
            format!("The conflict with the bot branch remains after {attempts}: {failing}.")
        }
    }
}

/// The decision that a person is asked for after a lane.
pub(super) const fn packet(lane: Lane) -> Packet {
    match lane {
        Lane::CiDebug => Packet {
            missing: "green required checks",
            options: &[
                "say in a comment what makes them green, and resume",
                "push a fix to the branch and resume",
                "stop the issue",
            ],
            recommendation: "open the failing check, find the cause that the attempts missed, say it in a comment that \
                             begins with `RALPH RESOLVED:`",
            question: "What do the attempts have wrong about this failure?",
        },
        Lane::MergeConflict => Packet {
            missing: "a branch that merges cleanly",
            options: &[
                "merge the base into the branch by hand, push, and resume",
                "say in a comment which side should win, and resume",
                "stop the issue",
            ],
            recommendation: "merge the base into the branch, resolve the files named above, push, and resume",
            question: "Which side of the conflict should win?",
        },
    }
}
