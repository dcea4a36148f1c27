//! The programs that the configuration names: agents, and what setup and preflight begin with. One that is not there
//! fails at once, in every run.

use super::{Check, Examination};
use crate::agent_versions::Version;
use crate::agents::{Variables, logins_set};
use crate::config::{AgentConfig, AgentKind, Config};
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
    let mut checks = agents(config, &path, &environment::variables());
    checks.extend(commands(config, &path));
    checks
}

/// One check for each program, with the roles that it plays, and for each kind that Ralph knows its login.
fn agents(config: &Config, path: &OsStr, variables: &Variables) -> Vec<Check> {
    let mut programs: BTreeMap<String, Vec<(&AgentConfig, &str)>> = BTreeMap::new();
    for role in Role::ALL {
        let agent = config.agent(role.name());
        if let Some(program) = agent.command().first() {
            programs.entry(program.clone()).or_default().push((agent, role.name()));
        }
    }
    let mut checks = Vec::new();
    for (program, players) in programs {
        let roles: Vec<&str> = players.iter().map(|(_, role)| *role).collect();
        if let Some(why) = missing(&program, path) {
            let whose = whose(&roles, "every turn");
            let says = format!("`{program}` {why}, so {whose} would fail at once");
            let next = "install it, or correct `command` in [agent] or [roles]";
            checks.push(Check::finding("agent", says, next));
            continue;
        }
        let mut kinds: Vec<AgentKind> = players.iter().map(|(agent, _)| agent.kind).collect();
        kinds.dedup();
        checks.extend(kinds.into_iter().map(|kind| version(&program, kind, path)));
        checks.extend(logins(&program, &players, variables));
    }
    checks
}

fn whose(roles: &[&str], what: &str) -> String {
    if roles.len() == Role::ALL.len() {
        what.to_owned()
    } else {
        format!("{what} of {}", roles.join(", "))
    }
}

/// The version of a program whose kind is known. Others are not started here.
fn version(program: &str, kind: AgentKind, path: &OsStr) -> Check {
    let Some(version) = Version::ask(program, kind, path) else {
        return Check::ok("agent", format!("`{program}` is there"));
    };
    let says = format!("`{program}` is there, version {}", version.number().unwrap_or_default());
    let warning = version.warning(kind).unwrap_or_default();
    match version {
        Version::Tested(_) => Check::ok("agent", says),
        Version::Old(_) => Check::note("agent", format!("{says}; {warning}")).next("update it"),
        Version::New(_) => Check::note("agent", format!("{says}; {warning}")),
        Version::Untold => {
            let says = format!("`{program}` is there and does not tell its version");
            Check::note("agent", says).next("start it by hand with --version")
        }
    }
}

/// The logins of a program by name, for roles that have the same ones together.
fn logins(program: &str, players: &[(&AgentConfig, &str)], variables: &Variables) -> Vec<Check> {
    let mut found: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
    for (agent, role) in players.iter().filter(|(agent, _)| agent.kind.login_file().is_some()) {
        let files = crate::agents::program(agent, variables).logins.into_iter();
        let files = files.map(|login| login.path.display().to_string());
        let names = logins_set(agent, variables).into_iter().chain(files).collect();
        found.entry(names).or_default().push(role);
    }
    let one = |(names, roles): (Vec<String>, Vec<&str>)| {
        let whose = whose(&roles, "every turn");
        if names.is_empty() {
            let says = format!("`{program}` has no login for {whose}");
            let next = "log in, or set a variable that `ralph doctor` and docs/agents.md name";
            return Check::finding("login", says, next);
        }
        Check::ok("login", format!("`{program}`, {whose}: {}", names.join(", ")))
    };
    found.into_iter().map(one).collect()
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
