//! The programs that the configuration names: agents, and what setup and preflight begin with. One that is not there
//! fails at once, in every run.

use super::{Check, Examination};
use crate::config::Config;
use crate::environment;
use ralph_core::job::Role;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Words that a shell knows by itself, and words that only lead to the next command.
const SHELL_WORDS: [&str; 40] = [
    ".", ":", "!", "[", "[[", "{", "(", "alias", "bg", "case", "cd", "command", "echo", "env",
    "eval", "exec", "exit", "export", "fg", "for", "function", "hash", "if", "local", "printf",
    "pwd", "read", "return", "set", "shift", "source", "test", "time", "trap", "type", "ulimit",
    "umask", "until", "wait", "while",
];

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let Ok(config) = &examination.config else { return Vec::new() };
    let path = environment::program_path().unwrap_or_default();
    let mut checks = agents(config, &path);
    checks.extend(commands(config, &path));
    checks
}

/// One check for each program, with the roles that it plays.
fn agents(config: &Config, path: &OsStr) -> Vec<Check> {
    let mut programs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for role in Role::ALL {
        if let Some(program) = config.agent(role.name()).command().first() {
            programs.entry(program).or_default().push(role.name());
        }
    }
    let one = |(program, roles): (&str, Vec<&str>)| match missing(program, path) {
        None => Check::ok("agent", format!("`{program}` is there")),
        Some(why) => {
            let whose = if roles.len() == Role::ALL.len() {
                "every turn".to_owned()
            } else {
                format!("every turn of {}", roles.join(", "))
            };
            let says = format!("`{program}` {why}, so {whose} would fail at once");
            Check::finding("agent", says, "install it, or correct `command` in [agent] or [roles]")
        }
    };
    programs.into_iter().map(one).collect()
}

fn commands(config: &Config, path: &OsStr) -> Vec<Check> {
    let mut checks = Vec::new();
    for (name, repo) in &config.repos {
        let preflight = repo.policy.preflight.iter().flatten().map(|it| ("preflight_command", it));
        for (setting, command) in repo.policy.setup.iter().map(|it| ("setup", it)).chain(preflight)
        {
            let Some(program) = program_of(command) else { continue };
            if let Some(why) = missing(program, path) {
                let says =
                    format!("{name}: `{program}` of `{setting}` {why}, so it would always fail");
                let next = format!("install it, or correct `{setting}`");
                checks.push(Check::finding("commands", says, next));
            }
        }
    }
    checks
}

/// The program that a line for the shell begins with, where that is plain to see. What lies in the repository is not
/// here to be looked at.
fn program_of(command: &str) -> Option<&str> {
    let word = command.split_whitespace().next()?;
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "_.+-/".contains(c));
    let is_relative = word.contains('/') && !word.starts_with('/');
    (is_plain && !is_relative && !SHELL_WORDS.contains(&word)).then_some(word)
}

/// The reason why a program cannot be started; `None` when it can, or when that is not known here.
fn missing(program: &str, path: &OsStr) -> Option<&'static str> {
    if program.starts_with('/') {
        return match Path::new(program).try_exists() {
            Ok(true) if is_program(Path::new(program)) => None,
            Ok(true) => Some("cannot be executed"),
            Ok(false) => Some("does not exist"),
            Err(_) => Some("cannot be reached"),
        };
    }
    if program.contains('/') {
        return None;
    }
    let mut folders = std::env::split_paths(path);
    let is_there = folders.any(|folder| is_program(&folder.join(program)));
    (!is_there).then_some("is not on the PATH")
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_counts_where_it_is_a_program() {
        for (command, program) in [
            ("npm ci", Some("npm")),
            ("  make  check", Some("make")),
            ("/usr/bin/env python3", Some("/usr/bin/env")),
            ("cd web && npm test", None),
            ("./gradlew test", None),
            ("scripts/setup.sh", None),
            ("FOO=1 make", None),
            ("$TOOL x", None),
            ("(make)", None),
            ("if true; then make; fi", None),
            ("", None),
        ] {
            assert_eq!(program_of(command), program, "{command:?}");
        }
    }

    #[test]
    fn a_program_is_looked_for_where_a_shell_would() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, mode| {
            let path = folder.path().join(name);
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path.display().to_string()
        };
        let (tool, text) = (put("tool", 0o755), put("text", 0o644));
        let path = folder.path().as_os_str();
        assert_eq!(missing("tool", path), None);
        assert_eq!(missing(&tool, OsStr::new("")), None);
        assert_eq!(missing("text", path), Some("is not on the PATH"));
        assert_eq!(missing(&text, path), Some("cannot be executed"));
        assert_eq!(missing("/nowhere/tool", path), Some("does not exist"));
        assert_eq!(missing("tool", OsStr::new("/nowhere")), Some("is not on the PATH"));
    }
}
