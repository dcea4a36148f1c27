//! A configuration that exists: the difference between it and the proposal, and the one table that may be added.

use super::page;
use super::proposal::{Checks, Proposal};
use crate::config::{Config, RepoConfig};
use crate::project::Suggested;

/// The way from the file as it is to one with this repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// There is no file yet; this is the whole of it.
    Create(String),
    /// This text is added at the end, and nothing else changes.
    Append { added: String, whole: String },
    /// The repository is configured. Each line is a setting that is not as proposed; all of them stay as they are.
    Nothing(Vec<String>),
    /// The text cannot be added by a program; a person has to.
    ByHand(String),
    /// The configuration is for another forge.
    OtherForge(String),
}

pub(super) fn change(proposal: &Proposal, existing: Option<(&str, &Config)>) -> Change {
    let Some((text, config)) = existing else { return Change::Create(page::whole(proposal)) };
    if config.forge.url != proposal.api {
        return Change::OtherForge(config.forge.url.clone());
    }
    let Some(name) = &proposal.repo else { return Change::Nothing(Vec::new()) };
    if let Some(repo) = config.repos.get(name) {
        return Change::Nothing(differences(repo, proposal));
    }
    let added = page::repository(proposal);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let whole = format!("{text}{end}{added}");
    // A list of repositories that is written in one line takes no table after it.
    let is_sound = Config::parse(&whole).is_ok_and(|config| config.repos.contains_key(name));
    if is_sound { Change::Append { added, whole } } else { Change::ByHand(added) }
}

fn differences(repo: &RepoConfig, proposal: &Proposal) -> Vec<String> {
    let lines = |all: &[Suggested]| all.iter().map(|it| it.line.clone()).collect::<Vec<_>>();
    let mut all = Vec::new();
    let mut compare = |setting: &str, is: Option<&[String]>, proposed: Option<Vec<String>>| {
        if let Some(proposed) = proposed.filter(|proposed| is != Some(proposed.as_slice())) {
            let is = is.map_or_else(|| "not set".to_owned(), |is| format!("{is:?}"));
            all.push(format!("{setting} is {is}; the project suggests {proposed:?}"));
        }
    };
    let setup = lines(&proposal.setup);
    compare("setup", Some(&repo.policy.setup), Some(setup).filter(|it| !it.is_empty()));
    let preflight = proposal.preflight.as_deref().map(lines);
    compare("preflight_command", repo.policy.preflight.as_deref(), preflight);
    let checks = match &proposal.checks {
        Checks::Named(names) if !names.is_empty() => Some(names.clone()),
        Checks::Named(_) | Checks::ByForge(_) => None,
    };
    compare("required_checks", repo.policy.required_checks.as_deref(), checks);
    all
}
