//! A bare repository's own files: made, made whole again, and freed of what dead processes left.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use crate::clock::Deadline;

/// All that a repository is set to. Format 0 is SHA-1 with references as files.
const CONFIG: &str = "[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
[uploadpack]
\tallowAnySHA1InWant = true
\tallowFilter = true
";

const FOLDERS: [&str; 4] = ["objects/info", "objects/pack", "refs/heads", "refs/tags"];

/// Git that outlived a killed server ends within milliseconds, because its input has ended.
const ORPHANS_PATIENCE: Duration = Duration::from_millis(500);
const ORPHANS_PAUSE: Duration = Duration::from_millis(10);

/// Makes the files that git needs to see a repository, where they are missing or damaged. What is
/// well stays as it is.
pub(crate) fn make_whole(path: &Path) -> io::Result<()> {
    for folder in FOLDERS {
        let folder = path.join(folder);
        for parent in [folder.parent().unwrap_or(path), &folder] {
            if parent.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
                std::fs::remove_file(parent)?;
            }
        }
        std::fs::create_dir_all(folder)?;
    }
    let head = std::fs::read(path.join("HEAD")).unwrap_or_default();
    if !head.starts_with(b"ref: refs/heads/") || !head.ends_with(b"\n") {
        replace(&path.join("HEAD"), b"ref: refs/heads/main\n")?;
    }
    if std::fs::read(path.join("config")).ok().as_deref() != Some(CONFIG.as_bytes()) {
        replace(&path.join("config"), CONFIG.as_bytes())?;
    }
    Ok(())
}

/// Puts a file in the place of whatever is there.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        std::fs::remove_dir_all(path)?;
    }
    let beside = path.with_extension("new");
    std::fs::write(&beside, content)?;
    std::fs::rename(&beside, path)
}

/// Frees every repository of a folder from what a killed server and its git left: locks, files that
/// were never finished. Call it before any git runs there.
pub(crate) fn recover(folder: &Path) -> io::Result<()> {
    let mut repositories = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "git") && path.is_dir() {
            repositories.push(path);
        }
    }
    let locks = |repositories: &[PathBuf]| repositories.iter().flat_map(|path| locks(path)).count();
    let deadline = Deadline::after(ORPHANS_PATIENCE);
    // The git of another process does not report its end.
    let (_silent, ending) = mpsc::channel::<()>();
    while locks(&repositories) > 0 && !deadline.left().is_zero() {
        if ending.recv_timeout(ORPHANS_PAUSE).is_ok() {
            break;
        }
    }
    for path in &repositories {
        remove_locks(path);
        remove_unfinished(path);
    }
    Ok(())
}

/// Removes the locks of git that has ended. Only one thread has git write references, so whenever
/// that thread is here no lock is alive.
pub(crate) fn remove_locks(path: &Path) {
    for lock in locks(path) {
        // A lock that stays shows when git meets it.
        drop(std::fs::remove_file(lock));
    }
}

/// No reference's name ends so: git forbids it for this reason.
fn locks(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![path.join("refs"), path.join("name-trial/refs")];
    let top = [path.to_owned(), path.join("name-trial"), path.join("objects/info")];
    for folder in &top {
        found.extend(files(folder).into_iter().filter(|file| is_lock(file)));
    }
    while let Some(folder) = open.pop() {
        for entry in files(&folder) {
            match entry.symlink_metadata() {
                Ok(about) if about.is_dir() => open.push(entry),
                Ok(_) | Err(_) if is_lock(&entry) => found.push(entry),
                Ok(_) | Err(_) => {}
            }
        }
    }
    found
}

fn is_lock(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "lock")
}

/// Removes what a push or a repacking that broke off has left.
fn remove_unfinished(path: &Path) {
    let objects = path.join("objects");
    let inner = files(&objects).into_iter().flat_map(|folder| files(&folder));
    for file in inner.chain(files(&objects)) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("tmp_") || name.starts_with(".tmp-") {
            // What cannot be removed only takes room.
            drop(std::fs::remove_file(&file));
            drop(std::fs::remove_dir_all(&file));
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(Result::ok).map(|entry| entry.path()).collect()
}

/// Removes every reference, to be written again.
pub(crate) fn forget_references(path: &Path) -> io::Result<()> {
    for place in ["refs", "packed-refs", "HEAD", "config"] {
        let place = path.join(place);
        let removed = match place.symlink_metadata() {
            Ok(found) if found.is_dir() => std::fs::remove_dir_all(&place),
            Ok(_) => std::fs::remove_file(&place),
            Err(_absent) => Ok(()),
        };
        removed?;
    }
    make_whole(path)
}
