//! The operator's commands: setup in the worktree, preflight in a clean checkout of the commit. One time limit
//! for all of them together, no tokens, and output that is bounded and redacted.

use crate::command::{Capture, Ending, Invocation, Watch};
use crate::folder::Folder;
use crate::git::{GitError, in_full};
use crate::git_workspaces::Checkout;
use crate::home::RunFolder;
use crate::jobs::{self, Jobs, Ticket};
use crate::private_files;
use crate::progress::Progress;
use crate::transcript::{Secrets, Transcript};
use crate::wall_clock::{Moment, duration};
use crate::workshop::Workshop;
use ralph_core::excerpt::{Excerpt, LOG_BYTES_MAX};
use ralph_core::fact::Outcome;
use ralph_core::ids::{Attempt, IssueKey, RepoName, RunId};
use ralph_core::job::Job;
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, Gates, RefusalKind, Start};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// What is kept of the output for the excerpt, beginning and end.
const OUTPUT_PART_BYTES: usize = 32 * 1024;

/// How commands are run.
#[derive(Debug, Clone, Default)]
pub struct GateSettings {
    /// The variables commands get beside `HOME` and `TMPDIR`, already looked up. No tokens.
    pub environment: BTreeMap<OsString, OsString>,
    /// Folders of a checkout that are kept from one preflight to the next, relative to its top.
    pub cache_dirs: BTreeMap<RepoName, Vec<PathBuf>>,
}

/// The port to setup and preflight. Clones share everything.
#[derive(Debug, Clone)]
pub struct GateRunner {
    shop: Arc<Workshop>,
    jobs: Arc<Jobs>,
    settings: Arc<GateSettings>,
}

impl GateRunner {
    pub(crate) fn new(shop: Arc<Workshop>, jobs: Arc<Jobs>, settings: GateSettings) -> Self {
        Self { shop, jobs, settings: Arc::new(settings) }
    }
}

impl Gates for GateRunner {
    fn start(&mut self, start: &Start<'_>) -> Answer<()> {
        let (Job::Setup { .. } | Job::Preflight { .. }) = start.job else {
            return Answer::refused(RefusalKind::Other, "these are no commands to run");
        };
        let (shop, settings, job) = (self.shop.clone(), self.settings.clone(), start.job.clone());
        self.jobs.start(start, move |ticket| {
            let shift = Shift { shop: &shop, settings: &settings, ticket };
            let failed = |error: GitError| Outcome::Failed { reason: error.in_full() };
            let ending: jobs::Ending = (shift.take(&job).unwrap_or_else(failed), Vec::new());
            ending
        })
    }

    fn end(&mut self, issue: &IssueKey, attempt: Attempt) -> Answer<()> {
        self.jobs.end(issue, attempt)
    }
}

/// One run of the commands.
struct Shift<'a> {
    shop: &'a Workshop,
    settings: &'a GateSettings,
    ticket: &'a Ticket,
}

/// Where commands run and what for.
struct Place<'a> {
    path: &'a Path,
    mirror: &'a Path,
    run: RunId,
    name: &'static str,
    caches: Vec<PathBuf>,
}

impl Shift<'_> {
    fn take(&self, job: &Job) -> Result<Outcome, GitError> {
        let repo = self.ticket.issue.repo.key();
        let mirror_path = self.shop.home.mirror(&repo);
        let mirror = self.shop.mirror(self.ticket.switch(), &mirror_path);
        match job {
            Job::Setup { run, path, commands, timeout } => {
                let worktree = self.shop.worktree(mirror, &self.ticket.issue, *run, path)?;
                if !worktree.exists() {
                    return Err(GitError::Unusable("the worktree is gone".to_owned()));
                }
                let (path, caches) = (worktree.path.as_path(), Vec::new());
                let place = Place { path, mirror: mirror.path, run: *run, name: "setup", caches };
                self.run_all(&place, commands, *timeout)
            }
            Job::Preflight { run, commit, commands, timeout } => {
                let attempt = (*run, self.ticket.attempt);
                let scratch = self.shop.scratch(mirror, &self.ticket.issue, attempt)?;
                let checkout = Checkout::make(self.shop, scratch, commit)?;
                let path = checkout.worktree.path.as_path();
                let caches = self.link_caches(path)?;
                let name = "preflight";
                let place = Place { path, mirror: mirror.path, run: *run, name, caches };
                self.run_all(&place, commands, *timeout)
            }
            Job::Workspace { .. } | Job::Turn(_) => {
                Err(GitError::Unusable("these are no commands to run".to_owned()))
            }
        }
    }

    /// One after the other until one fails.
    fn run_all(
        &self,
        place: &Place<'_>,
        commands: &[String],
        timeout: Span,
    ) -> Result<Outcome, GitError> {
        let doing = || GitError::file("prepare the folders of the commands");
        let folder = self.shop.home.run(&self.ticket.issue, place.run);
        let own = folder.attempt(self.ticket.attempt, place.name);
        folder.make_private(&self.shop.git.identity).map_err(doing())?;
        private_files::make_folder(&own).map_err(doing())?;
        let secrets = Secrets::among(&self.settings.environment);
        let file = own.join("output.txt");
        let mut transcript = Transcript::create(&file, secrets.clone()).map_err(doing())?;
        let (started, mut progress) = (Moment::now(), Progress::new(self.ticket));
        for command in commands {
            let mut output = Capture::new(OUTPUT_PART_BYTES, OUTPUT_PART_BYTES);
            let watch = Watch {
                whole: started.left_of(duration(timeout)),
                idle: None,
                switch: self.ticket.switch(),
                patience: self.shop.git.guard.patience(),
            };
            let ending = self.contained(command, place, &folder).run(&watch, &mut |_, bytes| {
                output.take(bytes);
                transcript.take(bytes, &mut |line| progress.show(line));
            });
            let ending = ending.map_err(|error| GitError::Unusable(in_full(&error)))?;
            if ending != Ending::Exited(0) {
                transcript.finish(&mut |line| progress.show(line));
                let how = match ending {
                    Ending::TimedOut => {
                        format!("timeout: over the limit of {timeout} for all commands")
                    }
                    Ending::Exited(_) | Ending::Signalled(_) | Ending::Idle | Ending::Ended => {
                        ending.to_string()
                    }
                };
                let text = format!("{how}\n{}", secrets.hide(&output.text()));
                let excerpt = Excerpt::of(text.trim(), LOG_BYTES_MAX).into();
                return Ok(Outcome::CommandsFailed { command: command.clone(), excerpt });
            }
        }
        transcript.finish(&mut |line| progress.show(line));
        Ok(Outcome::CommandsPassed { command: commands.join(" && ") })
    }

    fn contained(&self, command: &str, place: &Place<'_>, folder: &RunFolder) -> Invocation {
        let mut invocation = Invocation::new("sh", place.path).arguments(["-c", command]);
        invocation.environment.clone_from(&self.settings.environment);
        invocation.environment.insert("HOME".into(), folder.home().into());
        invocation.environment.insert("TMPDIR".into(), folder.temporary().into());
        let own = [place.path.to_owned(), folder.home(), folder.temporary()];
        let writable = own.into_iter().chain(place.caches.iter().cloned()).collect();
        let room = self.shop.home.room(writable, vec![place.mirror.to_owned()]);
        self.shop.git.guard.confined(invocation, &room)
    }

    /// Links the operator's cache folders into a checkout. What the commit itself has there stays.
    fn link_caches(&self, checkout: &Path) -> Result<Vec<PathBuf>, GitError> {
        let doing =
            |path: &Path| GitError::file(format!("link the cache folder {}", path.display()));
        let repo = &self.ticket.issue.repo;
        let root = self.shop.home.cache(&repo.key());
        let mut linked = Vec::new();
        for path in self.settings.cache_dirs.get(repo).into_iter().flatten() {
            let Some((name, parents)) = plain_parts(path) else {
                let text = format!("cache_dirs: {} is not a folder below the top", path.display());
                return Err(GitError::Unusable(text));
            };
            let target = root.join(path);
            private_files::make_folder(&target).map_err(doing(path))?;
            let top = Folder::open_trusted(checkout);
            let folder =
                parents.iter().try_fold(top.map_err(doing(path))?, |it, part| it.make(part));
            folder.and_then(|folder| folder.link(name, &target)).map_err(doing(path))?;
            linked.push(target);
        }
        Ok(linked)
    }
}

/// The last part of a relative path and the parts before it; `None` if it leads elsewhere.
fn plain_parts(path: &Path) -> Option<(&str, Vec<&str>)> {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|part| match part {
            Component::Normal(part) => part.to_str(),
            Component::Prefix(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir => None,
        })
        .collect();
    let mut parts = parts?;
    Some((parts.pop()?, parts))
}
