//! A scripted HTTP server on this machine, one connection after the other.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// The reaction of a server to one request.
pub(crate) enum Deed {
    Answer(&'static str),
    AnswerBytes(Vec<u8>),
    HangUp,
    /// Says nothing until the client has gone.
    Silence,
}

/// Serves one connection per deed, and passes on the requests that it saw.
pub(crate) fn serve(deeds: Vec<Deed>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (seen, requests) = channel();
    std::thread::spawn(move || {
        for deed in deeds {
            let (mut stream, _) = listener.accept().expect("a connection");
            seen.send(read_request(&stream)).expect("somebody waits");
            match deed {
                Deed::Answer(text) => stream.write_all(text.as_bytes()).expect("it is written"),
                // The client stops listening in the middle.
                Deed::AnswerBytes(bytes) => drop(stream.write_all(&bytes)),
                Deed::HangUp => {}
                Deed::Silence => drop(stream.read(&mut [0])),
            }
        }
    });
    (address, requests)
}

fn read_request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut text, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        let is_end = line.trim().is_empty();
        text.push_str(&line);
        if is_end {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    text.push_str(&String::from_utf8_lossy(&body));
    text
}
