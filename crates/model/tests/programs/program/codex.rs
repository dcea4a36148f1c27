//! Codex, with its events on standard output.

use super::{Account, Rights, Started, program};
use std::fs;
use std::process::Command;

pub(crate) const PATH: &str = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex";

pub(super) fn command(turn: &Started<'_>) -> Command {
    configure(turn);
    let mut command = program(PATH, turn);
    if turn.account != Account::None {
        command.env("SCRIPTED_KEY", "sk-scripted");
    }
    command.args(["exec", "--json"]);
    for feature in ["plugins", "apps", "unbounded_connection_retries"] {
        command.args(["--disable", feature]);
    }
    match turn.rights {
        Rights::All => command.arg("--dangerously-bypass-approvals-and-sandbox"),
        Rights::None => command.args(["--sandbox", "read-only"]),
    };
    if let Some(session) = turn.session {
        command.args(["resume", session]);
    }
    command.arg(turn.prompt);
    command
}

/// Writes the configuration that leads Codex to the scripted model.
pub(crate) fn configure(turn: &Started<'_>) {
    let folder = turn.home.join(".codex");
    fs::create_dir_all(&folder).unwrap();
    let config = format!(
        "model = \"{}\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"danger-full-access\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nenv_key = \"SCRIPTED_KEY\"\n\
         wire_api = \"responses\"\nrequest_max_retries = 1\nstream_max_retries = 1\nstream_idle_timeout_ms = 20000\n",
        turn.model.unwrap_or("gpt-5.5"),
        turn.url
    );
    fs::write(folder.join("config.toml"), config).unwrap();
}
