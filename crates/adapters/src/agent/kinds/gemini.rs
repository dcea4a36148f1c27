//! Gemini CLI in headless mode: JSON lines on standard output, the prompt on standard input.

use super::{READING, count_at, owned_at, text_at, words};
use crate::agent::cause::class_of;
use crate::agent::event::Event;
use crate::agent::protocol::{End, Failure, Feed, Launch, Order, Protocol};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::Usage;
use serde_json::{Value, json};

const SETTINGS: &str = ".gemini/settings.json";
const POLICY: &str = ".gemini/ralph-policy.toml";
/// No file has this name, so none is read for instructions beside the one that the program always reads.
const NO_FILE: &str = "ralph-reads-no-instructions.md";

#[derive(Debug, Default)]
pub(in crate::agent) struct Gemini {
    session: Option<String>,
    /// The words since the latest use of a tool.
    text: String,
    usage: Option<Usage>,
    model: Option<String>,
    refused: Vec<String>,
    /// Tools in use, by id.
    calls: Vec<(String, String)>,
    result: Option<Value>,
}

impl Protocol for Gemini {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        let policy = order.home.join(POLICY).display().to_string();
        let mut arguments = words(["--output-format", "stream-json", "--skip-trust"]);
        arguments.extend(words(["--extensions", "none", "--policy", &policy]));
        let mode = if order.may_write { "yolo" } else { "default" };
        arguments.extend(words(["--approval-mode", mode]));
        let mut option = |name: &str, value: Option<&str>| {
            arguments.extend(value.into_iter().flat_map(|value| words([name, value])));
        };
        option("--model", order.program.model.as_deref());
        option("--resume", order.session);
        arguments.extend(order.program.arguments.iter().cloned());
        Launch {
            arguments,
            environment: vec![("GEMINI_CLI_NO_RELAUNCH", "true".into())],
            files: vec![(SETTINGS, settings_of(order)), (POLICY, policy_of(order.may_write))],
            input: Feed::Prompt,
            ..Launch::default()
        }
    }

    fn hear(&mut self, line: &str) -> Vec<Event> {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return vec![Event::unknown(line)];
        };
        match (text_at(&value, "/type").unwrap_or_default(), text_at(&value, "/role")) {
            ("init", _) => {
                let id = owned_at(&value, "/session_id");
                self.session = Some(id.clone()).filter(|id| !id.is_empty());
                self.model = text_at(&value, "/model").map(str::to_owned);
                vec![Event::Session { id, model: self.model.clone() }]
            }
            ("message", Some("assistant")) => {
                let text = owned_at(&value, "/content");
                self.text.push_str(&text);
                vec![Event::Message { text }]
            }
            ("message", Some("user")) => Vec::new(),
            ("tool_use", _) => self.call(&value),
            ("tool_result", _) => vec![self.answer(&value)],
            ("error", _) => vec![Event::error(owned_at(&value, "/message"))],
            ("result", _) => self.finish(value),
            _ => vec![Event::unknown(line)],
        }
    }

    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End {
        let (session, usage) = (self.session.clone(), self.usage);
        let (text, refused) = (std::mem::take(&mut self.text), std::mem::take(&mut self.refused));
        let is_well = self.result.as_ref().and_then(|it| text_at(it, "/status")) == Some("success");
        if is_well && ending == Ending::Exited(0) {
            let model = self.model.clone();
            return End { text, session, usage, refused, model, ..End::default() };
        }
        let error = self.result.as_ref().and_then(|it| text_at(it, "/error/message"));
        let says = error.map_or_else(|| format!("{ending}: {}", log.trim()), str::to_owned);
        let failure = if says.contains("Error resuming session") {
            Failure::SessionGone
        } else {
            // The exit status is the lower half of the provider's status, and no signal.
            Failure::Class(class_of(None, &says, now), says)
        };
        let (failure, model) = (Some(failure), self.model.clone());
        End { session, usage, refused, failure, model, ..End::default() }
    }
}

impl Gemini {
    fn call(&mut self, value: &Value) -> Vec<Event> {
        self.text.clear();
        let (id, name) = (owned_at(value, "/tool_id"), owned_at(value, "/tool_name"));
        self.calls.push((id.clone(), name.clone()));
        let arguments = value.pointer("/parameters").cloned().unwrap_or_default();
        let is_edit = matches!(name.as_str(), "write_file" | "replace");
        let path = text_at(&arguments, "/file_path").filter(|_| is_edit).map(str::to_owned);
        let edit = path.map(|path| Event::FileEdit { path });
        std::iter::once(Event::ToolCall { id, name, arguments }).chain(edit).collect()
    }

    fn answer(&mut self, value: &Value) -> Event {
        let id = owned_at(value, "/tool_id");
        let name = self.calls.iter().position(|(call, _)| *call == id);
        let name = name.map(|at| self.calls.swap_remove(at).1);
        if text_at(value, "/error/type") == Some("policy_violation") {
            self.refused.push(name.unwrap_or_else(|| "a tool".to_owned()));
        }
        let is_error = text_at(value, "/status") != Some("success");
        Event::ToolResult { id, is_error, output: owned_at(value, "/output") }
    }

    fn finish(&mut self, value: Value) -> Vec<Event> {
        let usage = Usage {
            input: count_at(&value, "/stats/input_tokens"),
            cached: count_at(&value, "/stats/cached"),
            output: count_at(&value, "/stats/output_tokens"),
            micro_usd: None,
        };
        self.usage = Some(usage);
        let error = text_at(&value, "/error/message").map(Event::error);
        self.result = Some(value);
        std::iter::once(Event::Usage(usage)).chain(error).collect()
    }
}

/// The program would try a request ten times, with pauses of half a minute. Ralph waits for a provider without a turn.
const REQUEST_TRIES: u32 = 3;

/// No extensions, hooks, MCP servers or skills, no updates, nothing sent but to the model.
fn settings_of(order: &Order<'_>) -> String {
    let login = order.program.logins.iter().any(|login| login.is_refreshed);
    let auth = if login { "oauth-personal" } else { "gemini-api-key" };
    let settings = json!({
        "general": {
            "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "maxAttempts": REQUEST_TRIES,
        },
        "privacy": { "usageStatisticsEnabled": false },
        "telemetry": { "enabled": false },
        "security": { "auth": { "selectedType": auth }, "folderTrust": { "enabled": true } },
        "context": { "fileName": [NO_FILE], "includeDirectoryTree": false },
        "mcp": { "allowed": ["ralph-allows-none"] },
        "hooksConfig": { "enabled": false },
        "skills": { "enabled": false },
    });
    settings.to_string()
}

/// The tools of a role that only reads; a role that writes may use all.
fn policy_of(may_write: bool) -> String {
    if may_write {
        return "[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 900\n".to_owned();
    }
    let reading = READING.map(|command| format!("\"{command}\"")).join(", ");
    format!(
        "[[rule]]\ntoolName = [\"write_file\", \"replace\", \"web_fetch\", \"google_web_search\", \"save_memory\"]\n\
         decision = \"deny\"\npriority = 900\n\n\
         [[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [{reading}]\ndecision = \"allow\"\n\
         priority = 900\n\n\
         [[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"deny\"\npriority = 800\n"
    )
}
