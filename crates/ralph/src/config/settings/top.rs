//! What holds for everything, and how long things are kept.

use super::words::{ADDRESS, LOGIN, LOOPBACK_ADDRESS, list};
use crate::config::kind::{Count, Length, List, Maybe, Word};
use crate::config::setting::{Section, Setting};
use ralph_core::ids::Login;
use ralph_core::time::Span;
use std::net::SocketAddr;

pub(in crate::config) static TOP: Section = Section {
    heading: "",
    says: "Settings that hold for everything stand above the first table.",
    settings: &[
        &MAX_WORKERS,
        &POLL_INTERVAL,
        &OPERATOR,
        &ALLOWED_OWNERS,
        &CLAIMS_MAX,
        &WEBHOOK_LISTEN,
        &DASHBOARD_LISTEN,
        &METRICS_LISTEN,
    ],
    tables: &["forge", "agent", "roles", "retention", "sandbox", "repos"],
};

pub(in crate::config) static MAX_WORKERS: Setting<Count> = Setting {
    name: "max_workers",
    kind: Count { min: 1, max: 256 },
    default: || 6,
    says: "Agent, setup and gate processes that run at once, over all repositories.",
};

pub(in crate::config) static POLL_INTERVAL: Setting<Length> = Setting {
    name: "poll_interval",
    kind: Length { min: Span::from_secs(1), max: Span::from_mins(24 * 60) },
    default: || Span::from_secs(30),
    says: "Time between two reads of the same thing when no webhook tells of a change.",
};

pub(in crate::config) static OPERATOR: Setting<Maybe<Word<Login>>> = Setting {
    name: "operator",
    kind: Maybe(LOGIN),
    default: || None,
    says: "Who is mentioned when a person is needed; the repository's owner if not set. An organisation \
           cannot be notified, so its repositories need this.",
};

pub(in crate::config) static ALLOWED_OWNERS: Setting<Maybe<List<Word<Login>>>> = Setting {
    name: "allowed_owners",
    kind: Maybe(list(LOGIN)),
    default: || None,
    says: "Owners whose repositories may be configured at all; a `[[repos]]` of anybody else is an error. \
           Not set: every configured repository is allowed.",
};

pub(in crate::config) static CLAIMS_MAX: Setting<Maybe<Count>> = Setting {
    name: "claims_max",
    kind: Maybe(Count { min: 1, max: 10_000 }),
    default: || None,
    says: "Issues of one repository claimed at once, those that merely wait for CI included; four times its \
           `concurrency_slots` if not set.",
};

pub(in crate::config) static WEBHOOK_LISTEN: Setting<Maybe<Word<SocketAddr>>> = Setting {
    name: "webhook_listen",
    kind: Maybe(ADDRESS),
    default: || None,
    says: "Where to listen for webhooks. Not set: Ralph polls only.",
};

pub(in crate::config) static DASHBOARD_LISTEN: Setting<Maybe<Word<SocketAddr>>> = Setting {
    name: "dashboard_listen",
    kind: Maybe(LOOPBACK_ADDRESS),
    default: || None,
    says: "Where to serve the dashboard. Not set: there is none. Understood, but not acted on by this version.",
};

pub(in crate::config) static METRICS_LISTEN: Setting<Maybe<Word<SocketAddr>>> = Setting {
    name: "metrics_listen",
    kind: Maybe(LOOPBACK_ADDRESS),
    default: || None,
    says: "Where to serve numbers for Prometheus, at `/metrics`. Not set: nowhere.",
};

pub(in crate::config) static RETENTION: Section = Section {
    heading: "[retention]",
    says: "How long what is no longer needed for work is kept.",
    settings: &[&RUNS, &LOGS, &FACTS],
    tables: &[],
};

const KEPT: Length =
    Length { min: Span::from_mins(24 * 60), max: Span::from_mins(3_650 * 24 * 60) };

pub(in crate::config) static RUNS: Setting<Length> = Setting {
    name: "runs",
    kind: KEPT,
    default: || Span::from_mins(30 * 24 * 60),
    says: "Transcripts, prompts and artifacts of finished runs.",
};

pub(in crate::config) static LOGS: Setting<Length> = Setting {
    name: "logs",
    kind: KEPT,
    default: || Span::from_mins(14 * 24 * 60),
    says: "Ralph's own logs.",
};

pub(in crate::config) static FACTS: Setting<Length> = Setting {
    name: "facts",
    kind: KEPT,
    default: || Span::from_mins(90 * 24 * 60),
    says: "The journal behind `ralph explain` and earlier runs. What is in force never depends on it.",
};
