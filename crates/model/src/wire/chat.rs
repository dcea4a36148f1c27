//! OpenAI Chat Completions: `POST /v1/chat/completions`.

use super::{Answered, Events, elements, joined, list, text, unnamed, with};
use crate::play::Conversation;
use crate::position::Position;
use crate::script::Usage;
use crate::tools::Input;
use serde_json::{Value, json};

pub(super) fn conversation(body: &Value) -> Result<Conversation, String> {
    let name = |tool: &Value| tool.get("function").map(|it| text(it, "name").to_owned());
    let mut found = Conversation {
        model: text(body, "model").to_owned(),
        tools: elements(body, "tools").filter_map(name).collect(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        ..Conversation::default()
    };
    for message in list(body, "messages")? {
        match text(message, "role") {
            "tool" => found.done = Position::in_id(text(message, "tool_call_id")),
            "user" => {
                found.prompt = joined(message.get("content"));
                found.prompts += 1;
                found.done = None;
            }
            _ => {}
        }
    }
    Ok(found)
}

pub(super) fn events(answered: &Answered<'_>) -> Events {
    let mut begin = vec![chunk(answered, &json!({ "role": "assistant", "content": "" }), None)];
    begin.extend(
        answered.reply.texts.iter().map(|text| chunk(answered, &json!({ "content": text }), None)),
    );
    let calls = calls(answered);
    if !calls.is_empty() {
        begin.push(chunk(answered, &json!({ "tool_calls": calls }), None));
    }
    let counted = envelope(answered, "chat.completion.chunk", &json!([]));
    let counted = with(counted, "usage", usage(answered.reply.usage));
    let end = vec![
        chunk(answered, &json!({}), Some(finish_reason(answered))),
        unnamed(&counted),
        "data: [DONE]\n\n".to_owned(),
    ];
    Events { begin, end }
}

pub(super) fn whole(answered: &Answered<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": answered.reply.texts.join("") });
    if answered.call.is_some() {
        message = with(message, "tool_calls", calls(answered).into());
    }
    let choice =
        json!([{ "index": 0, "message": message, "finish_reason": finish_reason(answered) }]);
    let whole = envelope(answered, "chat.completion", &choice);
    with(whole, "usage", usage(answered.reply.usage))
}

fn chunk(answered: &Answered<'_>, delta: &Value, finish_reason: Option<&str>) -> String {
    let choice = json!([{ "index": 0, "delta": delta, "finish_reason": finish_reason }]);
    unnamed(&envelope(answered, "chat.completion.chunk", &choice))
}

fn envelope(answered: &Answered<'_>, object: &str, choices: &Value) -> Value {
    json!({
        "id": format!("chatcmpl-{}", answered.id),
        "object": object,
        "created": 1_700_000_000,
        "model": answered.model,
        "choices": choices,
    })
}

fn calls(answered: &Answered<'_>) -> Vec<Value> {
    let call = answered.call.iter().map(|(position, call)| {
        let input = match &call.input {
            Input::Json(input) => input.to_string(),
            Input::Text(input) => json!({ "input": input }).to_string(),
        };
        json!({
            "index": 0,
            "id": format!("call_{position}"),
            "type": "function",
            "function": { "name": call.name, "arguments": input },
        })
    });
    call.collect()
}

const fn finish_reason(answered: &Answered<'_>) -> &'static str {
    if answered.call.is_some() { "tool_calls" } else { "stop" }
}

fn usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cached },
    })
}
