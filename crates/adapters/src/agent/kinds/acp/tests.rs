//! Conversations with a program that speaks the Agent Client Protocol.

use super::*;
use crate::agent::program::Program;
use std::path::Path;

fn begin(may_write: bool) -> Acp {
    let (program, session) = (Program::default(), None);
    let (home, place, is_sandboxed) = (Path::new("/home"), Path::new("/place"), true);
    let (program, prompt) = (&program, "Do it");
    let order = Order { program, home, place, prompt, session, may_write, is_sandboxed };
    let mut acp = Acp::default();
    let Feed::Talk(first) = acp.launch(&order).input else { panic!("nothing is said") };
    assert!(String::from_utf8_lossy(&first).contains(r#""method":"initialize""#));
    acp
}

fn reply(acp: &mut Acp, line: &str) -> String {
    acp.hear(line);
    String::from_utf8(acp.reply()).unwrap()
}

const ASKS: &str = r#"{"jsonrpc":"2.0","id":"p","method":"session/request_permission","params":{
    "toolCall":{"toolCallId":"t","title":"Write a.txt","kind":"edit"},
    "options":[{"optionId":"yes","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]}}"#;

#[test]
fn a_conversation_goes_from_hello_to_the_answer() {
    let mut acp = begin(true);
    let new = reply(&mut acp, r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#);
    assert!(new.contains(r#""method":"session/new""#) && new.contains("/place"), "{new}");
    let prompt = reply(&mut acp, r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}"#);
    assert!(prompt.contains("session/prompt") && prompt.contains("Do it"), "{prompt}");
    assert!(reply(&mut acp, ASKS).contains(r#""optionId":"yes""#));
    let update = |update: &str| {
        format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"update":{update}}}}}"#)
    };
    let say = |text: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"agent_message_chunk","content":{{"text":"{text}"}}}}"#
        ))
    };
    acp.hear(&say("I write."));
    let call = r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Write","kind":"edit"}"#;
    assert_eq!(acp.hear(&update(call)).len(), 1);
    acp.hear(&say("All "));
    acp.hear(&say("done."));
    assert!(!acp.is_over());
    acp.hear(r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#);
    assert!(acp.is_over());
    let end = acp.end(Ending::Exited(0), "", Time(0));
    assert_eq!((end.text.as_str(), end.failure), ("All done.", None));
    assert_eq!(end.session.as_deref(), Some("s-1"));
}

#[test]
fn a_message_follows_the_prompt_under_way_and_the_answer_is_that_to_the_last_one() {
    let mut acp = begin(true);
    reply(&mut acp, r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#);
    reply(&mut acp, r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}"#);
    let say = |text: &str| {
        let chunk = json!({ "sessionUpdate": "agent_message_chunk", "content": { "text": text } });
        json!({ "method": "session/update", "params": { "update": chunk } }).to_string()
    };
    assert_eq!(acp.tell("Mind the gap."), Some(Vec::new()), "it waits for its prompt");
    acp.hear(&say("First."));
    let first = r#"{"id":3,"result":{"stopReason":"end_turn","usage":{"inputTokens":5}}}"#;
    let next = reply(&mut acp, first);
    assert!(next.contains("session/prompt") && next.contains("Mind the gap."), "{next}");
    assert!(next.contains(r#""id":100"#) && !acp.is_over(), "{next}");
    acp.hear(&say("Second."));
    acp.hear(&first.replace(r#""id":3"#, r#""id":100"#));
    assert!(acp.is_over() && acp.tell("Too late.").is_none());
    let end = acp.end(Ending::Exited(0), "", Time(0));
    assert_eq!((end.text.as_str(), end.failure), ("Second.", None));
    assert_eq!(end.usage.map(|usage| usage.input), Some(10), "both prompts count");
}

#[test]
fn a_role_that_only_reads_is_not_permitted_to_edit() {
    let mut acp = begin(false);
    assert!(reply(&mut acp, ASKS).contains(r#""optionId":"no""#));
    // The sandbox keeps commands from writing.
    for harmless in ["\"read\"", "\"execute\""] {
        let asks = ASKS.replace("\"edit\"", harmless);
        assert!(reply(&mut acp, &asks).contains(r#""optionId":"yes""#), "{harmless}");
    }
    acp.hear(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"log in first"}}"#);
    let end = acp.end(Ending::Exited(0), "", Time(0));
    assert_eq!(end.refused, ["Write a.txt"]);
    let Some(Failure::Class(class, _)) = end.failure else { panic!("{end:?}") };
    assert_eq!(class, EndClass::NeedsLogin);
}

#[test]
fn a_failure_that_is_told_beside_a_good_end_is_a_failure() {
    for (place, expected) in [
        (
            r#"{"title":"Our servers are overloaded","severity":"error"}"#,
            Some(EndClass::Overloaded),
        ),
        (
            r#"{"category":"connection","title":"The connection to Claude was lost.","severity":"error"}"#,
            Some(EndClass::Crashed),
        ),
        (r#"{"title":"It is tried again","severity":"warning"}"#, None),
    ] {
        let mut acp = begin(true);
        acp.hear(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}"#);
        acp.hear(r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s-1"}}"#);
        acp.hear(&format!(
            r#"{{"jsonrpc":"2.0","id":3,"result":{{"stopReason":"end_turn",
               "_meta":{{"jetbrains":{{"air":{{"sessionFailure":{place}}}}}}}}}}}"#
        ));
        let end = acp.end(Ending::Exited(0), "", Time(0));
        let class = end.failure.map(|failure| match failure {
            Failure::Class(class, _) => class,
            Failure::SessionGone => panic!("{place}"),
        });
        assert_eq!(class, expected, "{place}");
    }
}

#[test]
fn the_name_of_a_code_is_no_word_about_the_provider() {
    let mut acp = begin(true);
    acp.hear(r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error: exited unexpectedly"}}"#);
    let end = acp.end(Ending::Exited(0), "", Time(0));
    let Some(Failure::Class(class, _)) = end.failure else { panic!("{end:?}") };
    assert_eq!(class, EndClass::Crashed);
}
