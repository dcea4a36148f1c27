//! The server: it accepts connections on loopback, answers by the script, and records what was asked.

mod answer;

use crate::play::Play;
use crate::script::Script;
use crate::wire::Wire;
use serde_json::Value;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A scripted model that answers until it is dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listening: Option<JoinHandle<()>>,
}

/// A request and its answer.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub method: String,
    pub path: String,
    /// Without credentials.
    pub headers: Vec<(String, String)>,
    pub body: Value,
    /// The role of the script that played.
    pub role: Option<String>,
    pub answer: Answer,
}

/// The kind of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A reply by the script.
    Reply(Wire),
    /// A reply to a request without tools, which is the agent's own: a title or a summary.
    Aside(Wire),
    /// A scripted failure.
    Failed(Wire),
    /// A list of models, a number of tokens, a sign of life.
    Told,
    /// Not understood, with the reason.
    Refused(String),
}

#[derive(Debug)]
struct Shared {
    play: Mutex<Play>,
    recorded: Mutex<Vec<Recorded>>,
    /// Told whenever a request is recorded.
    news: Condvar,
    /// Open connections, to be closed at the end. Nothing after the end.
    open: Mutex<Option<Vec<TcpStream>>>,
}

impl Server {
    /// Listens on a free port of loopback.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            play: Mutex::new(Play::new(script)),
            recorded: Mutex::default(),
            news: Condvar::new(),
            open: Mutex::new(Some(Vec::new())),
        });
        let listening = thread::spawn({
            let shared = Arc::clone(&shared);
            move || listen(&listener, &shared)
        });
        Ok(Self { address, shared, listening: Some(listening) })
    }

    /// The provider is well again: from now on no step of the script fails.
    pub fn recover(&self) {
        held(&self.shared.play).recover();
    }

    /// The address without a path, as `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[must_use]
    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    /// Every request so far, in the order of their answers.
    #[must_use]
    pub fn recorded(&self) -> Vec<Recorded> {
        held(&self.shared.recorded).clone()
    }

    /// Waits until a request was answered for which `is` holds; `false` if there was none within `limit`.
    #[must_use]
    pub fn wait_for(&self, is: impl Fn(&Recorded) -> bool, limit: Duration) -> bool {
        let recorded = held(&self.shared.recorded);
        let none_yet = |recorded: &mut Vec<Recorded>| !recorded.iter().any(&is);
        let waited = self.shared.news.wait_timeout_while(recorded, limit, none_yet);
        let (recorded, _) = waited.unwrap_or_else(PoisonError::into_inner);
        recorded.iter().any(is)
    }

    /// The reasons of all requests that were not understood.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        let refusal = |recorded: Recorded| match recorded.answer {
            Answer::Refused(reason) => Some(reason),
            Answer::Reply(_) | Answer::Aside(_) | Answer::Failed(_) | Answer::Told => None,
        };
        self.recorded().into_iter().filter_map(refusal).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        for connection in held(&self.shared.open).take().into_iter().flatten() {
            // A connection that the agent has closed already cannot be closed again.
            drop(connection.shutdown(Shutdown::Both));
        }
        // Wakes the listener, which then finds that this is the end.
        drop(TcpStream::connect(self.address));
        if let Some(listening) = self.listening.take() {
            drop(listening.join());
        }
    }
}

fn listen(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        let Ok(connection) = connection else { continue };
        let Ok(copy) = connection.try_clone() else { continue };
        match held(&shared.open).as_mut() {
            Some(open) => open.push(copy),
            None => return,
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // An agent that goes away in the middle of an answer is no failure of the model.
            drop(answer::connection(&connection, &shared));
            drop(connection.shutdown(Shutdown::Both));
        });
    }
}

/// What a mutex guards, also after a thread that held it has panicked.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
