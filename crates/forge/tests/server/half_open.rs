//! Connections on which nothing more comes are closed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::desk::{Desk, Who};

#[test]
fn a_client_that_stops_in_the_middle_is_cut_off() {
    let desk = Desk::with(|options| options.patience = Duration::from_millis(200));
    desk.found();
    let token = &desk.credentials(Who::Owner).token;
    let host = desk.base().strip_prefix("http://").unwrap();
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
    assert_eq!(desk.owner().get("/user")["login"], "ada");
}
