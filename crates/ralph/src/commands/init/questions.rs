//! The questions that a person answers at a terminal. Enter takes the proposal.

use super::agents::{Agent, KNOWN};
use super::proposal::{Proposal, words_of};
use crate::args::InitArguments;
use crate::project::Suggested;
use ralph_core::ids::RepoName;

/// Asks a question and gives the line that was typed; `None` when no more can be asked.
pub(super) type Ask<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// The input ended before the last question.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GaveUp;

/// Asks for everything that no option has settled. A configuration that exists has its agent.
pub(super) fn settle(
    mut proposal: Proposal,
    options: &InitArguments,
    has_agent: bool,
    ask: Ask<'_>,
) -> Result<Proposal, GaveUp> {
    if options.repo.is_none() {
        repository(&mut proposal, ask)?;
    }
    if !has_agent && options.agent.is_none() && options.agent_command.is_none() {
        agent(&mut proposal, ask)?;
    }
    if options.setup.is_empty() {
        let question = "Commands that prepare a fresh worktree";
        let found = proposal.setup.clone();
        proposal.setup = commands(question, Some(found), ask)?.unwrap_or_default();
    }
    if options.preflight.is_empty() {
        let question = "Commands that must pass before a pull request is opened";
        proposal.preflight = commands(question, proposal.preflight.take(), ask)?;
    }
    Ok(proposal)
}

/// Asks a question whose answer is yes or no. Enter is `default`.
pub(super) fn is_yes(question: &str, default: bool, ask: Ask<'_>) -> bool {
    let choice = if default { "[Y/n]" } else { "[y/N]" };
    loop {
        match ask(&format!("{question} {choice}")).as_deref() {
            Some("") => return default,
            Some("y" | "Y" | "yes") => return true,
            Some("n" | "N" | "no") | None => return false,
            Some(_) => {}
        }
    }
}

fn repository(proposal: &mut Proposal, ask: Ask<'_>) -> Result<(), GaveUp> {
    // One repository that the remotes agree on needs no question.
    if proposal.remotes.len() == 1 {
        return Ok(());
    }
    let choices: Vec<_> =
        proposal.remotes.iter().map(|it| format!("{} ({})", it.repo, it.name)).collect();
    let choices = if choices.is_empty() { "owner/name".to_owned() } else { choices.join(", ") };
    loop {
        let default = proposal.repo.as_ref().map(|it| format!(" [{it}]")).unwrap_or_default();
        let typed = ask(&format!("Repository, {choices}{default}:")).ok_or(GaveUp)?;
        if typed.is_empty() && proposal.repo.is_some() {
            return Ok(());
        }
        if let Some(repo) = RepoName::parse(&typed) {
            let of_remote = proposal.remotes.iter().find(|it| it.repo == repo);
            if let Some(remote) = of_remote {
                proposal.api.clone_from(&remote.api);
            }
            proposal.repo = Some(repo);
            return Ok(());
        }
    }
}

fn agent(proposal: &mut Proposal, ask: Ask<'_>) -> Result<(), GaveUp> {
    let names: Vec<_> = KNOWN.iter().map(|known| known.name).collect();
    let default = proposal.agents.first().map(|it| format!(" [{}]", it.kind)).unwrap_or_default();
    loop {
        let question =
            format!("Agent: {}, or the command line of any program{default}:", names.join(", "));
        let typed = ask(&question).ok_or(GaveUp)?;
        if typed.is_empty() && proposal.agent.is_some() {
            return Ok(());
        }
        let words = words_of(&typed);
        let chosen = match words.as_slice() {
            [] => None,
            [name] => Agent::named(name).or_else(|| Some(Agent::Command(words.clone()))),
            _several => Some(Agent::Command(words.clone())),
        };
        if chosen.is_some() {
            proposal.agent = chosen;
            return Ok(());
        }
    }
}

/// One line for a shell, or a dash for none.
fn commands(
    question: &str,
    found: Option<Vec<Suggested>>,
    ask: Ask<'_>,
) -> Result<Option<Vec<Suggested>>, GaveUp> {
    let shown = found.as_ref().map(|all| {
        let lines: Vec<_> = all.iter().map(|it| it.line.as_str()).collect();
        if lines.is_empty() { "none".to_owned() } else { lines.join("; ") }
    });
    let default = shown.map(|shown| format!(" [{shown}]")).unwrap_or_default();
    loop {
        let typed = ask(&format!("{question}, - for none{default}:")).ok_or(GaveUp)?;
        match typed.as_str() {
            "" if found.is_some() => return Ok(found),
            "" => {}
            "-" => return Ok(Some(Vec::new())),
            line => {
                let one = Suggested { line: line.to_owned(), from: "--".to_owned() };
                return Ok(Some(vec![one]));
            }
        }
    }
}

#[cfg(test)]
mod tests;
