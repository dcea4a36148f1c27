//! Gates: Ralph's own checks, each bound to a commit, plan or diff.

use crate::digest::Digest;
use crate::ids::{Attempt, RunId, Sha};
use crate::product_gap::ProductGap;
use crate::stored::is_default;
use crate::time::{Span, Time};
use crate::verdict::VerdictKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The gates of the contract, in the order in which a run meets them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    PlanReview,
    Preflight,
    TestIntegrity,
    ProductReview,
    DevexReview,
    Ci,
}

impl Gate {
    pub const ALL: [Self; 6] = [
        Self::PlanReview,
        Self::Preflight,
        Self::TestIntegrity,
        Self::ProductReview,
        Self::DevexReview,
        Self::Ci,
    ];

    /// The one list of gates.
    const fn spec(self) -> &'static GateSpec {
        match self {
            Self::PlanReview => &PLAN_REVIEW,
            Self::Preflight => &PREFLIGHT,
            Self::TestIntegrity => &TEST_INTEGRITY,
            Self::ProductReview => &PRODUCT_REVIEW,
            Self::DevexReview => &DEVEX_REVIEW,
            Self::Ci => &CI,
        }
    }

    /// Gates that must be satisfied before a pull request is opened.
    pub fn before_pull() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|gate| gate.judges() != Judged::Commit)
    }

    /// Gates whose reviewers judge the change itself.
    pub fn of_the_change() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|gate| gate.judges() == Judged::Diff)
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The name of its folders among those of a run's attempts.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        self.spec().folder
    }

    #[must_use]
    pub const fn judges(self) -> Judged {
        self.spec().judges
    }

    /// The marker that a review for it ends with; `None` if no reviewer judges it.
    #[must_use]
    pub const fn verdict(self) -> Option<VerdictKind> {
        self.spec().verdict
    }

    /// True if it runs the operator's commands.
    pub(crate) const fn runs_commands(self) -> bool {
        matches!(self.judges(), Judged::Tree | Judged::TreeAgainstBase)
    }
}

/// The rules of a gate.
#[derive(Debug)]
struct GateSpec {
    name: &'static str,
    folder: &'static str,
    judges: Judged,
    verdict: Option<VerdictKind>,
}

/// The subject that a gate judges. Another subject needs another judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    Plan,
    Tree,
    /// The tree with the tests of its base, of which the plan says which may change.
    TreeAgainstBase,
    /// The difference between base and head.
    Diff,
    Commit,
}

static PLAN_REVIEW: GateSpec = GateSpec {
    name: "plan_review",
    folder: "plan_review",
    judges: Judged::Plan,
    verdict: Some(VerdictKind::PlanReview),
};
static PREFLIGHT: GateSpec =
    GateSpec { name: "preflight", folder: "preflight", judges: Judged::Tree, verdict: None };
static TEST_INTEGRITY: GateSpec = GateSpec {
    name: "test_integrity",
    folder: "integrity",
    judges: Judged::TreeAgainstBase,
    verdict: None,
};
static PRODUCT_REVIEW: GateSpec = GateSpec {
    name: "product_review",
    folder: "product_review",
    judges: Judged::Diff,
    verdict: Some(VerdictKind::Review),
};
static DEVEX_REVIEW: GateSpec = GateSpec {
    name: "devex_review",
    folder: "devex_review",
    judges: Judged::Diff,
    verdict: Some(VerdictKind::Review),
};
static CI: GateSpec = GateSpec { name: "ci", folder: "ci", judges: Judged::Commit, verdict: None };

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The status of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateStatus {
    Pending,
    Pass,
    Fail,
    Skipped,
}

impl GateStatus {
    /// True if the work may go on.
    #[must_use]
    pub const fn is_satisfied(self) -> bool {
        match self {
            Self::Pass | Self::Skipped => true,
            Self::Pending | Self::Fail => false,
        }
    }
}

/// The latest result of a gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateRecord {
    pub status: GateStatus,
    /// The plan, tree, diff or commit that was judged. Another subject needs another judgement.
    pub subject: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub head: Option<Sha>,
    /// The reviewer's reason, the failing excerpt or the skip reason.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reason: String,
    #[serde(default, skip_serializing_if = "is_default")]
    pub command: Option<String>,
    /// The commands that were run, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandRun>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub url: Option<String>,
    /// Prompts that asked again for a valid verdict on this subject.
    #[serde(default, skip_serializing_if = "is_default")]
    pub repairs: u32,
    /// The reviewer's own session, only for the repair and only while there is no valid verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The reviewer's text before its verdict, or its first text without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Digest>,
    /// An excerpt of that text for people, unless the change passed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub excerpt: String,
    /// Further text, before a verdict that had to be asked for again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<Digest>,
    /// The question for a person that came without a verdict, while there is no valid one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gap: ProductGap,
    /// For CI: the commit of the bot branch that the head contained when it was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Sha>,
    /// It failed, and the operator wants it reported without stopping the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_advisory: bool,
    /// The process that gave this result; `None` if it took none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<GateProcess>,
    pub at: Time,
}

/// One command of the operator or of a check definition, verbatim, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRun {
    pub command: String,
    /// The way it ended, such as `exit 1`.
    pub how: String,
    pub took: Span,
}

/// The beginning of the reason of a review that ended without a valid verdict despite repairs.
const MISSING_MARKER: &str = "missing-marker";

/// The process that gave a gate's result. It ended when the result was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateProcess {
    /// The run that it belonged to; later runs keep what was earned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub attempt: Attempt,
    pub started: Time,
}

impl GateRecord {
    /// True if the work may go on.
    #[must_use]
    pub const fn lets_through(&self) -> bool {
        self.status.is_satisfied() || self.is_advisory
    }
}

/// The gates of one run. Each transaction compares a run with its former state, so copies share their records.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Gates(BTreeMap<Gate, Arc<GateRecord>>);

impl Gates {
    #[must_use]
    pub fn get(&self, gate: Gate) -> Option<&GateRecord> {
        self.0.get(&gate).map(AsRef::as_ref)
    }

    pub fn set(&mut self, gate: Gate, record: GateRecord) {
        self.0.insert(gate, Arc::new(record));
    }

    /// Returns the gates that let something through.
    #[must_use]
    pub fn earned(&self) -> Self {
        let satisfied = self.0.iter().filter(|(_, record)| record.lets_through());
        Self(satisfied.map(|(gate, record)| (*gate, Arc::clone(record))).collect())
    }

    pub(crate) fn forget_repairs(&mut self) {
        for record in self.0.values_mut() {
            let record = Arc::make_mut(record);
            (record.repairs, record.session) = (0, None);
            // A review without a verdict has refused nothing: it is asked for again.
            if record.reason.starts_with(MISSING_MARKER) {
                record.status = GateStatus::Pending;
            }
            if record.status == GateStatus::Pending {
                (record.said, record.gap) = (None, ProductGap::None);
            }
        }
    }

    /// Records that no valid verdict came despite repairs.
    pub(crate) fn miss_verdict(&mut self, gate: Gate) {
        if let Some(record) = self.0.get_mut(&gate).map(Arc::make_mut) {
            record.status = GateStatus::Fail;
            record.reason = format!("{MISSING_MARKER}: {}", record.reason);
        }
    }

    /// Records that the result of this time came from this process.
    pub(crate) fn came_of(&mut self, gate: Gate, at: Time, process: GateProcess) {
        if let Some(record) = self.0.get_mut(&gate).filter(|record| record.at == at) {
            Arc::make_mut(record).process = Some(process);
        }
    }

    /// Forgets the reviewer's session: its turn failed, so it must not be resumed.
    pub(crate) fn forget_session(&mut self, gate: Gate) {
        if let Some(record) = self.0.get_mut(&gate) {
            Arc::make_mut(record).session = None;
        }
    }

    /// Returns the findings of a failed review, whatever it judged.
    pub fn findings(&self, gate: Gate) -> impl Iterator<Item = Digest> + use<> {
        let failed = self.get(gate).filter(|record| record.status == GateStatus::Fail);
        let [said, added] = failed.map_or([None, None], |record| [record.said, record.added]);
        said.into_iter().chain(added)
    }

    /// Returns excerpts for people of the reviews that did not pass.
    pub fn excerpts(&self) -> impl Iterator<Item = (Gate, &str)> {
        let is_open = |record: &&GateRecord| match record.status {
            GateStatus::Fail | GateStatus::Pending => !record.excerpt.is_empty(),
            GateStatus::Pass | GateStatus::Skipped => false,
        };
        let of_gate = move |(gate, record)| {
            Some(record).filter(is_open).map(|record| (gate, record.excerpt.as_str()))
        };
        self.iter().filter_map(of_gate)
    }

    pub fn iter(&self) -> impl Iterator<Item = (Gate, &GateRecord)> {
        self.0.iter().map(|(gate, record)| (*gate, record.as_ref()))
    }

    /// Returns the record of this gate if it judged exactly this subject.
    #[must_use]
    pub fn on(&self, gate: Gate, subject: &str) -> Option<&GateRecord> {
        self.get(gate).filter(|record| record.subject == subject)
    }

    /// True if this gate has let exactly this subject through.
    #[must_use]
    pub fn satisfied_on(&self, gate: Gate, subject: &str) -> bool {
        self.on(gate, subject).is_some_and(GateRecord::lets_through)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_an_earlier_version_stored_is_still_read() {
        let stored = r#"{"status":"pending","subject":"s","head":null,"reason":"r","command":null,
            "url":null,"at":5}"#;
        let record: GateRecord = serde_json::from_str(stored).unwrap();
        assert_eq!((record.repairs, record.session, record.said), (0, None, None));
        let answer = serde_json::from_str(r#"{"no_verdict":{"why":"w"}}"#);
        let why = "w".to_owned();
        assert_eq!(answer.ok(), Some(crate::fact::Answer::no_verdict(why)));
    }
}
