//! The repository as the forge shows it to the account of the token: rights, required checks, demands, and what is
//! still to be made there.

use super::proposal::{Checks, Proposal};
use crate::commands::doctor::{self, Preparation};
use crate::config::Config;
use crate::hindrance::{Hindrance, hindrances};
use crate::project::Unsupported;
use crate::reach;
use ralph_adapters::http_transport::HttpTransport;
use ralph_core::ids::{Login, RepoName};
use ralph_core::pull::Required;
use ralph_engine::ports::{Forge as _, Read};
use ralph_github::{Client, Demand};
use std::sync::Arc;
use std::time::Duration;

/// The longest wait for one answer: a person is waiting too.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

pub(super) type ForgeClient = Client<HttpTransport>;

/// The forge's answers.
#[derive(Debug)]
pub(super) struct View {
    pub(super) us: Login,
    pub(super) hindrances: Vec<Hindrance>,
    is_of_organization: bool,
    required: Required,
    demands: Vec<(String, Demand)>,
    /// The bot branch or labels have to be made.
    pub(super) to_make: Vec<String>,
}

/// `None`: the variable of the token is not set.
pub(super) fn client(config: &Config) -> Result<Option<ForgeClient>, String> {
    let in_words = |error: &dyn std::error::Error| error.to_string();
    let Some(credentials) = reach::credentials(&config.forge).map_err(|it| in_words(&it))? else {
        return Ok(None);
    };
    let account = reach::account(config, &credentials).map_err(|it| in_words(&it))?;
    let transport =
        HttpTransport::with_timeouts(&reach::http_settings(), ANSWER_TIMEOUT, ANSWER_TIMEOUT);
    let transport = transport.map_err(|it| in_words(&it))?;
    Ok(Some(Client::new(transport, Arc::new(account))))
}

pub(super) fn look(client: &mut ForgeClient, config: &Config, name: &RepoName) -> Read<View> {
    let us = client.identity()?;
    let found = client.repository(name)?;
    let mut view = View {
        hindrances: hindrances(&us, name, found.as_ref()),
        us,
        is_of_organization: found.as_ref().is_some_and(|found| found.is_of_organization),
        required: Required::Unknown,
        demands: Vec::new(),
        to_make: Vec::new(),
    };
    let (Some(found), Some(repo)) = (found, config.repos.get(name)) else { return Ok(view) };
    if !found.is_called(name) {
        return Ok(view);
    }
    let bot = &repo.policy.bot_branch;
    view.required = client.required(name, [bot, &found.default_branch])?;
    for branch in [bot, &found.default_branch] {
        let demands = client.unmet_demands(name, branch)?;
        view.demands.extend(demands.into_iter().map(|demand| (branch.as_str().to_owned(), demand)));
    }
    if found.rights.push {
        view.to_make = doctor::to_make(client, name, &repo.policy.bot_branch)?.says;
    }
    Ok(view)
}

/// Makes the labels and the bot branch. Gives what was made, or why it was not.
pub(super) fn make(
    client: &mut ForgeClient,
    config: &Config,
    name: &RepoName,
) -> Read<Vec<String>> {
    let Some(repo) = config.repos.get(name) else { return Ok(Vec::new()) };
    let bot = &repo.policy.bot_branch;
    let preparation: Preparation = doctor::to_make(client, name, bot)?;
    Ok(preparation.make(client, name, bot))
}

impl View {
    /// The proposal with what the forge knows better.
    pub(super) fn complete(&self, proposal: &mut Proposal) {
        if let Required::Names(names) = &self.required {
            proposal.checks = Checks::ByForge(names.clone());
        }
        let is_person = !self.us.as_str().ends_with("[bot]");
        if self.is_of_organization && proposal.operator.is_none() && is_person {
            proposal.operator = Some(self.us.clone());
        }
        proposal
            .unsupported
            .extend(self.demands.iter().map(|(branch, demand)| unmet(branch, *demand)));
    }
}

/// The same words as in `ralph doctor`.
fn unmet(branch: &str, demand: Demand) -> Unsupported {
    let (what, says) = doctor::unmet(branch, demand);
    Unsupported { what, says }
}
