//! Commands given by labels: the events that are certainly a person's, who sent them, and whether that person may.
//! Events under our own login that could be Ralph's are passed on unchanged, and the record of our own writes decides.

use super::Reading;
use super::issues::{self, Asked};
use crate::ports::{LabelEvent, LabelEvents, Read, Unread};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, TakenIn};
use ralph_core::label_book::{OwnEvent, command_of};
use std::collections::{BTreeMap, BTreeSet};

/// Reads the label events that were not taken in yet. If the forge refuses to look up an actor, the other events still
/// count; if it does not answer, this event and all later ones are read again, because the last one decides.
pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (known, bot): (&TakenIn, &Login),
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let up_to = known.seen_up_to;
    let events = match forge.label_events(key, up_to)? {
        LabelEvents::List(events) => events,
        LabelEvents::Unavailable => return labels_at_their_word(reading, key, (ours, now, forge)),
    };
    let (mut commands, mut own, mut unread) = (BTreeMap::new(), Vec::new(), None);
    let mut withdrawn = BTreeSet::new();
    for event in events.iter().filter(|event| !known.contains(event.id)) {
        let Some((command, via)) = command_of(&event.label) else { continue };
        let id = CommandId { at: event.at, id: event.id, is_local: false };
        let (actor, is_withdrawn) = (event.actor.clone(), was_withdrawn(event, &events, bot));
        if may_be_ours(event, via, bot) {
            let (label, is_added) = (event.label.clone(), event.is_added);
            own.push(OwnEvent { id, actor, label, is_added, is_withdrawn });
        } else if is_withdrawn {
            withdrawn.insert(event.id);
        } else if event.is_added {
            match forge.rights(&key.repo, &actor) {
                Ok(rights) => {
                    let (actor, is_allowed) = (Some(actor), rights.triage);
                    let given = PendingCommand::plain(command, actor, is_allowed, via);
                    commands.insert(id, given);
                }
                Err(why) => {
                    let is_refused = why.is_refused;
                    unread = unread.filter(|known: &Unread| known.is_refused).or(Some(why));
                    if !is_refused {
                        break;
                    }
                }
            }
        }
    }
    let is_partial = unread.is_some();
    let seen = Observation::Commands { up_to, commands, own, withdrawn, is_partial };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    unread.map_or(Ok(()), Err)
}

/// Ralph adds no command labels, so a command label added under its login comes from the operator.
fn may_be_ours(event: &LabelEvent, via: CommandVia, bot: &Login) -> bool {
    event.actor == *bot && (!event.is_added || via == CommandVia::QueuedLabel)
}

/// True if a person other than Ralph removed the label before it was handled.
fn was_withdrawn(event: &LabelEvent, events: &[LabelEvent], bot: &Login) -> bool {
    let mut later = events.iter().filter(|later| later.id > event.id);
    event.is_added
        && later.any(|later| {
            !later.is_added && later.actor != *bot && later.label.eq_ignore_ascii_case(&event.label)
        })
}

/// Handles a forge without label events for a readable issue: its current labels are all there is to know.
fn labels_at_their_word(
    reading: &mut Reading,
    key: &IssueKey,
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let observation = match forge.issue(key)? {
        Some(issue) => {
            issues::show(reading, issue, (ours, now, forge)).or_unread()?;
            Observation::EventsUnavailable
        }
        None => Observation::Gone,
    };
    reading.facts.push(Fact::of(key.clone(), What::Seen(observation)));
    Ok(())
}
