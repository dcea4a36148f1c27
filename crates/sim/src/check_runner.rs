//! The forge's checks: they take time, report late or never, and are red when the change is broken.

use crate::schedule::Event;
use crate::town::{CI, REQUIRED, Town};
use crate::weather::Fault;
use ralph_core::ids::RepoName;
use ralph_forge::{
    CheckCall, CheckOutput, CheckState, Conclusion, NewCheckRun, NewStatus, PullCall, Reply,
    StatusState,
};

impl Town {
    pub(crate) fn checks_of_pull(&mut self, repo: &RepoName, number: u64) {
        if let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) {
            let head = view.summary.head_sha;
            self.pulls_by_head.insert((repo.clone(), head), number);
            self.start_checks(repo, &head.to_string());
        }
    }

    pub(crate) fn start_checks(&mut self, repo: &RepoName, sha: &str) {
        for name in REQUIRED {
            let Self { weather, prng, .. } = self;
            if weather.strikes(Fault::CheckSilent, prng) {
                continue;
            }
            let delay = prng.between(5_000, 500_000);
            let (repo, sha, name) = (repo.clone(), sha.to_owned(), name.to_owned());
            self.schedule.after(self.now, delay, Event::Check { repo, sha, name });
        }
    }

    pub(crate) fn report_check(&mut self, repo: &RepoName, sha: &str, name: &str) {
        let Ok(head) = sha.parse() else { return };
        let is_broken = self
            .files_at(repo, head)
            .any(|(path, text)| path.starts_with("src/") && text.contains("broken"));
        let is_broken = is_broken && self.has_strict_tests(repo, head);
        let Self { weather, prng, .. } = self;
        let is_red = is_broken || weather.strikes(Fault::CheckFails, prng);
        let is_twofold = weather.strikes(Fault::CheckStatusToo, prng);
        let neutral = prng.chance(50);
        let conclusion = match (is_red, neutral) {
            (true, _) => Conclusion::Failure,
            (false, true) => Conclusion::Neutral,
            (false, false) => Conclusion::Success,
        };
        let run = NewCheckRun {
            name: name.to_owned(),
            head,
            state: CheckState::Completed(conclusion),
            details_url: Some(format!("https://ci.example/{name}")),
            output: CheckOutput::default(),
        };
        self.act(CI, repo, CheckCall::CreateRun(run));
        if is_twofold {
            let state = if is_red { StatusState::Failure } else { StatusState::Success };
            let context = name.to_owned();
            let status = NewStatus { context, state, description: None, target_url: None };
            self.act(CI, repo, CheckCall::CreateStatus { sha: head, status });
        }
    }
}
