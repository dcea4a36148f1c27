//! A forge on a free port, as a process that tests can kill: `ralph-forge-serve [FOLDER]`. Its first line gives its
//! address and its tokens. `ralph-forge-serve guard …` is the guard of its checks.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is this program's job")]

use ralph_contain::{GuardProgram, guard_main};
use ralph_forge::{Options, Running};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    if arguments.next_if(|first| first == "guard").is_some() {
        return guard_main(arguments);
    }
    let data = arguments.next().map(Into::into);
    let program = std::env::current_exe().unwrap_or_default();
    let guard = GuardProgram { program, arguments: vec!["guard".into()] };
    let (allow_faults, unsafe_checks) = (true, true);
    let mut options = Options { data, allow_faults, unsafe_checks, guard, ..Options::default() };
    // Tests ask as often as they need.
    options.requests_per_hour_max = u32::MAX;
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
