//! The forge's checks: they take time, report late or never, and are red when the change is broken.

use crate::faults::Fault;
use crate::schedule::Event;
use crate::world::{CI, REQUIRED, SimWorld};
use ralph_core::ids::RepoName;
use ralph_forge::{
    CheckOutput, CheckState, Conclusion, CreateCheckRun, CreateStatus, GetPull, NewCheckRun,
    NewStatus, Sha, StatusState,
};

/// The logs of red checks; two attempts in a row have the same one often enough.
const CAUSES: [&str; 2] = [
    "error[E0308]: mismatched types\n --> src/a.rs:1:2\n",
    "thread 'adds' panicked at src/a.rs:1:2:\nassertion `left == right` failed\n  left: 3\n right: 4\n",
];

/// The logs of checks that chance or their machine made red; another run is green.
const FLAKE: &str = "Error: read ECONNRESET\n    at TLSWrap.onStreamRead\n";
const INFRA: &str = "tar: out.tar: Cannot write: No space left on device\n";
pub(crate) const BY_CHANCE: [&str; 2] = [FLAKE, INFRA];

/// So many checks of trials in a thousand are red by chance or never report, while there are mishaps left.
const RED_PER_MILLE: u64 = 150;
const SILENT_PER_MILLE: u64 = 50;

impl SimWorld {
    /// Handles the request to run a finished check again: it shows as running, and reports later.
    pub(crate) fn run_check_again(&mut self, repo: &RepoName, head: Sha, name: &str) {
        let run = NewCheckRun {
            name: name.to_owned(),
            head,
            state: CheckState::InProgress,
            details_url: None,
            output: CheckOutput::default(),
        };
        self.act(CI, repo, CreateCheckRun(run));
        let delay = self.prng.between(5_000, 300_000);
        let (repo, sha, name) = (repo.clone(), head.to_string(), name.to_owned());
        self.schedule.after(self.clock.now(), delay, Event::Check { repo, sha, name });
    }

    pub(crate) fn checks_of_pull(&mut self, repo: &RepoName, number: u64) {
        if let Some(view) = self.forge.look(repo, GetPull { number }) {
            let head = view.summary.head_sha;
            self.forge.pulls_by_head.insert((repo.clone(), head), number);
            self.meet_pull(repo, number, &view.summary.head);
            if self.faults.strikes(Fault::LaneUseless, &mut self.prng) {
                self.forge.doomed_pulls.insert((repo.clone(), number));
            }
            self.lose_issue_of(repo, &view.summary.head);
            self.start_checks(repo, &head.to_string());
        }
    }

    pub(crate) fn start_checks(&mut self, repo: &RepoName, sha: &str) {
        if self.forge.skips_checks(repo, sha) || self.holds_back(repo, sha) {
            return;
        }
        for name in REQUIRED {
            let is_silent = self.oracle.is_trial(repo, sha) && self.strikes_trial(SILENT_PER_MILLE);
            let Self { faults, prng, .. } = self;
            if is_silent {
                faults.count(Fault::TrialSilent);
            }
            if is_silent || faults.strikes(Fault::CheckSilent, prng) {
                continue;
            }
            let delay = prng.between(5_000, 300_000);
            let (repo, sha, name) = (repo.clone(), sha.to_owned(), name.to_owned());
            self.schedule.after(self.clock.now(), delay, Event::Check { repo, sha, name });
        }
    }

    pub(crate) fn report_check(&mut self, repo: &RepoName, sha: &str, name: &str) {
        let Ok(head) = sha.parse() else { return };
        let is_broken = self
            .forge
            .files_at(repo, head)
            .any(|(path, text)| path.starts_with("src/") && text.contains("broken"));
        let is_broken = is_broken && self.forge.has_strict_tests(repo, head);
        let fails = self.oracle.is_trial_head(repo, head) && self.strikes_trial(RED_PER_MILLE);
        if fails {
            self.faults.count(Fault::TrialFails);
        }
        let is_broken = is_broken || fails;
        let scripted = self.red_head(repo, head).filter(|_| name == REQUIRED[0]);
        let Self { faults, prng, .. } = self;
        let pull = self.forge.pulls_by_head.get(&(repo.clone(), head));
        let is_doomed =
            pull.is_some_and(|pull| self.forge.doomed_pulls.contains(&(repo.clone(), *pull)));
        // What is red for other reasons leaves few checks, so this one is worth more draws.
        let mut strikes = || (0..4).any(|_| faults.strikes(Fault::CheckFails, prng));
        let is_at_fault = scripted.is_some() || is_broken || is_doomed || strikes();
        let place = (repo.clone(), sha.to_owned(), name.to_owned());
        let is_again = self.oracle.record.by_chance.contains(&place);
        let chance = if is_at_fault || is_again {
            None
        } else if faults.strikes(Fault::CheckFlakes, prng) {
            Some(FLAKE)
        } else {
            faults.strikes(Fault::CheckInfra, prng).then_some(INFRA)
        };
        let is_red = is_at_fault || chance.is_some();
        if chance.is_some() {
            self.oracle.record.by_chance.insert(place);
        } else if is_at_fault {
            self.oracle.record.by_chance.remove(&place);
        }
        self.oracle.note_report(repo, sha, name, is_red);
        let Self { faults, prng, .. } = self;
        let is_twofold = faults.strikes(Fault::CheckStatusToo, prng);
        let neutral = prng.chance(50);
        let cause = prng.pick(&CAUSES).copied();
        // Consecutive logs differ, so that Ralph does not give up early.
        let cause = scripted.and_then(|place| CAUSES.get(place % CAUSES.len()).copied()).or(cause);
        let text = chance.or(cause.filter(|_| is_red)).map(str::to_owned);
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
        self.act(CI, repo, CreateCheckRun(run));
        if is_twofold {
            let state = if is_red { StatusState::Failure } else { StatusState::Success };
            let context = name.to_owned();
            let status = NewStatus { context, state, description: None, target_url: None };
            self.act(CI, repo, CreateStatus { sha: head, status });
        }
    }
}
