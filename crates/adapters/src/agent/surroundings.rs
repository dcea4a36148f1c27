//! The surroundings of a turn: its folders, its prompt, its variables.

use super::protocol::{Feed, Launch};
use super::{AgentCommand, Kind, logins};
use crate::git::Identity;
use crate::home::{PrivateFolders, RunFolder};
use crate::jobs::Ticket;
use crate::private_files;
use crate::workshop::Workshop;
use ralph_contain::{Access, Input, Spec};
use ralph_core::job::{Place, Turn};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// Files of one folder of settings: more than any program has.
const COPIED_FILES_MAX: usize = 100;

/// Files and folders of one turn.
#[derive(Debug)]
pub(super) struct Surroundings {
    private: PrivateFolders,
    /// Prompt and transcripts; the agent may read it.
    pub(super) folder: PathBuf,
    /// For the result file; the agent may write it.
    out: PathBuf,
}

impl Surroundings {
    /// Makes the folders and writes the prompt.
    pub(super) fn make(
        shop: &Workshop,
        ticket: &Ticket,
        turn: &Turn,
        prompt: &str,
    ) -> io::Result<Self> {
        let run = shop.home.run(&ticket.issue, turn.run);
        let private = private_folders(&run, turn, &shop.git.identity)?;
        let folder = run.attempt(ticket.attempt, turn.role.name());
        let out = folder.join("out");
        let it = Self { private, folder, out };
        private_files::make_folder(&it.out)?;
        private_files::write(&it.prompt_file(), prompt.as_bytes())?;
        Ok(it)
    }

    /// The same for a turn that belongs to no issue, all of it below one folder.
    pub(super) fn of_trial(folder: &Path, author: &Identity, prompt: &str) -> io::Result<Self> {
        let private = PrivateFolders::below(folder);
        private.make(author)?;
        let folder = folder.join("turn");
        let it = Self { private, out: folder.join("out"), folder };
        private_files::make_folder(&it.out)?;
        private_files::write(&it.prompt_file(), prompt.as_bytes())?;
        Ok(it)
    }

    fn prompt_file(&self) -> PathBuf {
        self.folder.join("prompt.md")
    }

    pub(super) fn result_file(&self) -> PathBuf {
        self.out.join("result.json")
    }

    pub(super) fn private_home(&self) -> PathBuf {
        self.private.home()
    }

    /// Puts the files of the program's kind and its logins into the private home.
    pub(super) fn furnish(&self, agent: &AgentCommand, launch: &Launch) -> io::Result<()> {
        let home = self.private.home();
        for (place, text) in &launch.files {
            logins::write(&home, Path::new(place), text.as_bytes())?;
        }
        for (folder, place) in &launch.copies {
            copy_files(folder, &home, Path::new(place))?;
        }
        logins::link(&home, &agent.program.logins)
    }

    /// The turn as a process in `place`, with variables about it; `None` without a command.
    pub(super) fn spec(
        &self,
        (agent, launch): (&AgentCommand, &Launch),
        about: Vec<(&'static str, OsString)>,
        place: &Path,
    ) -> Option<Spec> {
        let (program, arguments) = agent.command.split_first()?;
        let mut spec = Spec::new(program, place).arguments(arguments).arguments(&launch.arguments);
        spec.environment = self.environment(agent, about);
        let own = launch.environment.iter().map(|(name, value)| (name.into(), value.clone()));
        spec.environment.extend(own);
        spec.input = match launch.input {
            Feed::Prompt => Input::File(self.prompt_file()),
            Feed::Talk(_) => Input::Piped,
        };
        Some(spec)
    }

    fn environment(
        &self,
        agent: &AgentCommand,
        about: Vec<(&'static str, OsString)>,
    ) -> BTreeMap<OsString, OsString> {
        let mut environment = agent.environment.clone();
        environment.extend(about.into_iter().map(|(name, value)| (name.into(), value)));
        let mut set = |name: &str, value: OsString| environment.insert(name.into(), value);
        set("HOME", self.private.home().into());
        set("TMPDIR", self.private.temporary().into());
        set("RALPH_PROMPT_FILE", self.prompt_file().into());
        set("RALPH_RESULT_FILE", self.result_file().into());
        if agent.program.kind != Kind::Command {
            // The programs name the ends of limits as times of day.
            set("TZ", "UTC".into());
        }
        environment
    }

    /// The files that the turn may write and see: its place, its own folders, its logins, and the objects of its
    /// history. A place that is only read cannot be written by any means.
    pub(super) fn access(
        &self,
        hidden: Vec<PathBuf>,
        (agent, mirror): (&AgentCommand, &Path),
        (place, is_read_only): (&Path, bool),
    ) -> Access {
        let mut writable = vec![self.private.home(), self.private.temporary(), self.out.clone()];
        let mut readable = vec![mirror.to_owned(), self.folder.clone()];
        let side = if is_read_only { &mut readable } else { &mut writable };
        side.push(place.to_owned());
        for login in &agent.program.logins {
            let side = if login.is_refreshed { &mut writable } else { &mut readable };
            side.push(login.path.clone());
        }
        Access { writable, readable, hidden, named: named(agent) }
    }
}

/// The variables that tell a program about its turn.
pub(super) fn about(kind: Kind, ticket: &Ticket, turn: &Turn) -> Vec<(&'static str, OsString)> {
    let session = turn.session.as_deref().and_then(|session| kind.own_session(session));
    let mut about: Vec<(&'static str, OsString)> = vec![
        ("RALPH_ROLE", turn.role.name().into()),
        ("RALPH_REPO", ticket.issue.repo.to_string().into()),
        ("RALPH_ISSUE", ticket.issue.number.to_string().into()),
        ("RALPH_RUN", turn.run.to_string().into()),
        ("RALPH_ATTEMPT", ticket.attempt.to_string().into()),
        ("RALPH_BRANCH", turn.branch.to_string().into()),
        ("RALPH_BASE", turn.base.to_string().into()),
        ("RALPH_SESSION", session.unwrap_or_default().into()),
    ];
    if turn.is_repair {
        about.push(("RALPH_REPAIR", "1".into()));
    }
    about
}

/// The files and folders that the operator's command and the variables of the agent name, the program that the command's
/// name links to, and the packages beside them.
fn named(agent: &AgentCommand) -> Vec<PathBuf> {
    let words = agent.command.iter().map(PathBuf::from);
    let handed = agent.environment.values().map(PathBuf::from);
    let path = agent.environment.get(OsStr::new("PATH"));
    let folders = path.iter().flat_map(std::env::split_paths);
    let program = agent.command.first();
    let found = folders.filter_map(|folder| folder.join(program?).canonicalize().ok()).next();
    let all: Vec<PathBuf> = words
        .chain(handed)
        .chain(found)
        .filter(|path| path.is_absolute() && path.exists())
        .collect();
    let packages: Vec<PathBuf> = all.iter().filter_map(|path| package_of(path)).collect();
    all.into_iter().chain(packages).collect()
}

/// The folder of packages that a program of Node was installed into with the packages that it needs.
fn package_of(program: &Path) -> Option<PathBuf> {
    let is_packages = |folder: &&Path| folder.file_name() == Some(OsStr::new("node_modules"));
    program.ancestors().filter(is_packages).last().map(Path::to_owned)
}

/// The private folders of a turn. Those of a reviewer are separate and empty at the start. Only a repair keeps the
/// folders of its reviewer, because the session that it resumes lies there.
fn private_folders(run: &RunFolder, turn: &Turn, author: &Identity) -> io::Result<PrivateFolders> {
    let private = match turn.manner.place {
        Place::Worktree => run.working(),
        Place::Checkout => {
            let private = run.judging(turn.role.name());
            if turn.session.is_none() {
                private.remove()?;
            }
            private
        }
    };
    private.make(author)?;
    Ok(private)
}

/// Copies the files of a folder, without links and without what is below other folders: agents' settings are files.
fn copy_files(from: &Path, home: &Path, to: &Path) -> io::Result<()> {
    for entry in from.read_dir()?.take(COPIED_FILES_MAX) {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            logins::write(home, &to.join(entry.file_name()), &std::fs::read(entry.path())?)?;
        }
    }
    Ok(())
}
