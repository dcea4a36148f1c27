//! `docs/cli.md` and `docs/configuration.md` are made by the program itself, so that they cannot say anything
//! else.

use crate::home::Home;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
const REGENERATE: &str = "RALPH_REGENERATE";

#[test]
fn the_reference_is_what_the_program_says_of_itself() {
    compare("cli.md", &cli_page());
}

#[test]
fn the_reference_of_settings_is_their_table() {
    compare("configuration.md", &ralph_cli::config::reference_page());
}

#[test]
fn every_command_of_the_help_is_in_the_reference() {
    let page = cli_page();
    for command in ["status", "runs show", "worktrees prune", "doctor", "completions", "man"] {
        assert!(page.contains(&format!("\n## `ralph {command}`\n")), "{command}");
    }
}

fn compare(name: &str, wanted: &str) {
    let path = format!("{FOLDER}{name}");
    if is_to_be_regenerated() {
        std::fs::write(&path, wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "docs/{name} is out of date; run this test with {REGENERATE}=1");
}

fn cli_page() -> String {
    let mut page =
        "# The command line\n\nMade from `ralph --help` and the help of each command.\n".to_owned();
    add_sections(&mut page, &[]);
    page
}

/// The help of a command, and of each command below it that this help names.
fn add_sections(page: &mut String, command: &[&str]) {
    let mut arguments = command.to_vec();
    arguments.push("--help");
    let help = Home::empty().ralph(&arguments).stdout;
    let name = ["ralph"].iter().chain(command).copied().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = help.lines().map(str::trim_end).collect();
    let text = lines.join("\n");
    page.push_str(&format!("\n## `{name}`\n\n```text\n{}\n```\n", text.trim_end()));
    let listed = lines.iter().skip_while(|line| **line != "Commands:").skip(1);
    for below in listed.map_while(|line| line.split_whitespace().next()) {
        if below != "help" {
            let mut command = command.to_vec();
            command.push(below);
            add_sections(page, &command);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the only wish a person can have towards a test")]
fn is_to_be_regenerated() -> bool {
    std::env::var_os(REGENERATE).is_some()
}
