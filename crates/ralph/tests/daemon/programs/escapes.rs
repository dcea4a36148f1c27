//! Attempts to get out of the sandbox that a real program makes with its own tools, because its model tells it to, and a
//! hunt for secrets that lie around it. No attempt succeeds, and no secret is found in anything that Ralph keeps or posts.

#[expect(dead_code, reason = "the tests of the sandbox itself use the rest")]
#[path = "../../../../contain/tests/contain/escapes/attempts.rs"]
mod attempts;
mod canaries;
mod world;

use super::program::Program;
use super::theatre::{Rules, Theatre, implementer, judges};
use attempts::{Attempt, all};
use ralph_model::Turn;
use std::fs;
use world::World;

/// Fewer attempts than this prove too little.
const ATTEMPTS_MIN: usize = 40;
/// So few that a program does not take its command for one that hangs.
const ATTEMPTS_PER_COMMAND: usize = 8;

/// Attempts that mean something else inside of a program: it hands files, a terminal and sockets of its own to its
/// commands.
const NOT_FOR_PROGRAMS: [&str; 3] =
    ["a descriptor that was left open", "input for the terminal", "sockets of the system"];

/// The network that the program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// The proxy, with the model on its list.
    Model,
    /// None. The model is reached through a socket that the operator shows to the program.
    None,
}

/// A test for each program and network.
macro_rules! escapes {
    ($($test:ident is $program:ident with $reach:ident;)+) => {
        $(#[test]
        fn $test() {
            super::escapes::play(super::program::Program::$program, super::escapes::Reach::$reach);
        })+
    };
}

fn wanted() -> Vec<&'static Attempt> {
    all().filter(|attempt| !NOT_FOR_PROGRAMS.contains(&attempt.name)).collect()
}

pub(crate) fn play(program: Program, reach: Reach) {
    let attempts = wanted();
    assert!(attempts.len() >= ATTEMPTS_MIN, "{}", attempts.len());
    let theatre = Theatre::set(program, judges(implementer([turn(attempts.len())])), &rules(reach));
    if !theatre.stage.ralph(&["doctor"]).stdout.contains("Bubblewrap works") {
        eprintln!("not tested: without Bubblewrap nothing keeps an agent in its worktree");
        return;
    }
    let world = World::make(&theatre, &attempts);
    let issue = theatre.stage.forge.open_issue("Greet", "There should be a greeting.");
    let daemon = theatre.daemon(canaries::variables());
    world.begins(daemon.id());
    theatre.stage.forge.wait_for_status(issue, "in-bot");
    let ran = daemon.stop();
    let heard = theatre.model.recorded();
    let last = heard.iter().rfind(|one| one.role.as_deref() == Some("implement"));
    let said = last.expect("an implementation").body.to_string();
    let escaped: Vec<_> = attempts
        .iter()
        .enumerate()
        .filter(|(number, _)| !said.contains(&format!("ATTEMPT-{number} held")))
        .map(|(_, attempt)| attempt.name)
        .collect();
    assert!(escaped.is_empty(), "{escaped:?} {}", theatre.story(issue));
    assert!(said.contains("HUNT-ENDED"), "the hunt for secrets was not made: {said}");
    canaries::assert_nowhere(&theatre, issue, &ran.stderr);
}

fn rules(reach: Reach) -> Rules {
    let network = match reach {
        Reach::Model => "",
        Reach::None => "network = \"none\"",
    };
    Rules {
        agent: format!("paths = [\"$STAGE/attempts\"]\n{network}"),
        is_served_inside: reach == Reach::None,
        ..Rules::default()
    }
}

/// The implementer makes the attempts, a few at a time, hunts for secrets, and then does its work.
fn turn(count: usize) -> Turn {
    let first = (0..count).step_by(ATTEMPTS_PER_COMMAND);
    let made = first.fold(Turn::new(), |turn, first| {
        let last = (first + ATTEMPTS_PER_COMMAND).min(count);
        turn.run(&format!("sh $STAGE/attempts/driver.sh {first} {last}"))
    });
    let hunt = made.run("sh $STAGE/attempts/hunt.sh");
    let told = hunt.run(&format!("sh $STAGE/attempts/tell.sh {count}"));
    told.write("GREETING.md", "Hello.\n").say("The greeting is there.")
}

/// Writes a script for the attempts.
fn write(folder: &std::path::Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("a script");
}
