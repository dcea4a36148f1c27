//! Comments that may answer an escalation.

use super::Reading;
use crate::ports::{Forge, ForgeComment, Read};
use ralph_core::command::Command;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandVia, Managed, PendingCommand, Phase, Slot};
use ralph_core::time::{Span, Time};
use ralph_core::{hidden_marker, resolution};

/// The forge compares the beginning of the list with its own clock, and ours may be ahead of it by minutes.
/// Which comments are new their ids tell; this only keeps the list short.
const SINCE_OVERLAP: Span = Span::from_mins(30);

/// An answer to an escalation is a comment newer than the escalation's own: after which id to look, and from
/// which time on.
pub(super) fn awaited(managed: &Managed) -> Option<(u64, Time)> {
    let Phase::Escalated { episode, .. } = managed.phase else { return None };
    let posted = managed.comments.get(&Slot::Escalation { episode })?;
    Some((posted.id?.0.max(managed.commands.comments_up_to), posted.at.minus(SINCE_OVERLAP)))
}

/// The first comment that resolves the escalation and is by somebody with write access counts.
pub(super) fn read(
    reading: &mut Reading,
    key: &IssueKey,
    (after, since): (u64, Time),
    bot: &Login,
    forge: &mut dyn Forge,
) -> Read<()> {
    let all = forge.comments_since(key, since)?;
    for comment in all.into_iter().filter(|comment| is_answer(comment, after, bot)) {
        if forge.rights(&key.repo, &comment.author)?.push {
            let id = CommandId { at: comment.created, id: comment.id.0, is_local: false };
            let command = PendingCommand {
                command: Command::Queue,
                actor: Some(comment.author),
                is_allowed: true,
                via: CommandVia::Comment,
            };
            let seen = Observation::Command { id, command };
            reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
            break;
        }
    }
    Ok(())
}

/// New, in a person's own words, and as it was first written.
fn is_answer(comment: &ForgeComment, after: u64, bot: &Login) -> bool {
    let is_ralphs = comment.author == *bot && hidden_marker::find(&comment.body).is_some();
    let is_edited = comment.updated > comment.created;
    comment.id.0 > after && !is_ralphs && !is_edited && resolution::resolves(&comment.body)
}
