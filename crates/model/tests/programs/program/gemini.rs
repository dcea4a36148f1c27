//! Gemini CLI, without questions, with its events on standard output.

use super::{Account, Rights, Started, program};
use std::fs;
use std::process::Command;

pub(super) fn command(turn: &Started<'_>) -> Command {
    let folder = turn.home.join(".gemini");
    fs::create_dir_all(&folder).unwrap();
    let settings = r#"{ "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
        "general": { "enableAutoUpdate": false, "maxAttempts": 2 }, "privacy": { "usageStatisticsEnabled": false } }"#;
    fs::write(folder.join("settings.json"), settings).unwrap();
    let mut command = program("@google/gemini-cli/bundle/gemini.js", turn);
    if turn.account != Account::None {
        command.env("GEMINI_API_KEY", "scripted");
    }
    command.env("GOOGLE_GEMINI_BASE_URL", &turn.url);
    command.env("GEMINI_CLI_NO_RELAUNCH", "true");
    let model = turn.model.unwrap_or("gemini-2.5-pro");
    command.args(["--model", model, "--output-format", "stream-json"]);
    command.args(["--approval-mode", "yolo"]);
    if turn.rights == Rights::None {
        // A tool that is refused altogether is not offered to the model, so calls with this file are refused.
        let policies = folder.join("policies");
        fs::create_dir_all(&policies).unwrap();
        let tools = r#"["write_file", "run_shell_command"]"#;
        let rule = format!(
            "[[rule]]\ntoolName = {tools}\nargsPattern = \"GREETING\"\ndecision = \"deny\"\npriority = 999\n"
        );
        fs::write(policies.join("none.toml"), rule).unwrap();
    }
    if let Some(session) = turn.session {
        command.args(["--resume", session]);
    }
    command.args(["-p", turn.prompt]);
    command
}
