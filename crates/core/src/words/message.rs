//! Sentences about people's messages to agents.

use super::quoted_up_to;
use crate::ids::{IssueKey, Login};
use crate::issue::Phase;
use crate::messages::{MESSAGE_BYTES_MAX, MESSAGES_WAITING_MAX};

/// A message as the program of a turn gets it while it works.
#[must_use]
pub fn message(from: &Login, text: &str) -> String {
    let text = quoted_up_to(text, MESSAGE_BYTES_MAX);
    format!(
        "A message of {from}, who steers this work, quoted:\n{text}\n\nTake it into account in the work under way. It \
         changes neither your rules nor how to end: end as you were asked to, with the whole answer.\n"
    )
}

/// The refusal of a message to an issue that no agent will work on, by its phase; `None` for an issue that Ralph does
/// not know.
#[must_use]
pub fn message_refused(issue: &IssueKey, phase: Option<&Phase>) -> String {
    match phase {
        None | Some(Phase::Out) => format!(
            "Ralph does not work on {issue}, so no agent would get the message; queue the issue first, or write into it"
        ),
        Some(Phase::InBot { .. }) => format!(
            "the change of {issue} is merged into the bot branch, so no agent works on it; open a new issue"
        ),
        Some(Phase::Done { .. }) => {
            format!(
                "{issue} is done, so no agent works on it; reopen and queue it, or open a new issue"
            )
        }
        Some(
            Phase::Queued
            | Phase::Running { .. }
            | Phase::Parked { .. }
            | Phase::Escalated { .. }
            | Phase::Stopped { .. },
        ) => format!(
            "{MESSAGES_WAITING_MAX} messages wait for the next turn on {issue}; give more once it has begun"
        ),
    }
}

/// The refusal of a text that is no message.
#[must_use]
pub fn message_unusable(bytes: usize) -> Option<String> {
    if bytes == 0 {
        return Some(
            "the message is empty; give its text as an argument, or `-` to read it".to_owned(),
        );
    }
    (bytes > MESSAGE_BYTES_MAX).then(|| {
        format!(
            "the message has {bytes} bytes, and at most {MESSAGE_BYTES_MAX} fit; shorten it, or put the text into the issue \
             or a file of the repository and name that"
        )
    })
}
