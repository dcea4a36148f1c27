//! Any program that speaks the Agent Client Protocol, wire version 1: JSON-RPC in lines over its standard streams.

use super::{count_at, owned_at, text_at};
use crate::agent::cause::class_of;
use crate::agent::event::Event;
use crate::agent::protocol::{End, Failure, Feed, Launch, Order, Protocol};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::{EndClass, Usage};
use serde_json::{Value, json};

const PROTOCOL_VERSION: u64 = 1;
/// The ids of our requests.
const INITIALIZE: u64 = 1;
const SESSION: u64 = 2;
const PROMPT: u64 = 3;
const MODEL: u64 = 4;
/// JSON-RPC: the other side has no such method.
const NO_METHOD: i64 = -32_601;
/// ACP: the program wants a login first.
const AUTH_REQUIRED: i64 = -32_000;
/// The kinds of tools that change nothing, and what a role that only reads may use.
const READING_KINDS: [&str; 4] = ["read", "search", "think", "switch_mode"];

#[derive(Debug, Default)]
pub(in crate::agent) struct Acp {
    order: Remembered,
    out: Vec<u8>,
    session: Option<String>,
    is_prompted: bool,
    /// The words since the latest use of a tool.
    text: String,
    usage: Option<Usage>,
    refused: Vec<String>,
    stop: Option<String>,
    error: Option<Value>,
    /// The request that failed.
    failed: u64,
}

/// The part of the order that later messages need.
#[derive(Debug, Default)]
struct Remembered {
    prompt: String,
    place: String,
    session: Option<String>,
    model: Option<String>,
    may_write: bool,
}

impl Protocol for Acp {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        self.order = Remembered {
            prompt: order.prompt.to_owned(),
            place: order.place.display().to_string(),
            session: order.session.map(str::to_owned),
            model: order.program.model.clone(),
            may_write: order.may_write,
        };
        // Without the client's files and terminals the program uses its own tools, inside of the sandbox.
        let able =
            json!({ "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false });
        let hello = json!({ "protocolVersion": PROTOCOL_VERSION, "clientCapabilities": able });
        self.request(INITIALIZE, "initialize", &hello);
        Launch {
            arguments: order.program.arguments.clone(),
            input: Feed::Talk(self.reply()),
            ..Launch::default()
        }
    }

    fn hear(&mut self, line: &str) -> Vec<Event> {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return vec![Event::unknown(line)];
        };
        let id = value.pointer("/id");
        match (text_at(&value, "/method"), id) {
            (Some("session/update"), _) => {
                let update = value.pointer("/params/update").unwrap_or(&Value::Null);
                self.update(update, line)
            }
            (Some("session/request_permission"), Some(id)) => self.permit(id, &value),
            (Some(method), Some(id)) => {
                let message = format!("this client has no {method}");
                let error = json!({ "code": NO_METHOD, "message": message });
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
                vec![Event::unknown(line)]
            }
            (Some(_), None) | (None, None) => vec![Event::unknown(line)],
            (None, Some(id)) => self.answered(id.as_u64().unwrap_or_default(), &value),
        }
    }

    fn reply(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn is_over(&self) -> bool {
        self.stop.is_some() || self.error.is_some()
    }

    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End {
        let (session, usage) = (self.session.clone(), self.usage);
        let (text, refused) = (std::mem::take(&mut self.text), std::mem::take(&mut self.refused));
        let class = |class, says: &str| Failure::Class(class, says.to_owned());
        let failure = match (self.stop.as_deref(), &self.error) {
            (Some("end_turn"), _) => return End { text, session, usage, refused, failure: None },
            (Some("cancelled"), _) => class(EndClass::Cancelled, "the turn was cancelled"),
            (Some("max_tokens"), _) => class(EndClass::ContextFull, "the answer was cut off"),
            (Some(stop), _) => class(EndClass::Crashed, stop),
            (None, Some(_)) if self.failed == SESSION && self.order.session.is_some() => {
                Failure::SessionGone
            }
            (None, Some(error)) => {
                let code = error.pointer("/code").and_then(Value::as_i64);
                let says = error.to_string();
                let login = code == Some(AUTH_REQUIRED);
                let cause = if login { EndClass::NeedsLogin } else { class_of(None, &says, now) };
                class(cause, &says)
            }
            (None, None) => class(class_of(None, log, now), &format!("{ending}: {}", log.trim())),
        };
        End { session, usage, refused, failure: Some(failure), ..End::default() }
    }
}

impl Acp {
    fn send(&mut self, message: &Value) {
        self.out.extend_from_slice(message.to_string().as_bytes());
        self.out.push(b'\n');
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    /// An answer to one of our requests leads to the next one.
    fn answered(&mut self, id: u64, value: &Value) -> Vec<Event> {
        if let Some(error) = value.pointer("/error") {
            // A program that cannot choose its model takes the one in its settings.
            if id != MODEL {
                (self.error, self.failed) = (Some(error.clone()), id);
            }
            return vec![Event::error(error.to_string())];
        }
        match id {
            INITIALIZE => {
                let can_load = value.pointer("/result/agentCapabilities/loadSession");
                let can_load = can_load.and_then(Value::as_bool).unwrap_or_default();
                self.order.session = self.order.session.take().filter(|_| can_load);
                let place = self.order.place.clone();
                match self.order.session.clone() {
                    None => {
                        let params = json!({ "cwd": place, "mcpServers": [] });
                        self.request(SESSION, "session/new", &params);
                    }
                    Some(id) => {
                        let params = json!({ "sessionId": id, "cwd": place, "mcpServers": [] });
                        self.request(SESSION, "session/load", &params);
                    }
                }
                Vec::new()
            }
            SESSION => self.begin(value),
            PROMPT => {
                self.stop = Some(owned_at(value, "/result/stopReason"));
                self.finish(value)
            }
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, value: &Value) -> Vec<Event> {
        let id = text_at(value, "/result/sessionId").map(str::to_owned);
        let id = id.or_else(|| self.order.session.clone()).unwrap_or_default();
        self.session = Some(id.clone());
        if let Some(model) = self.order.model.clone() {
            self.request(MODEL, "session/set_model", &json!({ "sessionId": id, "modelId": model }));
        }
        let prompt = json!([{ "type": "text", "text": self.order.prompt }]);
        self.request(PROMPT, "session/prompt", &json!({ "sessionId": id, "prompt": prompt }));
        self.is_prompted = true;
        vec![Event::Session { id, model: self.order.model.clone() }]
    }

    fn finish(&mut self, value: &Value) -> Vec<Event> {
        let Some(usage) = value.pointer("/result/usage").filter(|it| it.is_object()) else {
            return Vec::new();
        };
        let cached = count_at(usage, "/cachedReadTokens");
        let usage = Usage {
            input: count_at(usage, "/inputTokens") + cached,
            cached,
            output: count_at(usage, "/outputTokens"),
            micro_usd: None,
        };
        self.usage = Some(usage);
        vec![Event::Usage(usage)]
    }

    fn update(&mut self, update: &Value, line: &str) -> Vec<Event> {
        // A session that is loaded is repeated first.
        if !self.is_prompted {
            return Vec::new();
        }
        let id = owned_at(update, "/toolCallId");
        match text_at(update, "/sessionUpdate").unwrap_or_default() {
            "agent_message_chunk" => {
                let text = owned_at(update, "/content/text");
                self.text.push_str(&text);
                vec![Event::Message { text }]
            }
            "agent_thought_chunk" => {
                vec![Event::Thought { text: owned_at(update, "/content/text") }]
            }
            "tool_call" => {
                self.text.clear();
                let arguments = update.pointer("/rawInput").cloned().unwrap_or_default();
                let call = Event::ToolCall { id, name: owned_at(update, "/title"), arguments };
                let is_edit = text_at(update, "/kind") == Some("edit");
                let path = text_at(update, "/locations/0/path").filter(|_| is_edit);
                let edit = path.map(|path| Event::FileEdit { path: path.to_owned() });
                std::iter::once(call).chain(edit).collect()
            }
            "tool_call_update" => match text_at(update, "/status") {
                Some(status @ ("completed" | "failed")) => {
                    let output = text_at(update, "/content/0/content/text").map(str::to_owned);
                    let raw = || update.pointer("/rawOutput").map(Value::to_string);
                    let output = output.or_else(raw).unwrap_or_default();
                    vec![Event::ToolResult { id, is_error: status == "failed", output }]
                }
                Some(_) | None => Vec::new(),
            },
            "plan" | "available_commands_update" | "current_mode_update" | "user_message_chunk" => {
                Vec::new()
            }
            _ => vec![Event::unknown(line)],
        }
    }

    /// Answers a request for permission by the role.
    fn permit(&mut self, id: &Value, value: &Value) -> Vec<Event> {
        let kind = text_at(value, "/params/toolCall/kind").unwrap_or_default();
        let allows = self.order.may_write || READING_KINDS.contains(&kind);
        let wanted =
            if allows { ["allow_once", "allow_always"] } else { ["reject_once", "reject_always"] };
        let options = value.pointer("/params/options").and_then(Value::as_array);
        let options = options.map(Vec::as_slice).unwrap_or_default();
        let of_kind = |kind: &&str| options.iter().find(|it| text_at(it, "/kind") == Some(*kind));
        let option = wanted.iter().find_map(of_kind).map(|it| owned_at(it, "/optionId"));
        let outcome = match option {
            Some(option) => json!({ "outcome": "selected", "optionId": option }),
            None => json!({ "outcome": "cancelled" }),
        };
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } }));
        if allows {
            return Vec::new();
        }
        let title = owned_at(value, "/params/toolCall/title");
        self.refused.push(title.clone());
        vec![Event::error(format!("not permitted to this role: {title}"))]
    }
}

#[cfg(test)]
mod tests {
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
            format!(
                r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"update":{update}}}}}"#
            )
        };
        let say = |text: &str| {
            update(&format!(
                r#"{{"sessionUpdate":"agent_message_chunk","content":{{"text":"{text}"}}}}"#
            ))
        };
        acp.hear(&say("I write."));
        let call =
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Write","kind":"edit"}"#;
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
    fn a_role_that_only_reads_is_not_permitted_to_edit() {
        let mut acp = begin(false);
        assert!(reply(&mut acp, ASKS).contains(r#""optionId":"no""#));
        let read = ASKS.replace("\"edit\"", "\"read\"");
        assert!(reply(&mut acp, &read).contains(r#""optionId":"yes""#));
        acp.hear(r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"log in first"}}"#);
        let end = acp.end(Ending::Exited(0), "", Time(0));
        assert_eq!(end.refused, ["Write a.txt"]);
        let Some(Failure::Class(class, _)) = end.failure else { panic!("{end:?}") };
        assert_eq!(class, EndClass::NeedsLogin);
    }
}
