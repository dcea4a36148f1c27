//! The daemon's numbers for operators. Counters count from the start of the daemon; the rest is how things
//! stand at the time of the request.

use super::Daemon;
use crate::daemon_status::DegradedKind;
use crate::metrics::Kind::{Counter, Gauge};
use crate::metrics::{Page, Sample};
use ralph_core::effect::OrderingKey;
use ralph_core::fact::Outcome;
use ralph_core::ids::IssueKey;
use ralph_core::label::Status;
use ralph_core::time::Time;
use ralph_core::turn_end::Usage;
use ralph_engine::ports::{Refusal, RefusalKind};
use ralph_engine::{Engine, Performed};
use std::collections::BTreeMap;

type Pairs = BTreeMap<(&'static str, &'static str), u64>;

/// Counts that only the daemon itself can keep.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) facts: u64,
    pub(super) hints: u64,
    reads: BTreeMap<&'static str, u64>,
    reloads: BTreeMap<&'static str, u64>,
    effects: Pairs,
    steps: Pairs,
    tokens: u64,
}

impl Counts {
    pub(super) fn read(&mut self, has_failed: bool) {
        *self.reads.entry(if has_failed { "failed" } else { "answered" }).or_default() += 1;
    }

    pub(super) fn reload(&mut self, is_good: bool) {
        *self.reloads.entry(if is_good { "taken" } else { "refused" }).or_default() += 1;
    }

    pub(super) fn performed(&mut self, key: &OrderingKey, performed: &Performed) {
        let outcome = match performed {
            Performed::Happened(_) => "happened",
            Performed::Refused(Refusal { kind: RefusalKind::NeverHappened, .. }) => "absent",
            Performed::Refused(_) => "refused",
            Performed::Later { .. } => "later",
            Performed::Unknown { .. } => "unknown",
        };
        *self.effects.entry((name(key), outcome)).or_default() += 1;
    }

    pub(super) fn finished(&mut self, engine: &Engine, issue: &IssueKey, outcome: &Outcome) {
        let (how, tokens) = match outcome {
            Outcome::WorkspaceReady { .. } | Outcome::CommandsPassed { .. } => ("passed", None),
            Outcome::Turn { usage, .. } => ("answered", usage.map(Usage::tokens)),
            Outcome::WorkspaceConflict { .. } => ("conflict", None),
            Outcome::CommandsFailed { .. } => ("failed", None),
            Outcome::TimedOut { .. } => ("timed_out", None),
            Outcome::Stalled { .. } => ("stalled", None),
            Outcome::WorkspaceLost { .. } => ("lost", None),
            Outcome::Failed { .. } | Outcome::AgentFailed { .. } => ("broke", None),
        };
        self.tokens += tokens.unwrap_or_default();
        let managed = engine.world().issue(issue).and_then(|issue| issue.managed.as_ref());
        if let Some(work) = managed.and_then(|managed| managed.work.as_ref()) {
            *self.steps.entry((work.step.name(), how)).or_default() += 1;
        }
    }
}

const fn name(key: &OrderingKey) -> &'static str {
    match key {
        OrderingKey::Forge(_) => "forge",
        OrderingKey::Labels(_) => "labels",
        OrderingKey::Git(_) => "git",
        OrderingKey::Process(_) => "process",
    }
}

/// Lanes as a label: which repository or issue it is would make too many of them.
const LANES: [&str; 4] = ["forge", "labels", "git", "process"];

impl Daemon {
    /// The whole page.
    pub(super) fn measure(&self, now: Time) -> String {
        let mut page = Page::default();
        self.measure_daemon(&mut page);
        self.measure_work(&mut page);
        self.measure_outbox(&mut page, now);
        self.measure_forge(&mut page);
        page.into_text()
    }

    fn measure_daemon(&self, page: &mut Page) {
        let build = Sample::count(1).with("version", env!("CARGO_PKG_VERSION"));
        page.family(Gauge, "ralph_build_info", "This program.", [build]);
        let started = Sample::of(seconds(self.status.started));
        page.family(Gauge, "ralph_start_time_seconds", "When the daemon was started.", [started]);
        let draining = Sample::count(self.engine.policy().draining.into());
        page.family(Gauge, "ralph_draining", "1: nothing new is started.", [draining]);
        let degraded = DegradedKind::ALL.map(|kind| {
            let found = self.status.degraded.iter().filter(|found| found.kind == kind).count();
            Sample::count(found as u64).with("kind", kind.name())
        });
        page.family(Gauge, "ralph_degraded", "Entries of `degraded` in the status.", degraded);
        let reloads = ["taken", "refused"].map(|result| {
            let count = self.counts.reloads.get(result).copied().unwrap_or_default();
            Sample::count(count).with("result", result)
        });
        page.family(Counter, "ralph_config_reloads_total", "Readings of the settings.", reloads);
        let lost = [Sample::count(self.log.losses().lines)];
        page.family(Counter, "ralph_log_lines_lost_total", "Lines that are in no log.", lost);
        let bugs = self.engine.faults().len() as u64 + u64::from(self.engine.restless_turns());
        let help = "Decisions that broke a rule of Ralph's own, or did not come to rest.";
        page.family(Counter, "ralph_bugs_total", help, [Sample::count(bugs)]);
    }

    fn measure_work(&self, page: &mut Page) {
        let mut issues: BTreeMap<_, u64> = Status::ALL.map(|status| (status, 0)).into();
        let keys = self.engine.standings().filter_map(|(subject, _)| subject.issue());
        for issue in keys.filter_map(|key| self.engine.world().issue(key)) {
            if let Some(status) = issue.managed.as_ref().and_then(|managed| managed.status()) {
                *issues.entry(status).or_default() += 1;
            }
        }
        let issues = issues.into_iter().map(|(status, count)| {
            let name = status.name();
            Sample::count(count).with("status", name.rsplit(':').next().unwrap_or(name))
        });
        page.family(Gauge, "ralph_issues", "Managed issues by status.", issues);
        let busy = [Sample::count(self.engine.world().busy().into())];
        page.family(Gauge, "ralph_workers_busy", "Processes of agents, setup and gates.", busy);
        let max = [Sample::count(self.engine.policy().max_workers.into())];
        page.family(Gauge, "ralph_workers_max", "How many there may be.", max);
        let steps = labelled(&self.counts.steps, "step");
        page.family(Counter, "ralph_steps_total", "Steps that ended.", steps);
        let tokens = [Sample::count(self.counts.tokens)];
        page.family(
            Counter,
            "ralph_agent_tokens_total",
            "Tokens that agents said they used.",
            tokens,
        );
        let facts = [Sample::count(self.counts.facts)];
        page.family(Counter, "ralph_facts_total", "Entries of the journal.", facts);
    }

    fn measure_outbox(&self, page: &mut Page, now: Time) {
        let mut lanes: BTreeMap<_, (u64, f64)> = LANES.map(|lane| (lane, (0, 0.0))).into();
        for row in self.engine.outbox() {
            let (rows, late) = lanes.entry(name(&row.effect.ordering_key())).or_default();
            *rows += 1;
            *late = late.max(seconds(Time(now.since(row.due).as_millis())));
        }
        let rows = lanes.iter().map(|(lane, (rows, _))| Sample::count(*rows).with("lane", lane));
        page.family(Gauge, "ralph_outbox_effects", "Effects that are not settled.", rows);
        let late = lanes.iter().map(|(lane, (_, late))| Sample::of(*late).with("lane", lane));
        let help = "Time that the most overdue of them has been due.";
        page.family(Gauge, "ralph_outbox_overdue_seconds", help, late);
        let effects = labelled(&self.counts.effects, "lane");
        page.family(Counter, "ralph_effects_total", "Effects by what became of them.", effects);
    }

    fn measure_forge(&self, page: &mut Page) {
        let budget = self.account.snapshot().primary;
        let of = |value: Option<f64>| value.map(Sample::of);
        let count = |value: Option<u64>| value.map(Sample::count);
        let remaining = count(budget.map(|budget| budget.remaining));
        let help = "Requests the forge still answers in this window.";
        page.family(Gauge, "ralph_forge_budget_remaining", help, remaining);
        let limit = count(budget.map(|budget| budget.limit));
        page.family(Gauge, "ralph_forge_budget_limit", "Requests of a whole window.", limit);
        let reset = of(budget.map(|budget| seconds(budget.reset)));
        let help = "When the window ends.";
        page.family(Gauge, "ralph_forge_budget_reset_timestamp_seconds", help, reset);
        let requests = self.requests.counts().into_iter().map(|((method, code), count)| {
            Sample::count(count).with("method", &method).with("code", &code)
        });
        let help = "Requests to the forge by status; 304 is not charged, none is no answer.";
        page.family(Counter, "ralph_forge_requests_total", help, requests);
        let reads = ["answered", "failed"].map(|outcome| {
            let count = self.counts.reads.get(outcome).copied().unwrap_or_default();
            Sample::count(count).with("outcome", outcome)
        });
        page.family(Counter, "ralph_reads_total", "Questions to the forge.", reads);
        let hints = [Sample::count(self.counts.hints)];
        page.family(Counter, "ralph_webhook_hints_total", "Changes that webhooks reported.", hints);
    }
}

fn labelled(pairs: &Pairs, label: &'static str) -> impl Iterator<Item = Sample> {
    pairs.iter().map(move |((of, outcome), count)| {
        Sample::count(*count).with(label, of).with("outcome", outcome)
    })
}

#[expect(clippy::cast_precision_loss, reason = "milliseconds of centuries fit")]
fn seconds(at: Time) -> f64 {
    at.0 as f64 / 1_000.0
}
