//! From the operator's settings to a running daemon: the store opened and locked, the forge asked who we are,
//! the ports made.

use super::degraded::Troubles;
use super::events::Events;
use super::identity::{Identity, OtherIdentity};
use super::idle::Unread;
use super::left_out::{LeftOut, Outside};
use super::measures::Counts;
use super::metrics_endpoint;
use super::own_home;
use super::ports::{self, Variables};
use super::reload::Settings as Operator;
use super::requests::{CountedTransport, Requests};
use super::room::Room;
use super::sweep::Sweeping;
use super::tasks::{TaskWorker, Tasks};
use super::webhooks;
use super::{Daemon, Event, EventListener, Wake, Waker};
use crate::agent_versions::Warnings;
use crate::config::{Config, Secret, TokenSource};
use crate::containment::{self, Sandbox};
use crate::home::Home;
use crate::log::Log;
use crate::notify::{self, ListenError};
use crate::reach::{self, Credentials};
use crate::wall_clock;
use ralph_adapters::git::Identity as Author;
use ralph_adapters::git_workspaces::Remote;
use ralph_adapters::http_transport::HttpTransport;
use ralph_adapters::jobs::Report;
use ralph_adapters::{Adapters, Settings};
use ralph_contain::View;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::Instance;
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use ralph_engine::store::{OpenError, Store, Takeover, WriterProof};
use ralph_engine::{Engine, EngineError};
use ralph_github::{Account, Client};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The options with which a daemon is started.
pub(crate) struct StartOptions {
    pub(crate) home: Home,
    /// The file of the settings, which is read again when it changes.
    pub(crate) config_file: PathBuf,
    pub(crate) config: Config,
    /// Accept a different account than last time.
    pub(crate) accepts_new_identity: bool,
    /// The proof of Ralph's identity.
    pub(crate) credentials: Credentials,
    /// The listener for deliveries, and the secret that they are signed with.
    pub(crate) webhooks: Option<(WebhookListener, Secret)>,
    /// This program, for the guard it runs as.
    pub(crate) executable: PathBuf,
    pub(crate) user_home: Option<PathBuf>,
    /// The environment, of which processes get what they may have.
    pub(crate) variables: Variables,
}

/// The listener for deliveries of webhooks.
pub(crate) enum WebhookListener {
    Open(TcpListener),
    /// Opened once the store is ours, so that a second daemon reports the first one and not a port in use.
    At(SocketAddr),
}

/// The reason why no daemon was started.
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
    #[error(transparent)]
    Identity(OtherIdentity),
    #[error("there is no repository to work in")]
    Repositories(Vec<LeftOut>),
    #[error("cannot listen at {address}")]
    Webhooks { address: SocketAddr, source: io::Error },
    #[error("cannot listen at {address}")]
    Metrics { address: SocketAddr, source: io::Error },
    #[error("{0}")]
    Setting(String),
    #[error("cannot listen for commands of this machine")]
    Listen(#[source] ListenError),
    #[error("cannot start threads")]
    Threads(#[source] io::Error),
}

/// An engine that has taken in the commands which arrived while no daemon ran.
fn engine(
    store: Store,
    proof: WriterProof,
    now: Time,
    policy: Policy,
) -> Result<Engine, EngineError> {
    let mut engine = Engine::with_proof(store, proof, now, policy, Default::default())?;
    engine.take_inbox(now)?;
    Ok(engine)
}

impl StartOptions {
    /// Opens everything. From here on the store is locked.
    pub(crate) fn start(mut self, listener: EventListener) -> Result<(Daemon, Waker), StartError> {
        let home = own_home::prepared(&self.home)?;
        let mut store = own_home::open_store(&home)?;
        let now = wall_clock::now();
        let log = self.log(&home);
        let _log = log.here();
        let mut events = Events(listener);
        let status = own_home::introduce(&home, now, self.config.max_workers);
        let webhooks = self.webhooks.take().map(bound).transpose()?;
        let metrics = self.config.metrics_listen.map(metrics_socket).transpose()?;
        let notifications = Arc::new(notify::listen(&home, &store).map_err(StartError::Listen)?);
        let (account, transport) = self.forge()?;
        let requests = Requests::default();
        let counted = CountedTransport { transport, requests: requests.clone() };
        let mut client = Client::new(counted.clone(), account.clone());
        let token = &self.config.forge.token;
        let identity = Identity::learn(&mut client, &mut store, token, self.accepts_new_identity)?;
        let outside = self.repositories(&mut client, &identity, now)?;
        outside.left_out().for_each(|found| events.emit(Event::LeftOut(&found)));
        let (waker, wakes) = channel();
        let worktrees = managed_root(&home)?;
        let sandbox = self.sandbox(&mut events);
        let adapters =
            self.adapters((&home, &worktrees, &sandbox), (&account, counted.clone()), &waker)?;
        let is_draining = store.draining().map_err(store_failed)?.is_some();
        let mut policy = self.config.policy(identity.login.clone(), worktrees, is_draining);
        outside.exclude(&mut policy);
        policy.has_no_sandbox = matches!(sandbox, Sandbox::Missing(_));
        policy.instance = Some(instance(&mut store, now)?);
        let reported = store.journal_end().map_err(store_failed)?;
        let proof = lease(&mut store, now)?;
        adapters.sweep().map_err(|source| StartError::Home { path: home.runs(), source })?;
        let engine = engine(store, proof, now, policy).map_err(StartError::Engine)?;
        self.log_start(&engine);
        let hand = || TaskWorker {
            forge: Client::new(counted.clone(), account.clone()),
            adapters: adapters.clone(),
            confirmed: identity.confirmed(),
        };
        let tasks = Tasks::new(&waker, hand).map_err(StartError::Threads)?;
        Self::listen(webhooks, metrics, &notifications, &waker)?;
        let daemon = Daemon {
            engine,
            adapters,
            account,
            tasks,
            wakes,
            home,
            status,
            events,
            log,
            faults_reported: 0,
            floods_reported: BTreeSet::new(),
            counts: Counts::default(),
            requests,
            reported,
            unread: Unread::default(),
            identity,
            outside,
            troubles: Troubles::default(),
            settings: Operator::new(self.config_file, self.config, now),
            sandbox,
            room: Room::default(),
            variables: self.variables,
            renewed: now,
            sweeping: Sweeping::from(now),
            agent_versions: Warnings::default(),
            notifications,
        };
        Ok((daemon, waker))
    }

    fn log_start(&self, engine: &Engine) {
        let (pid, version) = (std::process::id(), env!("CARGO_PKG_VERSION"));
        let (forge, login) = (&self.config.forge.url, engine.policy().bot.as_str());
        tracing::info!(pid, version, forge, login, repos = self.config.repos.len(), "started");
    }

    /// Looks at all that is configured. If nothing can be done anywhere, that is a mistake.
    fn repositories(
        &self,
        client: &mut Client<CountedTransport>,
        identity: &Identity,
        now: Time,
    ) -> Result<Outside, StartError> {
        if !identity.is_confirmed() {
            return Ok(Outside::unknown(now));
        }
        let outside = Outside::find(client, &identity.login, &self.config, now);
        let left_out: Vec<_> = outside.left_out().collect();
        if !left_out.is_empty() && left_out.len() == self.config.repos.len() {
            return Err(StartError::Repositories(left_out));
        }
        Ok(outside)
    }

    /// Without what must not be in it.
    fn log(&self, home: &Home) -> Log {
        let secret = self.webhooks.as_ref().map(|(_, secret)| secret);
        let own = self.credentials.secret();
        let secrets: Vec<_> = [&own].into_iter().chain(secret).collect();
        Log::below(home.logs(), &secrets)
    }

    /// Everything that wakes the daemon from outside.
    fn listen(
        webhooks: Option<(TcpListener, Secret)>,
        metrics: Option<TcpListener>,
        notifications: &Arc<notify::NotificationListener>,
        waker: &Waker,
    ) -> Result<(), StartError> {
        if let Some(socket) = metrics {
            metrics_endpoint::listen(socket, waker.clone()).map_err(StartError::Threads)?;
        }
        let (listener, notified_waker) = (Arc::downgrade(notifications), waker.clone());
        let notified =
            std::thread::Builder::new().name("notifications".to_owned()).spawn(move || {
                while let Some(listener) = listener.upgrade() {
                    match listener.wait(Some(LISTEN)) {
                        Ok(true) if notified_waker.send(Wake::Notified).is_err() => break,
                        Ok(_) => {}
                        Err(_) => break,
                    }
                }
            });
        notified.map_err(StartError::Threads)?;
        let Some((listener, secret)) = webhooks else { return Ok(()) };
        let secret = ralph_github::Secret::new(secret.reveal());
        webhooks::listen(listener, secret, waker.clone()).map_err(StartError::Threads)
    }

    fn forge(&self) -> Result<(Arc<Account>, HttpTransport), StartError> {
        let setting = |error: &dyn std::error::Error| StartError::Setting(error.to_string());
        let transport = HttpTransport::new(&reach::http_settings());
        let transport = transport.map_err(|error| setting(&error))?;
        let account = reach::account(&self.config, &self.credentials);
        Ok((Arc::new(account.map_err(|error| setting(&error))?), transport))
    }

    fn path(&self) -> OsString {
        self.variables.get(&OsString::from("PATH")).cloned().unwrap_or_default()
    }

    /// Looks for one, and says so if the operator does without.
    fn sandbox(&self, events: &mut Events) -> Sandbox {
        let sandbox = Sandbox::find(self.config.isolation().sandbox, &self.path());
        if sandbox == Sandbox::Off {
            events.emit(Event::Note(containment::OFF));
        }
        sandbox
    }

    fn adapters(
        &self,
        (home, worktrees, sandbox): (&Home, &ManagedRoot, &Sandbox),
        (account, transport): (&Arc<Account>, CountedTransport),
        waker: &Waker,
    ) -> Result<Adapters, StartError> {
        let view = View {
            path: self.path(),
            user_home: self.user_home.clone(),
            shown: self.config.isolation().paths.clone(),
            secret: reach::secret_files(&self.config_file, &self.config.forge),
        };
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
            launcher: containment::launcher(self.executable.clone(), sandbox, view),
            agents: ports::agents(&self.config, &self.variables),
            gates: ports::gates(&self.config, &self.variables),
            path: self.path(),
        };
        let (sender, reports) = channel();
        forward(reports, waker.clone()).map_err(StartError::Threads)?;
        Adapters::open(settings, sender).map_err(|error| StartError::Setting(error.to_string()))
    }
}

/// This process is the one that writes: the lock on the home says that no other is left.
fn lease(store: &mut Store, now: Time) -> Result<WriterProof, StartError> {
    let owner = format!("process {}", std::process::id());
    let proof = store.take_writer_lease(&owner, now, Takeover::HolderIsGone);
    proof.map_err(|error| StartError::Engine(EngineError::Lease(error)))
}

/// This Ralph, as others see it in its marks.
fn instance(store: &mut Store, now: Time) -> Result<Instance, StartError> {
    let id = store.instance().map_err(store_failed)?;
    let start = store.draw_name().map_err(store_failed)?;
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = Some(host.trim()).filter(|host| !host.is_empty()).unwrap_or("a machine");
    let name = format!("{host} (store {})", id.get(..6).unwrap_or(&id));
    let was_away = !store.was_alive(now).map_err(store_failed)?;
    let is_behind = store.is_behind();
    Ok(Instance { store: id, start, name, was_away, is_behind })
}

/// The author of Ralph's commits.
pub(crate) fn author() -> Author {
    Author { name: "Ralph".to_owned(), email: "ralph@localhost".to_owned() }
}

/// The time that the listener waits before it looks whether it is still wanted.
const LISTEN: Duration = Duration::from_secs(5);

fn forward(reports: Receiver<Report>, waker: Waker) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("reports".to_owned()).spawn(move || {
        for report in reports {
            if waker.send(Wake::Work(Box::new(report))).is_err() {
                break;
            }
        }
    });
    thread.map(drop)
}

fn bound(
    (listener, secret): (WebhookListener, Secret),
) -> Result<(TcpListener, Secret), StartError> {
    let listener = match listener {
        WebhookListener::Open(listener) => listener,
        WebhookListener::At(address) => {
            TcpListener::bind(address).map_err(|source| StartError::Webhooks { address, source })?
        }
    };
    Ok((listener, secret))
}

fn metrics_socket(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).map_err(|source| StartError::Metrics { address, source })
}

fn store_failed(error: ralph_engine::store::StoreError) -> StartError {
    StartError::Engine(EngineError::Store(error))
}

fn managed_root(home: &Home) -> Result<ManagedRoot, StartError> {
    let root = ManagedRoot::new(&home.worktrees().to_string_lossy());
    root.ok_or_else(|| no_root(home.path()))
}

fn no_root(home: &Path) -> StartError {
    StartError::Setting(format!("{} cannot hold worktrees; choose another home", home.display()))
}
