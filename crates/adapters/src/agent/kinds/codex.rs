//! Codex in its `exec` mode: JSON lines on standard output, the prompt on standard input.

use super::{count_at, owned_at, text_at, words};
use crate::agent::cause::class_of;
use crate::agent::event::Event;
use crate::agent::protocol::{End, Failure, Feed, Launch, Order, Protocol};
use ralph_contain::Ending;
use ralph_core::time::Time;
use ralph_core::turn_end::Usage;
use serde_json::{Value, json};

const SETTINGS: &str = ".codex/config.toml";
/// Features that fetch code or instructions from elsewhere, and retries without an end.
const NO_FEATURES: [&str; 3] = ["plugins", "apps", "unbounded_connection_retries"];

#[derive(Debug, Default)]
pub(in crate::agent) struct Codex {
    session: Option<String>,
    text: Option<String>,
    usage: Option<Usage>,
    is_completed: bool,
    /// The latest error. It counts unless the turn is completed after it.
    error: Option<String>,
}

impl Protocol for Codex {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        let mut arguments = words(["exec", "--json", "--skip-git-repo-check", "--ignore-rules"]);
        arguments.extend(NO_FEATURES.into_iter().flat_map(|name| words(["--disable", name])));
        // The program's own sandbox would keep an implementer from `.git`, and cannot be made inside of another one: there
        // a reviewer could run nothing at all. The sandbox around it keeps the place read-only instead.
        if order.may_write || order.is_sandboxed {
            arguments.push("--dangerously-bypass-approvals-and-sandbox".to_owned());
        } else {
            arguments.extend(words(["--sandbox", "read-only"]));
        }
        if let Some(model) = &order.program.model {
            arguments.extend(words(["--model", model]));
        }
        arguments.extend(order.program.arguments.iter().cloned());
        if let Some(session) = order.session {
            arguments.extend(words(["resume", session]));
        }
        arguments.push("-".to_owned());
        Launch {
            arguments,
            environment: vec![("CODEX_HOME", order.home.join(".codex").into())],
            files: vec![(SETTINGS, settings_of(order))],
            input: Feed::Prompt,
            ..Launch::default()
        }
    }

    fn hear(&mut self, line: &str) -> Vec<Event> {
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            return vec![Event::unknown(line)];
        };
        let kind = text_at(&value, "/type").unwrap_or_default();
        match kind {
            "thread.started" => {
                let id = owned_at(&value, "/thread_id");
                self.session = Some(id.clone()).filter(|id| !id.is_empty());
                vec![Event::Session { id, model: None }]
            }
            "turn.started" => Vec::new(),
            "turn.completed" => {
                let usage = Usage {
                    input: count_at(&value, "/usage/input_tokens"),
                    cached: count_at(&value, "/usage/cached_input_tokens"),
                    output: count_at(&value, "/usage/output_tokens"),
                    micro_usd: None,
                };
                (self.usage, self.is_completed) = (Some(usage), true);
                vec![Event::Usage(usage)]
            }
            "turn.failed" => {
                self.is_completed = false;
                self.fail(&owned_at(&value, "/error/message"))
            }
            "error" => self.fail(&owned_at(&value, "/message")),
            "item.started" | "item.updated" | "item.completed" => self.item(kind, &value, line),
            _ => vec![Event::unknown(line)],
        }
    }

    fn end(&mut self, ending: Ending, log: &str, now: Time) -> End {
        let text = self.text.take().unwrap_or_default();
        let (session, usage) = (self.session.clone(), self.usage);
        if self.is_completed && ending == Ending::Exited(0) {
            return End { text, session, usage, refused: refused(log), ..End::default() };
        }
        let says = self.error.take().unwrap_or_else(|| format!("{ending}: {}", log.trim()));
        let failure = if log.contains("no rollout found for thread") {
            Failure::SessionGone
        } else {
            Failure::Class(class_of(None, &says, now), says)
        };
        End { session, usage, failure: Some(failure), ..End::default() }
    }
}

impl Codex {
    fn fail(&mut self, says: &str) -> Vec<Event> {
        self.error = Some(says.to_owned());
        vec![Event::error(says)]
    }

    fn item(&mut self, kind: &str, value: &Value, line: &str) -> Vec<Event> {
        let Some(item) = value.pointer("/item") else { return vec![Event::unknown(line)] };
        let id = owned_at(item, "/id");
        let is_done = kind == "item.completed";
        match (text_at(item, "/type").unwrap_or_default(), is_done) {
            ("agent_message", true) => {
                let text = owned_at(item, "/text");
                self.text = Some(text.clone());
                vec![Event::Message { text }]
            }
            ("reasoning", true) => vec![Event::Thought { text: owned_at(item, "/text") }],
            ("command_execution", false) if kind == "item.started" => {
                let arguments = json!({ "command": owned_at(item, "/command") });
                vec![Event::ToolCall { id, name: "shell".to_owned(), arguments }]
            }
            ("command_execution", true) => {
                let is_error = item.pointer("/exit_code").and_then(Value::as_i64) != Some(0);
                vec![Event::ToolResult {
                    id,
                    is_error,
                    output: owned_at(item, "/aggregated_output"),
                }]
            }
            ("file_change", true) => {
                let changes = item.pointer("/changes").and_then(Value::as_array);
                let paths = changes.into_iter().flatten().map(|change| owned_at(change, "/path"));
                paths.map(|path| Event::FileEdit { path }).collect()
            }
            // A warning, such as one about a model without metadata.
            ("error", true) => vec![Event::error(owned_at(item, "/message"))],
            (
                "agent_message" | "reasoning" | "command_execution" | "file_change" | "error",
                false,
            ) => Vec::new(),
            _ => vec![Event::unknown(line)],
        }
    }
}

/// Patches that the program did not apply. Only its log tells.
fn refused(log: &str) -> Vec<String> {
    let lines = log.lines().filter(|line| line.contains("rejected by user approval settings"));
    lines.map(|_| "apply_patch".to_owned()).collect()
}

/// The configuration of the program: nothing is asked, fetched or sent, and neither the repository's configuration nor
/// its instruction files count.
fn settings_of(order: &Order<'_>) -> String {
    let place = toml::Value::from(order.place.display().to_string());
    let effort =
        order.program.effort.as_ref().map(|effort| {
            format!("model_reasoning_effort = {}\n", toml::Value::from(effort.as_str()))
        });
    format!(
        "approval_policy = \"never\"\ncheck_for_update_on_startup = false\nproject_doc_max_bytes = 0\n{}\n\
         [analytics]\nenabled = false\n\n[feedback]\nenabled = false\n\n[history]\npersistence = \"none\"\n\n\
         [projects.{place}]\ntrust_level = \"untrusted\"\n",
        effort.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::program::Program;
    use std::path::Path;

    #[test]
    fn the_programs_own_sandbox_is_for_readers_without_another_one() {
        let arguments = |may_write, is_sandboxed| {
            let program = Program { arguments: words(["-c", "x=1"]), ..Program::default() };
            let (home, place) = (Path::new("/home"), Path::new("/place"));
            let (program, session) = (&program, Some("t-1"));
            let prompt = "Do it";
            let order = Order { program, home, place, prompt, session, may_write, is_sandboxed };
            Codex::default().launch(&order).arguments.join(" ")
        };
        for (may_write, is_sandboxed, own) in
            [(true, true, false), (true, false, false), (false, true, false), (false, false, true)]
        {
            let said = arguments(may_write, is_sandboxed);
            assert_eq!(said.contains("--sandbox read-only"), own, "{said}");
            assert_eq!(said.contains("--dangerously-bypass"), !own, "{said}");
            assert!(said.ends_with("-c x=1 resume t-1 -"), "{said}");
        }
    }
}
