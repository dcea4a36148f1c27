//! Promises about what Ralph does by itself: what it starts, removes, believes and counts.

use crate::town::{REPO, Town, root};
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::fact::{Observation, What};
use ralph_core::ids::IssueKey;
use ralph_core::issue::{DoneEvidence, Managed, Phase};
use ralph_core::job::Job;
use ralph_core::managed_path::ManagedPath;
use ralph_core::policy::Policy;
use ralph_core::removal::{GivenUp, Removal};
use ralph_core::world::World;
use ralph_engine::ports::Start;
use ralph_engine::{Claimed, Reading};

impl Town {
    /// A process starts: where, whose, and is there room?
    pub(crate) fn judge_start(&mut self, start: &Start<'_>) {
        match start.job {
            Job::Workspace { path, .. } | Job::Setup { path, .. } => {
                self.judge_path(path, start.issue);
            }
            Job::Turn(turn) => {
                self.judge_path(&turn.path, start.issue);
                if !self.worktrees.contains_key(turn.path.as_str()) {
                    self.broken("I7", format!("a turn of {} has no worktree", start.issue));
                }
            }
            Job::Preflight { .. } => {}
        }
        let highest = self.ledger.tokens.entry(start.issue.clone()).or_insert(0);
        let is_stale = start.token < *highest;
        *highest = start.token.max(*highest);
        if is_stale {
            let token = start.token;
            self.broken("I8", format!("{} was started by a stale owner ({token})", start.issue));
        }
        let twin = self.processes.values().any(|p| p.is_alive && p.issue == *start.issue);
        if twin {
            self.broken("I8", format!("{} has two live processes", start.issue));
        }
    }

    pub(crate) fn judge_path(&mut self, path: &ManagedPath, issue: &IssueKey) {
        let is_own = path.as_str().contains(&format!("/{}/", issue.number));
        if !root().holds(path) || !is_own {
            self.broken("I7", format!("work of {issue} in {}", path.as_str()));
        }
    }

    /// A worktree is about to be removed: is it ours, free, and is nothing lost with it?
    pub(crate) fn judge_removal(&mut self, path: &ManagedPath, proof: &Removal) {
        let is_safe = match proof {
            Removal::GivenUp(_) => self.is_rescued(path),
            Removal::Done(
                DoneEvidence::Reachable { merged, .. } | DoneEvidence::RolledUp { merged, .. },
            ) => merged.as_str().parse().is_ok_and(|commit| self.has_reached_default(commit)),
        };
        if !root().holds(path) || !is_safe {
            self.broken("I14", format!("{} was removed too early", path.as_str()));
        }
        let is_of = |issue: &IssueKey| path.as_str().contains(&format!("/{}/", issue.number));
        if self.processes.values().any(|process| process.is_alive && is_of(&process.issue)) {
            self.broken("I14", format!("{} was removed under a process", path.as_str()));
        }
    }

    fn is_rescued(&self, path: &ManagedPath) -> bool {
        let Some(worktree) = self.worktrees.get(path.as_str()) else { return true };
        let Some(saved) = self.rescued.get(path.as_str()) else { return false };
        let tree = self.forge.find_commit(REPO, *saved).map(|commit| &commit.tree);
        let has = |(path, text): (&String, &String)| {
            tree.is_some_and(|tree| tree.get(path) == Some(text.as_str()))
        };
        self.forge.is_ancestor(REPO, worktree.head, *saved) && worktree.uncommitted.iter().all(has)
    }

    /// A worktree is given up: does Ralph know the issue as stopped, or another worktree as its run's own?
    fn judge_given_up(&mut self, path: &ManagedPath, why: GivenUp, managed: Option<&Managed>) {
        let own = managed.and_then(|managed| managed.run.as_ref()?.workspace.as_ref());
        let is_given_up = match why {
            GivenUp::Stopped => managed
                .is_some_and(|managed| matches!(managed.phase, Phase::Stopped { .. } | Phase::Out)),
            GivenUp::Superseded => own.is_none_or(|own| own.path != *path),
        };
        if !is_given_up {
            self.broken("I14", format!("{} is removed although it is in use", path.as_str()));
        }
    }

    /// An effect is about to be performed: does Ralph know of a reason not to?
    pub(crate) fn judge_claim(&mut self, claimed: &Claimed, world: &World) {
        let (Effect::Issue(key, _) | Effect::Machine(key, _)) = &claimed.effect else { return };
        let managed = world.issue(key).and_then(|issue| issue.managed.as_deref());
        let is_free = managed.is_some_and(|managed| {
            !managed.is_paused && matches!(managed.phase, Phase::Running { .. })
        });
        if let Effect::Machine(_, MachineAct::RemoveWorkspace { path, proof }) = &claimed.effect
            && let (Removal::GivenUp(why), false) = (proof, claimed.only_looks)
        {
            self.judge_given_up(path, *why, managed);
        }
        if claimed.effect.is_step() && !claimed.only_looks && !is_free {
            self.broken("I13", format!("{} while the issue is held", claimed.key));
        }
    }

    /// What is told to Ralph must have happened.
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
                if !self.ledger.intents.contains(&(key.clone(), id)) {
                    self.broken("I3", format!("nobody who may has asked for event {id} on {key}"));
                }
            }
        }
    }

    /// After every step of the engine.
    pub(crate) fn judge_world(&mut self, world: &World, policy: &Policy) {
        let alive = self.processes.values().filter(|process| process.is_alive).count();
        let slots = policy.repos.values().map(|rules| rules.slots).sum::<u32>();
        let limit = usize::try_from(policy.max_workers.min(slots)).unwrap_or(usize::MAX);
        if alive > limit {
            self.broken("E3", format!("{alive} processes, {limit} allowed"));
        }
        let orphan = self.processes.iter().find(|((issue, attempt), process)| {
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
        let is_idle = world.busy() < policy.max_workers;
        for (name, queues) in world.all_queues() {
            let Some(rules) = policy.repo(name) else { continue };
            let busy = u32::try_from(queues.busy.len()).unwrap_or(u32::MAX);
            let claims = u32::try_from(queues.claimed.len()).unwrap_or(u32::MAX);
            let has_room = is_idle && busy < rules.slots;
            let waits = !queues.wanting.is_empty()
                || (claims < rules.claims_max && !queues.claimable.is_empty());
            if has_room && waits && !policy.draining {
                self.broken("I5", format!("{name} has work and room, and nothing was started"));
            }
        }
    }

    /// Counters of a run only grow, and stay within their bounds.
    pub(crate) fn judge_counters(&mut self, key: &IssueKey, managed: &Managed, policy: &Policy) {
        let (Some(run), Some(rules)) = (&managed.run, policy.repo(&key.repo)) else { return };
        let spent = run.spent;
        let asked = managed.commands.last.as_ref().map(|result| result.id);
        let known = self.ledger.spent.insert(key.clone(), (run.id.run, asked, spent));
        let limits = &rules.limits;
        let is_bounded = spent.implement_turns <= limits.implement_turns
            && spent.plan_turns <= limits.plan_turns
            && spent.setup_tries <= limits.setup_tries
            && spent.workspace_tries <= limits.workspace_tries
            && spent.review_failures <= limits.review_failures
            && spent.preflight_tries <= limits.preflight_tries
            && spent.merge_refusals <= limits.merge_refusals
            && spent.interruptions <= limits.interruptions;
        let turns = self.ledger.turns.get(&(key.clone(), run.id.run)).copied().unwrap_or(0);
        // Turns whose result died with Ralph or was resumed by a command are not the run's.
        let slack = 12 + u32::from(asked.is_some()) * limits.implement_turns * 4;
        if !is_bounded || turns > limits.implement_turns + slack {
            self.broken(
                "I12",
                format!("run {} of {key} went beyond its bounds: {spent:?}", run.id),
            );
        }
        let Some((number, by, before)) = known else { return };
        let same_run = number == run.id.run && by == asked;
        let went_back = spent.implement_turns < before.implement_turns
            || spent.plan_turns < before.plan_turns
            || spent.setup_tries < before.setup_tries
            || spent.workspace_tries < before.workspace_tries
            || spent.review_failures < before.review_failures
            || spent.preflight_tries < before.preflight_tries
            || spent.merge_refusals < before.merge_refusals;
        if same_run && went_back {
            self.broken("I12", format!("a counter of {key} went back: {before:?} to {spent:?}"));
        }
    }

    /// The head of a run was made by a process that was alive to the end, or by people on the branch.
    pub(crate) fn judge_head(&mut self, key: &IssueKey, managed: &Managed) {
        let Some(head) = managed.run.as_ref().and_then(|run| run.head.as_ref()) else { return };
        if !self.ledger.produced.contains(head.commit.as_str()) {
            let commit = head.commit.short().to_owned();
            self.broken("E7", format!("{key} is at {commit}, which no live process made"));
        }
    }
}
