//! Two-way protocols over standard input and output with a process that runs.
#![expect(clippy::disallowed_methods, reason = "one test starts a starter to kill it")]

use crate::room::{Room, containments, launcher, path, wait_until_gone};
use crate::tether::Tether;
use ralph_contain::{Containment, Ending, Input, Process, Spec};
use std::io::{BufRead as _, BufReader, Lines, PipeReader, Write as _};
use std::process::{Command, Stdio};

/// Answers each line, and ends on request.
const ECHO: &str = "while read -r line; do \
                    case $line in bye) exit 7;; *) echo \"heard $line\";; esac; done; echo closed";

struct Talk {
    process: Process,
    answers: Lines<BufReader<PipeReader>>,
}

impl Talk {
    fn start(room: &Room, containment: &Containment, script: &str) -> Self {
        let spec = Spec { input: Input::Piped, ..room.spec(script) };
        let mut process = launcher(containment).confined(&spec).expect("it starts");
        let answers = BufReader::new(process.stdout.take().expect("its output")).lines();
        Self { process, answers }
    }

    fn say(&mut self, line: &str) {
        let stdin = self.process.stdin.as_mut().expect("its input");
        stdin.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    fn answer(&mut self) -> Option<String> {
        self.answers.next().map(|line| line.expect("a line"))
    }
}

#[test]
fn a_contained_process_answers_while_it_runs_and_ends_when_it_is_told_to() {
    for containment in containments() {
        let room = Room::new();
        let mut talk = Talk::start(&room, &containment, ECHO);
        for word in ["one", "two", "three"] {
            talk.say(word);
            assert_eq!(talk.answer(), Some(format!("heard {word}")), "{containment:?}");
        }
        talk.say("bye");
        assert_eq!(talk.answer(), None, "{containment:?}");
        assert_eq!(talk.process.wait().expect("an end"), Ending::Exited(7), "{containment:?}");
    }
}

#[test]
fn closing_standard_input_is_seen_as_its_end_and_ends_nothing_else() {
    for containment in containments() {
        let room = Room::new();
        let mut talk = Talk::start(&room, &containment, ECHO);
        talk.process.stdin = None;
        assert_eq!(talk.answer().as_deref(), Some("closed"), "{containment:?}");
        assert_eq!(talk.process.wait().expect("an end"), Ending::Exited(0), "{containment:?}");
    }
}

#[test]
fn a_conversation_is_ended_from_this_side_with_everything_it_started() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let daemons = "setsid sleep 1000 > /dev/null 2>&1 &\n";
        let script = format!("{}{daemons}{ECHO}", tether.hold());
        let mut talk = Talk::start(&room, &containment, &script);
        talk.say("one");
        assert_eq!(talk.answer().as_deref(), Some("heard one"));
        // Held open: the end of its input is not what ends it.
        let stdin = talk.process.stdin.take();
        talk.process.end();
        assert_eq!(talk.process.wait().expect("an end"), Ending::Signalled(15), "{containment:?}");
        tether.wait_until_released();
        drop(stdin);
    }
}

#[test]
fn nothing_of_a_conversation_survives_a_kill_of_its_starter() {
    for containment in containments() {
        let room = Room::new();
        let tether = Tether::tie(&room.inside());
        let mark = format!("mark-of-{}", room.around().display());
        let daemons = "setsid sleep 1000 > /dev/null 2>&1 &\n(setsid sh -c 'sleep 1000' &)\n";
        let script = format!("# {mark}\ntrap '' TERM HUP INT\n{}{daemons}{ECHO}", tether.hold());
        let mut starter = Command::new(env!("CARGO_BIN_EXE_contain-stand-in"))
            .args(["start".into(), room.inside().into_os_string(), path(), script.into()])
            .args(match &containment {
                Containment::Bubblewrap(program) => Some(program),
                Containment::Guard | Containment::Refused => None,
            })
            .stdout(Stdio::piped())
            .spawn()
            .expect("a starter");
        let output = starter.stdout.take().expect("its output");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        assert_eq!(lines.next().as_deref(), Some("heard hello"), "{containment:?}");
        starter.kill().expect("it can be killed");
        starter.wait().expect("it is gone");
        tether.wait_until_released();
        wait_until_gone(&mark);
    }
}
