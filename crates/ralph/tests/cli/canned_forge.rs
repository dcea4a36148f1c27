//! A forge on this machine that knows one answer per path, for what a program makes of each.

use ralph_core::label::DEFINITIONS;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::OnceLock;

/// Answers by path, without the host.
#[derive(Debug, Clone)]
pub(crate) struct CannedForge {
    answers: BTreeMap<String, (u16, Value)>,
    date: Option<&'static str>,
}

impl CannedForge {
    /// A forge with one repository, acme/widgets, that lacks nothing.
    pub(crate) fn healthy() -> Self {
        let forge = Self { answers: BTreeMap::new(), date: None };
        let head = json!({"commit": {"sha": "c0ffee"}, "protected": false});
        forge
            .on("/user", 200, json!({"login": "ralph-bot"}))
            .on("/repos/acme/widgets", 200, repository())
            .on("/repos/acme/widgets/branches/main", 200, head.clone())
            .on("/repos/acme/widgets/branches/bot%2Fintegration", 200, head)
            .on("/repos/acme/widgets/rules/branches/main?per_page=100", 200, json!([]))
            .on("/repos/acme/widgets/rules/branches/bot%2Fintegration?per_page=100", 200, json!([]))
            .on("/repos/acme/widgets/labels?per_page=100", 200, json!(DEFINITIONS))
    }

    pub(crate) fn on(mut self, path: &str, status: u16, body: Value) -> Self {
        self.answers.insert(path.to_owned(), (status, body));
        self
    }

    /// Every answer carries this date.
    pub(crate) fn dated(self, date: &'static str) -> Self {
        Self { date: Some(date), ..self }
    }

    /// Serves until the tests are over, and gives the address.
    pub(crate) fn serve(self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                self.answer(&stream.expect("a connection"));
            }
        });
        address
    }

    fn answer(&self, mut stream: &TcpStream) {
        let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
        let first = lines.next().unwrap_or_default();
        let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
        // The rest of the head has to be read, or the client is cut off.
        lines.take_while(|line| !line.is_empty()).for_each(drop);
        let not_found = (404, json!({"message": "Not Found"}));
        let (status, body) = self.answers.get(&path).unwrap_or(&not_found);
        let (body, date) = (body.to_string(), self.date);
        let date = date.map_or_else(String::new, |date| format!("date: {date}\r\n"));
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} x\r\n{date}content-length: {length}\r\nconnection: close\r\n"
        );
        // A client that has gone has had enough.
        drop(stream.write_all(format!("{head}\r\n{body}").as_bytes()));
    }
}

/// The address of a healthy forge that all tests share.
pub(crate) fn healthy_url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| CannedForge::healthy().serve())
}

/// acme/widgets, as a user with write access sees it.
pub(crate) fn repository() -> Value {
    json!({
        "full_name": "acme/widgets", "default_branch": "main", "private": false, "archived": false,
        "has_issues": true, "owner": {"login": "acme", "type": "User"},
        "permissions": {"admin": false, "push": true, "triage": true},
        "allow_merge_commit": true, "allow_squash_merge": true, "allow_rebase_merge": true,
    })
}
