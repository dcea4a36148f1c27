//! Commands given on this machine: posted by any process, taken once by the writer.

use crate::desk::{Desk, key};
use ralph_core::command::{Command, Manner};
use ralph_core::fact::{Observation, What};
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::time::Span;
use ralph_engine::ports::LocalCommand;
use ralph_engine::store::post_command;

fn command(command: Command) -> LocalCommand {
    LocalCommand { issue: key(7), command, manner: Manner::Plain, actor: Login::new("alice") }
}

/// An issue that is stopped, so that nothing but a command moves it.
fn stopped() -> Desk {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), "ralph:status:stopped");
    desk.reads();
    desk
}

fn takes_inbox(desk: &mut Desk) {
    let now = desk.now;
    desk.engine().take_inbox(now).unwrap();
}

fn commands_in_the_journal(desk: &mut Desk) -> usize {
    let journal = desk.engine().store().unwrap().journal_after(0).unwrap();
    let is_command = |what: &What| matches!(what, What::Seen(Observation::Command { .. }));
    journal.iter().filter(|entry| is_command(&entry.fact.what)).count()
}

const fn is_running(phase: &Phase) -> bool {
    matches!(phase, Phase::Running { .. })
}

#[test]
fn a_command_posted_beside_a_running_daemon_is_taken_exactly_once() {
    let mut desk = stopped();
    post_command(&desk.path(), desk.now, &command(Command::Queue)).unwrap();
    assert!(!is_running(&desk.managed(7).phase), "nobody has taken it yet");
    takes_inbox(&mut desk);
    assert!(is_running(&desk.managed(7).phase));
    assert!(desk.look("SELECT * FROM inbox").is_empty());

    let before = desk.tables();
    takes_inbox(&mut desk);
    assert_eq!(desk.tables(), before);
    assert_eq!(commands_in_the_journal(&mut desk), 1);
    desk.dies_and_returns();
    takes_inbox(&mut desk);
    assert_eq!(commands_in_the_journal(&mut desk), 1);
}

#[test]
fn a_command_survives_a_restart_before_it_is_taken() {
    let mut desk = stopped();
    desk.dies();
    post_command(&desk.path(), desk.now, &command(Command::Queue)).unwrap();
    desk.opens();
    desk.dies_and_returns();
    assert_eq!(
        desk.look("SELECT issue, command, actor FROM inbox"),
        ["acme/widgets#7|queue|alice"]
    );
    takes_inbox(&mut desk);
    assert!(is_running(&desk.managed(7).phase));
}

#[test]
fn commands_are_obeyed_in_the_order_in_which_they_were_posted() {
    let mut desk = stopped();
    for given in [Command::Queue, Command::Stop] {
        post_command(&desk.path(), desk.now, &command(given)).unwrap();
    }
    takes_inbox(&mut desk);
    assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }));
    desk.later(Span::from_secs(1));
    for given in [Command::Stop, Command::Queue] {
        let (now, given) = (desk.now, command(given));
        let mut store = desk.engine().lend_store().unwrap();
        store.post(now, &given).unwrap();
        desk.engine().return_store(store);
    }
    takes_inbox(&mut desk);
    assert!(!matches!(desk.managed(7).phase, Phase::Stopped { .. }));
    assert_eq!(commands_in_the_journal(&mut desk), 4);
}

#[test]
fn a_command_number_is_never_used_twice() {
    let mut desk = stopped();
    let first = post_command(&desk.path(), desk.now, &command(Command::Queue)).unwrap();
    takes_inbox(&mut desk);
    let second = post_command(&desk.path(), desk.now, &command(Command::Stop)).unwrap();
    assert!(second > first, "{second} after {first}");
}

#[test]
fn a_command_of_a_newer_version_stays_in_the_inbox() {
    let mut desk = stopped();
    let connection = rusqlite::Connection::open(desk.path()).unwrap();
    let post =
        "INSERT INTO inbox (at, issue, command, actor) VALUES (0, 'acme/widgets#7', ?1, 'a')";
    connection.execute(post, ["explode"]).unwrap();
    connection.execute(post, ["queue"]).unwrap();
    drop(connection);
    takes_inbox(&mut desk);
    assert!(is_running(&desk.managed(7).phase));
    assert_eq!(desk.look("SELECT command FROM inbox"), ["explode"]);
}

#[test]
fn a_command_keeps_its_manner_over_a_restart() {
    let mut desk = stopped();
    desk.dies();
    let fresh = LocalCommand { manner: Manner::Fresh, ..command(Command::Queue) };
    post_command(&desk.path(), desk.now, &fresh).unwrap();
    let shown = desk.reader().status().unwrap().inbox;
    assert_eq!(shown.iter().map(|it| it.command.as_str()).collect::<Vec<_>>(), ["queue --fresh"]);
    desk.opens();
    takes_inbox(&mut desk);
    let run = desk.managed(7).run.clone().unwrap();
    assert!(run.left.is_some_and(|left| left != run.branch), "on a branch that nothing is on yet");
    let undo = LocalCommand { manner: Manner::Undo, ..command(Command::Satisfy) };
    for (given, is_satisfied) in [(command(Command::Satisfy), true), (undo, false)] {
        post_command(&desk.path(), desk.now, &given).unwrap();
        takes_inbox(&mut desk);
        assert_eq!(desk.engine().world().issue(&key(7)).unwrap().satisfied, is_satisfied);
    }
}
