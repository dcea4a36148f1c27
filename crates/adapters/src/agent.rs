//! The command agent: any program, run for one turn at a time, without credentials and within limits.

mod empty_words;
mod result_file;
mod surroundings;
mod turn;

use crate::current::Current;
use crate::jobs::Jobs;
use crate::network::NetworkRule;
use crate::watchdog::StallLimits;
use crate::workshop::Workshop;
use empty_words::EmptyWords;
use ralph_contain::Limits;
use ralph_core::job::{Role, Turn};
use ralph_engine::ports::{Answer, Start};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

/// A program that takes turns.
#[derive(Debug, Clone)]
pub struct AgentCommand {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The limits of a turn that makes no progress.
    pub stall: StallLimits,
    /// The variables it gets beside Ralph's own: the allow-list, already looked up.
    pub environment: BTreeMap<OsString, OsString>,
    /// The registries in it are for turns that change something.
    pub network: NetworkRule,
    pub limits: Limits,
}

/// The program for the turns of each role.
#[derive(Debug, Clone)]
pub struct AgentSettings {
    pub default: AgentCommand,
    pub roles: BTreeMap<Role, AgentCommand>,
}

/// The port to agents. Clones share everything.
#[derive(Debug, Clone)]
pub struct CommandAgents {
    shop: Arc<Workshop>,
    jobs: Arc<Jobs>,
    settings: Current<AgentSettings>,
    empty: Arc<EmptyWords>,
}

impl CommandAgents {
    pub(crate) fn new(shop: Arc<Workshop>, jobs: Arc<Jobs>, settings: AgentSettings) -> Self {
        Self { shop, jobs, settings: Current::new(settings), empty: Arc::default() }
    }

    /// Turns that begin from now on are taken by these.
    pub(crate) fn replace(&self, settings: AgentSettings) {
        self.settings.replace(settings);
    }
}

impl CommandAgents {
    pub(crate) fn start(&self, start: &Start<'_>, turn: &Turn) -> Answer<()> {
        let (shop, settings, empty) = (self.shop.clone(), self.settings.get(), self.empty.clone());
        let (turn, prompt) = (turn.clone(), start.prompt.to_owned());
        let remarks = start.remarks.to_vec();
        self.jobs.start(start, move |ticket| {
            let agent = settings.roles.get(&turn.role).unwrap_or(&settings.default);
            let (turn, prompt) = (&turn, prompt.as_str());
            let (shop, empty, remarks) = (&shop, &empty, remarks.as_slice());
            turn::TurnRunner { shop, agent, empty, ticket, turn, prompt, remarks }.take()
        })
    }
}
