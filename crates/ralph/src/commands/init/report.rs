//! The findings, the preview and the next command, for people and as one document.

use super::agents::{Agent, Installed};
use super::existing::Change;
use super::proposal::{Checks, Proposal};
use super::remote::is_embedded;
use super::rights::View;
use super::{Call, CommandContext};
use crate::config::{Config, TokenSource};
use crate::environment;
use crate::project::{Suggested, Unsupported};
use crate::screen::Paint;
use crate::table::Table;
use ralph_core::ids::RepoName;
use ralph_core::recipe::Recipe;
use ralph_core::role::Role;
use ralph_core::turn_end::Usage;
use ralph_core::words;
use serde::Serialize;

/// The proposal as a document.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    repo: Option<&'a str>,
    forge: &'a str,
    token_env: &'a str,
    operator: Option<&'a str>,
    agent: Option<AgentView<'a>>,
    agents: &'a [Installed],
    setup: &'a [Suggested],
    preflight: Option<&'a [Suggested]>,
    /// `None`: those that the forge requires.
    required_checks: Option<&'a [String]>,
    unsupported: &'a [Unsupported],
    remotes_left_out: &'a [String],
    /// Obstacles to working there, each with its next step; `None` when the forge was not asked.
    rights: Option<Vec<String>>,
    /// Options without which nothing can be written.
    missing: Vec<&'static str>,
    config: ConfigView<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum AgentView<'a> {
    Kind { kind: &'a str },
    Command { kind: &'a str, command: &'a [String] },
}

#[derive(Serialize)]
struct ConfigView<'a> {
    path: String,
    exists: bool,
    /// The whole text of a new file, or the text that is added to an existing one.
    text: Option<&'a str>,
    differences: &'a [String],
}

pub(super) fn document<'a>(
    call: &Call<'_>,
    proposal: &'a Proposal,
    change: &'a Change,
    view: Option<&Result<View, String>>,
) -> Document<'a> {
    let none: &[String] = &[];
    let (exists, text, differences) = match change {
        Change::Create(text) => (false, Some(text.as_str()), none),
        Change::Append { added, .. } | Change::ByHand(added) => (true, Some(added.as_str()), none),
        Change::Nothing(differences) => (true, None, differences.as_slice()),
        Change::OtherForge(_) => (true, None, none),
    };
    let path = call.file.display().to_string();
    Document {
        repo: proposal.repo.as_ref().map(|repo| repo.as_str()),
        forge: &proposal.api,
        token_env: &proposal.token_env,
        operator: proposal.operator.as_ref().map(|it| it.as_str()),
        agent: proposal.agent.as_ref().map(|agent| match agent {
            Agent::Kind(kind) => AgentView::Kind { kind },
            Agent::Command(command) => AgentView::Command { kind: "command", command },
        }),
        agents: &proposal.agents,
        setup: &proposal.setup,
        preflight: proposal.preflight.as_deref(),
        required_checks: match &proposal.checks {
            Checks::ByForge(_) => None,
            Checks::Named(names) => Some(names),
        },
        unsupported: &proposal.unsupported,
        remotes_left_out: &proposal.foreign,
        rights: view.map(|view| match view {
            Ok(view) => {
                view.hindrances.iter().map(|it| format!("{}; {}", it.says, it.next)).collect()
            }
            Err(why) => vec![why.clone()],
        }),
        missing: proposal.missing().into_iter().map(super::proposal::Missing::option).collect(),
        config: ConfigView { path, exists, text, differences },
    }
}

/// The findings, before anything is asked.
pub(super) fn findings(
    context: &CommandContext<'_>,
    proposal: &Proposal,
    view: Option<&Result<View, String>>,
) -> String {
    let mut table = Table::bare();
    let mut line = |name: &str, text: String, paint| {
        table.row([(name.to_owned(), Paint::Faint), (text, paint)]);
    };
    match &proposal.repo {
        Some(repo) => line("repository", format!("{repo} at {}", proposal.api), Paint::Bold),
        None => line("repository", "none found".to_owned(), Paint::Bad),
    }
    proposal.foreign.iter().for_each(|why| line("", why.clone(), Paint::Faint));
    let agents: Vec<_> = proposal
        .agents
        .iter()
        .map(|it| format!("{} {}", it.kind, it.version).trim().to_owned())
        .collect();
    line(
        "agents",
        if agents.is_empty() { "none on the PATH".to_owned() } else { agents.join(", ") },
        Paint::Plain,
    );
    commands(&mut line, "setup", &proposal.setup);
    commands(&mut line, "preflight", proposal.preflight.as_deref().unwrap_or_default());
    match &proposal.checks {
        Checks::ByForge(names) => {
            line("checks", format!("{} (branch protection)", names.join(", ")), Paint::Plain)
        }
        Checks::Named(names) if names.is_empty() => {
            line("checks", "none found".to_owned(), Paint::Plain)
        }
        Checks::Named(names) => line("checks", names.join(", "), Paint::Plain),
    }
    match view {
        None => {
            line("rights", format!("not checked: {} is not set", proposal.token_env), Paint::Plain)
        }
        Some(Err(why)) => line("rights", format!("not checked: {why}"), Paint::Bad),
        Some(Ok(view)) if view.hindrances.is_empty() => {
            line("rights", format!("{} may work there", view.us), Paint::Good);
        }
        Some(Ok(view)) => {
            let says = view.hindrances.iter().map(|it| format!("{}; {}", it.says, it.next));
            says.for_each(|says| line("rights", says, Paint::Bad));
        }
    }
    proposal.unsupported.iter().for_each(|it| line("note", it.says.clone(), Paint::Busy));
    context.screen.table(&table)
}

fn commands(line: &mut impl FnMut(&str, String, Paint), name: &str, all: &[Suggested]) {
    if all.is_empty() {
        line(name, "none found".to_owned(), Paint::Plain);
    }
    for (number, it) in all.iter().enumerate() {
        let name = if number == 0 { name } else { "" };
        line(name, format!("{}  ({})", it.line, it.from), Paint::Plain);
    }
}

/// The text that would be written.
pub(super) fn preview(call: &Call<'_>, change: &Change) -> String {
    let file = call.file.display();
    match change {
        Change::Create(text) => format!("\n{text}\n"),
        Change::Append { added, .. } => {
            let lines: String =
                added.trim_start().lines().map(|line| format!("+ {line}\n")).collect();
            format!("\nThis is added to {file}, and nothing else is changed:\n\n{lines}\n")
        }
        Change::Nothing(_) | Change::ByHand(_) | Change::OtherForge(_) => String::new(),
    }
}

/// The variable of the token in a configuration, unless it has another way.
pub(super) fn token_variable(config: &Config) -> Option<String> {
    match &config.forge.token {
        TokenSource::Environment(name) => Some(name.clone()),
        TokenSource::File(_) | TokenSource::App(_) => None,
    }
}

/// What an issue of this repository will cost, by the settings and the prices in them.
pub(super) fn cost(config: &Config, repo: &RepoName) -> Option<String> {
    let roles = Recipe::Issue.turns(&config.repos.get(repo)?.policy);
    let tokens = config.budget.first_turn.tokens;
    let usage = Usage { input: tokens, ..Usage::default() };
    let price = |role: &Role| {
        let model = config.agent(role.name()).model.as_deref()?;
        Some(config.prices.of(model)?.of(usage))
    };
    let money: Option<Vec<u64>> = roles.iter().map(price).collect();
    let money = money.map(|money| money.into_iter().sum());
    Some(words::expected_cost(&roles, tokens, money))
}

/// The commands that come next, to be copied as they are.
pub(super) fn next(call: &Call<'_>, proposal: &Proposal, token_env: &str) -> String {
    let mut text = "\nNext:\n".to_owned();
    if !environment::is_set(token_env) {
        let (value, from) = if is_embedded(&proposal.api) {
            ("...", "Ralph's token, from the first line that `ralph forge serve` prints")
        } else if call.has_program("gh") {
            ("\"$(gh auth token)\"", "or another token that may write to the repository")
        } else {
            ("...", "a token that may write to the repository")
        };
        text.push_str(&format!("  export {token_env}={value}   # {from}\n"));
    }
    let keys = proposal.agent.as_ref().and_then(Agent::known).map_or(&[][..], |known| known.keys);
    if let [key, others @ ..] = keys
        && !keys.iter().any(|key| environment::is_set(key))
    {
        let others: String = others.iter().map(|other| format!("or {other}; ")).collect();
        text.push_str(&format!(
            "  export {key}=...   # {others}the agent sees no login of yours\n"
        ));
    }
    let config = call.config_option();
    text.push_str(&format!("  ralph run{config}\n"));
    if let Some(repo) = &proposal.repo {
        text.push_str(&format!(
            "\nThen add the label ralph:status:queued to an issue, or: ralph queue {repo} 1\n"
        ));
    }
    text
}
