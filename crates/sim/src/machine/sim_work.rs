//! The ports to git, agents and gates, on simulated processes and worktrees.

use crate::bugs::Bug;
use crate::faults::Fault;
use crate::machine::working::Process;
use crate::schedule::Event;
use crate::world::{SimWorld, sha};
use ralph_core::ids::{Attempt, Branch, IssueKey, RepoName, Sha};
use ralph_core::job::Job;
use ralph_core::managed_path::ManagedPath;
use ralph_core::messages::MessageId;
use ralph_core::removal::{Removal, RescueRef};
use ralph_engine::ports::{Answer, Built, Read, RefusalKind, Start, Unread, Workers, Workspaces};
use ralph_forge::{Expected, PushBranch};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Debug, Clone)]
pub(crate) struct SimWork(pub(crate) Rc<RefCell<SimWorld>>);

impl SimWork {
    fn start_process(&self, start: &Start<'_>) -> Answer<()> {
        let world = &mut *self.0.borrow_mut();
        world.oracle.judge_start(&world.machine, start);
        world.oracle.judge_place(&world.machine, start);
        let (issue, attempt) = (start.issue.clone(), start.attempt);
        world.oracle.note_started(start);
        let takes_messages = matches!(start.job, Job::Turn(_)) && world.prng.chance(500);
        let (job, heard) = (start.job.clone(), Vec::new());
        let process = Process { issue: issue.clone(), job, is_alive: true, takes_messages, heard };
        world.machine.processes.insert((issue.clone(), attempt), process);
        if let Some(duration) = world.duration_of(start.job) {
            world.schedule.after(world.clock.now(), duration, Event::WorkEnds { issue, attempt });
        }
        Answer::Happened(())
    }

    fn end_process(&self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        let world = &mut *self.0.borrow_mut();
        if world.faults.bug != Some(Bug::StopLeavesProcess)
            && let Some(process) = world.machine.processes.get_mut(&(issue.clone(), attempt))
        {
            process.is_alive = false;
        }
        Answer::Happened(())
    }
}

impl SimWork {
    fn push_commit(&self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        let world = &mut *self.0.borrow_mut();
        let unknown = || Answer::Unknown { why: "the connection was reset".to_owned() };
        let SimWorld { faults, prng, .. } = world;
        if faults.strikes(Fault::LostBefore, prng) {
            return unknown();
        }
        let is_lost = faults.strikes(Fault::LostAfter, prng);
        let Ok(sha) = commit.as_str().parse() else {
            return Answer::refused(RefusalKind::Other, "no such commit");
        };
        world.keep_for_stale_reads();
        let branch = to.to_string();
        let push = PushBranch { branch, sha, expected_old: Expected::Anything, force: false };
        let now = world.clock.seconds();
        let (login, request) = (world.forge.login, ralph_forge::on(repo.as_str(), push));
        let (response, events) = world.forge.model_mut().handle(login, now, request);
        world.follow(&events);
        world.oracle.judge_push(&mut world.forge, repo, sha);
        match response {
            _ if is_lost => unknown(),
            Ok(_) => Answer::Happened(()),
            Err(refusal) => Answer::refused(RefusalKind::Other, &refusal.to_string()),
        }
    }
}

impl Workers for SimWork {
    fn start(&mut self, start: &Start<'_>) -> Answer<()> {
        self.start_process(start)
    }

    fn tell(
        &mut self,
        issue: &IssueKey,
        attempt: Attempt,
        message: MessageId,
        words: &str,
    ) -> Answer<()> {
        self.0.borrow_mut().tell_process((issue, attempt), message, words)
    }

    fn end(&mut self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        self.end_process(issue, attempt)
    }
}

impl Workspaces for SimWork {
    fn push(
        &mut self,
        issue: &IssueKey,
        from: &ManagedPath,
        to: &Branch,
        commit: &Sha,
    ) -> Answer<()> {
        self.0.borrow_mut().oracle.judge_path(from, issue);
        self.push_commit(&issue.repo, to, commit)
    }

    fn build_trial(&mut self, repo: &RepoName, base: &Sha, heads: &[&Sha]) -> Answer<Built> {
        let built = self.0.borrow_mut().forge.build_trial(repo, base, heads);
        built.map_or_else(
            || Answer::Later { until: None, why: "git failed".to_owned() },
            Answer::Happened,
        )
    }

    fn push_built(&mut self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        self.push_commit(repo, to, commit)
    }

    fn remote_head(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<Sha>> {
        let world = &mut *self.0.borrow_mut();
        let SimWorld { faults, prng, .. } = world;
        if faults.strikes(Fault::ReadFailed, prng) {
            return Err(Unread::failed("the connection was reset".to_owned()));
        }
        Ok(world.forge.model().branch(repo.as_str(), branch.as_str()).map(sha))
    }

    fn remove(&mut self, path: &ManagedPath, proof: &Removal) -> Answer<Option<RescueRef>> {
        let world = &mut *self.0.borrow_mut();
        let SimWorld { faults, prng, .. } = world;
        if faults.strikes(Fault::LostBefore, prng) {
            return Answer::Unknown { why: "git was killed".to_owned() };
        }
        if matches!(proof, Removal::GivenUp(_)) && world.faults.bug != Some(Bug::ForgetsToRescue) {
            world.rescue(path);
        }
        world.oracle.judge_removal(&mut world.forge, &world.machine, path, proof);
        world.machine.worktrees.remove(path.as_str());
        let rescued = world.machine.rescued.contains_key(path.as_str());
        Answer::Happened(rescued.then(|| RescueRef::new(&format!("refs/ralph{}", path.as_str()))))
    }
}
