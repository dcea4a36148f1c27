//! What the tests start in place of `ralph`: the guard, and small lives that are there to be killed.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(std::ffi::OsStr::to_str) {
        Some("guard") => ralph_adapters::guard::main(arguments),
        _other => ExitCode::FAILURE,
    }
}
