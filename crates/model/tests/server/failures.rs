//! Failures: the status of each in every wire format, how often, and the ends of connections.

use crate::client::{WIRES, prompt};
use ralph_model::{Answer, Failure, Script, Server, Turn, When, Wire};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Long enough for any answer on loopback.
const SOON: Duration = Duration::from_secs(20);

fn server(turn: Turn) -> Server {
    Server::start(Script::new().role("any", When::Always, [turn])).unwrap()
}

#[test]
fn each_provider_has_its_status_for_each_failure() {
    let limit = |resets_at| Failure::UsageLimit { resets_at };
    for (failure, statuses) in [
        (Failure::LoginRefused, [401, 401, 401, 400]),
        (limit(None), [400, 429, 429, 429]),
        (limit(Some(2_000_000_000)), [429, 429, 429, 429]),
        (Failure::RateLimit { retry_after_s: 7 }, [429, 429, 429, 429]),
        (Failure::Overloaded, [529, 503, 503, 503]),
        (Failure::UnknownModel, [404, 404, 404, 404]),
        (Failure::ContextFull, [400, 400, 400, 400]),
    ] {
        for (wire, expected) in WIRES.into_iter().zip(statuses) {
            let server = server(Turn::new().fail(failure.clone()));
            let (status, body) = prompt(&server, wire, "work", None);
            assert_eq!(status, expected, "{failure:?} in {wire:?}: {body}");
            assert!(body.contains("\"error\""), "{body}");
            assert_eq!(server.recorded()[0].answer, Answer::Failed(wire));
        }
    }
}

#[test]
fn a_failure_that_ends_lets_the_turn_continue() {
    let server = server(Turn::new().fail_times(Failure::Overloaded, 2).say("at last"));
    let statuses: Vec<u16> =
        (0..3).map(|_| prompt(&server, Wire::Messages, "work", None).0).collect();
    assert_eq!(statuses, [529, 529, 200]);
}

#[test]
fn a_connection_that_is_closed_or_garbage_has_no_end_of_the_turn() {
    for wire in WIRES {
        let whole = prompt(&server(Turn::new().say("text")), wire, "work", None).1;
        for failure in [Failure::Close, Failure::Garbage] {
            let broken =
                prompt(&server(Turn::new().say("text").fail(failure)), wire, "work", None).1;
            assert!(broken.contains("text"), "{wire:?}: {broken}");
            let end = whole.lines().rfind(|line| !line.is_empty()).unwrap();
            assert!(!broken.contains(end), "{wire:?}: {broken}");
        }
    }
}

#[test]
fn a_connection_hangs_until_the_server_ends() {
    let server = server(Turn::new().fail(Failure::Hang));
    let (sender, answered) = mpsc::channel();
    let port = server.port();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut connection = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
            let body = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}],"tools":[{"name":"Write"}]}"#;
            let head = format!("POST /v1/messages HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len());
            std::io::Write::write_all(&mut connection, format!("{head}{body}").as_bytes()).unwrap();
            let copied = std::io::copy(&mut connection, &mut std::io::sink());
            sender.send(copied.is_ok()).unwrap();
        });
        assert!(server.wait_for(|it| it.answer == Answer::Failed(Wire::Messages), SOON));
        assert!(answered.try_recv().is_err(), "the connection is still open");
        drop(server);
        answered.recv_timeout(SOON).unwrap();
    });
}
