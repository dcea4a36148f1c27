//! The real programs: where each is installed, and the settings and variables that lead it to a scripted model.

use crate::folder::Folder;
use ralph_model::Server;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

const CLAUDE: &str = "@anthropic-ai/claude-code-linux-x64/claude";
const CODEX: &str = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";
const OPENCODE: &str = "opencode-linux-x64/bin/opencode";
const GEMINI: &str = "@google/gemini-cli/bundle/gemini.js";
const CLAUDE_ACP: &str = "@agentclientprotocol/claude-agent-acp/dist/index.js";
const CODEX_ACP: &str = "@agentclientprotocol/codex-acp/dist/index.js";

/// A coding agent, or an adapter through which one speaks the Agent Client Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Claude,
    Codex,
    OpenCode,
    Gemini,
    ClaudeAcp,
    CodexAcp,
}

/// The account that pays for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Account {
    Key,
    /// Claude Code tells the end of a usage limit to subscribers only.
    Subscription,
}

/// A program with everything that it needs to reach a model.
pub(crate) struct Configured {
    /// Lines for `[agent]`.
    pub(crate) settings: String,
    /// Variables of the daemon that the program is to get.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// The configuration of `OpenCode`, until the end.
    _folder: Option<Folder>,
}

impl Program {
    pub(crate) fn configured(self, model: &Server, account: Account) -> Configured {
        let url = model.url();
        let anthropic = || {
            let key = match account {
                Account::Key => ("ANTHROPIC_API_KEY", "sk-ant-scripted".to_owned()),
                Account::Subscription => {
                    ("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-scripted".to_owned())
                }
            };
            vec![("ANTHROPIC_BASE_URL", url.clone()), key, ("CLAUDE_CODE_MAX_RETRIES", "1".into())]
        };
        let openai = || vec![("SCRIPTED_KEY", "sk-scripted".to_owned())];
        let (settings, variables) = match self {
            Self::Claude => {
                let settings = format!("kind = \"claude\"\ncommand = [{:?}]", installed(CLAUDE));
                (settings, anthropic())
            }
            Self::Codex => (codex(&url), openai()),
            Self::OpenCode => return opencode(&url),
            Self::Gemini => {
                let program = installed(GEMINI);
                let settings = format!(
                    "kind = \"gemini\"\ncommand = [\"node\", {program:?}]\nmodel = \"gemini-2.5-pro\""
                );
                let key = ("GEMINI_API_KEY", "scripted".to_owned());
                (settings, vec![("GOOGLE_GEMINI_BASE_URL", url), key])
            }
            Self::ClaudeAcp => {
                let mut variables = anthropic();
                // The adapter's own copy of the program is not installed.
                variables.push(("CLAUDE_CODE_EXECUTABLE", shown(&installed(CLAUDE))));
                variables.push(("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()));
                variables.push(("IS_SANDBOX", "1".to_owned()));
                (adapter(CLAUDE_ACP), variables)
            }
            Self::CodexAcp => {
                let mut variables = openai();
                let config = json!({
                    "model": "gpt-5.5", "model_provider": "scripted",
                    "model_providers": { "scripted": {
                        "name": "scripted", "base_url": format!("{url}/v1"), "env_key": "SCRIPTED_KEY",
                        "wire_api": "responses", "request_max_retries": 1, "stream_max_retries": 1,
                    } },
                });
                variables.push(("CODEX_PATH", shown(&installed(CODEX))));
                variables.push(("CODEX_CONFIG", config.to_string()));
                // The program's own sandbox cannot be made inside of another one.
                variables.push(("INITIAL_AGENT_MODE", "agent-full-access".to_owned()));
                (adapter(CODEX_ACP), variables)
            }
        };
        Configured { settings, variables, _folder: None }
    }
}

fn codex(url: &str) -> String {
    let provider = format!(
        "model_providers.scripted={{name=\"scripted\",base_url=\"{url}/v1\",env_key=\"SCRIPTED_KEY\",\
         wire_api=\"responses\",request_max_retries=1,stream_max_retries=1}}"
    );
    let args = ["-c", "model_provider=\"scripted\"", "-c", &provider];
    let program = installed(CODEX);
    format!("kind = \"codex\"\ncommand = [{program:?}]\nmodel = \"gpt-5.5\"\nargs = {args:?}")
}

fn opencode(url: &str) -> Configured {
    let folder = Folder::new();
    let config = json!({
        "model": "scripted/scripted-1", "small_model": "scripted/scripted-1",
        "enabled_providers": ["scripted"], "share": "disabled", "autoupdate": false,
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "options": { "baseURL": format!("{url}/v1"), "apiKey": "sk-scripted" },
            "models": { "scripted-1": {
                "tool_call": true, "limit": { "context": 100_000, "output": 8_000 },
            } },
        } },
    });
    fs::write(folder.path().join("opencode.json"), config.to_string()).expect("a file");
    let settings = format!(
        "kind = \"opencode\"\ncommand = [{:?}]\nmodel = \"scripted/scripted-1\"\nopencode_config_dir = {:?}",
        installed(OPENCODE),
        folder.path()
    );
    Configured { settings, variables: Vec::new(), _folder: Some(folder) }
}

fn adapter(path: &str) -> String {
    format!("kind = \"acp\"\ncommand = [\"node\", {:?}]\nnetwork = \"model\"", installed(path))
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A file of the packages that `cargo xtask test` installs.
fn installed(path: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let path = target.join("agents/node/node_modules").join(path);
    assert!(path.exists(), "{} is not there; `cargo xtask test` fetches it", path.display());
    path
}
