//! The program that the tests start in place of `ralph`: the guard, and a starter that is there to be killed.
#![expect(clippy::print_stdout, reason = "the test reads what this prints")]

use ralph_contain::{Containment, GuardProgram, Input, Launcher, Spec, View, guard_main};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(OsStr::to_str) {
        Some("guard") => guard_main(arguments),
        Some("start") => {
            start(&arguments.collect::<Vec<_>>()).map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
        }
        _other => ExitCode::FAILURE,
    }
}

/// Starts a script in a folder, says hello to it, and passes its answers on: `<folder> <PATH> <script> [bwrap]`.
fn start(arguments: &[OsString]) -> Option<()> {
    let [folder, path, script, bubblewrap @ ..] = arguments else { return None };
    let program = std::env::current_exe().ok()?;
    let launcher = Launcher {
        guard: GuardProgram { program, arguments: vec!["guard".into()] },
        containment: bubblewrap
            .first()
            .map_or(Containment::Guard, |program| Containment::Bubblewrap(program.into())),
        grace: Duration::from_millis(200),
        view: View { path: path.clone(), ..View::default() },
    };
    let mut spec = Spec::new("sh", Path::new(folder)).arguments([OsStr::new("-c"), script]);
    spec.environment.insert("PATH".into(), path.clone());
    spec.access.writable.push(folder.into());
    spec.input = Input::Piped;
    let mut process = launcher.confined(&spec).ok()?;
    process.stdin.as_mut()?.write_all(b"hello\n").ok()?;
    for line in BufReader::new(process.stdout.take()?).lines() {
        println!("{}", line.ok()?);
    }
    Some(())
}
