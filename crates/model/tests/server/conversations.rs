//! Whole turns: a text, a tool call, its result, and the end.

use crate::client::{WIRES, ask, prompt};
use ralph_model::{Answer, Script, Server, Turn, Usage, When, Wire};
use serde_json::json;

fn server(turns: impl IntoIterator<Item = Turn>) -> Server {
    let script = Script::new().role("planner", When::contains("planner"), []).role(
        "implementer",
        When::contains("implementer"),
        turns,
    );
    Server::start(script).unwrap()
}

const fn tool(wire: Wire) -> &'static str {
    match wire {
        Wire::Messages => "\"Write\"",
        Wire::Responses => "\"apply_patch\"",
        Wire::Chat => "\"write\"",
        Wire::Gemini => "\"write_file\"",
    }
}

#[test]
fn the_same_script_plays_in_every_wire_format() {
    for wire in WIRES {
        let usage = Usage { input: 77, cached: 33, output: 5 };
        let turn = Turn::new().say("I begin.").write("A.txt", "b\n").say("I end.").usage(usage);
        let server = server([turn]);
        let (status, first) = prompt(&server, wire, "implementer", None);
        assert_eq!(status, 200, "{wire:?}: {first}");
        for part in ["I begin.", tool(wire), "A.txt", "script-1-0-1"] {
            assert!(first.contains(part), "{wire:?} lacks {part}: {first}");
        }
        assert!(!first.contains("I end."), "{wire:?}: {first}");
        let (status, second) = prompt(&server, wire, "implementer", Some("x_script-1-0-1"));
        assert_eq!(status, 200, "{wire:?}: {second}");
        assert!(second.contains("I end.") && !second.contains("A.txt"), "{wire:?}: {second}");
        assert!(second.contains("33"), "{wire:?} says how much was cached: {second}");
        let roles: Vec<_> = server.recorded().into_iter().map(|it| (it.role, it.answer)).collect();
        let played = (Some("implementer".to_owned()), Answer::Reply(wire));
        assert_eq!(roles, [played.clone(), played]);
    }
}

#[test]
fn each_prompt_gets_the_next_turn() {
    let server = server([Turn::new().say("one"), Turn::new().say("two")]);
    let said = |text: &str| {
        let (_, body) = prompt(&server, Wire::Chat, "implementer", None);
        assert!(body.contains(text), "{body}");
    };
    said("one");
    said("two");
    said("implementer has played all of its 2 turns");
}

#[test]
fn a_request_without_tools_is_the_agents_own_and_takes_no_turn() {
    let server = server([Turn::new().say("one")]);
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "a title for: implementer" }] });
    let (status, title) = ask(&server, "POST", "/v1/chat/completions", &body);
    assert_eq!(status, 200);
    assert!(title.contains("\"finish_reason\":\"stop\""), "{title}");
    let (_, body) = prompt(&server, Wire::Chat, "implementer", None);
    assert!(body.contains("one"), "{body}");
    let answers: Vec<Answer> = server.recorded().into_iter().map(|it| it.answer).collect();
    assert_eq!(answers, [Answer::Aside(Wire::Chat), Answer::Reply(Wire::Chat)]);
}

#[test]
fn a_role_that_always_answers_has_no_last_turn() {
    let script = Script::new().always("reviewer", When::Always, Turn::new().say("fine"));
    let server = Server::start(script).unwrap();
    for _ in 0..3 {
        assert!(prompt(&server, Wire::Gemini, "review", None).1.contains("fine"));
    }
}
