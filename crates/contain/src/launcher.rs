//! The start of contained processes: below a guard, and inside of Bubblewrap where that works.
//!
//! A guard is this program started again with a hidden subcommand ([`guard_main`](crate::guard_main)). It adopts the
//! orphans of its descendants, and ends all of them when its [lifeline](crate::lifeline) closes. The sandbox lies inside
//! of it, so that the processes in a sandbox have time to end in good order.

use crate::bubblewrap::Relay;
use crate::process::{NotStarted, Process, spawn_guard};
use crate::{Network, Spec, View, bubblewrap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Time beyond the grace period in which a guard has to be done, even on a busy machine.
const GUARD_MARGIN: Duration = Duration::from_secs(10);

/// The boundary around processes that run other people's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Containment {
    /// A sandbox made by this `bwrap`, below a guard.
    Bubblewrap(PathBuf),
    /// A guard alone. It ends the processes that a run leaves behind, unless these end the guard first; nothing else is
    /// confined.
    Guard,
    /// Nothing that needs a sandbox is started.
    Refused,
}

/// The program that runs [`guard_main`](crate::guard_main), and the arguments that make it do so.
#[derive(Debug, Clone)]
pub struct GuardProgram {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

/// The settings that all contained processes of a program have in common.
#[derive(Debug, Clone)]
pub struct Launcher {
    pub guard: GuardProgram,
    pub containment: Containment,
    /// Between the request to end and the kill.
    pub grace: Duration,
    /// The part of this machine that sandboxed processes see.
    pub view: View,
}

impl Launcher {
    /// The longest time that a process takes to end once it is asked to.
    #[must_use]
    pub const fn patience(&self) -> Duration {
        self.grace.saturating_add(GUARD_MARGIN)
    }

    /// Starts a process that runs other people's code, in a sandbox if there is one.
    pub fn confined(&self, spec: &Spec) -> Result<Process, NotStarted> {
        match &self.containment {
            Containment::Bubblewrap(program) => {
                let relay = match &spec.network {
                    Network::Proxy(door) => Some(Relay { program: &self.guard, door }),
                    Network::Host | Network::None => None,
                };
                let arguments = bubblewrap::arguments(spec, &self.view, relay.as_ref());
                let program = program.clone().into();
                self.start(&Spec { program, arguments, ..spec.clone() }, true)
            }
            Containment::Guard => self.guarded(spec),
            Containment::Refused => Err(NotStarted::Refused),
        }
    }

    /// Starts a process of our own that must not outlive this one. It is not confined.
    pub fn guarded(&self, spec: &Spec) -> Result<Process, NotStarted> {
        self.start(spec, false)
    }

    fn start(&self, spec: &Spec, is_sandboxed: bool) -> Result<Process, NotStarted> {
        let GuardProgram { program, mut arguments } = self.guard.clone();
        let grace_ms = self.grace.as_millis().to_string();
        arguments.extend(["--grace-ms".into(), grace_ms.into()]);
        arguments.extend(spec.limits.words());
        if is_sandboxed {
            arguments.push("--sandboxed".into());
        }
        arguments.extend(["--".into(), spec.program.clone()]);
        arguments.extend(spec.arguments.iter().cloned());
        let guard = Spec { program: program.into(), arguments, ..spec.clone() };
        spawn_guard(&guard, self.patience())
    }
}
