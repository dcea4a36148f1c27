//! A folder of a test's own. It is removed at the end of the test, unless something is mounted below it: what is removed
//! through a mount is not the test's.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) struct Folder(Option<TempDir>);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("ralph-test-").tempdir();
        Self(Some(folder.expect("a folder")))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.as_ref().expect("it is there until the end").path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let Some(folder) = self.0.take() else { return };
        if let Err(why) = may_be_removed(folder.path()) {
            let kept = folder.keep();
            drop(writeln!(io::stderr(), "{} is not removed: {why}", kept.display()));
        }
    }
}

/// Says why a folder must not be removed. What cannot be found out is a reason too.
fn may_be_removed(folder: &Path) -> io::Result<()> {
    let folder = folder.canonicalize()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    if let Some(mount) = mounted_below(&folder, &mounts) {
        return Err(io::Error::other(format!("{} is mounted", mount.display())));
    }
    let device = folder.symlink_metadata()?.dev();
    is_on(device, &folder)
}

/// A mount point at or below a folder, by the lines of `mountinfo`.
fn mounted_below(folder: &Path, mounts: &str) -> Option<PathBuf> {
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    points.map(unescaped).find(|point| point.starts_with(folder))
}

/// Spaces, tabs, ends of lines and backslashes are written as `\` and three octal digits.
fn unescaped(field: &str) -> PathBuf {
    let codes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    codes.iter().fold(field.to_owned(), |text, (code, sign)| text.replace(code, sign)).into()
}

/// Whether everything from this path on is on one file system. Links are not followed.
fn is_on(device: u64, path: &Path) -> io::Result<()> {
    let found = path.symlink_metadata()?;
    if found.dev() != device {
        return Err(io::Error::other(format!("{} is on another file system", path.display())));
    }
    if found.is_dir() {
        for entry in fs::read_dir(path)? {
            is_on(device, &entry?.path())?;
        }
    }
    Ok(())
}

#[test]
fn a_folder_is_removed_at_its_end() {
    let folder = Folder::new();
    let path = folder.path().to_owned();
    fs::create_dir(path.join("below")).expect("a folder");
    std::os::unix::fs::symlink("/proc", path.join("below/link")).expect("a link");
    drop(folder);
    assert!(!path.exists());
}

#[test]
fn a_mount_at_or_below_a_folder_keeps_it() {
    let folder = Path::new("/tmp/a b");
    let line =
        |point: &str| format!("36 35 98:0 / {point} rw,noatime master:1 - ext4 /dev/root rw\n");
    for (point, is_below) in [
        ("/tmp/a\\040b", true),
        ("/tmp/a\\040b/m", true),
        ("/tmp/a\\040bc", false),
        ("/tmp", false),
        ("/", false),
    ] {
        assert_eq!(
            mounted_below(folder, &(line("/proc") + &line(point))).is_some(),
            is_below,
            "{point}"
        );
    }
}

#[test]
fn another_file_system_keeps_it() {
    let folder = Folder::new();
    fs::write(folder.path().join("file"), "x").expect("a file");
    let device = folder.path().metadata().expect("metadata").dev();
    assert!(is_on(device, folder.path()).is_ok());
    assert!(is_on(device + 1, folder.path()).is_err());
    // A mount point of the machine stands for one below the folder.
    assert!(is_on(device, Path::new("/proc")).is_err());
    assert!(may_be_removed(Path::new("/proc")).is_err());
}
