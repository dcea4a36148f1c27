//! A folder held open. Nothing done through it follows a symbolic link, so that what an agent left in its
//! worktree cannot lead Ralph out of it.

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, mkdirat, openat, renameat, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

const FOLDER: OFlags =
    OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC).union(OFlags::RDONLY);
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

#[derive(Debug)]
pub(crate) struct Folder(OwnedFd);

impl Folder {
    /// Opens a folder by a path that is trusted: links on the way are followed.
    pub(crate) fn open_trusted(path: &Path) -> io::Result<Self> {
        let flags = FOLDER.difference(OFlags::NOFOLLOW);
        Ok(Self(rustix::fs::open(path, flags, Mode::empty())?))
    }

    /// Opens a folder in this one; a link there is an error.
    pub(crate) fn enter(&self, name: &str) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, FOLDER, Mode::empty())?))
    }

    /// Opens a folder in this one and makes it if it is missing.
    pub(crate) fn make(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.0, name, FOLDER_MODE) {
            Ok(()) | Err(Errno::EXIST) => self.enter(name),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes a file here, and replaces a file or link of this name.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let fresh = format!("{name}.ralph-new");
        self.unlink(&fresh)?;
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.0, &fresh, flags, FILE_MODE)?);
        file.write_all(bytes)?;
        if self.look(name)?.is_some_and(|stat| is_folder(&stat)) {
            self.remove_tree(name)?;
        }
        Ok(renameat(&self.0, &fresh, &self.0, name)?)
    }

    /// The beginning of a file here, at most `bytes_max` of it; a link or a pipe is an error or empty.
    pub(crate) fn read(&self, name: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.0, name, flags, Mode::empty())?);
        let mut bytes = Vec::new();
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Makes a link here. If something has this name already, that stays.
    pub(crate) fn link(&self, name: &str, target: &Path) -> io::Result<()> {
        match symlinkat(target, &self.0, name) {
            Ok(()) | Err(Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes what has this name, with everything in it. What is not there is removed already.
    pub(crate) fn remove_tree(&self, name: &str) -> io::Result<()> {
        match self.look(name)? {
            None => Ok(()),
            Some(stat) if !is_folder(&stat) => self.unlink(name),
            Some(_) => {
                let path = self.path_of(name);
                match std::fs::remove_dir_all(&path) {
                    Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                        open_up(&path)?;
                        std::fs::remove_dir_all(&path)
                    }
                    done => done,
                }
            }
        }
    }

    /// Removes a folder in this one if nothing is in it.
    pub(crate) fn remove_if_empty(&self, name: &str) {
        match unlinkat(&self.0, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(_) => {}
        }
    }

    /// Moves a folder in this one to another place.
    pub(crate) fn rename_to(&self, name: &str, to: &Self, new_name: &str) -> io::Result<()> {
        Ok(renameat(&self.0, name, &to.0, new_name)?)
    }

    /// A path that leads through the open folder, wherever its name points by now.
    fn path_of(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}/{name}", self.0.as_raw_fd()))
    }

    fn unlink(&self, name: &str) -> io::Result<()> {
        match unlinkat(&self.0, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn look(&self, name: &str) -> io::Result<Option<Stat>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn is_folder(stat: &Stat) -> bool {
    FileType::from_raw_mode(stat.st_mode) == FileType::Directory
}

/// Some tools write-protect their folders; what is to be removed has to be writable.
fn open_up(path: &Path) -> io::Result<()> {
    let metadata = path.symlink_metadata()?;
    if metadata.is_dir() {
        let mut permissions = metadata.permissions();
        permissions.set_mode(permissions.mode() | FOLDER_MODE.bits());
        std::fs::set_permissions(path, permissions)?;
        for entry in path.read_dir()? {
            open_up(&entry?.path())?;
        }
    }
    Ok(())
}
