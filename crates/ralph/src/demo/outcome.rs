//! The progress and the end of the demo: in a table, in words, and as JSON.

use super::stage::{Kept, OWNER, TOKEN_VARIABLE};
use super::story::Sample;
use crate::error::CliError;
use crate::screen::{Paint, Screen};
use crate::table::Table;
use ralph_core::label::Status;
use ralph_core::standing::Standing;
use ralph_core::time::{Span, Time};
use ralph_engine::store::{IssueReport, StatusReport};
use serde::Serialize;
use std::collections::BTreeMap;

/// Longest text in the last column of a line, so that a terminal does not break it.
const SAYS_LETTERS_MAX: usize = 58;

#[derive(Debug, Serialize)]
pub struct Outcome {
    pub issues: Vec<Ending>,
    pub(super) seconds: f64,
    pub(super) ok: bool,
    #[serde(skip)]
    is_over: bool,
    /// The agent is scripted; everything else is what works on GitHub.
    agent: &'static str,
}

#[derive(Debug, Serialize)]
pub struct Ending {
    pub number: u64,
    pub title: &'static str,
    pub status: String,
    pub expected: &'static str,
    pub says: String,
    shows: &'static str,
    #[serde(skip)]
    standing: Option<Standing>,
}

impl Ending {
    const fn is_final(&self) -> bool {
        matches!(
            self.standing,
            Some(Standing::Done | Standing::Escalated { .. } | Standing::Stopped { .. })
        )
    }
}

impl Outcome {
    #[must_use]
    pub fn of(
        samples: &BTreeMap<u64, &'static Sample>,
        report: &StatusReport,
        started: Time,
        now: Time,
    ) -> Self {
        let reports: BTreeMap<u64, &IssueReport> =
            report.issues.iter().map(|issue| (issue.number, issue)).collect();
        let ending = |(number, sample): (&u64, &&'static Sample)| {
            let report = reports.get(number);
            let status = report.and_then(|report| report.status.clone()).unwrap_or_default();
            Ending {
                number: *number,
                title: sample.title,
                status,
                expected: Status::Done.name(),
                says: report.map(|report| report.says.clone()).unwrap_or_default(),
                shows: sample.shows,
                standing: report.and_then(|report| report.standing.clone()),
            }
        };
        let issues: Vec<_> = samples.iter().map(ending).collect();
        let is_settled = !issues.is_empty() && report.outbox.is_empty();
        let ok = is_settled && issues.iter().all(|issue| issue.status == issue.expected);
        let is_over = is_settled && issues.iter().all(Ending::is_final);
        Self { issues, seconds: seconds(now.since(started)), ok, is_over, agent: "scripted" }
    }

    /// Is nothing left to happen, as expected or not?
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Has every issue ended the way it has to?
    #[must_use]
    pub const fn is_as_expected(&self) -> bool {
        self.ok
    }

    /// Is everything that moves by itself in the bot branch, or behind something that is?
    #[must_use]
    pub fn waits_for_rollup(&self) -> bool {
        let is_in_bot = |issue: &Ending| issue.status == Status::InBot.name();
        let is_at_rest = |issue: &Ending| match &issue.standing {
            Some(
                Standing::InBot { .. }
                | Standing::Done
                | Standing::Escalated { .. }
                | Standing::Stopped { .. }
                | Standing::Blocked { .. },
            ) => true,
            Some(_) | None => false,
        };
        self.issues.iter().any(is_in_bot) && self.issues.iter().all(is_at_rest)
    }

    pub(super) fn table(&self) -> Table {
        let mut table = Table::bare();
        for issue in &self.issues {
            let says: String = issue.says.chars().take(SAYS_LETTERS_MAX).collect();
            let paint = match issue.status.as_str() {
                "done" | "in-bot" => Paint::Good,
                "escalated" => Paint::Bad,
                "in-progress" => Paint::Busy,
                _other => Paint::Waiting,
            };
            table.row([
                (format!("#{}", issue.number), Paint::Faint),
                (issue.title.to_owned(), Paint::Plain),
                (issue.status.clone(), paint),
                (says, Paint::Faint),
            ]);
        }
        table
    }

    pub(super) fn json(&self) -> Result<String, CliError> {
        let mut text = serde_json::to_string(self)?;
        text.push('\n');
        Ok(text)
    }

    pub(super) fn words(&self, screen: &Screen, kept: Option<&Kept>) -> String {
        let mut table = Table::headed(&["issue", "title", "ended", "what it showed"]);
        for issue in &self.issues {
            let paint = if issue.status == issue.expected { Paint::Good } else { Paint::Bad };
            table.row([
                (format!("#{}", issue.number), Paint::Plain),
                (issue.title.to_owned(), Paint::Plain),
                (issue.status.clone(), paint),
                (issue.shows.to_owned(), Paint::Faint),
            ]);
        }
        let verdict = if self.ok {
            "Every issue ended as it should".to_owned()
        } else {
            let odd: Vec<_> = self.issues.iter().filter(|i| i.status != i.expected).collect();
            let odd: Vec<_> =
                odd.iter().map(|i| format!("#{} is {}: {}", i.number, i.status, i.says)).collect();
            format!("Not every issue ended as it should ({})", odd.join("; "))
        };
        let next = match kept {
            Some(Kept { folder, address }) => format!(
                "Everything is in {0}. Look at it:\n\
                 \x20 ralph --home {0}/home status\n\
                 \x20 ralph --home {0}/home explain you/calc 4\n\
                 Or go on with it: serve its forge, and take the bot's token from the first line that says:\n\
                 \x20 ralph forge serve --owner {OWNER} --data {0}/forge --listen {address}\n\
                 \x20 {TOKEN_VARIABLE}=... ralph --home {0}/home run\n",
                folder.display()
            ),
            None => "Nothing is left behind. `ralph demo --keep DIR` keeps it all to look at.\n"
                .to_owned(),
        };
        format!(
            "\n{}\n{verdict}, in {:.1} s.\n\n\
             The agent was scripted; the forge, git, the tests, the gates and the merges were real.\n\
             Your own agent takes its place with three lines of config.toml:\n\n\
             \x20 [agent]\n\x20 kind = \"command\"\n\x20 command = [\"your-agent\", \"--its-flags\"]\n\n{next}",
            screen.table(&table),
            self.seconds,
        )
    }
}

fn seconds(span: Span) -> f64 {
    let millis = i32::try_from(span.as_millis()).unwrap_or(i32::MAX);
    f64::from(millis) / 1_000.0
}
