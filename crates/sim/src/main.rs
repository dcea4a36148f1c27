//! The simulator's command line: play many lives and sum them up, or one life and tell it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is this program's job")]

use clap::Parser;
use ralph_sim::bugs::{Bug, Catch, catch_all};
use ralph_sim::life::{Options, play};
use ralph_sim::report::play_many;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// A life makes and drops many small values; the system's allocator takes a sixth of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// More lives without something that every life has are counted, not listed.
const LACKS_TOLD_MAX: usize = 20;

/// Plays whole lives of Ralph from seeds, under faults. Exits with 0 only if every life kept every promise, had
/// everything that every life has, and ended well.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Parser)]
#[command(name = "ralph-sim", version)]
struct Arguments {
    /// How many lives to play.
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    start: u64,
    /// Play this one life.
    #[arg(long, conflicts_with_all = ["seeds", "start"])]
    seed: Option<u64>,
    /// Tell the life line by line.
    #[arg(long, requires = "seed")]
    trace: bool,
    /// Print only the hash of the life's trace.
    #[arg(long, requires = "seed")]
    hash: bool,
    /// Play without faults and meddling.
    #[arg(long, requires = "seed")]
    calm: bool,
    /// Write the state store of the life's end to this new file, for `ralph status` and `ralph explain`.
    #[arg(long, requires = "seed", value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Plant every bug of the catalogue and show which checker catches it.
    #[arg(long, conflicts_with_all = ["seeds", "start", "seed"])]
    bugs: bool,
    /// Plant this bug of the catalogue in the life, by its name.
    #[arg(long, requires = "seed", value_name = "NAME", value_parser = Bug::named)]
    bug: Option<Bug>,
    /// Issues in the life.
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
    let life = match play(&options) {
        Ok(life) => life,
        Err(error) => {
            eprintln!("seed {seed}: the engine failed: {error}");
            return ExitCode::FAILURE;
        }
    };
    if arguments.hash {
        println!("{}", life.hash);
        return ExitCode::SUCCESS;
    }
    if arguments.trace || !life.violations.is_empty() {
        tell(&life.lines);
    }
    if let (Some(path), Some(store)) = (&arguments.keep, &life.store) {
        if let Err(error) = store.copy_to(path) {
            eprintln!(
                "could not write {}: {error}; name a file that does not exist",
                path.display()
            );
            return ExitCode::FAILURE;
        }
        eprintln!("state store written to {}", path.display());
    }
    for violation in &life.violations {
        eprintln!("seed {seed} broke {}: {}", violation.rule, violation.detail);
    }
    let summary = serde_json::json!({
        "seed": seed, "hash": life.hash, "steps": life.steps, "crashes": life.crashes,
        "escalations": life.escalations, "done": life.ends.done, "stopped": life.ends.stopped,
        "other_ends": life.ends.other, "simulated_hours": life.simulated_hours,
        "violations": life.violations.len(),
    });
    println!("{summary}");
    if life.violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints until it is done or nobody reads any more, as with `| head`.
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
        reason = "how fast lives are played is the only thing timed"
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
        eprintln!("seed {seed} lacks what every life has: {name}");
    }
    println!("{}", sum.json(began.elapsed().as_secs_f64()));
    if sum.failures.is_empty() && sum.lacks.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
