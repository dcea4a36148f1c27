//! Gemini: `POST /v1beta/models/…:streamGenerateContent` and `:generateContent`.

use super::{Answered, Events, elements, joined, list, text, unnamed, with};
use crate::play::Conversation;
use crate::position::Position;
use crate::script::Usage;
use crate::tools::Input;
use serde_json::{Value, json};

pub(super) fn conversation(path: &str, body: &Value) -> Result<Conversation, String> {
    let (model, method) = model_of(path)?;
    let tools = elements(body, "tools").flat_map(|tool| elements(tool, "functionDeclarations"));
    let mut found = Conversation {
        model,
        tools: tools.map(|tool| text(tool, "name").to_owned()).collect(),
        streams: method == "streamGenerateContent",
        ..Conversation::default()
    };
    for content in list(body, "contents")?.iter().filter(|one| text(one, "role") != "model") {
        let results: Vec<&Value> =
            elements(content, "parts").filter_map(|part| part.get("functionResponse")).collect();
        if let Some(last) = results.last() {
            found.done = Position::in_id(text(last, "id"));
        } else {
            found.prompt = joined(content.get("parts"));
            found.prompts += 1;
            found.done = None;
        }
    }
    Ok(found)
}

/// The model and the method at the end of a path.
fn model_of(path: &str) -> Result<(String, &str), String> {
    let last = path.rsplit('/').next().unwrap_or_default();
    let (model, method) =
        last.split_once(':').ok_or_else(|| format!("{path} names no model and method"))?;
    Ok((model.to_owned(), method))
}

pub(super) fn events(answered: &Answered<'_>) -> Events {
    let parts = parts(answered);
    let begin = parts.iter().map(|part| unnamed(&response(answered, &json!([part]), None)));
    let end = vec![unnamed(&response(answered, &json!([{ "text": "" }]), Some("STOP")))];
    Events { begin: begin.collect(), end }
}

pub(super) fn whole(answered: &Answered<'_>) -> Value {
    response(answered, &parts(answered).into(), Some("STOP"))
}

fn parts(answered: &Answered<'_>) -> Vec<Value> {
    let texts = answered.reply.texts.iter().map(|text| json!({ "text": text }));
    let call = answered.call.iter().map(|(position, call)| {
        let args = match &call.input {
            Input::Json(input) => input.clone(),
            Input::Text(input) => json!({ "input": input }),
        };
        json!({ "functionCall": { "id": format!("call_{position}"), "name": call.name, "args": args } })
    });
    texts.chain(call).collect()
}

fn response(answered: &Answered<'_>, parts: &Value, finish_reason: Option<&str>) -> Value {
    let candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    let candidate = match finish_reason {
        Some(reason) => with(candidate, "finishReason", reason.into()),
        None => candidate,
    };
    json!({
        "candidates": [candidate],
        "usageMetadata": usage(answered.reply.usage),
        "modelVersion": answered.model,
        "responseId": answered.id,
    })
}

fn usage(usage: Usage) -> Value {
    json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": usage.input + usage.output,
        "cachedContentTokenCount": usage.cached,
    })
}
