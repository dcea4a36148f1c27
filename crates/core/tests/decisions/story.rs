//! A world that takes facts and comes to rest after each: decides, folds the moves, keeps the last decision on every
//! subject and a log of moves and effects. Every rest is checked: sane, and the same when decided in full.

use ralph_core::check::check;
use ralph_core::decide::{Decision, decide};
use ralph_core::effect::Effect;
use ralph_core::fact::{Fact, Observation, RepoObservation, Subject, What};
use ralph_core::ids::{Branch, IssueKey, RepoName, Sha};
use ralph_core::issue::{Issue, Managed};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Policy, RepoPolicy};
use ralph_core::repo::{Branches, Repo};
use ralph_core::run::Run;
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use ralph_core::words;
use ralph_core::world::{Touched, World};
use std::collections::{BTreeMap, BTreeSet};

/// 2026-01-05 09:00:00Z
pub(crate) const START: Time = Time(1_767_603_600_000);
/// More rounds mean that two rules undo each other.
const ROUNDS_MAX: usize = 60;
/// Worlds up to this size are decided in full after every fact, for comparison.
const PROVEN_ISSUES_MAX: usize = 30;

/// An issue as a test names it: `7` is `acme/app#7`, `("acme/lib", 7)` is what it says.
pub(crate) trait Which {
    fn key(self) -> IssueKey;
}

impl Which for u64 {
    fn key(self) -> IssueKey {
        IssueKey::new(repo("acme/app"), self)
    }
}

impl Which for (&str, u64) {
    fn key(self) -> IssueKey {
        IssueKey::new(repo(self.0), self.1)
    }
}

impl Which for IssueKey {
    fn key(self) -> IssueKey {
        self
    }
}

pub(crate) fn repo(name: &str) -> RepoName {
    RepoName::parse(name).expect("a repository's name")
}

/// A policy in which `acme/app` has everything configured that a run needs.
pub(crate) fn policy() -> Policy {
    Policy {
        web: "https://forge.example".to_owned(),
        max_workers: 6,
        poll_interval: Span::from_secs(60),
        read_lag: ralph_core::fold::READ_LAG,
        bot: ralph_core::ids::Login::new("ralph"),
        operator: None,
        worktrees: ManagedRoot::new("/srv/trees").expect("an absolute path"),
        draining: false,
        has_no_sandbox: false,
        is_short_of_disk: false,
        throttle: Default::default(),
        budget: Default::default(),
        accounts: BTreeMap::new(),
        left_out: BTreeSet::new(),
        instance: None,
        repos: BTreeMap::from([(repo("acme/app"), rules())]),
    }
}

pub(crate) fn rules() -> RepoPolicy {
    RepoPolicy {
        preflight: Some(vec!["make check".to_owned()]),
        required_checks: Some(vec!["ci".to_owned()]),
        batch_max: 1,
        ..RepoPolicy::default()
    }
}

/// A repository in which a run can begin.
pub(crate) fn ready() -> Repo {
    let (default, head) = (Branch::new("main"), Sha::new("main-0"));
    let branches = Branches { default, default_head: head.clone(), bot_head: Some(head) };
    Repo { branches: Some(branches), ..Repo::default() }
}

#[derive(Clone)]
pub(crate) struct Story {
    pub(crate) world: World,
    pub(crate) policy: Policy,
    pub(crate) now: Time,
    decided: BTreeMap<Subject, Decision>,
    log: Vec<String>,
    pub(crate) ids: u64,
    /// The forge does not show single issues.
    pub(crate) is_blind: bool,
    /// A long story: not every rest is compared with a decision in full.
    pub(crate) is_long: bool,
}

impl Story {
    pub(crate) fn new(policy: Policy) -> Self {
        let mut world = World::default();
        for name in policy.repos.keys() {
            world.load_repo(name.clone(), ready());
        }
        Self {
            world,
            policy,
            now: START,
            decided: BTreeMap::new(),
            log: Vec::new(),
            ids: 0,
            is_blind: false,
            is_long: false,
        }
    }

    /// One repository, `acme/app`, with some of its rules changed.
    pub(crate) fn with(change: impl FnOnce(&mut RepoPolicy)) -> Self {
        let mut policy = policy();
        change(policy.repos.get_mut(&repo("acme/app")).expect("the one repository"));
        Self::new(policy)
    }

    pub(crate) fn plain() -> Self {
        Self::new(policy())
    }

    pub(crate) fn tell(&mut self, fact: &Fact) {
        let touched = self.world.apply(self.now, fact);
        self.rest(touched);
    }

    pub(crate) fn reads(&mut self, which: impl Which, observation: Observation) {
        self.tell(&Fact::of(which.key(), What::Seen(observation)));
    }

    pub(crate) fn reads_repo(&mut self, name: &str, observation: RepoObservation) {
        self.tell(&Fact::of_repo(repo(name), What::RepoSeen(observation)));
    }

    /// Lets time pass; subjects that are due by then are decided again.
    pub(crate) fn passes(&mut self, span: Span) {
        self.now = self.now.plus(span);
        let due = |decision: &&Decision| decision.again.is_some_and(|at| at <= self.now);
        let mut touched = Touched::default();
        for decision in self.decided.values().filter(due) {
            match &decision.subject {
                Subject::Issue(key) => touched.issues.insert(key.clone()),
                Subject::Repo(name) => touched.repos.insert(name.clone()),
            };
        }
        touched.admission = !touched.repos.is_empty();
        self.rest(touched);
    }

    /// The next time at which something is decided again by itself.
    pub(crate) fn next_time(&self) -> Option<Time> {
        self.decided.values().filter_map(|decision| decision.again).min()
    }

    /// Decides everything again, because the operator changed settings.
    pub(crate) fn looks_at_everything(&mut self) {
        self.rest(self.world.everything(&self.policy));
    }

    pub(crate) fn rest(&mut self, mut touched: Touched) {
        for _ in 0..ROUNDS_MAX {
            if touched.is_empty() {
                if let Some(key) = self.looked_at() {
                    let seen = What::Seen(Observation::Looked { at: self.now, is_partial: false });
                    touched = self.world.apply(self.now, &Fact::of(key, seen));
                    continue;
                }
                self.prove();
                return;
            }
            let plan = decide(&self.world, &touched, self.now, &self.policy);
            assert_eq!(check(&self.world, &plan, &self.policy), [], "an insane plan");
            let is_moving = plan.decisions.iter().any(|decision| !decision.moves.is_empty());
            let mut next =
                Touched { admission: touched.admission && is_moving, ..Touched::default() };
            for decision in plan.decisions {
                for fact in decision.facts() {
                    self.log_move(&fact);
                    next.add(self.world.apply(self.now, &fact));
                }
                if decision.moves.is_empty() {
                    self.keep(decision);
                }
            }
            touched = next;
        }
        panic!("never comes to rest; last moves:\n{}", self.log.join("\n"));
    }

    /// Returns the issue that a run must read before it continues, while the forge shows single issues.
    fn looked_at(&self) -> Option<IssueKey> {
        let mut watched = self.decided.values().flat_map(|decision| &decision.watch);
        let look = watched.find_map(|watch| {
            if let Resource::Look(key) = &watch.resource { Some(key.clone()) } else { None }
        });
        look.filter(|_| !self.is_blind)
    }

    /// Checks at rest that deciding everything again moves nothing and desires exactly the same effects.
    fn prove(&self) {
        if self.is_long || self.world.issues().count() > PROVEN_ISSUES_MAX {
            return;
        }
        let plan =
            decide(&self.world, &self.world.everything(&self.policy), self.now, &self.policy);
        for decision in plan.decisions {
            assert!(decision.moves.is_empty(), "not at rest: {decision:?}");
            let known = self.decided.get(&decision.subject);
            assert!(
                known == Some(&decision) || (known.is_none() && decision.effects.is_empty()),
                "decided piece by piece:\n{known:?}\ndecided in full:\n{decision:?}"
            );
        }
    }

    fn keep(&mut self, decision: Decision) {
        assert!(decision.again.is_none_or(|at| at > self.now), "rings for ever: {decision:?}");
        let known: BTreeSet<_> =
            self.wanted_of(&decision.subject).iter().map(Effect::key).collect();
        let new = decision.effects.iter().map(Effect::key).filter(|key| !known.contains(key));
        let new: Vec<_> = new.map(|key| short(&key)).collect();
        let name = short(&decision.subject.to_string());
        let shown = if name.is_empty() { "repository" } else { &name };
        let key = |key: &String| key.replacen(&format!("{name}:"), "", 1);
        self.log.extend(new.iter().map(|new| format!("{shown} > {}", key(new))));
        self.decided.insert(decision.subject.clone(), decision);
    }

    fn log_move(&mut self, fact: &Fact) {
        let line = words::journal_line(fact).unwrap_or_default();
        self.log.push(format!("{} {line}", short(&fact.subject.to_string())));
    }

    /// Returns moves and new effects since the last call, one per line.
    pub(crate) fn told(&mut self) -> String {
        std::mem::take(&mut self.log).join("\n")
    }

    fn wanted_of(&self, subject: &Subject) -> &[Effect] {
        self.decided.get(subject).map_or(&[], |decision| &decision.effects)
    }

    pub(crate) fn wanted(&self) -> Vec<Effect> {
        self.decided.values().flat_map(|decision| decision.effects.clone()).collect()
    }

    /// Returns the keys of all desired effects of this issue, without its name.
    pub(crate) fn wants(&self, which: impl Which) -> String {
        let key = which.key();
        let prefix = format!("{key}:");
        let keys = self.wanted_of(&Subject::Issue(key)).iter().map(Effect::key);
        let keys: Vec<_> = keys.map(|key| key.replacen(&prefix, "", 1)).collect();
        keys.join(" ")
    }

    pub(crate) fn wants_of_repo(&self, name: &str) -> String {
        let prefix = format!("{name}:");
        let keys = self.wanted_of(&Subject::Repo(repo(name))).iter().map(Effect::key);
        let keys: Vec<_> = keys.map(|key| key.replacen(&prefix, "", 1)).collect();
        keys.join(" ")
    }

    pub(crate) fn decision(&self, which: impl Which) -> &Decision {
        self.decided.get(&Subject::Issue(which.key())).expect("a decision")
    }

    /// Returns the status label that it should carry, and its standing in words.
    pub(crate) fn stands(&self, which: impl Which) -> String {
        let key = which.key();
        let standing = self.decided.get(&Subject::Issue(key.clone()));
        let standing = standing.and_then(|decision| decision.standing.as_ref());
        let status = self.issue(key).managed.as_ref().and_then(|managed| managed.status());
        let status = status.map_or_else(|| "no status".to_owned(), |status| status.to_string());
        match standing {
            Some(standing) => format!("{status}: {}", short(&words::standing(standing))),
            None => status,
        }
    }

    pub(crate) fn repo_decision(&self, name: &str) -> &Decision {
        self.decided.get(&Subject::Repo(repo(name))).expect("a decision")
    }

    /// Returns the standing of a repository, which is mostly empty.
    pub(crate) fn repo_stands(&self, name: &str) -> String {
        self.repo_decision(name).standing.as_ref().map(words::standing).unwrap_or_default()
    }

    pub(crate) fn issue(&self, which: impl Which) -> &Issue {
        self.world.issue(&which.key()).expect("a known issue")
    }

    pub(crate) fn managed(&self, which: impl Which) -> &Managed {
        self.issue(which).managed.as_deref().expect("a managed issue")
    }

    pub(crate) fn run(&self, which: impl Which) -> &Run {
        self.managed(which).run.as_ref().expect("a run")
    }

    pub(crate) fn labels(&self, which: impl Which) -> String {
        let labels: Vec<_> = self.world.issue(&which.key()).expect("known").labels().collect();
        labels.join(" ")
    }
}

/// Leaves out the name of the one repository that most stories are about.
pub(crate) fn short(text: &str) -> String {
    text.replace("acme/app", "").trim_start().to_owned()
}
