//! Claude Code, without questions, with its events on standard output.

use super::{Account, Rights, Started, program};
use std::process::Command;

pub(crate) const PATH: &str = "@anthropic-ai/claude-code-linux-x64/claude";

pub(super) fn command(turn: &Started<'_>) -> Command {
    let mut command = program(PATH, turn);
    environment(&mut command, turn);
    command.args(["-p", "--output-format", "stream-json", "--verbose"]);
    command.args(["--model", turn.model.unwrap_or("claude-sonnet-4-5")]);
    match turn.rights {
        Rights::All => command.arg("--dangerously-skip-permissions"),
        Rights::None => command.args(["--permission-mode", "default"]),
    };
    if let Some(session) = turn.session {
        command.args(["--resume", session]);
    }
    command.arg(turn.prompt);
    command
}

/// The variables that lead Claude Code to the scripted model and nowhere else.
pub(crate) fn environment(command: &mut Command, turn: &Started<'_>) {
    command.env("ANTHROPIC_BASE_URL", &turn.url).env("CLAUDE_CODE_MAX_RETRIES", "1");
    match turn.account {
        Account::Key => command.env("ANTHROPIC_API_KEY", "sk-ant-scripted"),
        Account::Subscription => command.env("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-scripted"),
        Account::None => &mut *command,
    };
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    // Without it Claude Code refuses to run without questions as root, as tests in containers do.
    command.env("IS_SANDBOX", "1");
}
