//! Programs that Ralph needs or makes use of.

use super::{Check, Examination};
use crate::config::SandboxRule;
use crate::containment::{Missing, OFF, Sandbox};
use crate::environment;
use crate::process::{Said, ask};
use ralph_contain::Limits;
use std::io;

/// The first git that merges without a worktree (`merge-tree --write-tree`).
const GIT_MIN: (u32, u32) = (2, 38);

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let path = environment::program_path();
    let git = ask("git", &["--version"], path.as_deref());
    let rule = examination.config.as_ref().map_or(SandboxRule::On, |it| it.isolation().sandbox);
    let limits = examination.config.as_ref().map(|it| it.isolation().limits);
    let sandbox = sandbox_check(&Sandbox::find(rule, &path.unwrap_or_default()));
    vec![git_check(git), sandbox, limits_check(limits.unwrap_or_default())]
}

fn git_check(said: io::Result<Said>) -> Check {
    let (major, minor) = GIT_MIN;
    let next = format!("install git {major}.{minor} or newer, and have it on the PATH");
    let said = match said {
        Ok(said) if said.is_success => said.stdout,
        Ok(_) => return Check::finding("git", "it does not answer to --version", next),
        Err(error) => return Check::finding("git", format!("it cannot be run: {error}"), next),
    };
    let says = said.trim().to_owned();
    match version(&said) {
        Some(found) if found >= GIT_MIN => Check::ok("git", says),
        Some(_) => Check::finding("git", format!("{says} is too old"), next),
        None => Check::finding("git", format!("it calls itself {says:?}"), next),
    }
}

fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.trim().strip_prefix("git version ")?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

fn sandbox_check(sandbox: &Sandbox) -> Check {
    let about = "containment";
    match sandbox {
        Sandbox::Works(_) => {
            Check::ok(about, "Bubblewrap works, so agents and commands run inside it")
        }
        Sandbox::Off => {
            Check::note(about, OFF).next("set sandbox = \"on\" in [agent], unless this is meant")
        }
        Sandbox::Missing(Missing { why, next }) => {
            let says = format!("{why}, so no issue is claimed and nothing is started");
            Check::finding(about, says, *next)
        }
    }
}

/// The limits of turns and commands, and who keeps them.
fn limits_check(limits: Limits) -> Check {
    let Limits { memory_bytes, processes, open_files, file_bytes, nice } = limits;
    let watched = memory_bytes.is_some() || processes.is_some();
    let is_kernels = open_files.is_some() || file_bytes.is_some() || nice.is_some();
    let says = match (watched, is_kernels) {
        (false, false) => "a turn may use all memory and start any number of processes",
        (true, false) => "the guard watches memory and processes of each turn",
        (false, true) => "the kernel limits open files, size of files and priority of each process",
        (true, true) => {
            "the guard watches memory and processes of each turn; the kernel limits open files, size of files and \
             priority of each process"
        }
    };
    Check::ok("limits", says)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_git_are_read_as_it_tells_them() {
        for (said, found) in [
            ("git version 2.39.5\n", Some((2, 39))),
            ("git version 2.50.1 (Apple Git-155)\n", Some((2, 50))),
            ("git version 2.38", Some((2, 38))),
            ("hub version 2.14.2", None),
            ("git version two", None),
        ] {
            assert_eq!(version(said), found, "{said:?}");
        }
    }

    #[test]
    fn an_old_git_is_a_finding() {
        let said = |text: &str| Ok(Said { is_success: true, stdout: text.to_owned() });
        assert_eq!(git_check(said("git version 2.37.9")).severity, super::super::Severity::Finding);
        assert_eq!(git_check(said("git version 2.38.0")).severity, super::super::Severity::Ok);
    }
}
