//! `ralph watch`: the work on an issue as it happens. One attempt after the other, until its run ends or waits for a
//! person.

mod attempts;
mod event;

use super::{CommandContext, says_without_daemon};
use crate::args::WatchArguments;
use crate::error::{CliError, ErrorKind};
use crate::moment::clock_time;
use crate::screen::{Paint, plain};
use crate::tail;
use crate::wall_clock;
use crate::writer_lock;
use attempts::{News, RunFiles, Said};
use ralph_core::ids::IssueKey;
use ralph_engine::store::{IssueReport, Reader};
use std::io;

/// Looks at the files between two looks at the store: its answer costs more, and changes less often.
const LOOKS_PER_STATUS: u32 = 4;
/// Lines shown of an attempt that is under way, so that the reader knows where it is.
const LINES_BEFORE_MAX: usize = 20;
/// The status of an issue that is being worked on.
const AT_WORK: &str = "in-progress";

pub(super) fn run(context: &CommandContext<'_>, options: &WatchArguments) -> Result<(), CliError> {
    let key = options.issue.key();
    let reader = context.reader()?;
    let issue = status(&reader, &key)?;
    let Some(run) = issue.run.clone() else {
        let says = format!("{key} has no run yet: {}", issue.says);
        let hint = "`ralph explain` says what it waits for; watch it once it is being worked on";
        return Err(CliError::new(ErrorKind::Request, says).with_hint(hint));
    };
    let folder = |run: &str| context.home.runs().join(run).join(key.repo.key());
    let failed = |cause: io::Error| CliError::file("read", &context.home.runs(), &cause);
    let watch = Watch { context, is_json: options.json };
    let mut files = RunFiles::in_folder(folder(&run));
    let mut news = files.news(false).map_err(failed)?;
    if !options.from_start {
        news = attempts::latest(news, LINES_BEFORE_MAX);
    }
    watch.show(&news)?;
    let (mut run, mut looks) = (run, 0_u32);
    loop {
        let is_due = looks.is_multiple_of(LOOKS_PER_STATUS);
        let issue = if is_due { Some(status(&reader, &key)?) } else { None };
        let is_over = issue.as_ref().is_some_and(|issue| watch.is_over(issue));
        watch.show(&files.news(is_over).map_err(failed)?)?;
        let next = issue.as_ref().and_then(|issue| issue.run.clone()).filter(|next| *next != run);
        if let Some(next) = next {
            files = RunFiles::in_folder(folder(&next));
            run = next;
        } else if let Some(issue) = issue.filter(|_| is_over) {
            return watch.end(&key, issue);
        }
        looks = looks.wrapping_add(1);
        if !tail::pause() {
            return Ok(());
        }
    }
}

fn status(reader: &Reader, key: &IssueKey) -> Result<IssueReport, CliError> {
    let report = reader.explain(key)?;
    Ok(report.ok_or_else(|| CommandContext::unknown_issue(key))?.issue)
}

struct Watch<'a> {
    context: &'a CommandContext<'a>,
    is_json: bool,
}

impl Watch<'_> {
    /// Nothing more will happen without a person or a daemon.
    fn is_over(&self, issue: &IssueReport) -> bool {
        let has_daemon = writer_lock::is_held(&self.context.home).unwrap_or(true);
        !has_daemon || issue.status.as_deref() != Some(AT_WORK)
    }

    fn show(&self, news: &[News]) -> Result<(), CliError> {
        let now = wall_clock::of_day();
        let mut text = String::new();
        for one in news {
            match one {
                // The lines themselves name their attempt.
                News::Begins { .. } if self.is_json => {}
                News::Begins { attempt, role } => {
                    let title = format!("── attempt {attempt}: {role}");
                    text.push_str(&format!("{}\n", self.context.screen.paint(Paint::Bold, &title)));
                }
                News::Said(said) if self.is_json => {
                    text.push_str(&format!("{}\n", said.document(now)));
                }
                News::Said(said) => text.push_str(&self.for_people(said, &clock_time(now))),
            }
        }
        if text.is_empty() { Ok(()) } else { self.context.screen.answer(&text) }
    }

    fn for_people(&self, said: &Said, at: &str) -> String {
        let Some((line, paint)) = event::shown(said) else { return String::new() };
        let screen = self.context.screen;
        format!("{} {}\n", screen.paint(Paint::Faint, at), screen.paint(paint, &plain(&line)))
    }

    fn end(&self, key: &IssueKey, mut issue: IssueReport) -> Result<(), CliError> {
        if !writer_lock::is_held(&self.context.home).unwrap_or(false) {
            says_without_daemon(&mut issue);
        }
        if !self.is_json {
            let says = format!("── {key}: {}\n", plain(&issue.says));
            self.context.screen.answer(&self.context.screen.paint(Paint::Bold, &says))?;
        }
        Ok(())
    }
}
