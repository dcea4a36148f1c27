//! The tools of each agent: how "write a file" and "run a command" are asked of the agent that sent the request.

use crate::script::Act;
use serde_json::{Value, json};

/// A call of a tool by its name.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) input: Input,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Input {
    Json(Value),
    /// A tool that takes text instead of JSON.
    Text(String),
}

/// The call that does `step` with one of the tools offered; without a suitable tool, the reason why not.
pub(crate) fn call(step: &Act, offered: &[String]) -> Result<Option<ToolCall>, String> {
    let (calls, wish) = match step {
        Act::Say(_) | Act::Fail { .. } => return Ok(None),
        Act::Read { path } => (reading(path), "reads a file"),
        Act::Write { path, content } => (writing(path, content), "writes a file"),
        Act::Run { command } => (running(command), "runs a command"),
    };
    let is_offered = |call: &ToolCall| offered.contains(&call.name);
    calls.into_iter().find(is_offered).map(Some).ok_or_else(|| {
        format!("no tool that {wish} is among those offered: {}", offered.join(", "))
    })
}

/// The ways to read a file, those made for it first.
fn reading(path: &str) -> Vec<ToolCall> {
    let mut calls = vec![
        with_json("Read", json!({ "file_path": path })),
        with_json("read", json!({ "filePath": path })),
        with_json("read_file", json!({ "file_path": path })),
    ];
    calls.extend(running(&format!("cat '{path}'")));
    calls
}

/// The ways to write a file, those made for it first.
fn writing(path: &str, content: &str) -> Vec<ToolCall> {
    let command = format!("cat > '{path}' <<'RALPH_MODEL_END'\n{content}RALPH_MODEL_END\n");
    let mut calls = vec![
        with_json("Write", json!({ "file_path": path, "content": content })),
        with_json("write", json!({ "filePath": path, "content": content })),
        with_json("write_file", json!({ "file_path": path, "content": content })),
        ToolCall { name: "apply_patch".to_owned(), input: Input::Text(patch(path, content)) },
    ];
    calls.extend(running(&command));
    calls
}

fn running(command: &str) -> Vec<ToolCall> {
    let described = json!({ "command": command, "description": "Runs the scripted command" });
    vec![
        with_json("Bash", described.clone()),
        with_json("bash", described.clone()),
        with_json("run_shell_command", described),
        with_json("exec_command", json!({ "cmd": command })),
        with_json("shell_command", json!({ "command": command })),
    ]
}

fn with_json(name: &str, input: Value) -> ToolCall {
    ToolCall { name: name.to_owned(), input: Input::Json(input) }
}

/// The patch that makes a file, in the format of `apply_patch`.
fn patch(path: &str, content: &str) -> String {
    let lines: String = content.lines().map(|line| format!("+{line}\n")).collect();
    format!("*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_for(step: &Act, offered: &[&str]) -> String {
        let offered: Vec<String> = offered.iter().map(|&name| name.to_owned()).collect();
        call(step, &offered).unwrap().unwrap().name
    }

    #[test]
    fn each_agent_gets_a_tool_that_it_offers() {
        let write = Act::Write { path: "a".to_owned(), content: "b\n".to_owned() };
        let read = Act::Read { path: "a".to_owned() };
        let run = Act::Run { command: "true".to_owned() };
        for (offered, chosen) in [
            (&["Bash", "Edit", "Read", "Write"][..], ["Read", "Write", "Bash"]),
            (&["bash", "edit", "read", "write"], ["read", "write", "bash"]),
            (
                &["read_file", "run_shell_command", "write_file"],
                ["read_file", "write_file", "run_shell_command"],
            ),
            (&["exec_command", "apply_patch"], ["exec_command", "apply_patch", "exec_command"]),
            (&["exec_command", "write_stdin"], ["exec_command"; 3]),
        ] {
            assert_eq!([&read, &write, &run].map(|act| name_for(act, offered)), chosen);
        }
    }

    #[test]
    fn an_agent_without_a_suitable_tool_gets_a_reason() {
        let run = Act::Run { command: "true".to_owned() };
        let words = call(&run, &["Read".to_owned()]).unwrap_err();
        assert_eq!(words, "no tool that runs a command is among those offered: Read");
    }
}
