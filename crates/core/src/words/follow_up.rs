//! The issue in which people follow up a failure that Ralph had rerun. Log and names in it are data.

use super::{checks, line, one_line, quoted};
use crate::repo::{FollowUp, FollowUpId};
use crate::triage::{Class, Triage};
use crate::words::harmless_title;

#[must_use]
pub fn follow_up_title(triage: &Triage) -> String {
    let what = match triage.classified.class {
        Class::Flake => "Flaky check",
        Class::Infra | Class::Regression => "Infrastructure fault in",
    };
    let signature = &triage.signature;
    let said = match (&signature.test, signature.message.as_str()) {
        (Some(test), _) => one_line(test),
        (None, "") => signature.hash.clone(),
        (None, message) => one_line(message),
    };
    let title = format!("{what} {}: {said}", one_line(&signature.check));
    harmless_title(&title).unwrap_or_else(|| what.to_owned())
}

#[must_use]
pub fn follow_up_body(id: &FollowUpId, follow_up: &FollowUp, triage: &Triage) -> String {
    let signature = &triage.signature;
    let mut body = format!(
        "{}\n{}. Ralph had the check run again instead of starting an agent, and merges nothing \
         while it is red.\n\nSignature `{}`",
        id.marker().render(),
        checks::blamed(triage),
        one_line(&signature.hash)
    );
    for (name, text) in [("test", signature.test.as_deref()), ("error", Some(&*signature.class))] {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            line(&mut body, format_args!(", {name} `{}`", one_line(text)));
        }
    }
    body.push('\n');
    if !triage.excerpt.as_str().is_empty() {
        line(&mut body, format_args!("\n{}\n", quoted(triage.excerpt.as_str())));
    }
    occurrences(&mut body, follow_up);
    body.push_str(
        "\nRalph edits this text when it sees the failure again, and opens no second issue for it. A person \
         who closes this one has the last word: it stays closed, and is still edited. Ralph does not \
         work on it unless a person queues it.\n",
    );
    body
}

fn occurrences(body: &mut String, follow_up: &FollowUp) {
    let times = match follow_up.seen {
        1 => "once".to_owned(),
        seen => format!("{seen} times"),
    };
    line(body, format_args!("\nSeen {times}"));
    let kept = u32::try_from(follow_up.occurrences.len()).unwrap_or(u32::MAX);
    body.push_str(if kept < follow_up.seen { ", the latest:\n\n" } else { ":\n\n" });
    for occurrence in follow_up.occurrences.iter().rev() {
        line(body, format_args!("- {} ", occurrence.at));
        if let Some(pull) = occurrence.pull {
            line(body, format_args!("in {pull} "));
        }
        let head = occurrence.head.short();
        line(body, format_args!("for #{}, at {head}\n", occurrence.issue));
    }
}
