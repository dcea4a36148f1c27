//! The daemon's log: one JSON object a line, redacted and bounded, in one file for each day.

pub(crate) mod day_files;

use crate::config::Secret;
use crate::tail::stamp;
use crate::wall_clock;
pub(crate) use day_files::forget;
use day_files::{DayFiles, Losses};
use ralph_core::redact::{REDACTED, redact};
use serde_json::{Map, Value};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::dispatcher::{DefaultGuard, Dispatch, set_default};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::registry::Registry;

/// Longest text in a line; what processes say in full is in the folders of their runs.
const TEXT_CHARS_MAX: usize = 2_000;
/// A shorter secret would be found in half of all words.
const SECRET_BYTES_MIN: usize = 8;

/// The log of a thread's events while it holds the guard of [`Log::here`].
#[derive(Debug)]
pub(crate) struct Log {
    dispatch: Dispatch,
    files: Arc<Mutex<DayFiles>>,
}

impl Log {
    /// Below this folder, which is made with the first line. These secrets never get into a line.
    pub(crate) fn below(folder: PathBuf, secrets: &[&Secret]) -> Self {
        let files = Arc::new(Mutex::new(DayFiles::below(folder)));
        let secrets = secrets.iter().map(|secret| secret.reveal().trim().to_owned());
        let secrets = secrets.filter(|secret| secret.len() >= SECRET_BYTES_MIN).collect();
        let lines = Lines { files: files.clone(), secrets };
        Self { dispatch: Dispatch::new(Registry::default().with(lines)), files }
    }

    /// Events of this thread go into the log until the guard is dropped.
    pub(crate) fn here(&self) -> DefaultGuard {
        set_default(&self.dispatch)
    }

    /// The number of lines that were lost, and whether the latest one was.
    pub(crate) fn losses(&self) -> Losses {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).losses()
    }
}

struct Lines {
    files: Arc<Mutex<DayFiles>>,
    secrets: Vec<String>,
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let now = wall_clock::of_day();
        let mut line = Line { fields: Map::new(), secrets: &self.secrets };
        event.record(&mut line);
        let level = event.metadata().level().as_str().to_ascii_lowercase();
        line.fields.insert("at".to_owned(), stamp(now).into());
        line.fields.insert("level".to_owned(), level.into());
        let text = Value::Object(line.fields).to_string();
        self.files.lock().unwrap_or_else(PoisonError::into_inner).write(now, &text);
    }
}

/// The fields of one event, each text cleaned before it becomes JSON.
struct Line<'a> {
    fields: Map<String, Value>,
    secrets: &'a [String],
}

impl Line<'_> {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.fields.insert(field.name().to_owned(), value.into());
    }

    fn clean(&self, text: &str) -> String {
        let mut clean = redact(text).into_owned();
        for secret in self.secrets {
            clean = clean.replace(secret.as_str(), REDACTED);
        }
        match clean.char_indices().nth(TEXT_CHARS_MAX) {
            Some((end, _)) => format!("{}…", clean.get(..end).unwrap_or_default()),
            None => clean,
        }
    }
}

impl Visit for Line<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let clean = self.clean(value);
        self.put(field, clean);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::time::Time;

    fn logged(tell: impl FnOnce()) -> Vec<Value> {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::below(folder.path().join("logs"), &[&Secret::new("open sesame \"now\"")]);
        let guard = log.here();
        tell();
        drop(guard);
        tracing::info!("nobody hears this");
        let file = folder.path().join("logs").read_dir().unwrap().next().unwrap().unwrap().path();
        assert_eq!(file.extension().unwrap(), "jsonl");
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_line_is_one_object_with_time_and_level() {
        let lines = logged(|| {
            tracing::warn!(seq = 7, subject = %"ada/app#1", "said \"so\"\nand left");
            tracing::info!(why = Option::<&str>::None, "next");
        });
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["level"], "warn");
        assert_eq!((&lines[0]["seq"], &lines[0]["subject"]), (&7.into(), &"ada/app#1".into()));
        assert_eq!(lines[0]["message"], "said \"so\"\nand left");
        let at = lines[0]["at"].as_str().unwrap();
        assert!(at.len() == 24 && at.contains('T') && at.ends_with('Z'), "{at}");
        assert!(lines[1].get("why").is_none());
        assert_eq!(stamp(Time(1_704_067_205_007)), "2024-01-01T00:00:05.007Z");
    }

    #[test]
    fn secrets_never_get_into_a_line_and_long_texts_are_cut() {
        let token = "ghp_0123456789012345678901234567890123456789";
        let lines = logged(|| {
            tracing::error!(why = %format!("Authorization: Bearer {token}"), "open sesame \"now\"!");
            tracing::info!("{}", "ä".repeat(TEXT_CHARS_MAX + 1));
        });
        assert_eq!(lines[0]["why"], "Authorization: Bearer [redacted]");
        assert_eq!(lines[0]["message"], "[redacted]!");
        assert_eq!(lines[1]["message"], format!("{}…", "ä".repeat(TEXT_CHARS_MAX)));
    }
}
