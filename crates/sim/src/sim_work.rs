//! The ports to git, agents and gates, on simulated processes and worktrees.

use crate::bugs::Bug;
use crate::schedule::Event;
use crate::town::{Town, sha};
use crate::weather::Fault;
use crate::working::Process;
use ralph_core::ids::{Attempt, Branch, IssueKey, RepoName, Sha};
use ralph_core::managed_path::ManagedPath;
use ralph_core::removal::{Removal, RescueRef};
use ralph_engine::ports::{Answer, Built, Read, RefusalKind, Start, Unread, Workers, Workspaces};
use ralph_forge::{Expected, GitCall, Request};
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Debug, Clone)]
pub(crate) struct SimWork(pub(crate) Rc<RefCell<Town>>);

impl SimWork {
    fn start_process(&self, start: &Start<'_>) -> Answer<()> {
        let town = &mut *self.0.borrow_mut();
        town.judge_start(start);
        town.judge_place(start);
        let (issue, attempt) = (start.issue.clone(), start.attempt);
        let process = Process { issue: issue.clone(), job: start.job.clone(), is_alive: true };
        town.processes.insert((issue.clone(), attempt), process);
        if let Some(duration) = town.duration_of(start.job) {
            town.schedule.after(town.now, duration, Event::WorkEnds { issue, attempt });
        }
        Answer::Happened(())
    }

    fn end_process(&self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        let town = &mut *self.0.borrow_mut();
        if town.bug != Some(Bug::StopLeavesProcess)
            && let Some(process) = town.processes.get_mut(&(issue.clone(), attempt))
        {
            process.is_alive = false;
        }
        Answer::Happened(())
    }
}

impl SimWork {
    fn push_commit(&self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        let town = &mut *self.0.borrow_mut();
        let unknown = || Answer::Unknown { why: "the connection was reset".to_owned() };
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::LostBefore, prng) {
            return unknown();
        }
        let is_lost = weather.strikes(Fault::LostAfter, prng);
        let Ok(sha) = commit.as_str().parse() else {
            return Answer::refused(RefusalKind::Other, "no such commit");
        };
        town.keep_for_stale_reads();
        let branch = to.to_string();
        let push = GitCall::Push { branch, sha, expected_old: Expected::Anything, force: false };
        let now = town.seconds();
        let (login, request) = (town.login, Request::on(repo.as_str(), push));
        let (response, events) = town.forge_mut().handle(login, now, request);
        town.follow(&events);
        town.judge_push(repo, sha);
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
        self.0.borrow_mut().judge_path(from, issue);
        self.push_commit(&issue.repo, to, commit)
    }

    fn build_trial(&mut self, repo: &RepoName, base: &Sha, heads: &[&Sha]) -> Answer<Built> {
        let built = self.0.borrow_mut().build_trial(repo, base, heads);
        built.map_or_else(
            || Answer::Later { until: None, why: "git failed".to_owned() },
            Answer::Happened,
        )
    }

    fn push_built(&mut self, repo: &RepoName, to: &Branch, commit: &Sha) -> Answer<()> {
        self.push_commit(repo, to, commit)
    }

    fn remote_head(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<Sha>> {
        let town = &mut *self.0.borrow_mut();
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::ReadFailed, prng) {
            return Err(Unread::failed("the connection was reset".to_owned()));
        }
        Ok(town.forge().branch(repo.as_str(), branch.as_str()).map(sha))
    }

    fn remove(&mut self, path: &ManagedPath, proof: &Removal) -> Answer<Option<RescueRef>> {
        let town = &mut *self.0.borrow_mut();
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::LostBefore, prng) {
            return Answer::Unknown { why: "git was killed".to_owned() };
        }
        if matches!(proof, Removal::GivenUp(_)) && town.bug != Some(Bug::ForgetsToRescue) {
            town.rescue(path);
        }
        town.judge_removal(path, proof);
        town.worktrees.remove(path.as_str());
        let rescued = town.rescued.contains_key(path.as_str());
        Answer::Happened(rescued.then(|| RescueRef::new(&format!("refs/ralph{}", path.as_str()))))
    }
}
