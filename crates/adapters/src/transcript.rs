//! The transcript of a process: its output redacted line by line, in a private file of bounded size.

use crate::private_files;
use ralph_contain::Capture;
use ralph_core::excerpt::Excerpt;
use ralph_core::redact::REDACTED;
use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

/// A transcript on disk. Long enough for any turn a person will read.
const FILE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Of what is beyond, the end: that is where programs say what went wrong.
const TAIL_BYTES_MAX: usize = 64 * 1024;
/// A line that is longer is taken in pieces.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Anything shorter would be found everywhere.
const SECRET_BYTES_MIN: usize = 8;
/// Words in a variable's name that say its value is a secret.
const SECRET_NAMES: [&str; 5] = ["TOKEN", "KEY", "SECRET", "PASSWORD", "CREDENTIAL"];

/// Values that must not appear in anything that is kept, beside what is known by its shape.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// The secrets among the variables of a process.
    pub(crate) fn among<'a>(
        environment: impl IntoIterator<Item = (&'a OsString, &'a OsString)>,
    ) -> Self {
        let values = environment.into_iter().filter_map(|(name, value)| {
            let name = name.to_str()?.to_ascii_uppercase();
            let is_secret = SECRET_NAMES.iter().any(|word| name.contains(word));
            value.to_str().filter(|value| is_secret && value.len() >= SECRET_BYTES_MIN)
        });
        Self(values.map(str::to_owned).collect())
    }

    pub(crate) fn hide<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut hidden = Cow::Borrowed(text);
        for secret in self.0.iter().filter(|secret| text.contains(secret.as_str())) {
            hidden = Cow::Owned(hidden.replace(secret, REDACTED));
        }
        hidden
    }
}

#[derive(Debug)]
pub(crate) struct Transcript {
    file: File,
    secrets: Secrets,
    /// Bytes of lines that are not complete yet.
    pending: Vec<u8>,
    taken: usize,
    rest: Capture,
    /// Between the first and the last line of a private key.
    is_in_key: bool,
}

impl Transcript {
    pub(crate) fn create(path: &Path, secrets: Secrets) -> io::Result<Self> {
        let rest = Capture::new(0, TAIL_BYTES_MAX);
        let file = private_files::create(path)?;
        Ok(Self { file, secrets, pending: Vec::new(), taken: 0, rest, is_in_key: false })
    }

    /// Takes output as it comes and shows each clean line. A disk that is full loses the transcript, not the
    /// turn.
    pub(crate) fn take(&mut self, bytes: &[u8], show: &mut dyn FnMut(&str)) {
        let room = FILE_BYTES_MAX.saturating_sub(self.taken);
        let (bytes, rest) = bytes.split_at(room.min(bytes.len()));
        self.taken += bytes.len();
        self.pending.extend_from_slice(bytes);
        let complete = match self.pending.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            None if self.pending.len() > LINE_BYTES_MAX || !rest.is_empty() => self.pending.len(),
            None => 0,
        };
        let lines: Vec<u8> = self.pending.drain(..complete).collect();
        self.keep(&lines, show);
        self.rest.take(rest);
    }

    /// Writes what is still held back, and the end of what did not fit.
    pub(crate) fn finish(mut self, show: &mut dyn FnMut(&str)) {
        let pending = std::mem::take(&mut self.pending);
        self.keep(&pending, show);
        let rest = self.rest.text();
        self.keep(rest.as_bytes(), &mut |_| {});
    }

    fn keep(&mut self, lines: &[u8], show: &mut dyn FnMut(&str)) {
        if lines.is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(lines);
        let text = self.secrets.hide(&text);
        let text = self.without_keys(&text);
        let clean = Excerpt::of(&text, usize::MAX);
        clean.as_str().lines().filter(|line| !line.trim().is_empty()).for_each(show);
        drop(self.file.write_all(clean.as_str().as_bytes()));
    }

    /// Without the lines of a private key, whose end may come much later than its beginning.
    fn without_keys(&mut self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let is_end = line.contains("-----END ");
            let begins = line.contains("-----BEGIN ") && line.contains("PRIVATE KEY");
            if begins && !is_end {
                kept.push_str(REDACTED);
                kept.push('\n');
                self.is_in_key = true;
            }
            if !self.is_in_key {
                kept.push_str(line);
            }
            if is_end {
                self.is_in_key = false;
            }
        }
        kept
    }
}
