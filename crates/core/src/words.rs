//! Every sentence that a person or an agent reads from Ralph. Foreign text is redacted, bounded and fenced here, so
//! that no other place has to remember it.

mod checks;
mod escalation;
mod follow_up;
mod journal;
mod judged;
mod lane;
mod mark;
mod message;
mod packet;
mod papercut;
mod parent;
mod prompt;
mod pull;
mod repository;
mod review;
mod rollup;
mod stall;
mod standing;
mod step;
mod title;
mod trial;
mod unread;
mod usage;

pub use checks::red_check;
pub use escalation::{Tried, escalation, summary as cause_summary};
pub use follow_up::{follow_up_body, follow_up_title};
pub use journal::line as journal_line;
pub use lane::{
    LanePlace, LaneState, RedOnPull, conflict_told, lane_attempts, lane_comment, red_checks_told,
};
pub use mark::{mark, parse_mark};
pub use message::{message, message_refused, message_unusable};
pub use papercut::papercut_body;
pub use parent::{VERDICT_UNWRITTEN, parent_verified, parent_weak};
pub(crate) use prompt::is_prompt;
pub use prompt::{Prompt, PromptError, Texts, prompt, prompt_template};
pub use pull::{pull_body, pull_title, pull_words};
pub use review::{FILE_DIFF_BYTES_MAX, FileDiff, Material, review_request, with_claims};
pub use rollup::{
    RollupMember, foreign_rollup, rollup_body, rollup_title, sync_body, sync_marker, sync_title,
    sync_trouble, with_rollup_section,
};
pub use stall::stalled;
pub use standing::{
    account_hold, comment_refused, left_under_way, outage, standing, standing_in, waits_for_agents,
};
pub use step::{
    BASE_KEEPS_MOVING, INTEGRITY_NOTHING_HELD, INTEGRITY_UNTOUCHED, INTERRUPTED, MERGE_BLOCKED,
    MERGE_UNDECIDED, NO_WORKER_FREE, OF_A_SURVEY, OF_A_SYNC, PREFLIGHT_UNSET, failure, gate_failed,
    integrity_failed, step_ended, tests_changed,
};
pub use title::harmless_title;
pub use trial::{trial_body, trial_marker, trial_title};
pub use unread::{
    GONE, and_more, closing_untold, no_such_pull, out_of_sight, renamed, resource as resource_name,
};
pub use usage::{
    amount, budget_day, expected_cost, forecast, issue_used, money, throttled, tokens,
};

use crate::command::{Command, Manner};
use crate::defuse::defuse;
use crate::excerpt::Excerpt;
use crate::gate::GateRecord;
use crate::hidden_marker::{HiddenMarker, MarkerKind};
use crate::ids::{IssueKey, Login, RepoName};
use crate::issue::{CommandResult, Phase, Slot};
use crate::lane::Lane;
use std::fmt::Write as _;

/// The longest foreign text quoted in one comment; GitHub takes 65,536 characters, people read far fewer.
const QUOTE_BYTES_MAX: usize = 4_000;

/// The reason for a read that neither succeeded nor was refused.
pub const NO_ANSWER: &str = "The forge did not answer in time.";
/// The reason why a change waits whose repository is not configured.
pub const OUTSIDE: &str = "its repository is not configured, so nothing is done there";
/// The reason why a change waits that the guard against floods holds back.
pub const HELD_BACK: &str = "a bug: this same change was asked for more than 5 times in 10 minutes, and nothing \
    different was seen in between; it is held back";
pub const REFUSED_OVERTAKEN: &str =
    "A later command was obeyed before GitHub showed this one, and the last one decides.";
pub const REFUSED_CLOSED: &str =
    "The issue is closed. Reopen it first, then apply `ralph:cmd:queue` again.";
pub const REFUSED_PULL: &str =
    "This is a pull request. Ralph works on issues: open one that says what is to be done.";
pub const REFUSED_MERGED: &str =
    "Its change is already merged to the bot branch. Open a new issue for further work.";
pub const REFUSED_CLOSING: &str = "The issue is done, and Ralph is about to close it. If work remains, reopen it \
                                   afterwards, then apply `ralph:cmd:queue` again.";
pub const REFUSED_NOT_SATISFIED: &str =
    "There is nothing to undo: this issue does not count as satisfied.";

/// The refusal for a repository that is not configured.
#[must_use]
pub fn refused_elsewhere(repo: &RepoName) -> String {
    format!(
        "{repo} is not configured here, so nothing was done. Add a [[repos]] with its name to the configuration first."
    )
}

#[must_use]
pub fn refused_held_already(repo: &RepoName) -> String {
    format!("{repo} is held by this Ralph already, so there is nothing to take over.")
}

#[must_use]
pub fn refused_no_such_issue(key: &IssueKey) -> String {
    format!("The forge says that there is no issue {key}. Check the number.")
}

#[must_use]
pub fn refused_unreadable(key: &IssueKey, why: &str) -> String {
    format!(
        "Ralph may not read {key}: {why}. `ralph doctor` looks at its rights; then give the command again."
    )
}

#[must_use]
pub fn refused_no_right(actor: &Login) -> String {
    format!(
        "`{actor}` may not command here: this takes at least the triage role on the repository."
    )
}

/// The refusal of a command whose actor is not known: without one there are no rights to check.
#[must_use]
pub fn refused_unknown_actor(key: &IssueKey, command: Command) -> String {
    let (repo, number) = (&key.repo, key.number);
    format!(
        "The forge does not say who applied this label, nor whether before or after others, so it is \
         not obeyed. Say `ralph {command} {repo} {number}` on Ralph's machine instead."
    )
}

/// The person who gave a command, if known.
fn actor(login: Option<&Login>) -> String {
    login.map_or_else(|| "an unknown account".to_owned(), ToString::to_string)
}

#[must_use]
pub fn refused_nothing_to(command: Command, phase: &Phase) -> String {
    let state = match phase {
        Phase::Out => "is not in Ralph's queue; `ralph:cmd:queue` puts it there",
        Phase::Queued => "is queued",
        Phase::Running { .. } => "is being worked on",
        Phase::Parked { .. } => "waits for another issue",
        Phase::Escalated { .. } => {
            "already waits for a person; `ralph:cmd:queue` resumes it, `ralph:cmd:stop` cancels it"
        }
        Phase::Stopped { .. } => "is stopped; `ralph:cmd:queue` starts it again",
        Phase::InBot { .. } => "is already merged to the bot branch",
        Phase::Done { .. } => "is already done; reopened, `ralph:cmd:queue` starts it again",
    };
    format!("There is nothing to {command}: this issue {state}.")
}

/// The marker by which one of Ralph's comments is found again.
#[must_use]
pub fn marker(key: &IssueKey, slot: &Slot) -> HiddenMarker {
    match slot {
        Slot::Command => HiddenMarker::new(MarkerKind::Command, &key.number.to_string(), None),
        Slot::Escalation { episode } => {
            let id = format!("{}-{episode}", key.number);
            HiddenMarker::new(MarkerKind::Escalation, &id, None)
        }
        Slot::Adopted => HiddenMarker::new(MarkerKind::Adopted, &key.number.to_string(), None),
        Slot::Verify => HiddenMarker::new(MarkerKind::Verify, &key.number.to_string(), None),
        Slot::Lane { lane } => {
            let kind = match lane {
                Lane::CiDebug => MarkerKind::CiDebug,
                Lane::MergeConflict => MarkerKind::MergeConflict,
            };
            HiddenMarker::new(kind, &key.number.to_string(), None)
        }
    }
}

/// The slot that a marker on an issue belongs to; `None` for a marker of something else.
#[must_use]
pub fn slot_of(key: &IssueKey, found: &HiddenMarker) -> Option<Slot> {
    let episode = found.id.split_once('-').and_then(|(_, episode)| episode.parse().ok());
    let slot = match found.kind {
        MarkerKind::Command => Slot::Command,
        MarkerKind::Escalation => Slot::Escalation { episode: episode? },
        MarkerKind::Verify => Slot::Verify,
        MarkerKind::Adopted => Slot::Adopted,
        MarkerKind::CiDebug => Slot::Lane { lane: Lane::CiDebug },
        MarkerKind::MergeConflict => Slot::Lane { lane: Lane::MergeConflict },
        MarkerKind::Rollup
        | MarkerKind::Sync
        | MarkerKind::Trial
        | MarkerKind::Quarantine
        | MarkerKind::Papercut => return None,
    };
    (marker(key, &slot) == *found).then_some(slot)
}

#[must_use]
pub fn command_result(key: &IssueKey, result: &CommandResult) -> String {
    let CommandResult { id, command, actor, refused, manner } = result;
    let marker = marker(key, &Slot::Command).render();
    let event = match actor {
        Some(_) if id.is_local => format!("command line, entry {}", id.id),
        Some(_) => format!("event {}", id.id),
        None => format!("seen {}", id.at),
    };
    let actor = self::actor(actor.as_ref());
    let what = manner.of(*command);
    match refused {
        None => {
            let effect = effect_of(*command, *manner);
            format!("{marker}\n✅ `{what}` by {actor} is in effect ({event}).{effect}")
        }
        Some(reason) => {
            format!("{marker}\n❌ `{what}` by {actor} was refused ({event}).\n\n{reason}")
        }
    }
}

/// The effect of a command that the issue's labels do not show.
const fn effect_of(command: Command, manner: Manner) -> &'static str {
    match (command, manner) {
        (Command::Satisfy, Manner::Undo) => {
            "\n\nThis issue no longer counts as resolved for the issues it blocks, until it is."
        }
        (Command::Satisfy, Manner::Plain | Manner::Fresh) => {
            "\n\nThis issue counts as resolved for the issues it blocks. Applying `ralph:cmd:satisfy` again \
             takes that back."
        }
        (Command::Queue, Manner::Fresh) => {
            "\n\nThe next run begins with a new plan on a fresh branch. What was done before is kept under \
             `refs/ralph/rescue/` in Ralph's own clone; a pull request that is open stays open."
        }
        (Command::Queue, Manner::Plain | Manner::Undo) | (Command::Pause | Command::Stop, _) => "",
    }
}

#[must_use]
pub fn adopted(key: &IssueKey) -> String {
    let marker = marker(key, &Slot::Adopted).render();
    format!(
        "{marker}\nRalph found this issue in progress without a local record and takes it up \
         again from its branch and pull request."
    )
}

/// The reason why a merge was called off at the last moment.
#[must_use]
pub fn changed_before_merge(what: &str, found: &str, wanted: &str) -> String {
    format!("its {what} is {found} by now, and {wanted} was to be merged")
}

/// The state of a gate that has judged something else than what is there now.
#[must_use]
pub fn judged_before(record: &GateRecord) -> String {
    let before = if record.lets_through() { "passed" } else { "failed" };
    format!("{before} before; what is there now is not judged yet")
}

/// Foreign text as a block that nothing inside can end: no marker, mention or heading in it takes effect.
#[must_use]
pub fn quoted(text: &str) -> String {
    quoted_up_to(text, QUOTE_BYTES_MAX)
}

fn quoted_up_to(text: &str, limit: usize) -> String {
    let text = Excerpt::of(text, limit);
    let mut longest = 0;
    let mut run = 0;
    for letter in text.as_str().chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}text\n{}\n{fence}", text.as_str().trim_end())
}

/// The most names listed in one sentence; more are only counted.
const NAMES_LISTED_MAX: usize = 10;

/// Foreign names as part of a sentence: each on one line and without markup, and not too many.
fn listed(names: &[String], between: &str) -> String {
    let shown: Vec<_> = names.iter().take(NAMES_LISTED_MAX).map(|name| told_name(name)).collect();
    match names.len().saturating_sub(NAMES_LISTED_MAX) {
        0 => shown.join(between),
        more => format!("{} and {more} more", shown.join(between)),
    }
}

/// A name in a sentence. Issue references keep their number sign: people write `owner/name#7`.
fn told_name(name: &str) -> String {
    if IssueKey::parse(name).is_some() { name.to_owned() } else { one_line(name) }
}

/// Foreign text on one line, without markup or anything that the forge would act on.
fn one_line(text: &str) -> String {
    let text = Excerpt::of(text, crate::excerpt::LINE_BYTES_MAX);
    let plain =
        |c: char| if c.is_whitespace() || matches!(c, '`' | '@' | '<' | '#') { ' ' } else { c };
    defuse(text.as_str().chars().map(plain).collect::<String>().trim())
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let written = text.write_fmt(arguments);
    debug_assert!(written.is_ok(), "writing to a String cannot fail");
}
