//! `OpenCode` in its `run` mode: JSON lines on standard output, the prompt on standard input. Its configuration is the
//! folder that Ralph manages.

use super::{READING, count_at, micro_usd, owned_at, text_at, words};
use crate::agent::cause::{class_of, until};
use crate::agent::event::Event;
use crate::agent::protocol::{End, Failure, Feed, Launch, Order, Protocol};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::{EndClass, Usage};
use serde_json::{Map, Value, json};

/// Neither the repository's configuration nor anything from elsewhere is loaded.
const VARIABLES: [&str; 9] = [
    "OPENCODE_DISABLE_PROJECT_CONFIG",
    "OPENCODE_DISABLE_CLAUDE_CODE",
    "OPENCODE_DISABLE_EXTERNAL_SKILLS",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_PURE",
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_SHARE",
];

/// The program's configuration in the private home.
const CONFIG_FOLDER: &str = ".config/ralph-opencode";

/// Words of the program for a tool that it did not use, because no person is there to ask or because a rule says so.
const REFUSALS: [&str; 2] = ["rejected permission", "rule which prevents you"];

#[derive(Debug, Default)]
pub(in crate::agent) struct OpenCode {
    session: Option<String>,
    usage: Option<Usage>,
    /// The texts of the latest message with a text, and its id.
    message: (String, String),
    /// The model has ended its turn, so the latest message is the answer.
    is_finished: bool,
    refused: Vec<String>,
    error: Option<Value>,
}

impl Protocol for OpenCode {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        let mut arguments = words(["run", "--format", "json"]);
        let mut option = |name: &str, value: Option<&str>| {
            arguments.extend(value.into_iter().flat_map(|value| words([name, value])));
        };
        option("--model", order.program.model.as_deref());
        option("--variant", order.program.effort.as_deref());
        option("--session", order.session);
        arguments.extend(order.program.arguments.iter().cloned());
        let mut environment: Vec<_> = VARIABLES.map(|name| (name, "1".into())).to_vec();
        environment.push(("OPENCODE_PERMISSION", permissions(order.may_write).into()));
        // The program writes into its folder, so each turn has a copy.
        let folder = order.program.opencode.clone();
        let copy = order.home.join(CONFIG_FOLDER);
        environment.extend(folder.iter().map(|_| ("OPENCODE_CONFIG_DIR", copy.clone().into())));
        let copies = folder.into_iter().map(|it| (it, CONFIG_FOLDER)).collect();
        Launch { arguments, environment, copies, input: Feed::Prompt, ..Launch::default() }
    }

    fn hear(&mut self, line: &str) -> Vec<Event> {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return vec![Event::unknown(line)];
        };
        let mut events = self.begin(&value);
        let part = value.pointer("/part").unwrap_or(&Value::Null);
        match text_at(&value, "/type").unwrap_or_default() {
            "step_start" => self.is_finished = false,
            "text" => {
                let (text, id) = (owned_at(part, "/text"), owned_at(part, "/messageID"));
                if self.message.0 == id {
                    self.message.1.push_str(&text);
                } else {
                    self.message = (id, text.clone());
                }
                events.push(Event::Message { text });
            }
            "reasoning" => events.push(Event::Thought { text: owned_at(part, "/text") }),
            "tool_use" => events.extend(self.tool(part)),
            "step_finish" => events.push(self.finish_step(part)),
            "error" => {
                let error = value.pointer("/error").cloned().unwrap_or_default();
                events.push(Event::error(says(&error)));
                self.error = Some(error);
            }
            _ => events.push(Event::unknown(line)),
        }
        events
    }

    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End {
        let (session, usage) = (self.session.clone(), self.usage);
        let refused = std::mem::take(&mut self.refused);
        let (_, text) = std::mem::take(&mut self.message);
        let is_well = self.is_finished && self.error.is_none() && ending == Ending::Exited(0);
        if is_well {
            return End { text, session, usage, refused, ..End::default() };
        }
        let failure = match &self.error {
            Some(error) => failed(error, now),
            None if log.contains("Session not found") => Failure::SessionGone,
            // A refused tool ends the program without an answer and with exit status 0.
            None if !refused.is_empty() => {
                let says = format!("a tool was refused: {}", refused.join(", "));
                Failure::Class(EndClass::PermissionRefused, says)
            }
            None => {
                let says = format!("{ending}, without an answer: {}", log.trim());
                Failure::Class(class_of(None, log, now), says)
            }
        };
        End { session, usage, refused, failure: Some(failure), ..End::default() }
    }
}

impl OpenCode {
    fn begin(&mut self, value: &Value) -> Vec<Event> {
        let Some(id) = text_at(value, "/sessionID").filter(|_| self.session.is_none()) else {
            return Vec::new();
        };
        self.session = Some(id.to_owned());
        vec![Event::Session { id: id.to_owned(), model: None }]
    }

    fn tool(&mut self, part: &Value) -> Vec<Event> {
        let (id, name) = (owned_at(part, "/callID"), owned_at(part, "/tool"));
        let arguments = part.pointer("/state/input").cloned().unwrap_or_default();
        let is_error = text_at(part, "/state/status") == Some("error");
        let output = owned_at(part, if is_error { "/state/error" } else { "/state/output" });
        if is_error && REFUSALS.iter().any(|words| output.contains(words)) {
            self.refused.push(name.clone());
        }
        let is_edit = !is_error && matches!(name.as_str(), "write" | "edit" | "patch");
        let path = text_at(&arguments, "/filePath").filter(|_| is_edit).map(str::to_owned);
        let edit = path.map(|path| Event::FileEdit { path });
        let call = Event::ToolCall { id: id.clone(), name, arguments };
        let result = Event::ToolResult { id, is_error, output };
        [call, result].into_iter().chain(edit).collect()
    }

    fn finish_step(&mut self, part: &Value) -> Event {
        self.is_finished = text_at(part, "/reason") == Some("stop");
        let cached = count_at(part, "/tokens/cache/read");
        let cost = part.pointer("/cost").and_then(Value::as_f64).unwrap_or_default();
        let sum = self.usage.get_or_insert_default();
        sum.input +=
            count_at(part, "/tokens/input") + count_at(part, "/tokens/cache/write") + cached;
        sum.cached += cached;
        sum.output += count_at(part, "/tokens/output") + count_at(part, "/tokens/reasoning");
        // Models without a known price cost nothing according to the program.
        if cost > 0.0 {
            sum.micro_usd = Some(sum.micro_usd.unwrap_or_default().saturating_add(micro_usd(cost)));
        }
        Event::Usage(*sum)
    }
}

/// The tools of a role. Nothing is asked: no person is there to answer.
fn permissions(may_write: bool) -> String {
    if may_write {
        return json!({ "*": "allow", "question": "deny" }).to_string();
    }
    let mut commands = Map::new();
    commands.insert("*".to_owned(), json!("deny"));
    commands.extend(READING.map(|command| (format!("{command}*"), json!("allow"))));
    let rules = json!({
        "edit": "deny", "webfetch": "deny", "websearch": "deny", "task": "deny",
        "question": "deny", "external_directory": "deny", "bash": commands,
    });
    rules.to_string()
}

fn says(error: &Value) -> String {
    let message = text_at(error, "/data/message").or_else(|| text_at(error, "/message"));
    format!("{} {}", owned_at(error, "/name"), message.unwrap_or_default())
}

fn failed(error: &Value, now: Time) -> Failure {
    let status = u16::try_from(count_at(error, "/data/statusCode")).ok().filter(|it| *it > 0);
    let says = says(error);
    let class = match text_at(error, "/name") {
        Some("ProviderAuthError") => EndClass::NeedsLogin,
        Some("ContextOverflowError") => EndClass::ContextFull,
        Some("MessageAbortedError") => EndClass::Cancelled,
        Some("ProviderModelNotFoundError") => EndClass::UnknownModel,
        Some(_) | None => class_of(status, &says, now),
    };
    // The time may stand in the provider's own answer only.
    let class = if class == (EndClass::UsageLimit { until: None }) {
        EndClass::UsageLimit { until: until(&error.to_string().to_lowercase(), now) }
    } else {
        class
    };
    Failure::Class(class, says)
}
