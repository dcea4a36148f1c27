//! The simulator's command line: plays many runs and sums them up, or prints the trace of one.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is this program's job")]

use clap::Parser;
use ralph_sim::bugs::{Bug, Catch, catch_all};
use ralph_sim::report::play_many;
use ralph_sim::run::{Options, play};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// A run makes and drops many small values; the system's allocator takes a sixth of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of runs that are listed for lacking something that every run has.
const LACKS_TOLD_MAX: usize = 20;

/// Plays whole runs of Ralph from seeds, under faults. Exits with 0 only if every run kept every promise, had
/// everything that every run has, and ended well.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Parser)]
#[command(name = "ralph-sim", version)]
struct Arguments {
    /// The number of runs to play.
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    start: u64,
    /// Play this one run.
    #[arg(long, conflicts_with_all = ["seeds", "start"])]
    seed: Option<u64>,
    /// Print the trace of the run line by line.
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Print only the hash of the run's trace.
    #[arg(long, requires = "seed")]
    hash: bool,
    /// Play without faults and meddling.
    #[arg(long, requires = "seed")]
    calm: bool,
    /// Write the state store at the end of the run to this new file, for `ralph status` and `ralph explain`.
    #[arg(long, requires = "seed", value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Plant every bug of the catalogue and show which checker catches it.
    #[arg(long, conflicts_with_all = ["seeds", "start", "seed"])]
    bugs: bool,
    /// Plant this bug of the catalogue in the run, by its name.
    #[arg(long, requires = "seed", value_name = "NAME", value_parser = Bug::named)]
    bug: Option<Bug>,
    /// The number of issues in the run.
    #[arg(long, default_value_t = 8, requires = "seed", value_parser = clap::value_parser!(u64).range(1..=50))]
    issues: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.bugs {
        return bugs();
    }
    match arguments.seed {
        Some(seed) => one(seed, &arguments),
        None => many(&arguments),
    }
}

fn one(seed: u64, arguments: &Arguments) -> ExitCode {
    let options = Options {
        issues: arguments.issues,
        is_calm: arguments.calm,
        is_traced: arguments.trace,
        bug: arguments.bug,
        ..Options::of_seed(seed)
    };
    let run = match play(&options) {
        Ok(run) => run,
        Err(error) => {
            eprintln!("seed {seed}: the engine failed: {error}");
            return ExitCode::FAILURE;
        }
    };
    if arguments.hash {
        println!("{}", run.hash);
        return ExitCode::SUCCESS;
    }
    if arguments.trace || !run.violations.is_empty() {
        tell(&run.lines);
    }
    if let (Some(path), Some(store)) = (&arguments.keep, &run.store) {
        if let Err(error) = store.copy_to(path) {
            eprintln!(
                "could not write {}: {error}; name a file that does not exist",
                path.display()
            );
            return ExitCode::FAILURE;
        }
        eprintln!("state store written to {}", path.display());
    }
    for violation in &run.violations {
        eprintln!("seed {seed} broke {}: {}", violation.rule, violation.detail);
    }
    let summary = serde_json::json!({
        "seed": seed, "hash": run.hash, "steps": run.steps, "crashes": run.crashes,
        "escalations": run.escalations, "done": run.ends.done, "stopped": run.ends.stopped,
        "other_ends": run.ends.other, "simulated_hours": run.simulated_hours,
        "violations": run.violations.len(),
    });
    println!("{summary}");
    if run.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints all lines, or stops when standard output is closed, as with `| head`.
fn tell(lines: &[String]) {
    let mut out = std::io::stdout().lock();
    let unread = lines.iter().find(|line| writeln!(out, "{line}").is_err());
    if unread.is_some() {
        std::process::exit(0);
    }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn bugs() -> ExitCode {
    let catches = catch_all(threads());
    println!("| planted bug | what it does | caught by | in seed |\n|---|---|---|---|");
    for Catch { bug, seed, .. } in &catches {
        let rule = bug.caught_by().first().copied().unwrap_or_default();
        let seed = seed.map_or("NOT CAUGHT".to_owned(), |seed| seed.to_string());
        println!("| {bug:?} | {} | {rule} | {seed} |", bug.says());
    }
    for Catch { bug, unexpected, .. } in catches.iter().filter(|c| !c.unexpected.is_empty()) {
        eprintln!("{bug:?} made rules fire that are not named for it: {unexpected:?}");
    }
    let caught = catches.iter().filter(|catch| catch.seed.is_some()).count();
    println!("{}", serde_json::json!({ "bugs": catches.len(), "caught": caught }));
    if caught == catches.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn many(arguments: &Arguments) -> ExitCode {
    #[expect(
        clippy::disallowed_methods,
        reason = "how fast runs are played is the only thing timed"
    )]
    let began = std::time::Instant::now();
    let sum = play_many(arguments.start, arguments.seeds, threads());
    for failure in sum.failures.iter().take(5) {
        eprintln!("seed {} broke {}", failure.seed, failure.what);
        failure.lines.iter().for_each(|line| eprintln!("    {line}"));
        eprintln!("  again: cargo run --release -p ralph-sim -- --seed {} --trace\n", failure.seed);
    }
    if sum.failures.len() > 5 {
        let seeds: Vec<_> = sum.failures.iter().map(|failure| failure.seed.to_string()).collect();
        eprintln!("all failing seeds: {}", seeds.join(" "));
    }
    for (seed, name) in sum.lacks.iter().take(LACKS_TOLD_MAX) {
        eprintln!("seed {seed} lacks what every run has: {name}");
    }
    println!("{}", sum.json(began.elapsed().as_secs_f64()));
    if sum.failures.is_empty() && sum.lacks.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
