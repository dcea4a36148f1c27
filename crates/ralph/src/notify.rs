//! The notification of a running daemon that something waits in its inbox. The sender never waits and needs no answer,
//! because the row in the inbox is what counts.

use crate::home::{Home, SOCKET};
use ralph_engine::store::Store;
use std::fmt;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The shortest limit among the systems we know for the path of a socket, its closing zero included.
const SOCKET_PATH_BYTES_MAX: usize = 104;

/// Notifies the daemon of this home. Returns whether there is one.
#[must_use]
pub fn notify(home: &Home) -> bool {
    let send = |path: &Path| {
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        match socket.send_to(&[1], path) {
            Ok(_) => Ok(()),
            // So many notifications wait already that another would say nothing new.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    };
    within_reach(home, send).is_ok()
}

/// Looks between two of these, and how often it is looked: two seconds in all.
const LOOK_PAUSE: Duration = Duration::from_millis(50);
const LOOKS_MAX: u32 = 40;

/// Waits a moment for the result of a notified daemon.
pub fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> Option<T> {
    // Nothing is ever sent: the time-out is the pause.
    let (_sender, never) = std::sync::mpsc::channel::<()>();
    for _ in 0..LOOKS_MAX {
        if let Some(found) = look() {
            return Some(found);
        }
        if never.recv_timeout(LOOK_PAUSE).is_ok() {
            break;
        }
    }
    None
}

/// The daemon's listener. The socket goes with it.
#[derive(Debug)]
pub struct NotificationListener {
    socket: UnixDatagram,
    path: PathBuf,
    is_gone: AtomicBool,
}

/// The reason why there is no listener for notifications.
#[derive(Debug)]
pub enum ListenError {
    /// Only the store's writer may listen, or two would share one socket.
    NotTheWriter {
        home: PathBuf,
    },
    NotASocket {
        path: PathBuf,
    },
    System {
        path: PathBuf,
        source: io::Error,
    },
}

/// Begins to listen. The open store is the proof that no other daemon of this home runs, so that a socket
/// that is there was left behind and may be replaced.
pub fn listen(home: &Home, writer: &Store) -> Result<NotificationListener, ListenError> {
    let path = home.socket();
    let failed = |source| ListenError::System { path: path.clone(), source };
    if writer.path() != Some(home.store().as_path()) {
        return Err(ListenError::NotTheWriter { home: home.path().to_owned() });
    }
    match fs::symlink_metadata(&path) {
        Ok(found) if found.file_type().is_socket() => fs::remove_file(&path).map_err(failed)?,
        Ok(_) => return Err(ListenError::NotASocket { path }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
    }
    let socket = within_reach(home, |path| UnixDatagram::bind(path)).map_err(failed)?;
    fs::set_permissions(&path, Permissions::from_mode(0o600)).map_err(failed)?;
    Ok(NotificationListener { socket, path, is_gone: AtomicBool::new(false) })
}

impl NotificationListener {
    /// Waits for a notification, for at most this long if a limit is given. Returns whether there was one; several at
    /// once count as one.
    pub fn wait(&self, limit: Option<Duration>) -> io::Result<bool> {
        self.socket.set_read_timeout(limit)?;
        let mut byte = [0_u8];
        match self.socket.recv(&mut byte) {
            Ok(_) => {}
            Err(error) if is_no_news(&error) => return Ok(false),
            Err(error) => return Err(error),
        }
        self.socket.set_nonblocking(true)?;
        while self.socket.recv(&mut byte).is_ok() {}
        self.socket.set_nonblocking(false)?;
        Ok(true)
    }

    /// Removes the socket, once. Later there may be the socket of another daemon.
    pub fn leave(&self) {
        if !self.is_gone.swap(true, Ordering::Relaxed) {
            // One that stays behind is replaced by the next daemon.
            drop(fs::remove_file(&self.path));
        }
    }
}

fn is_no_news(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

impl Drop for NotificationListener {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Does something with the path of the socket. One that is too long for a socket is reached through the open
/// folder, where the system offers that.
fn within_reach<T>(home: &Home, use_it: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let path = home.socket();
    if path.as_os_str().len() < SOCKET_PATH_BYTES_MAX {
        return use_it(&path);
    }
    let folder = File::open(home.path())?;
    use_it(&PathBuf::from(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd())))
}

impl fmt::Display for ListenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTheWriter { home } => {
                write!(f, "only the writer of the store in {} may listen there", home.display())
            }
            Self::NotASocket { path } => {
                write!(f, "{} is in the way and is no socket; move it away", path.display())
            }
            Self::System { path, .. } => {
                write!(f, "the socket {} could not be made", path.display())
            }
        }
    }
}

impl std::error::Error for ListenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::System { source, .. } => Some(source),
            Self::NotTheWriter { .. } | Self::NotASocket { .. } => None,
        }
    }
}
