//! Processes of a turn: limits, ends on request, and nothing that outlives its run or Ralph.
#![expect(clippy::disallowed_methods, reason = "one test starts a Ralph to kill it")]

use crate::stage::{Kept, Set, Stage, containments, path, reason};
use crate::tether::{Tether, alive};
use ralph_adapters::jobs::Report;
use ralph_adapters::watchdog::StallLimits;
use ralph_core::fact::{Answer as Said, Outcome};
use ralph_core::ids::Attempt;
use ralph_core::job::{Job, Role};
use ralph_engine::ports::{Answer, Start, Workers as _};
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A stage with a workspace, whose agents get a mark in their environment.
pub(crate) fn ready(set: Set, mark: &'static str) -> Stage {
    let mut stage = Stage::set(&Set { agent_environment: vec![("MARK", mark)], ..set });
    stage.prepare();
    stage
}

pub(crate) fn implement_job(stage: &Stage) -> Job {
    let base = crate::stage::git(&stage.forge(), &["rev-parse", crate::stage::BASE]);
    let base = ralph_core::ids::Sha::new(base.trim());
    Job::Turn(Box::new(stage.turn(Role::Implement, &base, None)))
}

#[test]
fn daemons_and_orphans_die_with_their_turn() {
    for kept in containments() {
        let mut stage = ready(Set { kept, ..Set::default() }, "mark-of-the-daemons");
        let tether = Tether::tie(&stage.folder);
        let daemons = "setsid sleep 1000 > /dev/null 2>&1 &\n\
                       (setsid sh -c 'trap \"\" TERM HUP; sleep 1000' &)\n\
                       sleep 1000 &\n\
                       echo done > a.txt\n";
        let outcome = stage.implement(&format!("{}{daemons}", tether.hold()));
        let Outcome::Turn { answer: Said::Changed(_), .. } = outcome else {
            panic!("{kept:?}: {outcome:?}")
        };
        assert_eq!(alive("mark-of-the-daemons"), [""; 0], "{kept:?}");
        tether.is_let_go();
    }
}

#[test]
fn nothing_survives_a_kill_of_ralph() {
    for kept in containments() {
        let stage = Stage::kept(kept);
        let tether = Tether::tie(&stage.folder);
        stage.script(&format!(
            "{}trap '' TERM HUP INT\nsetsid sleep 1000 &\n(setsid sh -c 'sleep 1000' &)\n\
             echo up\nwhile :; do sleep 1000; done\n",
            tether.hold()
        ));
        let mut ralph = Command::new(env!("CARGO_BIN_EXE_adapters-stand-in"))
            .arg("life")
            .arg(&stage.folder)
            .arg(path())
            .args((kept == Kept::ByBubblewrap).then_some("bwrap"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("a Ralph");
        let output = ralph.stdout.take().expect("its output");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        assert_eq!(
            lines.find(|line| line == "up" || line.contains("finished")).as_deref(),
            Some("up")
        );
        ralph.kill().expect("it can be killed");
        ralph.wait().expect("it is gone");
        tether.is_let_go();
    }
}

#[test]
fn a_crash_is_told_with_its_last_lines() {
    for kept in containments() {
        let mut stage = ready(Set { kept, ..Set::default() }, "mark-of-the-crash");
        for (script, how, last) in [
            ("echo boom >&2; exit 3", "exit status 3", "boom"),
            ("echo said; kill -9 $$", "killed by signal 9", "said"),
            ("no-such-program-anywhere", "exit status 127", "not found"),
        ] {
            let reason = reason(stage.implement(script));
            assert!(reason.starts_with(how) && reason.contains(last), "{script}: {reason}");
        }
    }
}

#[test]
fn a_gigabyte_of_output_is_neither_kept_nor_a_problem() {
    let stall = StallLimits { output_bytes: u64::MAX, ..Set::default().stall };
    let mut stage = ready(Set { stall, ..Set::default() }, "mark-of-the-loud");
    let outcome = stage.implement("echo first; yes | head -c 1G; echo; echo last; echo x > a.txt");
    assert!(matches!(outcome, Outcome::Turn { answer: Said::Changed(_), .. }), "{outcome:?}");
    let transcript = stage.run_folder().join("2-implement/response.txt");
    let text = std::fs::read_to_string(transcript).expect("a transcript");
    assert!(text.len() < 17 * 1024 * 1024, "{} bytes", text.len());
    assert!(text.starts_with("first\ny\ny\n") && text.ends_with("y\ny\n\nlast\n"));
    assert!(text.contains(" bytes cut]\n"));
}

#[test]
fn an_end_on_request_gives_time_to_tidy_up_and_is_not_reported() {
    for kept in containments() {
        let mut stage = ready(Set { kept, ..Set::default() }, "mark-of-the-tidy");
        let tether = Tether::tie(&stage.folder);
        stage.script(&format!(
            "trap 'sleep 0.3; echo tidy > tidied; exit 0' TERM\n{}while :; do sleep 0.1; done\n",
            tether.hold()
        ));
        let (job, issue) = (implement_job(&stage), stage.issue.clone());
        stage.start(&job, "");
        tether.is_held();
        let attempt = stage.attempt();
        assert_eq!(stage.adapters.workers.end(&issue, attempt), Answer::Happened(()));
        assert_eq!(alive("mark-of-the-tidy"), [""; 0], "{kept:?}");
        assert!(stage.worktree_path().join("tidied").exists(), "{kept:?}");
        let is_finished = |it: Report| matches!(it, Report::Finished { .. });
        assert!(!stage.reports.try_iter().any(is_finished), "the end is the answer, not a report");
        assert_eq!(stage.adapters.workers.end(&issue, attempt), Answer::Happened(()), "and twice");
    }
}

#[test]
fn an_agent_that_will_not_end_is_killed() {
    for kept in containments() {
        let grace = Duration::from_millis(200);
        let mut stage = ready(Set { kept, grace, ..Set::default() }, "mark-of-the-stubborn");
        let tether = Tether::tie(&stage.folder);
        stage.script(&format!(
            "trap '' TERM HUP INT\n{}while :; do sleep 1000; done\n",
            tether.hold()
        ));
        let (job, issue) = (implement_job(&stage), stage.issue.clone());
        stage.start(&job, "");
        tether.is_held();
        let attempt = stage.attempt();
        assert_eq!(stage.adapters.workers.end(&issue, attempt), Answer::Happened(()));
        assert_eq!(alive("mark-of-the-stubborn"), [""; 0], "{kept:?}");
    }
}

#[test]
fn an_attempt_starts_once_and_a_stale_owner_not_at_all() {
    let mut stage = ready(Set::default(), "mark-of-the-fenced");
    let count = stage.folder.join("count");
    stage.script(&format!("echo x >> '{}'; echo y > a.txt", count.display()));
    let (job, issue) = (implement_job(&stage), stage.issue.clone());
    let mut start = |attempt: u32, token| {
        let attempt = Attempt(attempt);
        let start = Start { issue: &issue, attempt, token, job: &job, prompt: "", remarks: &[] };
        stage.adapters.workers.start(&start)
    };
    assert_eq!(start(5, 9), Answer::Happened(()));
    assert_eq!(start(5, 9), Answer::Happened(()), "the same again is no second process");
    assert!(matches!(start(6, 8), Answer::Refused(_)), "a lower token is a stale owner");
    assert!(matches!(start(4, 9), Answer::Refused(_)), "an older attempt is not begun again");
    let report =
        stage.reports.iter().find(|it| matches!(it, Report::Finished { attempt: Attempt(5), .. }));
    assert!(report.is_some());
    assert_eq!(start(5, 9), Answer::Happened(()), "nor is it once it is over");
    assert_eq!(std::fs::read_to_string(&count).expect("a count"), "x\n");
}
