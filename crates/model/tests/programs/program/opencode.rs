//! OpenCode, with a provider of its configuration and its events on standard output.

use super::{Account, Rights, Started, program};
use std::fs;
use std::process::Command;

pub(super) fn command(turn: &Started<'_>) -> Command {
    let folder = turn.home.join("opencode-config");
    fs::create_dir_all(&folder).unwrap();
    let permission = match turn.rights {
        Rights::All => r#"{ "edit": "allow", "bash": "allow", "external_directory": "allow" }"#,
        Rights::None => r#"{ "edit": "ask", "bash": "ask" }"#,
    };
    let model = turn.model.unwrap_or("scripted-1");
    let key = if turn.account == Account::None { "" } else { r#", "apiKey": "sk-scripted""# };
    let config = format!(
        r#"{{ "model": "scripted/{model}", "small_model": "scripted/scripted-1", "enabled_providers": ["scripted"],
            "share": "disabled", "autoupdate": false, "permission": {permission},
            "provider": {{ "scripted": {{ "npm": "@ai-sdk/openai-compatible",
                "options": {{ "baseURL": "{}/v1"{key} }},
                "models": {{ "scripted-1": {{ "tool_call": true, "limit": {{ "context": 100000, "output": 8000 }} }} }} }} }} }}"#,
        turn.url
    );
    fs::write(folder.join("opencode.json"), config).unwrap();
    let mut command = program("opencode-linux-x64/bin/opencode", turn);
    command.env("OPENCODE_CONFIG_DIR", &folder);
    for switch in ["MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"] {
        command.env(format!("OPENCODE_DISABLE_{switch}"), "1");
    }
    command.args(["run", "--format", "json"]);
    if let Some(session) = turn.session {
        command.args(["--session", session]);
    }
    command.arg(turn.prompt);
    command
}
