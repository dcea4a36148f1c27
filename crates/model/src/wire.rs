//! The wire formats: which requests each has, how a conversation is read from one, and how a reply is written.

mod chat;
mod gemini;
mod messages;
mod responses;

use crate::play::{Conversation, Reply};
use crate::position::Position;
use crate::tools::ToolCall;
use serde_json::Value;

/// The API that a request belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Anthropic Messages, which Claude Code uses.
    Messages,
    /// OpenAI Responses, which Codex uses.
    Responses,
    /// OpenAI Chat Completions, which OpenCode uses for compatible providers.
    Chat,
    /// Gemini's generateContent, which Gemini CLI uses.
    Gemini,
}

/// A request that this server understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// A reply of the model is wanted.
    Model(Wire),
    /// The number of tokens in a conversation is wanted.
    Count(Wire),
    /// The names of the models are wanted.
    Models,
    /// The agent looks whether there is a server.
    Probe,
}

/// The server-sent events of a reply. The end is apart, because a connection may fail before it.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) begin: Vec<String>,
    pub(crate) end: Vec<String>,
}

/// A reply with everything that its wire format needs.
#[derive(Debug)]
pub(crate) struct Answered<'a> {
    /// Unique within a server.
    pub(crate) id: String,
    pub(crate) model: &'a str,
    pub(crate) reply: &'a Reply,
    pub(crate) call: Option<(Position, ToolCall)>,
}

impl Route {
    /// The route of a path without its query; the reason if there is none.
    pub(crate) fn of(method: &str, path: &str) -> Result<Self, String> {
        let route = match (method, path) {
            ("POST", "/v1/messages") => Self::Model(Wire::Messages),
            ("POST", "/v1/messages/count_tokens") => Self::Count(Wire::Messages),
            ("POST", "/v1/responses") => Self::Model(Wire::Responses),
            ("POST", "/v1/chat/completions") => Self::Model(Wire::Chat),
            ("POST", path) if path.ends_with(":streamGenerateContent") => Self::Model(Wire::Gemini),
            ("POST", path) if path.ends_with(":generateContent") => Self::Model(Wire::Gemini),
            ("POST", path) if path.ends_with(":countTokens") => Self::Count(Wire::Gemini),
            ("GET", "/v1/models") => Self::Models,
            ("HEAD" | "GET", "/") => Self::Probe,
            _ => return Err(format!("this model does not know {method} {path}")),
        };
        Ok(route)
    }
}

impl Wire {
    /// The conversation in a request; the reason if it is not one of this format.
    pub(crate) fn conversation(self, path: &str, body: &Value) -> Result<Conversation, String> {
        match self {
            Self::Messages => messages::conversation(body),
            Self::Responses => responses::conversation(body),
            Self::Chat => chat::conversation(body),
            Self::Gemini => gemini::conversation(path, body),
        }
    }

    pub(crate) fn events(self, answered: &Answered<'_>) -> Events {
        match self {
            Self::Messages => messages::events(answered),
            Self::Responses => responses::events(answered),
            Self::Chat => chat::events(answered),
            Self::Gemini => gemini::events(answered),
        }
    }

    /// The same reply to a request that wants it in one piece.
    pub(crate) fn whole(self, answered: &Answered<'_>) -> Value {
        match self {
            Self::Messages => messages::whole(answered),
            Self::Responses => responses::whole(answered),
            Self::Chat => chat::whole(answered),
            Self::Gemini => gemini::whole(answered),
        }
    }
}

/// An event with its name, as Anthropic and OpenAI Responses send them.
fn named(data: &Value) -> String {
    let name = text(data, "type");
    format!("event: {name}\ndata: {data}\n\n")
}

/// An object with one more field.
fn with(mut object: Value, field: &str, value: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.insert(field.to_owned(), value);
    }
    object
}

fn unnamed(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// The text in a field; empty if there is none.
fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The list in a field; the reason if there is none.
fn list<'v>(value: &'v Value, field: &str) -> Result<&'v Vec<Value>, String> {
    let list = value.get(field).and_then(Value::as_array);
    list.ok_or_else(|| format!("the request has no list `{field}`"))
}

/// The elements of a field that may be missing.
fn elements<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

/// The text of a content that is either a text or a list of parts with texts.
fn joined(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
