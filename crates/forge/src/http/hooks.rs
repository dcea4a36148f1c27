//! Webhooks: who wants to hear of what, and what was sent to them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::auth::hex;
use super::payload::Notice;

/// Deliveries kept per hook, to be looked at and sent again. GitHub keeps three days.
const KEPT_MAX: usize = 1000;

/// All hooks of all repositories.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Hooks {
    hooks: BTreeMap<u64, Hook>,
    last_hook: u64,
    last_delivery: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Hook {
    pub(super) id: u64,
    /// `owner/name` in lower case.
    pub(super) repo: String,
    pub(super) config: HookConfig,
    /// Names of events, or `*`.
    pub(super) events: BTreeSet<String>,
    pub(super) active: bool,
    /// Unix seconds.
    pub(super) created_at: u64,
    pub(super) updated_at: u64,
    pub(super) deliveries: VecDeque<Sent>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct HookConfig {
    pub(super) url: String,
    pub(super) content_type: ContentType,
    pub(super) secret: Option<String>,
    pub(super) insecure_ssl: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ContentType {
    Json,
    Form,
}

/// Something that was sent, or is on its way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sent {
    pub(super) id: u64,
    /// Shared by a delivery and its repetitions.
    pub(super) guid: String,
    pub(super) event: String,
    pub(super) action: Option<String>,
    pub(super) repository_id: u64,
    pub(super) redelivery: bool,
    /// Unix seconds.
    pub(super) at: u64,
    /// JSON.
    pub(super) payload: String,
    pub(super) outcome: Option<DeliveryOutcome>,
}

/// A webhook on its way: to be posted as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub hook_id: u64,
    /// With `hook_id` what `Site::delivered` wants.
    pub id: u64,
    pub url: String,
    /// Spelt as GitHub shows them; receivers ignore the case.
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// The outcome of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryOutcome {
    /// None without an answer.
    pub status: Option<u16>,
    pub duration_ms: u64,
    pub response_body: Option<String>,
}

impl Hooks {
    pub(super) fn add(&mut self, new: impl FnOnce(u64) -> Hook) -> &Hook {
        self.last_hook += 1;
        let id = self.last_hook;
        self.hooks.entry(id).or_insert_with(|| new(id))
    }

    pub(super) fn of<'a>(&'a self, repo: &'a str) -> impl Iterator<Item = &'a Hook> {
        self.hooks.values().filter(move |hook| hook.repo == repo)
    }

    pub(super) fn get(&self, repo: &str, id: u64) -> Option<&Hook> {
        self.hooks.get(&id).filter(|hook| hook.repo == repo)
    }

    pub(super) fn get_mut(&mut self, repo: &str, id: u64) -> Option<&mut Hook> {
        self.hooks.get_mut(&id).filter(|hook| hook.repo == repo)
    }

    pub(super) fn remove(&mut self, id: u64) {
        self.hooks.remove(&id);
    }

    /// The active hooks of a repository that want to hear of an event.
    pub(super) fn listeners(&self, repo: &str, event: &str) -> Vec<u64> {
        let wants = |hook: &&Hook| {
            hook.active && (hook.events.contains("*") || hook.events.contains(event))
        };
        self.of(repo).filter(wants).map(|hook| hook.id).collect()
    }

    /// Puts a notice on its way to one hook.
    pub(super) fn dispatch(&mut self, hook: u64, notice: &Notice) -> Option<Delivery> {
        let id = self.next_delivery();
        let sent = Sent {
            id,
            guid: guid(id),
            event: notice.event.to_owned(),
            action: notice.action.map(str::to_owned),
            repository_id: notice.repository_id,
            redelivery: false,
            at: notice.at,
            payload: notice.payload.clone(),
            outcome: None,
        };
        self.hooks.get_mut(&hook).map(|hook| hook.send(sent))
    }

    /// Sends again what was sent, under the same guid.
    pub(super) fn repeat(&mut self, hook: u64, delivery: u64, now: u64) -> Option<Delivery> {
        let id = self.next_delivery();
        let hook = self.hooks.get_mut(&hook)?;
        let sent = hook.sent(delivery)?.clone();
        Some(hook.send(Sent { id, redelivery: true, at: now, outcome: None, ..sent }))
    }

    pub(super) fn record(&mut self, hook: u64, delivery: u64, outcome: DeliveryOutcome) {
        let deliveries = self.hooks.get_mut(&hook).map(|hook| &mut hook.deliveries);
        let found = deliveries.and_then(|sent| sent.iter_mut().find(|sent| sent.id == delivery));
        if let Some(sent) = found {
            sent.outcome = Some(outcome);
        }
    }

    fn next_delivery(&mut self) -> u64 {
        self.last_delivery += 1;
        self.last_delivery
    }
}

impl Hook {
    pub(super) fn sent(&self, delivery: u64) -> Option<&Sent> {
        self.deliveries.iter().find(|sent| sent.id == delivery)
    }

    fn send(&mut self, sent: Sent) -> Delivery {
        let delivery = self.package(&sent);
        if self.deliveries.len() >= KEPT_MAX {
            self.deliveries.pop_front();
        }
        self.deliveries.push_back(sent);
        delivery
    }

    /// Returns a delivery as it goes over the wire.
    pub(super) fn package(&self, sent: &Sent) -> Delivery {
        let (content_type, body) = match self.config.content_type {
            ContentType::Json => ("application/json", sent.payload.clone()),
            ContentType::Form => {
                let encoded = utf8_percent_encode(&sent.payload, NON_ALPHANUMERIC);
                ("application/x-www-form-urlencoded", format!("payload={encoded}"))
            }
        };
        let mut headers = vec![
            ("User-Agent", "GitHub-Hookshot/forge".to_owned()),
            ("Accept", "*/*".to_owned()),
            ("content-type", content_type.to_owned()),
            ("X-GitHub-Event", sent.event.clone()),
            ("X-GitHub-Delivery", sent.guid.clone()),
            ("X-GitHub-Hook-ID", self.id.to_string()),
            ("X-GitHub-Hook-Installation-Target-Type", "repository".to_owned()),
            ("X-GitHub-Hook-Installation-Target-ID", sent.repository_id.to_string()),
        ];
        if let Some(signature) = self.config.secret.as_ref().and_then(|key| sign(key, &body)) {
            headers.push(("X-Hub-Signature-256", signature));
        }
        let (url, body) = (self.config.url.clone(), body.into_bytes());
        Delivery { hook_id: self.id, id: sent.id, url, headers, body }
    }
}

/// `sha256=` and the HMAC of the body; an empty secret signs nothing.
fn sign(secret: &str, body: &str) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(body.as_bytes());
    Some(format!("sha256={}", hex(&mac.finalize().into_bytes())))
}

/// Looks like the random one of GitHub, but follows from the number.
fn guid(delivery: u64) -> String {
    let digest = hex(&Sha256::digest(delivery.to_le_bytes()));
    let part = |from: usize, to: usize| digest.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_the_one_that_github_documents() {
        let signature = sign("It's a Secret to Everybody", "Hello, World!").expect("a signature");
        let known = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert_eq!(signature, known);
    }

    #[test]
    fn a_guid_has_the_shape_of_one_and_differs() {
        assert_eq!(guid(1).split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_ne!(guid(1), guid(2));
    }
}
