//! `ralph init` in checkouts on this machine: what it finds, asks for, writes, and leaves as it is.

use crate::canned_forge::{CannedForge, repository};
use crate::doctor::path;
use crate::home::{Home, Ran, a_process, program, run};
use insta::assert_snapshot;
use ralph_cli::config::Config;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

const PACKAGE: &str =
    r#"{"scripts": {"lint": "eslint .", "test": "vitest"}, "devDependencies": {"vitest": "1"}}"#;
const WORKFLOW: &str = "on: [pull_request]\njobs:\n  test:\n    runs-on: x\n";
const GITHUB: &str = "git@github.com:acme/widgets.git";

/// A home, a checkout, and a folder of programs with git and whatever a test adds.
struct Place {
    home: Home,
}

impl Place {
    fn new(remote: &str, files: &[(&str, &str)]) -> Self {
        let place = Self { home: Home::empty() };
        for folder in ["checkout", "bin", "user"] {
            fs::create_dir(place.home.path().join(folder)).unwrap();
        }
        let git =
            std::env::split_paths(&path()).map(|folder| folder.join("git")).find(|it| it.exists());
        std::os::unix::fs::symlink(git.unwrap(), place.path("bin/git")).unwrap();
        place.git(&["init", "--quiet"]);
        if !remote.is_empty() {
            place.git(&["remote", "add", "origin", remote]);
        }
        for (name, text) in files {
            let path = place.path("checkout").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place.git(&["add", "."]);
        place
    }

    /// A project whose commands are all known, and an agent.
    fn usual(remote: &str) -> Self {
        let files = [
            ("package.json", PACKAGE),
            ("package-lock.json", "{}"),
            (".gitignore", "node_modules\n"),
            (".github/workflows/ci.yml", WORKFLOW),
        ];
        let place = Self::new(remote, &files);
        place.agent("claude", "echo '2.1.197 (Claude Code)'");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "checkouts are made by git itself")]
    fn git(&self, arguments: &[&str]) {
        let _guard = a_process();
        let mut git = Command::new("git");
        git.env_clear().env("PATH", path()).env("HOME", self.path("user"));
        let done = git.arg("-C").arg(self.path("checkout")).args(arguments).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    }

    fn agent(&self, name: &str, says: &str) {
        let path = self.path("bin").join(name);
        fs::write(&path, format!("#!/bin/sh\n{says}\n")).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    fn init(&self, arguments: &[&str]) -> Ran {
        self.init_with(&[], arguments)
    }

    fn init_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        let mut command = program();
        command.env("RALPH_HOME", self.path("ralph")).env("PATH", self.path("bin"));
        command.env("HOME", self.path("user")).envs(variables.iter().copied());
        let ran = run(command.arg("init").arg(self.path("checkout")).args(arguments));
        let shown = |text: String| text.replace(&self.home.path().display().to_string(), "HERE");
        Ran { stdout: shown(ran.stdout), stderr: shown(ran.stderr), code: ran.code }
    }

    fn config(&self) -> String {
        fs::read_to_string(self.path("ralph/config.toml")).unwrap()
    }
}

/// The table of the agent follows the kinds that the configuration takes.
fn without_agent(text: &str) -> String {
    let (before, rest) = text.split_once("[agent]\n").unwrap();
    let (agent, after) = rest.split_once("\n\n").unwrap();
    assert!(agent.contains("# claude 2.1.197 is on the PATH.\n"), "{agent}");
    assert!(agent.contains("\nkind = \""), "{agent}");
    format!("{before}[agent] and so on\n\n{after}")
}

#[test]
fn yes_takes_every_proposal_and_the_file_is_understood() {
    let place = Place::usual(GITHUB);
    assert_snapshot!(without_agent(&place.init(&["--yes"]).shown()), @r#"
    exit 0
    --- stdout
    repository  acme/widgets at https://api.github.com
    agents      claude 2.1.197
    setup       npm ci  (package-lock.json)
    preflight   npm run lint  (package.json)
                npm test  (package.json)
    checks      test
    rights      not checked: GITHUB_TOKEN is not set

    # Ralph's configuration, written by `ralph init`. Every setting with its default is in docs/configuration.md;
    # `ralph doctor` shows those in force and says what is missing.

    [forge]
    # The environment variable that holds the token; the token itself is not written here.
    token_env = "GITHUB_TOKEN"

    [agent] and so on

    [[repos]]
    name = "acme/widgets"
    # Run in each fresh worktree before anything else; found in package-lock.json.
    setup = ["npm ci"]
    # Have to pass before a pull request is opened; found in package.json.
    preflight_command = ["npm run lint", "npm test"]
    # Checks of CI that a merge waits for.
    required_checks = ["test"]

    HERE/ralph/config.toml is written.

    An issue takes 5 turns if none is repeated (plan, plan_review, implement, product_review, devex_review), about 1.0M tokens. What that costs is not known; `[prices.<model>]` tells it. `[budget]` limits it, and `ralph usage` shows what is used.

    Next:
      export GITHUB_TOKEN=...   # a token that may write to the repository
      export CLAUDE_CODE_OAUTH_TOKEN=...   # or ANTHROPIC_API_KEY; the agent sees no login of yours
      ralph run

    Then add the label ralph:status:queued to an issue, or: ralph queue acme/widgets 1
    --- stderr
    "#);
    let config = Config::parse(&place.config()).expect("a sound configuration");
    assert_eq!(config.repos.len(), 1);
    assert!(config.has_agent_for_all());
    let mode = |name: &str| fs::metadata(place.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("ralph"), mode("ralph/config.toml")), (0o700, 0o600));
}

#[test]
fn options_win_over_what_is_found() {
    let place = Place::usual(GITHUB);
    let ran = place.init(&[
        "--yes",
        "--repo",
        "acme/other",
        "--forge",
        "http://127.0.0.1:3000/",
        "--preflight",
        "make a",
        "--preflight",
        "make \"b\"",
        "--setup",
        "",
        "--agent-command",
        "sh 'my agent'",
        "--token-env",
        "TOKEN",
        "--operator",
        "mia",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_snapshot!(place.config(), @r#"
    # Ralph's configuration, written by `ralph init`. Every setting with its default is in docs/configuration.md;
    # `ralph doctor` shows those in force and says what is missing.

    # The person who is mentioned when one is needed.
    operator = "mia"

    [forge]
    url = "http://127.0.0.1:3000"
    # The environment variable that holds the token; the token itself is not written here.
    token_env = "TOKEN"

    [agent]
    # Any program: its prompt on standard input, its answer on standard output.
    kind = "command"
    command = ["sh", "my agent"]

    [[repos]]
    name = "acme/other"
    # Have to pass before a pull request is opened.
    preflight_command = ["make a", "make \"b\""]
    # No check of CI was found that reports on every pull request, so merges wait for none. Name those that should pass.
    required_checks = []
    "#);
    assert!(Config::parse(&place.config()).is_ok());
}

#[test]
fn without_a_terminal_the_missing_options_are_listed_and_nothing_is_written() {
    let place = Place::new("/srv/git/widgets.git", &[("README.md", "")]);
    assert_snapshot!(place.init(&[]).shown(), @r#"
    exit 1
    --- stdout
    repository  none found
                origin is a folder of this machine
    agents      none on the PATH
    setup       none found
    preflight   none found
    checks      none found
    rights      not checked: GITHUB_TOKEN is not set
    --- stderr
    Error: some options are missing, so nothing was written
      --repo OWNER/NAME: no git remote leads to a repository on GitHub or an embedded forge
      --agent KIND: no agent is on the PATH (claude, codex, opencode, gemini)
      --preflight COMMAND: no test or lint command was found; "" does without
      --yes: there is no terminal to ask at, so this takes the proposals above
    "#);
    assert_snapshot!(place.init(&["--yes"]).stderr, @r#"
    Error: some options are missing, so nothing was written
      --repo OWNER/NAME: no git remote leads to a repository on GitHub or an embedded forge
      --agent KIND: no agent is on the PATH (claude, codex, opencode, gemini)
      --preflight COMMAND: no test or lint command was found; "" does without
    "#);
    let usual = Place::usual(GITHUB);
    assert_eq!(usual.init(&[]).code, 1);
    for place in [place, usual] {
        assert!(!place.path("ralph").exists());
    }
}

#[test]
fn the_document_has_everything_and_writes_nothing() {
    let place = Place::usual(GITHUB);
    let document = place.init(&["--json"]).json();
    assert_eq!(document["repo"], "acme/widgets");
    assert_eq!(document["forge"], "https://api.github.com");
    assert_eq!(document["preflight"][1], json!({"line": "npm test", "from": "package.json"}));
    assert_eq!(document["required_checks"], json!(["test"]));
    assert_eq!(document["agents"], json!([{"kind": "claude", "version": "2.1.197"}]));
    assert_eq!((&document["missing"], &document["rights"]), (&json!([]), &Value::Null));
    let text = document["config"]["text"].as_str().unwrap();
    assert!(Config::parse(text).is_ok(), "{text}");
    assert!(!place.path("ralph").exists());
    let empty = Place::new("", &[]).init(&["--json"]).json();
    let missing = json!(["--repo OWNER/NAME", "--agent KIND", "--preflight COMMAND"]);
    assert_eq!(empty["missing"], missing);
}

#[test]
fn a_second_time_nothing_changes_and_the_difference_is_shown() {
    let place = Place::usual(GITHUB);
    place.init(&["--yes", "--preflight", "make check"]);
    let before = place.config();
    let ran = place.init(&["--yes"]);
    assert_eq!((ran.code, place.config()), (0, before));
    let says = "preflight_command is [\"make check\"]; the project suggests [\"npm run lint\", \"npm test\"]";
    assert!(ran.stdout.contains(says), "{}", ran.stdout);
}

#[test]
fn another_repository_is_added_and_the_rest_stays_to_the_byte() {
    let place = Place::usual(GITHUB);
    let before = "# mine\nmax_workers = 2\n[agent]\ncommand = [\"sh\"]\n[[repos]]\nname = \"acme/old\"\n[repos.gates]\nci = \"skip\"";
    fs::create_dir(place.path("ralph")).unwrap();
    fs::write(place.path("ralph/config.toml"), before).unwrap();
    let refused = place.init(&[]);
    assert_eq!((refused.code, place.config().as_str()), (1, before));
    let ran = place.init(&["--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("\n+ [[repos]]\n+ name = \"acme/widgets\"\n"), "{}", ran.stdout);
    let after = place.config();
    assert!(
        after.starts_with(&format!("{before}\n\n[[repos]]\nname = \"acme/widgets\"\n")),
        "{after}"
    );
    assert_eq!(Config::parse(&after).unwrap().repos.len(), 2);
}

#[test]
fn a_configuration_that_cannot_be_added_to_is_left_alone() {
    for (text, says) in [
        ("repos = [{name = \"a/b\"}]\n", "has its repositories in one line"),
        ("[forge]\nurl = \"http://127.0.0.1:1\"\n", "is for the forge at http://127.0.0.1:1"),
        ("[forge\n", "a configuration is there already"),
    ] {
        let place = Place::usual(GITHUB);
        fs::create_dir(place.path("ralph")).unwrap();
        fs::write(place.path("ralph/config.toml"), text).unwrap();
        let ran = place.init(&["--yes"]);
        assert_eq!((ran.code, place.config().as_str()), (3, text));
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
    }
}

#[test]
fn with_a_token_the_forge_is_asked_and_knows_better() {
    let mut repository = repository();
    repository["owner"] = json!({"login": "acme", "type": "Organization"});
    let head: Value = serde_json::from_str(include_str!("answers/protected_branch.json")).unwrap();
    let rules = json!([{"type": "required_signatures"}, {"type": "merge_queue", "parameters": {}}]);
    let url = CannedForge::healthy()
        .on("/repos/acme/widgets", 200, repository)
        .on("/repos/acme/widgets/branches/main", 200, head)
        .on("/repos/acme/widgets/rules/branches/main?per_page=100", 200, rules)
        .on(
            "/repos/acme/widgets/branches/bot%2Fintegration",
            404,
            json!({"message": "Branch not found"}),
        )
        .serve();
    let place = Place::usual(&format!("{url}/acme/widgets.git"));
    let ran = place.init_with(&[("GITHUB_TOKEN", "ghp_0123456789")], &["--yes"]);
    assert_snapshot!(ran.shown().replace(&url, "FORGE"), @r#"
    exit 0
    --- stdout
    repository  acme/widgets at FORGE
    agents      claude 2.1.197
    setup       npm ci  (package-lock.json)
    preflight   npm run lint  (package.json)
                npm test  (package.json)
    checks      CI, lint (branch protection)
    rights      ralph-bot may work there
    note        main takes signed commits only, and Ralph's are not, so its merges are refused
    note        main is merged into by GitHub's merge queue only, which Ralph does not use; a person has to put rollups into it, and the bot branch has to be without one

    # Ralph's configuration, written by `ralph init`. Every setting with its default is in docs/configuration.md;
    # `ralph doctor` shows those in force and says what is missing.

    # The person who is mentioned when one is needed.
    operator = "ralph-bot"

    [forge]
    url = "FORGE"
    # The environment variable that holds the token; the token itself is not written here.
    token_env = "GITHUB_TOKEN"

    [agent]
    # claude 2.1.197 is on the PATH.
    kind = "claude"

    [[repos]]
    name = "acme/widgets"
    # Run in each fresh worktree before anything else; found in package-lock.json.
    setup = ["npm ci"]
    # Have to pass before a pull request is opened; found in package.json.
    preflight_command = ["npm run lint", "npm test"]
    # Checks that a merge waits for: those that branch protection requires, now CI, lint.
    # required_checks = ["CI", "lint"]

    HERE/ralph/config.toml is written.
    `ralph run` makes the branch bot/integration in acme/widgets.

    An issue takes 5 turns if none is repeated (plan, plan_review, implement, product_review, devex_review), about 1.0M tokens. What that costs is not known; `[prices.<model>]` tells it. `[budget]` limits it, and `ralph usage` shows what is used.

    Next:
      export CLAUDE_CODE_OAUTH_TOKEN=...   # or ANTHROPIC_API_KEY; the agent sees no login of yours
      ralph run

    Then add the label ralph:status:queued to an issue, or: ralph queue acme/widgets 1
    --- stderr
    "#);
    assert!(!ran.shown().contains("ghp_"));
    assert!(place.config().contains("operator = \"ralph-bot\"\n"), "{}", place.config());
}

#[test]
fn a_token_without_rights_is_told_before_anything_starts() {
    let mut repository = repository();
    repository["permissions"]["push"] = json!(false);
    let url = CannedForge::healthy().on("/repos/acme/widgets", 200, repository).serve();
    let place = Place::usual(&format!("{url}/acme/widgets.git"));
    let document = place.init_with(&[("GH_TOKEN", "ghp_0123456789")], &["--json"]).json();
    assert_eq!(document["token_env"], "GH_TOKEN");
    let says = "ralph-bot may not push to acme/widgets; give ralph-bot write access to it";
    assert_eq!(document["rights"], json!([says]));
}

#[test]
fn a_folder_outside_of_any_checkout_is_refused() {
    let home = Home::empty();
    let mut command = program();
    command.env("RALPH_HOME", home.path().join("ralph")).env("PATH", path());
    let ran = run(command.args(["init", "/"]));
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.starts_with("Error: / is not in a git checkout\n"), "{}", ran.stderr);
}
