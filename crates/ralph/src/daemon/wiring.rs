//! From the operator's settings to a running daemon: the store opened and locked, the forge asked who we are,
//! the ports made.

use super::errands::{Errands, Hand};
use super::idle::Unread;
use super::left_out::{self, LeftOut};
use super::own_home;
use super::webhooks;
use super::{Audience, Daemon, Told, Wake, Waker};
use crate::config::{AgentConfig, Config, Secret, TokenSource};
use crate::containment;
use crate::daemon_status::{DaemonStatus, Workers};
use crate::home::Home;
use crate::poke::{self, ListenError};
use crate::reach::{self, Credentials};
use crate::wall_clock;
use ralph_adapters::agent::{AgentCommand, AgentSettings};
use ralph_adapters::gate_runner::GateSettings;
use ralph_adapters::git::Identity;
use ralph_adapters::git_workspaces::Remote;
use ralph_adapters::http_transport::HttpTransport;
use ralph_adapters::jobs::Report;
use ralph_adapters::{Adapters, Settings};
use ralph_core::ids::Login;
use ralph_core::job::Role;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::time::Span;
use ralph_engine::store::{OpenError, Takeover};
use ralph_engine::{Engine, EngineError};
use ralph_github::{Account, Client, DegradedKind};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Variables that every process of Ralph's gets.
const ALLOWED: [&str; 3] = ["PATH", "LANG", "TERM"];

/// What a daemon is started with.
pub(crate) struct Plan {
    pub(crate) home: Home,
    pub(crate) config: Config,
    /// How Ralph proves who it is.
    pub(crate) credentials: Credentials,
    /// Where deliveries come in, and the secret they are signed with.
    pub(crate) webhooks: Option<(Ear, Secret)>,
    /// This program, for the guard it runs as.
    pub(crate) executable: PathBuf,
    pub(crate) user_home: Option<PathBuf>,
    /// The environment, of which processes get what they may have.
    pub(crate) variables: BTreeMap<OsString, OsString>,
}

/// Where deliveries come in.
pub(crate) enum Ear {
    Open(TcpListener),
    /// Opened once the store is ours: a second daemon is told of the first, and not of a port.
    At(SocketAddr),
}

/// Why no daemon was started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("the folder {} cannot be used", path.display())]
    Home { path: PathBuf, source: io::Error },
    #[error("{} is in use by {holder}", home.display())]
    InUse { home: PathBuf, holder: String },
    #[error(transparent)]
    Open(OpenError),
    #[error(transparent)]
    Engine(EngineError),
    #[error("{0}")]
    Forge(String),
    #[error("the forge at {address} refuses the token {}: {why}", token.place())]
    Token { address: String, token: TokenSource, why: String },
    #[error("there is no repository to work in")]
    Repositories(Vec<LeftOut>),
    #[error("{address} cannot be listened at")]
    Webhooks { address: SocketAddr, source: io::Error },
    #[error("{0}")]
    Setting(String),
    #[error("no commands of this machine can be heard")]
    Poke(#[source] ListenError),
    #[error("threads cannot be started")]
    Threads(#[source] io::Error),
}

impl Plan {
    /// Opens everything. From here on the store is locked.
    pub(crate) fn start(mut self, mut audience: Audience) -> Result<(Daemon, Waker), StartError> {
        let home = own_home::prepared(&self.home)?;
        let mut store = own_home::open_store(&home)?;
        let now = wall_clock::now();
        let status = DaemonStatus {
            pid: std::process::id(),
            started: now,
            heartbeat: now.minus(Span::from_mins(1)),
            workers: Workers { busy: 0, max: self.config.max_workers },
            budget: None,
            degraded: Vec::new(),
            config_error: None,
        };
        // Whoever comes second reads there who we are. A full disk keeps nobody from working.
        drop(DaemonStatus { heartbeat: now, ..status.clone() }.write(&home));
        let webhooks = self.webhooks.take().map(bound).transpose()?;
        let poke = Arc::new(poke::listen(&home, &store).map_err(StartError::Poke)?);
        let (account, transport) = self.forge()?;
        let mut client = Client::new(transport.clone(), account.clone());
        let bot = self.identity(&mut client)?;
        let left_out = left_out::find(&mut client, &bot, &self.config);
        if !left_out.is_empty() && left_out.len() == self.config.repos.len() {
            return Err(StartError::Repositories(left_out));
        }
        left_out.iter().for_each(|found| audience(Told::LeftOut(found)));
        let (waker, wakes) = channel();
        let worktrees = ManagedRoot::new(&home.worktrees().to_string_lossy());
        let worktrees = worktrees.ok_or_else(|| no_root(home.path()))?;
        let adapters = self.adapters(&home, &worktrees, (&account, transport.clone()), &waker)?;
        let is_draining = store.draining().map_err(store_failed)?.is_some();
        let mut policy = self.config.policy(bot, worktrees, is_draining);
        policy.repos.retain(|name, _| left_out.iter().all(|found| found.repo != *name));
        let told = store.journal_end().map_err(store_failed)?;
        let owner = format!("process {}", std::process::id());
        let proof = store
            .take_writer_lease(&owner, now, Takeover::HolderIsGone)
            .map_err(|error| StartError::Engine(EngineError::Lease(error)))?;
        adapters.sweep().map_err(|source| StartError::Home { path: home.runs(), source })?;
        let engine = Engine::with_proof(store, proof, now, policy, Default::default());
        let mut engine = engine.map_err(StartError::Engine)?;
        engine.take_inbox(now).map_err(StartError::Engine)?;
        let hand = || Hand {
            forge: Client::new(transport.clone(), account.clone()),
            adapters: adapters.clone(),
        };
        let errands = Errands::new(&waker, hand).map_err(StartError::Threads)?;
        Self::listen(webhooks, &poke, &waker)?;
        let daemon = Daemon {
            engine,
            adapters,
            account,
            errands,
            wakes,
            home,
            status,
            audience,
            told,
            unread: Unread::default(),
            left_out,
            renewed: now,
            facts_kept: self.config.retention.facts,
            pruned: now.minus(Span::from_mins(24 * 60)),
            poke,
        };
        Ok((daemon, waker))
    }

    /// Everything that wakes the daemon from outside.
    fn listen(
        webhooks: Option<(TcpListener, Secret)>,
        poke: &Arc<poke::PokeListener>,
        waker: &Waker,
    ) -> Result<(), StartError> {
        let (ear, nudge) = (Arc::downgrade(poke), waker.clone());
        let poked = std::thread::Builder::new().name("pokes".to_owned()).spawn(move || {
            while let Some(ear) = ear.upgrade() {
                match ear.wait(Some(LISTEN)) {
                    Ok(true) if nudge.send(Wake::Poked).is_err() => break,
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        });
        poked.map_err(StartError::Threads)?;
        let Some((ear, secret)) = webhooks else { return Ok(()) };
        let secret = ralph_github::Secret::new(secret.reveal());
        webhooks::listen(ear, secret, waker.clone()).map_err(StartError::Threads)
    }

    fn identity(&self, client: &mut Client<HttpTransport>) -> Result<Login, StartError> {
        client.identity().map_err(|unread| {
            let address = client.account().address().as_str().to_owned();
            let why = unread.why;
            let degraded = client.account().snapshot().degraded;
            if degraded.is_some_and(|found| found.kind == DegradedKind::Credentials) {
                return StartError::Token { address, token: self.config.forge.token.clone(), why };
            }
            StartError::Forge(format!("the forge at {address} does not say who we are: {why}"))
        })
    }

    fn forge(&self) -> Result<(Arc<Account>, HttpTransport), StartError> {
        let setting = |error: &dyn std::error::Error| StartError::Setting(error.to_string());
        let transport = HttpTransport::new(&reach::http_settings());
        let transport = transport.map_err(|error| setting(&error))?;
        let account = reach::account(&self.config, &self.credentials);
        Ok((Arc::new(account.map_err(|error| setting(&error))?), transport))
    }

    fn adapters(
        &self,
        home: &Home,
        worktrees: &ManagedRoot,
        (account, transport): (&Arc<Account>, HttpTransport),
        waker: &Waker,
    ) -> Result<Adapters, StartError> {
        let path = self.variables.get(&OsString::from("PATH")).cloned().unwrap_or_default();
        let roles = Role::ALL.map(|role| (role, self.agent(self.config.agent(role.name()))));
        let caches = self.config.repos.iter().map(|(name, repo)| {
            (name.clone(), repo.cache_dirs.iter().map(PathBuf::from).collect())
        });
        let settings = Settings {
            home: home.path().to_owned(),
            worktrees: worktrees.clone(),
            git: PathBuf::from("git"),
            identity: author(),
            remote: Remote {
                base_url: account.address().git().to_owned(),
                token: reach::git_tokens(account, transport),
                fence: self.config.sandbox.clone(),
                proxy: None,
            },
            guard: containment::guard(self.executable.clone(), &path, self.user_home.as_deref()),
            agents: AgentSettings {
                default: self.agent(self.config.agent("")),
                roles: roles.into(),
            },
            gates: GateSettings { environment: self.allowed(&[]), cache_dirs: caches.collect() },
            path,
        };
        let (sender, reports) = channel();
        forward(reports, waker.clone()).map_err(StartError::Threads)?;
        Adapters::open(settings, sender).map_err(|error| StartError::Setting(error.to_string()))
    }

    fn agent(&self, agent: &AgentConfig) -> AgentCommand {
        AgentCommand {
            command: agent.command.clone(),
            idle_timeout: Duration::from_millis(
                u64::try_from(agent.idle_timeout.as_millis()).unwrap_or_default(),
            ),
            environment: self.allowed(&agent.pass_env),
        }
    }

    fn allowed(&self, also: &[String]) -> BTreeMap<OsString, OsString> {
        let names = ALLOWED.iter().copied().chain(also.iter().map(String::as_str));
        let pairs = names.filter_map(|name| self.variables.get_key_value(&OsString::from(name)));
        pairs.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

/// Who commits what Ralph commits.
pub(crate) fn author() -> Identity {
    Identity { name: "Ralph".to_owned(), email: "ralph@localhost".to_owned() }
}

/// How long the ear listens before it looks whether it is still wanted.
const LISTEN: Duration = Duration::from_secs(5);

fn forward(reports: Receiver<Report>, waker: Waker) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("reports".to_owned()).spawn(move || {
        for report in reports {
            if waker.send(Wake::Work(report)).is_err() {
                break;
            }
        }
    });
    thread.map(drop)
}

fn bound((ear, secret): (Ear, Secret)) -> Result<(TcpListener, Secret), StartError> {
    let ear = match ear {
        Ear::Open(ear) => ear,
        Ear::At(address) => {
            TcpListener::bind(address).map_err(|source| StartError::Webhooks { address, source })?
        }
    };
    Ok((ear, secret))
}

fn store_failed(error: ralph_engine::store::StoreError) -> StartError {
    StartError::Engine(EngineError::Store(error))
}

fn no_root(home: &Path) -> StartError {
    StartError::Setting(format!("{} cannot hold worktrees; choose another home", home.display()))
}
