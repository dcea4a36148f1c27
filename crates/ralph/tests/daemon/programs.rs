//! The real coding agents, each from label to merge, in the sandbox and with the network of its kind, against a scripted
//! model. The same script leads to the same merged tree with all of them.

use crate::forge::REPO;
use crate::process::{Ran, run};
use crate::stage::Stage;
use ralph_model::{Script, Server, Turn, When};
use std::fs;
use std::path::{Path, PathBuf};

const PLAN: &str = "# Intent\nAdd a greeting.\n# Risk\nNone.\n# Reuse\nNothing.\n";
const GREETING: &str = "Hello.\n";
/// The same in base 64, as the forge shows it.
const ENCODED: &str = "SGVsbG8uCg==\n";

/// Plan, its review, implementation, two reviews.
const TURNS: usize = 5;

/// The answers of every role, recognised by the first words of its prompt.
fn script() -> Script {
    let review = "RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"small\"}";
    let plan_review = "RALPH_PLAN_REVIEW: {\"status\":\"pass\",\"reason\":\"clear\"}";
    let say = |text: &str| Turn::new().say(text);
    let work = Turn::new().write("GREETING.md", GREETING).say("The greeting is there.");
    Script::new()
        .always("plan", When::contains("You are the planner"), say(PLAN))
        .always("plan_review", When::contains("You are the reviewer of plans"), say(plan_review))
        .always("implement", When::contains("You are the implementer"), work)
        .always("review", When::contains("You are the reviewer for"), say(review))
}

/// A file of the packages that `cargo xtask test` installs.
fn installed(path: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let path = target.join("agents/node/node_modules").join(path);
    assert!(path.exists(), "{} is not there; `cargo xtask test` fetches it", path.display());
    path
}

/// An issue from its label to the merge of its rollup, with this agent.
fn lives(agent: &str, variables: &[(&str, &str)], model: &Server) {
    let stage = Stage::set("");
    let path = stage.home.join("config.toml");
    let text = fs::read_to_string(&path).expect("settings");
    let (before, after) = text.split_once("[agent]").expect("an agent");
    let (_, repos) = after.split_once("[[repos]]").expect("a repository");
    let names: Vec<_> = variables.iter().map(|(name, _)| *name).collect();
    let reach = format!("allow_hosts = [\"127.0.0.1:{}\"]\npass_env = {names:?}", model.port());
    fs::write(&path, format!("{before}[agent]\n{agent}\n{reach}\n[[repos]]{repos}"))
        .expect("settings");
    let issue = stage.forge.open_issue("Greet", "There should be a greeting.");
    let works = || -> Ran {
        let mut command = stage.command(&["run", "--until-idle"]);
        run(command.envs(variables.iter().copied()))
    };
    let ran = works();
    let explained = || stage.ralph(&["explain", REPO, &issue.to_string()]).stdout;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(stage.forge.status(issue), ["in-bot"], "{}\n{:?}", explained(), model.refusals());
    let merged = format!("/repos/{REPO}/contents/GREETING.md?ref=bot/integration");
    assert_eq!(stage.forge.get(&merged)["content"], ENCODED, "{}", explained());
    let runs = stage.json(&["runs", "show", "1-1"]);
    let steps = runs["step_records"].as_array().expect("steps").iter();
    let counted = steps.filter(|step| step["tokens"].as_u64().is_some_and(|tokens| tokens > 0));
    assert_eq!(counted.count(), TURNS, "{runs:#}");
    stage.forge.assert_nothing_twice();
}

#[test]
fn claude_code_brings_an_issue_to_its_merge() {
    let model = Server::start(script()).expect("a model");
    let program = installed("@anthropic-ai/claude-code-linux-x64/claude");
    let url = model.url();
    let variables =
        [("ANTHROPIC_BASE_URL", url.as_str()), ("ANTHROPIC_API_KEY", "sk-ant-scripted")];
    lives(&format!("kind = \"claude\"\ncommand = [{program:?}]"), &variables, &model);
}

#[test]
fn codex_brings_an_issue_to_its_merge() {
    let model = Server::start(script()).expect("a model");
    let program = installed("@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    let provider = format!(
        "model_providers.scripted={{name=\"scripted\",base_url=\"{}/v1\",env_key=\"SCRIPTED_KEY\",\
         wire_api=\"responses\"}}",
        model.url()
    );
    let args = ["-c", "model_provider=\"scripted\"", "-c", &provider];
    let agent =
        format!("kind = \"codex\"\ncommand = [{program:?}]\nmodel = \"gpt-5.5\"\nargs = {args:?}");
    lives(&agent, &[("SCRIPTED_KEY", "sk-scripted"), ("OPENAI_API_KEY", "sk-scripted")], &model);
}

#[test]
fn gemini_brings_an_issue_to_its_merge() {
    let model = Server::start(script()).expect("a model");
    let program = installed("@google/gemini-cli/bundle/gemini.js");
    let url = model.url();
    let variables = [("GOOGLE_GEMINI_BASE_URL", url.as_str()), ("GEMINI_API_KEY", "scripted")];
    lives(
        &format!(
            "kind = \"gemini\"\ncommand = [\"node\", {program:?}]\nmodel = \"gemini-2.5-pro\""
        ),
        &variables,
        &model,
    );
}

#[test]
fn opencode_brings_an_issue_to_its_merge() {
    let model = Server::start(script()).expect("a model");
    let program = installed("opencode-linux-x64/bin/opencode");
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!(
        r#"{{ "model": "scripted/scripted-1", "small_model": "scripted/scripted-1", "enabled_providers": ["scripted"],
            "share": "disabled", "autoupdate": false,
            "provider": {{ "scripted": {{ "npm": "@ai-sdk/openai-compatible",
                "options": {{ "baseURL": "{}/v1", "apiKey": "sk-scripted" }},
                "models": {{ "scripted-1": {{ "tool_call": true, "limit": {{ "context": 100000, "output": 8000 }} }} }} }} }} }}"#,
        model.url()
    );
    fs::write(folder.path().join("opencode.json"), config).expect("a file");
    let agent = format!(
        "kind = \"opencode\"\ncommand = [{program:?}]\nmodel = \"scripted/scripted-1\"\n\
         opencode_config_dir = {:?}",
        folder.path()
    );
    lives(&agent, &[], &model);
}
