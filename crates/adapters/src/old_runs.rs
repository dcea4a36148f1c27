//! Folders of runs that are over and were kept for long enough. Only what has the name and the place of a run's
//! folder is looked at, and no link is followed.

use crate::folder::Folder;
use ralph_core::time::Time;
use std::collections::BTreeSet;
use std::fs::{self, DirEntry};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A run by its folder: its id, and the key of its repository.
pub type RunName = (String, String);

/// Removes the folders below `runs` in which nothing was written since `before`, but for those in `kept`. Gives how
/// many.
pub(crate) fn forget(runs: &Path, kept: &BTreeSet<RunName>, before: Time) -> io::Result<usize> {
    let top = match Folder::open_trusted(runs) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        opened => opened?,
    };
    let mut gone = 0;
    for name in folders(runs)?.into_iter().filter(|name| is_run(name)) {
        let path = runs.join(&name);
        let run = top.enter(&name)?;
        for repo in folders(&path)? {
            if kept.contains(&(name.clone(), repo.clone())) || !is_older(&path.join(&repo), before)?
            {
                continue;
            }
            run.remove_tree(&repo)?;
            gone += 1;
        }
        top.remove_if_empty(&name);
    }
    Ok(gone)
}

/// Written `<issue>-<n>`?
fn is_run(name: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    name.split_once('-').is_some_and(|(issue, run)| is_number(issue) && is_number(run))
}

/// The folders in this one, links left out.
fn folders(path: &Path) -> io::Result<Vec<String>> {
    let is_folder = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let entries: Vec<_> = path.read_dir()?.collect::<io::Result<_>>()?;
    let names = entries.iter().filter(|entry| is_folder(entry)).map(DirEntry::file_name);
    Ok(names.filter_map(|name| name.into_string().ok()).collect())
}

/// Was nothing put into this folder, or into one right below it, since then?
fn is_older(path: &Path, before: Time) -> io::Result<bool> {
    let is_old =
        |path: &Path| Ok::<_, io::Error>(fs::symlink_metadata(path)?.mtime() < before.0 / 1_000);
    for entry in path.read_dir()? {
        if !is_old(&entry?.path())? {
            return Ok(false);
        }
    }
    is_old(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::time::{Duration, SystemTime};

    const THEN: Time = Time(1_704_067_200_000);

    /// Everything at this place and below was written a day before or after then.
    fn date(path: &Path, is_old: bool) {
        let secs = u64::try_from(THEN.0 / 1_000).unwrap();
        let secs = if is_old { secs - 86_400 } else { secs + 86_400 };
        for entry in path.read_dir().into_iter().flatten() {
            let path = entry.unwrap().path();
            if !path.is_symlink() {
                date(&path, is_old);
            }
        }
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(secs);
        fs::File::open(path).unwrap().set_modified(at).unwrap();
    }

    fn run(runs: &Path, name: &str, is_old: bool) -> PathBuf {
        let path = runs.join(name);
        fs::create_dir_all(path.join("4-implement")).unwrap();
        fs::write(path.join("4-implement/prompt.txt"), "do it").unwrap();
        date(&path, is_old);
        path
    }

    #[test]
    fn only_old_folders_of_runs_that_nobody_needs_go() {
        let home = tempfile::tempdir().unwrap();
        let (runs, precious) = (home.path().join("runs"), home.path().join("precious"));
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), "mine").unwrap();
        let old = run(&runs, "1-1/acme__widgets", true);
        std::os::unix::fs::symlink(&precious, old.join("4-implement/link")).unwrap();
        date(&old, true);
        let kept = run(&runs, "1-1/acme__gadgets", true);
        let young = run(&runs, "2-1/acme__widgets", false);
        let alive = run(&runs, "3-1/acme__widgets", true);
        date(&alive.join("4-implement"), false);
        let foreign = run(&runs, "notes/acme__widgets", true);
        let last = run(&runs, "4-2/acme__widgets", true);
        std::os::unix::fs::symlink(&precious, runs.join("5-1")).unwrap();
        let names = BTreeSet::from([("1-1".to_owned(), "acme__gadgets".to_owned())]);
        assert_eq!(forget(&runs, &names, THEN).unwrap(), 2);
        for (path, is_there) in [
            (old, false),
            (last, false),
            (kept, true),
            (young, true),
            (alive, true),
            (foreign, true),
        ] {
            assert_eq!(path.exists(), is_there, "{}", path.display());
        }
        assert!(!runs.join("4-2").exists(), "what is empty goes too");
        assert_eq!(fs::read_to_string(runs.join("5-1/file")).unwrap(), "mine");
        assert_eq!(forget(&home.path().join("none"), &names, THEN).unwrap(), 0);
    }
}
