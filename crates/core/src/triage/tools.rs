//! The tools whose reports are understood. Each says where in a log its failures are; the tool that reports the
//! first one is believed, and only where none does, the log is read as plain text.

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

/// In the order of the log; empty only for an empty log.
pub(super) fn failures(lines: &[&str]) -> Vec<Failure> {
    let found = READERS.iter().map(|reader| reader(lines)).filter(|found| !found.is_empty());
    let first = found.min_by_key(|found| found.first().map(|failure| failure.block.start));
    first.unwrap_or_else(|| in_no_known_format(lines))
}

fn in_no_known_format(lines: &[&str]) -> Vec<Failure> {
    make::failure(lines).or_else(|| plain::failure(lines)).into_iter().collect()
}
