//! The files of a run as its attempts write them: `<attempt>-<role>/` with what the process says. An attempt with
//! `events.jsonl` is read from there, since its other files say the same without structure.

use crate::tail::{Tail, stamp};
use ralph_core::time::Time;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

const EVENTS: &str = "events.jsonl";
/// The other files, in the order in which an attempt writes them, each with its stream.
const STREAMS: [(&str, &str); 5] = [
    ("setup.txt", "setup"),
    ("output.txt", "output"),
    ("checks.txt", "output"),
    ("log.txt", "error"),
    ("response.txt", "output"),
];

/// One step of what is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum News {
    Begins { attempt: u32, role: String },
    Said(Said),
}

/// A line of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) attempt: u32,
    pub(super) role: String,
    /// `output`, `error`, `setup`, or `event` for a line that is one JSON object.
    pub(super) stream: &'static str,
    pub(super) line: String,
}

impl Said {
    /// `at` is the moment at which it was seen; an event that has its own keeps it.
    pub(super) fn document(&self, now: Time) -> Value {
        let Self { attempt, role, stream, line } = self;
        let event = serde_json::from_str::<Value>(line).ok().filter(|_| *stream == "event");
        let at = event.as_ref().and_then(|event| event.get("at").cloned());
        let at = at.unwrap_or_else(|| stamp(now).into());
        match event {
            Some(event) => {
                json!({"at": at, "attempt": attempt, "role": role, "stream": stream, "event": event})
            }
            None => {
                json!({"at": at, "attempt": attempt, "role": role, "stream": stream, "line": line})
            }
        }
    }
}

/// The folder of a run, and how far each of its files was read.
#[derive(Debug)]
pub(super) struct RunFiles {
    folder: PathBuf,
    attempts: Vec<Attempt>,
}

#[derive(Debug)]
struct Attempt {
    number: u32,
    role: String,
    folder: PathBuf,
    events: Tail,
    streams: Vec<(&'static str, Tail)>,
}

impl RunFiles {
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, attempts: Vec::new() }
    }

    /// Everything that was written since the last look. `is_final`: nothing more will be written.
    pub(super) fn news(&mut self, is_final: bool) -> io::Result<Vec<News>> {
        let known: Vec<u32> = self.attempts.iter().map(|attempt| attempt.number).collect();
        let found = found(&self.folder)?;
        let last = found.last().map(|(number, ..)| *number);
        for (number, role, folder) in found {
            if !known.contains(&number) {
                self.attempts.push(Attempt::new(number, role, folder));
            }
        }
        let mut all = Vec::new();
        for attempt in &mut self.attempts {
            if !known.contains(&attempt.number) {
                all.push(News::Begins { attempt: attempt.number, role: attempt.role.clone() });
            }
            // One that another has followed writes no more.
            let is_ended = is_final || last != Some(attempt.number);
            attempt.read(is_ended, &mut all)?;
        }
        Ok(all)
    }
}

impl Attempt {
    fn new(number: u32, role: String, folder: PathBuf) -> Self {
        let events = Tail::of(folder.join(EVENTS));
        let tail = |(name, stream): &(&str, &'static str)| (*stream, Tail::of(folder.join(name)));
        let streams = STREAMS.iter().map(tail).collect();
        Self { number, role, events, streams, folder }
    }

    fn read(&mut self, is_ended: bool, all: &mut Vec<News>) -> io::Result<()> {
        let (attempt, role) = (self.number, self.role.clone());
        let mut take = |stream: &'static str, tail: &mut Tail| {
            loop {
                let lines = tail.lines(is_ended)?;
                if lines.is_empty() {
                    return Ok::<_, io::Error>(());
                }
                let lines = lines.into_iter().filter(|line| !line.trim().is_empty());
                let said = |line| News::Said(Said { attempt, role: role.clone(), stream, line });
                all.extend(lines.map(said));
            }
        };
        if self.folder.join(EVENTS).is_file() {
            return take("event", &mut self.events);
        }
        self.streams.iter_mut().try_for_each(|(stream, tail)| take(stream, tail))
    }
}

/// The attempts of a run in their order; none when it has no folder.
fn found(folder: &Path) -> io::Result<Vec<(u32, String, PathBuf)>> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let parts =
            name.split_once('-').and_then(|(number, role)| Some((number.parse().ok()?, role)));
        if let Some((number, role)) = parts
            && path.is_dir()
        {
            all.push((number, role.to_owned(), path.clone()));
        }
    }
    all.sort();
    Ok(all)
}

/// The end of the latest attempt.
pub(super) fn latest(mut news: Vec<News>, lines_max: usize) -> Vec<News> {
    let begins =
        news.iter().rposition(|one| matches!(one, News::Begins { .. })).unwrap_or_default();
    let mut latest = news.split_off(begins);
    let skipped = latest.len().saturating_sub(lines_max + 1);
    latest.drain(1.min(latest.len())..(1 + skipped).min(latest.len()));
    latest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn shown(news: &[News]) -> Vec<String> {
        let one = |news: &News| match news {
            News::Begins { attempt, role } => format!("{attempt} {role}"),
            News::Said(said) => format!("{} {}: {}", said.attempt, said.stream, said.line),
        };
        news.iter().map(one).collect()
    }

    #[test]
    fn attempts_are_followed_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let mut run = RunFiles::in_folder(path("run"));
        assert_eq!(run.news(false).unwrap(), []);
        fs::create_dir_all(path("run/2-plan")).unwrap();
        fs::create_dir_all(path("run/home")).unwrap();
        fs::write(path("run/2-plan/response.txt"), "# Intent\n\nDo").unwrap();
        assert_eq!(shown(&run.news(false).unwrap()), ["2 plan", "2 output: # Intent"]);
        assert_eq!(run.news(false).unwrap(), []);
        fs::create_dir_all(path("run/10-preflight")).unwrap();
        fs::write(path("run/10-preflight/output.txt"), "ok\n").unwrap();
        let news = shown(&run.news(false).unwrap());
        assert_eq!(news, ["2 output: Do", "10 preflight", "10 output: ok"]);
        fs::write(path("run/10-preflight/output.txt"), "ok\nlast").unwrap();
        assert_eq!(run.news(false).unwrap(), []);
        assert_eq!(shown(&run.news(true).unwrap()), ["10 output: last"]);
    }

    #[test]
    fn events_stand_for_the_files_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let attempt = folder.path().join("3-implement");
        fs::create_dir_all(&attempt).unwrap();
        fs::write(attempt.join("response.txt"), "text\n").unwrap();
        fs::write(attempt.join(EVENTS), "{\"type\":\"message\",\"at\":7}\n").unwrap();
        let mut run = RunFiles::in_folder(folder.path().to_owned());
        let news = run.news(false).unwrap();
        assert_eq!(shown(&news), ["3 implement", "3 event: {\"type\":\"message\",\"at\":7}"]);
        let News::Said(said) = &news[1] else { panic!("a line") };
        let document = said.document(Time(0));
        assert_eq!((&document["at"], &document["event"]["type"]), (&json!(7), &json!("message")));
    }

    #[test]
    fn of_the_latest_attempt_the_end_is_shown() {
        let begins = |attempt| News::Begins { attempt, role: "plan".to_owned() };
        let said = |line: &str| {
            News::Said(Said {
                attempt: 2,
                role: "plan".to_owned(),
                stream: "output",
                line: line.to_owned(),
            })
        };
        let news = vec![begins(1), said("old"), begins(2), said("a"), said("b"), said("c")];
        assert_eq!(latest(news, 2), [begins(2), said("b"), said("c")]);
        assert_eq!(latest(vec![begins(1)], 2), [begins(1)]);
        assert_eq!(latest(Vec::new(), 2), []);
    }
}
