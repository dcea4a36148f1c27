//! The text of a configuration: each setting with a line on what it is for, and where it was found.

use super::agents::Agent;
use super::proposal::{Checks, Proposal};
use super::remote::GITHUB_API;
use crate::project::Suggested;

const HEAD: &str = "\
# Ralph's configuration, written by `ralph init`. Every setting with its default is in docs/configuration.md;
# `ralph doctor` shows those in force and says what is missing.
";

/// A whole file.
pub(super) fn whole(proposal: &Proposal) -> String {
    let mut text = HEAD.to_owned();
    if let Some(operator) = &proposal.operator {
        text.push_str("\n# The person who is mentioned when one is needed.\n");
        text.push_str(&format!("operator = {}\n", quoted(operator.as_str())));
    }
    text.push_str("\n[forge]\n");
    if proposal.api != GITHUB_API {
        text.push_str(&format!("url = {}\n", quoted(&proposal.api)));
    }
    text.push_str(
        "# The environment variable that holds the token; the token itself is not written here.\n",
    );
    text.push_str(&format!("token_env = {}\n", quoted(&proposal.token_env)));
    text.push_str(&agent(proposal));
    text.push_str(&repository(proposal));
    text
}

fn agent(proposal: &Proposal) -> String {
    let mut text = "\n[agent]\n".to_owned();
    let known = proposal.agent.as_ref().and_then(Agent::known);
    let found = proposal.agents.iter().find(|it| known.is_some_and(|known| known.name == it.kind));
    if let Some(found) = found.filter(|found| !found.version.is_empty()) {
        text.push_str(&format!("# {} {} is on the PATH.\n", found.kind, found.version));
    }
    match &proposal.agent {
        Some(Agent::Kind(kind)) => text.push_str(&format!("kind = {}\n", quoted(kind))),
        Some(Agent::Command(words)) => {
            text.push_str(
                "# Any program: its prompt on standard input, its answer on standard output.\n",
            );
            text.push_str(&format!(
                "kind = \"command\"\ncommand = {}\n",
                list(words.iter().map(String::as_str))
            ));
            if let Some(known) = known {
                text.push_str("# Variables that are handed to it; it gets no other secret.\n");
                text.push_str(&format!("pass_env = {}\n", list(known.keys.iter().copied())));
            }
        }
        None => text.push_str("# kind = \"claude\"\n"),
    }
    text
}

/// The table of the repository, as it is added to a file that exists too.
pub(super) fn repository(proposal: &Proposal) -> String {
    let name = proposal.repo.as_ref().map_or("owner/name", |repo| repo.as_str());
    let mut text = format!("\n[[repos]]\nname = {}\n", quoted(name));
    if !proposal.setup.is_empty() {
        text.push_str("# Run in each fresh worktree before anything else");
        text.push_str(&format!(
            "{}.\nsetup = {}\n",
            from(&proposal.setup),
            commands(&proposal.setup)
        ));
    }
    match &proposal.preflight {
        Some(preflight) if preflight.is_empty() => {
            text.push_str("# Nothing has to pass before a pull request is opened, on purpose.\n");
            text.push_str("preflight_command = []\n");
        }
        Some(preflight) => {
            text.push_str("# Have to pass before a pull request is opened");
            text.push_str(&format!("{}.\n", from(preflight)));
            text.push_str(&format!("preflight_command = {}\n", commands(preflight)));
        }
        None => text.push_str("# preflight_command = [\"make check\"]\n"),
    }
    text.push_str(&checks(&proposal.checks));
    text
}

fn checks(checks: &Checks) -> String {
    match checks {
        Checks::ByForge(names) => format!(
            "# Checks that a merge waits for: those that branch protection requires, now {}.\n\
             # required_checks = {}\n",
            names.join(", "),
            list(names.iter().map(String::as_str))
        ),
        Checks::Named(names) if names.is_empty() => "\
# No check of CI was found that reports on every pull request, so merges wait for none. Name those that should pass.
required_checks = []
"
        .to_owned(),
        Checks::Named(names) => format!(
            "# Checks of CI that a merge waits for.\nrequired_checks = {}\n",
            list(names.iter().map(String::as_str))
        ),
    }
}

fn commands(all: &[Suggested]) -> String {
    list(all.iter().map(|it| it.line.as_str()))
}

/// The files that commands were found in.
fn from(all: &[Suggested]) -> String {
    let mut files: Vec<_> =
        all.iter().map(|it| it.from.as_str()).filter(|from| !from.starts_with('-')).collect();
    files.dedup();
    if files.is_empty() { String::new() } else { format!("; found in {}", files.join(", ")) }
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    format!("[{}]", texts.map(quoted).collect::<Vec<_>>().join(", "))
}

/// A text in quotes. Escapes of JSON mean the same in TOML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
