//! A server from its start to its end.

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, mpsc};
use std::thread::{Builder, JoinHandle};

use ralph_contain::Containment;
use tokio::sync::oneshot;

use super::carrier::carry;
use super::endpoint::Endpoint;
use super::options::{Options, ServeError, check_login};
use crate::chance;
use crate::check_runner::{CheckPlaces, Workers, launch};
use crate::control::ServerNote;
use crate::deliver;
use crate::http::SiteSettings;
use crate::keeper::{Keeper, Kept, Opening};
use crate::model::permission::Permission;
use crate::persist::{DataFolder, Store};
use crate::process;

/// Someone with a token.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub login: String,
    pub token: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Credentials({}, ...)", self.login)
    }
}

/// A server that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    /// The address, without a slash at the end.
    pub url: String,
    pub owner: Credentials,
    pub bot: Credentials,
    /// The containment of checks on this machine.
    pub containment: Containment,
    /// The repairs and set-aside repositories of the start, in words.
    pub notices: Vec<String>,
    stop: Option<oneshot::Sender<()>>,
    carrier: Option<JoinHandle<()>>,
    keeper: Option<(Keeper, JoinHandle<()>)>,
    workers: Option<Workers>,
    folder: Option<DataFolder>,
}

impl Running {
    /// Opens the data folder and the socket, in this order, so that no request is answered too early.
    ///
    /// # Errors
    /// The address is taken, the folder is held or damaged, or git is missing.
    pub fn start(options: Options) -> Result<Self, ServeError> {
        check_options(&options)?;
        let mut folder = match &options.data {
            Some(path) => DataFolder::open(path)?,
            None => DataFolder::temporary()?,
        };
        let listener = listen(options.listen)?;
        let system = |doing| move |source| ServeError::System { doing, source };
        let address = listener.local_addr().map_err(system("read the address"))?;
        let url = format!("http://{address}");
        folder.sign(&format!("process {} at {url}", std::process::id()))?;
        let (outbox, deliveries) = mpsc::channel();
        let opening = Opening { settings: settings(&options, &url)?, git: folder.inside("git")? };
        let (jobs, due) = mpsc::channel();
        let mut kept = Kept::open(Store::open(folder.path())?, opening, outbox, jobs)?;
        let secret = folder.secret().map_err(system("keep a secret"))?;
        let mut introduce = |login: &str, token: Option<String>, role| {
            introduce(&mut kept, &secret, Someone { login, token, role })
        };
        let owner = introduce(&options.owner, options.owner_token.clone(), Permission::None)?;
        let bot = introduce(&options.bot, options.bot_token.clone(), Permission::Write)?;
        let notices = kept.take_notices();
        let start = system("start a thread");
        let (keeper, thread) = Keeper::start(kept).map_err(start)?;
        deliver::start(deliveries, keeper.clone()).map_err(start)?;
        let (launcher, network) = (launch::launcher(&options), launch::network(&options));
        let containment = launcher.containment.clone();
        let mut hidden = options.hidden_from_checks;
        hidden.push(folder.path().to_owned());
        let places = CheckPlaces { checks: folder.inside("checks")?, hidden, launcher, network };
        let workers = Workers::start(due, keeper.clone(), places).map_err(start)?;
        let control_token = chance::token().map_err(system("make a token"))?;
        let note = ServerNote { url: url.clone(), token: control_token.clone() };
        note.leave(folder.path()).map_err(system("write into the folder"))?;
        let import_room = folder.inside("import")?;
        let (keeper_of_endpoint, patience) = (keeper.clone(), options.patience);
        let endpoint =
            Endpoint { keeper: keeper_of_endpoint, control_token, import_room, patience };
        let endpoint = Arc::new(endpoint);
        let (stop, stopped) = oneshot::channel();
        let carrier = Builder::new().name("forge-carrier".to_owned());
        let carrier = carrier.spawn(move || carry(listener, endpoint, stopped)).map_err(start)?;
        Ok(Self {
            url,
            owner,
            bot,
            containment,
            notices,
            stop: Some(stop),
            carrier: Some(carrier),
            keeper: Some((keeper, thread)),
            workers: Some(workers),
            folder: Some(folder),
        })
    }

    /// Lets requests on their way finish, keeps everything, and lets go of the folder.
    pub fn stop(mut self) {
        self.end();
    }

    /// Waits until something else ends it.
    pub fn wait(mut self) {
        self.carrier.take().map(JoinHandle::join);
    }

    /// Stops accepting connections, then ends what runs, then keeps everything. Parts that have ended already
    /// are skipped.
    fn end(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
        self.carrier.take().map(JoinHandle::join);
        let workers = self.workers.take();
        if let Some(workers) = &workers {
            workers.end_processes();
        }
        if let Some((keeper, thread)) = self.keeper.take() {
            keeper.stop();
            drop(thread.join());
        }
        if let Some(workers) = workers {
            workers.join();
        }
        if let Some(folder) = self.folder.take() {
            ServerNote::take_away(folder.path());
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn check_options(options: &Options) -> Result<(), ServeError> {
    check_login(&options.owner)?;
    check_login(&options.bot)?;
    if options.owner.eq_ignore_ascii_case(&options.bot) {
        return Err(ServeError::SameLogin { role: "owner", login: options.owner.clone() });
    }
    process::trouble_with_git().map_or(Ok(()), |detail| Err(ServeError::Git { detail }))
}

fn settings(options: &Options, url: &str) -> Result<SiteSettings, ServeError> {
    let system = |source| ServeError::System { doing: "make a secret", source };
    Ok(SiteSettings {
        base_url: url.to_owned(),
        requests_per_hour_max: options.requests_per_hour_max,
        changes_per_minute_max: options.changes_per_minute_max,
        allow_faults: options.allow_faults,
        token_seed: chance::token().map_err(system)?,
    })
}

fn listen(address: SocketAddr) -> Result<TcpListener, ServeError> {
    let listener = TcpListener::bind(address).map_err(|source| {
        let is_taken = source.kind() == io::ErrorKind::AddrInUse;
        let failed = ServeError::Listen { address, source };
        if is_taken { ServeError::AddressInUse { address } } else { failed }
    })?;
    let listening = listener.set_nonblocking(true);
    listening.map_err(|source| ServeError::Listen { address, source })?;
    Ok(listener)
}

/// One of the two whom every start knows.
struct Someone<'a> {
    login: &'a str,
    /// None for the same one as at every start.
    token: Option<String>,
    role: Permission,
}

/// Makes sure that someone is there and has a token: that of earlier starts, or the next one after
/// those that were revoked.
fn introduce(
    kept: &mut Kept,
    secret: &str,
    someone: Someone<'_>,
) -> Result<Credentials, ServeError> {
    let Someone { login, token, role } = someone;
    let is_good = |token: &String| !kept.site().is_revoked(token);
    let mut own = (0..u32::MAX).map(|revoked| chance::token_of(secret, login, revoked));
    let token = token.or_else(|| own.find(is_good)).unwrap_or_default();
    let credentials = Credentials { login: login.to_owned(), token };
    kept.introduce(login, &credentials.token, role)?;
    Ok(credentials)
}
