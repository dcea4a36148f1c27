//! The command line: commands, arguments and options, each checked before anything is opened.

mod follow;
mod init;
mod issue;
mod tell;
mod values;

use clap::{Args, Parser, Subcommand};
pub(crate) use follow::{LogsArguments, Since, WatchArguments};
pub(crate) use init::InitArguments;
pub(crate) use issue::IssueArguments;
use ralph_core::ids::{RepoName, RunId};
use ralph_core::job::Role;
use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;
pub(crate) use tell::TellArguments;
use values::{issue_number, repo_name, role, run_id};

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  the request was refused, names something unknown, or found a problem
  2  the command line was not understood
  3  the configuration is missing, incomplete or wrong
  4  the state store is missing, damaged, newer than this program, or not Ralph's
  5  the forge cannot be reached or refuses the credentials";

/// Turns the issues of your repositories into verified, merged code.
///
/// Most commands read Ralph's state store or put a request into its inbox. They work with and without a running daemon.
#[derive(Debug, Parser)]
#[command(name = "ralph", version, arg_required_else_help = true, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// The folder with the state store; by default `RALPH_HOME`, else `~/.ralph`
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show Ralph at work on this machine: a forge, a sample project, issues, real git and checks
    Demo {
        /// Leave everything in this folder instead of removing it
        #[arg(long, value_name = "DIR")]
        keep: Option<PathBuf>,
        #[command(flatten)]
        format: Format,
    },
    /// Write a configuration for the repository of a checkout, from what is found there and on this machine
    Init(InitArguments),
    /// Work: claim queued issues, run agents and gates, open and merge pull requests, until stopped
    Run {
        /// End once nothing is left to do without a person
        #[arg(long)]
        until_idle: bool,
        /// Accept a different account than last time
        #[arg(long)]
        new_identity: bool,
        #[command(flatten)]
        config: ConfigArguments,
    },
    /// Show every managed issue and what it waits for, the workers, the budget and current problems
    Status {
        #[command(flatten)]
        format: Format,
    },
    /// Show what agents have used: each account's windows and limits, the last 24 hours, by repository and role
    Usage {
        #[command(flatten)]
        config: ConfigArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Show the result of each gate of an issue's latest run, and the commit that it judged
    Gates {
        #[command(flatten)]
        issue: IssueArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Show the history of an issue: what happened, when, on what evidence, and what it waits for
    Explain {
        #[command(flatten)]
        issue: IssueArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Show the prompt template of a role, or the prompt that its next turn on an issue would get
    ///
    /// The prompt is made from the state store and the configuration. What is read from git when a turn starts, such as
    /// the difference for a review, is not in it. The prompt of a past turn is in its attempt's folder, `prompt.md`.
    Prompt {
        /// The role, as in `[roles.<role>]`
        #[arg(value_parser = role)]
        role: Role,
        /// The repository, as owner/name
        #[arg(long, value_name = "OWNER/NAME", value_parser = repo_name, requires = "issue")]
        repo: Option<RepoName>,
        /// The number of the issue
        #[arg(long, value_name = "NUMBER", value_parser = issue_number, requires = "repo")]
        issue: Option<u64>,
        #[command(flatten)]
        config: ConfigArguments,
        #[command(flatten)]
        format: Format,
    },
    /// List the runs of all issues, or show one with its steps, gates and costs
    #[command(args_conflicts_with_subcommands = true)]
    Runs {
        #[command(subcommand)]
        command: Option<RunsCommand>,
        #[command(flatten)]
        format: Format,
    },
    /// Follow the work on an issue: the agent's transcript and the output of commands, as they come
    Watch(WatchArguments),
    /// Show the daemon's own log
    Logs(LogsArguments),
    /// Put an issue into the queue, or resume one that is paused, stopped, escalated, or done and reopened
    Queue {
        #[command(flatten)]
        issue: IssueArguments,
        /// Start with a new plan on a fresh branch; the old work is kept under a ref in Ralph's clone
        #[arg(long)]
        fresh: bool,
    },
    /// Send a message to the agents that work on an issue, or list the messages and where each was delivered
    Tell(TellArguments),
    /// Let the turn under way finish and start nothing new for an issue
    Pause(IssueArguments),
    /// Cancel the work on an issue; its pull request stays open
    Stop(IssueArguments),
    /// Count an issue as resolved for the issues it blocks; its own status does not change
    Satisfy {
        #[command(flatten)]
        issue: IssueArguments,
        /// Undo it: the issue counts by its own status again
        #[arg(long)]
        undo: bool,
    },
    /// Claim and start nothing new, now and after a restart, until `ralph resume`; running work finishes
    Drain,
    /// Claim and start again after `ralph drain`
    Resume,
    /// Take a repository over from another Ralph, which then stops working there
    TakeOver {
        /// The repository, as owner/name
        #[arg(value_parser = repo_name)]
        repo: RepoName,
    },
    /// List the worktrees and why each is kept, or remove finished ones
    #[command(args_conflicts_with_subcommands = true)]
    Worktrees {
        #[command(subcommand)]
        command: Option<WorktreesCommand>,
        #[command(flatten)]
        format: Format,
    },
    /// Check this machine and the forge for problems, each with the next step
    Doctor {
        #[command(flatten)]
        wish: DoctorWish,
        #[command(flatten)]
        config: ConfigArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Takes a turn of the demo's scripted agent
    #[command(hide = true)]
    DemoAgent,
    /// The embedded forge: a small GitHub on this machine
    #[command(subcommand)]
    Forge(ForgeCommand),
    /// Watches over a process of Ralph's
    #[command(hide = true, disable_help_flag = true)]
    Guard {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Print a script that completes commands and options in a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write one page per command into a folder
    Man {
        /// The folder to write `ralph.1`, `ralph-status.1` and so on into
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// Show one run: each step with its times, session, tokens and how it ended, the gates and the artifacts
    Show {
        /// The run, as the numbers of the issue and of its run: 42-1
        #[arg(value_parser = run_id)]
        id: RunId,
        /// The repository, when several have a run of this id
        #[arg(long, value_name = "OWNER/NAME", value_parser = repo_name)]
        repo: Option<RepoName>,
        #[command(flatten)]
        format: Format,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorktreesCommand {
    /// List the folders below the managed root: in use, kept and why, finished, or not Ralph's
    List {
        #[command(flatten)]
        format: Format,
    },
    /// Remove the worktrees of issues that are done, and of no others unless asked to
    Prune {
        /// Also those of stopped issues and earlier runs, each saved under a ref first; not while a daemon runs
        #[arg(long)]
        given_up: bool,
        /// Show what would be removed, and remove nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        format: Format,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ForgeCommand {
    /// Run the forge until it is stopped; the first line on standard output is JSON with its address and tokens
    Serve(ServeArguments),
    /// Import a git repository into the forge, which may be running
    Import {
        /// A folder of this machine, or an address that git can clone
        #[arg(value_name = "GIT REPO OR PATH")]
        source: String,
        /// Its name in the forge, as owner/name
        #[arg(long, value_name = "OWNER/NAME", value_parser = repo_name)]
        repo: RepoName,
        /// Let it be read without a token, also by git; otherwise only its owner and collaborators see it
        #[arg(long)]
        public: bool,
        #[command(flatten)]
        data: DataArguments,
    },
    /// People of the forge
    #[command(subcommand)]
    User(UserCommand),
    /// Tokens of people of the forge
    #[command(subcommand)]
    Token(TokenCommand),
    /// Apps of the forge
    #[command(subcommand)]
    App(AppCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// List the valid tokens, without the secrets themselves
    List {
        #[command(flatten)]
        data: DataArguments,
        #[command(flatten)]
        format: Format,
    },
    /// Revoke a token permanently; the forge may be running
    Revoke {
        /// The id of a token as listed, the token itself, or a login for all of theirs
        #[arg(value_name = "ID, TOKEN OR LOGIN")]
        which: String,
        #[command(flatten)]
        data: DataArguments,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AppCommand {
    /// Register an App, or change its key and permissions; the last word of the output is its id
    Add {
        /// Its name; it acts as the user NAME[bot]
        slug: String,
        /// Its private key as PEM, of which the forge keeps the public half; `openssl genrsa -out FILE 2048` makes one
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
        /// An owner in whose present and future repositories it is installed; once for each owner
        #[arg(long, value_name = "LOGIN", required = true)]
        install: Vec<String>,
        /// Its permissions there
        #[arg(long, value_enum, default_value_t = AccessLevel::Write)]
        permission: AccessLevel,
        #[command(flatten)]
        data: DataArguments,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a collaborator on all repositories, or change their permissions; the last word of the output is the new token
    Add {
        login: String,
        /// Their permissions
        #[arg(long, value_enum, default_value_t = AccessLevel::Write)]
        permission: AccessLevel,
        #[command(flatten)]
        data: DataArguments,
    },
}

/// A user's permissions in every repository of the forge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum AccessLevel {
    Read,
    Triage,
    Write,
    Admin,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DataArguments {
    /// The folder of the forge; by default `forge` in the home folder
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct ServeArguments {
    /// The address to listen at; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) data: DataArguments,
    /// The owner of the repositories
    #[arg(long, value_name = "LOGIN", default_value = "owner")]
    pub(crate) owner: String,
    /// Allow tests to inject faults with `PUT /_forge/faults`
    #[arg(long)]
    pub(crate) allow_faults: bool,
    /// Let the checks of repositories reach the network
    #[arg(long)]
    pub(crate) checks_network: bool,
    /// Run the checks of repositories even where bubblewrap does not work: then everyone who may write to a
    /// repository can run commands as you
    #[arg(long)]
    pub(crate) unsafe_checks: bool,
    /// Requests that each account may send in an hour, as on GitHub
    #[arg(long, value_name = "N", default_value_t = 5000)]
    pub(crate) rate_limit: u32,
}

/// What `doctor` does beside looking.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DoctorWish {
    /// Repair what is safe to repair: modes of files and folders, left-over sockets
    #[arg(long)]
    pub(crate) repair: bool,
    /// Take one tiny turn with each agent in a scratch repository, and report time, tokens and how it ended
    #[arg(long)]
    pub(crate) try_agents: bool,
}

/// For commands that read the configuration.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConfigArguments {
    /// The configuration to read; by default `config.toml` in the home folder
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Format {
    /// Print one JSON document and nothing else; times are milliseconds since 1970-01-01 UTC
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_of_the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }
}
