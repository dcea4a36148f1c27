//! Stores that an earlier version wrote in the middle of simulated runs, with issues in every phase, lane and queue
//! state. Each opens, loses nothing and continues.

use flate2::read::GzDecoder;
use ralph_core::ids::{IssueKey, Login};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::time::{Span, Time};
use ralph_engine::store::{Reader, Store, Takeover};
use ralph_engine::{Engine, Performed};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Stops a test in which a step never ends and is leased for ever.
const EFFECTS_MAX: usize = 500;

fn stores() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/stores");
    let mut stores: Vec<_> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    stores.sort();
    stores
}

fn unpacked(packed: &Path, folder: &Path) -> PathBuf {
    let path = folder.join("state.sqlite");
    let mut store = GzDecoder::new(File::open(packed).unwrap());
    std::io::copy(&mut store, &mut File::create(&path).unwrap()).unwrap();
    path
}

/// The name of a stored value's variant, such as `running`.
fn variant(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        Value::Object(of) => of.keys().next().cloned().unwrap_or_default(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            panic!("{value} is no variant")
        }
    }
}

/// The phase of every managed issue, as stored in its row.
fn phases(store: &Store) -> BTreeMap<IssueKey, String> {
    let rows = store.issue_texts().unwrap().into_iter();
    let phase = |(key, text): (IssueKey, String)| {
        let row: Value = serde_json::from_str(&text).unwrap();
        Some((key, variant(row.get("managed")?.get("phase")?)))
    };
    rows.filter_map(phase).collect()
}

/// Settings for working on the simulator's repositories.
fn policy(store: &Store) -> Policy {
    let rules = RepoPolicy { preflight: Some(vec!["true".to_owned()]), ..RepoPolicy::default() };
    let repos = store.repos().unwrap().into_iter().map(|(name, _)| (name, rules.clone()));
    Policy {
        max_workers: 6,
        poll_interval: Span::from_secs(30),
        read_lag: Span::from_secs(60),
        bot: Login::new("ralph-bot"),
        web: "https://forge.example".to_owned(),
        operator: None,
        worktrees: ManagedRoot::new("/srv/ralph/worktrees").unwrap(),
        draining: false,
        has_no_sandbox: false,
        is_short_of_disk: false,
        throttle: Default::default(),
        budget: Default::default(),
        accounts: BTreeMap::new(),
        left_out: BTreeSet::new(),
        instance: None,
        repos: repos.collect(),
    }
}

fn last_time(store: &Store) -> Time {
    store.journal_after(0).unwrap().last().map_or(Time(0), |entry| entry.at)
}

#[test]
fn the_stores_have_issues_in_every_phase_and_lane() {
    let mut seen = BTreeSet::new();
    for packed in stores() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&unpacked(&packed, folder.path())).unwrap();
        for (_, text) in store.issue_texts().unwrap() {
            let row: Value = serde_json::from_str(&text).unwrap();
            let Some(managed) = row.get("managed") else { continue };
            let phase = variant(&managed["phase"]);
            let at = managed["phase"][&phase].get("step").or(managed["phase"][&phase].get("at"));
            seen.insert(phase.clone());
            seen.extend(at.map(|step| format!("{phase} {step}")));
            seen.extend(managed.pointer("/run/recipe").map(|recipe| format!("recipe {recipe}")));
            seen.extend(managed.get("is_paused").map(|_| format!("paused {phase}")));
            seen.extend(managed.get("blocked").map(|_| format!("blocked {phase}")));
        }
    }
    for phase in ["out", "queued", "running", "parked", "escalated", "stopped", "in_bot", "done"] {
        assert!(seen.contains(phase), "{phase} of {seen:?}");
    }
    for step in [
        "workspace",
        "setup",
        "parent_verify",
        "plan",
        "plan_review",
        "implement",
        "repair",
        "preflight",
        "integrity",
        "product_review",
        "devex_review",
        "publish",
        "survey",
        "checks",
        "merge",
    ] {
        assert!(seen.contains(&format!("running \"{step}\"")), "{step} of {seen:?}");
    }
    for recipe in ["issue", "ci_debug", "merge_conflict", "sync", "sync_conflict"] {
        assert!(seen.contains(&format!("recipe \"{recipe}\"")), "{recipe} of {seen:?}");
    }
    for state in ["paused queued", "paused running", "blocked queued", "paused parked"] {
        assert!(seen.contains(state), "{state} of {seen:?}");
    }
}

#[test]
fn a_store_of_the_version_before_opens_and_loses_nothing() {
    for packed in stores() {
        let folder = tempfile::tempdir().unwrap();
        let path = unpacked(&packed, folder.path());
        let store = Store::open(&path).unwrap();
        let (before, world) = (phases(&store), store.world().unwrap());
        let after: BTreeMap<_, _> = world
            .issues()
            .filter_map(|(key, issue)| Some((key.clone(), issue.managed.as_deref()?)))
            .map(|(key, managed)| (key, variant(&serde_json::to_value(&managed.phase).unwrap())))
            .collect();
        assert_eq!(after, before, "{}", packed.display());
        store.outbox().unwrap();
        store.verdicts().unwrap();
        let journal = store.journal_after(0).unwrap();
        assert!(!journal.is_empty(), "{}", packed.display());
        drop(store);
        let report = Reader::open(&path).unwrap().status().unwrap();
        assert!(!serde_json::to_string(&report).unwrap().is_empty());
    }
}

#[test]
fn a_store_of_the_version_before_goes_on() {
    for packed in stores() {
        let folder = tempfile::tempdir().unwrap();
        let path = unpacked(&packed, folder.path());
        let store = Store::open(&path).unwrap();
        let (before, policy) = (phases(&store), policy(&store));
        let mut now = last_time(&store).plus(Span::from_mins(2));
        let mut engine = Engine::open(store, "test", now, policy, Takeover::HolderIsGone).unwrap();
        // Every desired effect is leased, and none of them gets an answer.
        for _ in 0..EFFECTS_MAX {
            now = now.plus(Span::from_secs(1));
            engine.tick(now).unwrap();
            let Some(leased) = engine.lease(now).unwrap() else { break };
            let why = "the forge is away".to_owned();
            engine.settle(now, leased.id, Performed::Unknown { why }).unwrap();
        }
        assert_eq!(engine.restless_turns(), 0, "{}", packed.display());
        let after = phases(engine.store().unwrap());
        assert_eq!(after.keys().collect::<Vec<_>>(), before.keys().collect::<Vec<_>>());
        for (key, phase) in before {
            let is_over = ["stopped", "in_bot", "done"].contains(&phase.as_str());
            assert!(!is_over || after[&key] == phase, "{key} was {phase} in {}", packed.display());
        }
    }
}
