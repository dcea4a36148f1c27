//! Effects performed on the simulated world, and the ends of the processes they started.

use super::Simulator;
use crate::bugs::Bug;
use crate::schedule::Event;
use crate::sim_forge::SimForge;
use crate::sim_work::SimWork;
use crate::town::Town;
use crate::weather::Fault;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Answer, Fact, Outcome, What};
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::job::Job;
use ralph_engine::ports::Ports;
use ralph_engine::{Claimed, EngineError, Performed, perform};

impl Simulator {
    pub(super) fn perform(&mut self, life: u32, claimed: &Claimed) -> Result<(), EngineError> {
        if life != self.town.borrow().life {
            return Ok(());
        }
        if self.strikes(Fault::CrashBefore) {
            return self.crash(Fault::CrashBefore);
        }
        self.meddle_at_the_last_moment(claimed);
        let mut performed = self.really_perform(claimed);
        if let Some(bug) = self.bug {
            bug.rewrite_performed(claimed, self.now(), &mut performed);
            let is_unknown = matches!(performed, Performed::Unknown { .. });
            if bug == Bug::PerformsTwice && is_unknown {
                performed = self.really_perform(claimed);
            }
        }
        // A comment is what a careless restart would write twice, so it is worth more crashes.
        let is_comment = matches!(claimed.effect, Effect::Issue(_, IssueAct::CreateComment { .. }));
        if (0..if is_comment { 20 } else { 1 }).any(|_| self.strikes(Fault::CrashAfter)) {
            return self.crash(Fault::CrashAfter);
        }
        let town = &mut *self.town.borrow_mut();
        let delay = town.prng.between(5, 800);
        let (id, key, performed) = (claimed.id, claimed.key.clone(), Box::new(performed));
        town.schedule.after(town.now, delay, Event::Settle { life, id, key, performed });
        Ok(())
    }

    /// Somebody pushes to the branch, or closes the issue, after the last look and before the merge.
    pub(super) fn meddle_at_the_last_moment(&self, claimed: &Claimed) {
        let Effect::Issue(issue, IssueAct::Merge { .. }) = &claimed.effect else { return };
        let town = &mut *self.town.borrow_mut();
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::PersonPushes, prng) {
            town.say(&format!("people: push to the branch of {issue} at the last moment"));
            town.push_to_branch(issue.number);
        }
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::PersonCloses, prng) {
            town.say(&format!("people: close {issue} at the last moment"));
            town.close(issue.number);
        }
    }

    pub(super) fn really_perform(&self, claimed: &Claimed) -> Performed {
        let now = self.now();
        self.town.borrow_mut().performing = Some(claimed.key.clone());
        let (mut forge, mut work) = (SimForge(self.town.clone()), SimWork(self.town.clone()));
        let (mut agents, mut gates) = (work.clone(), work.clone());
        let mut ports = Ports {
            forge: &mut forge,
            workspaces: &mut work,
            agents: &mut agents,
            gates: &mut gates,
        };
        let performed = perform(claimed, now, &mut ports);
        self.town.borrow_mut().performing = None;
        performed
    }

    pub(super) fn work_ends(&self, issue: IssueKey, attempt: Attempt) {
        let town = &mut *self.town.borrow_mut();
        let Some(process) = town.processes.remove(&(issue.clone(), attempt)) else { return };
        let Town { weather, prng, .. } = town;
        // Few processes are ended, so their late news is worth more draws.
        let is_late = !process.is_alive && (0..4).any(|_| weather.strikes(Fault::AgentLate, prng));
        // Git that was ended makes no worktree any more.
        let is_git = matches!(process.job, Job::Workspace { .. });
        if !process.is_alive && (!is_late || is_git) {
            return;
        }
        let attempt = match (self.bug, self.attempt_now(&issue)) {
            (Some(Bug::OldAttemptCounts), Some(newer)) if is_late => newer,
            _other => attempt,
        };
        let (outcome, texts) = town.ending_of(&issue, &process.job);
        if let (true, Outcome::Turn { answer: Answer::Changed(head), .. }) = (is_late, &outcome) {
            town.ledger.produced.remove(head.commit.as_str());
        }
        town.say(&format!("attempt {attempt} of {issue} ends"));
        let fact = Box::new(Fact::of(issue, What::Finished { attempt, outcome }));
        let life = town.life;
        let mut delay = town.prng.between(10, 3_000);
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::FinishDoubled, prng) {
            let again = delay + prng.between(1, 200_000);
            let (fact, texts) = (fact.clone(), texts.clone());
            town.schedule.after(town.now, again, Event::WorkNews { life, fact, texts });
        }
        if is_late {
            delay += 5_000;
        }
        town.schedule.after(town.now, delay, Event::WorkNews { life, fact, texts });
    }

    /// The attempt that is under way, as Ralph sees it.
    pub(super) fn attempt_now(&self, issue: &IssueKey) -> Option<Attempt> {
        let managed = self.engine.as_ref()?.world().issue(issue)?.managed.as_deref()?;
        managed.work.as_ref().map(|work| work.attempt)
    }
}

/// What became of an effect, in a word or two.
pub(super) fn word(performed: &Performed) -> String {
    match performed {
        Performed::Happened(_) => "happened".to_owned(),
        Performed::Refused(why) => format!("refused ({why})"),
        Performed::Absent => "never happened".to_owned(),
        Performed::Later { why, .. } => format!("later ({why})"),
        Performed::Unknown { why } => format!("unknown ({why})"),
    }
}
