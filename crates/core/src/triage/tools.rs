//! The tools whose reports are understood; each finds its failures in a log. The tool that reports the first failure is
//! used, and the log is read as plain text only if none reports any.

mod cargo;
mod compiler;
mod eslint;
mod go;
mod gradle;
mod jest;
mod make;
mod plain;
mod pytest;
mod tsc;

use super::failure::Failure;

type Reader = fn(&[&str]) -> Vec<Failure>;

const READERS: [Reader; 8] = [
    cargo::failures,
    pytest::failures,
    jest::failures,
    go::failures,
    tsc::failures,
    eslint::failures,
    gradle::failures,
    compiler::failures,
];

/// Returns the failures in the order of the log; empty only for an empty log.
pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let found = READERS.iter().map(|reader| reader(lines)).filter(|found| !found.is_empty());
    let first = found.min_by_key(|found| found.first().map(|failure| failure.block.start));
    first.unwrap_or_else(|| in_no_known_format(lines))
}

fn in_no_known_format(lines: &[&str]) -> Vec<Failure> {
    make::failure(lines).or_else(|| plain::failure(lines)).into_iter().collect()
}
