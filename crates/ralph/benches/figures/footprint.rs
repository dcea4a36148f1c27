//! The cost of Ralph on the machine: memory of a daemon and a forge that have worked and now rest, and the time of
//! the commands people type most.

use crate::place::{Place, Settings};
use crate::process::{RALPH, output, resident_mb};
use crate::{Outcome, Size, clock, median, one_issue, say};
use ralph_cli::home::Home;
use ralph_core::command::Command;
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, Seen};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::time::Span;
use ralph_engine::Engine;
use ralph_engine::store::{Store, Takeover};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const TIMES: u32 = 40;
const TIMES_WHEN_QUICK: u32 = 10;
/// Issues that the daemon works on before it rests.
const WORKED_ON: u32 = 3;
const KNOWN: u64 = 10_000;
/// Every tenth issue is asked for, as in a large project.
const MANAGED_EVERY: u64 = 10;

pub(crate) fn measure(size: Size) -> Outcome<Value> {
    let (daemon_mb, forge_mb) = memory()?;
    let times = size.pick(TIMES, TIMES_WHEN_QUICK);
    say("typing commands");
    let folder = tempfile::tempdir()?;
    let help = typed(times, &["--help"])?;
    fill(folder.path())?;
    let home = folder.path().to_string_lossy().into_owned();
    let status = typed(times, &["--home", &home, "status", "--json"])?;
    Ok(json!({
        "daemon_mb": daemon_mb, "forge_mb": forge_mb, "help_ms": help, "status_ms": status,
    }))
}

/// Of a daemon with one repository and of the forge, after some work and once both rest.
fn memory() -> Outcome<(f64, f64)> {
    let settings =
        Settings { agent: one_issue::AGENT, poll_interval: "3s", repo: "rollup_batch_size = 1" };
    let mut place = Place::set(&settings)?;
    let mut daemon = place.start_daemon()?;
    place.settle(&mut daemon)?;
    say(&format!(
        "memory at the start: daemon {:.1} MB, forge {:.1} MB",
        resident_mb(daemon.id())?,
        resident_mb(place.forge_id())?
    ));
    for _ in 0..WORKED_ON {
        one_issue::run(&mut place, &mut daemon)?;
    }
    place.settle(&mut daemon)?;
    let (daemon, forge) = (resident_mb(daemon.id())?, resident_mb(place.forge_id())?);
    say(&format!("memory after {WORKED_ON} issues: daemon {daemon:.1} MB, forge {forge:.1} MB"));
    Ok((daemon, forge))
}

/// The median time of a command, from its start to its end.
fn typed(times: u32, words: &[&str]) -> Outcome<Option<f64>> {
    let mut took = Vec::new();
    for _ in 0..times {
        let began = clock::now();
        output(RALPH, words, "")?;
        took.push(clock::ms(began.elapsed()));
    }
    Ok(median(&mut took))
}

/// A store that knows many issues.
fn fill(home: &Path) -> Outcome<()> {
    let home = Home::at(home.to_owned());
    let repo = RepoName::parse("acme/widgets").ok_or("no name")?;
    let worktrees = ManagedRoot::new(&home.worktrees().to_string_lossy()).ok_or("no root")?;
    let now = clock::time();
    let policy = Policy {
        web: "https://forge.example".to_owned(),
        max_workers: 1,
        poll_interval: Span::from_secs(30),
        read_lag: Span::from_secs(0),
        bot: Login::new("ralph-bot"),
        operator: None,
        worktrees,
        draining: false,
        has_no_sandbox: false,
        is_short_of_disk: false,
        throttle: Default::default(),
        budget: Default::default(),
        accounts: BTreeMap::new(),
        left_out: BTreeSet::new(),
        instance: None,
        repos: BTreeMap::from([(repo.clone(), RepoPolicy::default())]),
    };
    let store = Store::open(&home.store())?;
    let mut engine = Engine::open(store, "figures", now, policy, Takeover::HolderIsGone)?;
    let mut facts = Vec::new();
    for number in 1..=KNOWN {
        let key = IssueKey::new(repo.clone(), number);
        let seen = Seen {
            title: format!("Issue {number} of a very large project").as_str().into(),
            open: true,
            author: Login::new("acme"),
            labels: BTreeSet::new(),
            body: Digest::of(""),
            blocked_by: Vec::new(),
            blocks: Vec::new(),
            manual_checks: Vec::new(),
            is_pull: Some(false),
            closed_by: None,
            follow_up: None,
            updated: now,
            has_relations: false,
        };
        facts.push(Fact::of(key.clone(), What::Seen(Observation::Issue(seen))));
        if number % MANAGED_EVERY == 0 {
            let id = CommandId { at: now, id: number, is_local: true };
            let (actor, via) = (Some(Login::new("acme")), CommandVia::CommandLine);
            let command = PendingCommand::plain(Command::Queue, actor, true, via);
            facts.push(Fact::of(key, What::Seen(Observation::Command { id, command })));
        }
    }
    engine.observe(now, facts)?;
    Ok(())
}
