//! Anthropic Messages: `POST /v1/messages`.

use super::{Answered, Events, elements, joined, list, named, text, with};
use crate::play::Conversation;
use crate::position::Position;
use crate::script::Usage;
use crate::tools::Input;
use serde_json::{Value, json};

/// A block that Claude Code adds to prompts and results on its own.
const REMINDER: &str = "<system-reminder>";

pub(super) fn conversation(body: &Value) -> Result<Conversation, String> {
    let mut found = Conversation {
        model: text(body, "model").to_owned(),
        tools: elements(body, "tools").map(|tool| text(tool, "name").to_owned()).collect(),
        streams: body.get("stream") == Some(&Value::Bool(true)),
        ..Conversation::default()
    };
    for message in list(body, "messages")?.iter().filter(|one| text(one, "role") == "user") {
        let results: Vec<&Value> = elements(message, "content")
            .filter(|block| text(block, "type") == "tool_result")
            .collect();
        if let Some(last) = results.last() {
            found.done = Position::in_id(text(last, "tool_use_id"));
            continue;
        }
        let prompt = prompt(message.get("content"));
        if !prompt.is_empty() {
            found.prompt = prompt;
            found.prompts += 1;
            found.done = None;
        }
    }
    Ok(found)
}

fn prompt(content: Option<&Value>) -> String {
    let Some(Value::Array(blocks)) = content else { return joined(content) };
    let is_prompt = |block: &&Value| !text(block, "text").trim_start().starts_with(REMINDER);
    joined(Some(&blocks.iter().filter(is_prompt).cloned().collect()))
}

pub(super) fn events(answered: &Answered<'_>) -> Events {
    let start = json!({ "type": "message_start", "message": message(answered, &[], &Value::Null) });
    let mut begin = vec![named(&start)];
    let blocks = blocks(answered);
    for (index, block) in blocks.iter().enumerate() {
        let (empty, delta) = if text(block, "type") == "text" {
            let delta = json!({ "type": "text_delta", "text": block.get("text") });
            (json!({ "type": "text", "text": "" }), delta)
        } else {
            let input = block.get("input").map(Value::to_string);
            let empty = with(block.clone(), "input", json!({}));
            (empty, json!({ "type": "input_json_delta", "partial_json": input }))
        };
        begin.extend([
            named(
                &json!({ "type": "content_block_start", "index": index, "content_block": empty }),
            ),
            named(&json!({ "type": "content_block_delta", "index": index, "delta": delta })),
            named(&json!({ "type": "content_block_stop", "index": index })),
        ]);
    }
    let delta = json!({ "stop_reason": stop_reason(answered), "stop_sequence": null });
    let usage = usage(answered.reply.usage);
    let end = vec![
        named(&json!({ "type": "message_delta", "delta": delta, "usage": usage })),
        named(&json!({ "type": "message_stop" })),
    ];
    Events { begin, end }
}

pub(super) fn whole(answered: &Answered<'_>) -> Value {
    message(answered, &blocks(answered), &stop_reason(answered).into())
}

fn message(answered: &Answered<'_>, blocks: &[Value], stop_reason: &Value) -> Value {
    json!({
        "id": format!("msg_{}", answered.id),
        "type": "message",
        "role": "assistant",
        "model": answered.model,
        "content": blocks,
        "stop_reason": stop_reason,
        "stop_sequence": null,
        "usage": usage(answered.reply.usage),
    })
}

fn blocks(answered: &Answered<'_>) -> Vec<Value> {
    let texts = answered.reply.texts.iter().map(|text| json!({ "type": "text", "text": text }));
    let call = answered.call.iter().map(|(position, call)| {
        let input = match &call.input {
            Input::Json(input) => input.clone(),
            Input::Text(input) => json!({ "input": input }),
        };
        json!({ "type": "tool_use", "id": format!("toolu_{position}"), "name": call.name, "input": input })
    });
    texts.chain(call).collect()
}

const fn stop_reason(answered: &Answered<'_>) -> &'static str {
    if answered.call.is_some() { "tool_use" } else { "end_turn" }
}

/// Cached tokens are not part of `input_tokens` here.
fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
        "output_tokens": usage.output,
    })
}
