//! The labels Ralph manages: their names, their meaning, and the next write that brings an issue's labels closer to its
//! status.

use crate::command::Command;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Every label Ralph may touch starts with this; all others belong to people.
const NAMESPACE: &str = "ralph:";
const STATUS_PREFIX: &str = "ralph:status:";
const COMMAND_PREFIX: &str = "ralph:cmd:";
const PRIORITY_PREFIX: &str = "ralph:priority:";

/// The status that an issue shows to people. The store is the authority, the label its projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    Queued,
    InProgress,
    Paused,
    Escalated,
    InBot,
    Done,
    Stopped,
}

impl Status {
    pub const ALL: [Self; 7] = [
        Self::Queued,
        Self::InProgress,
        Self::Paused,
        Self::Escalated,
        Self::InBot,
        Self::Done,
        Self::Stopped,
    ];

    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Queued => "ralph:status:queued",
            Self::InProgress => "ralph:status:in-progress",
            Self::Paused => "ralph:status:paused",
            Self::Escalated => "ralph:status:escalated",
            Self::InBot => "ralph:status:in-bot",
            Self::Done => "ralph:status:done",
            Self::Stopped => "ralph:status:stopped",
        }
    }

    /// The label without its prefix, such as `in-progress`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.label().strip_prefix(STATUS_PREFIX).unwrap_or_default()
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| name.eq_ignore_ascii_case(status.name()))
    }

    /// Reads a label of the first release, `ralph:<status>`; its `blocked` always meant that a person is needed.
    fn from_legacy_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("blocked") {
            return Some(Self::Escalated);
        }
        match Self::from_name(name)? {
            Self::Paused | Self::Stopped => None,
            known @ (Self::Queued
            | Self::InProgress
            | Self::Escalated
            | Self::InBot
            | Self::Done) => Some(known),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The order in which issues leave the queue, and nothing else. The most urgent sorts first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Priority {
    P0,
    P1,
    #[default]
    P2,
    P3,
    P4,
}

impl Priority {
    pub const ALL: [Self; 5] = [Self::P0, Self::P1, Self::P2, Self::P3, Self::P4];

    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::P0 => "ralph:priority:p0",
            Self::P1 => "ralph:priority:p1",
            Self::P2 => "ralph:priority:p2",
            Self::P3 => "ralph:priority:p3",
            Self::P4 => "ralph:priority:p4",
        }
    }

    /// The label without its prefix, such as `p2`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.label().strip_prefix(PRIORITY_PREFIX).unwrap_or_default()
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|priority| name.eq_ignore_ascii_case(priority.name()))
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A label with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ManagedLabel {
    Status(Status),
    /// A status under a name of the first release; Ralph replaces it by today's name on sight.
    LegacyStatus(Status),
    Command(Command),
    Priority(Priority),
}

/// Reads a label's name as the forge compares it: without ASCII case, with nothing trimmed.
#[must_use]
pub fn parse(name: &str) -> Option<ManagedLabel> {
    if let Some(short) = strip_prefix_ignoring_case(name, STATUS_PREFIX) {
        return Status::from_name(short).map(ManagedLabel::Status);
    }
    if let Some(short) = strip_prefix_ignoring_case(name, COMMAND_PREFIX) {
        return Command::from_name(short).map(ManagedLabel::Command);
    }
    if let Some(short) = strip_prefix_ignoring_case(name, PRIORITY_PREFIX) {
        return Priority::from_name(short).map(ManagedLabel::Priority);
    }
    let short = strip_prefix_ignoring_case(name, NAMESPACE)?;
    Status::from_legacy_name(short).map(ManagedLabel::LegacyStatus)
}

/// True if Ralph may add, remove or edit a label of this name.
#[must_use]
pub fn is_managed(name: &str) -> bool {
    strip_prefix_ignoring_case(name, NAMESPACE).is_some()
}

/// The most urgent priority among the labels.
#[must_use]
pub fn priority_of<'a>(labels: impl IntoIterator<Item = &'a str>) -> Priority {
    let short = |name| strip_prefix_ignoring_case(name, PRIORITY_PREFIX);
    let priorities = labels.into_iter().filter_map(|name| Priority::from_name(short(name)?));
    priorities.min().unwrap_or_default()
}

/// One write that brings the labels of an issue closer to its status.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    Add(Status),
    /// The label as the issue spells it.
    Remove(String),
}

/// Returns the next write, or `None` once the labels show `desired` and no other status. The new status is added before
/// an old one goes, so that a crash in between never leaves an issue without a status.
#[must_use]
pub fn next_correction<'a>(
    labels: impl Iterator<Item = &'a str> + Clone,
    desired: Option<Status>,
) -> Option<Correction> {
    if let Some(status) = desired
        && !labels.clone().any(|name| name.eq_ignore_ascii_case(status.label()))
    {
        return Some(Correction::Add(status));
    }
    let is_wanted =
        |name: &str| desired.is_some_and(|status| name.eq_ignore_ascii_case(status.label()));
    let superfluous = labels.filter(|name| shows_a_status(name) && !is_wanted(name));
    superfluous.min().map(|name| Correction::Remove(name.to_owned()))
}

/// True also for a name in the status namespace that no version ever used: an issue shows exactly one `ralph:status:*`
/// label, so Ralph removes the others.
fn shows_a_status(name: &str) -> bool {
    strip_prefix_ignoring_case(name, STATUS_PREFIX).is_some()
        || matches!(parse(name), Some(ManagedLabel::LegacyStatus(_)))
}

/// The status to take over for an issue that the store has never seen. Of several the one furthest along wins, then the
/// one that only a person can undo.
#[must_use]
pub fn adopted_status<'a>(labels: impl IntoIterator<Item = &'a str>) -> Option<Status> {
    let statuses = labels.into_iter().filter_map(|name| match parse(name)? {
        ManagedLabel::Status(status) | ManagedLabel::LegacyStatus(status) => Some(status),
        ManagedLabel::Command(_) | ManagedLabel::Priority(_) => None,
    });
    statuses.min_by_key(|status| adoption_rank(*status))
}

const fn adoption_rank(status: Status) -> u8 {
    match status {
        Status::Done => 0,
        Status::InBot => 1,
        Status::Stopped => 2,
        Status::Escalated => 3,
        Status::Paused => 4,
        Status::InProgress => 5,
        Status::Queued => 6,
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// A label as the forge stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Definition {
    pub name: &'static str,
    pub color: &'static str,
    pub description: &'static str,
}

const fn definition(
    name: &'static str,
    color: &'static str,
    description: &'static str,
) -> Definition {
    Definition { name, color, description }
}

/// Every label a repository needs. Bootstrap creates what is missing and repairs what has drifted.
#[rustfmt::skip]
pub const DEFINITIONS: [Definition; 16] = [
    definition(Status::Queued.label(), "0366D6", "runnable once unblocked"),
    definition(Status::InProgress.label(), "FBCA04", "Ralph owns it: working, or waiting on a deterministic gate such as CI"),
    definition(Status::Paused.label(), "6A737D", "no progress past safe checkpoints"),
    definition(Status::Escalated.label(), "D73A4A", "needs a human; continues only after an operator command"),
    definition(Status::InBot.label(), "0E8A16", "task PR merged to the bot branch"),
    definition(Status::Done.label(), "1A7F37", "reconciled onto the default branch"),
    definition(Status::Stopped.label(), "B60205", "cancelled by an operator; ownership given up"),
    definition(Command::Queue.label(), "C5DEF5", "Command: queue"),
    definition(Command::Pause.label(), "C5DEF5", "Command: pause"),
    definition(Command::Stop.label(), "C5DEF5", "Command: stop"),
    definition(Command::Satisfy.label(), "C5DEF5", "Command: satisfy"),
    definition(Priority::P0.label(), "B60205", "Priority 0"),
    definition(Priority::P1.label(), "D93F0B", "Priority 1"),
    definition(Priority::P2.label(), "FBCA04", "Priority 2"),
    definition(Priority::P3.label(), "0E8A16", "Priority 3"),
    definition(Priority::P4.label(), "C5DEF5", "Priority 4"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_without_case_and_legacy_names_are_mapped() {
        use ManagedLabel as M;
        for (name, expected) in [
            ("ralph:status:in-progress", Some(M::Status(Status::InProgress))),
            ("Ralph:STATUS:In-Bot", Some(M::Status(Status::InBot))),
            ("ralph:queued", Some(M::LegacyStatus(Status::Queued))),
            ("RALPH:Blocked", Some(M::LegacyStatus(Status::Escalated))),
            ("ralph:done", Some(M::LegacyStatus(Status::Done))),
            ("ralph:paused", None),
            ("ralph:stopped", None),
            ("ralph:cmd:satisfy", Some(M::Command(Command::Satisfy))),
            ("ralph:priority:P0", Some(M::Priority(Priority::P0))),
            ("ralph:priority:p5", None),
            ("ralph:status:blocked", None),
            ("ralph:status:", None),
            (" ralph:queued", None),
            ("queued", None),
            ("", None),
        ] {
            assert_eq!(parse(name), expected, "{name:?}");
        }
    }

    #[test]
    fn the_managed_namespace_is_everything_below_ralph() {
        for (name, expected) in [
            ("ralph:whatever", true),
            ("RALPH:", true),
            ("ralph", false),
            ("ralphie:status:done", false),
            ("status:done", false),
            ("rälph:done", false),
        ] {
            assert_eq!(is_managed(name), expected, "{name:?}");
        }
    }

    #[test]
    fn every_defined_label_is_read_back_and_fits_the_forge() {
        for definition in DEFINITIONS {
            let parsed = parse(definition.name);
            assert!(parsed.is_some(), "{}", definition.name);
            assert!(!matches!(parsed, Some(ManagedLabel::LegacyStatus(_))));
            assert!(definition.name.len() <= 50 && definition.description.len() <= 100);
            assert!(
                definition.color.len() == 6 && u32::from_str_radix(definition.color, 16).is_ok()
            );
        }
        let names: std::collections::BTreeSet<_> = DEFINITIONS.iter().map(|d| d.name).collect();
        assert_eq!(names.len(), DEFINITIONS.len());
    }

    #[test]
    fn the_most_urgent_priority_wins_and_none_means_p2() {
        assert_eq!(priority_of([]), Priority::P2);
        assert_eq!(priority_of(["bug", "ralph:status:queued"]), Priority::P2);
        assert_eq!(priority_of(["ralph:priority:p4"]), Priority::P4);
        assert_eq!(priority_of(["ralph:priority:p3", "Ralph:Priority:P1"]), Priority::P1);
    }

    #[test]
    fn a_correction_adds_first_then_removes_one_by_one_and_then_stops() {
        let add = |status| Some(Correction::Add(status));
        let remove = |name: &str| Some(Correction::Remove(name.to_owned()));
        let queued = Some(Status::Queued);
        for (labels, desired, expected) in [
            (vec!["bug"], queued, add(Status::Queued)),
            (vec!["ralph:status:done"], queued, add(Status::Queued)),
            (vec!["ralph:queued"], queued, add(Status::Queued)),
            (vec!["Ralph:Status:Queued", "bug"], queued, None),
            (vec!["ralph:status:queued", "ralph:queued"], queued, remove("ralph:queued")),
            (
                vec!["ralph:status:paused", "ralph:status:queued", "ralph:status:done"],
                queued,
                remove("ralph:status:done"),
            ),
            (vec!["ralph:status:mine", "ralph:status:queued"], queued, remove("ralph:status:mine")),
            (vec!["ralph:priority:p0", "ralph:cmd:stop", "queued"], None, None),
            (vec!["Ralph:BLOCKED"], None, remove("Ralph:BLOCKED")),
        ] {
            assert_eq!(next_correction(labels.iter().copied(), desired), expected, "{labels:?}");
        }
    }

    #[test]
    fn an_unknown_issue_is_adopted_with_the_status_that_is_hardest_to_undo() {
        for (labels, expected) in [
            (vec![], None),
            (vec!["bug", "ralph:cmd:queue"], None),
            (vec!["ralph:queued", "ralph:in-progress"], Some(Status::InProgress)),
            (vec!["ralph:status:paused", "ralph:blocked"], Some(Status::Escalated)),
            (vec!["ralph:status:stopped", "ralph:status:escalated"], Some(Status::Stopped)),
            (vec!["ralph:status:stopped", "ralph:in-bot"], Some(Status::InBot)),
            (vec!["ralph:status:in-bot", "RALPH:DONE"], Some(Status::Done)),
        ] {
            assert_eq!(adopted_status(labels.iter().copied()), expected, "{labels:?}");
        }
    }
}
