//! Settings that hold for everything, and how long things are kept.

use super::words::{ADDRESS, LOGIN, LOOPBACK_ADDRESS, list};
use crate::config::Config;
use crate::config::kind::{Bytes, Count, Length, Maybe};
use crate::config::setting::{Section, Setting};
use ralph_core::time::Span;

pub(in crate::config) static TOP: Section<Config> = Section {
    heading: "",
    says: "Settings that hold for everything stand above the first table.",
    settings: &[
        &Setting::new(
            "max_workers",
            Count { min: 1, max: 256 },
            |config: &mut Config| &mut config.max_workers,
            "Agent, setup and gate processes that run at once, over all repositories.",
        ),
        &Setting::new(
            "poll_interval",
            Length { min: Span::from_secs(1), max: Span::from_mins(24 * 60) },
            |config: &mut Config| &mut config.poll_interval,
            "Time between two reads of the same thing when no webhook reports a change.",
        ),
        &Setting::new(
            "operator",
            Maybe(LOGIN),
            |config: &mut Config| &mut config.operator,
            "The person mentioned when one is needed; the repository's owner if not set. An \
             organisation cannot be notified, so its repositories need this.",
        ),
        &Setting::new(
            "allowed_owners",
            Maybe(list(LOGIN)),
            |config: &mut Config| &mut config.allowed_owners,
            "Owners whose repositories may be configured at all; a `[[repos]]` of another \
             owner is an error. Not set: every configured repository is allowed.",
        ),
        &Setting::new(
            "claims_max",
            Maybe(Count { min: 1, max: 10_000 }),
            |config: &mut Config| &mut config.claims_max,
            "Issues of one repository claimed at once, those that merely wait for CI \
             included; four times its `concurrency_slots` if not set.",
        ),
        &Setting::new(
            "disk_free_min",
            Bytes { min: 0 },
            |config: &mut Config| &mut config.disk_free_min,
            "Room that has to be left on the disk of the home folder. Below it nothing new starts, \
             and `ralph status` says so.",
        ),
        &Setting::new(
            "webhook_listen",
            Maybe(ADDRESS),
            |config: &mut Config| &mut config.webhook_listen,
            "Where to listen for webhooks. Not set: Ralph polls only.",
        )
        .at_restart(),
        &Setting::new(
            "dashboard_listen",
            Maybe(LOOPBACK_ADDRESS),
            |config: &mut Config| &mut config.dashboard_listen,
            "Where to serve the dashboard. Not set: there is none. Understood, but not \
             acted on by this version.",
        ),
        &Setting::new(
            "metrics_listen",
            Maybe(LOOPBACK_ADDRESS),
            |config: &mut Config| &mut config.metrics_listen,
            "Where to serve numbers for Prometheus, at `/metrics`. Not set: nowhere.",
        )
        .at_restart(),
    ],
    tables: &[
        "forge",
        "agent",
        "roles",
        "accounts",
        "throttle",
        "budget",
        "prices",
        "prompts",
        "retention",
        "sandbox",
        "repos",
    ],
    inherits: None,
};

/// The time that each kind of thing is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    pub runs: Span,
    pub logs: Span,
    pub facts: Span,
}

impl Default for Retention {
    fn default() -> Self {
        let days = |days: i64| Span::from_mins(days * 24 * 60);
        Self { runs: days(30), logs: days(14), facts: days(90) }
    }
}

const KEPT: Length =
    Length { min: Span::from_mins(24 * 60), max: Span::from_mins(3_650 * 24 * 60) };

pub(in crate::config) static RETENTION: Section<Retention> = Section {
    heading: "[retention]",
    says: "How long things that work no longer needs are kept.",
    settings: &[
        &Setting::new(
            "runs",
            KEPT,
            |kept: &mut Retention| &mut kept.runs,
            "Transcripts, prompts and artifacts of finished runs.",
        ),
        &Setting::new("logs", KEPT, |kept: &mut Retention| &mut kept.logs, "Ralph's own logs."),
        &Setting::new(
            "facts",
            KEPT,
            |kept: &mut Retention| &mut kept.facts,
            "The journal behind `ralph explain` and earlier runs. What is in force never \
             depends on it.",
        ),
    ],
    tables: &[],
    inherits: None,
};
