//! The boundary between this machine and the processes that Ralph starts, for every command that starts some or reports
//! on it.

use crate::config::SandboxRule;
use crate::daemon_status::SandboxState;
use ralph_contain::{Containment, GuardProgram, Launcher, Probe, View};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between the request to end and the kill.
const GRACE: Duration = Duration::from_secs(5);

/// Said wherever Ralph works without a sandbox.
pub(crate) const OFF: &str = "the sandbox is off ([agent] sandbox): agents, setup and preflight can read and change \
                              whatever this user can, Ralph's token, settings and store included, and can leave \
                              processes behind";

/// The state of the sandbox around agents and commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sandbox {
    Works(PathBuf),
    /// The operator does without.
    Off,
    Missing(Missing),
}

/// No sandbox works here, and the operator has not said to do without.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) why: String,
    /// The ways to change it.
    pub(crate) next: &'static str,
}

impl Sandbox {
    /// Looks, if it is wanted. `path` is where programs are looked for.
    pub(crate) fn find(rule: SandboxRule, path: &OsStr) -> Self {
        match rule {
            SandboxRule::Off => Self::Off,
            SandboxRule::On => match Probe::run(Path::new("bwrap"), path) {
                Probe::Works(program) => Self::Works(program),
                Probe::Absent => Self::Missing(Missing {
                    why: "there is no program `bwrap` on the PATH".to_owned(),
                    next: "install bubblewrap, or set sandbox = \"off\" in [agent] to work without one; then \
                           start Ralph again",
                }),
                Probe::Fails(why) => Self::Missing(Missing {
                    why: format!("bubblewrap does not work here: {why}"),
                    next: "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, \
                           kernel.apparmor_restrict_unprivileged_userns=0, user.max_user_namespaces above 0), or \
                           set sandbox = \"off\" in [agent] to work without one; then start Ralph again",
                }),
            },
        }
    }

    pub(crate) const fn state(&self) -> SandboxState {
        match self {
            Self::Works(_) => SandboxState::On,
            Self::Off => SandboxState::Off,
            Self::Missing(_) => SandboxState::Missing,
        }
    }
}

impl Missing {
    /// The consequences, and the ways to change it.
    pub(crate) fn says(&self) -> String {
        let Self { why, next } = self;
        format!("{why}, so no issue is claimed and nothing is started; {next}")
    }
}

/// Starts processes below `executable`, which is this program, as their guard.
pub(crate) fn launcher(executable: PathBuf, sandbox: &Sandbox, view: View) -> Launcher {
    let containment = match sandbox {
        Sandbox::Works(program) => Containment::Bubblewrap(program.clone()),
        Sandbox::Off | Sandbox::Missing(_) => Containment::Guard,
    };
    Launcher { guard: guard(executable), containment, grace: GRACE, view }
}

/// This program as a guard.
pub(crate) fn guard(executable: PathBuf) -> GuardProgram {
    GuardProgram { program: executable, arguments: vec!["guard".into()] }
}
