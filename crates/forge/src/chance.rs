//! The one place where the forge uses chance: secrets that nobody can guess.

use std::io;

/// Enough that guessing is hopeless.
const SECRET_BYTES: usize = 20;

/// A token in the form of GitHub's.
pub(crate) fn token() -> io::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("ghp_{digits}"))
}
