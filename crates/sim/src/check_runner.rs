//! The forge's checks: they take time, report late or never, and are red when the change is broken.

use crate::schedule::Event;
use crate::town::{CI, REQUIRED, Town};
use crate::weather::Fault;
use ralph_core::ids::RepoName;
use ralph_forge::{
    CheckCall, CheckOutput, CheckState, Conclusion, NewCheckRun, NewStatus, PullCall, Reply,
    StatusState,
};

/// What a red check says; two attempts in a row come to the same end often enough.
const CAUSES: [&str; 2] = [
    "error[E0308]: mismatched types\n --> src/a.rs:1:2\n",
    "thread 'adds' panicked at src/a.rs:1:2:\nassertion `left == right` failed\n  left: 3\n right: 4\n",
];

impl Town {
    pub(crate) fn checks_of_pull(&mut self, repo: &RepoName, number: u64) {
        if let Some(Reply::Pull(view)) = self.look(repo, PullCall::Get { number }) {
            let head = view.summary.head_sha;
            self.pulls_by_head.insert((repo.clone(), head), number);
            if self.weather.strikes(Fault::LaneUseless, &mut self.prng) {
                self.doomed_pulls.insert((repo.clone(), number));
            }
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
        let pull = self.pulls_by_head.get(&(repo.clone(), head));
        let is_doomed = pull.is_some_and(|pull| self.doomed_pulls.contains(&(repo.clone(), *pull)));
        let is_red = is_broken || is_doomed || weather.strikes(Fault::CheckFails, prng);
        let is_twofold = weather.strikes(Fault::CheckStatusToo, prng);
        let neutral = prng.chance(50);
        let cause = prng.pick(&CAUSES).copied();
        let text = cause.filter(|_| is_red).map(str::to_owned);
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
            output: CheckOutput { text, ..CheckOutput::default() },
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
