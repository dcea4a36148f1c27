//! The description of a process: everything it depends on. Nothing is inherited.

use crate::{Limits, ProxyDoor};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A process to start.
#[derive(Debug, Clone)]
pub struct Spec {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    pub environment: BTreeMap<OsString, OsString>,
    pub input: Input,
    pub stderr: Stderr,
    pub network: Network,
    pub access: Access,
    pub limits: Limits,
}

/// The standard input of a process.
#[derive(Debug, Clone)]
pub enum Input {
    /// `/dev/null`.
    Null,
    File(PathBuf),
    /// A pipe, whose other end is [`Process::stdin`](crate::Process::stdin).
    Piped,
}

/// The standard error of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stderr {
    /// A pipe.
    Piped,
    /// The same pipe as standard output, so that the order of lines is kept.
    WithStdout,
}

/// The network that a sandboxed process reaches. Without a sandbox it is that of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Network {
    /// The network of the machine.
    Host,
    /// A separate loopback device, on which it finds the way to a [`Proxy`](crate::Proxy).
    Proxy(ProxyDoor),
    /// An unconnected loopback device, and nothing else.
    None,
}

/// The files that a sandboxed process sees beside its [`View`](crate::View).
#[derive(Debug, Clone, Default)]
pub struct Access {
    pub writable: Vec<PathBuf>,
    /// Shown although they lie in a hidden folder.
    pub readable: Vec<PathBuf>,
    /// Folders that are empty except for what is writable or readable in them.
    pub hidden: Vec<PathBuf>,
    /// Files and folders that the operator's command names, shown unless they are hidden.
    pub named: Vec<PathBuf>,
}

impl Spec {
    /// A program without arguments, variables, input and limits, on the network of the machine.
    pub fn new(program: impl AsRef<OsStr>, directory: &Path) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            directory: directory.to_owned(),
            environment: BTreeMap::new(),
            input: Input::Null,
            stderr: Stderr::Piped,
            network: Network::Host,
            access: Access::default(),
            limits: Limits::default(),
        }
    }

    #[must_use]
    pub fn arguments<T: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = T>) -> Self {
        self.arguments.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }
}
