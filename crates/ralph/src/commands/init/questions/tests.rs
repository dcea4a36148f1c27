//! A person at the terminal, with the lines that they type.

use super::super::page;
use super::*;
use crate::args::{Arguments, Command};
use crate::checkout::Checkout;
use crate::commands::init::agents::Installed;
use crate::commands::init::proposal::Found;
use crate::config::Config;
use crate::project::Listing;
use clap::Parser as _;
use std::collections::BTreeMap;

fn options(arguments: &[&str]) -> InitArguments {
    let words = ["ralph", "init"].iter().chain(arguments);
    let Command::Init(options) = Arguments::try_parse_from(words).unwrap().command else {
        panic!("this is `ralph init`");
    };
    options
}

/// The text that is written after these answers, and the questions that were asked.
fn asked(
    remotes: &[(&str, &str)],
    arguments: &[&str],
    typed: &[&str],
) -> (Option<String>, Vec<String>) {
    let owned = |(name, url): &(&str, &str)| ((*name).to_owned(), (*url).to_owned());
    let files = BTreeMap::from([("go.mod".to_owned(), String::new())]);
    let remotes = remotes.iter().map(owned).collect();
    let checkout = Checkout { remotes, files: Listing::new(files) };
    let agents = vec![Installed { kind: "codex", version: "1.0".to_owned() }];
    let options = options(arguments);
    let proposal = Proposal::new(Found { checkout, agents }, &options, |_| false);
    let (mut questions, mut typed) = (Vec::new(), typed.iter());
    let mut ask = |question: &str| {
        questions.push(question.to_owned());
        typed.next().map(|line| (*line).to_owned())
    };
    let settled = settle(proposal, &options, false, &mut ask);
    (settled.ok().map(|proposal| page::whole(&proposal)), questions)
}

const ORIGIN: (&str, &str) = ("origin", "https://github.com/mia/widgets");
const UPSTREAM: (&str, &str) = ("upstream", "https://github.com/acme/widgets");

#[test]
fn enter_takes_each_proposal() {
    let (text, questions) = asked(&[ORIGIN], &[], &["", "", ""]);
    let text = text.unwrap();
    assert!(text.contains("name = \"mia/widgets\"\n"), "{text}");
    assert!(text.contains("preflight_command = [\"go vet ./...\", \"go test ./...\"]\n"), "{text}");
    assert!(Config::parse(&text).unwrap().has_agent_for_all());
    assert_eq!(questions.len(), 3, "{questions:?}");
    assert!(questions[2].ends_with("[go vet ./...; go test ./...]:"), "{questions:?}");
}

#[test]
fn of_several_remotes_one_is_chosen_and_an_answer_that_fits_nothing_is_asked_again() {
    let typed = ["nothing", "acme/widgets", "my-agent --fast", "-", "make check && make lint"];
    let (text, questions) = asked(&[UPSTREAM, ORIGIN], &[], &typed);
    let text = text.unwrap();
    assert_eq!(
        questions[0],
        "Repository, mia/widgets (origin), acme/widgets (upstream) [mia/widgets]:"
    );
    assert_eq!(questions[0], questions[1]);
    assert!(text.contains("name = \"acme/widgets\"\n"), "{text}");
    assert!(text.contains("command = [\"my-agent\", \"--fast\"]\n"), "{text}");
    assert!(!text.contains("setup ="), "{text}");
    assert!(text.contains("preflight_command = [\"make check && make lint\"]\n"), "{text}");
    assert!(Config::parse(&text).is_ok());
}

#[test]
fn options_are_not_asked_for_and_an_end_of_input_writes_nothing() {
    let all = ["--repo", "a/b", "--agent", "claude", "--setup", "", "--preflight", "make"];
    let (text, questions) = asked(&[], &all, &[]);
    assert_eq!((text.is_some(), questions.len()), (true, 0));
    assert_eq!(asked(&[ORIGIN], &[], &["", ""]).0, None);
}

#[test]
fn only_a_yes_is_a_yes() {
    let says = |typed: &[&str], default| {
        let mut typed = typed.iter();
        is_yes("Write?", default, &mut |_| typed.next().map(|line| (*line).to_owned()))
    };
    assert!(says(&["y"], false) && says(&[""], true) && says(&["what", "yes"], false));
    assert!(!says(&["n"], true) && !says(&[""], false) && !says(&[], true));
}
