//! A forge on a free port, as a process that tests can kill: `ralph-forge-serve [FOLDER]`. Its first
//! line says where it is and with which tokens.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is this program's job")]

use ralph_forge::{Options, Running};
use std::process::ExitCode;

fn main() -> ExitCode {
    let data = std::env::args_os().nth(1).map(Into::into);
    let options = Options { data, allow_faults: true, unsafe_checks: true, ..Options::default() };
    match Running::start(options) {
        Ok(running) => {
            let (owner, bot) = (&running.owner, &running.bot);
            let first = serde_json::json!({
                "url": running.url,
                "owner": {"login": owner.login, "token": owner.token},
                "bot": {"login": bot.login, "token": bot.token},
            });
            println!("{first}");
            running.wait();
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
