//! Login files of the operator in the private home of a turn: a link at the place where the program looks, and the file
//! itself in the sandbox.

use super::program::LoginFile;
use crate::folder::Folder;
use crate::private_files::read_untrusted;
use ralph_core::ids::{Attempt, IssueKey};
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Longer than any login file of a known program.
const LOGIN_BYTES_MAX: u64 = 256 * 1024;

/// Login files that a program may refresh, each with the turn that uses it now. A refreshed token makes the one before it
/// worthless, so two turns at a time would log each other out.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts(Arc<Mutex<BTreeMap<PathBuf, (IssueKey, Attempt)>>>);

/// The use of login files by one turn, which ends with it.
#[derive(Debug)]
pub(super) struct InUse {
    accounts: Accounts,
    files: Vec<PathBuf>,
}

impl Accounts {
    /// Takes the login files for a turn. `Err` names one that another turn uses.
    pub(super) fn take(
        &self,
        logins: &[LoginFile],
        who: (&IssueKey, Attempt),
    ) -> Result<InUse, PathBuf> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let who = (who.0.clone(), who.1);
        let refreshed = logins.iter().filter(|login| login.is_refreshed).map(|login| &login.path);
        let files: Vec<PathBuf> = refreshed.cloned().collect();
        let other = files.iter().find(|file| all.get(*file).is_some_and(|user| *user != who));
        if let Some(other) = other {
            return Err(other.clone());
        }
        let is_new = |file: &PathBuf| !all.contains_key(file);
        let files: Vec<PathBuf> = files.into_iter().filter(is_new).collect();
        all.extend(files.iter().map(|file| (file.clone(), who.clone())));
        Ok(InUse { accounts: self.clone(), files })
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut all = self.accounts.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|file, _| !self.files.contains(file));
    }
}

/// Writes a file into the private home. Links that an earlier turn left on the way are removed.
pub(super) fn write(home: &Path, place: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = enter(home, place)?;
    folder.write(&name, bytes)
}

/// Puts a link to each login file into the private home.
pub(super) fn link(home: &Path, logins: &[LoginFile]) -> io::Result<()> {
    for login in logins {
        let (folder, name) = enter(home, &login.place)?;
        folder.remove_tree(&name)?;
        folder.link(&name, &login.path)?;
    }
    Ok(())
}

/// Copies what a program wrote in the place of a link back into the login file: some programs replace a file where others
/// write into it, and the refreshed token must not be lost.
pub(super) fn bring_back(home: &Path, logins: &[LoginFile]) -> io::Result<()> {
    for login in logins.iter().filter(|login| login.is_refreshed) {
        let (folder, name) = enter(home, &login.place)?;
        // The link itself is no file, and is not followed.
        let Ok(bytes) = folder.read(&name, LOGIN_BYTES_MAX) else { continue };
        let is_login = serde_json::from_slice::<serde_json::Value>(&bytes).is_ok();
        let old = read_untrusted(&login.path, LOGIN_BYTES_MAX);
        if is_login && old.as_ref() != Some(&bytes) {
            // In place, with its owner and mode. The program does no better.
            let mut file =
                std::fs::OpenOptions::new().write(true).truncate(true).open(&login.path)?;
            file.write_all(&bytes)?;
        }
    }
    Ok(())
}

/// The folder of a file in the private home, made if it is missing, and the name of the file.
fn enter(home: &Path, place: &Path) -> io::Result<(Folder, String)> {
    let mut names = place.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => {
            None
        }
    });
    let name = names.next_back().ok_or_else(|| io::Error::other("a file without a name"))?;
    let mut folder = Folder::open_trusted(home)?;
    for part in names {
        folder = match folder.make(part) {
            Ok(inner) => inner,
            // A link or a file that a turn left here.
            Err(_) => {
                folder.remove_tree(part)?;
                folder.make(part)?
            }
        };
    }
    Ok((folder, name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::ids::RepoName;
    use std::fs;

    fn login(folder: &Path, is_refreshed: bool) -> LoginFile {
        let (path, place) = (folder.join("auth.json"), PathBuf::from(".codex/auth.json"));
        LoginFile { path, place, is_refreshed }
    }

    #[test]
    fn a_login_that_is_refreshed_serves_one_turn_at_a_time() {
        let accounts = Accounts::default();
        let logins = [login(Path::new("/srv"), true)];
        let issue = |number| IssueKey::new(RepoName::parse("acme/widgets").unwrap(), number);
        let first = accounts.take(&logins, (&issue(7), Attempt(1))).unwrap();
        let other = accounts.take(&logins, (&issue(8), Attempt(1)));
        assert_eq!(other.unwrap_err(), Path::new("/srv/auth.json"));
        let again = accounts.take(&logins, (&issue(7), Attempt(1))).expect("the same turn");
        drop(again);
        assert!(accounts.take(&logins, (&issue(8), Attempt(1))).is_err(), "the first one uses it");
        drop(first);
        assert!(accounts.take(&logins, (&issue(8), Attempt(1))).is_ok());
        let lasting = [login(Path::new("/srv"), false)];
        assert!(accounts.take(&lasting, (&issue(9), Attempt(1))).is_ok(), "nobody refreshes it");
    }

    #[test]
    fn a_refreshed_login_reaches_the_operators_file_however_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        fs::create_dir(&home).unwrap();
        fs::write(folder.path().join("auth.json"), r#"{"token":1}"#).unwrap();
        let logins = [login(folder.path(), true)];
        let place = home.join(".codex/auth.json");
        let stored = || fs::read_to_string(folder.path().join("auth.json")).unwrap();
        link(&home, &logins).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), r#"{"token":1}"#);
        fs::write(&place, r#"{"token":2}"#).unwrap();
        bring_back(&home, &logins).unwrap();
        assert_eq!(stored(), r#"{"token":2}"#, "written through the link");
        fs::write(home.join("new"), r#"{"token":3}"#).unwrap();
        fs::rename(home.join("new"), &place).unwrap();
        bring_back(&home, &logins).unwrap();
        assert_eq!(stored(), r#"{"token":3}"#, "replaced");
        fs::remove_file(&place).unwrap();
        fs::write(&place, "no login").unwrap();
        bring_back(&home, &logins).unwrap();
        assert_eq!(stored(), r#"{"token":3}"#, "what is no login stays out");
    }

    #[test]
    fn a_link_that_a_turn_planted_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (home, outside) = (folder.path().join("home"), folder.path().join("outside"));
        fs::create_dir(&home).unwrap();
        fs::create_dir(&outside).unwrap();
        std::os::unix::fs::symlink(&outside, home.join(".codex")).unwrap();
        write(&home, Path::new(".codex/config.toml"), b"x").unwrap();
        assert_eq!(fs::read(home.join(".codex/config.toml")).unwrap(), b"x");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    }
}
