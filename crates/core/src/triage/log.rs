//! A log as the tools wrote it: without secrets, escapes and the timestamps of runners, and cut to the step that failed
//! if the log shows it.

use super::pattern::Pattern;
use crate::excerpt::clean;
use crate::redact::redact;
use crate::verdict::cut;

/// Most bytes kept of a line. Longer lines are data, with the error at their beginning.
const LINE_BYTES_MAX: usize = 1_000;

/// The markers of the parts of a hosted runner's job log.
const STEP: &str = "##[group]Run ";
const GROUP: &str = "##[group]";
const GROUP_END: &str = "##[endgroup]";
const ERROR: &str = "##[error]";
const EXIT: &str = "##[error]Process completed with exit code";

/// The output of the failing step.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) lines: Vec<&'a str>,
    /// The runner's own message on how it ended; empty if there is none.
    pub(super) ending: &'a str,
}

/// Cleans a log. Secrets go before anything is cut, or half of one would no longer be recognised.
pub(super) fn prepared(log: &str) -> String {
    redact(&clean(log)).into_owned()
}

pub(super) fn failing_step(text: &str) -> Step<'_> {
    let lines: Vec<&str> = text.lines().map(|line| cut(unstamped(line), LINE_BYTES_MAX)).collect();
    // A step that is allowed to fail prints this too, and the job continues after it.
    let exit = lines.iter().rposition(|line| line.starts_with(EXIT));
    let end = exit.or_else(|| lines.iter().rposition(|line| line.starts_with(ERROR)));
    let before = lines.get(..end.unwrap_or(lines.len())).unwrap_or_default();
    let start = before.iter().rposition(|line| line.starts_with(STEP)).filter(|_| end.is_some());
    let step = before.get(start.unwrap_or(0)..).unwrap_or_default();
    // The head of a step repeats its script, which may mention errors.
    let head = step.iter().position(|line| *line == GROUP_END).filter(|_| start.is_some());
    let step = step.get(head.map_or(0, |head| head + 1)..).unwrap_or_default();
    let ending = end.and_then(|end| lines.get(end)).copied().unwrap_or_default();
    let ending = ending.strip_prefix(ERROR).unwrap_or(ending);
    let mut lines: Vec<&str> = step.iter().filter_map(|line| shown(line)).collect();
    if exit.is_none() && !ending.is_empty() {
        lines.push(ending);
    }
    // Some runners end a log with a timestamp and nothing after it.
    let said = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(said);
    Step { lines, ending }
}

/// Strips the marker of an error that problem matchers put before lines of the tool.
fn shown(line: &str) -> Option<&str> {
    let is_marker = line.starts_with(GROUP) || line == GROUP_END;
    (!is_marker).then(|| line.strip_prefix(ERROR).unwrap_or(line).trim_end())
}

fn unstamped(line: &str) -> &str {
    let stamp = STAMP.find(line).unwrap_or_default();
    line.strip_prefix(stamp).unwrap_or(line)
}

/// Names of job and step, then one or more timestamps.
static STAMP: Pattern = Pattern::new(
    r"^(?:(?:[^\t\n:]{1,100}\t[^\t\n:]{1,100}\t)?\[?[0-9]{4}-[0-9][0-9]-[0-9][0-9][T ][0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]+)?(?:Z|[+-][0-9][0-9]:?[0-9][0-9])?\]?(?:[ \t]|$))+",
);

#[cfg(test)]
mod tests {
    use super::super::pattern::all_compile;
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        all_compile(&[&STAMP]);
    }

    #[test]
    fn stamps_go_whoever_wrote_them() {
        for (line, expected) in [
            ("2026-01-02T03:04:05.1234567Z a", "a"),
            ("job\tstep\t2026-01-02T03:04:05Z a", "a"),
            ("[2026-01-02 03:04:05,678] 2026-01-02T03:04:05+01:00 a", "a"),
            ("2026-01-02T03:04:05Z", ""),
            ("2026-01-02 is a day", "2026-01-02 is a day"),
        ] {
            assert_eq!(unstamped(line), expected, "{line}");
        }
    }

    #[test]
    fn without_the_marks_of_a_runner_the_whole_log_is_the_step() {
        let step = failing_step("one\ntwo  \n2026-01-02T03:04:05Z \n");
        assert_eq!((step.lines, step.ending), (vec!["one", "two"], ""));
    }

    #[test]
    fn a_step_that_may_fail_is_not_the_one_that_failed() {
        let log = "##[group]Run a\n##[endgroup]\nx\n##[error]Process completed with exit code 1.\n\
            ##[group]Run b\n##[endgroup]\ny\n##[error]Process completed with exit code 2.\n";
        assert_eq!(failing_step(log).lines, ["y"]);
    }

    #[test]
    fn the_step_that_failed_is_cut_out_with_its_ending() {
        let log = "##[group]Run a\n##[endgroup]\nx\n##[group]Run b\nexit 1\n##[endgroup]\n##[error]y\nz\n\
            ##[error]Process completed with exit code 7.\nPost job cleanup.";
        let step = failing_step(log);
        assert_eq!(step.lines, ["y", "z"]);
        assert_eq!(step.ending, "Process completed with exit code 7.");
        let step =
            failing_step("##[group]Run a\n##[endgroup]\nx\n##[error]The operation was canceled.");
        assert_eq!(step.lines, ["x", "The operation was canceled."]);
    }
}
