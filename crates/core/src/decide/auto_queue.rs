//! Queues unlabelled issues of a repository whose open issues are all to be worked on. An issue that people have ever
//! decided about is not queued again automatically, and one that Ralph opened itself is for people, unless a survey
//! proposed it as a small fix.

use super::Decision;
use crate::fact::{Move, Subject};
use crate::ids::IssueKey;
use crate::issue::Issue;
use crate::label::{self, ManagedLabel};
use crate::policy::{AutoQueue, Policy};
use crate::repo::Repo;
use crate::standing::Standing;

/// Decides for an issue that is not managed; `None` leaves it to its labels.
pub(super) fn decide(
    repo: &Repo,
    key: &IssueKey,
    issue: &Issue,
    policy: &Policy,
) -> Option<Decision> {
    let rules = policy.repo(&key.repo)?;
    let has_word = issue.labels().any(|name| match label::parse(name) {
        Some(
            ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Command(_),
        ) => true,
        Some(ManagedLabel::Priority(_)) | None => false,
    });
    if !issue.is_open() || has_word {
        return None;
    }
    let subject = Subject::Issue(key.clone());
    if let Some(own) = issue.seen.as_ref().filter(|seen| seen.is_by_ralph(&policy.bot)) {
        let known = own.follow_up.as_ref().and_then(|id| repo.follow_ups.get(id));
        let is_small_fix =
            known.is_some_and(|known| known.is_mechanical && known.issue == Some(key.number));
        return (is_small_fix && rules.survey)
            .then(|| Decision::moving(subject, Move::PapercutQueued));
    }
    match rules.auto_queue {
        AutoQueue::LabeledOnly => None,
        AutoQueue::AllOpen => Some(Decision::moving(subject, Move::AutoQueued)),
        AutoQueue::AllOpenDryRun => {
            let standing = Some(Standing::WouldQueue);
            Some(Decision { standing, ..Decision::nothing(subject) })
        }
    }
}
