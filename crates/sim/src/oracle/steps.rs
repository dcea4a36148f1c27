//! Promises about what Ralph does by itself: what it starts, removes, believes and counts.

use crate::forge::ForgeSide;
use crate::machine::Machine;
use crate::oracle::Oracle;
use crate::world::root;
use ralph_core::bound::{Bound, RunBound};
use ralph_core::change::{self, Findings};
use ralph_core::effect::{Effect, IssueAct, MachineAct};
use ralph_core::fact::{Move, Observation, What};
use ralph_core::gate::Gate;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{DoneEvidence, Managed, Phase};
use ralph_core::job::{Job, Role, Turn};
use ralph_core::managed_path::ManagedPath;
use ralph_core::policy::Policy;
use ralph_core::removal::{GivenUp, Removal};
use ralph_core::steps::Step;
use ralph_core::time::Time;
use ralph_core::world::{Queues, World};
use ralph_engine::ports::Start;
use ralph_engine::{Engine, Leased, Reading};

impl Oracle {
    /// A process starts: where, whose, and is there room?
    pub(crate) fn judge_start(&mut self, machine: &Machine, start: &Start<'_>) {
        match start.job {
            Job::Workspace { path, .. } | Job::Setup { path, .. } => {
                self.judge_path(path, start.issue);
            }
            Job::Turn(turn) => {
                self.judge_path(&turn.path, start.issue);
                if !machine.worktrees.contains_key(turn.path.as_str()) {
                    self.broken("I7", format!("a turn of {} has no worktree", start.issue));
                }
                self.judge_plan(start.issue, turn);
                self.note_lane_turn(start.issue, turn);
                self.judge_survey(start.issue, turn);
            }
            Job::Preflight { .. } | Job::Integrity { .. } => {}
        }
        let highest = self.record.tokens.entry(start.issue.clone()).or_insert(0);
        let is_stale = start.token < *highest;
        *highest = start.token.max(*highest);
        if is_stale {
            let token = start.token;
            self.broken("I8", format!("{} was started by a stale owner ({token})", start.issue));
        }
        let twin = machine.processes.values().any(|p| p.is_alive && p.issue == *start.issue);
        if twin {
            self.broken("I8", format!("{} has two live processes", start.issue));
        }
    }

    /// Nothing is implemented but a plan that its review let through.
    fn judge_plan(&mut self, issue: &IssueKey, turn: &Turn) {
        if turn.role != Role::Implement {
            return;
        }
        let plan = turn.plan.map(|plan| plan.to_string()).unwrap_or_default();
        self.record.implemented.insert((issue.clone(), plan.clone()));
        if !self.record.passed.contains(&(Gate::PlanReview, plan)) {
            self.broken("I11", format!("{issue} is implemented from a plan that did not pass"));
        }
    }

    /// A commit was pushed: is everything in it fit to be seen?
    pub(crate) fn judge_push(
        &mut self,
        forge: &mut ForgeSide,
        repo: &RepoName,
        commit: ralph_forge::Sha,
    ) {
        let is_unfit = |path: &str, text: &str| change::scan(path, text) != Findings::default();
        let unfit = forge.files_at(repo, commit).find(|(path, text)| is_unfit(path, text));
        if let Some((path, _)) = unfit {
            self.broken("G1", format!("{path} was pushed to {repo} with {commit}"));
        }
        self.judge_wording(forge, repo, commit);
    }

    pub(crate) fn judge_path(&mut self, path: &ManagedPath, issue: &IssueKey) {
        if !root().holds(path) || !is_of(path, issue) {
            self.broken("I7", format!("work of {issue} in {}", path.as_str()));
        }
    }

    /// A run has one place from its first start on: a worktree in another place is left over.
    pub(crate) fn judge_place(&mut self, machine: &Machine, start: &Start<'_>) {
        let Job::Workspace { run, path, .. } = start.job else { return };
        let entry = self.record.places.entry((start.issue.clone(), run.run));
        let first = entry.or_insert_with(|| path.as_str().to_owned()).clone();
        if machine.worktrees.contains_key(&first) && first != path.as_str() {
            let (run, path) = (run.to_string(), path.as_str());
            self.broken("I7", format!("run {run} began in {first}, and goes on in {path}"));
        }
    }

    /// A worktree is about to be removed: is it ours, free, and is nothing lost with it?
    pub(crate) fn judge_removal(
        &mut self,
        forge: &mut ForgeSide,
        machine: &Machine,
        path: &ManagedPath,
        proof: &Removal,
    ) {
        let Some(repo) = forge.repo_of(path) else {
            self.broken("I14", format!("{} is no issue's", path.as_str()));
            return;
        };
        let is_safe = match proof {
            Removal::GivenUp(_) => forge.is_rescued(machine, &repo, path),
            Removal::Done(
                DoneEvidence::Reachable { merged, .. }
                | DoneEvidence::RolledUp { merged, .. }
                | DoneEvidence::HeadReachable { head: merged, .. },
            ) => {
                merged.as_str().parse().is_ok_and(|commit| forge.has_reached_default(&repo, commit))
            }
            Removal::Done(DoneEvidence::Verified { .. }) => false,
        };
        if !root().holds(path) || !is_safe {
            self.broken("I14", format!("{} was removed too early", path.as_str()));
        }
        if machine.processes.values().any(|process| process.is_alive && is_of(path, &process.issue))
        {
            self.broken("I14", format!("{} was removed under a process", path.as_str()));
        }
    }

    /// A worktree is given up: does Ralph know the issue as stopped, or another worktree as its run's own?
    fn judge_given_up(&mut self, path: &ManagedPath, why: GivenUp, managed: Option<&Managed>) {
        let own = managed.and_then(|managed| managed.run.as_ref()?.workspace.as_ref());
        let is_given_up = match why {
            GivenUp::Stopped => managed
                .is_some_and(|managed| matches!(managed.phase, Phase::Stopped { .. } | Phase::Out)),
            GivenUp::Unneeded => managed.is_some_and(|managed| {
                matches!(managed.phase, Phase::Done { evidence: DoneEvidence::Verified { .. }, .. })
            }),
            GivenUp::Superseded => own.is_none_or(|own| own.path != *path),
        };
        if !is_given_up {
            self.broken("I14", format!("{} is removed although it is in use", path.as_str()));
        }
    }

    /// An effect is about to be performed: does Ralph know of a reason not to?
    pub(crate) fn judge_claim(&mut self, forge: &mut ForgeSide, leased: &Leased, world: &World) {
        let (Effect::Issue(key, _) | Effect::Machine(key, _)) = &leased.effect else { return };
        self.note_claim(key, &leased.key);
        let managed = world.issue(key).and_then(|issue| issue.managed.as_deref());
        let is_free = managed.is_some_and(|managed| {
            !managed.is_paused && matches!(managed.phase, Phase::Running { .. })
        });
        if let Effect::Machine(_, MachineAct::RemoveWorkspace { path, proof }) = &leased.effect
            && let (Removal::GivenUp(why), false) = (proof, leased.only_looks)
        {
            self.judge_given_up(path, *why, managed);
        }
        if let Effect::Machine(_, MachineAct::Start { job, .. }) = &leased.effect
            && !leased.only_looks
        {
            self.judge_repeat(forge, key, job, managed);
            self.judge_branch(key, job);
            if let (Job::Turn(turn), Some(managed)) = (job, managed) {
                self.judge_prompt(key, turn, &leased.prompt, managed);
                self.judge_messages(key, turn, &leased.prompt, managed);
            }
        }
        if matches!(leased.effect, Effect::Issue(_, IssueAct::Merge { .. }))
            && !leased.only_looks
            && !leased.looks_first
        {
            self.judge_untold_merge(key);
        }
        if leased.effect.is_step() && !leased.only_looks && !is_free {
            self.broken("I13", format!("{} while the issue is held", leased.key));
        }
    }

    /// A reading that Ralph gets must be true.
    pub(crate) fn judge_reading(&mut self, reading: &Reading) {
        for fact in &reading.facts {
            let Some(key) = fact.subject.issue() else { continue };
            let ids: Vec<u64> = match &fact.what {
                What::Seen(Observation::Commands { commands, .. }) => {
                    let allowed = commands.iter().filter(|(_, command)| command.is_allowed);
                    allowed.map(|(id, _)| id.id).collect()
                }
                What::Seen(Observation::Command { id, command }) if command.is_allowed => {
                    vec![id.id]
                }
                _other => continue,
            };
            for id in ids {
                if !self.record.intents.contains(&(key.clone(), id)) {
                    self.broken(
                        "I3",
                        format!(
                            "event {id} on {key} comes from a person without the right to command"
                        ),
                    );
                }
            }
        }
    }

    /// Allows running processes to go on although there are fewer slots now.
    pub(crate) fn tolerate(&mut self, world: &World) {
        for (name, queues) in world.all_queues() {
            let tolerated = self.record.tolerated.entry(name.clone()).or_default();
            *tolerated = busy_in(queues).max(*tolerated);
        }
    }

    /// After every step of the engine.
    pub(crate) fn judge_world(&mut self, machine: &Machine, world: &World, policy: &Policy) {
        let alive = machine.processes.values().filter(|process| process.is_alive).count();
        for (name, queues) in world.all_queues() {
            if let Some(tolerated) = self.record.tolerated.get_mut(name) {
                *tolerated = busy_in(queues).min(*tolerated);
            }
        }
        let tolerated = |name| self.record.tolerated.get(name).copied().unwrap_or(0);
        let slots = policy.repos.iter().map(|(name, rules)| rules.slots.max(tolerated(name)));
        let slots = slots.sum::<u32>();
        let workers = policy.max_workers.max(self.record.tolerated.values().sum());
        let before = std::mem::replace(&mut self.record.busy, world.busy());
        if policy.draining && world.busy() > before {
            self.broken("E8", "a process was started although nothing new was to be".to_owned());
        }
        let limit = usize::try_from(workers.min(slots)).unwrap_or(usize::MAX);
        if alive > limit {
            self.broken("E3", format!("{alive} processes, {limit} allowed"));
        }
        let orphan = machine.processes.iter().find(|((issue, attempt), process)| {
            let managed = world.issue(issue).and_then(|issue| issue.managed.as_deref());
            let work = managed.and_then(|managed| managed.work.as_ref());
            process.is_alive && work.is_none_or(|work| work.attempt != *attempt)
        });
        if let Some(((issue, attempt), _)) = orphan {
            self.broken(
                "L3",
                format!("attempt {attempt} of {issue} runs, and Ralph does not know"),
            );
        }
        // While the agents' program fails nothing new starts, and after the clock was set back it may seem to fail still.
        let is_set_back =
            self.clock.ralph_time() < self.clock.set_back_from() && world.outage().is_some();
        let is_out = self.record.program.is_out() || is_set_back;
        // A worker is kept for each issue that is read before its first step; W1 sees to it that this ends.
        let is_idle = world.busy() + world.looked_at() < policy.max_workers && !is_out;
        for (name, queues) in world.all_queues() {
            let Some(rules) = policy.repo(name) else { continue };
            let busy = busy_in(queues);
            let claims = u32::try_from(queues.claimed.len()).unwrap_or(u32::MAX);
            let looked_at = u32::try_from(queues.looked_at.len()).unwrap_or(u32::MAX);
            let has_room = is_idle && busy.saturating_add(looked_at) < rules.slots;
            let may_claim = world.repo(name).is_some_and(|repo| repo.has_bot_branch(rules));
            // What this store may have forgotten is looked up before an issue is started.
            let is_known = |(_, _, number): &(_, _, u64)| {
                let issue = world.issue(&IssueKey::new(name.clone(), *number));
                let recalled = issue.and_then(|issue| issue.recalled);
                world.repo(name).is_some_and(|repo| repo.mark.is_looked_up(recalled))
            };
            let waits = queues.wanting.iter().any(is_known)
                || (may_claim
                    && claims < rules.claims_max
                    && queues.claimable.first().is_some_and(is_known));
            // Nothing is started before it is certain that no other Ralph works there.
            let is_ours = world
                .repo(name)
                .is_some_and(|repo| repo.mark.is_ours(policy.instance.as_ref(), &repo.refusals));
            if has_room && waits && is_ours && !policy.draining {
                self.broken("I5", format!("{name} has work and room, and nothing was started"));
            }
        }
    }

    /// Counters of a run only grow, stay within their bounds, and know of every turn that came to its end.
    pub(crate) fn judge_counters(&mut self, key: &IssueKey, managed: &Managed, engine: &Engine) {
        let rules = engine.policy().repo(&key.repo);
        let (Some(run), Some(rules)) = (&managed.run, rules) else { return };
        let (spent, limits) = (&run.spent, &rules.limits);
        let limit = |bound: Bound| match bound {
            Bound::Step(Step::Implement) => {
                limits.of(bound) + spent.of(Bound::RESUMES) + spent.of(Bound::MESSAGES)
            }
            Bound::Run(RunBound::Resumes) => 1,
            Bound::Run(RunBound::Messages) => self.messages_for(key),
            // While the agents' program fails for all, no run is to blame for it.
            Bound::Run(RunBound::AgentFailures) => u32::MAX,
            Bound::Step(_) | Bound::Run(_) => limits.of(bound),
        };
        // Queued again, it has more turns behind it than the bound of a run that was never resumed.
        let is_over = !matches!(managed.phase, Phase::Running { .. });
        let is_bounded = is_over || spent.iter().all(|(bound, count)| count <= limit(bound));
        let now = self.clock.ralph_time();
        let known = self.record.spent.insert(key.clone(), (run.id.run, now, spent.clone()));
        let turns = self.record.turns.get(&(key.clone(), run.id.run)).copied().unwrap_or(0);
        // These two count in a row.
        let only_grows = |bound| bound != Bound::INTERRUPTIONS && bound != Bound::AGENT_FAILURES;
        let went_back = known.as_ref().is_some_and(|(number, _, before)| {
            let mut before = before.iter().filter(|(bound, _)| only_grows(*bound));
            *number == run.id.run && before.any(|(bound, count)| spent.of(bound) < count)
        });
        let stalls = self.record.stalls.get(&(key.clone(), run.id.run)).copied().unwrap_or(0);
        let counted = (spent.of(Bound::Step(Step::Implement)), spent.of(Bound::STALLS));
        let is_uncounted = turns > counted.0 || stalls > counted.1;
        let since = known.as_ref().map(|(_, since, _)| *since);
        if (went_back || is_uncounted)
            && since.is_some_and(|since| self.is_queued_again(engine, key, since))
        {
            self.record.turns.insert((key.clone(), run.id.run), counted.0);
            self.record.stalls.insert((key.clone(), run.id.run), counted.1);
        } else if went_back {
            self.broken("I12", format!("a counter of {key} went back: {known:?} to {spent:?}"));
        } else if !is_bounded || is_uncounted {
            let id = run.id;
            self.broken(
                "I12",
                format!("run {id} of {key} went beyond its bounds: {spent:?}, {turns} turns, {stalls} stalls"),
            );
        }
    }

    /// The head of a run was made by a process that was alive to the end, or by people on the branch.
    pub(crate) fn judge_head(&mut self, key: &IssueKey, managed: &Managed) {
        let Some(head) = managed.run.as_ref().and_then(|run| run.head.as_ref()) else { return };
        if !self.record.produced.contains(head.commit.as_str()) {
            let commit = head.commit.short().to_owned();
            self.broken("E7", format!("{key} is at {commit}, which no live process made"));
        }
    }

    /// Says if a person has had the issue queued again since then; only that clears counters. Ralph may have
    /// forgotten it.
    pub(super) fn is_queued_again(&self, engine: &Engine, key: &IssueKey, since: Time) -> bool {
        let read = self.facts.last().map_or(0, |entry| entry.seq);
        let unread = engine.store().and_then(|store| store.journal_after(read).ok());
        self.facts.iter().chain(&unread.unwrap_or_default()).any(|entry| {
            let is_obeyed =
                matches!(entry.fact.what, What::Moved(Move::Commanded { refused: None, .. }));
            entry.at >= since && is_obeyed && entry.fact.subject.issue() == Some(key)
        })
    }
}

/// The folder of a repository's worktrees.
pub(crate) fn folder_of(repo: &RepoName) -> String {
    format!("/{}/", repo.key())
}

fn is_of(path: &ManagedPath, issue: &IssueKey) -> bool {
    let (path, number) = (path.as_str(), issue.number);
    path.contains(&folder_of(&issue.repo)) && path.contains(&format!("/{number}/"))
}

fn busy_in(queues: &Queues) -> u32 {
    u32::try_from(queues.busy.len()).unwrap_or(u32::MAX)
}
