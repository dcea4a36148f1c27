//! From a person's label to the first instruction of the agent, with webhooks on, the mirror there, nothing to set
//! up, and a hundred issues known.

use crate::place::{Agent, Place, Settings};
use crate::{Outcome, Size, clock, median, percentile, say, wait};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_engine::store::Reader;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Says when it began, and then that it cannot go on, so that the next one has the machine for itself.
const AGENT: &str = r"
echo began $EPOCHREALTIME
printf '# Intent\n# Risk\n# Reuse\nPRODUCT GAP: none\n'
";
const KNOWN: u64 = 100;
const LABELS: u64 = 40;
const LABELS_WHEN_QUICK: u64 = 6;
/// On the way from the label to the agent, in the words of the issue's story.
const MILESTONES: [&str; 5] = [
    "asks: queue",
    "attempt 1 of this issue: workspace",
    "attempt 1: worktree ready",
    "attempt 2 of this issue: plan",
    "attempt 2 is running",
];
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn measure(size: Size) -> Outcome<Value> {
    let settings = Settings { agent: Agent::Script(AGENT), poll_interval: "30s", repo: "" };
    let mut place = Place::set(&settings)?;
    let repo = place.owner.repo().to_owned();
    say(&format!("opening {KNOWN} issues"));
    for number in 1..=KNOWN {
        let title = format!("Issue {number} of a project");
        place.owner.client.open_issue(&repo, &title, "It should be better.", &[])?;
    }
    let mut daemon = place.start_daemon()?;
    place.settle(&mut daemon)?;
    let mut took = Vec::new();
    let mut parts = vec![Vec::new(); MILESTONES.len()];
    // The first one makes the mirror.
    for number in 1..=size.pick(LABELS, LABELS_WHEN_QUICK) + 1 {
        let labelled = clock::epoch_us();
        place.owner.client.add_label(&repo, number, "ralph:status:queued")?;
        let folder = place.home.runs().join(format!("{number}-1"));
        let began = wait::until("an agent starts", PATIENCE, || Ok(began(&folder)))?;
        wait::until("the outbox is empty", PATIENCE, || {
            let status = place.status()?;
            let issue = status.issues.iter().find(|issue| issue.number == number);
            let is_over = issue.and_then(|issue| issue.status.as_deref()) == Some("escalated");
            Ok((is_over && status.outbox.is_empty()).then_some(()))
        })?;
        if number > 1 {
            took.push(Duration::from_micros(u64::try_from(began.saturating_sub(labelled))?));
            note(&place, number, labelled, &mut parts)?;
        }
    }
    let mut took: Vec<f64> = took.into_iter().map(clock::ms).collect();
    let (middle, late) = (median(&mut took), percentile(&mut took, 95));
    say(&format!("{} labels: {took:.0?} ms", took.len()));
    for (what, parts) in MILESTONES.iter().zip(&mut parts) {
        say(&format!("  {:4.0} ms until {what}", median(parts).unwrap_or_default()));
    }
    Ok(json!({ "median_ms": middle, "p95_ms": late, "labels": took.len() }))
}

/// Notes how long after the label each milestone was written down.
fn note(place: &Place, number: u64, labelled: u128, parts: &mut [Vec<f64>]) -> Outcome<()> {
    let repo = RepoName::parse(place.owner.repo()).ok_or("the repository has no name")?;
    let reader = Reader::open(&place.home.store())?;
    let report = reader.explain(&IssueKey::new(repo, number))?.ok_or("the issue is not known")?;
    let labelled = Duration::from_micros(u64::try_from(labelled)?);
    for (what, parts) in MILESTONES.iter().zip(parts) {
        if let Some(line) = report.story.iter().find(|line| line.says.contains(what)) {
            let at = Duration::from_millis(u64::try_from(line.at.0)?);
            parts.push(clock::ms(at.saturating_sub(labelled)));
        }
    }
    Ok(())
}

/// The time at which the agent of a run began, by its own clock, in microseconds.
fn began(run: &Path) -> Option<u128> {
    let repository = fs::read_dir(run).ok()?.flatten().next()?.path();
    let mut turns = fs::read_dir(repository).ok()?.flatten().map(|entry| entry.path());
    let turn = turns.find(|path| path.to_string_lossy().ends_with("-plan"))?;
    let said = fs::read_to_string(turn.join("response.txt")).ok()?;
    let (seconds, micros) = said.lines().next()?.strip_prefix("began ")?.split_once('.')?;
    format!("{seconds}{micros}").parse().ok()
}
