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
/// The ids of our requests. Prompts after the first one count on from the last of these.
const INITIALIZE: u64 = 1;
const SESSION: u64 = 2;
const PROMPT: u64 = 3;
const MODEL: u64 = 4;
const NEXT_PROMPT: u64 = 100;
/// JSON-RPC: the other side has no such method.
const NO_METHOD: i64 = -32_601;
/// JSON-RPC: the words of the code for everything that has none of its own.
const INTERNAL_ERROR: &str = "Internal error";
/// ACP: the program wants a login first.
const AUTH_REQUIRED: i64 = -32_000;
/// The end of a prompt that was carried out.
const END_TURN: &str = "end_turn";
/// The kinds of tools that change nothing, and what a role that only reads may use.
const READING_KINDS: [&str; 4] = ["read", "search", "think", "switch_mode"];
/// Commands. In a sandbox they cannot write in a place that is only read, and a reviewer needs them to see a change.
const COMMAND_KIND: &str = "execute";

#[derive(Debug, Default)]
pub(in crate::agent) struct Acp {
    order: Remembered,
    out: Vec<u8>,
    session: Option<String>,
    is_prompted: bool,
    /// Words of people that wait for the end of the prompt before them, which is when the protocol allows another one.
    messages: Vec<String>,
    /// The words since the latest use of a tool.
    text: String,
    usage: Option<Usage>,
    refused: Vec<String>,
    stop: Option<String>,
    error: Option<Value>,
    /// The request that failed.
    failed: u64,
    /// A failure that was reported beside an answer which looks like a good end.
    reported: Option<String>,
}

/// The part of the order that later messages need.
#[derive(Debug, Default)]
struct Remembered {
    prompt: String,
    place: String,
    session: Option<String>,
    model: Option<String>,
    may_write: bool,
    is_sandboxed: bool,
}

impl Protocol for Acp {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        self.order = Remembered {
            prompt: order.prompt.to_owned(),
            place: order.place.display().to_string(),
            session: order.session.map(str::to_owned),
            model: order.program.model.clone(),
            may_write: order.may_write,
            is_sandboxed: order.is_sandboxed,
        };
        // Without the client's files and terminals the program uses its own tools, inside of the sandbox.
        let files = json!({ "readTextFile": false, "writeTextFile": false });
        let able = json!({ "fs": files, "terminal": false, "_meta": FailureReports::wanted() });
        let hello = json!({ "protocolVersion": PROTOCOL_VERSION, "clientCapabilities": able });
        self.request(INITIALIZE, "initialize", &hello);
        Launch {
            arguments: order.program.arguments.clone(),
            environment: vec![(NO_SUGGESTIONS, "false".into())],
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

    fn tell(&mut self, words: &str) -> Option<Vec<u8>> {
        (!self.is_over()).then(|| self.messages.push(words.to_owned())).map(|()| Vec::new())
    }

    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End {
        let (session, usage) = (self.session.clone(), self.usage);
        let (text, refused) = (std::mem::take(&mut self.text), std::mem::take(&mut self.refused));
        let class = |class, says: &str| Failure::Class(class, says.to_owned());
        let failure = match (self.stop.as_deref(), &self.error) {
            (Some(END_TURN), _) if self.reported.is_some() => {
                let says = self.reported.take().unwrap_or_default();
                Failure::Class(FailureReports::class(&says, now), says)
            }
            (Some(END_TURN), _) => {
                return End { text, session, usage, refused, ..End::default() };
            }
            (Some("cancelled"), _) => class(EndClass::Cancelled, "the turn was cancelled"),
            (Some("max_tokens"), _) => class(EndClass::ContextFull, "the answer was cut off"),
            (Some(stop), _) => class(EndClass::Crashed, stop),
            (None, Some(_)) if self.failed == SESSION && self.order.session.is_some() => {
                Failure::SessionGone
            }
            (None, Some(error)) => {
                let code = error.pointer("/code").and_then(Value::as_i64);
                // The name of the code is no word about the provider.
                let says = error.to_string().replace(INTERNAL_ERROR, "");
                let login = code == Some(AUTH_REQUIRED);
                let cause = if login { EndClass::NeedsLogin } else { class_of(None, &says, now) };
                class(cause, &error.to_string())
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
                let (place, meta) = (&self.order.place, own_settings());
                let (method, params) = match &self.order.session {
                    None => {
                        let params = json!({ "cwd": place, "mcpServers": [], "_meta": meta });
                        ("session/new", params)
                    }
                    Some(id) => {
                        let params = json!({
                            "sessionId": id, "cwd": place, "mcpServers": [], "_meta": meta,
                        });
                        ("session/load", params)
                    }
                };
                self.request(SESSION, method, &params);
                Vec::new()
            }
            SESSION => self.begin(value),
            PROMPT | NEXT_PROMPT.. => {
                let stop = owned_at(value, "/result/stopReason");
                let mut events = self.report(value.pointer("/result").unwrap_or(&Value::Null));
                events.extend(self.finish(value));
                let messages = std::mem::take(&mut self.messages);
                if stop == END_TURN && self.reported.is_none() && !messages.is_empty() {
                    self.text.clear();
                    self.prompt(NEXT_PROMPT.max(id + 1), &messages.join("\n\n"));
                } else {
                    self.stop = Some(stop);
                }
                events
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
        self.prompt(PROMPT, &self.order.prompt.clone());
        self.is_prompted = true;
        vec![Event::Session { id, model: self.order.model.clone() }]
    }

    fn prompt(&mut self, id: u64, text: &str) {
        let (session, prompt) = (self.session.clone(), json!([{ "type": "text", "text": text }]));
        self.request(id, "session/prompt", &json!({ "sessionId": session, "prompt": prompt }));
    }

    fn finish(&mut self, value: &Value) -> Vec<Event> {
        let Some(usage) = value.pointer("/result/usage").filter(|it| it.is_object()) else {
            return Vec::new();
        };
        let cached = count_at(usage, "/cachedReadTokens");
        let before = self.usage.unwrap_or_default();
        let usage = Usage {
            input: before.input.saturating_add(count_at(usage, "/inputTokens") + cached),
            cached: before.cached.saturating_add(cached),
            output: before.output.saturating_add(count_at(usage, "/outputTokens")),
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
            "session_info_update" => self.report(update),
            "plan" | "available_commands_update" | "current_mode_update" | "user_message_chunk" => {
                Vec::new()
            }
            _ => vec![Event::unknown(line)],
        }
    }

    /// Notes a failure that a message carries beside its own content.
    fn report(&mut self, message: &Value) -> Vec<Event> {
        let Some(failure) = message.pointer(FailureReports::PLACE) else { return Vec::new() };
        let says = [owned_at(failure, "/title"), owned_at(failure, "/details")].join(" ");
        let says = format!("{}: {}", owned_at(failure, "/category"), says.trim());
        if text_at(failure, "/severity") == Some("error") {
            self.reported = Some(says.clone());
        }
        vec![Event::error(says)]
    }

    /// Answers a request for permission by the role.
    fn permit(&mut self, id: &Value, value: &Value) -> Vec<Event> {
        let kind = text_at(value, "/params/toolCall/kind").unwrap_or_default();
        let is_contained = kind == COMMAND_KIND && self.order.is_sandboxed;
        let allows = self.order.may_write || is_contained || READING_KINDS.contains(&kind);
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

/// The adapter of Codex takes whoever wants reports of failures for an editor, and would ask the model after each turn what
/// a person might type next.
const NO_SUGGESTIONS: &str = "CODEX_ACP_PROMPT_SUGGESTIONS";

/// An extension that the adapters of Claude Code and Codex know. Without it a turn that the provider refused may end like a
/// good one, with the words of the failure as its answer.
struct FailureReports;

impl FailureReports {
    const PLACE: &str = "/_meta/jetbrains/air/sessionFailure";
    /// The adapter of Claude Code says so when the program that it runs is gone, not the provider.
    const PROGRAM_GONE: [&str; 2] =
        ["The connection to Claude was lost", "The Claude worker is shutting down"];

    fn class(says: &str, now: Time) -> EndClass {
        let is_gone = Self::PROGRAM_GONE.iter().any(|words| says.contains(words));
        if is_gone { EndClass::Crashed } else { class_of(None, says, now) }
    }

    fn wanted() -> Value {
        json!({ "jetbrains": { "air": { "version": 1, "capabilities": ["sessionFailure"] } } })
    }
}

/// Words beside the protocol that the adapter of Claude Code knows: it would read the settings, hooks and servers of the
/// repository otherwise, and ask the model after each turn what a person might type next. Other programs ignore them.
fn own_settings() -> Value {
    let options =
        json!({ "settingSources": [], "strictMcpConfig": true, "promptSuggestions": false });
    json!({ "claudeCode": { "options": options } })
}

#[cfg(test)]
mod tests;
