//! Help texts, and output that is not read to its end.

use crate::home::{Home, a_process, program};
use crate::sample_store::sample_home;
use insta::assert_snapshot;
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn the_short_help_lists_commands_and_exit_codes() {
    assert_snapshot!(Home::empty().ralph(&["-h"]).stdout, @"
    Turns the issues of your repositories into verified, merged code

    Usage: ralph [OPTIONS] <COMMAND>

    Commands:
      demo         Show Ralph at work on this machine: a forge, a sample project, issues, real git and checks
      init         Write a configuration for the repository of a checkout, from what is found there and on this machine
      run          Work: claim queued issues, run agents and gates, open and merge pull requests, until stopped
      status       Show every managed issue and what it waits for, the workers, the budget and current problems
      usage        Show what agents have used: each account's windows and limits, the last 24 hours, by repository and role
      gates        Show the result of each gate of an issue's latest run, and the commit that it judged
      explain      Show the history of an issue: what happened, when, on what evidence, and what it waits for
      prompt       Show the prompt template of a role, or the prompt that its next turn on an issue would get
      runs         List the runs of all issues, or show one with its steps, gates and costs
      watch        Follow the work on an issue: the agent's transcript and the output of commands, as they come
      logs         Show the daemon's own log
      queue        Put an issue into the queue, or resume one that is paused, stopped, escalated, or done and reopened
      tell         Send a message to the agents that work on an issue, or list the messages and where each was delivered
      pause        Let the turn under way finish and start nothing new for an issue
      stop         Cancel the work on an issue; its pull request stays open
      satisfy      Count an issue as resolved for the issues it blocks; its own status does not change
      drain        Claim and start nothing new, now and after a restart, until `ralph resume`; running work finishes
      resume       Claim and start again after `ralph drain`
      take-over    Take a repository over from another Ralph, which then stops working there
      worktrees    List the worktrees and why each is kept, or remove finished ones
      doctor       Check this machine and the forge for problems, each with the next step
      forge        The embedded forge: a small GitHub on this machine
      completions  Print a script that completes commands and options in a shell
      man          Print the manual page, or write one page per command into a folder
      help         Print this message or the help of the given subcommand(s)

    Options:
          --home <DIR>  The folder with the state store; by default `RALPH_HOME`, else `~/.ralph`
      -h, --help        Print help (see more with '--help')
      -V, --version     Print version

    Exit codes:
      0  success
      1  the request was refused, names something unknown, or found a problem
      2  the command line was not understood
      3  the configuration is missing, incomplete or wrong
      4  the state store is missing, damaged, newer than this program, or not Ralph's
      5  the forge cannot be reached or refuses the credentials
    ");
}

#[test]
fn without_a_command_the_help_is_the_answer_and_the_exit_code_is_usage() {
    let ran = Home::empty().ralph(&[]);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: ralph"), "{}", ran.stderr);
}

#[test]
fn the_version_is_the_package_s() {
    assert_eq!(
        Home::empty().ralph(&["--version"]).stdout,
        concat!("ralph ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let home = sample_home();
    let mut command = program();
    command.env("RALPH_HOME", home.path()).arg("status").stdout(Stdio::piped());
    let _guard = a_process();
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert_eq!((child.wait().unwrap().code(), complaint.as_str()), (Some(0), ""));
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = Home::empty().ralph(&["completions", shell]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{shell}");
        assert!(ran.stdout.contains("worktrees"), "{shell}");
        for internal in ["guard", "demo-agent"] {
            assert!(!ran.stdout.contains(internal), "{shell} offers {internal}");
        }
    }
    let ran = Home::empty().ralph(&["completions", "cmd"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("possible values: bash, "), "{}", ran.stderr);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let home = Home::empty();
    let page = home.ralph(&["man"]).stdout;
    assert!(page.contains(".TH RALPH 1") && page.contains("Exit codes"), "{page}");
    let folder = home.path().join("man");
    let ran = home.ralph(&["man", "--out", &folder.display().to_string()]);
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.ends_with(" pages are in HOME/man\n"), "{}", ran.stdout);
    for name in ["ralph.1", "ralph-status.1", "ralph-runs-show.1", "ralph-worktrees-prune.1"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    for internal in ["ralph-guard.1", "ralph-demo-agent.1"] {
        assert!(!folder.join(internal).exists(), "{internal} is nothing that people call");
    }
    assert!(!page.contains("demo\\-agent") && !page.contains("guard"), "{page}");
    let prune = std::fs::read_to_string(folder.join("ralph-worktrees-prune.1")).unwrap();
    assert!(
        prune.contains("ralph worktrees prune") || prune.contains("ralph\\-worktrees\\-prune"),
        "{prune}"
    );
    let taken = home.path().join("taken");
    std::fs::write(&taken, "").unwrap();
    let ran = home.ralph(&["man", "--out", &taken.display().to_string()]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("Error: HOME/taken could not be made"), "{}", ran.stderr);
}
