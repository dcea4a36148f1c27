//! Connections on which nothing more comes are closed.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::test_server::{TestServer, Who};

/// Longer than the server waits for a client: as long as it waits for one that says nothing, some times.
fn wait_for_patience(host: &str) {
    for _time in 0..5 {
        let mut stream = TcpStream::connect(host).unwrap();
        drop(stream.read_to_end(&mut Vec::new()));
    }
}

#[test]
fn a_client_that_reads_no_more_is_cut_off() {
    const BYTES: usize = 60_000_000;
    let server = TestServer::with(|options| options.patience = Duration::from_millis(200));
    let work = server.found();
    std::fs::write(work.path.join("large"), vec![b'x'; BYTES]).unwrap();
    work.commit("small", "1");
    work.git(&["push", "--quiet"]);
    let token = &server.credentials(Who::Owner).token;
    let host = server.base().strip_prefix("http://").unwrap();
    let ask = format!(
        "GET /repos/ada/app/contents/large HTTP/1.1\r\nhost: {host}\r\n\
         authorization: Bearer {token}\r\naccept: application/vnd.github.raw\r\n\r\n"
    );
    let begin = || {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.write_all(ask.as_bytes()).unwrap();
        let mut first = [0; 12];
        stream.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"HTTP/1.1 200");
        stream
    };
    let bytes_left = |mut stream: TcpStream| {
        let mut said = Vec::new();
        // How it ends is up to the system.
        drop(stream.read_to_end(&mut said));
        said.len()
    };
    assert!(bytes_left(begin()) > BYTES, "who reads gets all of it");
    let waiting = begin();
    wait_for_patience(host);
    assert!(bytes_left(waiting) < BYTES, "it was not cut off");
}

#[test]
fn a_client_that_stops_in_the_middle_is_cut_off() {
    let server = TestServer::with(|options| options.patience = Duration::from_millis(200));
    server.found();
    let token = &server.credentials(Who::Owner).token;
    let host = server.base().strip_prefix("http://").unwrap();
    let head =
        format!("host: {host}\r\nauthorization: Bearer {token}\r\ncontent-length: 100\r\n\r\n");
    for begun in [
        String::new(),
        "GET /user HT".to_owned(),
        format!("POST /user/repos HTTP/1.1\r\n{head}{{"),
        format!("POST /ada/app.git/git-receive-pack HTTP/1.1\r\n{head}00"),
        format!("GET /user HTTP/1.1\r\nhost: {host}\r\n\r\n"),
    ] {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(begun.as_bytes()).unwrap();
        let mut said = Vec::new();
        let ended = stream.read_to_end(&mut said);
        assert!(ended.is_ok(), "{begun:?}: {ended:?} after {:?}", String::from_utf8_lossy(&said));
    }
    assert_eq!(server.owner().get("/user")["login"], "ada");
}

/// Sends a byte whenever nothing was heard for a while that is shorter than the patience of the server.
#[test]
fn a_client_that_sends_a_byte_now_and_then_is_cut_off() {
    const PATIENCE: Duration = Duration::from_millis(400);
    let server = TestServer::with(|options| options.patience = PATIENCE);
    server.found();
    let token = &server.credentials(Who::Owner).token;
    let host = server.base().strip_prefix("http://").unwrap();
    for step in ["git-receive-pack", "git-upload-pack"] {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(PATIENCE / 8)).unwrap();
        let head = format!(
            "POST /ada/app.git/{step} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
             content-length: 100000\r\n\r\nfff0"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let is_ended = (0..100).any(|_time| match stream.read(&mut [0; 1024]) {
            Ok(0) => true,
            Ok(_said) => false,
            Err(error) if error.kind() == ErrorKind::WouldBlock => stream.write_all(b"x").is_err(),
            Err(_closed) => true,
        });
        assert!(is_ended, "{step}");
    }
    assert_eq!(server.owner().get("/user")["login"], "ada");
}
