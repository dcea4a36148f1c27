//! `config.toml`: what is refused, and in which words.

use insta::assert_snapshot;
use proptest::prelude::*;
use ralph_cli::config::Config;

/// One wrong value for every setting that can have one.
const WRONG: &str = "\
max_workers = 0
poll_interval = 30
operator = \"@mia\"
allowed_owners = [\"acme\", 3]
claims_max = -1
webhook_listen = \"8080\"
dashboard_listen = \"0.0.0.0:8080\"
retention = \"90d\"
roles = []

[forge]
url = \"github.com\"
token_env = \"MY TOKEN\"
webhook_secret_env = \"\"

[agent]
kind = \"telepathy\"
command = \"my-agent --flag\"
turn_timeout = \"30\"
idle_timeout = \"0s\"
pass_env = [\"A=B\"]

[[repos]]
name = \"widgets\"
bot_branch = \"bot..x\"
setup = [\"\"]
preflight_command = { run = \"make\" }
required_checks = true
concurrency_slots = 1.5
scheduler_priority = 11
rollup_batch_size = \"ten\"
rollup_idle = \"soon\"
merge_method = \"fast-forward\"
auto_queue = \"yes\"
test_globs = [\"a\", [\"b\"]]
batch_max = 99999999999999999999
[repos.lanes]
ci_debug_attempts = 0
[repos.gates]
plan_review = \"skip\"
ci = \"off\"
";

pub(crate) fn problems(text: &str) -> String {
    let problems = Config::parse(text).expect_err("a file with problems");
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

#[test]
fn a_variable_that_ralph_reads_a_secret_from_is_handed_to_no_agent() {
    let text = "\
[agent]
command = [\"my-agent\"]
pass_env = [\"MY_MODEL_KEY\", \"GITHUB_TOKEN\"]
[roles.plan]
pass_env = [\"HOOKS\"]
[forge]
webhook_secret_env = \"HOOKS\"
";
    assert_snapshot!(problems(text), @"
    line 3: `pass_env` names GITHUB_TOKEN, which Ralph reads its own secret from; no agent gets that. If the agent needs a token, give it another one under another name
    line 5: `pass_env` names HOOKS, which Ralph reads its own secret from; no agent gets that. If the agent needs a token, give it another one under another name
    ");
    let own = "[agent]\npass_env = [\"GITHUB_TOKEN\"]\n[forge]\ntoken_env = \"RALPH_TOKEN\"\n";
    assert!(Config::parse(own).is_ok(), "a token of the agent's");
}

#[test]
fn a_setting_that_its_kind_of_agent_does_not_know_is_refused() {
    let text = "\
[agent]
kind = \"claude\"
effort = \"high\"
[agent.credentials]
env = [\"GITHUB_TOKEN\"]
files = [\"auth.json\"]
[roles.plan]
kind = \"gemini\"
effort = \"high\"
opencode_config_dir = \"/srv/opencode\"
[roles.survey]
kind = \"command\"
model = \"m\"
";
    assert_snapshot!(problems(text), @r#"
    line 5: `env` names GITHUB_TOKEN, which Ralph reads its own secret from; no agent gets that. If the agent needs a token, give it another one under another name
    line 6: `files` cannot be ["auth.json"]; write a list, each item the absolute path of a file, or one that begins with "~/"
    line 9: `effort` means nothing to an agent of kind `gemini`
    line 10: `opencode_config_dir` means nothing to an agent of kind `gemini`
    line 13: `model` means nothing to an agent of kind `command`
    "#);
}

#[test]
fn one_setting_under_both_of_its_names_is_refused() {
    let text = "maxWorkers = 2\nmax_workers = 2\n[[repos]]\nname = \"acme/widgets\"\nbot_branch = \"a\"\nbotBranch = \"a\"\n";
    assert_snapshot!(problems(text), @"
    line 1: `maxWorkers` is the same as `max_workers` in line 2; keep one of them
    line 6: `botBranch` is the same as `bot_branch` in line 5; keep one of them
    ");
}

#[test]
fn unknown_names_are_told_with_their_line_and_the_nearest_known_one() {
    let text = "\
max_wokers = 3
MaxWorkers = 3
poll = \"30s\"
bot_branch = \"x\"
requiredChecks = []

[forg]
url = \"x\"

[forge]
uri = \"http://localhost\"
max_workers = 1

[agents]

[roles.reviewer]
command = [\"x\"]

[roles.plan]
comand = [\"x\"]

[retention]
run = \"1d\"

[[repos]]
name = \"acme/widgets\"
botbranch = \"x\"
preflight = []
[repos.lanes]
ci_debug = 3
[repos.gates]
product = \"skip\"
";
    assert_snapshot!(problems(text), @"
    line 1: `max_wokers` is not a setting outside a table; the nearest one is `max_workers`
    line 2: `MaxWorkers` is not a setting outside a table; the nearest one is `max_workers`
    line 3: `poll` is not a setting outside a table; the nearest one is `poll_interval`
    line 4: `bot_branch` is not a setting outside a table; it belongs to [[repos]]
    line 5: `requiredChecks` is not a setting outside a table; it belongs to [[repos]]
    line 7: `forg` is not a setting outside a table; the nearest one is `forge`
    line 11: `uri` is not a setting in [forge]; the nearest one is `url`
    line 12: `max_workers` is not a setting in [forge]; it belongs above the first table
    line 14: `agents` is not a setting outside a table; the nearest one is `agent`
    line 16: `reviewer` is not a setting in [roles]; the nearest one is `plan_review`
    line 20: `comand` is not a setting in [roles.<role>]; the nearest one is `command`
    line 23: `run` is not a setting in [retention]; the nearest one is `runs`
    line 27: `botbranch` is not a setting in [[repos]]; the nearest one is `bot_branch`
    line 28: `preflight` is not a setting in [[repos]]; the nearest one is `preflight_command`
    line 30: `ci_debug` is not a setting in [repos.lanes]; the nearest one is `ci_debug_attempts`
    line 32: `product` is not a setting in [repos.gates]; the nearest one is `product_review`
    ");
}

#[test]
fn wrong_values_are_told_with_what_is_accepted() {
    assert_snapshot!(problems(WRONG), @r#"
    line 1: `max_workers` cannot be 0; write a whole number from 1 to 256
    line 2: `poll_interval` cannot be 30; write a length of time from "1s" to "1d", such as "90s" or "1h30m"
    line 3: `operator` cannot be "@mia"; write a login such as "mia"
    line 4: `allowed_owners` cannot be ["acme", 3]; write a list, each item a login such as "mia"
    line 5: `claims_max` cannot be -1; write a whole number from 1 to 10000
    line 6: `webhook_listen` cannot be "8080"; write an address with a port such as "127.0.0.1:8080"
    line 7: `dashboard_listen` cannot be "0.0.0.0:8080"; write a loopback address with a port such as "127.0.0.1:8080"
    line 8: `retention` is a table, not "90d"; write [retention]
    line 9: `roles` is a table, not []; write [roles]
    line 12: `url` cannot be "github.com"; write the address of an API such as "https://api.github.com", without user, query or fragment
    line 13: `token_env` cannot be "MY TOKEN"; write the name of an environment variable such as "GITHUB_TOKEN"
    line 14: `webhook_secret_env` cannot be ""; write the name of an environment variable such as "GITHUB_TOKEN"
    line 17: `kind` cannot be "telepathy"; write "claude", "codex", "opencode", "gemini", "acp" or "command"
    line 18: `command` cannot be "my-agent --flag"; write a list that is not empty, each item a text in quotation marks
    line 19: `turn_timeout` cannot be "30"; write a length of time from "1s" to "1d", such as "90s" or "1h30m"
    line 20: `idle_timeout` cannot be "0s"; write a length of time from "1s" to "1d", such as "90s" or "1h30m"
    line 21: `pass_env` cannot be ["A=B"]; write a list, each item the name of an environment variable such as "GITHUB_TOKEN"
    line 24: `name` cannot be "widgets"; write a repository as "owner/name"
    line 25: `bot_branch` cannot be "bot..x"; write the name of a branch such as "bot/integration"
    line 26: `setup` cannot be [""]; write a list, each item a text in quotation marks
    line 27: `preflight_command` cannot be { run = "make" }; write a list, each item a text in quotation marks
    line 28: `required_checks` cannot be true; write a list, each item a text in quotation marks
    line 29: `concurrency_slots` cannot be 1.5; write a whole number from 1 to 256
    line 30: `scheduler_priority` cannot be 11; write a number from 0.1 to 10.0
    line 31: `rollup_batch_size` cannot be "ten"; write a whole number from 1 to 1000
    line 32: `rollup_idle` cannot be "soon"; write a length of time from "0s" to "30d", such as "90s" or "1h30m"
    line 33: `merge_method` cannot be "fast-forward"; write "merge", "squash" or "rebase"
    line 34: `auto_queue` cannot be "yes"; write "labeled-only", "all-open" or "all-open-dry-run"
    line 35: `test_globs` cannot be ["a", ["b"]]; write a list, each item a text in quotation marks
    line 36: `batch_max` cannot be 99999999999999999999; write a whole number from 1 to 50
    line 38: `ci_debug_attempts` cannot be 0; write a whole number from 1 to 100
    line 40: `plan_review` cannot be "skip"; write "require": plan review is never skipped
    line 41: `ci` cannot be "off"; write "require" or "skip"
    "#);
}

#[test]
fn what_only_the_whole_can_tell_is_told_too() {
    let text = "\
allowed_owners = \"acme\"

[forge]
token = \"t0ken\"
token_env = \"X\"
app.app_id = 1

[[repos]]
name = \"acme/widgets\"

[[repos]]
setup = \"make\"

[[repos]]
name = \"ACME/Widgets\"

[[repos]]
name = \"other/thing\"
";
    assert_snapshot!(problems(text), @r#"
    line 4: `token` and `token_env` are both given; keep one of them
    line 4: `token` and `[forge.app]` are both given; keep one of them
    line 5: `token_env` and `[forge.app]` are both given; keep one of them
    line 6: `[forge.app]` has no `private_key_path`, and cannot do without
    line 11: this [[repos]] has no `name`; write it as "owner/name"
    line 15: acme/widgets is configured twice; keep one [[repos]] of it
    line 18: other/thing is not allowed: its owner `other` is not in `allowed_owners`
    "#);
}

#[test]
fn what_lies_outside_of_the_sandbox_is_refused_at_the_start() {
    let text = "\
[sandbox]
owners = [\"Acme\"]
name_prefix = \"try-\"

[[repos]]
name = \"acme/TRY-it\"

[[repos]]
name = \"acme/widgets\"

[[repos]]
name = \"other/try-it\"
";
    assert_snapshot!(problems(text), @r"
    line 9: acme/widgets is outside of the sandbox, which is the repositories of acme whose names begin with `try-`
    line 12: other/try-it is outside of the sandbox, which is the repositories of acme whose names begin with `try-`
    ");
    let text = "[sandbox]\nname_prefix = \"try-\"\nowner = [\"acme\"]\n";
    assert_snapshot!(problems(text), @r"
    line 1: `[sandbox]` has no `owners`; name those whose repositories may be written to
    line 3: `owner` is not a setting in [sandbox]; the nearest one is `owners`
    ");
}

#[test]
fn tables_have_to_be_written_as_tables() {
    assert_snapshot!(problems("forge = 1\nrepos = [1]\n"), @"
    line 1: `forge` is a table, not 1; write [forge]
    line 2: `repos` is a list of tables, and 1 is none; write [[repos]]
    ");
    assert_snapshot!(problems("[repos]\nname = \"acme/widgets\"\n"), @"line 1: `repos` is a list of tables; write [[repos]] above each of them");
    assert_snapshot!(problems("agent = [\"my-agent\"]\n[[forge]]\nurl = \"x\"\n"), @r#"
    line 1: `agent` is a table, not ["my-agent"]; write [agent]
    line 2: `forge` is a table, not [[forge]]; write [forge]
    "#);
}

#[test]
fn a_file_that_is_not_toml_is_told_by_its_line_and_never_repeated() {
    for (text, says) in [
        ("max_workers 3\n", "line 1: this is not TOML: "),
        ("\n\n[forge\n", "line 3: this is not TOML: "),
        ("a = 1\na = 2\n", "line 2: this is not TOML: duplicate key"),
        ("[forge]\ntoken = \"ghp_0123456789", "line 2: this is not TOML: "),
    ] {
        let said = problems(text);
        assert!(said.starts_with(says), "{said}");
        assert!(!said.contains("ghp_"), "{said}");
    }
}

#[test]
fn a_token_that_is_no_token_is_not_repeated() {
    let said = problems("[forge]\ntoken = \"ghp_ 0123456789\"\n");
    assert_eq!(
        said,
        "line 2: `token` cannot be this value; write a token in quotation marks, without blanks"
    );
}

/// Text that looks like a configuration, so that chance gets past the first line.
fn lines() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        Just("max_workers".to_owned()),
        Just("[forge]".to_owned()),
        Just("[[repos]]".to_owned()),
        Just("[repos.lanes]".to_owned()),
        Just("[roles.plan]".to_owned()),
        Just("name".to_owned()),
        Just("repos".to_owned()),
        Just("roles".to_owned()),
        "[a-zA-Z_.\\[\\]]{1,12}",
    ];
    let value = prop_oneof![
        Just(String::new()),
        Just("= \"acme/widgets\"".to_owned()),
        Just("= \"30s\"".to_owned()),
        Just("= [[1], {a = 1}]".to_owned()),
        "= [0-9eE.+-]{1,25}",
        "= \"[^\"\\\\]{0,20}\"",
        ".{0,20}",
    ];
    let line = (name, value).prop_map(|(name, value)| format!("{name} {value}"));
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC*|(?s).*") {
        drop(Config::parse(&text));
    }

    #[test]
    fn no_text_that_looks_like_one_makes_it_panic(text in lines()) {
        if let Err(problems) = Config::parse(&text) {
            prop_assert!(!problems.is_empty());
            let last = text.lines().count().max(1);
            prop_assert!(problems.iter().all(|p| (1..=last).contains(&p.line)), "{problems:?}");
        }
    }
}

#[test]
fn hosts_that_would_open_too_much_and_unknown_networks_are_refused() {
    let text = "\
[agent]
network = \"registries\"
allow_hosts = [\"*.com\"]
limits = { memory = \"4 gigs\", nice = 20 }
[[repos]]
name = \"acme/widgets\"
network = \"model\"
allow_hosts = \"https://npm.example/\"
";
    assert_snapshot!(problems(text), @r#"
    line 2: `network` cannot be "registries"; write "model", "open" or "none"
    line 3: `allow_hosts` cannot be ["*.com"]; write a list, each item a host such as "registry.example", "*.example.com" or "127.0.0.1:3000"
    line 4: `memory` cannot be "4 gigs"; write an amount from "50MB" such as "500MB" or "4GB"
    line 4: `nice` cannot be 20; write a whole number from 0 to 19
    line 7: `network` cannot be "model"; write "registries", "open" or "none"
    line 8: `allow_hosts` cannot be "https://npm.example/"; write a list, each item a host such as "registry.example", "*.example.com" or "127.0.0.1:3000"
    "#);
}
