//! `docs/cli.md` is made from the program's own help, so that it cannot say anything else.

use crate::home::Home;
use std::path::Path;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
const COMMANDS: [&str; 7] = ["status", "gates", "explain", "queue", "pause", "stop", "satisfy"];
const REGENERATE: &str = "RALPH_REGENERATE";

#[test]
fn the_reference_is_what_the_program_says_of_itself() {
    let wanted = page();
    if is_to_be_regenerated() {
        std::fs::write(PAGE, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(Path::new(PAGE)).unwrap_or_default();
    assert!(found == wanted, "docs/cli.md is out of date; run this test with {REGENERATE}=1");
}

#[test]
fn every_command_of_the_help_is_in_the_reference() {
    let help = Home::empty().ralph(&["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names =
        listed.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    assert_eq!(names.collect::<Vec<_>>(), COMMANDS);
}

fn page() -> String {
    let mut page =
        "# The command line\n\nMade from `ralph --help` and the help of each command.\n".to_owned();
    page.push_str(&section("ralph", &["--help"]));
    for command in COMMANDS {
        page.push_str(&section(&format!("ralph {command}"), &[command, "--help"]));
    }
    page
}

fn section(name: &str, arguments: &[&str]) -> String {
    let help = Home::empty().ralph(arguments).stdout;
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    format!("\n## `{name}`\n\n```text\n{}\n```\n", lines.join("\n").trim_end())
}

#[expect(clippy::disallowed_methods, reason = "the only wish a person can have towards a test")]
fn is_to_be_regenerated() -> bool {
    std::env::var_os(REGENERATE).is_some()
}
