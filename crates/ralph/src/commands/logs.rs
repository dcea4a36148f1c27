//! `ralph logs`: the daemon's own log, all days in one, and as it grows.

use super::CommandContext;
use crate::args::{LogsArguments, Since};
use crate::error::{CliError, ErrorKind};
use crate::log::day_files;
use crate::screen::{Paint, Screen, plain};
use crate::tail::{self, Tail};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

/// Lines shown when no time is named: the latest, as many as fit into a person's memory.
const LINES_MAX: usize = 200;

pub(super) fn run(context: &CommandContext<'_>, options: &LogsArguments) -> Result<(), CliError> {
    let folder = context.home.logs();
    let failed = |cause: io::Error| CliError::file("read", &folder, &cause);
    let since = options.since.as_ref().map(|since| match since {
        Since::Ago(span) => tail::stamp(context.now.minus(*span)),
        Since::At(text) => text.clone(),
    });
    let mut log = Log::below(&folder, since);
    let first = log.news().map_err(failed)?;
    if first.is_empty() && !options.follow && log.tails.is_empty() {
        let says = format!("there is no log in {}", folder.display());
        let hint = "`ralph run` writes it; --home DIR or RALPH_HOME names another folder";
        return Err(CliError::new(ErrorKind::Request, says).with_hint(hint));
    }
    // Without a time the latest are meant; what follows is shown in full.
    let skipped = if log.since.is_some() { 0 } else { first.len().saturating_sub(LINES_MAX) };
    show(context.screen, options.json, first.into_iter().skip(skipped))?;
    while options.follow && tail::pause() {
        show(context.screen, options.json, log.news().map_err(failed)?.into_iter())?;
    }
    Ok(())
}

fn show(
    screen: &Screen,
    is_raw: bool,
    lines: impl Iterator<Item = String>,
) -> Result<(), CliError> {
    let text: String =
        lines
            .map(|line| {
                if is_raw {
                    format!("{line}\n")
                } else {
                    format!("{}\n", for_people(screen, &line))
                }
            })
            .collect();
    if text.is_empty() { Ok(()) } else { screen.answer(&text) }
}

/// The files of all days, read as one.
struct Log<'a> {
    folder: &'a Path,
    /// Lines from before this moment are left out.
    since: Option<String>,
    tails: VecDeque<Tail>,
}

impl<'a> Log<'a> {
    const fn below(folder: &'a Path, since: Option<String>) -> Self {
        Self { folder, since, tails: VecDeque::new() }
    }

    /// The lines that were added since the last look, in the order of their days.
    fn news(&mut self) -> io::Result<Vec<String>> {
        for path in self.days()? {
            if !self.tails.iter().any(|tail| tail.path() == path) {
                self.tails.push_back(Tail::of(path));
            }
        }
        let mut all = Vec::new();
        for tail in &mut self.tails {
            loop {
                let lines = tail.lines(false)?;
                if lines.is_empty() {
                    break;
                }
                let is_wanted = |line: &String| is_since(line, self.since.as_deref());
                all.extend(lines.into_iter().filter(is_wanted));
            }
        }
        Ok(all)
    }

    /// The files that may have lines since then, oldest first.
    fn days(&self) -> io::Result<Vec<PathBuf>> {
        let first = self.since.as_ref().and_then(|since| since.get(..10)).unwrap_or_default();
        let days = day_files::days(self.folder)?.into_iter();
        let days = days.filter(|(day, _)| day.as_str() >= first);
        Ok(days.map(|(_, path)| path).collect())
    }
}

/// A line without a time belongs to the ones around it.
fn is_since(line: &str, since: Option<&str>) -> bool {
    let Some(since) = since else { return true };
    let at = serde_json::from_str::<Value>(line).ok();
    let at = at.and_then(|line| line.get("at")?.as_str().map(str::to_owned));
    at.is_none_or(|at| at.as_str() >= since)
}

/// The time, the level unless it is the usual one, the message, and every other field.
fn for_people(screen: &Screen, line: &str) -> String {
    let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else { return plain(line) };
    let mut take = |name: &str| fields.remove(name).map(|value| text(&value)).unwrap_or_default();
    let (at, level, message) = (take("at"), take("level"), take("message"));
    let at = at.get(..19).map_or(at.clone(), |at| at.replace('T', " "));
    let paint = match level.as_str() {
        "error" => Paint::Bad,
        "warn" => Paint::Busy,
        _ => Paint::Plain,
    };
    let level =
        if level == "info" { String::new() } else { format!(" {}", screen.paint(paint, &level)) };
    let rest = others(&fields);
    format!(
        "{}{level} {}{}",
        screen.paint(Paint::Faint, &at),
        plain(&message),
        screen.paint(Paint::Faint, &rest)
    )
}

fn others(fields: &Map<String, Value>) -> String {
    fields.iter().map(|(name, value)| format!(" {name}={}", plain(&text(value)))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(at: &str, message: &str) -> String {
        format!("{{\"at\":\"{at}\",\"level\":\"info\",\"message\":\"{message}\"}}\n")
    }

    #[test]
    fn days_are_one_log_and_a_new_day_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let put = |day: &str, text: &str| {
            let path = folder.path().join(format!("ralph-{day}.jsonl"));
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            std::fs::write(path, before + text).unwrap();
        };
        put("2024-01-02", &line("2024-01-02T08:00:00.000Z", "three"));
        let first =
            line("2024-01-01T08:00:00.000Z", "one") + &line("2024-01-01T20:00:00.000Z", "two");
        put("2024-01-01", &first);
        let count = |since: Option<&str>| {
            Log::below(folder.path(), since.map(str::to_owned)).news().unwrap().len()
        };
        assert_eq!(count(None), 3);
        assert_eq!(count(Some("2024-01-01T12:00")), 2);
        assert_eq!(count(Some("2024-01-02")), 1);
        let mut log = Log::below(folder.path(), None);
        log.news().unwrap();
        put("2024-01-02", "{\"at\":\"2024-01-02T09");
        assert_eq!(log.news().unwrap(), [""; 0]);
        put("2024-01-02", ":00:00.000Z\"}\n");
        put("2024-01-03", &line("2024-01-03T08:00:00.000Z", "four"));
        let news = log.news().unwrap();
        assert_eq!(news.len(), 2, "{news:?}");
        assert!(news[1].contains("four"), "{news:?}");
    }

    #[test]
    fn a_line_is_written_for_people() {
        let screen = Screen::new(false);
        let shown = |line: &str| for_people(&screen, line);
        let line = r#"{"at":"2024-01-02T08:00:00.123Z","level":"warn","message":"no\u001b[2J","seq":7,"subject":"a/b#1"}"#;
        assert_eq!(shown(line), "2024-01-02 08:00:00 warn no [2J seq=7 subject=a/b#1");
        assert_eq!(shown("{\"message\":\"x\",\"level\":\"info\"}"), " x");
        assert_eq!(shown("half a li"), "half a li");
    }
}
