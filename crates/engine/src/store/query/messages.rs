//! The messages of people to the agents of an issue, and where each was delivered.

use super::Reader;
use crate::local_command::Order;
use crate::store::StoreError;
use crate::store::inbox::posted;
use ralph_core::ids::IssueKey;
use ralph_core::messages::{Delivery, Given, KeptMessage, Way};
use ralph_core::time::Time;
use serde::Serialize;

/// A message and its delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageReport {
    pub id: String,
    pub from: String,
    pub at: Time,
    pub text: String,
    /// `inbox`: no daemon has taken it yet; `waiting`: for the next turn; `given`: a turn under way has it; `accepted`: that
    /// turn ended with an answer.
    pub state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivered: Option<DeliveryReport>,
}

/// The time and the place of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeliveryReport {
    pub at: Time,
    pub run: String,
    pub attempt: u32,
    pub step: &'static str,
    /// `prompt`: at the beginning of the turn; `same-turn`: while the agent worked.
    pub way: &'static str,
}

impl Reader {
    /// The messages of an issue in the order of arrival; `None` if it is not in the store.
    pub fn messages(&self, key: &IssueKey) -> Result<Option<Vec<MessageReport>>, StoreError> {
        let Some(issue) = self.issue(key)? else { return Ok(None) };
        let mut reports = Vec::new();
        for kept in issue.managed.iter().flat_map(|managed| &managed.messages.kept) {
            let text = self.text(kept.message.text)?.unwrap_or_default();
            reports.push(report(kept, text));
        }
        for posted in posted(&self.connection)? {
            let Order::Tell { issue, text } = posted.command.order else { continue };
            if issue == *key {
                let from = posted.command.actor.to_string();
                let id = format!("tell-{}", posted.id);
                let (at, state, delivered) = (posted.at, "inbox", None);
                reports.push(MessageReport { id, from, at, text, state, delivered });
            }
        }
        Ok(Some(reports))
    }
}

fn report(kept: &KeptMessage, text: String) -> MessageReport {
    let (state, given) = match &kept.delivery {
        Delivery::Waiting => ("waiting", None),
        Delivery::Given(given) => ("given", Some(given)),
        Delivery::Accepted(given) => ("accepted", Some(given)),
    };
    let message = &kept.message;
    MessageReport {
        id: message.id.to_string(),
        from: message.from.to_string(),
        at: message.at,
        text,
        state,
        delivered: given.map(delivered),
    }
}

fn delivered(given: &Given) -> DeliveryReport {
    DeliveryReport {
        at: given.at,
        run: given.run.to_string(),
        attempt: given.attempt.0,
        step: given.step.name(),
        way: match given.way {
            Way::Prompt => "prompt",
            Way::SameTurn => "same-turn",
        },
    }
}
