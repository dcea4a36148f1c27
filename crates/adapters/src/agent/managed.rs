//! The folder with the configuration of `OpenCode`, which Ralph rewrites at its start to what this version ships.

use crate::private_files;
use std::io;
use std::path::{Path, PathBuf};

/// The file that says a folder is Ralph's. A folder without it is never changed.
pub const MANAGED_MARKER: &str = ".ralph-managed-opencode";
const MARKER_TEXT: &str = "Ralph rewrites this folder at each start. Changes here are lost.\n";

/// The settings of every role. Permissions depend on the role and come with the turn.
const SETTINGS: &str = r#"{
  "$schema": "https://opencode.ai/config.json",
  "share": "disabled",
  "autoupdate": false,
  "plugin": [],
  "mcp": {},
  "instructions": []
}
"#;

/// The folder cannot be managed.
#[derive(Debug, thiserror::Error)]
pub enum NotManaged {
    #[error(
        "{} was not made by Ralph: it has no file {MANAGED_MARKER}, so it is left as it is", .0.display()
    )]
    Foreign(PathBuf),
    #[error("cannot write {}", folder.display())]
    Unwritable { folder: PathBuf, source: io::Error },
}

/// Makes the folder, or brings it to what this version ships. A folder of others is left alone.
pub fn make_opencode_folder(folder: &Path) -> Result<(), NotManaged> {
    let unwritable = |source| NotManaged::Unwritable { folder: folder.to_owned(), source };
    let is_empty = match folder.read_dir() {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(unwritable(error)),
    };
    let marker = folder.join(MANAGED_MARKER);
    if !is_empty && !marker.is_file() {
        return Err(NotManaged::Foreign(folder.to_owned()));
    }
    let rewrite = || {
        private_files::make_folder(folder)?;
        // First the marker: a folder that is half made is still Ralph's.
        private_files::write(&marker, MARKER_TEXT.as_bytes())?;
        for entry in folder.read_dir()? {
            let path = entry?.path();
            match path.symlink_metadata()?.is_dir() {
                _ if path == marker => {}
                true => std::fs::remove_dir_all(&path)?,
                false => std::fs::remove_file(&path)?,
            }
        }
        private_files::write(&folder.join("opencode.json"), SETTINGS.as_bytes())
    };
    rewrite().map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_folder_is_what_this_version_ships_after_each_start() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("opencode");
        make_opencode_folder(&folder).unwrap();
        fs::write(folder.join("opencode.json"), "{}").unwrap();
        fs::create_dir(folder.join("plugin")).unwrap();
        fs::write(folder.join("plugin/evil.js"), "x").unwrap();
        make_opencode_folder(&folder).unwrap();
        assert_eq!(fs::read_to_string(folder.join("opencode.json")).unwrap(), SETTINGS);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_of_others_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("opencode.json"), "mine").unwrap();
        let refused = make_opencode_folder(folder.path());
        assert!(matches!(refused, Err(NotManaged::Foreign(_))), "{refused:?}");
        assert_eq!(fs::read_to_string(folder.path().join("opencode.json")).unwrap(), "mine");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
