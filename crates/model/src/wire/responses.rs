//! OpenAI Responses: `POST /v1/responses`.

use super::{Answered, Events, elements, joined, list, named, text};
use crate::play::Conversation;
use crate::position::Position;
use crate::script::Usage;
use crate::tools::Input;
use serde_json::{Value, json};

/// The beginnings of messages that Codex sends in the name of the user.
const NOT_PROMPTS: [&str; 5] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
];

pub(super) fn conversation(body: &Value) -> Result<Conversation, String> {
    let mut found = Conversation {
        model: text(body, "model").to_owned(),
        tools: elements(body, "tools").map(|tool| text(tool, "name").to_owned()).collect(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        ..Conversation::default()
    };
    for item in list(body, "input")? {
        match text(item, "type") {
            "function_call_output" | "custom_tool_call_output" => {
                found.done = Position::in_id(text(item, "call_id"));
            }
            "message" if text(item, "role") == "user" => {
                let prompt = joined(item.get("content"));
                let begins = |start: &&str| prompt.trim_start().starts_with(*start);
                if !NOT_PROMPTS.iter().any(begins) {
                    found.prompt = prompt;
                    found.prompts += 1;
                    found.done = None;
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

pub(super) fn events(answered: &Answered<'_>) -> Events {
    let id = format!("resp_{}", answered.id);
    let mut begin = vec![named(&json!({ "type": "response.created", "response": { "id": id } }))];
    for (index, item) in items(answered).iter().enumerate() {
        begin.extend([
            named(&json!({ "type": "response.output_item.added", "output_index": index, "item": item })),
            named(&json!({ "type": "response.output_item.done", "output_index": index, "item": item })),
        ]);
    }
    let end = named(&json!({ "type": "response.completed", "response": whole(answered) }));
    Events { begin, end: vec![end] }
}

pub(super) fn whole(answered: &Answered<'_>) -> Value {
    json!({
        "id": format!("resp_{}", answered.id),
        "object": "response",
        "status": "completed",
        "model": answered.model,
        "output": items(answered),
        "usage": usage(answered.reply.usage),
    })
}

fn items(answered: &Answered<'_>) -> Vec<Value> {
    let texts = answered.reply.texts.iter().enumerate().map(|(index, text)| {
        json!({
            "type": "message",
            "id": format!("msg_{}_{index}", answered.id),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        })
    });
    let call = answered.call.iter().map(|(position, call)| {
        let (kind, field, input) = match &call.input {
            Input::Json(input) => ("function_call", "arguments", input.to_string()),
            Input::Text(input) => ("custom_tool_call", "input", input.clone()),
        };
        json!({
            "type": kind,
            "id": format!("fc_{}", answered.id),
            "call_id": format!("call_{position}"),
            "name": call.name,
            "status": "completed",
            field: input,
        })
    });
    texts.chain(call).collect()
}

fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": { "cached_tokens": usage.cached },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.input + usage.output,
    })
}
