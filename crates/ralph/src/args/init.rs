//! The arguments of `ralph init`.

use super::Format;
use super::values::{login, repo_name, variable};
use clap::Args;
use ralph_core::ids::{Login, RepoName};
use std::path::PathBuf;

#[derive(Debug, Clone, Args)]
pub(crate) struct InitArguments {
    /// The checkout of the repository
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// The repository, instead of the one that the git remotes name
    #[arg(long, value_name = "OWNER/NAME", value_parser = repo_name)]
    pub(crate) repo: Option<RepoName>,
    /// The address of the forge's API, instead of the one that the git remotes lead to
    #[arg(long, value_name = "URL")]
    pub(crate) forge: Option<String>,
    /// The agent: claude, codex, opencode, gemini, or command with `--agent-command`
    #[arg(long, value_name = "KIND", value_parser = ["claude", "codex", "opencode", "gemini", "command"])]
    pub(crate) agent: Option<String>,
    /// A program and its arguments that reads a prompt from standard input and answers on standard output
    #[arg(long, value_name = "COMMAND")]
    pub(crate) agent_command: Option<String>,
    /// A command that prepares a fresh worktree; once for each, or "" for none
    #[arg(long, value_name = "COMMAND")]
    pub(crate) setup: Vec<String>,
    /// A command that must pass before a pull request is opened; once for each, or "" for none
    #[arg(long, value_name = "COMMAND")]
    pub(crate) preflight: Vec<String>,
    /// The environment variable that holds the forge's token
    #[arg(long, value_name = "NAME", value_parser = variable)]
    pub(crate) token_env: Option<String>,
    /// The person to mention when one is needed; an organization's repository has to name one
    #[arg(long, value_name = "LOGIN", value_parser = login)]
    pub(crate) operator: Option<Login>,
    /// The file to write; by default `config.toml` in the home folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Ask nothing: take every proposal, and write the file
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}
