//! Issues that nobody labelled, in a repository whose open issues are all to be worked on. An issue that people
//! ever had a word about is theirs: it is not queued again by itself, and one that Ralph opened itself is for people.

use super::Decision;
use crate::fact::{Move, Subject};
use crate::ids::IssueKey;
use crate::issue::Issue;
use crate::label::{self, ManagedLabel};
use crate::policy::{AutoQueue, Policy};
use crate::standing::Standing;

/// Decides for an issue that is not managed; `None`: it is left to its labels.
pub(super) fn decide(key: &IssueKey, issue: &Issue, policy: &Policy) -> Option<Decision> {
    let rule = policy.repo(&key.repo)?.auto_queue;
    let has_word = issue.labels().any(|name| match label::parse(name) {
        Some(
            ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Command(_),
        ) => true,
        Some(ManagedLabel::Priority(_)) | None => false,
    });
    let is_own = issue.seen.as_ref().is_some_and(|seen| seen.is_by_ralph(&policy.bot));
    if !issue.is_open() || has_word || is_own {
        return None;
    }
    let subject = Subject::Issue(key.clone());
    match rule {
        AutoQueue::LabeledOnly => None,
        AutoQueue::AllOpen => Some(Decision::moving(subject, Move::AutoQueued)),
        AutoQueue::AllOpenDryRun => {
            let standing = Some(Standing::WouldQueue);
            Some(Decision { standing, ..Decision::nothing(subject) })
        }
    }
}
