//! What each program said at each end of a turn, recorded with a scripted model, and what Ralph makes of it.

use crate::agent::event::Event;
use crate::agent::program::Kind;
use crate::agent::protocol::{self, End, Failure};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::{EndClass, Usage};
use std::path::{Path, PathBuf};

/// 2026-11-18T09:00:00Z.
const NOW: Time = Time(1_794_992_400_000);
/// The end of the limit in the recordings.
const UNTIL: Time = Time(2_000_000_000_000);
/// Programs that tell a length of time were recorded some hours around [`NOW`].
const UNTIL_TOLERANCE_MILLIS: i64 = 3 * 3_600_000;
/// The lowest exit status that stands for a signal.
const SIGNAL_CODE_BASE: i32 = 128;

const KINDS: [Kind; 4] = [Kind::Claude, Kind::Codex, Kind::OpenCode, Kind::Gemini];

fn recordings(kind: Kind) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(kind.name())
}

/// What a program wrote, and how it ended.
#[derive(Clone)]
struct Recording {
    out: String,
    log: String,
    ending: Ending,
}

/// A recording; `None` if there is none of this case.
fn recording(kind: Kind, case: &str) -> Option<Recording> {
    let read = |part: &str| {
        std::fs::read(recordings(kind).join(format!("{case}.{part}")))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let (out, log) = (read("out").ok()?, read("err").ok()?);
    let code: i32 = read("code").ok()?.trim().parse().unwrap();
    let ending = match code {
        code if code > SIGNAL_CODE_BASE => Ending::Signalled(code - SIGNAL_CODE_BASE),
        code => Ending::Exited(code),
    };
    Some(Recording { out, log, ending })
}

/// Plays the first lines of a recording.
fn play_lines(kind: Kind, recording: &Recording, lines: usize) -> (Vec<Event>, End) {
    let mut protocol = protocol::of(kind);
    let heard = recording.out.lines().take(lines);
    let events = heard.flat_map(|line| protocol.hear(line)).collect();
    (events, protocol.end(recording.ending, &recording.log, NOW))
}

fn play(kind: Kind, case: &str) -> Option<(Vec<Event>, End)> {
    recording(kind, case).map(|recording| play_lines(kind, &recording, usize::MAX))
}

fn has_failed(kind: Kind, recording: &Recording) -> bool {
    play_lines(kind, recording, usize::MAX).1.failure.is_some()
}

/// The names of the cases that a program was recorded with.
fn cases(kind: Kind) -> Vec<String> {
    let files = recordings(kind).read_dir().unwrap().map(|entry| entry.unwrap().path());
    let codes = files.filter(|path| path.extension().is_some_and(|ending| ending == "code"));
    codes.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

/// What is expected of a case for every program that it was recorded with.
fn class_of_case(case: &str) -> Option<Failure> {
    use EndClass::{ContextFull, Crashed, NeedsLogin, Overloaded, UnknownModel};
    let class = match case {
        "success" | "resumed" | "permission-refused" | "recovered" | "tool-failed"
        | "long-line" => return None,
        "session-unknown" => return Some(Failure::SessionGone),
        "login-refused" | "login-missing" | "login-expired" => NeedsLogin,
        "unknown-model" | "model-refused" => UnknownModel,
        "usage-limit" => EndClass::UsageLimit { until: None },
        "usage-limit-reset" => EndClass::UsageLimit { until: Some(UNTIL) },
        "rate-limit" => EndClass::RateLimit { until: None },
        "overloaded" | "closed" | "garbage" => Overloaded,
        "context-full" => ContextFull,
        "killed" | "hung" => Crashed,
        other => panic!("a recording that no test knows: {other}"),
    };
    Some(Failure::Class(class, String::new()))
}

/// Compares up to the words, and to how well the end of a limit is known: a program tells minutes or seconds.
fn is_same(failure: Option<&Failure>, expected: Option<&Failure>) -> bool {
    match (failure, expected) {
        (None, None) | (Some(Failure::SessionGone), Some(Failure::SessionGone)) => true,
        (
            Some(Failure::Class(EndClass::UsageLimit { until: Some(told) }, _)),
            Some(Failure::Class(EndClass::UsageLimit { until: Some(until) }, _)),
        ) => (told.0 - until.0).abs() < UNTIL_TOLERANCE_MILLIS,
        (
            Some(Failure::Class(EndClass::RateLimit { .. }, _)),
            Some(Failure::Class(EndClass::RateLimit { .. }, _)),
        ) => true,
        (Some(Failure::Class(class, says)), Some(Failure::Class(expected, _))) => {
            class == expected && !says.trim().is_empty()
        }
        (_, _) => false,
    }
}

#[test]
fn every_recorded_end_has_its_class() {
    let (mut played, mut wrong) = (0, Vec::new());
    for kind in KINDS {
        for case in cases(kind) {
            // A refused tool is the end of OpenCode, and a detour for the others.
            let expected = match (kind, case.as_str()) {
                (Kind::OpenCode, "permission-refused") => {
                    Some(Failure::Class(EndClass::PermissionRefused, String::new()))
                }
                // It says no more than "UnknownError", and tries a closed connection until it is killed.
                (Kind::OpenCode, "unknown-model" | "closed") => {
                    Some(Failure::Class(EndClass::Crashed, String::new()))
                }
                // It gives a model that is silent up by itself.
                (Kind::Codex, "hung") => Some(Failure::Class(EndClass::Overloaded, String::new())),
                (_, case) => class_of_case(case),
            };
            let (_, end) = play(kind, &case).unwrap();
            let has_text = end.text.is_empty() == expected.is_some();
            if !has_text || !is_same(end.failure.as_ref(), expected.as_ref()) {
                wrong.push(format!("{} {case}: {end:?}", kind.name()));
            }
            played += 1;
        }
    }
    assert_eq!(wrong, [""; 0], "other classes are expected");
    assert!(played >= 50, "only {played} recordings");
}

#[test]
fn an_output_that_breaks_off_is_no_success_whatever_the_exit_status() {
    for kind in KINDS {
        let recording = recording(kind, "success").unwrap();
        assert_eq!(recording.ending, Ending::Exited(0), "{kind:?}");
        for lines in 0..recording.out.lines().count() {
            let (_, end) = play_lines(kind, &recording, lines);
            assert!(end.failure.is_some(), "{kind:?} after {lines} lines: {end:?}");
        }
        for ending in [Ending::Exited(1), Ending::Signalled(9), Ending::Signalled(15)] {
            let (_, end) = play_lines(kind, &Recording { ending, ..recording.clone() }, usize::MAX);
            assert!(end.failure.is_some(), "{kind:?} {ending}: {end:?}");
        }
    }
}

#[test]
fn a_failure_is_one_whatever_the_exit_status() {
    for kind in KINDS {
        for case in cases(kind) {
            let recording = recording(kind, &case).unwrap();
            if has_failed(kind, &recording) {
                let hidden = Recording { ending: Ending::Exited(0), ..recording };
                assert!(has_failed(kind, &hidden), "{kind:?} {case}");
            }
        }
    }
}

#[test]
fn a_turn_that_ended_well_has_its_text_session_usage_and_every_step() {
    for kind in KINDS {
        let (events, end) = play(kind, "success").unwrap();
        assert_eq!(end.text, "The file is written.", "{kind:?}");
        assert!(end.session.is_some_and(|id| id.len() > 8), "{kind:?}");
        let Some(Usage { input, cached, output, .. }) = end.usage else { panic!("{kind:?}") };
        assert_eq!((input, cached, output), (3_000, 1_800, 60), "{kind:?}");
        let calls = events.iter().filter(|event| matches!(event, Event::ToolCall { .. })).count();
        let edits = events.iter().filter(|event| matches!(event, Event::FileEdit { .. })).count();
        let results = events.iter().filter(|event| matches!(event, Event::ToolResult { .. }));
        assert!(calls + edits >= 2 && results.count() >= 1, "{kind:?}: {events:?}");
        let is_unknown = |event: &Event| matches!(event, Event::Unknown { .. });
        assert!(!events.iter().any(is_unknown), "{kind:?}: {events:?}");
    }
}

#[test]
fn a_refused_tool_is_named_although_the_exit_status_is_zero() {
    for kind in [Kind::Claude, Kind::Codex, Kind::OpenCode] {
        let (_, end) = play(kind, "permission-refused").unwrap();
        assert!(!end.refused.is_empty(), "{kind:?}: {end:?}");
    }
}

#[test]
fn a_resumed_session_is_the_one_before_and_its_usage_that_of_the_turn() {
    for kind in [Kind::Claude, Kind::OpenCode, Kind::Gemini] {
        let (_, end) = play(kind, "resumed").unwrap();
        assert_eq!(
            end.usage.map(|usage| (usage.input, usage.output)),
            Some((1_000, 20)),
            "{kind:?}"
        );
    }
}

#[test]
fn output_that_is_no_event_is_kept_as_text() {
    for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Command) {
        let mut protocol = protocol::of(kind);
        for line in ["not JSON at all", r#"{"type":"from_the_future","x":1}"#, "[1,2]", "7"] {
            assert_eq!(protocol.hear(line), [Event::unknown(line)], "{kind:?}");
        }
        let long = format!(r#"{{"type":"x","text":"{}"}}"#, "a".repeat(300_000));
        assert_eq!(protocol.hear(&long), [Event::unknown(&long)], "{kind:?}");
    }
}
