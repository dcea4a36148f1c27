//! Agents: programs that take turns, each in the way of its kind, without credentials of the forge and within limits.

mod cause;
mod conversation;
mod empty_words;
mod event;
mod kinds;
mod logins;
mod managed;
mod program;
mod protocol;
mod result_file;
mod said;
mod surroundings;
mod trial;
mod turn;

pub use event::Event;
pub use managed::{MANAGED_MARKER, NotManaged, make_opencode_folder};
pub use program::{Kind, LoginFile, Program};
pub use trial::{NotTried, Trial, Tried};

use crate::current::Current;
use crate::git::in_full;
use crate::jobs::Jobs;
use crate::network::NetworkRule;
use crate::watchdog::StallLimits;
use crate::workshop::Workshop;
use empty_words::EmptyWords;
use logins::Accounts;
use ralph_contain::Limits;
use ralph_core::account::AccountName;
use ralph_core::fact::Outcome;
use ralph_core::job::{Role, Turn};
use ralph_core::price::Prices;
use ralph_core::turn_end::EndClass;
use ralph_engine::ports::{Answer, Start};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

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
    /// Its kind, and the settings of that kind.
    pub program: Program,
    /// For programs that tell no money.
    pub prices: Prices,
    /// The logins of the accounts that its turns may use, where they are named.
    pub accounts: BTreeMap<AccountName, AccountLogin>,
}

/// The login of an account, in place of the usual one of the program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccountLogin {
    /// Variables of the program, already looked up.
    pub environment: BTreeMap<OsString, OsString>,
    pub files: Vec<LoginFile>,
}

impl AgentCommand {
    /// The program with the login of an account. An account that is not named here has the usual one.
    fn of_account(mut self, account: Option<&AccountName>) -> Self {
        let Some(login) = account.and_then(|account| self.accounts.remove(account)) else {
            return self;
        };
        for name in self.program.kind.login_variables() {
            self.environment.remove(OsStr::new(name));
        }
        self.environment.extend(login.environment);
        self.program.logins = login.files;
        self
    }
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
    accounts: Accounts,
    /// The managed configuration of `OpenCode`, made once in the life of this process.
    opencode: Arc<OnceLock<Result<PathBuf, String>>>,
}

impl CommandAgents {
    pub(crate) fn new(shop: Arc<Workshop>, jobs: Arc<Jobs>, settings: AgentSettings) -> Self {
        Self {
            shop,
            jobs,
            settings: Current::new(settings),
            empty: Arc::default(),
            accounts: Accounts::default(),
            opencode: Arc::default(),
        }
    }

    /// Turns that begin from now on are taken by these.
    pub(crate) fn replace(&self, settings: AgentSettings) {
        self.settings.replace(settings);
    }
}

impl CommandAgents {
    pub(crate) fn start(&self, start: &Start<'_>, turn: &Turn) -> Answer<()> {
        let (shop, settings, empty) = (self.shop.clone(), self.settings.get(), self.empty.clone());
        let agent = settings.roles.get(&turn.role).unwrap_or(&settings.default).clone();
        let mut agent = agent.of_account(turn.account.as_ref());
        let logins = &agent.program.logins;
        let in_use = match self.accounts.take(logins, (start.issue, start.attempt)) {
            Ok(in_use) => in_use,
            Err(file) => {
                let why = format!("another turn uses the login {}", file.display());
                return Answer::Later { until: None, why };
            }
        };
        let (turn, prompt) = (turn.clone(), start.prompt.to_owned());
        let (opencode, remarks) = (self.opencode.clone(), start.remarks.to_vec());
        self.jobs.start(start, move |ticket| {
            if agent.program.kind == Kind::OpenCode && agent.program.opencode.is_none() {
                match opencode.get_or_init(|| managed_folder(&shop)) {
                    Ok(folder) => agent.program.opencode = Some(folder.clone()),
                    Err(why) => {
                        let (reason, class) = (why.clone(), EndClass::Crashed);
                        return (Outcome::AgentFailed { reason, class }, Vec::new());
                    }
                }
            }
            let (agent, turn, prompt) = (&agent, &turn, prompt.as_str());
            let (shop, empty, remarks) = (&shop, &empty, remarks.as_slice());
            let runner = turn::TurnRunner { shop, agent, empty, ticket, turn, prompt, remarks };
            let ending = runner.take();
            drop(in_use);
            ending
        })
    }
}

fn managed_folder(shop: &Workshop) -> Result<PathBuf, String> {
    let folder = shop.home.opencode();
    make_opencode_folder(&folder).map_err(|error| in_full(&error))?;
    Ok(folder)
}
