//! The network of turns and commands: listed hosts are reached, others are refused, and what was asked for is kept.

use crate::stage::{Kept, RUN, Set, Stage, changed, containments};
use ralph_adapters::network::NetworkRule;
use ralph_core::fact::Outcome;
use ralph_core::job::Job;
use ralph_core::time::Span;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;

/// A server on the loopback device that answers every visitor with `hello`, for as long as the test runs.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut visitor in listener.incoming().flatten() {
            let mut head = [0; 1024];
            drop(visitor.read(&mut head));
            drop(visitor.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
        }
    });
    port
}

fn fetch(address: &str) -> String {
    format!(
        "python3 -c 'import urllib.request; print(urllib.request.urlopen(\"{address}\").read().decode())'"
    )
}

fn rule(hosts: &[String]) -> NetworkRule {
    let hosts = hosts.iter().map(|host| host.parse().expect("a host")).collect();
    NetworkRule::Hosts { hosts, has_registries: true }
}

#[test]
fn a_turn_reaches_the_hosts_that_are_listed_and_the_rest_is_kept_as_refused() {
    if !containments().contains(&Kept::ByBubblewrap) {
        return;
    }
    let (port, other) = (server(), server());
    let network = rule(&[format!("127.0.0.1:{port}")]);
    let mut stage = Stage::set(&Set { kept: Kept::ByBubblewrap, network, ..Set::default() });
    stage.prepare();
    let script = format!(
        "{} > a.txt\n{} >> a.txt 2>/dev/null\n{} 2>/dev/null\ntrue",
        fetch(&format!("http://127.0.0.1:{port}/")),
        fetch(&format!("http://127.0.0.1:{other}/")),
        fetch("https://other.example/"),
    );
    changed(stage.implement(&script));
    let made = fs::read_to_string(stage.worktree_path().join("a.txt")).expect("a file");
    assert_eq!(made, "hello\n");
    let folder = stage.run_folder().join(format!("{}-implement", stage.attempt()));
    let kept = fs::read_to_string(folder.join("network.txt")).expect("what was asked for");
    assert!(kept.contains(&format!("allowed 127.0.0.1:{port}: 1 connections")), "{kept}");
    assert!(kept.contains("refused other.example:443: 1 times"), "{kept}");
    assert!(!folder.join("proxy.sock").exists());
}

#[test]
fn a_command_that_fails_for_want_of_a_host_says_which() {
    if !containments().contains(&Kept::ByBubblewrap) {
        return;
    }
    let port = server();
    let network = rule(&[format!("127.0.0.1:{port}")]);
    let mut stage = Stage::set(&Set { kept: Kept::ByBubblewrap, network, ..Set::default() });
    stage.prepare();
    let commands =
        vec![fetch(&format!("http://127.0.0.1:{port}/")), fetch("https://other.example/")];
    let setup =
        Job::Setup { run: RUN, path: stage.worktree(), commands, timeout: Span::from_secs(60) };
    let outcome = stage.run(&setup, "");
    let Outcome::CommandsFailed { excerpt, ran, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(ran.len(), 2, "{excerpt}");
    let said = "The sandbox did not let through (see `allow_hosts`):\n\
                other.example:443: it is not on the list of allowed hosts";
    assert!(excerpt.contains(said), "{excerpt}");
}

#[test]
fn without_a_network_nothing_is_reached() {
    if !containments().contains(&Kept::ByBubblewrap) {
        return;
    }
    let port = server();
    let set = Set { kept: Kept::ByBubblewrap, network: NetworkRule::None, ..Set::default() };
    let mut stage = Stage::set(&set);
    stage.prepare();
    let address = format!("http://127.0.0.1:{port}/");
    changed(stage.implement(&format!("({} || echo nothing) > a.txt 2>/dev/null", fetch(&address))));
    let made = fs::read_to_string(stage.worktree_path().join("a.txt")).expect("a file");
    assert_eq!(made, "nothing\n");
    let commands = vec![fetch(&address)];
    let setup =
        Job::Setup { run: RUN, path: stage.worktree(), commands, timeout: Span::from_secs(60) };
    assert!(matches!(stage.run(&setup, ""), Outcome::CommandsFailed { .. }));
}
