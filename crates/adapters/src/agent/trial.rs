//! One tiny turn outside of every issue. It shows whether a program starts, reaches its model and answers, as it would in a
//! turn that only reads: with the same sandbox, network, private home and logins.

use super::conversation::{Conversation, Listener};
use super::protocol::{self, Failure, Feed, Order};
use super::surroundings::Surroundings;
use super::{AgentCommand, Kind, logins, make_opencode_folder, result_file};
use crate::git::Identity;
use crate::transcript::Secrets;
use ralph_contain::{
    Capture, Containment, Ending, Launcher, NotStarted, Process, Spec, Stream, Switch, Watch,
};
use ralph_core::excerpt::Excerpt;
use ralph_core::turn_end::{EndClass, Usage};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PROMPT: &str = "This is a test of the connection and no task. Use no tool and change nothing. \
                      Answer with one word: ready\n";
/// The part of the output that is kept, for the reason of a failure.
const OUTPUT_BYTES: usize = 8 * 1024;
/// The part of the reason that is shown.
const REASON_BYTES: usize = 500;

/// The place of a trial.
#[derive(Debug)]
pub struct Trial<'a> {
    pub launcher: &'a Launcher,
    pub identity: &'a Identity,
    /// An empty folder for everything that belongs to the trial.
    pub folder: &'a Path,
    /// A git repository, below the folder.
    pub place: &'a Path,
    /// Folders that the program must not see.
    pub hidden: Vec<PathBuf>,
    pub time: Duration,
}

/// The end of a trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub usage: Option<Usage>,
    /// `None`: the program answered.
    pub failure: Option<(EndClass, String)>,
}

/// The trial could not be made.
#[derive(Debug, thiserror::Error)]
pub enum NotTried {
    #[error("no command is configured")]
    NoCommand,
    #[error("the folders of the trial cannot be prepared")]
    Folders(#[from] io::Error),
    #[error("the configuration of OpenCode cannot be made")]
    Managed(#[from] super::NotManaged),
    #[error("the program does not start")]
    Start(#[from] NotStarted),
}

impl Trial<'_> {
    /// Takes the turn as this role.
    pub fn take(&self, agent: &AgentCommand, role: &str) -> Result<Tried, NotTried> {
        let mut agent = agent.clone();
        if agent.program.kind == Kind::OpenCode && agent.program.opencode.is_none() {
            let folder = self.folder.join("opencode");
            make_opencode_folder(&folder)?;
            agent.program.opencode = Some(folder);
        }
        let around = Surroundings::of_trial(self.folder, self.identity, PROMPT)?;
        let home = around.private_home();
        let is_sandboxed = matches!(self.launcher.containment, Containment::Bubblewrap(_));
        let order = Order {
            program: &agent.program,
            home: &home,
            place: self.place,
            prompt: PROMPT,
            session: None,
            may_write: false,
            is_sandboxed,
        };
        let mut protocol = protocol::of(agent.program.kind);
        let launch = protocol.launch(&order);
        around.furnish(&agent, &launch)?;
        let own = vec![("RALPH_ROLE", role.into())];
        let spec = around.spec((&agent, &launch), own, self.place).ok_or(NotTried::NoCommand)?;
        let named = (&agent, self.folder);
        let access = around.access(self.hidden.clone(), named, (self.place, true));
        let reach = agent.network.without_registries().open(self.place, &around.folder)?;
        let spec = Spec { access, network: reach.network(), limits: agent.limits, ..spec };
        let mut process = self.launcher.confined(&spec)?;
        let conversation = Conversation::new(protocol);
        if let (Feed::Talk(first), Some(input)) = (launch.input, process.stdin.take()) {
            conversation.open(input, first)?;
        }
        let tried = self.follow(process, &conversation, (&agent, &around));
        // A login that cannot be written back is the operator's to renew.
        drop(logins::bring_back(&home, &agent.program.logins));
        let mut tried = tried?;
        if let Some((_, says)) = &mut tried.failure {
            says.push_str(reach.refusals().trim_end());
        }
        Ok(tried)
    }

    fn follow(
        &self,
        process: Process,
        conversation: &Conversation,
        (agent, around): (&AgentCommand, &Surroundings),
    ) -> Result<Tried, NotTried> {
        let secrets = Secrets::among(&agent.environment);
        let events = around.folder.join("events.jsonl");
        let mut listener = Listener::create(conversation, &events, secrets.clone())?;
        let is_plain = agent.program.kind == Kind::Command;
        let (mut said, mut log) = (Capture::new(0, OUTPUT_BYTES), Capture::new(0, OUTPUT_BYTES));
        let switch = Switch::new()?;
        let mut watch = Watch { time: self.time, switch: &switch, monitor: None };
        let ending = process.follow(&mut watch, &mut |stream, bytes| match stream {
            Stream::Output if is_plain => said.take(bytes),
            Stream::Output => listener.take(bytes, &mut |_| {}),
            Stream::Error => log.take(bytes),
        })?;
        listener.finish(&mut |_| {});
        let end = conversation.end(ending, &log.text());
        let usage = end.usage.or_else(|| result_file::read(&around.result_file()).usage);
        let by_ending = || {
            let last = if log.text().trim().is_empty() { said.text() } else { log.text() };
            (EndClass::Crashed, format!("{ending}: {}", last.trim()))
        };
        let failure = match (ending, end.failure) {
            (Ending::TimedOut | Ending::Halted | Ending::OverLimit(_) | Ending::Ended, _) => {
                Some(by_ending())
            }
            (Ending::Exited(0), _) if is_plain => None,
            (Ending::Exited(_) | Ending::Signalled(_), _) if is_plain => Some(by_ending()),
            (Ending::Exited(_) | Ending::Signalled(_), Some(Failure::Class(class, says))) => {
                Some((class, says))
            }
            (Ending::Exited(_) | Ending::Signalled(_), Some(Failure::SessionGone)) => {
                Some(by_ending())
            }
            (Ending::Exited(_) | Ending::Signalled(_), None) => None,
        };
        let shown = |(class, says): (EndClass, String)| {
            let says: String = Excerpt::of(secrets.hide(says.trim()).as_ref(), REASON_BYTES).into();
            (class, says)
        };
        Ok(Tried { usage, failure: failure.map(shown) })
    }
}
