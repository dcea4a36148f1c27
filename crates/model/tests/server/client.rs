//! A client as small as the server: one request, one answer, and conversations in each wire format.

use ralph_model::{Server, Wire};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

pub(crate) const WIRES: [Wire; 4] = [Wire::Messages, Wire::Responses, Wire::Chat, Wire::Gemini];

/// The status and the body of the answer to a request.
pub(crate) fn ask(server: &Server, method: &str, path: &str, body: &Value) -> (u16, String) {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, server.port())).unwrap();
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nx-api-key: secret\r\nContent-Length: {length}\r\n\r\n"
    );
    connection.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (status, body.unwrap_or_default())
}

/// Sends a prompt, and the result of a tool call if there was one.
pub(crate) fn prompt(
    server: &Server,
    wire: Wire,
    prompt: &str,
    result_of: Option<&str>,
) -> (u16, String) {
    let (path, body) = request(wire, prompt, result_of);
    ask(server, "POST", path, &body)
}

/// A request in the format of a wire, with the tools of the agent that uses it.
fn request(wire: Wire, prompt: &str, result_of: Option<&str>) -> (&'static str, Value) {
    match wire {
        Wire::Messages => {
            let result = result_of.map(|id| {
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "done" }] })
            });
            let first = json!({ "role": "user", "content": [
                { "type": "text", "text": "<system-reminder>planner</system-reminder>" },
                { "type": "text", "text": prompt },
            ]});
            let messages: Vec<Value> = [Some(first), result].into_iter().flatten().collect();
            let tools = json!([{ "name": "Bash" }, { "name": "Write" }]);
            let body =
                json!({ "model": "m", "stream": true, "messages": messages, "tools": tools });
            ("/v1/messages?beta=true", body)
        }
        Wire::Responses => {
            let result = result_of.map(
                |id| json!({ "type": "custom_tool_call_output", "call_id": id, "output": "done" }),
            );
            let text = |text: &str| json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": text }] });
            let first = [text(prompt), text("<environment_context>planner</environment_context>")];
            let input: Vec<Value> = first.into_iter().chain(result).collect();
            let tools = json!([{ "type": "function", "name": "exec_command" }, { "type": "custom", "name": "apply_patch" }]);
            (
                "/v1/responses",
                json!({ "model": "m", "stream": true, "input": input, "tools": tools }),
            )
        }
        Wire::Chat => {
            let result = result_of
                .map(|id| json!({ "role": "tool", "tool_call_id": id, "content": "done" }));
            let first = json!({ "role": "user", "content": prompt });
            let messages: Vec<Value> = [Some(first), result].into_iter().flatten().collect();
            let tool = |name: &str| json!({ "type": "function", "function": { "name": name } });
            let tools = [tool("bash"), tool("write")];
            let body =
                json!({ "model": "m", "stream": true, "messages": messages, "tools": tools });
            ("/v1/chat/completions", body)
        }
        Wire::Gemini => {
            let result = result_of.map(|id| {
                json!({ "role": "user", "parts": [{ "functionResponse": { "id": id, "name": "write_file" } }] })
            });
            let first = json!({ "role": "user", "parts": [{ "text": prompt }] });
            let contents: Vec<Value> = [Some(first), result].into_iter().flatten().collect();
            let tools = json!([{ "functionDeclarations": [{ "name": "write_file" }, { "name": "run_shell_command" }] }]);
            let body = json!({ "contents": contents, "tools": tools });
            ("/v1beta/models/m:streamGenerateContent?alt=sse", body)
        }
    }
}
