//! What the forge refuses in a repository, and when it is asked for again. Rights, rules and people's minds
//! change, so nothing is refused for ever.

use super::FollowUpId;
use crate::ids::{Branch, PullNumber, Sha};
use crate::issue::UnreadableKey;
use crate::time::{Span, Time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Pause after the first refusal, doubled for each one that follows.
const RETRY_FIRST: Span = Span::from_secs(60);
/// Longest pause: a right that was given meanwhile is noticed within the hour, and sixteen labels that may not
/// be defined still cost next to nothing.
const RETRY_MAX: Span = Span::from_mins(60);
/// What was not asked for again so long after its time came is not wanted any more, and forgotten.
const FORGOTTEN_AFTER: Span = Span::from_mins(24 * 60);

/// What is wanted of the forge for a repository, whatever its content is by then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum RepoWish {
    Label(String),
    Branch(Branch),
    /// That a branch requires checks.
    Protection(Branch),
    /// The rollup of a batch.
    Rollup(u32),
    /// The text of an open rollup.
    RollupText(PullNumber),
    /// The pull request that brings this head of the default branch into the bot branch.
    Sync(Sha),
    SyncMerge(PullNumber),
    /// To tell a person that a sync pull request does not go on by itself.
    SyncTold(PullNumber),
    /// That a branch is not there any more.
    BranchGone(Branch),
    /// A trial of several changes together, whichever.
    Trials,
    /// One of them.
    Trial(u32),
    /// That the pull request of a trial is not open any more.
    TrialClosed(PullNumber),
    /// An issue of Ralph's own.
    FollowUp(FollowUpId),
    /// The text of one that is there.
    FollowUpText(FollowUpId),
    /// The mark that this Ralph works here.
    Mark,
}

/// How often something was refused in a row, and until when it is not asked for again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub times: u32,
    pub until: Time,
    pub why: String,
}

impl Refusal {
    /// One more refusal after those before it: each doubles the pause.
    #[must_use]
    pub fn after(before: Option<&Self>, now: Time, why: &str) -> Self {
        let times = before.map_or(0, |refusal| refusal.times);
        let until = now.plus(RETRY_FIRST.doubled(times, RETRY_MAX));
        Self { times: times.saturating_add(1), until, why: why.to_owned() }
    }
}

/// Every wish whose last answer was a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Refusals(BTreeMap<RepoWish, Refusal>);

impl Refusals {
    #[must_use]
    pub fn of(&self, wish: &RepoWish) -> Option<&Refusal> {
        self.0.get(wish)
    }

    /// Until when this is not asked for.
    #[must_use]
    pub fn hold(&self, wish: &RepoWish, now: Time) -> Option<Time> {
        self.0.get(wish).map(|refusal| refusal.until).filter(|until| *until > now)
    }

    pub(crate) fn note(&mut self, now: Time, wish: &RepoWish, why: &str) {
        self.0.retain(|_, refusal| refusal.until.plus(FORGOTTEN_AFTER) > now);
        let refusal = Refusal::after(self.0.get(wish), now, why);
        self.0.insert(wish.clone(), refusal);
    }

    /// It was granted, or is not needed any more.
    pub(crate) fn forget(&mut self, wish: &RepoWish) {
        self.0.remove(wish);
    }

    /// Keeps refusals of those labels only that are still not as they should be.
    pub(crate) fn forget_labels_but(&mut self, is_wrong: impl Fn(&str) -> bool) {
        self.0.retain(|wish, _| match wish {
            RepoWish::Label(name) => is_wrong(name),
            RepoWish::Branch(_)
            | RepoWish::Protection(_)
            | RepoWish::Rollup(_)
            | RepoWish::RollupText(_)
            | RepoWish::Sync(_)
            | RepoWish::SyncMerge(_)
            | RepoWish::SyncTold(_)
            | RepoWish::BranchGone(_)
            | RepoWish::Trials
            | RepoWish::Trial(_)
            | RepoWish::TrialClosed(_)
            | RepoWish::FollowUp(_)
            | RepoWish::FollowUpText(_)
            | RepoWish::Mark => true,
        });
    }
}

/// As it stands in the key of its effect.
impl fmt::Display for RepoWish {
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

impl RepoWish {
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

impl From<RepoWish> for String {
    fn from(wish: RepoWish) -> Self {
        wish.to_string()
    }
}

impl TryFrom<String> for RepoWish {
    type Error = UnreadableKey;

    fn try_from(text: String) -> Result<Self, UnreadableKey> {
        // The first version wrote the name of the repository before it.
        let behind_name = || text.split_once(':').and_then(|(_, wish)| Self::parse(wish));
        Self::parse(&text).or_else(behind_name).ok_or(UnreadableKey(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes() -> [RepoWish; 15] {
        let follow_up = FollowUpId::try_from("quarantine:0a".to_owned()).unwrap();
        [
            RepoWish::Label("ralph:status:done".to_owned()),
            RepoWish::Branch(Branch::new("bot/integration")),
            RepoWish::Protection(Branch::new("main")),
            RepoWish::Rollup(3),
            RepoWish::RollupText(PullNumber(7)),
            RepoWish::Sync(Sha::new("abc")),
            RepoWish::SyncMerge(PullNumber(8)),
            RepoWish::SyncTold(PullNumber(8)),
            RepoWish::BranchGone(Branch::new("ralph/sync-1")),
            RepoWish::Trials,
            RepoWish::Trial(4),
            RepoWish::TrialClosed(PullNumber(9)),
            RepoWish::FollowUp(follow_up.clone()),
            RepoWish::FollowUpText(follow_up),
            RepoWish::Mark,
        ]
    }

    #[test]
    fn a_wish_is_read_back_also_as_the_first_version_wrote_it() {
        for wish in wishes() {
            for stored in [wish.to_string(), format!("acme/app:{wish}")] {
                let text = serde_json::to_string(&stored).unwrap();
                assert_eq!(serde_json::from_str::<RepoWish>(&text).unwrap(), wish, "{stored}");
            }
        }
        assert!(RepoWish::try_from("acme/app:dance:3".to_owned()).is_err());
    }

    #[test]
    fn each_refusal_doubles_the_pause_up_to_an_hour_and_none_lasts_for_ever() {
        let (mut refusals, wish, mut now) = (Refusals::default(), RepoWish::Rollup(0), Time(0));
        let mut pauses = Vec::new();
        for _ in 0..9 {
            refusals.note(now, &wish, "no");
            let until = refusals.hold(&wish, now).unwrap();
            pauses.push(until.since(now).0 / 60_000);
            assert_eq!(refusals.hold(&wish, until), None, "asked again when its time has come");
            now = until;
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
        refusals.forget(&wish);
        assert_eq!(refusals, Refusals::default());
    }

    #[test]
    fn what_is_not_asked_for_again_is_forgotten_after_a_day() {
        let mut refusals = Refusals::default();
        refusals.note(Time(0), &RepoWish::Rollup(0), "no");
        refusals.note(Time(0).plus(FORGOTTEN_AFTER.plus(RETRY_FIRST)), &RepoWish::Rollup(1), "no");
        let known = [0, 1].map(|batch| refusals.of(&RepoWish::Rollup(batch)).is_some());
        assert_eq!(known, [false, true]);
    }
}
