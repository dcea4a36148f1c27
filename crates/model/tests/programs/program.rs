//! The agents as programs: where each is installed, and how it is started for one turn.

pub(crate) mod claude;
pub(crate) mod codex;
mod gemini;
mod opencode;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A coding agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    Claude,
    Codex,
    OpenCode,
    Gemini,
}

/// The rights that an agent gets for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rights {
    /// It may write files and run commands.
    All,
    /// It may read only.
    None,
}

/// The account that pays for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Account {
    Key,
    None,
    /// Claude Code tells the end of a usage limit to subscribers only.
    Subscription,
}

/// One turn of an agent.
#[derive(Clone, Debug)]
pub(crate) struct Started<'a> {
    pub(crate) home: &'a Path,
    pub(crate) repo: &'a Path,
    pub(crate) url: String,
    pub(crate) prompt: &'a str,
    pub(crate) session: Option<&'a str>,
    pub(crate) rights: Rights,
    pub(crate) account: Account,
    /// The usual model of the agent if there is none.
    pub(crate) model: Option<&'a str>,
}

impl Program {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Gemini => "gemini",
        }
    }

    /// The command of a turn. Everything it depends on is in it: agents find nothing of their surroundings but the PATH.
    pub(crate) fn command(self, turn: &Started<'_>) -> Command {
        match self {
            Self::Claude => claude::command(turn),
            Self::Codex => codex::command(turn),
            Self::OpenCode => opencode::command(turn),
            Self::Gemini => gemini::command(turn),
        }
    }

    /// A well-formed session that was never begun.
    pub(crate) const fn strange_session(self) -> &'static str {
        match self {
            Self::Claude | Self::Codex | Self::Gemini => "01a1eded-d54a-4ee1-ab5a-7dcf1d71f54f",
            Self::OpenCode => "ses_e1212ca0bffeVPYr6Bgk4g7F5d",
        }
    }

    /// The session in what an agent has said.
    pub(crate) fn session(self, said: &str) -> Option<String> {
        let field = match self {
            Self::Claude | Self::Gemini => "session_id",
            Self::Codex => "thread_id",
            Self::OpenCode => "sessionID",
        };
        let events = said.lines().filter_map(|line| serde_json::from_str(line).ok());
        events.into_iter().find_map(|event: serde_json::Value| {
            event.get(field).and_then(|session| session.as_str()).map(str::to_owned)
        })
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place where these tests start processes and read the environment"
)]
pub(crate) fn program(path: &str, turn: &Started<'_>) -> Command {
    let installed = installed(path);
    let mut command = if path.ends_with(".js") {
        let mut node = Command::new("node");
        node.arg(installed);
        node
    } else {
        Command::new(installed)
    };
    let temporary = turn.home.join("tmp");
    fs::create_dir_all(&temporary).unwrap();
    command.env_clear().env("HOME", turn.home).env("TMPDIR", temporary).env("LC_ALL", "C.UTF-8");
    command.env("TZ", "UTC").current_dir(turn.repo);
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

/// A file of the packages that `cargo xtask test` installs.
pub(crate) fn installed(path: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let path = target.join("agents/node/node_modules").join(path);
    assert!(path.exists(), "{} is not there; `cargo xtask test` fetches it", path.display());
    path
}
