//! The things that a contained process must not see, reach or change.

use crate::escapes::guarded;
use crate::folder::Folder;
use crate::room::{Room, containments, follow, launcher, sandbox};
use ralph_contain::{Network, Spec, View};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
fn a_sandboxed_process_writes_only_where_it_may() {
    let Some(sandbox) = sandbox() else { return };
    let room = Room::new();
    fs::write(room.around().join("secret"), "s").expect("a file");
    let around = room.around().display();
    let script = format!(
        "for place in / /usr /etc /opt '{around}' /proc/sys/kernel; do \
         touch \"$place/written\" 2>/dev/null && echo \"FOUND $place\"; done\n\
         cat '{around}/secret' 2>/dev/null && echo FOUND; mount -o remount,rw / 2>/dev/null && echo FOUND\n\
         touch in /tmp/x /run/x \"$TMPDIR/x\" && echo good"
    );
    let (_, output) = room.run(&sandbox, &guarded(&script));
    assert_eq!(output, "good\n");
    assert!(room.inside().join("work/in").exists());
    assert!(!Path::new("/run/x").exists() && !Path::new("/tmp/x").exists());
}

#[test]
fn a_sandboxed_process_sees_the_system_and_nothing_of_its_users() {
    let Some(sandbox) = sandbox() else { return };
    let (room, elsewhere) = (Room::new(), Folder::new());
    // Hidden by a link to it, as a home can be.
    fs::write(elsewhere.path().join("secret"), "s").expect("a file");
    let link = room.around().join("link");
    symlink(elsewhere.path(), &link).expect("a link");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    // A checkout in a folder of the system is visible to sandboxed processes.
    let is_systems = ["/usr", "/opt", "/etc", "/nix"].iter().any(|folder| own.starts_with(folder));
    let own = if is_systems { PathBuf::from("/var/lib") } else { own };
    let mut spec = room.spec(&format!(
        "test ! -e {}/secret && test ! -e {} && git --version > /dev/null && echo good",
        elsewhere.path().display(),
        own.display()
    ));
    spec.access.hidden.push(link);
    let process = launcher(&sandbox).confined(&spec).expect("it starts");
    let (_, output) = follow(process, Duration::from_secs(60));
    assert_eq!(output, "good\n");
}

#[test]
fn secrets_stay_out_of_sight_in_folders_that_are_shown() {
    let Some(sandbox) = sandbox() else { return };
    let (room, shown) = (Room::new(), Folder::new());
    for file in ["user/.ssh/id", "user/notes", "tool/token", "tool/token~", "tool/program"] {
        let file = shown.path().join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "x\n").expect("a file");
    }
    let mut launcher = launcher(&sandbox);
    launcher.view = View {
        user_home: Some(shown.path().join("user")),
        shown: vec![shown.path().join("tool")],
        secret: vec![shown.path().join("tool/token")],
        ..launcher.view
    };
    let script = format!("cd '{}'; find . -type f -exec grep -ls x {{}} +", shown.path().display());
    let process = launcher.confined(&room.spec(&script)).expect("it starts");
    let (_, output) = follow(process, Duration::from_secs(60));
    assert_eq!(output, "./tool/program\n");
}

#[test]
fn a_sandboxed_process_has_neither_network_nor_rights_unless_it_is_granted_them() {
    let Some(sandbox) = sandbox() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let reach = format!(
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)' \
         2>/dev/null && echo reached; find /run /tmp /var -type s 2>/dev/null; grep CapEff /proc/self/status"
    );
    for (network, expected) in [(Network::None, ""), (Network::Host, "reached\n")] {
        let room = Room::new();
        let spec = Spec { network, ..room.spec(&reach) };
        let process = launcher(&sandbox).confined(&spec).expect("it starts");
        let (_, output) = follow(process, Duration::from_secs(60));
        assert_eq!(output, format!("{expected}CapEff:\t0000000000000000\n"));
    }
}

#[test]
fn a_sandboxed_process_sees_no_other_processes() {
    let Some(sandbox) = sandbox() else { return };
    let (room, own) = (Room::new(), std::process::id());
    let script = format!("kill -0 {own} 2>/dev/null && echo FOUND; ls /proc | grep -c '^[0-9]'");
    let (_, output) = room.run(&sandbox, &script);
    let count: u32 = output.trim().parse().expect("a number");
    assert!(count < 8, "{output}");
}

#[test]
fn a_contained_process_gets_its_own_environment_and_three_descriptors() {
    for containment in containments() {
        let room = Room::new();
        let script = "env | cut -d= -f1 | grep -v '^_$' | sort | tr '\\n' ' '; echo; \
                      for one in 0 1 2 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$one && echo $one; done";
        let (_, output) = room.run(&containment, script);
        let (names, descriptors) = output.split_once('\n').expect("two lines");
        let allowed = ["PATH", "PWD", "OLDPWD", "SHLVL", "TMPDIR"];
        assert!(names.split_whitespace().all(|name| allowed.contains(&name)), "{names}");
        assert_eq!(descriptors, "0\n1\n2\n", "{containment:?}");
    }
}
