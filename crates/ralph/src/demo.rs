//! `ralph demo`: a whole life on one machine. A forge, a sample project, issues, and the same daemon that works
//! on GitHub, with a scripted agent in place of a model. What it plays is public, so that measurements can play it
//! too.

pub(crate) mod agent;
pub mod outcome;
pub mod owner;
pub mod project;
pub mod story;

mod live;
mod stage;

pub use stage::Kept;

use crate::config::SandboxRule;
use crate::containment::{Missing, Sandbox};
use crate::daemon::Wake;
use crate::environment::{self, Environment};
use crate::error::{CliError, NO_SIGNALS};
use crate::screen::Screen;
use crate::wall_clock;
use live::Live;
use outcome::Outcome;
use ralph_core::time::{Span, Time};
use ralph_engine::store::Reader;
use stage::Stage;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// A demo that takes longer than this has gone wrong.
const PATIENCE: Span = Span::from_mins(3);
/// The time between two drawings of the screen.
const FRAME: Duration = Duration::from_millis(120);

/// The options of the command.
#[derive(Debug)]
pub(crate) struct Options {
    /// The folder in which everything is kept.
    pub(crate) keep: Option<PathBuf>,
    pub(crate) json: bool,
}

/// The reason why the demo did not finish.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("{} is not empty; name a folder that is not there yet", path.display())]
    NotEmpty { path: PathBuf },
    #[error("could not {doing}")]
    File { doing: String, source: std::io::Error },
    #[error("the embedded forge does not start: {0}")]
    Forge(#[from] ralph_forge::ServeError),
    #[error("{0}")]
    Owner(#[from] ralph_forge::ApiClientError),
    #[error("the demo was stopped; {}", match kept {
        Some(kept) => format!("its files are in {}", kept.folder.display()),
        None => "nothing is left of it".to_owned(),
    })]
    Stopped { kept: Option<Kept> },
}

impl DemoError {
    fn file(doing: &str) -> impl FnOnce(std::io::Error) -> Self {
        let doing = doing.to_owned();
        move |source| Self::File { doing, source }
    }
}

pub(crate) fn run(
    options: &Options,
    environment: &Environment,
    screen: &Screen,
) -> Result<(), CliError> {
    let is_stopped = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let flag = signal_hook::flag::register(signal, is_stopped.clone());
        flag.map_err(CliError::internal(NO_SIGNALS))?;
    }
    let started = wall_clock::now();
    let mut live = Live::new(*screen, options.json);
    live.introduce();
    let path = environment::program_path().unwrap_or_default();
    let sandbox = Sandbox::find(SandboxRule::On, &path);
    if let Sandbox::Missing(Missing { why, .. }) = &sandbox {
        screen.note(&format!(
            "No sandbox: {why}. The demo's own scripted agent runs without one; any other needs it."
        ));
    }
    let mut stage = Stage::set(options.keep.as_deref(), environment, sandbox.state())?;
    if !stage.is_sandboxed() {
        live.say("checks run without a sandbox, since bubblewrap does not work here; they are the demo's own");
    }
    stage.open_issues()?;
    let outcome = watch(&mut stage, &mut live, started, &is_stopped)?;
    live.finish();
    let kept = stage.strike()?;
    if is_stopped.load(Ordering::Relaxed) {
        return Err(DemoError::Stopped { kept }.into());
    }
    let text = if options.json { outcome.json()? } else { outcome.words(screen, kept.as_ref()) };
    screen.answer(&text)?;
    if outcome.is_as_expected() { Ok(()) } else { Err(CliError::findings()) }
}

/// Draws what happens, and plays the owner who merges rollups, until every issue has come to its end.
fn watch(
    stage: &mut Stage,
    live: &mut Live,
    started: Time,
    is_stopped: &AtomicBool,
) -> Result<Outcome, CliError> {
    let reader = Reader::open(&stage.home.store())?;
    loop {
        match stage.news.recv_timeout(FRAME) {
            Ok(news) => {
                live.hear(news);
                stage.news.try_iter().for_each(|news| live.hear(news));
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The daemon has ended by itself, which is no good end.
            Err(RecvTimeoutError::Disconnected) => is_stopped.store(true, Ordering::Relaxed),
        }
        let now = wall_clock::now();
        let outcome = Outcome::of(&stage.issues, &reader.status()?, started, now);
        live.draw(&outcome);
        let is_late = now.since(started) > PATIENCE;
        if outcome.is_as_expected()
            || outcome.is_over()
            || is_late
            || is_stopped.load(Ordering::Relaxed)
        {
            stage.wake(Wake::Stop);
            return Ok(outcome);
        }
        if outcome.waits_for_rollup()
            && let Some(pull) = stage.merge_rollup()?
        {
            live.say(&format!("you, the owner, merge rollup #{pull} (the demo does it for you)"));
        }
    }
}
