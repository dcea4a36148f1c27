//! The events of a turn, in one form for all programs. They are what people watch, and what is kept of a turn beside its
//! answer.

use crate::transcript::Secrets;
use ralph_core::excerpt::Excerpt;
use ralph_core::turn_end::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The part of each text that is kept, of a tool's output as of an argument: a person reads no more of one.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Nesting of a tool's arguments. No tool of a known program needs more; text below it is dropped.
const DEPTH_MAX: u32 = 16;
/// The part of an event that fits into a line for a person who watches.
const LINE_BYTES_MAX: usize = 200;

/// Something that a program did or said in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A session began, or goes on.
    Session {
        id: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    Message {
        text: String,
    },
    Thought {
        text: String,
    },
    ToolCall {
        id: String,
        name: String,
        arguments: Value,
    },
    ToolResult {
        id: String,
        is_error: bool,
        output: String,
    },
    FileEdit {
        path: String,
    },
    Usage(Usage),
    /// A failure that the program reports. It may go on all the same.
    Error {
        text: String,
    },
    /// Output that this version does not know.
    Unknown {
        text: String,
    },
}

impl Event {
    pub(super) fn message(text: impl Into<String>) -> Self {
        Self::Message { text: text.into() }
    }

    pub(super) fn error(text: impl Into<String>) -> Self {
        Self::Error { text: text.into() }
    }

    pub(super) fn unknown(line: &str) -> Self {
        Self::Unknown { text: line.to_owned() }
    }

    /// The event without secrets, each of its texts cut to a length that a person reads.
    pub(super) fn clean(self, secrets: &Secrets) -> Self {
        let clean = |text: &str| -> String {
            Excerpt::of(secrets.hide(text).as_ref(), TEXT_BYTES_MAX).into()
        };
        match self {
            Self::Session { id, model } => {
                Self::Session { id: clean(&id), model: model.map(|model| clean(&model)) }
            }
            Self::Message { text } => Self::Message { text: clean(&text) },
            Self::Thought { text } => Self::Thought { text: clean(&text) },
            Self::ToolCall { id, name, arguments } => Self::ToolCall {
                id: clean(&id),
                name: clean(&name),
                arguments: clean_value(arguments, &clean, DEPTH_MAX),
            },
            Self::ToolResult { id, is_error, output } => {
                Self::ToolResult { id: clean(&id), is_error, output: clean(&output) }
            }
            Self::FileEdit { path } => Self::FileEdit { path: clean(&path) },
            Self::Usage(usage) => Self::Usage(usage),
            Self::Error { text } => Self::Error { text: clean(&text) },
            Self::Unknown { text } => Self::Unknown { text: clean(&text) },
        }
    }

    /// A line for a person who watches; `None` for events that would only distract.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let text = match self {
            Self::Message { text } => text.clone(),
            Self::ToolCall { name, arguments, .. } => format!("{name} {}", brief(arguments)),
            Self::ToolResult { is_error: true, output, .. } => format!("failed: {output}"),
            Self::FileEdit { path } => format!("edited {path}"),
            Self::Error { text } => format!("error: {text}"),
            Self::Unknown { text } => text.clone(),
            Self::ToolResult { is_error: false, .. }
            | Self::Session { .. }
            | Self::Thought { .. }
            | Self::Usage(_) => return None,
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then(|| Excerpt::of(&line, LINE_BYTES_MAX).into())
    }
}

/// The texts among a tool's arguments, which say most about a call: a command, a path, a pattern.
fn brief(arguments: &Value) -> String {
    match arguments {
        Value::Object(map) => {
            let texts = map.values().filter_map(Value::as_str);
            texts.collect::<Vec<_>>().join(" ")
        }
        Value::String(text) => text.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => arguments.to_string(),
    }
}

fn clean_value(value: Value, clean: &dyn Fn(&str) -> String, depth: u32) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text)),
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::Null,
        Value::Array(items) => {
            items.into_iter().map(|item| clean_value(item, clean, depth - 1)).collect()
        }
        Value::Object(map) => {
            let pairs = map.into_iter();
            pairs.map(|(name, it)| (clean(&name), clean_value(it, clean, depth - 1))).collect()
        }
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn no_text_of_an_event_keeps_a_secret_or_is_endless() {
        let variables = [("MY_KEY".into(), "sesame-sesame".into())];
        let secrets = Secrets::among(variables.iter().map(|(name, value)| (name, value)));
        let call = Event::ToolCall {
            id: "1".to_owned(),
            name: "bash".to_owned(),
            arguments: json!({"command": ["echo", "sesame-sesame"], "deep": {"n": 7}}),
        };
        let Event::ToolCall { arguments, .. } = call.clean(&secrets) else { panic!("a call") };
        assert_eq!(arguments, json!({"command": ["echo", "[redacted]"], "deep": {"n": 7}}));
        let Event::Message { text } = Event::message("x".repeat(300_000)).clean(&secrets) else {
            panic!("a message")
        };
        assert!(text.len() < 20_000, "{}", text.len());
    }

    #[test]
    fn an_event_is_one_line_and_is_read_back() {
        let all = [
            Event::Session { id: "s".to_owned(), model: None },
            Event::message("a\nb"),
            Event::ToolResult { id: "1".to_owned(), is_error: true, output: "no".to_owned() },
            Event::Usage(Usage { input: 3, cached: 1, output: 2, micro_usd: None }),
        ];
        for event in all {
            let text = serde_json::to_string(&event).unwrap();
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        }
    }

    #[test]
    fn people_see_what_is_done_and_not_its_bookkeeping() {
        let call = Event::ToolCall {
            id: "1".to_owned(),
            name: "Bash".to_owned(),
            arguments: json!({"command": "cargo\ntest", "timeout": 5}),
        };
        assert_eq!(call.line().as_deref(), Some("Bash cargo test"));
        assert_eq!(Event::Usage(Usage::default()).line(), None);
    }
}
