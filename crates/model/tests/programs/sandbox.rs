//! Each agent in a sandbox without a network: the model is reached through a socket, and one turn writes a file.

use crate::program::Program;
use crate::stage::{PROMPT, Stage};
use ralph_model::{Script, Turn, When};
use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::thread;

/// Lets an agent write a file and list the network devices that it has.
fn works_without_a_network(program: Program) {
    if !bubblewrap()
        .args(["--ro-bind", "/", "/", "--unshare-all", "true"])
        .status()
        .is_ok_and(|it| it.success())
    {
        println!("bwrap does not work here, so {program:?} is not tried in it");
        return;
    }
    let turn = Turn::new()
        .say("I write three files.")
        .write("GREETING.txt", "hello\n")
        .read("README.md")
        .write("README.md", "Another repository.\n")
        .run("cat /proc/net/dev > DEVICES.txt")
        .say("All are written.");
    let script = Script::new().role("implementer", When::contains("implementer"), [turn]);
    let stage = Stage::new(script);
    let socket = stage.home.join("model.sock");
    serve_on(&socket, stage.server.port());
    let command = program.command(&stage.turn());
    let ended = stage.run_command(boxed(&stage, &socket, &command));
    let said = format!("{}{}", ended.out, ended.err);
    assert_eq!(ended.code, 0, "{said}");
    assert_eq!(stage.server.refusals(), Vec::<String>::new(), "{said}");
    let greeting = fs::read_to_string(stage.repo.join("GREETING.txt")).ok();
    assert_eq!(greeting.as_deref(), Some("hello\n"), "{said}");
    assert_eq!(fs::read_to_string(stage.repo.join("README.md")).unwrap(), "Another repository.\n");
    let devices = fs::read_to_string(stage.repo.join("DEVICES.txt"));
    let devices = devices.unwrap_or_else(|error| panic!("{error}: {said}"));
    let names: Vec<&str> = devices
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, _)| name.trim())
        .collect();
    assert_eq!(names, ["lo"]);
    assert!(said.contains("All are written."), "{said}");
    let prompts = stage.server.recorded();
    assert!(prompts.iter().any(|recorded| recorded.body.to_string().contains(PROMPT)));
}

/// Hands connections to a socket on to a port of this machine.
fn serve_on(socket: &Path, port: u16) {
    let listener = UnixListener::bind(socket).unwrap();
    thread::spawn(move || {
        for inside in listener.incoming().flatten() {
            if let Ok(outside) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
                crate::joined::join(outside, inside);
            }
        }
    });
}

/// The command in a sandbox that sees this machine read-only, and may write to the stage.
fn boxed(stage: &Stage, socket: &Path, command: &Command) -> Command {
    let mut sandbox = bubblewrap();
    sandbox.args(["--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"]);
    sandbox.args(["--proc", "/proc"]);
    for folder in [&stage.home, &stage.repo] {
        sandbox.arg("--bind").arg(folder).arg(folder);
    }
    sandbox.arg("--chdir").arg(&stage.repo);
    sandbox.arg(env!("CARGO_BIN_EXE_model-relay")).arg(socket).arg(stage.server.port().to_string());
    sandbox.arg(command.get_program()).args(command.get_args());
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    sandbox.env_clear().envs(variables);
    sandbox
}

#[expect(clippy::disallowed_methods, reason = "the one place where these tests start the sandbox")]
fn bubblewrap() -> Command {
    Command::new("bwrap")
}

#[test]
fn claude_works_without_a_network() {
    works_without_a_network(Program::Claude);
}

#[test]
fn codex_works_without_a_network() {
    works_without_a_network(Program::Codex);
}

#[test]
fn opencode_works_without_a_network() {
    works_without_a_network(Program::OpenCode);
}

#[test]
fn gemini_works_without_a_network() {
    works_without_a_network(Program::Gemini);
}
