//! The real coding agents, each from label to merge, in the sandbox and with the network of its kind, against a scripted
//! model. A first try fails in preflight, and the same session repairs it. The same script leads to the same merged tree
//! with all of them.

#[macro_use]
mod ends;
mod program;
mod theatre;
mod trial;

use crate::forge::REPO;
use program::Program;
use ralph_model::{Recorded, Script, Turn};
use serde_json::Value;
use theatre::{Rules, Theatre, implementer, judges};

/// The first try, and what the repair makes of it.
const MISTAKE: &str = "Helo.\n";
const GREETING: &str = "Hello.\n";
/// The same in base 64, as the forge shows it.
const ENCODED: &str = "SGVsbG8uCg==\n";
/// Holds for the base, which has no greeting.
const PREFLIGHT: &str = "! grep -v Hello GREETING.md";

/// Plan, its review, implementation, its repair, two reviews.
const TURNS: usize = 6;

fn script() -> Script {
    let first = Turn::new().write("GREETING.md", MISTAKE).say("The greeting is there.");
    let repair = Turn::new().read("GREETING.md").write("GREETING.md", GREETING).say("It is right.");
    judges(implementer([first, repair]))
}

/// An issue from its label to its merge, with this program.
fn lives(program: Program) {
    let rules = Rules { preflight: PREFLIGHT, ..Rules::default() };
    let theatre = Theatre::set(program, script(), &rules);
    let stage = &theatre.stage;
    let issue = stage.forge.open_issue("Greet", "There should be a greeting.");
    theatre.work();
    assert_eq!(stage.forge.status(issue), ["in-bot"], "{}", theatre.story(issue));
    assert_eq!(theatre.model.refusals(), Vec::<String>::new());
    let merged = format!("/repos/{REPO}/contents/GREETING.md?ref=bot/integration");
    assert_eq!(stage.forge.get(&merged)["content"], ENCODED, "{}", theatre.story(issue));
    let runs = stage.json(&["runs", "show", "1-1"]);
    let steps = runs["step_records"].as_array().expect("steps");
    let counted = steps.iter().filter(|step| step["tokens"].as_u64().is_some_and(|it| it > 0));
    assert_eq!(counted.count(), TURNS, "{runs:#}");
    assert_resumed(steps, &theatre.model.recorded());
    stage.forge.assert_nothing_twice();
}

/// The repair has the session of the first try, and the program sends the model everything that was said in it.
fn assert_resumed(steps: &[Value], recorded: &[Recorded]) {
    let named = |name: &str| steps.iter().filter(|step| step["step"] == name).collect::<Vec<_>>();
    assert_eq!(named("preflight").len(), 2, "{steps:#?}");
    let [first, repair] = named("implement")[..] else { panic!("{steps:#?}") };
    assert!(first["session"].is_string() && first["session"] == repair["session"], "{steps:#?}");
    let last = recorded.iter().rfind(|one| one.role.as_deref() == Some("implement"));
    let said = last.expect("a repair").body.to_string();
    assert!(said.contains("Helo.") && said.contains("The greeting is there."), "{said}");
}

#[test]
fn claude_code_brings_an_issue_to_its_merge() {
    lives(Program::Claude);
}

#[test]
fn codex_brings_an_issue_to_its_merge() {
    lives(Program::Codex);
}

#[test]
fn gemini_brings_an_issue_to_its_merge() {
    lives(Program::Gemini);
}

#[test]
fn opencode_brings_an_issue_to_its_merge() {
    lives(Program::OpenCode);
}

#[test]
fn claude_codes_adapter_brings_an_issue_to_its_merge() {
    lives(Program::ClaudeAcp);
}

#[test]
fn codexs_adapter_brings_an_issue_to_its_merge() {
    lives(Program::CodexAcp);
}

// A sample of what `cargo xtask proof` plays.
ends! {
    claude is Claude: killed "killed";
    codex is Codex: usage_limit "usage-limit";
    opencode is OpenCode: permission_refused "permission-refused";
    gemini is Gemini: login_refused "login-refused";
    claude_acp is ClaudeAcp: login_refused "login-refused";
    codex_acp is CodexAcp: usage_limit "usage-limit";
}
