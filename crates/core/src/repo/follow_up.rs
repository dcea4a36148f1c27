//! Follow-ups: issues that Ralph opens itself, one for each cause, for failures that were rerun instead of repaired and
//! for small fixes that a survey proposed.

use crate::hidden_marker::{self, HiddenMarker, MarkerKind};
use crate::ids::{PullNumber, Sha};
use crate::issue::UnreadableKey;
use crate::survey::{Proposal, ProposalKind};
use crate::time::Time;
use crate::triage::Triage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Follow-ups of one kind in one repository. None is ever forgotten, or it would be opened a second time; a repository
/// with this many does not need another.
pub const FOLLOW_UPS_MAX: usize = 300;
/// Occurrences listed in one issue, the latest ones; all of them are counted.
pub const OCCURRENCES_MAX: usize = 5;

/// The kind of a follow-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FollowUpKind {
    /// A failure that was rerun.
    Quarantine,
    /// A small fix that a survey proposed.
    Papercut,
}

impl FollowUpKind {
    const ALL: [Self; 2] = [Self::Quarantine, Self::Papercut];

    const fn name(self) -> &'static str {
        match self {
            Self::Quarantine => "quarantine",
            Self::Papercut => "papercut",
        }
    }

    const fn marker(self) -> MarkerKind {
        match self {
            Self::Quarantine => MarkerKind::Quarantine,
            Self::Papercut => MarkerKind::Papercut,
        }
    }
}

/// The identity of a follow-up, here and on the forge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct FollowUpId {
    pub kind: FollowUpKind,
    pub hash: String,
}

impl FollowUpId {
    #[must_use]
    pub fn quarantine(triage: &Triage) -> Self {
        Self { kind: FollowUpKind::Quarantine, hash: triage.signature.hash.clone() }
    }

    #[must_use]
    pub fn papercut(proposal: &Proposal) -> Self {
        Self { kind: FollowUpKind::Papercut, hash: proposal.hash() }
    }

    /// Returns the id in the text of an issue. The caller must also check the author.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let marker = hidden_marker::find(text)?;
        let kind = FollowUpKind::ALL.into_iter().find(|kind| kind.marker() == marker.kind)?;
        Some(Self { kind, hash: marker.id })
    }

    /// The marker by which the issue is found again.
    #[must_use]
    pub fn marker(&self) -> HiddenMarker {
        HiddenMarker::new(self.kind.marker(), &self.hash, None)
    }
}

impl fmt::Display for FollowUpId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.hash)
    }
}

impl From<FollowUpId> for String {
    fn from(id: FollowUpId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for FollowUpId {
    type Error = UnreadableKey;

    fn try_from(text: String) -> Result<Self, UnreadableKey> {
        let kind = |name: &str| FollowUpKind::ALL.into_iter().find(|kind| kind.name() == name);
        let parts = text.split_once(':').and_then(|(name, hash)| Some((kind(name)?, hash)));
        match parts {
            Some((kind, hash)) => Ok(Self { kind, hash: hash.to_owned() }),
            None => Err(UnreadableKey(text)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FollowUp {
    /// The issue, once it is open.
    pub issue: Option<u64>,
    /// The forge says that the issue no longer exists: Ralph writes nothing to it and opens no other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_gone: bool,
    /// The number of reruns of the failure.
    pub seen: u32,
    /// The number of occurrences that the issue lists.
    pub told: u32,
    /// The latest occurrences, newest last.
    pub occurrences: Vec<Occurrence>,
    /// The latest failure, until the issue lists it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<Box<Triage>>,
    /// The proposal, until the issue shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Box<Proposal>>,
    /// A proposal that Ralph takes up by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_mechanical: bool,
}

/// News that an issue does not show yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untold<'a> {
    RedCheck(&'a Triage),
    Proposal(&'a Proposal),
}

impl FollowUp {
    fn untold(&self) -> Option<Untold<'_>> {
        let red = self.latest.as_deref().map(Untold::RedCheck);
        red.or_else(|| self.proposal.as_deref().map(Untold::Proposal))
    }

    fn count(&mut self, occurrence: Occurrence) {
        self.seen = self.seen.saturating_add(1);
        self.occurrences.push(occurrence);
        let excess = self.occurrences.len().saturating_sub(OCCURRENCES_MAX);
        self.occurrences.drain(..excess);
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrence {
    pub issue: u64,
    pub pull: Option<PullNumber>,
    pub head: Sha,
    pub at: Time,
}

/// All follow-ups of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FollowUps(BTreeMap<FollowUpId, FollowUp>);

impl FollowUps {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn get(&self, id: &FollowUpId) -> Option<&FollowUp> {
        self.0.get(id)
    }

    /// Returns the follow-ups whose issues lack news.
    pub fn untold(&self) -> impl Iterator<Item = (&FollowUpId, &FollowUp, Untold<'_>)> {
        let alive = self.0.iter().filter(|(_, follow_up)| !follow_up.is_gone);
        alive.filter_map(|(id, follow_up)| Some((id, follow_up, follow_up.untold()?)))
    }

    /// True if Ralph opened this issue.
    #[must_use]
    pub(crate) fn has_issue(&self, number: u64) -> bool {
        self.0.values().any(|follow_up| follow_up.issue == Some(number))
    }

    /// Returns the issues of small fixes that Ralph takes up by itself.
    pub(crate) fn mechanical(&self) -> impl Iterator<Item = u64> {
        let small = self.0.values().filter(|follow_up| follow_up.is_mechanical);
        small.filter_map(|follow_up| follow_up.issue)
    }

    /// True if this is news. The same check of the same commit of an issue counts once, and a proposal once and for
    /// all.
    #[must_use]
    pub(crate) fn is_new(&self, id: &FollowUpId, of: &Occurrence) -> bool {
        let is_it = |known: &Occurrence| known.issue == of.issue && known.head == of.head;
        match self.0.get(id) {
            Some(_) if id.kind == FollowUpKind::Papercut => false,
            Some(follow_up) => !follow_up.occurrences.iter().any(is_it),
            None => self.0.keys().filter(|it| it.kind == id.kind).count() < FOLLOW_UPS_MAX,
        }
    }

    pub(crate) fn see(&mut self, id: FollowUpId, occurrence: Occurrence, triage: &Triage) {
        let follow_up = self.0.entry(id).or_default();
        follow_up.latest = Some(Box::new(triage.clone()));
        follow_up.count(occurrence);
    }

    pub(crate) fn hear(&mut self, id: FollowUpId, occurrence: Occurrence, proposal: &Proposal) {
        let follow_up = self.0.entry(id).or_default();
        follow_up.proposal = Some(Box::new(proposal.clone()));
        follow_up.is_mechanical = proposal.kind == ProposalKind::Mechanical;
        follow_up.count(occurrence);
    }

    /// Records that the issue was opened or edited, and lists this many occurrences.
    pub(crate) fn tell(&mut self, id: &FollowUpId, issue: u64, told: u32) {
        let Some(follow_up) = self.0.get_mut(id) else { return };
        follow_up.issue = Some(issue);
        follow_up.told = told;
        if follow_up.told >= follow_up.seen {
            (follow_up.latest, follow_up.proposal) = (None, None);
        }
    }

    pub(crate) fn lose(&mut self, id: &FollowUpId) {
        if let Some(follow_up) = self.0.get_mut(id) {
            follow_up.is_gone = true;
            (follow_up.latest, follow_up.proposal) = (None, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::triage::{RedCheck, triage};

    fn red(name: &str) -> Triage {
        triage(&RedCheck { name, conclusion: "failure", log: "Error: x" })
    }

    fn seen_in(follow_ups: &mut FollowUps, check: &str, issue: u64) {
        let red = red(check);
        let (pull, head) = (Some(PullNumber(issue + 50)), Sha::new("a"));
        let occurrence = Occurrence { issue, pull, head, at: Time(0) };
        let id = FollowUpId::quarantine(&red);
        if follow_ups.is_new(&id, &occurrence) {
            follow_ups.see(id, occurrence, &red);
        }
    }

    #[test]
    fn an_id_is_read_back_from_a_row_and_from_the_text_of_an_issue() {
        let id = FollowUpId { kind: FollowUpKind::Quarantine, hash: "0123abcd".to_owned() };
        assert_eq!(FollowUpId::try_from(id.to_string()).unwrap(), id);
        let marker = id.marker().render();
        assert_eq!(marker, "<!-- ralph-quarantine:id=0123abcd -->");
        assert_eq!(FollowUpId::of_text(&format!("{marker}\nText")), Some(id));
        assert_eq!(FollowUpId::of_text("<!-- ralph-cmd:id=1 -->\nText"), None);
        assert!(FollowUpId::try_from("dance:1".to_owned()).is_err());
    }

    #[test]
    fn a_commit_of_an_issue_counts_once_and_only_the_latest_are_kept() {
        let mut follow_ups = FollowUps::default();
        for issue in [1, 1, 2, 3, 4, 5, 6, 7, 7] {
            seen_in(&mut follow_ups, "ci", issue);
        }
        let (_, only, _) = follow_ups.untold().next().expect("one of them");
        let kept: Vec<_> = only.occurrences.iter().map(|it| it.issue).collect();
        assert_eq!((only.seen, kept), (7, vec![3, 4, 5, 6, 7]));
    }

    #[test]
    fn at_the_bound_nothing_new_comes_in_and_nothing_is_forgotten() {
        let mut follow_ups = FollowUps::default();
        for check in 0..FOLLOW_UPS_MAX + 5 {
            seen_in(&mut follow_ups, &format!("ci {check}"), 1);
        }
        assert_eq!(follow_ups.0.len(), FOLLOW_UPS_MAX);
        let proposal = FollowUpId { kind: FollowUpKind::Papercut, hash: "0a".to_owned() };
        let occurrence = Occurrence { issue: 1, pull: None, head: Sha::new("a"), at: Time(0) };
        assert!(follow_ups.is_new(&proposal, &occurrence), "each kind has a bound of its own");
        assert!(follow_ups.get(&FollowUpId::quarantine(&red("ci 0"))).is_some());
    }
}
