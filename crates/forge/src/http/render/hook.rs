//! Hooks and their deliveries. A secret is never shown.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{RenderContext, entries, object};
use crate::http::hooks::{ContentType, DeliveryOutcome, Hook, HookConfig, Sent};
use crate::http::moment::Moment;

pub(in crate::http) struct HookJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) hook: &'a Hook,
}

impl Serialize for HookJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, hook } = self;
        let (base, id) = (render.base, hook.id);
        let last = hook.deliveries.iter().rev().find_map(|sent| sent.outcome.as_ref());
        object!(serializer, {
            "type": "Repository",
            "id": id,
            "name": "web",
            "active": hook.active,
            "events": hook.events,
            "config": ConfigJson(&hook.config),
            "updated_at": Moment(hook.updated_at),
            "created_at": Moment(hook.created_at),
            "url": format_args!("{base}/repos/{repo}/hooks/{id}"),
            "test_url": format_args!("{base}/repos/{repo}/hooks/{id}/test"),
            "ping_url": format_args!("{base}/repos/{repo}/hooks/{id}/pings"),
            "deliveries_url": format_args!("{base}/repos/{repo}/hooks/{id}/deliveries"),
            "last_response": LastResponse(last),
        })
    }
}

struct ConfigJson<'a>(&'a HookConfig);

impl Serialize for ConfigJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entries!(map, {
            "content_type": match self.0.content_type {
                ContentType::Json => "json",
                ContentType::Form => "form",
            },
            "insecure_ssl": if self.0.insecure_ssl { "1" } else { "0" },
            "url": self.0.url,
        });
        if self.0.secret.is_some() {
            map.serialize_entry("secret", "********")?;
        }
        map.end()
    }
}

struct LastResponse<'a>(Option<&'a DeliveryOutcome>);

impl Serialize for LastResponse<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let code = self.0.and_then(|outcome| outcome.status);
        let status = match self.0 {
            None => "unused",
            Some(outcome) if is_good(outcome) => "active",
            Some(_bad) => "misconfigured",
        };
        object!(serializer, { "code": code, "status": status, "message": None::<&str> })
    }
}

fn is_good(outcome: &DeliveryOutcome) -> bool {
    outcome.status.is_some_and(|status| (200..300).contains(&status))
}

/// A delivery in a list.
pub(in crate::http) struct DeliveryItem<'a> {
    pub(in crate::http) sent: &'a Sent,
}

impl DeliveryItem<'_> {
    fn entries<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let sent = self.sent;
        let outcome = sent.outcome.as_ref();
        let seconds = outcome.map_or(0, |outcome| outcome.duration_ms);
        let status = match outcome {
            None => "pending",
            Some(outcome) if is_good(outcome) => "OK",
            Some(outcome) if outcome.status.is_none() => "failed to connect to host",
            Some(_bad) => "Invalid HTTP Response",
        };
        entries!(map, {
            "id": sent.id,
            "guid": sent.guid,
            "delivered_at": Moment(sent.at),
            "redelivery": sent.redelivery,
            "duration": f64::from(u32::try_from(seconds).unwrap_or(u32::MAX)) / 1000.0,
            "status": status,
            "status_code": outcome.and_then(|outcome| outcome.status).unwrap_or(0),
            "event": sent.event,
            "action": sent.action,
            "installation_id": None::<u64>,
            "repository_id": sent.repository_id,
            "throttled_at": None::<u64>,
        });
        Ok(())
    }
}

impl Serialize for DeliveryItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.entries(&mut map)?;
        map.end()
    }
}

/// A delivery on its own, with what was said both ways.
pub(in crate::http) struct DeliveryJson<'a> {
    pub(in crate::http) hook: &'a Hook,
    pub(in crate::http) sent: &'a Sent,
}

impl Serialize for DeliveryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        DeliveryItem { sent: self.sent }.entries(&mut map)?;
        entries!(map, {
            "url": self.hook.config.url,
            "request": RequestJson(self),
            "response": ResponseJson(self.sent.outcome.as_ref()),
        });
        map.end()
    }
}

struct RequestJson<'a>(&'a DeliveryJson<'a>);

impl Serialize for RequestJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let DeliveryJson { hook, sent } = self.0;
        let headers: std::collections::BTreeMap<&str, String> =
            hook.package(sent).headers.into_iter().collect();
        let payload: Option<Box<RawValue>> = serde_json::from_str(&sent.payload).ok();
        object!(serializer, { "headers": headers, "payload": payload })
    }
}

struct ResponseJson<'a>(Option<&'a DeliveryOutcome>);

impl Serialize for ResponseJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = self.0.and_then(|outcome| outcome.response_body.as_deref());
        object!(serializer, { "headers": None::<u8>, "payload": body })
    }
}
