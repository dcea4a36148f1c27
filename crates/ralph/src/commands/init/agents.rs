//! Coding agents: those that Ralph knows by name, and which of them this machine has.

use crate::config::Config;
use crate::process::ask_at;
use serde::Serialize;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// An agent that Ralph knows by the name of its program.
#[derive(Debug)]
pub(super) struct Known {
    /// The program, and the `kind` of the configuration.
    pub(super) name: &'static str,
    /// The way to run it as any other program, while the configuration does not take its name as a kind.
    command: &'static [&'static str],
    /// The variables that may hold its key.
    pub(super) keys: &'static [&'static str],
}

pub(super) static KNOWN: [Known; 4] = [
    Known {
        name: "claude",
        command: &["claude", "-p", "--dangerously-skip-permissions"],
        keys: &["CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_API_KEY"],
    },
    Known {
        name: "codex",
        command: &["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "-"],
        keys: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    },
    Known {
        name: "opencode",
        command: &["opencode", "run"],
        keys: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
    },
    Known {
        name: "gemini",
        command: &["gemini", "--approval-mode", "yolo"],
        keys: &["GEMINI_API_KEY"],
    },
];

/// An agent on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Installed {
    pub(super) kind: &'static str,
    /// As the program says it; empty when it does not answer.
    pub(super) version: String,
}

/// The agent of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Agent {
    /// By its name.
    Kind(&'static str),
    /// As any program: the prompt on standard input, the answer on standard output.
    Command(Vec<String>),
}

impl Agent {
    /// The agent with this name; `None` if there is none of that name.
    pub(super) fn named(name: &str) -> Option<Self> {
        let known = KNOWN.iter().find(|known| known.name == name)?;
        Some(if known.is_kind() {
            Self::Kind(known.name)
        } else {
            Self::Command(known.command.iter().map(|word| (*word).to_owned()).collect())
        })
    }

    /// The agent that it is an instance of, if it is a known one.
    pub(super) fn known(&self) -> Option<&'static Known> {
        let name = match self {
            Self::Kind(name) => name,
            Self::Command(words) => words.first()?.as_str(),
        };
        KNOWN.iter().find(|known| known.name == name)
    }
}

impl Known {
    /// Does the configuration take the name as a `kind`?
    fn is_kind(&self) -> bool {
        Config::parse(&format!("[agent]\nkind = \"{}\"\n", self.name)).is_ok()
    }
}

/// The known agents on the search path. Each is asked for its version with an empty home, so that
/// nothing of the user's is touched.
pub(super) fn installed(path: &OsStr, home: &Path) -> Vec<Installed> {
    let version = |name: &str| {
        let said = ask_at(name, &["--version"], Some(path), Some(home)).ok();
        let said = said.filter(|said| said.is_success).map(|said| said.stdout).unwrap_or_default();
        number_in(&said).unwrap_or_default().to_owned()
    };
    let found = KNOWN.iter().map(|known| known.name).filter(|name| is_on(path, name));
    found.map(|kind| Installed { kind, version: version(kind) }).collect()
}

/// Is there a program of this name on the search path?
pub(super) fn is_on(path: &OsStr, name: &str) -> bool {
    let is_program = |file: &Path| {
        file.metadata()
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(path).any(|folder| is_program(&folder.join(name)))
}

/// The first word that looks like a version.
fn number_in(said: &str) -> Option<&str> {
    let words = said.split(|letter: char| letter.is_whitespace() || letter == '(');
    let words = words.map(|word| word.trim_start_matches('v'));
    words
        .into_iter()
        .find(|word| word.contains('.') && word.starts_with(|letter: char| letter.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (said, version) in [
            ("2.1.197 (Claude Code)\n", Some("2.1.197")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("v1.18.33", Some("1.18.33")),
            ("usage: x", None),
        ] {
            assert_eq!(number_in(said), version, "{said:?}");
        }
    }

    #[test]
    fn only_programs_on_the_path_are_installed() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str, mode| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        put("codex", "#!/bin/sh\necho codex-cli 0.166.0\n", 0o755);
        put("gemini", "#!/bin/sh\nexit 1\n", 0o755);
        put("claude", "no program", 0o644);
        let found = installed(folder.path().as_os_str(), folder.path());
        let found: Vec<_> = found.iter().map(|it| (it.kind, it.version.as_str())).collect();
        assert_eq!(found, [("codex", "0.166.0"), ("gemini", "")]);
    }

    /// Kinds that the configuration does not take yet are run as commands.
    #[test]
    fn every_known_agent_leads_to_a_configuration_that_is_understood() {
        for known in &KNOWN {
            match Agent::named(known.name).unwrap() {
                Agent::Kind(name) => assert!(known.is_kind(), "{name}"),
                Agent::Command(words) => assert_eq!(words.first().unwrap(), known.name),
            }
        }
        assert_eq!(Agent::named("vim"), None);
    }
}
