//! The watchdog over real processes: every kind of stall is ended with all that belongs to it, and healthy work is
//! left alone, quiet or loud.

use crate::processes::{implement_job, ready};
use crate::stage::{Set, Stage, WAIT, containments};
use crate::tether::alive;
use ralph_adapters::jobs::Report;
use ralph_adapters::watchdog::StallLimits;
use ralph_core::fact::{Answer as Said, Outcome};
use ralph_core::job::Job;
use ralph_core::stall::{Stall, Suspicion};
use ralph_core::time::Span;
use std::time::Duration;

/// Limits that nothing in these tests comes near, but for the one a test is about.
const FAR: StallLimits =
    StallLimits { idle: WAIT, repeats: WAIT, edits: u32::MAX, output_bytes: u64::MAX };

fn stage(stall: StallLimits, mark: &'static str) -> Stage {
    let grace = Duration::from_millis(200);
    ready(Set { stall, grace, ..Set::default() }, mark)
}

/// The stall of a turn, its last lines, and its session.
fn stalled(outcome: Outcome) -> (Stall, String, Option<String>) {
    let Outcome::Stalled { seen, last, session } = outcome else { panic!("{outcome:?}") };
    (seen, last, session)
}

fn is_done(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Turn { answer: Said::Changed(_), .. })
}

#[test]
fn an_agent_that_does_nothing_is_ended_at_the_idle_limit() {
    for kept in containments() {
        let idle = Duration::from_millis(200);
        let set = Set { kept, stall: StallLimits { idle, ..FAR }, ..Set::default() };
        let set = Set { grace: Duration::from_millis(200), ..set };
        let mut stage = ready(set, "mark-of-the-idle");
        let script = "echo '{\"session\":\"s-1\"}' > $RALPH_RESULT_FILE\n\
                      echo thinking >&2; exec sleep 1000";
        let (seen, last, session) = stalled(stage.implement(script));
        assert_eq!(seen, Stall::Idle { limit: Span(200) });
        assert_eq!((last.as_str(), session.as_deref()), ("thinking", Some("s-1")));
        assert_eq!(alive("mark-of-the-idle"), [""; 0]);
    }
}

#[test]
fn a_tool_that_hangs_is_named() {
    let stall = StallLimits { idle: Duration::from_secs(1), ..FAR };
    let mut stage = stage(stall, "mark-of-the-tool");
    let script = "for i in 1 2 3 4 5; do sleep 0.5; echo at work; done; tail -f /dev/null";
    let (seen, last, _) = stalled(stage.implement(script));
    assert_eq!(seen, Stall::HungTool { name: "tail".to_owned(), limit: Span(1_000) });
    assert!(last.ends_with("at work"), "{last}");
    assert_eq!(alive("mark-of-the-tool"), [""; 0]);
}

#[test]
fn the_same_lines_over_and_over_are_a_stall() {
    let stall = StallLimits { repeats: Duration::from_secs(3), ..FAR };
    let mut stage = stage(stall, "mark-of-the-parrot");
    let script = "echo first\nwhile :; do echo let me try; echo that again; sleep 0.02; done";
    let (seen, last, _) = stalled(stage.implement(script));
    assert_eq!(seen, Stall::RepeatedOutput { limit: Span(3_000) });
    assert!(last.ends_with("that again") || last.ends_with("let me try"), "{last}");
    assert_eq!(alive("mark-of-the-parrot"), [""; 0]);
}

#[test]
fn output_without_end_is_a_stall() {
    let stall = StallLimits { output_bytes: 5_000_000, ..FAR };
    let mut stage = stage(stall, "mark-of-the-flood");
    let (seen, ..) = stalled(stage.implement("i=0; while :; do i=$((i+1)); seq $i 100000; done"));
    assert_eq!(seen, Stall::RunawayOutput { bytes: 5_000_000 });
    assert_eq!(alive("mark-of-the-flood"), [""; 0]);
}

#[test]
fn edits_without_a_check_are_a_stall_and_the_file_is_named() {
    for script in [
        "while :; do echo here > src/one.txt; sleep 0.1; echo there > src/one.txt; sleep 0.1; done",
        "i=0; while :; do i=$((i+1)); echo $i > src/one.txt; sleep 0.1; done",
    ] {
        let stall = StallLimits { repeats: Duration::from_millis(600), edits: 20, ..FAR };
        let mut stage = stage(stall, "mark-of-the-editor");
        let (seen, ..) = stalled(stage.implement(script));
        let Stall::EditLoop { file, edits } = seen else { panic!("{seen:?}") };
        assert_eq!(file, "src/one.txt");
        assert!((20..40).contains(&edits), "{edits}");
        assert_eq!(alive("mark-of-the-editor"), [""; 0]);
    }
}

#[test]
fn a_turn_ends_at_its_limit_however_busy_it_is() {
    let mut stage = stage(FAR, "mark-of-the-busy");
    stage.script("while :; do echo busy; done");
    let Job::Turn(mut turn) = implement_job(&stage) else { panic!("a turn") };
    turn.timeout = Span(300);
    let (seen, ..) = stalled(stage.run(&Job::Turn(turn), ""));
    assert_eq!(seen, Stall::Overtime { limit: Span(300) });
    assert_eq!(alive("mark-of-the-busy"), [""; 0]);
}

#[test]
fn work_that_makes_no_noise_is_no_idleness() {
    let stall = StallLimits { idle: Duration::from_secs(1), ..FAR };
    for quiet_work in [
        // As a compiler works: the processor and nothing else.
        "end=$(($(date +%s) + 3)); while [ $(date +%s) -lt $end ]; do :; done; echo x > a.txt",
        "for i in 1 2 3 4 5 6; do sleep 0.3; echo $i > a.txt; done",
        "for i in 1 2 3 4 5 6; do sleep 0.3; echo $i; done; echo x > a.txt",
    ] {
        let outcome = stage(stall, "mark-of-the-quiet").implement(quiet_work);
        assert!(is_done(&outcome), "{quiet_work}: {outcome:?}");
    }
}

#[test]
fn loud_and_busy_work_is_no_loop() {
    let second = Duration::from_secs(1);
    let stall = StallLimits { repeats: second, edits: 20, output_bytes: 50_000_000, ..FAR };
    for healthy in [
        // A test run that says a lot, and something new all the time.
        "for i in $(seq 150); do echo \"test number $i ... ok\"; echo; sleep 0.02; done; echo x > a.txt",
        // The same lines, next to a compiler that is at work.
        "for i in $(seq 300); do echo still compiling; j=0; \
         while [ $j -lt 2000 ]; do j=$((j+1)); done; done; echo x > a.txt",
        // The same lines, and files that come one after the other.
        "for i in $(seq 150); do echo written; echo $i > f$i.txt; sleep 0.02; done",
        // A file that grows is a log.
        "for i in $(seq 60); do echo $i >> a.txt; sleep 0.05; done",
        // Edits, and after a few of them a check.
        "for i in 1 2 3 4 5 6; do for k in 1 2 3 4; do echo $i$k > a.txt; sleep 0.05; done; \
         sh -c 'j=0; while [ $j -lt 900000 ]; do j=$((j+1)); done'; done",
    ] {
        let outcome = stage(stall, "mark-of-the-loud-and-busy").implement(healthy);
        assert!(is_done(&outcome), "{healthy}: {outcome:?}");
    }
}

#[test]
fn half_of_a_limit_is_told_once_and_so_is_its_end() {
    let stall = StallLimits { idle: Duration::from_secs(2), ..FAR };
    let mut stage = stage(stall, "mark-of-the-pause");
    let base = implement_job(&stage);
    stage.script(
        "sleep 1.6; until test -e go; do echo back; sleep 0.1; done; rm go; echo x > a.txt",
    );
    stage.start(&base, "");
    let mut told = Vec::new();
    let outcome = loop {
        match stage.reports.recv_timeout(WAIT).expect("a report") {
            Report::Suspected { suspicion, .. } => {
                if suspicion.is_none() {
                    std::fs::write(stage.worktree_path().join("go"), "").expect("a file");
                }
                told.push(suspicion);
            }
            Report::Output { .. } | Report::Used { .. } => {}
            Report::Finished { outcome, .. } => break outcome,
        }
    };
    assert!(is_done(&outcome), "{outcome:?}");
    let [Some(Suspicion { seen, since }), None, ..] = told.as_slice() else { panic!("{told:?}") };
    let limit = match seen {
        Stall::Idle { limit } | Stall::HungTool { limit, .. } => *limit,
        Stall::EditLoop { .. }
        | Stall::RepeatedOutput { .. }
        | Stall::RunawayOutput { .. }
        | Stall::Overtime { .. } => panic!("{seen:?}"),
    };
    assert_eq!(limit, Span(1_000));
    let ago = ralph_adapters::wall_clock::now().since(*since);
    assert!((Span(1_600)..Span(60_000)).contains(&ago), "quiet since the start: {ago}");
}
