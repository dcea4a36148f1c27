//! The way of a sandboxed process to the network through the relay and the proxy: hosts that are listed are reached,
//! others are refused with words, and everything is counted.

use crate::room::{Room, follow, launcher, sandbox};
use crate::server::Server;
use crate::tether::Tether;
use ralph_contain::{Ending, HostList, Launcher, Network, Proxy, Refusal, Spec};
use rustix::process::{Signal, kill_process};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A proxy for these hosts, with its socket in the room.
pub(crate) fn proxy(room: &Room, hosts: &[String]) -> Proxy {
    let list: HostList = hosts.iter().map(|host| host.parse().expect("a host")).collect();
    Proxy::start(room.around(), list).expect("a proxy")
}

fn run(room: &Room, network: Network, script: &str) -> Option<(Ending, String)> {
    let spec = Spec { network, ..room.spec(script) };
    let process = launcher(&sandbox()?).confined(&spec).expect("it starts");
    Some(follow(process, Duration::from_secs(60)))
}

/// Fetches an address as programs do, by the variables.
fn fetch(address: &str) -> String {
    format!(
        "python3 -c 'import urllib.request, urllib.error\n\
         try: print(urllib.request.urlopen(\"{address}\").read().decode())\n\
         except urllib.error.HTTPError as error: print(error.code, error.read().decode())\n\
         except Exception as error: print(type(error).__name__, error)'\n"
    )
}

#[test]
fn a_listed_loopback_port_is_reached_with_and_without_the_proxy_and_counted() {
    let (room, server) = (Room::new(), Server::start("hello"));
    let proxy = proxy(&room, &[format!("127.0.0.1:{}", server.port)]);
    let address = format!("http://127.0.0.1:{}/path", server.port);
    let script = format!("{}NO_PROXY= no_proxy=\n{}", fetch(&address), fetch(&address));
    let Some((ending, output)) = run(&room, proxy.network(), &script) else { return };
    assert_eq!((ending, output.as_str()), (Ending::Exited(0), "hello\nhello\n"));
    drop(server);
    let traffic = proxy.traffic();
    let passed: Vec<_> = traffic.allowed.values().map(|passed| passed.connections).collect();
    assert_eq!((passed.as_slice(), traffic.refused.len()), (&[2][..], 0), "{traffic}");
}

#[test]
fn a_host_that_is_not_listed_is_refused_with_words_and_counted() {
    let (room, server) = (Room::new(), Server::start("hello"));
    let proxy = proxy(&room, &["allowed.example".to_owned()]);
    let other = format!("http://other.example:{}/", server.port);
    let script = format!("{}{}", fetch(&other), fetch("https://other.example/"));
    let Some((_, output)) = run(&room, proxy.network(), &script) else { return };
    assert!(output.contains("403 Ralph's sandbox does not let through other.example"), "{output}");
    assert!(output.contains("Tunnel connection failed: 403 Forbidden"), "{output}");
    let refused = proxy.traffic().refused;
    let key = ("other.example:443".to_owned(), Refusal::NotListed);
    assert_eq!(refused.get(&key), Some(&1), "{refused:?}");
    assert_eq!(server.visits(), 0);
}

#[test]
fn a_listed_name_does_not_lead_to_this_machine() {
    let (room, server) = (Room::new(), Server::start("hello"));
    let (name, address) =
        (format!("localhost:{}", server.port), format!("127.0.0.1:{}", server.port));
    for (hosts, status) in
        [(vec![name.clone()], "HTTP/1.1 403"), (vec![name.clone(), address], "HTTP/1.1 200")]
    {
        let proxy = proxy(&room, &hosts);
        let mut client = UnixStream::connect(room.around().join("proxy.sock")).expect("a way in");
        write!(client, "CONNECT {name} HTTP/1.1\r\n\r\n").expect("a request");
        let mut answer = [0; 12];
        client.read_exact(&mut answer).expect("an answer");
        assert_eq!(String::from_utf8_lossy(&answer), status);
        drop(proxy);
    }
}

#[test]
fn a_head_without_an_end_is_refused_and_the_proxy_goes_on() {
    let (room, server) = (Room::new(), Server::start("hello"));
    let proxy = proxy(&room, &[format!("127.0.0.1:{}", server.port)]);
    let socket = room.around().join("proxy.sock");
    let mut client = UnixStream::connect(&socket).expect("a way in");
    // The proxy may hang up before all of it is written.
    drop(client.write_all(&vec![b'x'; 1_000_000]));
    let mut answer = Vec::new();
    drop(client.read_to_end(&mut answer));
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 400"), "{answer:?}");
    let mut client = UnixStream::connect(&socket).expect("a way in");
    write!(client, "GET http://127.0.0.1:{}/ HTTP/1.1\r\n\r\n", server.port).expect("a request");
    let mut answer = String::new();
    client.read_to_string(&mut answer).expect("an answer");
    assert!(answer.ends_with("hello"), "{answer}");
    assert_eq!(proxy.traffic().refused.len(), 1);
}

#[test]
fn large_bodies_pass_in_both_directions_at_once() {
    let (room, server) = (Room::new(), Server::echo());
    let proxy = proxy(&room, &[format!("127.0.0.1:{}", server.port)]);
    let script = format!(
        "python3 -c 'import socket, threading\n\
         one = socket.create_connection((\"127.0.0.1\", {}))\n\
         data = bytes(range(256)) * 40000\n\
         threading.Thread(target=lambda: (one.sendall(data), one.shutdown(socket.SHUT_WR))).start()\n\
         got = b\"\"\n\
         while part := one.recv(65536): got += part\n\
         print(got == data)'",
        server.port
    );
    let Some((_, output)) = run(&room, proxy.network(), &script) else { return };
    assert_eq!(output, "True\n");
}

#[test]
fn a_proxy_that_is_dropped_ends_its_connections_and_takes_its_socket_along() {
    let (room, server) = (Room::new(), Server::echo());
    let proxy = proxy(&room, &[format!("127.0.0.1:{}", server.port)]);
    let socket = room.around().join("proxy.sock");
    let mut client = UnixStream::connect(&socket).expect("a way in");
    write!(client, "CONNECT 127.0.0.1:{} HTTP/1.1\r\n\r\nx", server.port).expect("a request");
    let mut answer = [0; 40];
    client.read_exact(&mut answer).expect("an answer, and the echo");
    assert!(answer.ends_with(b"\r\n\r\nx"), "{answer:?}");
    drop(proxy);
    assert_eq!(client.read(&mut answer).expect("an end"), 0);
    assert!(!socket.exists());
}

#[test]
fn the_relay_passes_on_exit_codes_signals_and_input() {
    let room = Room::new();
    let proxy = proxy(&room, &[]);
    for (script, expected) in [
        ("exit 7", Ending::Exited(7)),
        ("kill -9 $$", Ending::Signalled(9)),
        ("kill -TERM $$", Ending::Signalled(15)),
        ("read line || exit 3", Ending::Exited(3)),
        ("test \"$HTTPS_PROXY\" = \"$http_proxy\" && test -n \"$NO_PROXY\"", Ending::Exited(0)),
    ] {
        let Some((ending, output)) = run(&room, proxy.network(), script) else { return };
        assert_eq!(ending, expected, "{script}: {output}");
    }
    let Some(sandbox) = sandbox() else { return };
    let network = proxy.network();
    let spec = Spec { program: "no-such-program".into(), network, ..room.spec("") };
    let process = launcher(&sandbox).confined(&spec).expect("the guard starts");
    let (ending, output) = follow(process, Duration::from_secs(60));
    assert!(ending == Ending::Exited(127) && output.contains("no-such-program"), "{output}");
}

#[test]
fn a_command_behind_the_relay_has_time_to_end_in_good_order() {
    let Some(sandbox) = sandbox() else { return };
    let room = Room::new();
    let (proxy, tether) = (proxy(&room, &[]), Tether::tie(&room.inside()));
    let script = format!(
        "trap 'echo tidy > tidied; exit 3' TERM\n{}while :; do sleep 0.01; done",
        tether.hold()
    );
    let spec = Spec { network: proxy.network(), ..room.spec(&script) };
    let launcher = Launcher { grace: Duration::from_secs(60), ..launcher(&sandbox) };
    let mut process = launcher.confined(&spec).expect("it starts");
    tether.wait_until_held();
    process.end();
    assert_eq!(process.wait().expect("an end"), Ending::Exited(3));
    assert!(room.inside().join("work/tidied").exists());
}

#[test]
fn a_guard_that_is_killed_takes_the_relay_with_it() {
    let Some(sandbox) = sandbox() else { return };
    let room = Room::new();
    let (proxy, tether) = (proxy(&room, &[]), Tether::tie(&room.inside()));
    let script = format!("{}trap '' TERM\nsetsid sleep 1000 &\nsleep 1000", tether.hold());
    let spec = Spec { network: proxy.network(), ..room.spec(&script) };
    let process = launcher(&sandbox).confined(&spec).expect("it starts");
    tether.wait_until_held();
    kill_process(process.id(), Signal::KILL).expect("a guard to kill");
    tether.wait_until_released();
    assert_eq!(process.wait().expect("an end"), Ending::Signalled(9));
}
