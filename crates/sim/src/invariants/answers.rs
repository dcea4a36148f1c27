//! Promises of the client: what it reports of a change is what the answer means, and what it shows is what
//! is on the forge.

use crate::errand::Fate;
use crate::town::{DEFAULT_BRANCH, Town, sha};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Observation, RepoObservation, Settled, What};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Seen;
use ralph_core::pull::{Pull, PullState};
use ralph_core::repo::Branches;
use ralph_engine::{Claimed, Performed, Reading};
use ralph_forge::{CommentCall, IssueCall, IssueState, PullCall, Reply};

impl Town {
    /// H1: the table "What an answer means", against what really became of the last request.
    pub(crate) fn judge_outcome(&mut self, claimed: &Claimed, performed: &Performed) {
        // Git is no request of the client's.
        if matches!(
            claimed.effect,
            Effect::Machine(..)
                | Effect::Repo(_, RepoAct::BuildTrial { .. } | RepoAct::PushTrial { .. })
        ) {
            return;
        }
        let fate = self.errand.fate;
        let is_true = match performed {
            // Found by looking, answered, or as it was to be already.
            Performed::Happened(_) => {
                matches!(fate, None | Some(Fate::Done | Fate::Garbled | Fate::Refused))
            }
            Performed::Refused(_) => matches!(fate, None | Some(Fate::Refused)),
            Performed::Absent => fate.is_none(),
            Performed::Later { .. } => {
                // The commit of a mark is made first, and nothing leads to it yet.
                let is_mark = matches!(claimed.effect, Effect::Repo(_, RepoAct::WriteMark { .. }));
                matches!(fate, None | Some(Fate::NotSent | Fate::TurnedAway))
                    || (is_mark && fate == Some(Fate::Done))
            }
            // "It exists already" has to be looked up.
            Performed::Unknown { .. } => {
                matches!(fate, Some(Fate::Unclear | Fate::Garbled | Fate::Refused))
            }
        };
        if !is_true {
            let key = &claimed.key;
            self.broken("H1", format!("{key} counts as {performed:?}, and really was {fate:?}"));
        }
    }

    /// C2: a comment that was written, or found to be written before.
    pub(crate) fn judge_own_comment(&mut self, performed: &Performed) {
        let Performed::Happened(facts) = performed else { return };
        for fact in facts {
            let What::Settled(Settled::CommentPosted { id, .. }) = &fact.what else { continue };
            let repo = fact.subject.repo().clone();
            let found = self.look(&repo, CommentCall::Get { id: id.0 });
            let Some(Reply::Comment(view)) = found else { continue };
            if view.comment.author != self.login {
                let (id, author) = (view.comment.id, &view.comment.author);
                self.broken("C2", format!("comment {id} by {author} counts as Ralph's"));
            }
        }
    }

    /// H2, for readings that no lagging replica had a part in.
    pub(crate) fn judge_shown(&mut self, reading: &Reading) {
        if self.errand.is_stale {
            return;
        }
        for fact in &reading.facts {
            let repo = fact.subject.repo();
            let is_true = match (&fact.what, fact.subject.issue()) {
                (
                    What::Seen(Observation::Issue(seen) | Observation::IssueInPart { seen, .. }),
                    Some(key),
                ) => self.is_issue(key, seen),
                (What::Seen(Observation::Pull(pull)), _)
                | (
                    What::RepoSeen(
                        RepoObservation::Rollup(pull)
                        | RepoObservation::Sync(pull)
                        | RepoObservation::Trial(pull),
                    ),
                    _,
                ) => self.is_pull(repo, pull),
                (What::RepoSeen(RepoObservation::Branches(seen)), _) => {
                    self.is_branches(repo, seen)
                }
                _other => true,
            };
            if !is_true {
                let (subject, what) = (&fact.subject, &fact.what);
                self.broken("H2", format!("{subject} is not as it was shown: {what:?}"));
            }
        }
    }

    fn is_issue(&mut self, key: &IssueKey, seen: &Seen) -> bool {
        let call = IssueCall::Get { number: key.number };
        let Some(Reply::Issue(view)) = self.look(&key.repo, call) else { return false };
        let is_labelled = view.labels.len() == seen.labels.len()
            && view.labels.iter().all(|label| seen.labels.contains(label.name.as_str()));
        let is_open = matches!(view.state, IssueState::Open { .. });
        is_labelled && is_open == seen.open && *view.title == *seen.title
    }

    fn is_pull(&mut self, repo: &RepoName, pull: &Pull) -> bool {
        // The answer to opening it stands for the first look at it.
        if pull.read_at < self.errand.began {
            return true;
        }
        let call = PullCall::Get { number: pull.number.0 };
        let Some(Reply::Pull(view)) = self.look(repo, call) else { return false };
        let summary = &view.summary;
        let state = match (&summary.merged, &summary.issue.state) {
            (Some(merged), _) => PullState::Merged { commit: sha(merged.commit) },
            (None, IssueState::Open { .. }) => PullState::Open,
            (None, IssueState::Closed { .. }) => PullState::Closed,
        };
        state == pull.state && sha(summary.head_sha) == pull.head
    }

    fn is_branches(&self, repo: &RepoName, seen: &Branches) -> bool {
        let head = |name: &str| self.forge().branch(repo.as_str(), name).map(sha);
        let bot = crate::town::BOT_BRANCH;
        head(DEFAULT_BRANCH).as_ref() == Some(&seen.default_head) && head(bot) == seen.bot_head
    }
}
