//! The stages of `test` and `proof`: each has a name, a promise and the command that repeats it alone.

use crate::clock::Stopwatch;
use crate::command::Invocation;
use crate::failure::Failure;
use std::path::Path;

/// One line of the report.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) promise: &'static str,
    pub(crate) work: Work,
}

pub(crate) enum Work {
    Command(Invocation),
    /// A command of this program.
    Own {
        shown: &'static str,
        run: fn(&Path) -> Result<(), Failure>,
    },
}

/// Runs the stages in order, and stops at the first that fails.
pub(crate) fn play(root: &Path, stages: &[Stage]) -> Result<(), Failure> {
    let total = Stopwatch::start();
    for Stage { name, promise, work } in stages {
        let repeat = work.shown();
        println!("{name}: {promise} ({repeat})");
        let watch = Stopwatch::start();
        let done = match work {
            Work::Command(command) => command.run(),
            Work::Own { run, .. } => run(root),
        };
        if let Err(failure) = done {
            println!("{name}: FAILED after {}", watch.elapsed());
            return Err(Failure::Stage { name, repeat, source: Box::new(failure) });
        }
        println!("{name}: ok in {}", watch.elapsed());
    }
    println!("everything passed in {}", total.elapsed());
    Ok(())
}

impl Work {
    /// The command that repeats this stage alone.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Command(command) => command.shown(),
            Self::Own { shown, .. } => (*shown).to_owned(),
        }
    }
}
