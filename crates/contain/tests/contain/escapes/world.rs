//! A machine full of things that a sandboxed process must not reach: secrets, sockets, services, another process.
#![expect(clippy::disallowed_methods, reason = "the bystander is a process of the test's own")]

use super::attempts::Language;
use crate::room::Room;
use crate::server::Server;
use ralph_contain::{Spec, View};
use std::fs;
use std::net::UdpSocket;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command, Stdio};

/// Stands in every secret file. The attempts look for it with a pattern that does not match itself.
const TOKEN: &str = "ghp_token-of-this-test";
const SECRETS: [&str; 8] = [
    "store/state.sqlite",
    "config.toml",
    "worktrees/other/token.txt",
    "repos/other.git/config",
    "user/.ssh/id_ed25519",
    "user/.git-credentials",
    "user/.config/gh/hosts.yml",
    "user/.docker/config.json",
];
/// Stands before the output of each attempt.
pub(super) const NEXT: &str = "=== next attempt ===";
/// The program itself and not a script that looks for it, which would take longer than all the rest.
const FIND_PYTHON: &str = "PYTHON=$(python3 -c 'import sys; print(sys.executable)')\n";
/// Sockets through which a process could act outside.
const SOCKETS: [&str; 3] = ["docker.sock", "ssh-agent.sock", "ralph.sock"];
const NAMESPACES: [&str; 6] = ["pid", "mnt", "ipc", "uts", "user", "net"];

pub(super) struct World {
    pub(super) room: Room,
    pub(super) service: Server,
    model: Server,
    udp_port: u16,
    abstract_name: String,
    bystander: Child,
    _sockets: Vec<UnixListener>,
}

impl World {
    pub(super) fn new() -> Self {
        let room = Room::new();
        for file in SECRETS {
            let file = room.around().join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, format!("{TOKEN}\n")).expect("a file");
        }
        let helper = format!("[credential]\n\thelper = \"!echo password={TOKEN} #\"\n");
        fs::write(room.around().join("user/.gitconfig"), helper).expect("a file");
        let abstract_name = format!("escape-{}", room.around().display());
        let address = SocketAddr::from_abstract_name(&abstract_name).expect("a name");
        let mut sockets = vec![UnixListener::bind_addr(&address).expect("a socket")];
        sockets.extend(
            SOCKETS.map(|name| UnixListener::bind(room.around().join(name)).expect("a socket")),
        );
        Self {
            bystander: bystander(&room),
            udp_port: echo_datagrams(),
            service: Server::start("SERVICE"),
            model: Server::start("MODEL"),
            abstract_name,
            room,
            _sockets: sockets,
        }
    }

    /// The hosts that the proxy lets through. A name that leads to this machine is among them.
    pub(super) fn listed(&self) -> Vec<String> {
        let model = format!("127.0.0.1:{}", self.model.port);
        let name = format!("localhost:{}", self.service.port);
        vec![model, name, "allowed.example".to_owned()]
    }

    pub(super) fn view(&self, view: View) -> View {
        let around = self.room.around();
        View {
            user_home: Some(around.join("user")),
            secret: vec![around.join("config.toml"), around.join("store")],
            ..view
        }
    }

    /// A process that makes these attempts one after the other, each as a separate program.
    pub(super) fn spec(&self, programs: &[(Language, String)]) -> Spec {
        let work = self.room.inside().join("work");
        let mut driver = FIND_PYTHON.to_owned();
        for (number, (language, script)) in programs.iter().enumerate() {
            let program = match language {
                Language::Shell => "sh",
                Language::Python => "\"$PYTHON\"",
            };
            fs::write(work.join(number.to_string()), script).expect("a script");
            driver.push_str(&format!("printf '\\n{NEXT}'; {program} {number}\n"));
        }
        let mut spec = self.room.spec(&driver);
        let around = self.room.around().display().to_string();
        let mut set =
            |name: &str, value: String| spec.environment.insert(name.into(), value.into());
        set("AROUND", around.clone());
        set("HOME", self.room.inside().display().to_string());
        set("SSH_AUTH_SOCK", format!("{around}/ssh-agent.sock"));
        set("RALPH", std::process::id().to_string());
        set("BYSTANDER", self.bystander.id().to_string());
        set("SERVICE", self.service.port.to_string());
        set("MODEL", self.model.port.to_string());
        set("UDP", self.udp_port.to_string());
        set("ABSTRACT", self.abstract_name.clone());
        for name in NAMESPACES {
            let own = fs::read_link(format!("/proc/self/ns/{name}")).expect("a namespace");
            set(&format!("NS_{name}"), own.display().to_string());
        }
        spec
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.bystander.kill().expect("it can be killed");
        self.bystander.wait().expect("it is gone");
    }
}

/// A process of the same user with a secret in its environment and its arguments.
fn bystander(room: &Room) -> Child {
    let script = format!("read line # {TOKEN}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).env("TOKEN", TOKEN).current_dir(room.around());
    command.stdin(Stdio::piped()).spawn().expect("a process")
}

/// Sends every datagram back.
fn echo_datagrams() -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = socket.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut datagram = [0; 1_500];
        while let Ok((count, from)) = socket.recv_from(&mut datagram) {
            drop(socket.send_to(datagram.get(..count).unwrap_or_default(), from));
        }
    });
    port
}
