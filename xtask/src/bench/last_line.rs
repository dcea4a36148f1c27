//! Programs that measure something say it on the last line of their standard output.

use crate::command::{Invocation, Output};
use crate::failure::Failure;
use serde_json::Value;

/// The last line that is not empty, or why there is none. A program that failed has said nothing that can be
/// trusted.
pub(super) fn text(command: &Invocation) -> Result<String, Failure> {
    let output = command.output_with_progress()?;
    match last_line(&output.stdout) {
        Some(line) if output.status.success() => Ok(line.to_owned()),
        Some(_) | None => Err(ended(command, &output)),
    }
}

/// The last line as JSON, or why it is not. A program may have measured something and then failed because of
/// it, so here the figures decide and not the end status.
pub(super) fn json(command: &Invocation) -> Result<Value, Failure> {
    let output = command.output_with_progress()?;
    last_line(&output.stdout).and_then(parsed).ok_or_else(|| ended(command, &output))
}

fn ended(command: &Invocation, output: &Output) -> Failure {
    Failure::Failed {
        command: command.shown(),
        status: output.status.to_string(),
        said: last_line(&output.stdout).unwrap_or_default().to_owned(),
    }
}

fn last_line(stdout: &str) -> Option<&str> {
    stdout.lines().rev().map(str::trim).find(|line| !line.is_empty())
}

fn parsed(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn progress_before_the_last_line_and_blanks_after_it_are_skipped() {
        assert_eq!(last_line("playing\n{\"lives\":1}\n\n"), Some("{\"lives\":1}"));
        assert_eq!(last_line("\n"), None);
        assert!(parsed("{\"lives\":1}").is_some());
        assert!(parsed("7").is_none());
    }

    #[test]
    fn a_program_that_is_not_there_is_named_in_the_reason() {
        let command = Invocation::cargo(Path::new("."), &["no-such-subcommand"]);
        let reason = json(&command).unwrap_err().to_string();
        assert!(reason.contains("`cargo no-such-subcommand` ended with"), "{reason}");
    }
}
