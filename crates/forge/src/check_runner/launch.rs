//! The containment of checks. Everyone who may write to a repository defines its checks, so a check runs in a sandbox, or
//! not at all unless the operator allows it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ralph_contain::{
    Access, Containment, Launcher, Network, NotStarted, Probe, Process, Spec, Stderr, View,
};

use super::CheckPlaces;
use crate::process::{program_path, user_home};
use crate::server::Options;

/// The reason why a check is not run, and the ways to change it.
const NO_SANDBOX: &str = "there is no sandbox for it; install bubblewrap, or start the forge with \
    --unsafe-checks, which lets everyone who may write to a repository run commands as you";

/// The launcher of checks: with a sandbox if one works here, and otherwise as the operator chose. A check that has to end
/// is killed at once.
pub(crate) fn launcher(options: &Options) -> Launcher {
    let path = program_path();
    let containment = match (Probe::run(Path::new("bwrap"), &path), options.unsafe_checks) {
        (Probe::Works(program), _) => Containment::Bubblewrap(program),
        (Probe::Absent | Probe::Fails(_), true) => Containment::Guard,
        (Probe::Absent | Probe::Fails(_), false) => Containment::Refused,
    };
    let view = View { path, user_home: user_home(), ..View::default() };
    Launcher { guard: options.guard.clone(), containment, grace: Duration::ZERO, view }
}

pub(crate) const fn network(options: &Options) -> Network {
    if options.checks_network { Network::Host } else { Network::None }
}

/// Starts a command for the shell in the folder `work` of a room, which has the folders `home` and `tmp` as well.
pub(super) fn start(places: &CheckPlaces, run: &str, room: &Path) -> io::Result<Process> {
    let mut spec = Spec::new("sh", &room.join("work")).arguments(["-c", run]);
    let mut set = |name: &str, value: PathBuf| spec.environment.insert(name.into(), value.into());
    set("PATH", places.launcher.view.path.clone().into());
    set("HOME", room.join("home"));
    set("TMPDIR", room.join("tmp"));
    set("LANG", "C.UTF-8".into());
    set("CI", "true".into());
    spec.stderr = Stderr::WithStdout;
    spec.network = places.network.clone();
    let (writable, hidden) = (vec![room.to_owned()], places.hidden.clone());
    spec.access = Access { writable, hidden, ..Access::default() };
    places.launcher.confined(&spec).map_err(|error| match error {
        NotStarted::Program { program, source } => {
            io::Error::new(source.kind(), format!("{program}: {source}"))
        }
        NotStarted::Refused => io::Error::other(NO_SANDBOX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_sandbox_nothing_is_run() {
        let launcher =
            Launcher { containment: Containment::Refused, ..launcher(&Options::default()) };
        let places = CheckPlaces {
            checks: PathBuf::new(),
            hidden: Vec::new(),
            launcher,
            network: Network::None,
        };
        let refused = start(&places, "true", Path::new("/")).unwrap_err();
        assert!(refused.to_string().contains("--unsafe-checks"));
    }
}
