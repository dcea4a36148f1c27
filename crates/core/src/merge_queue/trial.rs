//! A trial build: ready changes merged one onto the other on a separate branch, tested there by one run of the checks,
//! and then merged one after the other in the same order.

use super::planner::Ended;
use crate::ids::{Branch, IssueKey, PullNumber, Sha};
use crate::issue::Issue;
use crate::pull::{Pull, PullState};
use crate::time::Time;
use serde::{Deserialize, Serialize};

/// The prefix of the names of all trial branches.
const BRANCHES: &str = "ralph/trial/";

#[must_use]
pub fn trial_branch(number: u32) -> Branch {
    Branch::new(&format!("{BRANCHES}{number}"))
}

#[must_use]
pub fn is_trial_branch(branch: &Branch) -> bool {
    branch.as_str().starts_with(BRANCHES)
}

/// A change as the planner knows it. It stays the same as long as its difference to the base does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub issue: u64,
    pub diff: String,
}

impl Member {
    /// The change that an issue's run has ready.
    pub(crate) fn of(key: &IssueKey, issue: &Issue) -> Option<Self> {
        let run = issue.managed.as_ref()?.run.as_ref()?;
        Some(Self { issue: key.number, diff: run.head.as_ref()?.diff.clone() })
    }
}

/// A change in a trial build, with the head that is tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub issue: u64,
    pub diff: String,
    pub pull: PullNumber,
    pub head: Sha,
}

impl Entry {
    #[must_use]
    pub fn member(&self) -> Member {
        Member { issue: self.issue, diff: self.diff.clone() }
    }
}

/// A trial build under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredTrial")]
pub struct Trial {
    pub number: u32,
    /// The head of the bot branch that it is built on.
    pub base: Sha,
    /// The changes, in the order in which they are tested and merged.
    pub entries: Vec<Entry>,
    /// The tree after each entry.
    pub trees: Vec<String>,
    /// The last commit, on which the checks run.
    pub commit: Sha,
    pub stage: TrialStage,
    /// The merges so far, in the order of the entries.
    pub merged: Vec<MergedEntry>,
}

/// The progress of a trial build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialStage {
    /// Built on this machine.
    Built,
    /// Its branch is on the forge.
    Pushed,
    /// Its pull request is open, and its checks run.
    Open(TrialPull),
    /// Its checks passed at this time, so its entries are merged one after the other.
    Green { pull: TrialPull, at: Time },
}

/// A trial build as stored in rows. Rows of the first format have flags in place of the stage.
#[derive(Deserialize)]
struct StoredTrial {
    number: u32,
    base: Sha,
    #[serde(alias = "cars")]
    entries: Vec<Entry>,
    trees: Vec<String>,
    commit: Sha,
    stage: Option<TrialStage>,
    #[serde(default)]
    is_pushed: bool,
    open: Option<TrialPull>,
    green_at: Option<Time>,
    merged: Vec<MergedEntry>,
}

impl From<StoredTrial> for Trial {
    fn from(row: StoredTrial) -> Self {
        let by_flags = match (row.open, row.green_at) {
            (Some(pull), Some(at)) => TrialStage::Green { pull, at },
            (Some(pull), None) => TrialStage::Open(pull),
            (None, _) if row.is_pushed => TrialStage::Pushed,
            (None, _) => TrialStage::Built,
        };
        let StoredTrial { number, base, entries, trees, commit, stage, merged, .. } = row;
        Self { number, base, entries, trees, commit, stage: stage.unwrap_or(by_flags), merged }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialPull {
    pub number: PullNumber,
    pub opened: Time,
    /// The pull request as last read, with its checks.
    pub seen: Option<Pull>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergedEntry {
    pub commit: Sha,
    /// The tree after the merge, once read.
    pub tree: Option<String>,
}

/// The reason why a trial build ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialEnd {
    /// All of its entries are merged, as they were tested.
    Merged,
    ChecksFailed(Vec<String>),
    ChecksLate(Vec<String>),
    /// No check is required of it now, so there is nothing to wait for.
    NothingRequired,
    /// The bot branch is no longer at the commit that the trial build expects.
    BaseMoved,
    /// Another change still holds the merge slot.
    Overtaken,
    /// This issue was stopped, changed, or taken elsewhere.
    MemberLeft(u64),
    /// The merge of this issue's change gave another tree than the tested one.
    TreeDiffers(u64),
    /// Its entries were not merged in time.
    Stuck,
    Closed,
    /// A person merged the trial build itself, unchanged.
    MergedByHand,
    /// A person changed its head or its base.
    Changed,
    Refused(String),
}

impl TrialEnd {
    pub(super) const fn how(&self) -> Ended {
        match self {
            Self::Merged => Ended::Green,
            Self::ChecksFailed(_) => Ended::Red,
            Self::ChecksLate(_)
            | Self::NothingRequired
            | Self::BaseMoved
            | Self::Overtaken
            | Self::MemberLeft(_)
            | Self::TreeDiffers(_)
            | Self::Stuck
            | Self::Closed
            | Self::MergedByHand
            | Self::Changed
            | Self::Refused(_) => Ended::Void,
        }
    }
}

/// The trial build that ended last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastTrial {
    pub number: u32,
    pub end: TrialEnd,
    pub at: Time,
}

impl Trial {
    #[must_use]
    pub fn branch(&self) -> Branch {
        trial_branch(self.number)
    }

    /// Its pull request, once it is open.
    #[must_use]
    pub const fn pull(&self) -> Option<&TrialPull> {
        match &self.stage {
            TrialStage::Built | TrialStage::Pushed => None,
            TrialStage::Open(pull) | TrialStage::Green { pull, .. } => Some(pull),
        }
    }

    pub(super) const fn pull_mut(&mut self) -> Option<&mut TrialPull> {
        match &mut self.stage {
            TrialStage::Built | TrialStage::Pushed => None,
            TrialStage::Open(pull) | TrialStage::Green { pull, .. } => Some(pull),
        }
    }

    /// The commit at which the bot branch is expected now.
    #[must_use]
    pub fn expected(&self) -> &Sha {
        self.merged.last().map_or(&self.base, |merged| &merged.commit)
    }

    /// The commit by which a person merged it.
    pub(super) fn merge_commit(&self) -> Option<&Sha> {
        match &self.pull()?.seen.as_ref()?.state {
            PullState::Merged { commit } => Some(commit),
            PullState::Open | PullState::Closed => None,
        }
    }

    /// The entries that are not merged yet.
    #[must_use]
    pub fn waiting(&self) -> &[Entry] {
        self.entries.get(self.merged.len()..).unwrap_or_default()
    }

    /// The first entry whose merge did not give the tested tree.
    #[must_use]
    pub fn mismatch(&self) -> Option<&Entry> {
        let places = self.entries.iter().zip(&self.trees).zip(&self.merged);
        let differs =
            |tried: &String, seen: &Option<String>| seen.as_ref().is_some_and(|seen| seen != tried);
        let mut wrong = places.filter(|((_, tried), merged)| differs(tried, &merged.tree));
        wrong.next().map(|((entry, _), _)| entry)
    }

    /// The first merge whose tree is not known yet.
    #[must_use]
    pub fn unread(&self) -> Option<&Sha> {
        self.merged.iter().find(|merged| merged.tree.is_none()).map(|merged| &merged.commit)
    }
}

#[cfg(test)]
mod tests {
    use super::{Trial, TrialStage};

    #[test]
    fn a_row_of_the_first_format_is_read_by_its_flags() {
        let row = |flags: &str| {
            let rest = r#""number":3,"base":"b","cars":[],"trees":[],"commit":"c","merged":[]"#;
            let row = format!("{{{rest},{flags}}}");
            serde_json::from_str::<Trial>(&row).unwrap().stage
        };
        let open = r#"{"number":9,"opened":5,"seen":null}"#;
        assert_eq!(row(r#""is_pushed":false,"open":null,"green_at":null"#), TrialStage::Built);
        assert_eq!(row(r#""is_pushed":true,"open":null,"green_at":null"#), TrialStage::Pushed);
        let open_row = row(&format!(r#""is_pushed":true,"open":{open},"green_at":null"#));
        assert!(matches!(open_row, TrialStage::Open(_)), "{open_row:?}");
        let green = row(&format!(r#""is_pushed":true,"open":{open},"green_at":7"#));
        assert!(matches!(green, TrialStage::Green { .. }), "{green:?}");
        let new = serde_json::to_string(&green).unwrap();
        assert_eq!(serde_json::from_str::<TrialStage>(&new).unwrap(), green);
    }
}
