//! `cargo xtask fuzz`: feeds arbitrary text to the parsers, one family at a time, and prints how much was
//! tried. Works on a copy of the committed corpus, so that what the fuzzer finds interesting floods nothing.

use crate::command::Invocation;
use crate::failure::Failure;
use clap::ValueEnum;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) const RUNS_PER_FAMILY: u64 = 1_000_000;

/// Longer than any text the parsers read in one piece, short enough to be tried often.
const TEXT_BYTES_MAX: u32 = 1_024;

/// The lines of a failed run's output that are shown.
const LINES_SHOWN_MAX: usize = 40;

/// The parsers that read what people and agents write.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Family {
    Labels,
    Dependencies,
    Markers,
    HiddenMarkers,
    Text,
    Logs,
}

/// The summary that libFuzzer prints for a finished run.
#[derive(Debug, PartialEq, Eq)]
struct Tally {
    executions: u64,
    executions_per_second: u64,
}

pub(crate) fn run(root: &Path, family: Option<Family>, runs: u64) -> Result<(), Failure> {
    let folder = fuzz_folder(root)?;
    ensure_nightly(root)?;
    ensure_cargo_fuzz(root)?;
    let families = family.as_ref().map_or(Family::value_variants(), std::slice::from_ref);
    let mut rows = vec![row("family", "executions", "exec/s")];
    for family in families {
        println!("{}: {runs} executions", family.name());
        let tally = fuzz(root, &folder, *family, runs)?;
        rows.push(row(family.name(), &tally.executions.to_string(), &tally.rate()));
    }
    println!("{}", rows.join("\n"));
    Ok(())
}

fn fuzz(root: &Path, folder: &Path, family: Family, runs: u64) -> Result<Tally, Failure> {
    let corpus = copied_corpus(root, folder, family)?;
    // No sanitizer: the crate forbids unsafe code. No traced comparisons: they cost more than they find.
    let command = Invocation::rustup(folder, &["run", "nightly", "cargo", "fuzz", "run"])
        .argument("--sanitizer=none")
        .argument("--no-trace-compares")
        .argument(family.name())
        .argument(corpus.to_string_lossy())
        .argument("--")
        .argument(format!("-runs={runs}"))
        .argument(format!("-max_len={TEXT_BYTES_MAX}"))
        .argument("-print_final_stats=1");
    let output = command.output()?;
    if !output.status.success() {
        return Err(command.failed(output.status, last_lines(&output.stderr)));
    }
    tally(&output.stderr).ok_or_else(|| Failure::Missing {
        what: format!("`{}` succeeded without libFuzzer's final figures", command.shown()),
        next: "run that command in fuzz/ and see what it prints".to_owned(),
    })
}

/// libFuzzer writes `stat::name: value` lines at the end.
fn tally(output: &str) -> Option<Tally> {
    let figure = |name: &str| {
        let line = output.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse().ok())
    };
    Some(Tally {
        executions: figure("stat::number_of_executed_units:")?,
        executions_per_second: figure("stat::average_exec_per_sec:")?,
    })
}

fn last_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let skipped = lines.len().saturating_sub(LINES_SHOWN_MAX);
    lines.iter().skip(skipped).copied().collect::<Vec<_>>().join("\n")
}

fn row(family: &str, executions: &str, rate: &str) -> String {
    format!("{family:<16}{executions:>12}{rate:>12}")
}

fn copied_corpus(root: &Path, folder: &Path, family: Family) -> Result<PathBuf, Failure> {
    let copy = root.join("target/fuzz-corpus").join(family.name());
    create_folder(&copy)?;
    let committed = folder.join("corpus").join(family.name());
    if !committed.is_dir() {
        return Ok(copy);
    }
    let failed = |source| Failure::File { doing: "read", path: committed.clone(), source };
    for entry in fs::read_dir(&committed).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let to = copy.join(entry.file_name());
        fs::copy(entry.path(), &to).map_err(|source| Failure::File {
            doing: "copy an input to",
            path: to,
            source,
        })?;
    }
    Ok(copy)
}

fn create_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|source| Failure::File {
        doing: "create",
        path: path.to_owned(),
        source,
    })
}

fn fuzz_folder(root: &Path) -> Result<PathBuf, Failure> {
    let folder = root.join("fuzz");
    if folder.join("Cargo.toml").is_file() {
        return Ok(folder);
    }
    Err(Failure::Missing {
        what: "there is no fuzz/Cargo.toml".to_owned(),
        next: "run this in a whole checkout of the repository".to_owned(),
    })
}

fn ensure_nightly(root: &Path) -> Result<(), Failure> {
    if Invocation::rustup(root, &["run", "nightly", "rustc", "--version"]).succeeds() {
        return Ok(());
    }
    Err(Failure::Missing {
        what: "fuzzing needs the nightly toolchain, which is not installed".to_owned(),
        next: "install it with `rustup toolchain install nightly --profile minimal`".to_owned(),
    })
}

fn ensure_cargo_fuzz(root: &Path) -> Result<(), Failure> {
    if Invocation::cargo(root, &["fuzz", "--version"]).succeeds() {
        return Ok(());
    }
    println!("cargo-fuzz is not there; installing it");
    Invocation::cargo(root, &["install", "cargo-fuzz", "--locked"]).run()
}

impl Tally {
    /// libFuzzer counts whole seconds and says zero when it took less than one.
    fn rate(&self) -> String {
        match self.executions_per_second {
            0 => "under 1 s".to_owned(),
            rate => rate.to_string(),
        }
    }
}

impl Family {
    /// The name of the fuzz target and of its folder in the corpus.
    const fn name(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Dependencies => "dependencies",
            Self::Markers => "markers",
            Self::HiddenMarkers => "hidden_markers",
            Self::Text => "text",
            Self::Logs => "logs",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_final_figures_of_libfuzzer_are_read() {
        let output = "#1000 DONE cov: 12\nDone 1000 runs in 0 second(s)\n\
            stat::number_of_executed_units: 1000\nstat::average_exec_per_sec:     500\n\
            stat::new_units_added:          3\n";
        let expected = Tally { executions: 1_000, executions_per_second: 500 };
        assert_eq!(tally(output), Some(expected));
        assert_eq!(tally("panicked"), None);
    }

    #[test]
    fn a_family_is_typed_as_its_target_is_called() {
        for family in Family::value_variants() {
            let typed = family.to_possible_value().unwrap();
            assert_eq!(typed.get_name(), family.name());
        }
    }

    #[test]
    fn only_the_end_of_a_long_output_is_shown() {
        let output: String = (1..=100).map(|number| format!("{number}\n")).collect();
        assert_eq!(last_lines(&output).lines().next(), Some("61"));
        assert_eq!(last_lines("one\n"), "one");
    }
}
