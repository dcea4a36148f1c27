//! Containment: whatever an agent or a command starts, daemons included, dies with its run and with Ralph.
//!
//! Every such process runs below a guard, which is Ralph started again with a hidden subcommand. The guard
//! adopts what its descendants leave behind and holds the reading end of a pipe to Ralph; when that pipe
//! closes, because the end is wanted or because Ralph is gone, it ends everything below it. Where Bubblewrap
//! works the guard runs it: then the processes have a process namespace of their own, which goes as a whole,
//! see what [`View`] names, and can write in their own folders only.

mod bubblewrap;
mod keeper;
mod view;

pub use bubblewrap::Probe;
pub use keeper::main;
pub use view::View;
pub(crate) use view::paths_in;

use crate::command::{Input, Invocation};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Time beyond the grace period in which a guard has to be done, even on a busy machine.
const GUARD_MARGIN: Duration = Duration::from_secs(10);

/// What keeps processes from outliving their run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// A process namespace of their own, a view of the machine that shows no secrets, and nothing writable but
    /// their own folders.
    Bubblewrap,
    /// A guard process alone. It ends what a run leaves behind, as long as that does not end the guard: nothing
    /// else is confined.
    Guard,
}

/// How processes are contained.
#[derive(Debug, Clone)]
pub struct GuardSettings {
    /// The program that runs [`main`], and the arguments that make it do so.
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// The answer of [`Probe`]; `None` to do without.
    pub bubblewrap: Option<PathBuf>,
    /// Between the request to end and the kill.
    pub grace: Duration,
    /// What contained processes see of this machine.
    pub view: View,
}

/// The folders of a run that a contained process may write in or read, beside what every one sees.
#[derive(Debug, Clone, Default)]
pub(crate) struct Room {
    pub(crate) writable: Vec<PathBuf>,
    /// Needed inside of what is hidden.
    pub(crate) readable: Vec<PathBuf>,
    /// Folders of which nothing else is seen.
    pub(crate) hidden: Vec<PathBuf>,
    /// Files and folders that the operator's command names.
    pub(crate) named: Vec<PathBuf>,
}

#[derive(Debug, Clone)]
pub(crate) struct Guard {
    settings: GuardSettings,
}

impl Guard {
    pub(crate) const fn new(settings: GuardSettings) -> Self {
        Self { settings }
    }

    pub(crate) const fn containment(&self) -> Containment {
        match self.settings.bubblewrap {
            Some(_) => Containment::Bubblewrap,
            None => Containment::Guard,
        }
    }

    /// How long a guard that was asked to end may take.
    pub(crate) const fn patience(&self) -> Duration {
        self.settings.grace.saturating_add(GUARD_MARGIN)
    }

    /// The same command below a guard, confined to its room where that is possible.
    pub(crate) fn confined(&self, invocation: Invocation, room: &Room) -> Invocation {
        let Some(bubblewrap) = &self.settings.bubblewrap else { return self.guarded(invocation) };
        let words = bubblewrap::arguments(&invocation, room, &self.settings.view);
        let inner = Invocation { program: bubblewrap.into(), arguments: words, ..invocation };
        self.wrap(inner, true)
    }

    /// The same command below a guard.
    pub(crate) fn guarded(&self, invocation: Invocation) -> Invocation {
        self.wrap(invocation, false)
    }

    fn wrap(&self, inner: Invocation, is_sandboxed: bool) -> Invocation {
        let mut arguments = self.settings.arguments.clone();
        let grace_ms = self.settings.grace.as_millis().to_string();
        arguments.extend(["--grace-ms".into(), grace_ms.into()]);
        if let Input::File(path) = inner.input {
            arguments.extend(["--input".into(), path.into()]);
        }
        if is_sandboxed {
            arguments.push("--sandboxed".into());
        }
        arguments.extend(["--".into(), inner.program]);
        arguments.extend(inner.arguments);
        Invocation {
            program: self.settings.program.clone().into(),
            arguments,
            directory: inner.directory,
            environment: inner.environment,
            input: Input::Lifeline,
        }
    }
}
