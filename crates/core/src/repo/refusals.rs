//! Refusals: desired effects that the forge refuses in a repository, and the time of the next try. Rights, rules and
//! people's minds change, so no refusal is final.

use super::FollowUpId;
use crate::ids::{Branch, PullNumber, Sha};
use crate::issue::UnreadableKey;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Pause after the first refusal, doubled for each one that follows.
const RETRY_FIRST: Span = Span::from_secs(60);
/// Longest pause: a right that was granted meanwhile is noticed within the hour, and sixteen labels that may not be
/// defined still cost next to nothing.
const RETRY_MAX: Span = Span::from_mins(60);
/// A refusal without another try this long after its time is forgotten: the effect is no longer desired.
const FORGOTTEN_AFTER: Span = Span::from_mins(24 * 60);

/// A desired effect on a repository, without its content.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum DesiredEffect {
    Label(String),
    Branch(Branch),
    /// A branch that requires checks.
    Protection(Branch),
    /// The rollup with this number.
    Rollup(u32),
    /// The text of an open rollup.
    RollupText(PullNumber),
    /// The pull request that brings this head of the default branch into the bot branch.
    Sync(Sha),
    SyncMerge(PullNumber),
    /// A comment for a person that a sync pull request does not proceed by itself.
    SyncTold(PullNumber),
    /// A branch that is deleted.
    BranchGone(Branch),
    /// Trial builds, of any changes.
    Trials,
    /// One trial build.
    Trial(u32),
    /// A closed pull request of a trial build.
    TrialClosed(PullNumber),
    /// A follow-up issue.
    FollowUp(FollowUpId),
    /// The text of an open follow-up issue.
    FollowUpText(FollowUpId),
    /// The mark that this Ralph works here.
    Mark,
}

/// The refusals of one effect in a row, and the time until which it is not tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub times: u32,
    pub until: Time,
    pub why: String,
}

impl Refusal {
    /// Adds a refusal to those before it: each doubles the pause.
    #[must_use]
    pub fn after(before: Option<&Self>, now: Time, why: &str) -> Self {
        let times = before.map_or(0, |refusal| refusal.times);
        let until = now.plus(RETRY_FIRST.doubled(times, RETRY_MAX));
        Self { times: times.saturating_add(1), until, why: why.to_owned() }
    }
}

/// Every desired effect whose last answer was a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Refusals(BTreeMap<DesiredEffect, Refusal>);

impl Refusals {
    #[must_use]
    pub fn of(&self, desired: &DesiredEffect) -> Option<&Refusal> {
        self.0.get(desired)
    }

    /// The time until which this is not tried.
    #[must_use]
    pub fn hold(&self, desired: &DesiredEffect, now: Time) -> Option<Time> {
        self.0.get(desired).map(|refusal| refusal.until).filter(|until| *until > now)
    }

    pub(crate) fn note(&mut self, now: Time, desired: &DesiredEffect, why: &str) {
        self.0.retain(|_, refusal| refusal.until.plus(FORGOTTEN_AFTER) > now);
        let refusal = Refusal::after(self.0.get(desired), now, why);
        self.0.insert(desired.clone(), refusal);
    }

    /// Forgets an effect that was granted or is no longer needed.
    pub(crate) fn forget(&mut self, desired: &DesiredEffect) {
        self.0.remove(desired);
    }

    /// Keeps only refusals of labels that still differ.
    pub(crate) fn forget_labels_but(&mut self, is_wrong: impl Fn(&str) -> bool) {
        self.0.retain(|desired, _| match desired {
            DesiredEffect::Label(name) => is_wrong(name),
            DesiredEffect::Branch(_)
            | DesiredEffect::Protection(_)
            | DesiredEffect::Rollup(_)
            | DesiredEffect::RollupText(_)
            | DesiredEffect::Sync(_)
            | DesiredEffect::SyncMerge(_)
            | DesiredEffect::SyncTold(_)
            | DesiredEffect::BranchGone(_)
            | DesiredEffect::Trials
            | DesiredEffect::Trial(_)
            | DesiredEffect::TrialClosed(_)
            | DesiredEffect::FollowUp(_)
            | DesiredEffect::FollowUpText(_)
            | DesiredEffect::Mark => true,
        });
    }
}

/// The text in the key of its effect.
impl fmt::Display for DesiredEffect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Label(name) => write!(f, "define:{name}"),
            Self::Branch(branch) => write!(f, "branch:{branch}"),
            Self::Protection(branch) => write!(f, "protect:{branch}"),
            Self::Rollup(batch) => write!(f, "rollup:{batch}"),
            Self::RollupText(pull) => write!(f, "rollup-edit:{pull}"),
            Self::Sync(of) => write!(f, "sync:{of}"),
            Self::SyncMerge(pull) => write!(f, "sync-merge:{pull}"),
            Self::SyncTold(pull) => write!(f, "sync-told:{pull}"),
            Self::BranchGone(branch) => write!(f, "rmbranch:{branch}"),
            Self::Trials => f.write_str("trials:"),
            Self::Trial(number) => write!(f, "trial:{number}"),
            Self::TrialClosed(pull) => write!(f, "trial-close:{pull}"),
            Self::FollowUp(id) => write!(f, "follow-up:{id}"),
            Self::FollowUpText(id) => write!(f, "follow-up-edit:{id}"),
            Self::Mark => f.write_str("mark:"),
        }
    }
}

impl DesiredEffect {
    fn parse(text: &str) -> Option<Self> {
        let (kind, of) = text.split_once(':')?;
        let pull = || of.strip_prefix('#')?.parse().ok().map(PullNumber);
        let follow_up = || FollowUpId::try_from(of.to_owned()).ok();
        match kind {
            "define" => Some(Self::Label(of.to_owned())),
            "branch" => Some(Self::Branch(Branch::new(of))),
            "protect" => Some(Self::Protection(Branch::new(of))),
            "rollup" => of.parse().ok().map(Self::Rollup),
            "rollup-edit" => pull().map(Self::RollupText),
            "sync" => Some(Self::Sync(Sha::new(of))),
            "sync-merge" => pull().map(Self::SyncMerge),
            "sync-told" => pull().map(Self::SyncTold),
            "rmbranch" => Some(Self::BranchGone(Branch::new(of))),
            "trials" => Some(Self::Trials),
            "trial" => of.parse().ok().map(Self::Trial),
            "trial-close" => pull().map(Self::TrialClosed),
            "follow-up" => follow_up().map(Self::FollowUp),
            "follow-up-edit" => follow_up().map(Self::FollowUpText),
            "mark" => Some(Self::Mark),
            _unknown => None,
        }
    }
}

impl From<DesiredEffect> for String {
    fn from(desired: DesiredEffect) -> Self {
        desired.to_string()
    }
}

impl TryFrom<String> for DesiredEffect {
    type Error = UnreadableKey;

    fn try_from(text: String) -> Result<Self, UnreadableKey> {
        // The first version wrote the name of the repository before it.
        let behind_name = || text.split_once(':').and_then(|(_, desired)| Self::parse(desired));
        Self::parse(&text).or_else(behind_name).ok_or(UnreadableKey(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desired_effects() -> [DesiredEffect; 15] {
        let follow_up = FollowUpId::try_from("quarantine:0a".to_owned()).unwrap();
        [
            DesiredEffect::Label("ralph:status:done".to_owned()),
            DesiredEffect::Branch(Branch::new("bot/integration")),
            DesiredEffect::Protection(Branch::new("main")),
            DesiredEffect::Rollup(3),
            DesiredEffect::RollupText(PullNumber(7)),
            DesiredEffect::Sync(Sha::new("abc")),
            DesiredEffect::SyncMerge(PullNumber(8)),
            DesiredEffect::SyncTold(PullNumber(8)),
            DesiredEffect::BranchGone(Branch::new("ralph/sync-1")),
            DesiredEffect::Trials,
            DesiredEffect::Trial(4),
            DesiredEffect::TrialClosed(PullNumber(9)),
            DesiredEffect::FollowUp(follow_up.clone()),
            DesiredEffect::FollowUpText(follow_up),
            DesiredEffect::Mark,
        ]
    }

    #[test]
    fn a_desired_effect_is_read_back_also_as_the_first_version_wrote_it() {
        for desired in desired_effects() {
            for stored in [desired.to_string(), format!("acme/app:{desired}")] {
                let text = serde_json::to_string(&stored).unwrap();
                assert_eq!(
                    serde_json::from_str::<DesiredEffect>(&text).unwrap(),
                    desired,
                    "{stored}"
                );
            }
        }
        assert!(DesiredEffect::try_from("acme/app:dance:3".to_owned()).is_err());
    }

    #[test]
    fn each_refusal_doubles_the_pause_up_to_an_hour_and_none_lasts_for_ever() {
        let (mut refusals, desired, mut now) =
            (Refusals::default(), DesiredEffect::Rollup(0), Time(0));
        let mut pauses = Vec::new();
        for _ in 0..9 {
            refusals.note(now, &desired, "no");
            let until = refusals.hold(&desired, now).unwrap();
            pauses.push(until.since(now).0 / 60_000);
            assert_eq!(refusals.hold(&desired, until), None, "asked again when its time has come");
            now = until;
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        refusals.forget(&desired);
        assert_eq!(refusals, Refusals::default());
    }

    #[test]
    fn what_is_not_asked_for_again_is_forgotten_after_a_day() {
        let mut refusals = Refusals::default();
        refusals.note(Time(0), &DesiredEffect::Rollup(0), "no");
        refusals.note(
            Time(0).plus(FORGOTTEN_AFTER.plus(RETRY_FIRST)),
            &DesiredEffect::Rollup(1),
            "no",
        );
        let known = [0, 1].map(|batch| refusals.of(&DesiredEffect::Rollup(batch)).is_some());
        assert_eq!(known, [false, true]);
    }
}
