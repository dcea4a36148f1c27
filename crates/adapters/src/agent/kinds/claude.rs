//! Claude Code in print mode: JSON lines on standard output, and on standard input as long as the turn lasts, so that the
//! operator can tell it something while it works.

use super::{READING, count_at, limits, micro_usd, owned_at, text_at, words};
use crate::agent::cause::class_of;
use crate::agent::event::Event;
use crate::agent::protocol::{End, Failure, Feed, Launch, Order, Protocol};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::{EndClass, SeenLimit, Usage};
use serde_json::{Value, json};

/// Settings in the private home. Settings of the user and of the repository are not read.
const SETTINGS: &str = ".claude/settings.json";
/// Tools of roles that only read. `Bash` is limited to commands that read.
const READING_TOOLS: &str = "Bash,Glob,Grep,Read";
/// Tools that leave the worktree or postpone work to a time after the turn.
const NO_TOOLS: &str = "EnterWorktree,ExitWorktree,CronCreate,ScheduleWakeup,Monitor";

/// No traffic beside the model, no instruction files, no memory, nothing that outlives the turn. The program refuses to
/// work as root without its own word for a sandbox.
const VARIABLES: [(&str, &str); 8] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1"),
    ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1"),
    ("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_TELEMETRY", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("IS_SANDBOX", "1"),
];

#[derive(Debug, Default)]
pub(in crate::agent) struct Claude {
    session: Option<String>,
    /// The latest result, which ends the work on everything that was said before.
    result: Option<Value>,
    usage: Option<Usage>,
    refused: Vec<String>,
    model: Option<String>,
    /// The end of a limit that the account has reached.
    limited_until: Option<Time>,
    limits: Vec<SeenLimit>,
}

impl Protocol for Claude {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        let settings = order.home.join(SETTINGS).display().to_string();
        let mut arguments = words(["-p", "--verbose", "--output-format", "stream-json"]);
        arguments.extend(words(["--input-format", "stream-json", "--setting-sources", ""]));
        arguments.extend(words(["--strict-mcp-config", "--disable-slash-commands"]));
        arguments.extend(words(["--settings", &settings, "--disallowedTools", NO_TOOLS]));
        if order.may_write {
            arguments.push("--dangerously-skip-permissions".to_owned());
        } else {
            arguments.extend(words(["--permission-mode", "dontAsk", "--tools", READING_TOOLS]));
        }
        let mut option = |name: &str, value: Option<&str>| {
            arguments.extend(value.into_iter().flat_map(|value| words([name, value])));
        };
        option("--model", order.program.model.as_deref());
        option("--effort", order.program.effort.as_deref());
        option("--resume", order.session);
        arguments.extend(order.program.arguments.iter().cloned());
        Launch {
            arguments,
            environment: VARIABLES.map(|(name, value)| (name, value.into())).to_vec(),
            files: vec![(SETTINGS, settings_of(order.may_write))],
            input: Feed::Talk(user_line(order.prompt)),
            ..Launch::default()
        }
    }

    fn hear(&mut self, line: &str) -> Vec<Event> {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return vec![Event::unknown(line)];
        };
        match (text_at(&value, "/type"), text_at(&value, "/subtype")) {
            (Some("system"), Some("init")) => self.begin(&value),
            (Some("system"), Some("api_retry")) => {
                let (status, error) =
                    (count_at(&value, "/error_status"), owned_at(&value, "/error"));
                vec![Event::error(format!("the provider is asked again: {error} {status}"))]
            }
            (Some("rate_limit_event"), _) => self.limit(&value),
            (Some("assistant"), _) => blocks(&value).iter().flat_map(said).collect(),
            (Some("user"), _) => blocks(&value).iter().filter_map(tool_result).collect(),
            (Some("result"), _) => self.finish(value),
            _ => vec![Event::unknown(line)],
        }
    }

    fn is_over(&self) -> bool {
        self.result.is_some()
    }

    fn tell(&mut self, words: &str) -> Option<Vec<u8>> {
        self.result.is_none().then(|| user_line(words))
    }

    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End {
        let (session, usage) = (self.session.clone(), self.usage);
        let refused = std::mem::take(&mut self.refused);
        let Some(result) = self.result.take() else {
            let failure = self.failed(None, &format!("{ending}: {}", log.trim()), now);
            let (limits, model) = (std::mem::take(&mut self.limits), self.model.clone());
            let failure = Some(failure);
            return End { session, usage, refused, failure, limits, model, ..End::default() };
        };
        let text = owned_at(&result, "/result");
        let is_error = result.pointer("/is_error").and_then(Value::as_bool).unwrap_or_default();
        // An error of the provider comes with the subtype "success", and a refusal with exit status 0.
        let is_failed = is_error || text_at(&result, "/subtype") != Some("success");
        let failure = (is_failed || ending != Ending::Exited(0)).then(|| {
            let errors = result.pointer("/errors").map(Value::to_string).unwrap_or_default();
            let says =
                [text.as_str(), errors.as_str(), if text.is_empty() { log } else { "" }].join(" ");
            self.failed(Some(&result), says.trim(), now)
        });
        let text = if failure.is_some() { String::new() } else { text };
        let (limits, model) = (std::mem::take(&mut self.limits), self.model.clone());
        End { text, session, usage, refused, failure, limits, model }
    }
}

impl Claude {
    fn begin(&mut self, value: &Value) -> Vec<Event> {
        let id = owned_at(value, "/session_id");
        self.session = Some(id.clone()).filter(|id| !id.is_empty());
        self.model = text_at(value, "/model").map(str::to_owned);
        vec![Event::Session { id, model: self.model.clone() }]
    }

    fn limit(&mut self, value: &Value) -> Vec<Event> {
        let info = value.pointer("/rate_limit_info").unwrap_or(&Value::Null);
        if let Some(seen) = limits::reported(info) {
            self.limits.retain(|known| known.window != seen.window);
            self.limits.push(seen);
        }
        if text_at(info, "/status") != Some("rejected") {
            return Vec::new();
        }
        let resets = info.pointer("/resetsAt").and_then(Value::as_i64);
        self.limited_until = resets.map(|seconds| Time(seconds.saturating_mul(1_000)));
        vec![Event::error(format!("a limit is reached: {}", owned_at(info, "/rateLimitType")))]
    }

    fn failed(&self, result: Option<&Value>, says: &str, now: Time) -> Failure {
        if says.contains("No conversation found with session ID") {
            return Failure::SessionGone;
        }
        let status = result.map(|it| count_at(it, "/api_error_status")).filter(|it| *it > 0);
        let status = status.and_then(|status| u16::try_from(status).ok());
        let reason = result.and_then(|it| text_at(it, "/terminal_reason"));
        let class = match reason {
            Some("prompt_too_long") => EndClass::ContextFull,
            Some("aborted" | "aborted_streaming" | "aborted_tools") => EndClass::Cancelled,
            Some(_) | None => class_of(status, says, now),
        };
        // An answer of the provider that makes no sense is no fault of the program.
        let is_provider = class == EndClass::Crashed && reason == Some("api_error");
        let class = if let EndClass::UsageLimit { until } = class {
            EndClass::UsageLimit { until: self.limited_until.or(until) }
        } else if is_provider {
            EndClass::Overloaded
        } else {
            class
        };
        Failure::Class(class, says.to_owned())
    }

    fn finish(&mut self, value: Value) -> Vec<Event> {
        let used = usage_of(&value);
        let sum = self.usage.unwrap_or_default();
        let sum = Usage {
            input: sum.input.saturating_add(used.input),
            cached: sum.cached.saturating_add(used.cached),
            output: sum.output.saturating_add(used.output),
            micro_usd: match (sum.micro_usd, used.micro_usd) {
                (None, None) => None,
                (one, other) => {
                    Some(one.unwrap_or_default().saturating_add(other.unwrap_or_default()))
                }
            },
        };
        self.usage = Some(sum);
        let denials = value.pointer("/permission_denials").and_then(Value::as_array);
        let names = denials.into_iter().flatten().map(|denial| owned_at(denial, "/tool_name"));
        self.refused.extend(names);
        let mut events = vec![Event::Usage(sum)];
        if value.pointer("/is_error").and_then(Value::as_bool) == Some(true) {
            events.push(Event::error(owned_at(&value, "/result")));
        }
        self.result = Some(value);
        events
    }
}

/// The settings for a role: what it may do, and nothing that the program would do by itself.
fn settings_of(may_write: bool) -> String {
    let reading = READING.map(|command| format!("Bash({command}:*)"));
    let permissions = if may_write {
        json!({})
    } else {
        let allow: Vec<String> =
            words(["Read", "Glob", "Grep"]).into_iter().chain(reading).collect();
        let deny = ["Edit", "Write", "NotebookEdit", "WebFetch", "WebSearch"];
        json!({ "allow": allow, "deny": deny })
    };
    let settings = json!({
        "permissions": permissions,
        "disableAllHooks": true,
        "enableAllProjectMcpServers": false,
        "includeCoAuthoredBy": false,
        "autoUpdates": false,
    });
    settings.to_string()
}

fn user_line(text: &str) -> Vec<u8> {
    let message = json!({ "role": "user", "content": [{ "type": "text", "text": text }] });
    let line = json!({ "type": "user", "message": message });
    format!("{line}\n").into_bytes()
}

fn blocks(value: &Value) -> &[Value] {
    let blocks = value.pointer("/message/content").and_then(Value::as_array);
    blocks.map(Vec::as_slice).unwrap_or_default()
}

fn said(block: &Value) -> Vec<Event> {
    match text_at(block, "/type") {
        Some("text") => vec![Event::message(owned_at(block, "/text"))],
        Some("thinking") => vec![Event::Thought { text: owned_at(block, "/thinking") }],
        Some("tool_use") => {
            let (id, name) = (owned_at(block, "/id"), owned_at(block, "/name"));
            let arguments = block.pointer("/input").cloned().unwrap_or_default();
            let edited = matches!(name.as_str(), "Edit" | "Write" | "NotebookEdit");
            let path = text_at(&arguments, "/file_path").filter(|_| edited);
            let edit = path.map(|path| Event::FileEdit { path: path.to_owned() });
            std::iter::once(Event::ToolCall { id, name, arguments }).chain(edit).collect()
        }
        Some(_) | None => vec![Event::unknown(&block.to_string())],
    }
}

fn tool_result(block: &Value) -> Option<Event> {
    if text_at(block, "/type") != Some("tool_result") {
        return None;
    }
    let content = block.pointer("/content");
    let output = match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| text_at(part, "/text")).collect::<Vec<_>>().join("\n")
        }
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let is_error = block.pointer("/is_error").and_then(Value::as_bool).unwrap_or_default();
    Some(Event::ToolResult { id: owned_at(block, "/tool_use_id"), is_error, output })
}

/// The usage since the result before. The totals of a resumed session include its earlier turns.
fn usage_of(result: &Value) -> Usage {
    let models = result.pointer("/model_usage_since_last_result").and_then(Value::as_object);
    let Some(models) = models else {
        let count = |name: &str| count_at(result, &format!("/usage/{name}"));
        let cached = count("cache_read_input_tokens");
        let input = count("input_tokens") + count("cache_creation_input_tokens") + cached;
        return Usage { input, cached, output: count("output_tokens"), micro_usd: None };
    };
    let mut sum = Usage { micro_usd: Some(0), ..Usage::default() };
    for model in models.values() {
        let cached = count_at(model, "/cacheReadInputTokens");
        sum.input += count_at(model, "/inputTokens") + count_at(model, "/cacheCreationInputTokens");
        sum.input += cached;
        sum.cached += cached;
        sum.output += count_at(model, "/outputTokens");
        let cost = model.pointer("/costUSD").and_then(Value::as_f64).unwrap_or_default();
        sum.micro_usd = sum.micro_usd.map(|sum| sum.saturating_add(micro_usd(cost)));
    }
    sum
}
