//! The configuration on disk: written whole or not at all, for its owner alone.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

/// Replaces the file, or the one that a link leads to, in one step. Its mode is 0600, that of a new folder 0700.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A temporary file has mode 0600 from its beginning.
    let mut file = tempfile::Builder::new().prefix(".config-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_link_is_kept_and_its_target_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("real.toml"), folder.path().join("config.toml"));
        fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let deep = folder.path().join("a/b/config.toml");
        write(&deep, "x").unwrap();
        let mode = deep.parent().unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}
