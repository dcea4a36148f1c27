//! The story of one issue: every decision with its time and evidence.

use super::{IssueReport, Link, Reader};
use crate::store::rows::read_repos;
use crate::store::{JournalEntry, StoreError, journal};
use ralph_core::budget::IssueUse;
use ralph_core::fact::{Answer, Fact, Move, Observation, Outcome, RunMove, What};
use ralph_core::forecast::Forecast;
use ralph_core::ids::IssueKey;
use ralph_core::words;
use ralph_core::{gate::GateRecord, time::Time};
use serde::Serialize;

/// Longest piece of evidence in a story. The gates and the run's folder have all of it.
const EVIDENCE_CHARS_MAX: usize = 300;
/// Maximum number of files to name when a merge conflicts.
const FILES_MAX: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub issue: IssueReport,
    /// The issues it waits for, as a tree: each is followed by those that it waits for.
    pub chain: Vec<Link>,
    pub story: Vec<StoryLine>,
    /// What an issue of its repository is expected to cost, once enough of them were merged.
    pub forecast: Option<Forecast>,
    /// What its own turns have used.
    pub used: IssueUse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoryLine {
    pub at: Time,
    pub says: String,
    /// The evidence for it, if the sentence does not contain that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl Reader {
    /// `None` if the issue is unknown.
    pub fn explain(&self, key: &IssueKey) -> Result<Option<Report>, StoreError> {
        let Some(issue) = self.issue(key)? else { return Ok(None) };
        let entries = journal::entries(&self.connection, Some(&key.to_string()), 0)?;
        let line = |entry: JournalEntry| {
            let says = words::journal_line(&entry.fact)?;
            let evidence = evidence(&entry.fact).map(|text| bounded(&text));
            let evidence = evidence.filter(|evidence| !evidence.is_empty());
            Some(StoryLine { at: entry.at, says, evidence })
        };
        let mut is_closed = false;
        let news = entries.into_iter().filter(|entry| take_news(&entry.fact, &mut is_closed));
        let story = news.filter_map(line).collect();
        let used = issue.managed.as_ref().map(|managed| managed.used.clone()).unwrap_or_default();
        let mut forecast = None;
        read_repos(&self.connection, |name, repo| {
            if name == key.repo {
                forecast = Forecast::of(&repo.books);
            }
        })?;
        let mut issue = self.report(key, &issue)?;
        if let Some(outage) = self.outage()?.0 {
            issue.wait_for_agents(&outage);
        }
        let chain = self.chain(&issue)?;
        Ok(Some(Report { issue, chain, story, forecast, used }))
    }
}

/// Returns false for a repeated reading of a closed issue, so that the story mentions the closing once; remembers in
/// `is_closed` what the fact says.
fn take_news(fact: &Fact, is_closed: &mut bool) -> bool {
    let What::Seen(Observation::Issue(seen) | Observation::IssueInPart { seen, .. }) = &fact.what
    else {
        return true;
    };
    let was_closed = std::mem::replace(is_closed, !seen.open);
    !(was_closed && *is_closed)
}

fn evidence(fact: &Fact) -> Option<String> {
    match &fact.what {
        What::Finished { outcome, .. } => of_outcome(outcome),
        What::Moved(step) => of_move(step),
        What::Seen(_)
        | What::RepoSeen(_)
        | What::Used { .. }
        | What::Suspected { .. }
        | What::Interrupted { .. }
        | What::Settled(_) => None,
    }
}

fn of_outcome(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::WorkspaceConflict { files, .. } => Some(first_of(files)),
        Outcome::Turn { answer: Answer::Unresolved { files }, .. } => Some(first_of(files)),
        Outcome::CommandsPassed { command, .. } if command.is_empty() => {
            Some(words::INTEGRITY_NOTHING_HELD.to_owned())
        }
        Outcome::CommandsPassed { command, .. } => Some(format!("`{command}`")),
        Outcome::CommandsFailed { excerpt, .. } => Some(last_line(excerpt)),
        Outcome::Stalled { last, .. } => Some(last_line(last)),
        Outcome::Turn { answer: Answer::Verdict { pass: true, reason, .. }, .. } => {
            Some(reason.clone())
        }
        Outcome::Turn {
            answer:
                Answer::Plan { .. }
                | Answer::Verdict { pass: false, .. }
                | Answer::NoVerdict { .. }
                | Answer::Changed(_)
                | Answer::Unchanged
                | Answer::Parent(_)
                | Answer::Survey(_),
            ..
        }
        | Outcome::WorkspaceReady { .. }
        | Outcome::TimedOut { .. }
        | Outcome::WorkspaceLost { .. }
        | Outcome::AgentFailed { .. }
        | Outcome::Failed { .. } => None,
    }
}

fn first_of(files: &[String]) -> String {
    files.iter().take(FILES_MAX).cloned().collect::<Vec<_>>().join(", ")
}

fn of_move(step: &Move) -> Option<String> {
    match step {
        Move::Run(RunMove::Judged { record, .. }) => Some(of_record(record)),
        Move::Started { deadline, .. } => Some(format!("until {deadline} at most")),
        Move::MergedToBot { commit, .. } => Some(format!("as {}", commit.short())),
        Move::LaneEntered(entry) => {
            let trigger = &entry.trigger;
            let found = trigger.found.iter().take(FILES_MAX).map(|found| found.name.as_str());
            let (found, head) = (found.collect::<Vec<_>>().join(", "), trigger.head.short());
            Some(format!("{found}, on {head}"))
        }
        Move::Run(
            RunMove::Replan { .. }
            | RunMove::Reimplement { .. }
            | RunMove::ChecksLate { .. }
            | RunMove::ParentSeeded { .. }
            | RunMove::ProofMissing
            | RunMove::LookPassedOver
            | RunMove::SurveyPassedOver
            | RunMove::BringUpToDate { .. }
            | RunMove::TakeBranch
            | RunMove::ReplacePull { .. }
            | RunMove::Excused
            | RunMove::Steered
            | RunMove::MeetBase
            | RunMove::TestAgain { .. },
        )
        | Move::Adopted { .. }
        | Move::AutoQueued
        | Move::PapercutQueued
        | Move::Commanded { .. }
        | Move::Forgotten
        | Move::Rehomed { .. }
        | Move::TakenOut
        | Move::SyncConflicted { .. }
        | Move::SyncResolved { .. }
        | Move::Stopped { .. }
        | Move::Blocked { .. }
        | Move::Claimed { .. }
        | Move::Resumed
        | Move::AnswersUnread
        | Move::Parked { .. }
        | Move::Reached { .. }
        | Move::Ending { .. }
        | Move::Trial(_)
        | Move::Mark(_)
        | Move::Escalated { .. }
        | Move::Rebatched { .. }
        | Move::Done { .. } => None,
    }
}

fn of_record(record: &GateRecord) -> String {
    let command = record.command.as_ref().map(|command| format!("`{command}`"));
    let reason = Some(last_line(&record.reason)).filter(|reason| !reason.is_empty());
    let head = record.head.as_ref().map(|head| format!("on {}", head.short()));
    let parts = [command, reason, head, record.url.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The last line of a failing program's output most often names the failure.
fn last_line(text: &str) -> String {
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

fn bounded(text: &str) -> String {
    text.chars().take(EVIDENCE_CHARS_MAX).collect()
}
