//! Real processes, contained in every way that works here.

use super::*;

struct Room(tempfile::TempDir);

impl Room {
    fn new() -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        for name in ["room/work", "room/home", "room/tmp"] {
            std::fs::create_dir_all(room.0.path().join(name)).unwrap();
        }
        room
    }

    fn start(&self, containment: Containment, run: &str) -> CheckProcess {
        let path = self.0.path();
        CheckProcess::start(containment, run, &path.join("room"), &[path.to_owned()]).unwrap()
    }
}

/// Both ways, where both work.
fn ways() -> impl Iterator<Item = Containment> {
    let best = Containment::choose(false, true);
    let weaker = (best != Containment::Unsafe).then_some(Containment::Unsafe);
    [best].into_iter().chain(weaker)
}

/// Whether a process with this word in its command line is there, waiting a while for its end.
fn outlives(word: &str) -> bool {
    let is_there = || {
        let entries = std::fs::read_dir("/proc").unwrap();
        let lines = entries.map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")));
        lines.flatten().any(|line| String::from_utf8_lossy(&line).contains(word))
    };
    (0..2_000).all(|_again| is_there())
}

#[test]
fn what_a_check_prints_and_how_it_ends_is_told() {
    for way in ways() {
        let mut log = Vec::new();
        let room = Room::new();
        let process = room.start(way, "echo out; echo err >&2; pwd; exit 7");
        let end = process.wait(Duration::from_secs(60), |piece| log.extend_from_slice(piece));
        assert_eq!(end, CheckEnd::Ended { code: Some(7) }, "{way:?}");
        let log = String::from_utf8(log).unwrap();
        assert!(log.starts_with("out\nerr\n") && log.ends_with("room/work\n"), "{way:?} {log}");
    }
}

#[test]
fn a_limit_ends_the_whole_family() {
    for way in ways() {
        let room = Room::new();
        let process = room.start(way, "sleep 86401 & sleep 86401");
        assert_eq!(process.wait(Duration::from_millis(300), |_| {}), CheckEnd::TimedOut);
        assert!(!outlives("86401"), "{way:?}");
    }
}

#[test]
fn what_is_left_behind_in_the_background_is_ended() {
    for way in ways() {
        let room = Room::new();
        let process = room.start(way, "sleep 86402 & exit 0");
        let end = process.wait(Duration::from_secs(60), |_| {});
        assert_eq!(end, CheckEnd::Ended { code: Some(0) }, "{way:?}");
        assert!(!outlives("86402"), "{way:?}");
    }
}

#[test]
fn a_check_is_ended_from_elsewhere() {
    for way in ways() {
        let room = Room::new();
        let process = room.start(way, "sleep 86403");
        let ending = process.ending();
        let waiting = thread::spawn(move || process.wait(Duration::from_secs(60), |_| {}));
        ending.end();
        assert_eq!(waiting.join().unwrap(), CheckEnd::Stopped, "{way:?}");
        assert!(!outlives("86403"), "{way:?}");
    }
}

#[test]
fn a_guard_ends_its_group_when_the_server_is_gone() {
    let room = Room::new();
    let mut process = room.start(Containment::Unsafe, "sleep 86404");
    process.leash = None;
    let end = process.wait(Duration::from_secs(60), |_| {});
    assert_eq!(end, CheckEnd::Ended { code: None });
    assert!(!outlives("86404"));
}

#[test]
fn a_contained_check_writes_only_into_its_room() {
    let best = Containment::choose(false, false);
    if best == Containment::Refused {
        return;
    }
    let room = Room::new();
    std::fs::write(room.0.path().join("secret"), "s").unwrap();
    let secret = room.0.path().join("secret");
    let run =
        format!("test ! -e {0} && ! touch /usr/x 2>&1 && touch in && echo good", secret.display());
    let mut log = Vec::new();
    let process = room.start(best, &run);
    process.wait(Duration::from_secs(60), |piece| log.extend_from_slice(piece));
    assert!(String::from_utf8_lossy(&log).ends_with("good\n"));
    assert!(room.0.path().join("room/work/in").exists());
}

#[test]
fn a_contained_check_sees_the_system_and_nothing_of_anybody() {
    let best = Containment::choose(false, false);
    if best == Containment::Refused {
        return;
    }
    let (room, elsewhere) = (Room::new(), tempfile::tempdir().unwrap());
    // Hidden by a link to it, as a home can be.
    std::fs::write(elsewhere.path().join("secret"), "s").unwrap();
    let link = room.0.path().join("link");
    std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    // Whoever builds this in a folder of the system shows it to checks.
    let is_systems = ["/usr", "/opt", "/etc", "/nix"].iter().any(|folder| own.starts_with(folder));
    let own = if is_systems { PathBuf::from("/var/lib") } else { own };
    let run = format!(
        "test ! -e {}/secret && test ! -e {} && ! touch /x 2>&1 && git --version && \
         touch /tmp/x $TMPDIR/x && echo good",
        elsewhere.path().display(),
        own.display()
    );
    let started = CheckProcess::start(best, &run, &room.0.path().join("room"), &[link]).unwrap();
    let mut log = Vec::new();
    started.wait(Duration::from_secs(60), |piece| log.extend_from_slice(piece));
    let log = String::from_utf8_lossy(&log);
    assert!(log.ends_with("good\n"), "{log}");
}

#[test]
fn a_contained_check_has_no_network_no_sockets_and_no_rights_unless_it_is_granted_them() {
    if Containment::choose(false, false) == Containment::Refused {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let reach = format!(
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 5)' \
         2>&1 && echo reached; ls -A /run; grep CapEff /proc/self/status"
    );
    for network in [false, true] {
        let room = Room::new();
        let process = room.start(Containment::Bubblewrap { network }, &reach);
        let mut log = Vec::new();
        process.wait(Duration::from_secs(60), |piece| log.extend_from_slice(piece));
        let log = String::from_utf8(log).unwrap();
        assert_eq!(log.contains("reached"), network, "{log}");
        assert!(log.ends_with("CapEff:\t0000000000000000\n"), "{log}");
        let run: Vec<&str> = log.lines().rev().skip(1).take(1).collect();
        assert!(!run[0].contains("sock"), "{log}");
    }
}

#[test]
fn without_a_sandbox_nothing_is_run() {
    let room = Room::new();
    let path = room.0.path();
    let started = CheckProcess::start(Containment::Refused, "true", &path.join("room"), &[]);
    assert!(started.unwrap_err().to_string().contains("--unsafe-checks"));
}
