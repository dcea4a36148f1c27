//! Promises of the client: what it reports of a change is what the answer means, and what it shows is what
//! is on the forge.

use crate::forge::ForgeSide;
use crate::machine::Machine;
use crate::machine::task::RequestEnd;
use crate::oracle::Oracle;
use crate::world::{DEFAULT_BRANCH, sha};
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Observation, RepoObservation, Settled, What};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Seen;
use ralph_core::pull::{Pull, PullState};
use ralph_core::repo::Branches;
use ralph_core::watch::Resource;
use ralph_engine::ports::{Refusal, RefusalKind};
use ralph_engine::{Engine, Leased, Performed, Reading};
use ralph_forge::{GetComment, GetIssue, GetPull, IssueState};

impl Oracle {
    /// H1: the table "What an answer means", against what really became of the last request.
    pub(crate) fn judge_outcome(
        &mut self,
        machine: &Machine,
        leased: &Leased,
        performed: &Performed,
    ) {
        // Git is no request of the client's.
        if matches!(
            leased.effect,
            Effect::Machine(..)
                | Effect::Repo(_, RepoAct::BuildTrial { .. } | RepoAct::PushTrial { .. })
        ) {
            return;
        }
        let end = machine.task.end;
        let is_true = match performed {
            // Found by looking, answered, or as it was to be already.
            Performed::Happened(_) => {
                matches!(
                    end,
                    None | Some(RequestEnd::Done | RequestEnd::Garbled | RequestEnd::Refused)
                )
            }
            Performed::Refused(Refusal { kind: RefusalKind::NeverHappened, .. }) => end.is_none(),
            Performed::Refused(_) => matches!(end, None | Some(RequestEnd::Refused)),
            Performed::Later { .. } => {
                // The commit of a mark is made first, and nothing leads to it yet.
                let is_mark = matches!(leased.effect, Effect::Repo(_, RepoAct::WriteMark { .. }));
                matches!(end, None | Some(RequestEnd::NotSent | RequestEnd::TurnedAway))
                    || (is_mark && end == Some(RequestEnd::Done))
            }
            // "It exists already" has to be looked up.
            Performed::Unknown { .. } => {
                let is_refused_look = leased.looks_first && end.is_none();
                is_refused_look
                    || matches!(
                        end,
                        Some(RequestEnd::Unclear | RequestEnd::Garbled | RequestEnd::Refused)
                    )
            }
        };
        if !is_true {
            let key = &leased.key;
            self.broken("H1", format!("{key} counts as {performed:?}, and really was {end:?}"));
        }
    }

    /// C2: a comment that was written, or found to be written before.
    pub(crate) fn judge_own_comment(&mut self, forge: &mut ForgeSide, performed: &Performed) {
        let Performed::Happened(facts) = performed else { return };
        for fact in facts {
            let What::Settled(Settled::CommentPosted { id, .. }) = &fact.what else { continue };
            let repo = fact.subject.repo().clone();
            let found = forge.look(&repo, GetComment { id: id.0 });
            let Some(view) = found else { continue };
            if view.comment.author != forge.login {
                let (id, author) = (view.comment.id, &view.comment.author);
                self.broken("C2", format!("comment {id} by {author} counts as Ralph's"));
            }
        }
    }

    /// H2, for readings that no lagging replica had a part in.
    pub(crate) fn judge_shown(
        &mut self,
        forge: &mut ForgeSide,
        machine: &Machine,
        reading: &Reading,
    ) {
        if machine.task.is_stale {
            return;
        }
        for fact in &reading.facts {
            let repo = fact.subject.repo();
            let is_true = match (&fact.what, fact.subject.issue()) {
                (
                    What::Seen(Observation::Issue(seen) | Observation::IssueInPart { seen, .. }),
                    Some(key),
                ) => forge.is_issue(key, seen),
                (What::Seen(Observation::Pull(pull)), _)
                | (
                    What::RepoSeen(
                        RepoObservation::Rollup(pull)
                        | RepoObservation::Sync(pull)
                        | RepoObservation::Trial(pull),
                    ),
                    _,
                ) => forge.is_pull(machine, repo, pull),
                (What::RepoSeen(RepoObservation::Branches(seen)), _) => {
                    forge.is_branches(repo, seen)
                }
                _other => true,
            };
            if !is_true {
                let (subject, what) = (&fact.subject, &fact.what);
                self.broken("H2", format!("{subject} is not as it was shown: {what:?}"));
            }
        }
    }

    /// W2: a refused read is visible as soon as its answer is there. Elsewhere than in the configured repositories it means
    /// that there is no such issue.
    pub(crate) fn judge_visible(&mut self, engine: &Engine, resource: &Resource, path: &str) {
        let is_ours = engine.policy().repos.contains_key(resource.repo());
        let is_shown = engine.unread().any(|unread| unread.resource == *resource);
        if is_ours && engine.wants(resource) && !is_shown {
            let what = ralph_core::words::resource_name(resource);
            self.broken("W2", format!("{what}: GET {path} is refused, and no status shows it"));
        }
    }
}

impl ForgeSide {
    fn is_issue(&mut self, key: &IssueKey, seen: &Seen) -> bool {
        let call = GetIssue { number: key.number };
        let Some(view) = self.look(&key.repo, call) else { return false };
        let is_labelled = view.labels.len() == seen.labels.len()
            && view.labels.iter().all(|label| seen.labels.contains(label.name.as_str()));
        let is_open = matches!(view.state, IssueState::Open { .. });
        is_labelled && is_open == seen.open && *view.title == *seen.title
    }

    fn is_pull(&mut self, machine: &Machine, repo: &RepoName, pull: &Pull) -> bool {
        // The answer to opening it stands for the first look at it.
        if pull.read_at < machine.task.began {
            return true;
        }
        let call = GetPull { number: pull.number.0 };
        let Some(view) = self.look(repo, call) else { return false };
        let summary = &view.summary;
        let state = match (&summary.merged, &summary.issue.state) {
            (Some(merged), _) => PullState::Merged { commit: sha(merged.commit) },
            (None, IssueState::Open { .. }) => PullState::Open,
            (None, IssueState::Closed { .. }) => PullState::Closed,
        };
        state == pull.state && sha(summary.head_sha) == pull.head
    }

    fn is_branches(&self, repo: &RepoName, seen: &Branches) -> bool {
        let head = |name: &str| self.model().branch(repo.as_str(), name).map(sha);
        let bot = crate::world::BOT_BRANCH;
        head(DEFAULT_BRANCH).as_ref() == Some(&seen.default_head) && head(bot) == seen.bot_head
    }
}
