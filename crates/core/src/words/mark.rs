//! The mark on a repository as a text, and the standing that a repository has because of one.

use crate::fact::MarkMove;
use crate::repo::Mark;
use crate::standing::MarkStanding;

pub(super) const LOOKS_UP: &str =
    "looks up what the forge knows of it, because this store may be older than that";
pub(super) const HELD_ELSEWHERE: &str =
    "waits: its repository is not held by this Ralph; `ralph status` says by which";
/// The prefix of the line that programs read.
const DATA: &str = "ralph-instance: ";
/// The longest name that is shown; it is foreign text.
const NAME_CHARS_MAX: usize = 80;

/// The commit message that makes up a mark.
#[must_use]
pub fn mark(mark: &Mark) -> String {
    let data = serde_json::to_string(mark).unwrap_or_default();
    format!(
        "This repository is worked on by {name}\n\n\
         The mark of a Ralph, written by itself. Another Ralph that finds it starts nothing here and\n\
         says so. It is part of no branch.\n\n{DATA}{data}\n",
        name = shown(&mark.name),
    )
}

/// The mark in a text; `None` if there is none, or one of a later version.
#[must_use]
pub fn parse_mark(message: &str) -> Option<Mark> {
    let data = message.lines().rev().find_map(|line| line.strip_prefix(DATA))?;
    let mark: Mark = serde_json::from_str(data.trim()).ok()?;
    Some(Mark { name: shown(&mark.name), ..mark })
}

fn shown(name: &str) -> String {
    let name = name.chars().filter(|letter| !letter.is_control()).take(NAME_CHARS_MAX);
    let name: String = name.collect();
    if name.trim().is_empty() { "a Ralph without a name".to_owned() } else { name }
}

pub(super) fn standing(of: &MarkStanding) -> String {
    match of {
        MarkStanding::Looking => {
            "looks whether another Ralph works here before anything is started".to_owned()
        }
        MarkStanding::Begins { at, from } => {
            let from = from.as_ref().map_or(String::new(), |name| format!(" from {name}"));
            format!(
                "taken over{from}; nothing is started before {at}, so that the other Ralph sees it"
            )
        }
        MarkStanding::Theirs { name, since, renewed, is_copy } => {
            let which =
                if *is_copy { "a Ralph with a copy of this state store" } else { "another Ralph" };
            let name = name.as_deref().unwrap_or("one that cannot be read");
            format!(
                "{which} works here: {name}, since {since}, last heard of {renewed}. Nothing is started or \
                 written here. If that one is gone, or is to stop, take over with `ralph take-over`"
            )
        }
    }
}

pub(super) fn moved(step: &MarkMove) -> String {
    match step {
        MarkMove::Began { .. } => "looks whether another Ralph works here".to_owned(),
        MarkMove::Outdated { number } => format!(
            "this state store is older than its mark {number} on the forge: what was done since is looked up first"
        ),
        MarkMove::Begun => {
            "begins: the Ralph that was here before has had the time to see it".to_owned()
        }
    }
}
