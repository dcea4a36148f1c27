//! The demo's stage: folders, a forge with the sample repository in it, and a daemon at work. Taken down again
//! in reverse, whatever happened.

use super::DemoError;
use super::owner::Owner;
use super::project::{CHECK, PREFLIGHT};
use super::story::Sample;
use crate::config::{Config, Secret};
use crate::containment;
use crate::daemon::{
    Daemon, Event, RunError, StartError, StartOptions, Until, Wake, Waker, WebhookListener,
};
use crate::daemon_status::SandboxState;
use crate::environment::{self, Environment};
use crate::error::{CliError, NO_PROGRAM};
use crate::home::Home;
use crate::reach::Credentials;
use ralph_contain::Containment;
use ralph_core::words::journal_line;
use ralph_engine::EngineError;
use ralph_forge::{Options, Running};
use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use tempfile::TempDir;

pub(super) const OWNER: &str = "you";
const BOT: &str = "ralph-bot";
/// The variable in which the settings look for the token when the kept demo is continued.
pub(super) const TOKEN_VARIABLE: &str = "RALPH_DEMO_TOKEN";

/// A line for the display.
#[derive(Debug)]
pub(super) enum News {
    /// A fact or a decision about an issue.
    Decided { issue: u64, line: String },
    /// A line of output of an issue's process.
    Output { issue: u64, line: String },
}

/// The folder and the forge of a kept demo.
#[derive(Debug)]
pub struct Kept {
    pub(super) folder: PathBuf,
    /// The address of its forge, where its settings look for it.
    pub(super) address: String,
}

pub(super) struct Stage {
    pub(super) home: Home,
    pub(super) issues: BTreeMap<u64, &'static Sample>,
    pub(super) news: Receiver<News>,
    owner: Owner,
    waker: Waker,
    daemon: JoinHandle<Result<(), RunError>>,
    forge: Running,
    /// `None` when everything is kept.
    temporary: Option<TempDir>,
    folder: PathBuf,
}

impl Stage {
    pub(super) fn set(
        keep: Option<&Path>,
        environment: &Environment,
        sandbox: SandboxState,
    ) -> Result<Self, CliError> {
        let (folder, temporary) = folder(keep)?;
        let executable = environment::this_program().map_err(CliError::internal(NO_PROGRAM))?;
        let forge = Running::start(Options {
            data: Some(folder.join("forge")),
            owner: OWNER.to_owned(),
            bot: BOT.to_owned(),
            // Its checks are the demo's own.
            unsafe_checks: true,
            guard: containment::guard(executable.clone()),
            ..Options::default()
        });
        let forge = forge.map_err(DemoError::Forge)?;
        let mut owner = Owner::new(&forge.url, OWNER, &forge.owner.token)?;
        owner.bring_project(&folder.join("project"))?;
        let listener = TcpListener::bind(("127.0.0.1", 0));
        let listener = listener.map_err(DemoError::file("find a free port for webhooks"))?;
        let address = listener.local_addr().map_err(DemoError::file("read a port"))?;
        // Between two processes of one demo on loopback, and different in each.
        let secret = Secret::new(&format!("{}-{address}", forge.bot.token));
        owner.add_hook(&format!("http://{address}/"), secret.reveal())?;
        let home = Home::at(folder.join("home"));
        let config = configuration(&forge, owner.repo(), &executable, sandbox);
        let made = DirBuilder::new().mode(0o700).create(home.path());
        made.map_err(DemoError::file("make the home"))?;
        fs::write(home.config(), &config)
            .and_then(|()| fs::set_permissions(home.config(), Permissions::from_mode(0o600)))
            .map_err(DemoError::file("write the settings"))?;
        let config = Config::load(&home.config())?;
        let (sender, news) = channel();
        let options = StartOptions {
            home: home.clone(),
            config_file: home.config(),
            accepts_new_identity: false,
            config,
            credentials: Credentials::Token(Secret::new(&forge.bot.token)),
            webhooks: Some((WebhookListener::Open(listener), secret)),
            executable,
            user_home: environment.user_home.clone(),
            variables: environment::variables(),
        };
        let (daemon, waker) = options.start(Box::new(move |event| forward(&sender, &event)))?;
        let daemon = work(daemon).map_err(DemoError::file("start a thread"))?;
        let issues = BTreeMap::new();
        Ok(Self { home, issues, news, owner, waker, daemon, forge, temporary, folder })
    }

    /// Returns whether the forge's checks run in a sandbox.
    pub(super) fn is_sandboxed(&self) -> bool {
        match self.forge.containment {
            Containment::Bubblewrap(_) => true,
            Containment::Guard | Containment::Refused => false,
        }
    }

    pub(super) fn open_issues(&mut self) -> Result<(), CliError> {
        self.issues = self.owner.open_issues()?;
        Ok(())
    }

    pub(super) fn merge_rollup(&mut self) -> Result<Option<u64>, CliError> {
        Ok(self.owner.merge_rollup()?)
    }

    pub(super) fn wake(&self, wake: Wake) {
        // A daemon that is gone needs no waking.
        drop(self.waker.send(wake));
    }

    /// Ends everything. Gives what is kept.
    pub(super) fn strike(self) -> Result<Option<Kept>, CliError> {
        self.wake(Wake::Stop);
        let ended = self.daemon.join();
        let address = self.forge.url.trim_start_matches("http://").to_owned();
        self.forge.stop();
        let kept = self.temporary.is_none().then_some(Kept { folder: self.folder, address });
        if let Some(temporary) = self.temporary {
            temporary.close().map_err(DemoError::file("remove the demo's folder"))?;
        }
        match ended {
            Ok(Ok(())) => Ok(kept),
            Ok(Err(RunError::Engine(error))) => Err(error.into()),
            Ok(Err(RunError::Identity(other))) => Err(StartError::Identity(other).into()),
            Err(_) => Err(EngineError::Broken.into()),
        }
    }
}

fn folder(keep: Option<&Path>) -> Result<(PathBuf, Option<TempDir>), DemoError> {
    let Some(path) = keep else {
        let temporary = tempfile::Builder::new().prefix("ralph-demo-").tempdir();
        let temporary = temporary.map_err(DemoError::file("make a folder"))?;
        let path = temporary.path().canonicalize().map_err(DemoError::file("find its folder"))?;
        return Ok((path, Some(temporary)));
    };
    fs::create_dir_all(path).map_err(DemoError::file("make the folder to keep"))?;
    let mut inside = fs::read_dir(path).map_err(DemoError::file("look into the folder"))?;
    if inside.next().is_some() {
        return Err(DemoError::NotEmpty { path: path.to_owned() });
    }
    let path = path.canonicalize().map_err(DemoError::file("find the folder"))?;
    Ok((path, None))
}

/// The settings a person would write; only those of [agent] are the demo's own.
fn configuration(forge: &Running, repo: &str, executable: &Path, sandbox: SandboxState) -> String {
    let quoted = |text: &str| format!("{text:?}");
    let program = quoted(&executable.to_string_lossy());
    let sandbox = match sandbox {
        SandboxState::On => "",
        SandboxState::Off | SandboxState::Missing => "sandbox = \"off\"\n",
    };
    format!(
        "max_workers = 4\npoll_interval = \"3s\"\n\n\
         [forge]\nurl = {}\ntoken_env = \"{TOKEN_VARIABLE}\"\nread_lag = \"0s\"\n\n\
         [agent]\nkind = \"command\"\ncommand = [{program}, \"demo-agent\"]\nturn_timeout = \"1m\"\n{sandbox}\n\
         [[repos]]\nname = {}\npreflight_command = [{}]\nrequired_checks = [{}]\n\
         concurrency_slots = 4\nrollup_idle = \"0s\"\nbatch_wait = \"0s\"\n",
        quoted(&forge.url),
        quoted(repo),
        quoted(PREFLIGHT),
        quoted(CHECK),
    )
}

fn work(daemon: Daemon) -> std::io::Result<JoinHandle<Result<(), RunError>>> {
    thread::Builder::new().name("daemon".to_owned()).spawn(move || daemon.run(Until::Stopped))
}

fn forward(sender: &Sender<News>, event: &Event<'_>) {
    let news = match event {
        Event::Fact(entry) => {
            let issue = entry.fact.subject.issue().map(|key| key.number);
            let line = journal_line(&entry.fact);
            issue.zip(line).map(|(issue, line)| News::Decided { issue, line })
        }
        Event::Output { issue, line } => {
            Some(News::Output { issue: issue.number, line: (*line).to_owned() })
        }
        // It has one repository, and made it itself.
        Event::LeftOut(_) | Event::Degraded(_) | Event::Well(_) | Event::Note(_) => None,
    };
    // The display may be gone.
    news.map(|news| drop(sender.send(news))).unwrap_or_default();
}
