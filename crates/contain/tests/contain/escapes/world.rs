//! A machine full of things that a sandboxed process must not reach: secrets, sockets, services, another process.
#![expect(clippy::disallowed_methods, reason = "the bystander is a process of the test's own")]

use super::{Attempt, Language};
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
    pub(super) fn spec(&self, attempts: &[&Attempt]) -> Spec {
        let work = self.room.inside().join("work");
        let mut driver = FIND_PYTHON.to_owned();
        for (number, attempt) in attempts.iter().enumerate() {
            let (program, script) = match attempt.language {
                Language::Shell => ("sh", format!("{}\necho tried", attempt.script)),
                Language::Python => {
                    ("\"$PYTHON\"", format!("{PREAMBLE}{}\nprint('tried')", attempt.script))
                }
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

/// Shared by the attempts in Python. `escaped` is called with the thing that was reached; errors mean that it was not.
const PREAMBLE: &str = r#"
import os, socket, sys, ctypes, struct, fcntl, errno
env = os.environ
around, service, model = env['AROUND'], int(env['SERVICE']), int(env['MODEL'])
socket.setdefaulttimeout(5)
libc = ctypes.CDLL(None, use_errno=True)
def escaped(what=''): print('ESCAPED', what)
def attempt(act):
    try:
        if act(): escaped()
    except OSError as error: print(error)
def exchange(one, request):
    one.sendall(request)
    said = b''
    try:
        while part := one.recv(4096): said += part
    except OSError: pass
    return said
def proxy(): return socket.create_connection(('127.0.0.1', 3128))
GET = b'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
def through(request, after=GET):
    one = proxy()
    one.sendall(request)
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        part = one.recv(1)
        if not part: break
        head += part
    said = exchange(one, after) if b' 200 ' in head else head
    print(head)
    return b'SERVICE' in said
def tunnel(target): return through(b'CONNECT ' + target.encode() + b' HTTP/1.1\r\n\r\n')
"#;
