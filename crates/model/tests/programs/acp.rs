//! The adapters of the Agent Client Protocol: one turn of each, which writes a file with the agent's own tool.

use crate::case::work;
use crate::program::{Started, claude, codex, installed, program};
use crate::stage::{PROMPT, Stage};
use ralph_model::{Script, When};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Long enough for the start of an agent on a busy machine.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// A connection to an adapter. Its process ends with the connection.
struct Adapter {
    child: Child,
    to: ChildStdin,
    from: mpsc::Receiver<Value>,
}

impl Adapter {
    fn start(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (to, out) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, from) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(out).lines().map_while(Result::ok);
            lines
                .filter_map(|line| serde_json::from_str(&line).ok())
                .try_for_each(|it| sender.send(it))
        });
        Self { child, to, from }
    }

    /// Sends a request, allows everything that is asked in the meantime, and returns the result.
    fn ask(&mut self, id: u64, method: &str, parameters: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": parameters }));
        loop {
            let message = self.from.recv_timeout(ANSWER_LIMIT).unwrap();
            match (message.get("method"), message.get("id")) {
                (Some(asked), Some(id)) if asked == "session/request_permission" => {
                    let option = message["params"]["options"].as_array().unwrap().iter();
                    let allows = |it: &&Value| {
                        it["kind"].as_str().is_some_and(|kind| kind.starts_with("allow"))
                    };
                    let chosen = option.clone().find(allows).unwrap()["optionId"].clone();
                    let outcome = json!({ "outcome": "selected", "optionId": chosen });
                    let result = json!({ "outcome": outcome });
                    self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
                }
                (None, Some(answered)) if *answered == id => {
                    assert!(message.get("error").is_none(), "{method}: {message}");
                    return message["result"].clone();
                }
                _ => {}
            }
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to, "{message}").unwrap();
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Lets an adapter play the usual turn.
fn works(command: impl FnOnce(&Started<'_>) -> Command) {
    let stage =
        Stage::new(Script::new().role("implementer", When::contains("implementer"), [work()]));
    let mut adapter = Adapter::start(command(&stage.turn()));
    let capabilities = json!({ "fs": { "readTextFile": false, "writeTextFile": false } });
    let parameters = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
    let agent = adapter.ask(1, "initialize", &parameters);
    assert_eq!(agent["protocolVersion"], 1, "{agent}");
    let session = adapter.ask(2, "session/new", &json!({ "cwd": stage.repo, "mcpServers": [] }));
    let prompt = json!([{ "type": "text", "text": PROMPT }]);
    let parameters = json!({ "sessionId": session["sessionId"], "prompt": prompt });
    let ended = adapter.ask(3, "session/prompt", &parameters);
    assert_eq!(ended["stopReason"], "end_turn", "{ended}");
    assert_eq!(stage.server.refusals(), Vec::<String>::new());
    let greeting = fs::read_to_string(stage.repo.join("GREETING.txt")).ok();
    assert_eq!(greeting.as_deref(), Some("hello\n"));
}

#[test]
fn claudes_adapter_works() {
    works(|turn| {
        let mut command = program("@agentclientprotocol/claude-agent-acp/dist/index.js", turn);
        claude::environment(&mut command, turn);
        // The adapter's own copy of the program is not installed.
        command.env("CLAUDE_CODE_EXECUTABLE", installed(claude::PATH));
        command
    });
}

#[test]
fn codexs_adapter_works() {
    works(|turn| {
        codex::configure(turn);
        let mut command = program("@agentclientprotocol/codex-acp/dist/index.js", turn);
        command.env("SCRIPTED_KEY", "sk-scripted").env("CODEX_PATH", installed(codex::PATH));
        command.env("INITIAL_AGENT_MODE", "agent-full-access");
        command
    });
}
