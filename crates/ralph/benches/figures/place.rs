//! A forge with the sample repository in it and a home for a daemon, all in one folder that goes afterwards.

use crate::process::Running;
use crate::{Outcome, clock, wait};
use ralph_cli::demo::owner::Owner;
use ralph_cli::demo::project::{CHECK, PREFLIGHT};
use ralph_cli::home::Home;
use ralph_engine::store::{Reader, StatusReport};
use ralph_forge::RouteCount;
use serde::Deserialize;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

const SECRET: &str = "between two processes of one measurement";
const OWNER: &str = "you";
/// A daemon or forge that takes longer to begin has gone wrong.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time without a request after which the daemon counts as idle.
const QUIET: Duration = Duration::from_millis(1_500);

pub(crate) struct Place {
    pub(crate) owner: Owner,
    pub(crate) home: Home,
    forge: Running,
    pub(crate) greeting: Greeting,
    folder: TempDir,
}

/// The first line of a forge that is ready.
#[derive(Debug, Deserialize)]
pub(crate) struct Greeting {
    pub(crate) url: String,
    pub(crate) owner: Someone,
    pub(crate) bot: Someone,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Someone {
    pub(crate) login: String,
    pub(crate) token: String,
}

/// The agent that takes the turns.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Agent<'a> {
    /// A program and its arguments.
    Program(&'a [&'a str]),
    /// The command for a shell.
    Script(&'a str),
}

/// The settings that differ from one measurement to another.
#[derive(Debug)]
pub(crate) struct Settings<'a> {
    pub(crate) agent: Agent<'a>,
    pub(crate) poll_interval: &'a str,
    /// Further lines about the repository.
    pub(crate) repo: &'a str,
}

impl Place {
    /// Starts a forge and fills it; no daemon yet.
    pub(crate) fn set(settings: &Settings<'_>) -> Outcome<Self> {
        let folder = tempfile::Builder::new().prefix("ralph-figures-").tempdir()?;
        let path = folder.path();
        let home = Home::at(path.join("home"));
        fs::create_dir_all(home.path())?;
        let data = path.join("forge");
        let words = ["forge", "serve", "--listen", "127.0.0.1:0", "--owner", OWNER, "--data"];
        let words = [words.as_slice(), &[data.to_str().ok_or("no text")?]].concat();
        let mut forge = Running::ralph(home.path(), &words, &[], &path.join("forge.log"))?;
        let mut line = String::new();
        let stdout = forge.stdout().ok_or("the forge says nothing")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let greeting: Greeting = serde_json::from_str(&line)?;
        let mut owner = Owner::new(&greeting.url, OWNER, &greeting.owner.token)?;
        owner.bring_project(&path.join("project"))?;
        // Freed again at once, so that the daemon can have it.
        let listener = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
        owner.add_hook(&format!("http://{listener}/"), SECRET)?;
        let script = path.join("agent.sh");
        let agent = match settings.agent {
            Agent::Program(words) => words.to_vec(),
            Agent::Script(text) => {
                fs::write(&script, text)?;
                vec!["bash", script.to_str().ok_or("no text")?]
            }
        };
        let lines = (settings.poll_interval, settings.repo);
        let config = configuration(lines, &agent, &greeting, (owner.repo(), listener));
        fs::write(home.config(), config)?;
        Ok(Self { owner, home, forge, greeting, folder })
    }

    /// Starts a daemon.
    pub(crate) fn start_daemon(&self) -> Outcome<Running> {
        let variables = [
            ("RALPH_FIGURES_TOKEN", self.greeting.bot.token.as_str()),
            ("RALPH_FIGURES_SECRET", SECRET),
        ];
        let log = self.folder.path().join("daemon.log");
        Running::ralph(self.home.path(), &["run"], &variables, &log)
    }

    /// Waits until a daemon has finished its first start and sends no more requests.
    pub(crate) fn settle(&mut self, daemon: &mut Running) -> Outcome<()> {
        let mut last = (self.charged()?, clock::now());
        wait::until("the daemon comes to rest", PATIENCE, || {
            if daemon.has_ended()? {
                return Err(format!("the daemon ended: {}", self.log()).into());
            }
            let charged = self.charged()?;
            if charged != last.0 {
                last = (charged, clock::now());
            }
            let is_at_rest = last.1.elapsed() > QUIET && charged > 0;
            Ok((is_at_rest && self.status()?.outbox.is_empty()).then_some(()))
        })
    }

    /// The status of every issue in the daemon's store.
    pub(crate) fn status(&self) -> Outcome<StatusReport> {
        Ok(Reader::open(&self.home.store())?.status()?)
    }

    /// The daemon's requests to the forge so far, by route.
    pub(crate) fn requests(&mut self) -> Outcome<Vec<RouteCount>> {
        Ok(self.owner.client.requests_of(&self.greeting.bot.login)?)
    }

    fn charged(&mut self) -> Outcome<u64> {
        Ok(self.requests()?.iter().map(|row| row.count.charged).sum())
    }

    pub(crate) fn forge_id(&self) -> u32 {
        self.forge.id()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The bare repositories of the forge.
    pub(crate) fn forge_git(&self) -> PathBuf {
        self.folder.path().join("forge").join("git")
    }

    /// The last lines of the daemon's log.
    pub(crate) fn log(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("daemon.log")).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines.get(lines.len().saturating_sub(60)..).unwrap_or_default().join("\n")
    }

    /// Leaves the folder to be looked at.
    pub(crate) fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}

fn configuration(
    (poll_interval, lines): (&str, &str),
    agent: &[&str],
    greeting: &Greeting,
    (repo, listener): (&str, SocketAddr),
) -> String {
    format!(
        "max_workers = 4\npoll_interval = {poll_interval:?}\nwebhook_listen = \"{listener}\"\n\n\
         [forge]\nurl = {:?}\ntoken_env = \"RALPH_FIGURES_TOKEN\"\n\
         webhook_secret_env = \"RALPH_FIGURES_SECRET\"\nread_lag = \"0s\"\n\n\
         [agent]\nkind = \"command\"\ncommand = {agent:?}\nturn_timeout = \"1m\"\n\n\
         [[repos]]\nname = {repo:?}\npreflight_command = [{PREFLIGHT:?}]\n\
         required_checks = [{CHECK:?}]\nconcurrency_slots = 4\nrollup_idle = \"0s\"\nbatch_wait = \"0s\"\n{lines}\n",
        greeting.url,
    )
}
