//! Measures the cost of a transaction on disk as the store grows, and of opening the largest store. Every transaction
//! reaches the disk, as in production; the last line on standard output is JSON, and progress goes to standard error.

use ralph_core::command::{Command, Manner};
use ralph_core::dependency::BodyEdge;
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, Seen};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::time::{Span, Time};
use ralph_engine::Engine;
use ralph_engine::store::{Store, Takeover};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Issues in one repository; the first and the last are compared.
const SIZES: [u64; 3] = [1_000, 10_000, 100_000];
/// Rotations over the sizes, so that a slow moment of the disk affects all alike.
const TURNS: u64 = 1_000;
/// Issues taken in by one transaction while a store is filled: few enough to keep SQLite's journal small.
const BATCH: usize = 2_000;
/// Every tenth issue is managed.
const MANAGED_EVERY: u64 = 10;
/// Size of a bare write to the same disk, for comparison: one page, as large as SQLite's.
const PAGE_BYTES: usize = 4_096;
const BEGINNING: Time = Time(1_767_225_600_000);

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("--open"), Some(path)) => measure_opening(Path::new(&path)),
        (None, _) => measure_everything(),
        (Some(other), _) => Err(format!("{other} is not understood; give no argument").into()),
    }
}

fn measure_everything() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    say_cost_without_a_disk()?;
    let mut shops = Vec::new();
    for size in SIZES {
        let store = Store::open(&folder.path().join(format!("{size}.db")))?;
        shops.push(Shop::filled(store, size)?);
    }
    let mut floor = Floor::new(&folder.path().join("floor"))?;
    for turn in 0..TURNS {
        for shop in &mut shops {
            shop.two_turns(turn)?;
        }
        floor.write_once()?;
    }
    say(&format!("a bare write of {PAGE_BYTES} bytes: {} us", median(&mut floor.took)));
    let medians: Vec<u64> = shops.iter_mut().map(|shop| median(&mut shop.any)).collect();
    let of_managed: Vec<u64> = shops.iter_mut().map(|shop| median(&mut shop.managed)).collect();
    say(&format!("turns on managed issues alone: {of_managed:?} us"));
    let named = SIZES.iter().map(ToString::to_string).zip(medians.iter().map(|us| json!(us)));
    let median_us: serde_json::Map<String, Value> = named.collect();
    let ratio = ratio_of(&medians).max(ratio_of(&of_managed));
    drop(shops);
    let opened = open_in_a_fresh_process(&folder.path().join(format!("{}.db", SIZES[2])))?;
    folder.close()?;
    let (open_ms, rss_mb) = (opened.get("open_ms"), opened.get("rss_mb"));
    print(&json!({
        "median_us": median_us, "ratio": ratio, "open_ms": open_ms, "rss_mb": rss_mb,
    }));
    Ok(())
}

/// Reports the cost in memory, because waiting for a slow disk hides everything else.
fn say_cost_without_a_disk() -> Outcome<()> {
    let mut medians = Vec::new();
    for size in SIZES {
        let mut shop = Shop::filled(Store::in_memory()?, size)?;
        for turn in 0..TURNS {
            shop.two_turns(turn)?;
        }
        medians.push((median(&mut shop.any), median(&mut shop.managed)));
    }
    say(&format!("turns on any issue and on managed ones, in memory: {medians:?} us"));
    Ok(())
}

/// A store of one size, with the engine that owns it.
struct Shop {
    engine: Engine,
    size: u64,
    /// Transactions on any issue, and on managed ones only: most issues are not managed and would hide their cost.
    any: Vec<Duration>,
    managed: Vec<Duration>,
    dice: Dice,
}

impl Shop {
    fn filled(store: Store, size: u64) -> Outcome<Self> {
        let began = clock();
        let mut engine = open(store)?;
        let numbers: Vec<u64> = (1..=size).collect();
        for batch in numbers.chunks(BATCH) {
            let facts = batch.iter().flat_map(|number| first_facts(*number));
            engine.observe(BEGINNING, facts.collect())?;
        }
        let managed = engine.world().issues().filter(|(_, issue)| issue.managed.is_some()).count();
        let (wanted, took) = (engine.outbox().count(), began.elapsed());
        say(&format!("{size} issues, {managed} managed, {wanted} effects wanted, in {took:?}"));
        Ok(Self { engine, size, any: Vec::new(), managed: Vec::new(), dice: Dice(size) })
    }

    fn two_turns(&mut self, turn: u64) -> Outcome<()> {
        let number = 1 + self.dice.below(self.size);
        let took = self.retitle(number, turn * 2 + 1)?;
        self.any.push(took);
        let managed = MANAGED_EVERY * (1 + self.dice.below(self.size / MANAGED_EVERY));
        let took = self.retitle(managed, turn * 2 + 2)?;
        self.managed.push(took);
        Ok(())
    }

    /// Changes the title of one issue.
    fn retitle(&mut self, number: u64, edition: u64) -> Outcome<Duration> {
        let now = BEGINNING.plus(Span::from_secs(i64::try_from(edition)?));
        let seen = Observation::Issue(seen(number, edition, now));
        let facts = vec![Fact::of(key(number), What::Seen(seen))];
        let began = clock();
        self.engine.observe(now, facts)?;
        Ok(began.elapsed())
    }
}

/// The cost of the disk itself at the same moments.
struct Floor {
    file: File,
    took: Vec<Duration>,
}

impl Floor {
    fn new(path: &Path) -> Outcome<Self> {
        Ok(Self { file: File::create(path)?, took: Vec::new() })
    }

    fn write_once(&mut self) -> Outcome<()> {
        let began = clock();
        self.file.write_all(&[7; PAGE_BYTES])?;
        self.file.sync_data()?;
        self.took.push(began.elapsed());
        Ok(())
    }
}

/// A small random generator, so that every run changes the same issues.
struct Dice(u64);

impl Dice {
    const fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit
    }
}

fn first_facts(number: u64) -> Vec<Fact> {
    let issue = Observation::Issue(seen(number, 0, BEGINNING));
    let mut facts = vec![Fact::of(key(number), What::Seen(issue))];
    if is_managed(number) {
        let id = CommandId { at: BEGINNING, id: number, is_local: false };
        let command = PendingCommand {
            command: Command::Queue,
            actor: Some(Login::new("alice")),
            is_allowed: true,
            via: CommandVia::QueuedLabel,
            manner: Manner::Plain,
        };
        let (commands, own) = ([(id, command)].into(), Vec::new());
        let commands = Observation::Commands {
            up_to: number,
            commands,
            own,
            withdrawn: std::collections::BTreeSet::new(),
            is_partial: false,
        };
        facts.push(Fact::of(key(number), What::Seen(commands)));
    }
    facts
}

/// An issue with a title of 60 bytes and four labels. A managed one is queued and waits for its neighbour.
fn seen(number: u64, edition: u64, updated: Time) -> Seen {
    let area = format!("area:{}", number % 40);
    let fourth = if is_managed(number) { "ralph:status:queued" } else { "good first issue" };
    let on = key(number.saturating_sub(1).max(1));
    let edge = is_managed(number).then_some(BodyEdge { on, ticked: false });
    Seen {
        title: format!("Issue {number:<8} in its edition {edition:<8}, as people write it..")
            .into(),
        open: true,
        author: Login::new("alice"),
        labels: ["bug", &area, "needs-triage", fourth].into_iter().map(Into::into).collect(),
        body: Digest::of(&format!("body of {number}")),
        blocked_by: edge.into_iter().collect(),
        blocks: Vec::new(),
        manual_checks: Vec::new(),
        is_pull: Some(false),
        closed_by: None,
        follow_up: None,
        updated,
        has_relations: false,
    }
}

const fn is_managed(number: u64) -> bool {
    number.is_multiple_of(MANAGED_EVERY)
}

fn key(number: u64) -> IssueKey {
    IssueKey::new(repo(), number)
}

fn repo() -> RepoName {
    RepoName::parse("acme/widgets").unwrap_or_else(|| unreachable!("it is owner/name"))
}

fn open(store: Store) -> Outcome<Engine> {
    let worktrees = ManagedRoot::new("/srv/ralph/worktrees").ok_or("not a root for worktrees")?;
    let preflight = Some(vec!["make check".to_owned()]);
    let policy = Policy {
        web: "https://forge.example".to_owned(),
        max_workers: 4,
        poll_interval: Span::from_secs(30),
        read_lag: ralph_core::fold::READ_LAG,
        bot: Login::new("ralph"),
        operator: None,
        worktrees,
        draining: false,
        has_no_sandbox: false,
        is_short_of_disk: false,
        throttle: Default::default(),
        budget: Default::default(),
        accounts: BTreeMap::new(),
        left_out: std::collections::BTreeSet::new(),
        instance: None,
        repos: [(repo(), RepoPolicy { preflight, ..RepoPolicy::default() })].into(),
    };
    Ok(Engine::open(store, "bench", BEGINNING, policy, Takeover::HolderIsGone)?)
}

/// Measures the opening in a separate process, so that filling the stores does not count.
#[expect(clippy::disallowed_methods, reason = "a figure needs a process of its own")]
fn open_in_a_fresh_process(path: &Path) -> Outcome<Value> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    let output = command.arg("--open").arg(path).stderr(std::process::Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("opening ended with {}", output.status).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn measure_opening(path: &Path) -> Outcome<()> {
    let began = clock();
    let engine = open(Store::open(path)?)?;
    let open_ms = began.elapsed().as_millis();
    let known = engine.world().issues().count();
    let rss_mb = resident_kb_max()?.div_ceil(1_024);
    say(&format!("opened {known} issues in {open_ms} ms, {rss_mb} MB resident at most"));
    print(&json!({ "open_ms": u64::try_from(open_ms)?, "rss_mb": rss_mb }));
    Ok(())
}

/// The peak memory of this process, according to the kernel.
fn resident_kb_max() -> Outcome<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kb = line.and_then(|rest| rest.split_whitespace().next()).ok_or("VmHWM is not told")?;
    Ok(kb.parse()?)
}

#[expect(clippy::disallowed_methods, reason = "this program measures real time")]
fn clock() -> Instant {
    Instant::now()
}

fn median(took: &mut [Duration]) -> u64 {
    took.sort_unstable();
    let middle = took.get(took.len() / 2).copied().unwrap_or_default();
    u64::try_from(middle.as_micros()).unwrap_or(u64::MAX)
}

/// The largest store over the smallest, to two decimal places.
#[expect(clippy::cast_precision_loss, reason = "microseconds of a turn are far below 2^52")]
fn ratio_of(medians: &[u64]) -> f64 {
    let of = |found: Option<&u64>| found.copied().unwrap_or_default().max(1) as f64;
    (of(medians.last()) / of(medians.first()) * 100.0).round() / 100.0
}

#[expect(clippy::print_stdout, reason = "the figures are what this program is for")]
fn print(figures: &Value) {
    println!("{figures}");
}

#[expect(clippy::print_stderr, reason = "progress for whoever waits")]
fn say(line: &str) {
    eprintln!("{line}");
}
