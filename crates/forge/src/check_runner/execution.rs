//! One check from its checkout to its report.

use std::fs::{DirBuilder, remove_dir_all};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use ralph_contain::{Ending, Switch, Watch};

use super::tail::Tail;
use super::{CheckJob, CheckPlaces, annotations, launch};
use crate::model::checks::{CheckOutput, Conclusion};
use crate::process::Git;

/// A check that a signal ended counts as one with this exit status plus the signal, as in a shell.
const SIGNAL_STATUS_BASE: i32 = 128;

/// The folder of one running check.
struct Room {
    path: PathBuf,
}

impl Room {
    fn new(places: &CheckPlaces, id: u64) -> io::Result<Self> {
        let room = Self { path: places.checks.join(id.to_string()) };
        room.clear()?;
        for name in ["home", "tmp"] {
            DirBuilder::new().recursive(true).mode(0o700).create(room.path.join(name))?;
        }
        Ok(room)
    }

    fn work(&self) -> PathBuf {
        self.path.join("work")
    }

    fn clear(&self) -> io::Result<()> {
        match remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        // A folder that cannot be removed now is removed before the next check of this name or start.
        drop(self.clear());
    }
}

/// Runs a check to its end; none when the switch ended it.
pub(super) fn run(
    job: &CheckJob,
    places: &CheckPlaces,
    switch: &Switch,
) -> Option<(Conclusion, CheckOutput)> {
    let room = match prepare(job, places) {
        Ok(room) => room,
        Err(error) => {
            let words = format!("The checkout could not be made: {error}");
            return Some((Conclusion::StartupFailure, output(job, "could not start", words)));
        }
    };
    let mut tail = Tail::default();
    let mut watch = Watch { time: job.definition.timeout, switch, monitor: None };
    let ended = launch::start(places, &job.definition.run, &room.path)
        .and_then(|process| process.follow(&mut watch, &mut |_stream, piece| tail.add(piece)));
    let ending = match ended {
        Ok(ending) => ending,
        Err(error) => {
            let words = format!("The command could not be started: {error}");
            return Some((Conclusion::StartupFailure, output(job, "could not start", words)));
        }
    };
    let log = tail.into_text();
    let failed = |status: i32| (Conclusion::Failure, format!("failed with exit status {status}"));
    let (conclusion, title) = match ending {
        Ending::Exited(0) => (Conclusion::Success, "passed".to_owned()),
        Ending::Exited(status) => failed(status),
        Ending::Signalled(signal) => failed(SIGNAL_STATUS_BASE + signal),
        Ending::TimedOut => {
            let limit = job.definition.timeout.as_secs();
            (Conclusion::TimedOut, format!("took longer than {limit} s"))
        }
        Ending::OverLimit(overrun) => (Conclusion::Failure, overrun.to_string()),
        Ending::Ended | Ending::Halted => return None,
    };
    let mut output = output(job, &title, log);
    if conclusion != Conclusion::Success {
        let work = room.work();
        let log = output.text.as_deref().unwrap_or_default();
        // A link that a check has made may lead anywhere.
        let is_own = |path: PathBuf| path.canonicalize().is_ok_and(|real| real.starts_with(&work));
        let is_file = |path: &Path| work.join(path).is_file() && is_own(work.join(path));
        output.annotations = annotations::find(log, is_file);
    }
    Some((conclusion, output))
}

fn output(job: &CheckJob, title: &str, text: String) -> CheckOutput {
    CheckOutput {
        title: Some(format!("{} {title}", job.definition.name)),
        summary: Some(format!("`{}` {title}", job.definition.run)),
        text: Some(text),
        annotations: Vec::new(),
    }
}

/// Makes a clean checkout with a separate git folder, so that a check cannot reach the forge's. Objects are sent as over a
/// network: a check could write through links, and a copy of the files fails over one that git makes and renames
/// meanwhile. The head is asked for by name, because no branch may lead to it by now.
fn prepare(job: &CheckJob, places: &CheckPlaces) -> io::Result<Room> {
    let room = Room::new(places, job.id)?;
    let (work, head) = (room.work(), job.head.to_string());
    let clone = ["clone", "--quiet", "--no-local", "--no-checkout", "--template="];
    let clone = clone.into_iter().map(Path::new).chain([job.bare.path(), work.as_path()]);
    succeed(Git::in_folder(&room.path, clone))?;
    succeed(Git::in_folder(&work, ["fetch", "--quiet", "--no-tags", "origin", head.as_str()]))?;
    succeed(Git::in_folder(&work, ["checkout", "--quiet", "--detach", head.as_str()]))?;
    succeed(Git::in_folder(&work, ["remote", "remove", "origin"]))?;
    Ok(room)
}

fn succeed(git: Git) -> io::Result<()> {
    let ended = git.run()?;
    if ended.status.success() { Ok(()) } else { Err(io::Error::other(ended.complaint)) }
}
