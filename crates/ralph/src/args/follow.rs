//! The arguments of commands that follow what grows: `ralph logs` and `ralph watch`.

use super::IssueArguments;
use super::values::since;
use clap::Args;
use ralph_core::time::Span;

#[derive(Debug, Clone, Args)]
pub(crate) struct LogsArguments {
    /// Continue with each new line, until stopped
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Begin at this time: 90m, 2h or 3d ago, or a date and time in UTC such as 2026-01-31T12:00
    #[arg(long, value_name = "WHEN", value_parser = since)]
    pub(crate) since: Option<Since>,
    /// Print each line as it is in the file, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// The beginning of the lines that are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Since {
    Ago(Span),
    /// A date, or a date and a time, as lines of the log begin.
    At(String),
}

#[derive(Debug, Clone, Args)]
pub(crate) struct WatchArguments {
    #[command(flatten)]
    pub(crate) issue: IssueArguments,
    /// Begin with the first attempt of the run, instead of the end of the current one
    #[arg(long)]
    pub(crate) from_start: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
}
