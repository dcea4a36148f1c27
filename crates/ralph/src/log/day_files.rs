//! A file for each day, for its owner alone and of bounded size. A disk that is full loses lines, not work.

use ralph_core::time::Time;
use rustix::fs::OFlags;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// A day's file. A busy day writes a tenth of it; a daemon gone wild must not fill the disk.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The last line of a file that is full.
const FULL: &str =
    r#"{"level":"warn","message":"this file is full; what follows is lost until tomorrow"}"#;

#[derive(Debug)]
pub(super) struct DayFiles {
    folder: PathBuf,
    bytes_max: u64,
    today: Option<Today>,
    losses: Losses,
}

/// Lines that were not written: the day's file was full, or the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Losses {
    pub(crate) lines: u64,
    pub(crate) is_losing: bool,
}

#[derive(Debug)]
struct Today {
    day: String,
    file: File,
    bytes: u64,
    is_full: bool,
}

impl DayFiles {
    pub(super) const fn below(folder: PathBuf) -> Self {
        let losses = Losses { lines: 0, is_losing: false };
        Self { folder, bytes_max: FILE_BYTES_MAX, today: None, losses }
    }

    pub(super) const fn losses(&self) -> Losses {
        self.losses
    }

    pub(super) fn write(&mut self, now: Time, line: &str) {
        let is_written = self.try_write(&day_of(now), line);
        self.losses.is_losing = !matches!(is_written, Ok(true));
        self.losses.lines += u64::from(self.losses.is_losing);
        if is_written.is_err() {
            // Opened again with the next line, which may find room again.
            self.today = None;
        }
    }

    fn try_write(&mut self, day: &str, line: &str) -> io::Result<bool> {
        let today = match self.today.take().filter(|today| today.day == day) {
            Some(today) => today,
            None => open(&self.folder, day)?,
        };
        let today = self.today.insert(today);
        if today.is_full {
            return Ok(false);
        }
        let bytes = u64::try_from(line.len()).unwrap_or(u64::MAX).saturating_add(1);
        today.is_full = today.bytes.saturating_add(bytes) > self.bytes_max;
        let line = if today.is_full { FULL } else { line };
        // One write for a line, so that readers see whole lines.
        today.file.write_all(format!("{line}\n").as_bytes())?;
        today.bytes += bytes;
        Ok(!today.is_full)
    }
}

/// The day in UTC, as it is in the file's name.
fn day_of(now: Time) -> String {
    now.to_string().chars().take(10).collect()
}

const BEFORE_DAY: &str = "ralph-";
const AFTER_DAY: &str = ".jsonl";

/// The files with their days, oldest first; none when there is no folder.
pub(crate) fn days(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut days = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let day = name.strip_prefix(BEFORE_DAY).and_then(|name| name.strip_suffix(AFTER_DAY));
        days.extend(day.map(str::to_owned).map(|day| (day, path.clone())));
    }
    days.sort();
    Ok(days)
}

/// Removes the files of days that ended before this moment. Gives how many.
pub(crate) fn forget(folder: &Path, before: Time) -> io::Result<usize> {
    let last = day_of(before);
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries?,
    };
    let mut gone = 0;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let day =
            name.to_str().and_then(|name| name.strip_prefix(BEFORE_DAY)?.strip_suffix(AFTER_DAY));
        let is_day = |day: &&str| day.len() == last.len() && *day < last.as_str();
        if day.filter(is_day).is_some() && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
            gone += 1;
        }
    }
    Ok(gone)
}

fn open(folder: &Path, day: &str) -> io::Result<Today> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let no_link = i32::try_from(OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600).custom_flags(no_link);
    let file = options.open(folder.join(format!("{BEFORE_DAY}{day}{AFTER_DAY}")))?;
    let bytes = file.metadata()?.len();
    Ok(Today { day: day.to_owned(), file, bytes, is_full: false })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::time::Span;
    use std::os::unix::fs::PermissionsExt as _;

    const NOON: Time = Time(1_704_110_400_000);

    fn files(folder: &Path) -> Vec<(String, String)> {
        let Ok(entries) = folder.read_dir() else { return Vec::new() };
        let file = |path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        };
        let mut files: Vec<_> = entries.map(|entry| file(entry.unwrap().path())).collect();
        files.sort();
        files
    }

    #[test]
    fn each_day_has_its_file_and_a_restart_goes_on_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join("logs");
        let mut before = DayFiles::below(logs.clone());
        before.write(NOON, "one");
        let mut after = DayFiles::below(logs.clone());
        after.write(NOON, "two");
        after.write(NOON.plus(Span::from_mins(24 * 60)), "three");
        let expected =
            [("ralph-2024-01-01.jsonl", "one\ntwo\n"), ("ralph-2024-01-02.jsonl", "three\n")];
        assert_eq!(files(&logs), expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&logs), 0o700);
        assert_eq!(mode(&logs.join("ralph-2024-01-01.jsonl")), 0o600);
    }

    #[test]
    fn a_full_file_says_so_once_and_counts_what_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let mut day = DayFiles { bytes_max: 8, ..DayFiles::below(folder.path().to_owned()) };
        for line in ["one", "two", "three", "four"] {
            day.write(NOON, line);
        }
        assert_eq!(files(folder.path())[0].1, format!("one\ntwo\n{FULL}\n"));
        assert_eq!(day.losses(), Losses { lines: 2, is_losing: true });
        day.write(NOON.plus(Span::from_mins(24 * 60)), "five");
        assert_eq!(files(folder.path())[1].1, "five\n");
        assert_eq!(day.losses(), Losses { lines: 2, is_losing: false });
    }

    #[test]
    fn only_files_of_days_that_are_over_for_long_go() {
        let folder = tempfile::tempdir().unwrap();
        let names =
            ["ralph-2023-12-31.jsonl", "ralph-2024-01-01.jsonl", "ralph-notes.jsonl", "a-0000"];
        for name in names {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(forget(folder.path(), NOON).unwrap(), 1);
        let left: Vec<_> = files(folder.path()).into_iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["a-0000", "ralph-2024-01-01.jsonl", "ralph-notes.jsonl"]);
        assert_eq!(forget(&folder.path().join("none"), NOON).unwrap(), 0);
    }

    #[test]
    fn a_link_in_place_of_the_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (logs, precious) = (folder.path().join("logs"), folder.path().join("precious"));
        std::fs::create_dir(&logs).unwrap();
        std::fs::write(&precious, "mine").unwrap();
        std::os::unix::fs::symlink(&precious, logs.join("ralph-2024-01-01.jsonl")).unwrap();
        let mut day = DayFiles::below(logs);
        day.write(NOON, "line");
        assert_eq!(std::fs::read_to_string(precious).unwrap(), "mine");
        assert_eq!(day.losses(), Losses { lines: 1, is_losing: true });
    }
}
