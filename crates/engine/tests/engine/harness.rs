//! An engine on disk, driven by hand: the test says when time passes, when the forge is read, when effects are
//! performed and when the machine dies.

use crate::hand_forge::{BOT, HandForge};
use crate::hand_work::{HandWork, PLAN};
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::{Issue, Managed};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::time::{Span, Time};
use ralph_core::world::World;
use ralph_engine::ports::Ports;
use ralph_engine::store::{Reader, Row, Store, Takeover};
use ralph_engine::{Engine, Hint, Leased, Performed, ask, perform};
use rusqlite::types::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// 2026-01-01 00:00:00Z.
pub(crate) const BEGINNING: Time = Time(1_767_225_600_000);
/// Every test is over after this many rounds; more means that nothing moves.
const ROUNDS_MAX: usize = 100;
/// No test has more effects than this at one moment.
const EFFECTS_MAX: usize = 1_000;

pub(crate) fn key(number: u64) -> IssueKey {
    IssueKey::new(RepoName::parse("acme/widgets").unwrap(), number)
}

/// The same number in another repository.
pub(crate) fn elsewhere(number: u64) -> IssueKey {
    IssueKey::new(RepoName::parse("acme/gears").unwrap(), number)
}

pub(crate) fn policy() -> Policy {
    let preflight = Some(vec!["make check".to_owned()]);
    let rules = RepoPolicy { preflight, batch_wait: Span::ZERO, ..RepoPolicy::default() };
    Policy {
        web: "https://forge.example".to_owned(),
        max_workers: 2,
        poll_interval: Span::from_secs(30),
        read_lag: ralph_core::fold::READ_LAG,
        bot: Login::new(BOT),
        operator: None,
        worktrees: ManagedRoot::new("/srv/worktrees").unwrap(),
        draining: false,
        has_no_sandbox: false,
        is_short_of_disk: false,
        throttle: Default::default(),
        budget: Default::default(),
        accounts: BTreeMap::new(),
        left_out: std::collections::BTreeSet::new(),
        instance: None,
        repos: [(key(1).repo, rules.clone()), (elsewhere(1).repo, rules)].into(),
    }
}

pub(crate) struct Harness {
    pub(crate) now: Time,
    pub(crate) forge: HandForge,
    pub(crate) work: HandWork,
    pub(crate) policy: Policy,
    /// The time by which our clock is ahead of the forge's.
    pub(crate) ahead: Span,
    engine: Option<Engine>,
    folder: tempfile::TempDir,
}

impl Harness {
    pub(crate) fn new() -> Self {
        let mut harness = Self::closed();
        harness.opens();
        harness
    }

    fn closed() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (forge, work) = (HandForge::at(BEGINNING), HandWork::default());
        Self {
            now: BEGINNING,
            forge,
            work,
            policy: policy(),
            ahead: Span::ZERO,
            engine: None,
            folder,
        }
    }

    /// A harness with a database in memory, quick enough for hundreds of runs.
    pub(crate) fn in_memory() -> Self {
        let mut harness = Self::closed();
        harness.opens_with(Store::in_memory().unwrap());
        harness
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("state.db")
    }

    pub(crate) fn opens(&mut self) {
        let store = Store::open(&self.path()).unwrap();
        self.opens_with(store);
    }

    fn opens_with(&mut self, store: Store) {
        if let Some(instance) = &mut self.policy.instance {
            instance.is_behind = store.is_behind();
        }
        let (gone, policy) = (Takeover::HolderIsGone, self.policy.clone());
        self.engine = Some(Engine::open(store, "harness", self.now, policy, gone).unwrap());
    }

    /// The machine dies: memory and processes are lost, the file stays.
    pub(crate) fn dies(&mut self) {
        self.engine = None;
        self.work.die();
    }

    pub(crate) fn dies_and_returns(&mut self) {
        self.dies();
        self.opens();
    }

    /// The machine dies, with a database that has no file.
    pub(crate) fn dies_and_keeps_the_store(&mut self) {
        let store = self.engine.take().and_then(Engine::into_store).unwrap();
        self.work.die();
        self.opens_with(store);
    }

    pub(crate) fn engine(&mut self) -> &mut Engine {
        self.engine.as_mut().unwrap()
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.path()).unwrap()
    }

    pub(crate) fn world(&self) -> &World {
        self.engine.as_ref().unwrap().world()
    }

    pub(crate) fn issue(&self, number: u64) -> &Issue {
        self.world().issue(&key(number)).unwrap()
    }

    pub(crate) fn managed(&self, number: u64) -> &Managed {
        self.issue(number).managed.as_deref().unwrap()
    }

    pub(crate) fn outbox(&self) -> Vec<Row> {
        self.engine.as_ref().unwrap().outbox().cloned().collect()
    }

    pub(crate) fn row(&self, key: &str) -> Row {
        let found = self.outbox().into_iter().find(|row| row.key == key);
        found.unwrap_or_else(|| panic!("no row {key} in {:?}", self.keys()))
    }

    /// Everything in the outbox, by key.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.outbox().into_iter().map(|row| row.key).collect()
    }

    pub(crate) fn later(&mut self, span: Span) {
        self.now = self.now.plus(span);
        self.forge.now = self.now.minus(self.ahead);
        let now = self.now;
        self.engine().tick(now).unwrap();
    }

    /// Asks the forge every question that is due.
    pub(crate) fn reads(&mut self) {
        let now = self.now;
        while let Some(question) = self.engine().next_question(now).unwrap() {
            let reading = ask(&question, now, &mut self.forge);
            self.engine().take_reading(now, reading).unwrap();
        }
    }

    /// A webhook names an issue, and everything it concerns is read.
    pub(crate) fn hears_of(&mut self, issue: &IssueKey) {
        let now = self.now;
        self.engine().hint(now, &Hint::Issue(issue.clone()));
        self.reads();
    }

    pub(crate) fn claims(&mut self) -> Option<Leased> {
        let now = self.now;
        self.engine().lease(now).unwrap()
    }

    /// Continues until an effect whose key contains `part` is due, and leases it.
    pub(crate) fn leases_next(&mut self, part: &str) -> Leased {
        for _ in 0..ROUNDS_MAX {
            self.reads();
            while let Some(leased) = self.claims() {
                if leased.key.contains(part) {
                    return leased;
                }
                let performed = self.performs(&leased);
                self.settles(leased.id, performed);
            }
            self.ends_work();
            self.later(Span::from_secs(30));
        }
        panic!("{part} is never due: {:?}", self.keys());
    }

    pub(crate) fn performs(&mut self, leased: &Leased) -> Performed {
        let (mut workspaces, mut workers) = (self.work.clone(), self.work.clone());
        let mut ports =
            Ports { forge: &mut self.forge, workspaces: &mut workspaces, workers: &mut workers };
        perform(leased, self.now, &mut ports)
    }

    pub(crate) fn settles(&mut self, id: i64, performed: Performed) {
        let now = self.now;
        self.engine().settle(now, id, performed).unwrap();
    }

    /// Performs one effect, from lease to settlement.
    pub(crate) fn works_off_one(&mut self) -> Option<Leased> {
        let leased = self.claims()?;
        let performed = self.performs(&leased);
        self.settles(leased.id, performed);
        Some(leased)
    }

    pub(crate) fn works_off(&mut self) {
        let worked_off = (0..EFFECTS_MAX).take_while(|_| self.works_off_one().is_some()).count();
        assert!(worked_off < EFFECTS_MAX, "no end of effects: {:?}", self.keys());
    }

    pub(crate) fn observes(&mut self, facts: Vec<Fact>) {
        let now = self.now;
        self.engine().observe(now, facts).unwrap();
    }

    /// The running process succeeds.
    pub(crate) fn ends_work(&mut self) {
        let Some((issue, attempt, outcome)) = self.work.end_one() else { return };
        let facts = vec![Fact::of(issue, What::Finished { attempt, outcome })];
        let texts = vec![(Digest::of(PLAN), PLAN.to_owned())];
        let now = self.now;
        self.engine().observe_with_texts(now, facts, texts).unwrap();
    }

    /// Half a minute in which everything that is due gets done.
    pub(crate) fn round(&mut self) {
        self.reads();
        self.works_off();
        self.ends_work();
        self.works_off();
        self.later(Span::from_secs(30));
    }

    pub(crate) fn rounds_until(&mut self, is_there: impl Fn(&Self) -> bool) {
        for _ in 0..ROUNDS_MAX {
            if is_there(self) {
                return;
            }
            self.round();
        }
        let standings: Vec<_> = self.engine().standings().map(|s| format!("{s:?}")).collect();
        panic!("nothing moves any more: {standings:#?}");
    }

    /// Reads the file with a connection that is not the engine's.
    pub(crate) fn look(&self, sql: &str) -> Vec<String> {
        look(&rusqlite::Connection::open(self.path()).unwrap(), sql)
    }

    /// Everything in the database.
    pub(crate) fn tables(&self) -> Vec<String> {
        self.tables_but("")
    }

    /// Everything in the database but one table.
    pub(crate) fn tables_but(&self, left_out: &str) -> Vec<String> {
        let tables = self.look("SELECT name FROM sqlite_schema WHERE type = 'table'");
        let tables = tables.iter().filter(|name| *name != left_out);
        tables.flat_map(|name| self.look(&format!("SELECT * FROM {name}"))).collect()
    }
}

/// The rows that a statement returns, with columns joined by a bar.
pub(crate) fn look(connection: &rusqlite::Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.column_count();
    let rows = statement.query_map((), |row| {
        let cells: Result<Vec<_>, _> = (0..columns).map(|at| row.get(at).map(shown)).collect();
        Ok(cells?.join("|"))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn shown(cell: Value) -> String {
    match cell {
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Null | Value::Real(_) | Value::Blob(_) => format!("{cell:?}"),
    }
}
