//! Webhooks as a receiver gets them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;

use crate::desk::{Desk, REPO};

/// One request as it came: its head and its body.
struct Letter {
    head: String,
    body: String,
}

impl Letter {
    fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value)
        });
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head)).trim()
    }
}

/// Takes so many requests and answers them all with one status.
fn receiver(count: usize, status: &'static str) -> (String, JoinHandle<Vec<Letter>>) {
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

fn hook(desk: &Desk, url: &str, events: &[&str]) -> u64 {
    let config = json!({"url": url, "content_type": "json", "secret": "it is a secret"});
    let hook = json!({"name": "web", "active": true, "events": events, "config": config});
    let made = desk.owner().ask("POST", &format!("/repos/{REPO}/hooks"), Some(&hook));
    made["id"].as_u64().unwrap()
}

#[test]
fn a_push_is_announced_with_a_signature_and_the_outcome_is_kept() {
    let (mut desk, work) = Desk::new();
    let (url, letters) = receiver(2, "200 OK");
    let id = hook(&desk, &url, &["push"]);
    let sha = work.commit("a", "1");
    work.git(&["push", "--quiet"]);
    let letters = letters.join().unwrap();
    let push = letters.iter().find(|letter| letter.header("x-github-event") == "push").unwrap();
    assert!(push.body.contains(&sha));
    let mut mac = Hmac::<Sha256>::new_from_slice(b"it is a secret").unwrap();
    mac.update(push.body.as_bytes());
    let digits: String =
        mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(push.header("x-hub-signature-256"), format!("sha256={digits}"));
    let list = format!("/repos/{REPO}/hooks/{id}/deliveries");
    let known = |desk: &Desk| {
        let kept = desk.owner().get(&list);
        let codes = kept.as_array().unwrap().iter().map(|one| one["status_code"].clone());
        codes.collect::<Vec<_>>()
    };
    while known(&desk) != [json!(200), json!(200)] {}
    desk.restart();
    assert_eq!(known(&desk), [json!(200), json!(200)]);
}

#[test]
fn a_receiver_that_is_not_there_holds_nobody_up() {
    let (desk, work) = Desk::new();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    hook(&desk, &format!("http://{gone}/hook"), &["*"]);
    let (url, letters) = receiver(1, "204 No Content");
    hook(&desk, &url, &["issues"]);
    work.commit("a", "1");
    work.git(&["push", "--quiet"]);
    assert_eq!(letters.join().unwrap()[0].header("x-github-event"), "ping");
}
