//! Facts about an issue that the forge has and this store may lack: Ralph's comments, its pull request, and the
//! commands that were obeyed.

use super::Reading;
use super::issues::{self, Asked};
use crate::ports::{LabelEvent, LabelEvents, Read, Unread};
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{Branch, IssueKey, Login};
use ralph_core::label::{self, ManagedLabel, Status};
use ralph_core::recall::{Recalled, RecalledComment};
use ralph_core::time::Time;
use ralph_core::{hidden_marker, words};

pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (own, bot): (&Branch, &Login),
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let Some(issue) = forge.issue(key)?.filter(|issue| issue.key == *key) else {
        tell(reading, key, Observation::Gone);
        // There is nothing to recall, so the look-up is not repeated.
        tell(reading, key, Observation::Recalled(Box::default()));
        return Ok(());
    };
    let comments = forge.comments_since(key, Time::default())?;
    let own_comments = comments.into_iter().filter(|comment| comment.author == *bot);
    let comments = own_comments.filter_map(|comment| {
        let slot = words::slot_of(key, &hidden_marker::find(&comment.body)?)?;
        let (id, body, at) = (comment.id, Digest::of(&comment.body), comment.created);
        Some(RecalledComment { slot, id, body, at })
    });
    let comments = comments.collect();
    let pulls = forge.pulls_from(&key.repo, own)?;
    let pull = pulls.into_iter().find(|pull| pull.author == *bot).map(|pull| pull.number);
    let labels: Vec<_> = issue.labels.iter().map(AsRef::as_ref).collect();
    let heeded_up_to = match forge.label_events(key, 0)? {
        LabelEvents::List(events) => heeded(&events, &labels, bot),
        LabelEvents::Unavailable => 0,
    };
    if let Some(left_out) = forge.skipped().into_iter().next() {
        // An unreadable entry may be one of Ralph's.
        return Err(Unread::refused(left_out.why));
    }
    let status = label::adopted_status(labels.iter().copied());
    let found = Recalled { comments, pull, status, heeded_up_to };
    issues::show(reading, issue, (ours, now, forge)).or_unread()?;
    tell(reading, key, Observation::Recalled(Box::new(found)));
    Ok(())
}

fn tell(reading: &mut Reading, key: &IssueKey, seen: Observation) {
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
}

/// Returns the id of the last event that counts as obeyed: the one before the first command whose label is still on the
/// issue.
fn heeded(events: &[LabelEvent], labels: &[&str], bot: &Login) -> u64 {
    let asks = |event: &&LabelEvent| match label::parse(&event.label) {
        Some(ManagedLabel::Command(_)) => true,
        Some(ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued)) => {
            event.actor != *bot
        }
        Some(
            ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Priority(_),
        )
        | None => false,
    };
    let stands = |event: &&LabelEvent| {
        event.is_added && labels.iter().any(|label| label.eq_ignore_ascii_case(&event.label))
    };
    let last_of = |event: &&LabelEvent| {
        let same = |other: &&LabelEvent| other.label.eq_ignore_ascii_case(&event.label);
        events.iter().filter(same).map(|other| other.id).max() == Some(event.id)
    };
    let open = events.iter().filter(asks).filter(stands).filter(last_of).map(|event| event.id);
    let last = events.iter().map(|event| event.id).max().unwrap_or(0);
    open.min().map_or(last, |first| first.saturating_sub(1))
}
