//! The shape of what an agent said: the kinds of its events in order, without times, ids and numbers.

use serde_json::Value;

/// The kinds of the events, each once however often it is repeated.
pub(crate) fn shape(said: &str) -> Vec<String> {
    let mut kinds: Vec<String> = said.lines().map(kind).collect();
    kinds.dedup();
    kinds
}

fn kind(line: &str) -> String {
    let Ok(event) = serde_json::from_str::<Value>(line) else { return "text".to_owned() };
    let parts = [
        "/type",
        "/subtype",
        "/item/type",
        "/part/reason",
        "/part/tool",
        "/status",
        "/is_error",
        "/error/name",
    ];
    let part = |at: &&str| match event.pointer(at)? {
        Value::String(text) => Some(text.clone()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    };
    parts.iter().filter_map(part).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_shape_has_kinds_and_no_numbers() {
    let said = "{\"type\":\"step\",\"time\":1}\n{\"type\":\"step\",\"time\":2}\nwords\n{\"type\":\"result\",\"is_error\":true}\n";
    assert_eq!(shape(said), ["step", "text", "result true"]);
}
