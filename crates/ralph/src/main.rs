//! The program. Everything it can do is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ralph_cli::main()
}
