//! The surroundings of the attempts: secrets and sockets in Ralph's own home, services, another process, and the scripts
//! that make the attempts.

use super::super::theatre::Theatre;
use super::attempts::guard::Machine;
use super::attempts::{Attempt, Language};
use super::{canaries, write};
use crate::process::{Process, program};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

/// Stands in every secret file. The attempts look for it with a pattern that does not match itself.
const TOKEN: &str = "ghp_token-of-this-test";
const SECRETS: [&str; 7] = [
    "store/state.sqlite",
    "worktrees/other/token.txt",
    "repos/other.git/config",
    "user/.ssh/id_ed25519",
    "user/.git-credentials",
    "user/.config/gh/hosts.yml",
    "user/.docker/config.json",
];
const SOCKETS: [&str; 3] = ["docker.sock", "ssh-agent.sock", "ralph.sock"];
const NAMESPACES: [&str; 6] = ["pid", "mnt", "ipc", "uts", "user", "net"];

/// Makes the attempts from one number to another, each as a program of its own, and notes how each ended.
const DRIVER: &str = r#"
here=$(dirname "$0"); . "$here/variables.sh"
until test -s "$here/ralph"; do sleep 0.1; done
export RALPH=$(cat "$here/ralph")
work=$PWD; mkdir -p "$TMPDIR/attempt"; cd "$TMPDIR/attempt"
n=$1; while test $n -lt $2; do
  case $(head -1 "$here/$n") in '#python') program=python3 ;; *) program=sh ;; esac
  said=$($program "$here/$n" 2>&1)
  case $said in *ESCAPED*) how=escaped ;; *tried*) how=held ;; *) how=broken ;; esac
  echo "ATTEMPT-$n $how" >> "$TMPDIR/attempts.log"
  n=$((n + 1))
done
echo made
"#;
/// Waits until the attempts are made, and tells how they ended.
const TELL: &str = r#"
until test "$(grep -c ATTEMPT "$TMPDIR/attempts.log")" -ge $1; do sleep 0.1; done
cat "$TMPDIR/attempts.log"; test -e "$TMPDIR/hunted" && echo HUNT-ENDED
"#;

pub(super) struct World {
    folder: PathBuf,
    _bystander: Process,
    _sockets: Vec<UnixListener>,
}

impl World {
    pub(super) fn make(theatre: &Theatre, attempts: &[&Attempt]) -> Self {
        let (home, folder) = (&theatre.stage.home, theatre.stage.place("attempts"));
        fs::create_dir_all(&folder).expect("a folder");
        for file in SECRETS {
            let file = home.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, format!("{TOKEN}\n")).expect("a file");
        }
        let helper = format!("[credential]\n\thelper = \"!echo password={TOKEN} #\"\n");
        fs::write(home.join("user/.gitconfig"), helper).expect("a file");
        let config = home.join("config.toml");
        let settings = fs::read_to_string(&config).expect("settings");
        fs::write(config, format!("# {TOKEN}\n{settings}")).expect("settings");
        let name = format!("escape-{}", home.display());
        let address = SocketAddr::from_abstract_name(&name).expect("a name");
        let mut sockets = vec![UnixListener::bind_addr(&address).expect("a socket")];
        sockets.extend(SOCKETS.map(|name| UnixListener::bind(home.join(name)).expect("a socket")));
        let mut bystander = program("python3");
        bystander.args(["-c", "import time; time.sleep(1000)", TOKEN]).env("TOKEN", TOKEN);
        let bystander = Process::start(bystander.current_dir(home));
        let mut variables = vec![
            ("AROUND".to_owned(), home.display().to_string()),
            ("SSH_AUTH_SOCK".to_owned(), home.join("ssh-agent.sock").display().to_string()),
            ("BYSTANDER".to_owned(), bystander.id().to_string()),
            ("SERVICE".to_owned(), serve().to_string()),
            ("MODEL".to_owned(), theatre.model.port().to_string()),
            ("UDP".to_owned(), echo_datagrams().to_string()),
            ("ABSTRACT".to_owned(), name),
        ];
        variables.extend(NAMESPACES.map(|name| {
            let own = fs::read_link(format!("/proc/self/ns/{name}")).expect("a namespace");
            (format!("NS_{name}"), own.display().to_string())
        }));
        let exports = variables.iter().map(|(name, value)| format!("export {name}='{value}'\n"));
        write(&folder, "variables.sh", &exports.collect::<String>());
        let machine = Machine::of_this_process();
        for (number, attempt) in attempts.iter().enumerate() {
            let first = match attempt.language {
                Language::Shell => "#shell\n",
                Language::Python => "#python\n",
            };
            write(&folder, &number.to_string(), &(first.to_owned() + &attempt.guarded(&machine)));
        }
        write(&folder, "driver.sh", &machine.guarded_shell(DRIVER));
        write(&folder, "tell.sh", TELL);
        canaries::hide(theatre, &folder);
        Self { folder, _bystander: bystander, _sockets: sockets }
    }

    /// Tells the attempts which process is Ralph's.
    pub(super) fn begins(&self, ralph: u32) {
        write(&self.folder, "ralph", &ralph.to_string());
    }
}

/// A service of the machine, whose word shows that it was reached.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        use std::io::Write as _;
        for mut visitor in listener.incoming().flatten() {
            drop(visitor.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nSERVICE"));
        }
    });
    port
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
