//! A stage on which a real program plays: the usual forge and home, the program as the agent of every role, and a model
//! that answers by a script.

#[path = "../../../../model/tests/relay/joined.rs"]
mod joined;

use super::program::{Account, Configured, Program};
use crate::process::{Process, Ran};
use crate::stage::Stage;
use ralph_model::{Script, Server, Turn, When};
use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::Duration;

/// Some programs try a request again for minutes before they give up.
const PATIENCE: Duration = Duration::from_secs(600);

pub(crate) const PLAN: &str = "# Intent\nAdd a greeting.\n# Risk\nNone.\n# Reuse\nNothing.\n";
pub(crate) const PLAN_REVIEW: &str =
    "RALPH_PLAN_REVIEW: {\"status\":\"pass\",\"reason\":\"clear\"}";
const REVIEW: &str = "RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"small\"}";

/// The settings of a play beside those of its program.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    /// Further lines for `[agent]`. `$STAGE` is the folder of the stage, here as in the script.
    pub(crate) agent: String,
    /// The command that judges a change.
    pub(crate) preflight: &'static str,
    pub(crate) account: Account,
    /// The model is reached through a socket instead of a network.
    pub(crate) is_served_inside: bool,
}

impl Default for Rules {
    fn default() -> Self {
        let (agent, preflight) = (String::new(), "true");
        Self { agent, preflight, account: Account::Key, is_served_inside: false }
    }
}

pub(crate) struct Theatre {
    pub(crate) stage: Stage,
    pub(crate) model: Server,
    configured: Configured,
}

impl Theatre {
    pub(crate) fn set(program: Program, script: Script, rules: &Rules) -> Self {
        let stage = Stage::set("");
        let top = stage.place("").display().to_string();
        let top = top.trim_end_matches('/');
        let model = Server::start(script.with_text("$STAGE", top)).expect("a model");
        let mut configured = program.configured(&model, rules.account);
        let Rules { agent, preflight, .. } = rules;
        let agent = agent.replace("$STAGE", top);
        if rules.is_served_inside {
            configured.settings = serve_inside(&stage, &model, &configured.settings);
        }
        let path = stage.home.join("config.toml");
        let text = fs::read_to_string(&path).expect("settings");
        let (before, after) = text.split_once("[agent]").expect("an agent");
        let (_, repos) = after.split_once("[[repos]]").expect("a repository");
        let repos = repos.replace("[\"true\"]", &format!("[{preflight:?}]"));
        let names: Vec<_> = configured.variables.iter().map(|(name, _)| *name).collect();
        let reach = format!("allow_hosts = [\"127.0.0.1:{}\"]\npass_env = {names:?}", model.port());
        let settings = &configured.settings;
        let text = format!("{before}[agent]\n{settings}\n{reach}\n{agent}\n[[repos]]{repos}");
        fs::write(&path, text).expect("settings");
        Self { stage, model, configured }
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.stage.command(arguments);
        command.envs(self.configured.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Works until nothing is left to do.
    pub(crate) fn work(&self) -> Ran {
        let running = Process::start(&mut self.command(&["run", "--until-idle"]));
        let ran = running.wait_within(PATIENCE);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    }

    /// A daemon that has these variables too.
    pub(crate) fn daemon(&self, variables: Vec<(&str, String)>) -> Process {
        Process::start(self.command(&["run"]).envs(variables))
    }

    /// Everything that helps to see why an issue is not where it should be.
    pub(crate) fn story(&self, issue: u64) -> String {
        format!("{}\n{:?}", self.stage.explained(issue), self.model.refusals())
    }
}

/// The answers of every role but the implementer, each recognised by the first words of its prompt.
pub(crate) fn judges(script: Script) -> Script {
    let say = |text: &str| Turn::new().say(text);
    script
        .always("plan", When::contains("You are the planner"), say(PLAN))
        .always("plan_review", When::contains("You are the reviewer of plans"), say(PLAN_REVIEW))
        .always("review", When::contains("You are the reviewer for"), say(REVIEW))
}

/// The turns of the implementer.
pub(crate) fn implementer(turns: impl IntoIterator<Item = Turn>) -> Script {
    Script::new().role("implement", When::contains("You are the implementer"), turns)
}

/// Settings with which the program finds its model on the sandbox's own loopback: a relay in front of it leads to a socket
/// in a folder that the operator shows to it.
fn serve_inside(stage: &Stage, model: &Server, settings: &str) -> String {
    let (folder, port) = (stage.place("attempts"), model.port());
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("relay.py"), RELAY).expect("a relay");
    let socket = folder.join("model.sock");
    let listener = UnixListener::bind(&socket).expect("a socket");
    std::thread::spawn(move || {
        for inside in listener.incoming().flatten() {
            if let Ok(outside) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
                joined::join(outside, inside);
            }
        }
    });
    let relay = format!("[\"python3\", {:?}, {socket:?}, \"{port}\", ", folder.join("relay.py"));
    let settings = settings.replacen("command = [", &format!("command = {relay}"), 1);
    settings.replace("network = \"model\"\n", "").replace("\nnetwork = \"model\"", "")
}

/// Listens where the model would, and runs the program.
const RELAY: &str = r#"
import socket, subprocess, sys, threading
def pump(one, other):
    try:
        while part := one.recv(65536): other.sendall(part)
        other.shutdown(socket.SHUT_WR)
    except OSError: pass
listener = socket.create_server(('127.0.0.1', int(sys.argv[2])))
def serve():
    while True:
        one = listener.accept()[0]
        other = socket.socket(socket.AF_UNIX)
        other.connect(sys.argv[1])
        for pair in ((one, other), (other, one)): threading.Thread(target=pump, args=pair, daemon=True).start()
threading.Thread(target=serve, daemon=True).start()
sys.exit(subprocess.run(sys.argv[3:]).returncode)
"#;
