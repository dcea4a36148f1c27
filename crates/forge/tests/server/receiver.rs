//! A receiver of webhooks.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

/// One request as it came: its head and its body.
pub(crate) struct Letter {
    head: String,
    pub(crate) body: String,
}

impl Letter {
    pub(crate) fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value)
        });
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head)).trim()
    }
}

/// Takes so many requests and answers them all with one status.
pub(crate) fn receiver(count: usize, status: &'static str) -> (String, JoinHandle<Vec<Letter>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let letters = thread::spawn(move || {
        (0..count).map(|_| take(listener.accept().unwrap().0, status)).collect()
    });
    (url, letters)
}

fn take(mut connection: TcpStream, status: &str) -> Letter {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let length = connection.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let letter = Letter { head: head.to_owned(), body: body.to_owned() };
        if letter.body.len() >= letter.header("content-length").parse().unwrap() {
            let answer =
                format!("HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
            connection.write_all(answer.as_bytes()).unwrap();
            return letter;
        }
    }
}
