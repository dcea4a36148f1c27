//! The report to a client about its push: the references that moved, and why the others did not.

use std::collections::BTreeMap;

use super::packet;
use super::push_request::PushRequest;
use crate::git::ref_name;
use crate::git::sha::Sha;
use crate::model::receive::{Declined, Received};

/// The bands of an answer: the report, and messages for people.
const REPORT: &[u8] = &[1];
const MESSAGES: &[u8] = &[2];

/// The capabilities that a push may use here.
const ABILITIES: &str = "report-status delete-refs side-band-64k quiet atomic ofs-delta object-format=sha1 agent=ralph-forge";

/// Returns the repository's references, for a client that wants to push.
pub(super) fn advertisement(references: &BTreeMap<String, Sha>) -> Vec<u8> {
    let mut out = Vec::new();
    packet::put(&mut out, b"# service=git-receive-pack\n");
    packet::flush(&mut out);
    let mut abilities = format!("\0{ABILITIES}");
    for (name, sha) in references {
        packet::put(&mut out, &ref_name::to_bytes(&format!("{sha} {name}{abilities}\n")));
        abilities.clear();
    }
    if references.is_empty() {
        let nothing = "0".repeat(40);
        packet::put(&mut out, format!("{nothing} capabilities^{{}}{abilities}\n").as_bytes());
    }
    packet::flush(&mut out);
    out
}

/// The answer to a push whose objects were taken in.
pub(super) fn received(request: &PushRequest, received: &Received) -> Vec<u8> {
    let mut report = Vec::new();
    packet::put(&mut report, b"unpack ok\n");
    let mut messages = String::new();
    for (update, result) in request.updates.iter().zip(received) {
        let name = &update.name;
        let line = match result {
            Ok(()) => format!("ok {name}\n"),
            Err(declined) => {
                messages.push_str(&message(name, declined));
                format!("ng {name} {}\n", declined.to_string().replace('\n', " "))
            }
        };
        packet::put(&mut report, &ref_name::to_bytes(&line));
    }
    packet::flush(&mut report);
    answer(request, &messages, &report)
}

/// The answer to a push whose objects were not taken in.
pub(super) fn not_unpacked(request: &PushRequest, words: &str) -> Vec<u8> {
    let words = words.lines().next().unwrap_or_default();
    let mut report = Vec::new();
    packet::put(&mut report, format!("unpack {words}\n").as_bytes());
    for update in &request.updates {
        let line = format!("ng {} unpacker error\n", update.name);
        packet::put(&mut report, &ref_name::to_bytes(&line));
    }
    packet::flush(&mut report);
    answer(request, &format!("error: {words}\n"), &report)
}

fn answer(request: &PushRequest, messages: &str, report: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    if request.has_side_band {
        packet::put_on(&mut out, MESSAGES, messages.as_bytes());
        if request.wants_report {
            packet::put_on(&mut out, REPORT, report);
        }
        packet::flush(&mut out);
    } else if request.wants_report {
        out.extend_from_slice(report);
    }
    out
}

/// GitHub's words for a protected branch; the client puts `remote:` before each line.
fn message(name: &str, declined: &Declined) -> String {
    match declined {
        Declined::Protected { words, .. } => {
            format!("error: GH006: Protected branch update failed for {name}.\nerror: {words}\n")
        }
        Declined::Because(_) | Declined::Atomic => String::new(),
    }
}
