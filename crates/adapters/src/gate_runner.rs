//! The operator's commands: setup in the worktree, setup and preflight in a clean checkout of the commit, and again
//! with the base's own tests and check definitions in it. A home that no agent wrote in, time limits, no tokens,
//! bounded and redacted output.

mod orders;

use self::orders::{Failed, Limit, Order, Ran};
use crate::current::Current;
use crate::folder::Folder;
use crate::git::{GitError, in_full};
use crate::git_workspaces::Checkout;
use crate::home::PrivateFolders;
use crate::integrity::{self, Question};
use crate::jobs::{self, Jobs, Ticket};
use crate::local_checks;
use crate::network::{NetworkRule, Reach};
use crate::private_files;
use crate::progress::Progress;
use crate::transcript::{Secrets, Transcript};
use crate::wall_clock::{duration, span};
use crate::workshop::Workshop;
use ralph_contain::{Access, Capture, Ending, Limits, Moment, Spec, Watch, paths_in};
use ralph_core::excerpt::{Excerpt, LOG_BYTES_MAX};
use ralph_core::fact::Outcome;
use ralph_core::gate::CommandRun;
use ralph_core::ids::{RepoName, RunId, Sha};
use ralph_core::job::Job;
use ralph_core::managed_path::ManagedPath;
use ralph_core::time::Span;
use ralph_core::words;
use ralph_engine::ports::{Answer, Start};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The part of the output that is kept for the excerpt, beginning and end.
const OUTPUT_PART_BYTES: usize = 32 * 1024;

/// The settings of commands.
#[derive(Debug, Clone, Default)]
pub struct GateSettings {
    /// The variables commands get beside `HOME` and `TMPDIR`, already looked up. No tokens.
    pub environment: BTreeMap<OsString, OsString>,
    /// Folders of a checkout that are kept from one preflight to the next, relative to its top.
    pub cache_dirs: BTreeMap<RepoName, Vec<PathBuf>>,
    /// The largest file that a change may have; not set: what GitHub takes.
    pub file_bytes_max: BTreeMap<RepoName, u64>,
    /// The network of a repository's commands; not set: what the machine reaches.
    pub networks: BTreeMap<RepoName, NetworkRule>,
    pub limits: Limits,
}

/// The port to setup and preflight. Clones share everything.
#[derive(Debug, Clone)]
pub struct GateRunner {
    shop: Arc<Workshop>,
    jobs: Arc<Jobs>,
    settings: Current<GateSettings>,
}

impl GateRunner {
    pub(crate) fn new(shop: Arc<Workshop>, jobs: Arc<Jobs>, settings: GateSettings) -> Self {
        Self { shop, jobs, settings: Current::new(settings) }
    }

    /// Commands that begin from now on are run with these.
    pub(crate) fn replace(&self, settings: GateSettings) {
        self.settings.replace(settings);
    }
}

impl GateRunner {
    pub(crate) fn start(&self, start: &Start<'_>) -> Answer<()> {
        let (shop, settings, job) = (self.shop.clone(), self.settings.get(), start.job.clone());
        let plan = start.prompt.to_owned();
        self.jobs.start(start, move |ticket| {
            let run = GateRun { shop: &shop, settings: &settings, ticket };
            let failed = |error: GitError| shop.outcome_of(&error, &ticket.issue);
            let ending: jobs::Ending = (run.take(&job, &plan).unwrap_or_else(failed), Vec::new());
            ending
        })
    }
}

/// One run of the commands.
struct GateRun<'a> {
    shop: &'a Workshop,
    settings: &'a GateSettings,
    ticket: &'a Ticket,
}

/// The place of commands: their folder, their private folders, and the folder that keeps their output.
struct Place<'a> {
    path: &'a Path,
    mirror: &'a Path,
    private: PrivateFolders,
    kept: PathBuf,
    caches: Vec<PathBuf>,
}

impl GateRun<'_> {
    fn take(&self, job: &Job, plan: &str) -> Result<Outcome, GitError> {
        match job {
            Job::Setup { run, path, commands, timeout } => {
                self.set_up(*run, path, commands, *timeout)
            }
            Job::Preflight { run, commit, setup, setup_timeout, commands, timeout } => {
                let setup = Order::setup(setup, *setup_timeout);
                let orders = [Order::preflight(commands, *timeout)];
                self.judge((*run, "preflight"), commit, setup, &orders)
            }
            Job::Integrity { run, base, commit, commands, test_globs, .. } => {
                let question = Question { base, commit, commands, test_globs, plan };
                self.hold_against_base(*run, &question, job)
            }
            Job::Workspace { .. } | Job::Turn(_) => {
                Err(GitError::Unusable("these are no commands to run".to_owned()))
            }
        }
    }

    /// In the worktree, before any agent: what setup leaves in its home is for those who work there after it.
    fn set_up(
        &self,
        run: RunId,
        path: &ManagedPath,
        commands: &[String],
        timeout: Span,
    ) -> Result<Outcome, GitError> {
        let mirror_path = self.shop.home.mirror(&self.ticket.issue.repo.key());
        let mirror = self.shop.known_mirror(self.ticket.switch(), &mirror_path)?;
        let worktree = self.shop.worktree(mirror, &self.ticket.issue, run, path)?;
        if !worktree.exists() {
            return Err(GitError::Lost("the worktree is gone".to_owned()));
        }
        let folder = self.shop.home.run(&self.ticket.issue, run);
        let (private, kept) = (folder.working(), folder.attempt(self.ticket.attempt, "setup"));
        let (path, caches) = (worktree.path.as_path(), Vec::new());
        let place = Place { path, mirror: mirror.path, private, kept, caches };
        let reach = self.prepare(&place)?;
        let order = Order { kept: "output.txt", ..Order::setup(commands, timeout) };
        Ok(self.run_all(&place, &reach, order)?.outcome())
    }

    /// Preflight with the base's own tests and check definitions, if the change touches any.
    fn hold_against_base(
        &self,
        run: RunId,
        question: &Question<'_>,
        job: &Job,
    ) -> Result<Outcome, GitError> {
        let Job::Integrity { setup, setup_timeout, commands, timeout, checks_timeout, .. } = job
        else {
            return Err(GitError::Unusable("there is nothing to hold against the base".to_owned()));
        };
        let mirror_path = self.shop.home.mirror(&self.ticket.issue.repo.key());
        let mirror = self.shop.known_mirror(self.ticket.switch(), &mirror_path)?;
        let folder = self.shop.home.run(&self.ticket.issue, run);
        let index = folder.attempt(self.ticket.attempt, "index");
        let overlay = integrity::overlay(mirror, &index, question)
            .map_err(|error| mirror.lost_or(error, &[question.base, question.commit]))?;
        let Some(overlay) = overlay else {
            return Ok(Outcome::CommandsPassed { command: String::new(), ran: Vec::new() });
        };
        let mut checks = local_checks::of(mirror, &overlay.commit)?;
        checks.retain(|check| !overlay.only_leaves_tests_out && !commands.contains(check));
        let limit = Limit::Together(*checks_timeout);
        let checks = Order { commands: &checks, limit, is_trusted: false, kept: "checks.txt" };
        let setup = Order::setup(setup, *setup_timeout);
        let orders = [Order::preflight(commands, *timeout), checks];
        let mut outcome = self.judge((run, "integrity"), &overlay.commit, setup, &orders)?;
        if let Outcome::CommandsFailed { excerpt, .. } = &mut outcome {
            *excerpt = words::integrity_failed(&overlay.files, excerpt);
        }
        Ok(outcome)
    }

    /// In a clean checkout that setup has made ready. Setup that fails there says nothing about the change.
    fn judge(
        &self,
        (run, what): (RunId, &str),
        commit: &Sha,
        setup: Order<'_>,
        orders: &[Order<'_>],
    ) -> Result<Outcome, GitError> {
        let mirror_path = self.shop.home.mirror(&self.ticket.issue.repo.key());
        let mirror = self.shop.known_mirror(self.ticket.switch(), &mirror_path)?;
        let scratch = self.shop.scratch(mirror, &self.ticket.issue, (run, self.ticket.attempt))?;
        let checkout = Checkout::make(self.shop, scratch, commit)?;
        let path = checkout.worktree.path.as_path();
        let folder = self.shop.home.run(&self.ticket.issue, run);
        let private = folder.judging(what);
        let kept = folder.attempt(self.ticket.attempt, what);
        let caches = self.link_caches(path)?;
        let place = Place { path, mirror: mirror.path, private, kept, caches };
        let reach = self.prepare(&place)?;
        let outcome = match self.run_all(&place, &reach, setup)?.failed {
            Some(Failed { command, excerpt }) => {
                let place = "in a clean checkout of the commit";
                Outcome::Failed { reason: format!("setup {place}: `{command}` failed:\n{excerpt}") }
            }
            None => {
                let mut ran = Ran::default();
                for order in orders {
                    if ran.failed.is_none() {
                        ran.add(self.run_all(&place, &reach, *order)?);
                    }
                }
                ran.outcome()
            }
        };
        // Folders that stay are replaced by the next preflight, and removed with the run.
        drop(place.private.remove());
        Ok(outcome)
    }

    /// Makes the folders of the commands, and opens their network.
    fn prepare(&self, place: &Place<'_>) -> Result<Reach, GitError> {
        let made = place.private.make_fresh(&self.shop.git.identity);
        made.and_then(|()| private_files::make_folder(&place.kept))
            .map_err(GitError::file("prepare the folders of the commands"))?;
        let rule = self.settings.networks.get(&self.ticket.issue.repo).cloned();
        let opened = rule.unwrap_or_default().open(place.path, &place.kept);
        opened.map_err(GitError::file("open the network of the commands"))
    }

    /// One after the other until one fails.
    fn run_all(&self, place: &Place<'_>, reach: &Reach, order: Order<'_>) -> Result<Ran, GitError> {
        let mut ran = Ran::default();
        if order.commands.is_empty() {
            return Ok(ran);
        }
        let secrets = Secrets::among(&self.settings.environment);
        let transcript = Transcript::create(&place.kept.join(order.kept), secrets.clone());
        let mut transcript = transcript.map_err(GitError::file("keep what the commands say"))?;
        let (started, mut progress) = (Moment::now(), Progress::new(self.ticket));
        for command in order.commands {
            let begun = Moment::now();
            let mut output = Capture::new(OUTPUT_PART_BYTES, OUTPUT_PART_BYTES);
            let mut watch = Watch {
                time: match order.limit {
                    Limit::Each(limit) => duration(limit),
                    Limit::Together(limit) => started.left_of(duration(limit)),
                },
                switch: self.ticket.switch(),
                monitor: None,
            };
            let named = if order.is_trusted { paths_in(command) } else { Vec::new() };
            let network = reach.network();
            let limits = self.settings.limits;
            let spec = Spec { network, limits, ..self.spec(command, place, named) };
            let process = self.shop.git.launcher.confined(&spec);
            let process = process.map_err(|error| GitError::Unusable(in_full(&error)))?;
            let ending = process.follow(&mut watch, &mut |_, bytes| {
                output.take(bytes);
                transcript.take(bytes, &mut |line| progress.show(line));
            });
            let ending = ending.map_err(GitError::file(format!("wait for `{command}`")))?;
            ran.commands.push(CommandRun {
                command: command.clone(),
                how: ending.to_string(),
                took: span(begun.elapsed()),
            });
            if ending != Ending::Exited(0) {
                transcript.finish(&mut |line| progress.show(line));
                let how = match ending {
                    Ending::TimedOut => format!("timeout: over the limit of {}", order.limit),
                    Ending::Exited(_)
                    | Ending::Signalled(_)
                    | Ending::Halted
                    | Ending::OverLimit(_)
                    | Ending::Ended => ending.to_string(),
                };
                let said = secrets.hide(&output.text()).into_owned();
                let text = format!("{how}\n{}{}", said.trim_end(), reach.refusals());
                let excerpt = Excerpt::of(text.trim(), LOG_BYTES_MAX).into();
                ran.failed = Some(Failed { command: command.clone(), excerpt });
                return Ok(ran);
            }
        }
        transcript.finish(&mut |line| progress.show(line));
        Ok(ran)
    }

    fn spec(&self, command: &str, place: &Place<'_>, named: Vec<PathBuf>) -> Spec {
        let (home, temporary) = (place.private.home(), place.private.temporary());
        let mut spec = Spec::new("sh", place.path).arguments(["-c", command]);
        spec.environment.clone_from(&self.settings.environment);
        spec.environment.insert("HOME".into(), home.clone().into());
        spec.environment.insert("TMPDIR".into(), temporary.clone().into());
        let own = [place.path.to_owned(), home, temporary];
        let writable = own.into_iter().chain(place.caches.iter().cloned()).collect();
        let access = self.shop.home.access(writable, vec![place.mirror.to_owned()]);
        Spec { access: Access { named, ..access }, ..spec }
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
