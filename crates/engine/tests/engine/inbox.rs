//! Commands given on this machine: posted by any process, taken once by the writer.

use crate::harness::{Harness, key};
use ralph_core::command::{Command, Manner};
use ralph_core::fact::{Observation, What};
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::time::Span;
use ralph_engine::local_command::LocalCommand;
use ralph_engine::store::{PostError, post_command};

fn given(command: Command, manner: Manner) -> LocalCommand {
    LocalCommand::on_issue(key(7), (command, manner), Login::new("alice"))
}

fn command(command: Command) -> LocalCommand {
    given(command, Manner::Plain)
}

/// An issue that is stopped, so that nothing but a command moves it.
fn stopped() -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), "ralph:status:stopped");
    harness.reads();
    harness
}

fn takes_inbox(harness: &mut Harness) {
    let now = harness.now;
    harness.engine().take_inbox(now).unwrap();
}

fn commands_in_the_journal(harness: &mut Harness) -> usize {
    let journal = harness.engine().store().unwrap().journal_after(0).unwrap();
    let is_command = |what: &What| matches!(what, What::Seen(Observation::Command { .. }));
    journal.iter().filter(|entry| is_command(&entry.fact.what)).count()
}

const fn is_running(phase: &Phase) -> bool {
    matches!(phase, Phase::Running { .. })
}

#[test]
fn a_command_posted_beside_a_running_daemon_is_taken_exactly_once() {
    let mut harness = stopped();
    post_command(&harness.path(), harness.now, &command(Command::Queue)).unwrap();
    assert!(!is_running(&harness.managed(7).phase), "nobody has taken it yet");
    takes_inbox(&mut harness);
    assert!(is_running(&harness.managed(7).phase));
    assert!(harness.look("SELECT * FROM inbox").is_empty());

    let before = harness.tables();
    takes_inbox(&mut harness);
    assert_eq!(harness.tables(), before);
    assert_eq!(commands_in_the_journal(&mut harness), 1);
    harness.dies_and_returns();
    takes_inbox(&mut harness);
    assert_eq!(commands_in_the_journal(&mut harness), 1);
}

#[test]
fn a_command_survives_a_restart_before_it_is_taken() {
    let mut harness = stopped();
    harness.dies();
    post_command(&harness.path(), harness.now, &command(Command::Queue)).unwrap();
    harness.opens();
    harness.dies_and_returns();
    assert_eq!(
        harness.look("SELECT body, actor FROM inbox"),
        [concat!(
            r#"{"order":"issue","issue":{"repo":"acme/widgets","number":7},"#,
            r#""command":"queue","manner":"plain"}|alice"#
        )]
    );
    takes_inbox(&mut harness);
    assert!(is_running(&harness.managed(7).phase));
}

#[test]
fn commands_are_obeyed_in_the_order_in_which_they_were_posted() {
    let mut harness = stopped();
    for given in [Command::Queue, Command::Stop] {
        post_command(&harness.path(), harness.now, &command(given)).unwrap();
    }
    takes_inbox(&mut harness);
    assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }));
    harness.later(Span::from_secs(1));
    for given in [Command::Stop, Command::Queue] {
        let (now, given) = (harness.now, command(given));
        let mut store = harness.engine().lend_store().unwrap();
        store.post(now, &given).unwrap();
        harness.engine().return_store(store);
    }
    takes_inbox(&mut harness);
    assert!(!matches!(harness.managed(7).phase, Phase::Stopped { .. }));
    assert_eq!(commands_in_the_journal(&mut harness), 4);
}

#[test]
fn a_command_number_is_never_used_twice() {
    let mut harness = stopped();
    let first = post_command(&harness.path(), harness.now, &command(Command::Queue)).unwrap();
    takes_inbox(&mut harness);
    let second = post_command(&harness.path(), harness.now, &command(Command::Stop)).unwrap();
    assert!(second > first, "{second} after {first}");
}

#[test]
fn a_command_of_a_newer_version_stays_in_the_inbox() {
    let mut harness = stopped();
    let connection = rusqlite::Connection::open(harness.path()).unwrap();
    let post = "INSERT INTO inbox (at, body, actor) VALUES (0, ?1, 'a')";
    let queue = serde_json::to_string(&command(Command::Queue).order).unwrap();
    let newer = ["queue", "plain", "issue"].map(|word| queue.replacen(word, "explode", 1));
    for body in newer.iter().chain([&queue]) {
        connection.execute(post, [body]).unwrap();
    }
    drop(connection);
    takes_inbox(&mut harness);
    assert!(is_running(&harness.managed(7).phase));
    assert_eq!(harness.look("SELECT body FROM inbox"), newer);
}

#[test]
fn a_command_keeps_its_manner_over_a_restart() {
    let mut harness = stopped();
    harness.dies();
    let fresh = given(Command::Queue, Manner::Fresh);
    post_command(&harness.path(), harness.now, &fresh).unwrap();
    let shown = harness.reader().status().unwrap().inbox;
    assert_eq!(shown.iter().map(|it| it.command.as_str()).collect::<Vec<_>>(), ["queue --fresh"]);
    harness.opens();
    takes_inbox(&mut harness);
    let run = harness.managed(7).run.clone().unwrap();
    assert!(run.left.is_some_and(|left| left != run.branch), "on a branch that nothing is on yet");
    let undo = given(Command::Satisfy, Manner::Undo);
    for (given, is_satisfied) in [(command(Command::Satisfy), true), (undo, false)] {
        post_command(&harness.path(), harness.now, &given).unwrap();
        takes_inbox(&mut harness);
        assert_eq!(harness.engine().world().issue(&key(7)).unwrap().satisfied, is_satisfied);
    }
}

#[test]
fn a_key_makes_a_command_that_is_posted_again_the_same_one() {
    let mut harness = stopped();
    let keyed = |command: Command| {
        let key = Some("deploy-17".to_owned());
        LocalCommand { key, ..given(command, Manner::Plain) }
    };
    let path = harness.path();
    let first = post_command(&path, harness.now, &keyed(Command::Queue)).unwrap();
    let again = |now| post_command(&path, now, &keyed(Command::Queue));
    assert_eq!(again(harness.now).unwrap(), first, "while it waits");
    takes_inbox(&mut harness);
    assert_eq!(again(harness.now).unwrap(), first, "after it was taken");
    assert!(harness.look("SELECT 1 FROM inbox").is_empty());
    let outcome = harness.reader().outcome(first).unwrap().expect("an answer");
    assert_eq!((outcome.key.as_deref(), outcome.refused), (Some("deploy-17"), None));
    let other = post_command(&path, harness.now, &keyed(Command::Stop)).unwrap_err();
    assert!(matches!(&other, PostError::KeyTaken { id, .. } if *id == first), "{other}");
    // After a day the outcome goes with the next one, and the key with it.
    harness.later(Span::from_mins(25 * 60));
    post_command(&path, harness.now, &command(Command::Stop)).unwrap();
    takes_inbox(&mut harness);
    assert!(again(harness.now).unwrap() > first);
}
