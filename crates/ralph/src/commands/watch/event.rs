//! A line of a transcript for people: plain output as it is, an event as one line on what it is about.

use super::attempts::Said;
use crate::screen::Paint;
use serde_json::Value;

/// The longest text shown of one event; the file has all of it.
const TEXT_CHARS_MAX: usize = 400;

/// `None`: the event says nothing to people.
pub(super) fn shown(said: &Said) -> Option<(String, Paint)> {
    if said.stream != "event" {
        let paint = if said.stream == "error" { Paint::Faint } else { Paint::Plain };
        return Some((said.line.clone(), paint));
    }
    let Ok(event) = serde_json::from_str::<Value>(&said.line) else {
        return Some((said.line.clone(), Paint::Plain));
    };
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| event.get(name).filter(|it| !it.is_null()));
        found.map(|value| shortened(&in_words(value))).filter(|text| !text.trim().is_empty())
    };
    let kind = text(&["type", "kind", "event"]).unwrap_or_default();
    let about = text(&["text", "message", "line", "summary"]);
    let line = if kind.contains("error") || kind.contains("failed") {
        (format!("error: {}", about.or_else(|| text(&["error"])).unwrap_or(kind)), Paint::Bad)
    } else if kind.contains("tool") {
        let name = text(&["tool", "name"]);
        let with = text(&["input", "arguments", "command", "result", "output"]).or(about);
        let is_error = event.get("is_error").and_then(Value::as_bool).unwrap_or_default();
        let words = [Some(kind.replace('_', " ")), name, with];
        let words: Vec<_> = words.into_iter().flatten().collect();
        (words.join(" "), if is_error { Paint::Bad } else { Paint::Busy })
    } else if kind.contains("edit") || kind.contains("file") {
        (
            format!("edit {}", text(&["path", "file", "files"]).or(about).unwrap_or_default()),
            Paint::Good,
        )
    } else {
        (about?, Paint::Plain)
    };
    Some(line)
}

/// A text as it is, anything else as JSON.
fn in_words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// On one line, and not longer than a person reads.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TEXT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_one_line_each_and_unknown_ones_are_left_out() {
        let event = |line: &str| {
            let (role, line) = ("implement".to_owned(), line.to_owned());
            shown(&Said { attempt: 1, role, stream: "event", line }).map(|(line, _)| line)
        };
        for (given, line) in [
            (r#"{"type":"message","text":"I will\n do it"}"#, Some("I will do it")),
            (
                r#"{"type":"tool_call","name":"bash","input":{"command":"make"}}"#,
                Some(r#"tool call bash {"command":"make"}"#),
            ),
            (r#"{"type":"tool_result","tool":"bash","output":"ok"}"#, Some("tool result bash ok")),
            (
                r#"{"type":"tool_result","id":"7","is_error":true,"output":"no"}"#,
                Some("tool result no"),
            ),
            (r#"{"type":"file_edit","path":"src/lib.rs"}"#, Some("edit src/lib.rs")),
            (r#"{"type":"error","message":"no login"}"#, Some("error: no login")),
            (r#"{"type":"usage","tokens":7}"#, None),
            ("no JSON", Some("no JSON")),
        ] {
            assert_eq!(event(given).as_deref(), line, "{given}");
        }
        let long = event(&format!("{{\"type\":\"message\",\"text\":\"{}\"}}", "ä".repeat(500)));
        assert_eq!(long.unwrap().chars().count(), TEXT_CHARS_MAX + 1);
    }
}
