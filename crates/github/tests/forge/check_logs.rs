//! The text of a red check, from each place where apps leave it.

use crate::reads::pushed;
use crate::world::{CHECK, OWNER, World, repo};
use ralph_core::ids::Sha;
use ralph_core::rerun::Rerunnable;
use ralph_engine::ports::{Answer, CheckLog, Forge as _};
use ralph_forge::{
    Annotation, AnnotationLevel, CheckAction, CheckOutput, CheckState, Conclusion, CreateCheckRun,
    CreateStatus, Event, EventKind, NewCheckRun, NewStatus, StatusState,
};

fn log(conclusion: &str, text: &str) -> (String, String) {
    (conclusion.to_owned(), text.to_owned())
}

fn said(found: Option<CheckLog>) -> (String, String) {
    found.map(|log| (log.conclusion, log.text)).expect("a red check")
}

fn reported(world: &World, head: &Sha, name: &str, conclusion: Conclusion, output: CheckOutput) {
    let run = NewCheckRun {
        name: name.to_owned(),
        head: head.as_str().parse().expect("a sha"),
        state: CheckState::Completed(conclusion),
        details_url: None,
        output,
    };
    world.act(OWNER, CreateCheckRun(run)).expect("a check");
}

#[test]
fn the_text_of_a_red_check_is_read() {
    let world = World::new();
    let head = pushed(&world, "x");
    let output = CheckOutput {
        title: Some("1 test failed".to_owned()),
        text: Some("error: boom".to_owned()),
        ..CheckOutput::default()
    };
    reported(&world, &head, CHECK, Conclusion::TimedOut, output);
    reported(&world, &head, "green", Conclusion::Success, CheckOutput::default());
    let mut client = world.client();
    let found = client.check_log(&repo(), &head, CHECK).expect("a read");
    assert_eq!(said(found), log("timed_out", "1 test failed\nerror: boom"));
    assert_eq!(client.check_log(&repo(), &head, "green"), Ok(None));
    assert_eq!(client.check_log(&repo(), &head, "absent"), Ok(None));
}

#[test]
fn annotations_are_read_as_compilers_write() {
    let world = World::new();
    let head = pushed(&world, "x");
    let annotation = Annotation {
        path: "src/a.rs".to_owned(),
        start_line: 3,
        end_line: 3,
        level: AnnotationLevel::Failure,
        message: "mismatched types".to_owned(),
        title: None,
        raw_details: None,
    };
    let output = CheckOutput { annotations: vec![annotation], ..CheckOutput::default() };
    reported(&world, &head, CHECK, Conclusion::Failure, output);
    let found = world.client().check_log(&repo(), &head, CHECK).expect("a read");
    assert_eq!(said(found), log("failure", "src/a.rs:3: error: mismatched types\n"));
}

#[test]
fn of_a_status_there_is_its_description() {
    let world = World::new();
    let head = pushed(&world, "x");
    let status = NewStatus {
        context: "old".to_owned(),
        state: StatusState::Error,
        description: Some("the build machine is away".to_owned()),
        target_url: None,
    };
    let sha = head.as_str().parse().expect("a sha");
    world.act(OWNER, CreateStatus { sha, status }).expect("a status");
    let found = world.client().check_log(&repo(), &head, "old").expect("a read");
    assert_eq!(found.as_ref().and_then(|log| log.of), None, "a status cannot be run again");
    assert_eq!(said(found), log("error", "the build machine is away"));
}

fn rerequests(world: &World) -> usize {
    let is_it = |event: &Event| {
        matches!(event.kind, EventKind::CheckRun { action: CheckAction::Rerequested, .. })
    };
    world.take_events().iter().filter(|event| is_it(event)).count()
}

#[test]
fn a_red_check_is_run_once_more() {
    let world = World::new();
    let head = pushed(&world, "x");
    reported(&world, &head, CHECK, Conclusion::Failure, CheckOutput::default());
    let mut client = world.client();
    let found = client.check_log(&repo(), &head, CHECK).expect("a read").expect("a red check");
    let of = found.of.expect("a check run");
    drop(world.take_events());
    assert_eq!(client.rerun(&repo(), of), Answer::Happened(()));
    assert_eq!(rerequests(&world), 1);
    let Rerunnable::CheckRun(id) = of else { panic!("{of:?} of no GitHub Actions") };
    assert_eq!(client.rerun(&repo(), Rerunnable::Job(id)), Answer::Happened(()));
    assert_eq!(rerequests(&world), 1);
    let gone = client.rerun(&repo(), Rerunnable::CheckRun(9_999));
    assert!(matches!(gone, Answer::Refused(_)), "{gone:?}");
}
