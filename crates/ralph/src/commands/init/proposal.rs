//! The proposal: every setting that `ralph init` writes, from options first and from what was found otherwise.

use super::agents::{Agent, Installed};
use super::remote::{self, GITHUB_API, Remote};
use crate::args::InitArguments;
use crate::checkout::Checkout;
use crate::project::{self, Suggested, Unsupported};
use ralph_core::ids::{Login, RepoName};
use ralph_core::policy::RepoPolicy;

/// Variables that usually hold a token, the first that is set.
const TOKEN_VARIABLES: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// The findings on this machine.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) checkout: Checkout,
    pub(super) agents: Vec<Installed>,
}

#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) api: String,
    pub(super) repo: Option<RepoName>,
    /// Other repositories that remotes name, `origin` before the others.
    pub(super) remotes: Vec<Remote>,
    /// Remotes that lead to no forge of Ralph's, and why.
    pub(super) foreign: Vec<String>,
    pub(super) token_env: String,
    pub(super) operator: Option<Login>,
    pub(super) agents: Vec<Installed>,
    pub(super) agent: Option<Agent>,
    pub(super) setup: Vec<Suggested>,
    /// `None`: no command was found, and whether to do without is for a person to say.
    pub(super) preflight: Option<Vec<Suggested>>,
    pub(super) checks: Checks,
    pub(super) unsupported: Vec<Unsupported>,
}

/// The checks that a pull request waits for on the forge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Checks {
    /// As the forge requires them.
    ByForge(Vec<String>),
    /// As CI reports them; none are found if it is empty.
    Named(Vec<String>),
}

/// A question that has no answer yet, with the option that answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    Repo,
    Agent,
    Preflight,
}

impl Missing {
    pub(super) const fn option(self) -> &'static str {
        match self {
            Self::Repo => "--repo OWNER/NAME",
            Self::Agent => "--agent KIND",
            Self::Preflight => "--preflight COMMAND",
        }
    }

    pub(super) const fn says(self) -> &'static str {
        match self {
            Self::Repo => "no git remote leads to a repository on GitHub or an embedded forge",
            Self::Agent => "no agent is on the PATH (claude, codex, opencode, gemini)",
            Self::Preflight => "no test or lint command was found; \"\" does without",
        }
    }
}

impl Proposal {
    pub(super) fn new(
        found: Found,
        options: &InitArguments,
        is_set: impl Fn(&str) -> bool,
    ) -> Self {
        let Found { checkout, agents } = found;
        let (mut remotes, mut foreign) = (Vec::new(), Vec::new());
        for (name, address) in &checkout.remotes {
            match remote::parse(name, address) {
                Ok(remote) => remotes.push(remote),
                Err(why) => foreign.push(why.0),
            }
        }
        remotes.sort_by_key(|remote| remote.name != "origin");
        let asked = options.repo.as_ref();
        let first = remotes.iter().find(|it| asked.is_none_or(|repo| it.repo == *repo));
        let api = options.forge.as_ref().map(|url| url.trim_end_matches('/').to_owned());
        let api = api.or_else(|| first.or(remotes.first()).map(|it| it.api.clone()));
        let api = api.unwrap_or_else(|| GITHUB_API.to_owned());
        let repo = options.repo.clone().or_else(|| first.map(|it| it.repo.clone()));
        let bot = RepoPolicy::default().bot_branch;
        let project = project::detect(&checkout.files, bot.as_str());
        let is_embedded = remote::is_embedded(&api);
        let checks = project::ci_checks(&checkout.files, bot.as_str(), is_embedded);
        let token = TOKEN_VARIABLES.iter().find(|name| is_set(name)).unwrap_or(&TOKEN_VARIABLES[0]);
        let mut unsupported = project.unsupported;
        unsupported.retain(|it| !(is_embedded && it.what == "ci"));
        let preflight = given(&options.preflight, "--preflight");
        Self {
            api,
            repo,
            remotes,
            foreign,
            token_env: options.token_env.clone().unwrap_or_else(|| (*token).to_owned()),
            operator: options.operator.clone(),
            agent: agent(options, &agents),
            agents,
            setup: given(&options.setup, "--setup").unwrap_or(project.setup),
            preflight: preflight.or_else(|| Some(project.preflight).filter(|it| !it.is_empty())),
            checks: Checks::Named(checks),
            unsupported,
        }
    }

    pub(super) fn missing(&self) -> Vec<Missing> {
        let mut all = Vec::new();
        all.extend(self.repo.is_none().then_some(Missing::Repo));
        all.extend(self.agent.is_none().then_some(Missing::Agent));
        all.extend(self.preflight.is_none().then_some(Missing::Preflight));
        all
    }
}

/// Commands of an option: `None` when it is not used, none of them when it is empty.
fn given(commands: &[String], option: &str) -> Option<Vec<Suggested>> {
    let all = commands.iter().filter(|line| !line.trim().is_empty());
    let all = all.map(|line| Suggested { line: line.clone(), from: option.to_owned() });
    (!commands.is_empty()).then(|| all.collect())
}

fn agent(options: &InitArguments, installed: &[Installed]) -> Option<Agent> {
    let words = options.agent_command.as_ref().map(|line| words_of(line));
    match (words, options.agent.as_deref()) {
        (Some(words), _) if !words.is_empty() => Some(Agent::Command(words)),
        (_, Some(name)) => Agent::named(name),
        (_, None) => installed.first().and_then(|found| Agent::named(found.kind)),
    }
}

/// A command line as words; quotes keep blanks together.
pub(super) fn words_of(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(mark), letter) if letter == mark => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_as_a_shell_does() {
        assert_eq!(
            words_of("  my-agent --name 'a b' \"\" x\"y z\" "),
            ["my-agent", "--name", "a b", "", "xy z"]
        );
        assert_eq!(words_of(" "), [""; 0]);
    }
}
