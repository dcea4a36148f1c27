//! `config.toml`: what is taken, what is refused and in which words.

use insta::assert_snapshot;
use proptest::prelude::*;
use ralph_cli::config::{AgentKind, Config, Origin, TokenSource};
use ralph_core::gate::Gate;
use ralph_core::ids::{Login, RepoName};
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{Limits, MergeMethod, RepoPolicy};
use ralph_core::time::Span;
use std::collections::BTreeSet;

/// The example of the reference, with everything that can be said of a repository.
const WHOLE: &str = r#"
max_workers = 4
poll_interval = "10s"
operator = "Mia"
allowed_owners = ["acme"]
claims_max = 9
webhook_listen = "0.0.0.0:8081"
dashboard_listen = "127.0.0.1:8080"
retention.runs = "7d"

[forge]
url = "http://127.0.0.1:3000/"
token_env = "FORGE_TOKEN"
webhook_secret_env = "HOOK_SECRET"

[agent]
kind = "command"
command = ["my-agent", "--flag"]
turn_timeout = "20m"
idle_timeout = "1m30s"
pass_env = ["MODEL_KEY"]

[roles.plan_review]
command = ["my-reviewer"]
turn_timeout = "40m"

[[repos]]
name = "Acme/Widgets"
bot_branch = "bot/next"
setup = ["npm ci"]
preflight_command = ["make check"]
required_checks = ["CI"]
concurrency_slots = 2
scheduler_priority = 2.5
rollup_batch_size = 3
rollup_idle = "0s"
merge_method = "squash"
setup_timeout = "3m"
preflight_timeout = "4m"
ci_timeout = "1h"
plan_attempts = 5
implement_attempts = 6
cache_dirs = ["node_modules"]
test_globs = ["tests/**"]
auto_queue = true
batch_max = 4
[repos.lanes]
ci_debug_attempts = 7
merge_conflict_attempts = 8
[repos.gates]
devex_review = "skip"
"#;

fn problems(text: &str) -> String {
    let problems = Config::parse(text).expect_err("a file with problems");
    let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

fn widgets() -> RepoName {
    RepoName::parse("acme/widgets").unwrap()
}

#[test]
fn everything_that_can_be_said_is_understood() {
    let config = Config::parse(WHOLE).unwrap();
    assert_eq!((config.max_workers, config.poll_interval), (4, Span::from_secs(10)));
    assert_eq!(config.operator, Some(Login::new("mia")));
    assert_eq!(config.forge.url, "http://127.0.0.1:3000");
    assert_eq!(config.forge.token, TokenSource::Environment("FORGE_TOKEN".to_owned()));
    assert_eq!(config.forge.webhook_secret_env, "HOOK_SECRET");
    assert_eq!(config.webhook_listen.unwrap().port(), 8081);
    assert_eq!(config.dashboard_listen.unwrap().port(), 8080);
    assert_eq!(config.retention.runs, Span::from_mins(7 * 24 * 60));
    let (all, reviewer) = (config.agent("implement"), config.agent("plan_review"));
    assert_eq!(
        (all.kind, all.command.join(" ")),
        (AgentKind::Command, "my-agent --flag".to_owned())
    );
    assert_eq!(all.idle_timeout, Span::from_secs(90));
    assert_eq!(
        (reviewer.command.join(" "), reviewer.turn_timeout),
        ("my-reviewer".to_owned(), Span::from_mins(40))
    );
    assert_eq!((&reviewer.pass_env, reviewer.idle_timeout), (&all.pass_env, all.idle_timeout));
    let repo = &config.repos[&widgets()];
    assert_eq!((repo.ci_debug_attempts, repo.merge_conflict_attempts), (7, 8));
    assert_eq!((repo.auto_queue, repo.batch_max), (true, 4));
    assert_eq!(
        (&repo.cache_dirs[..], &repo.test_globs[..]),
        (&["node_modules".to_owned()][..], &["tests/**".to_owned()][..])
    );
}

#[test]
fn decisions_read_what_was_configured() {
    let root = ManagedRoot::new("/srv/ralph/worktrees").unwrap();
    let config = Config::parse(WHOLE).unwrap();
    let policy = config.policy(Login::new("ralph-bot"), root, true);
    assert!(policy.draining);
    assert_eq!((policy.max_workers, policy.operator_of(&widgets())), (4, Login::new("mia")));
    let expected = RepoPolicy {
        bot_branch: ralph_core::ids::Branch::new("bot/next"),
        setup: vec!["npm ci".to_owned()],
        preflight: Some(vec!["make check".to_owned()]),
        required_checks: Some(vec!["CI".to_owned()]),
        skipped_gates: BTreeSet::from([Gate::DevexReview]),
        slots: 2,
        weight_milli: 2_500,
        claims_max: 9,
        rollup_batch: 3,
        rollup_idle: Span::ZERO,
        merge_method: MergeMethod::Squash,
        limits: Limits {
            plan_turns: 5,
            implement_turns: 6,
            setup_timeout: Span::from_mins(3),
            preflight_timeout: Span::from_mins(4),
            ci_timeout: Span::from_mins(60),
            // The longest of all roles: each role's own limit is kept by whoever runs its turn.
            turn_timeout: Span::from_mins(40),
            ..Limits::default()
        },
    };
    assert_eq!(policy.repos[&widgets()], expected);
}

#[test]
fn a_name_alone_makes_a_repository_with_the_defaults_of_decisions() {
    let config = Config::parse("[[repos]]\nname = \"acme/widgets\"\n").unwrap();
    let root = ManagedRoot::new("/srv/ralph/worktrees").unwrap();
    let policy = config.policy(Login::new("ralph-bot"), root, false);
    assert_eq!(policy.repos[&widgets()], RepoPolicy::default());
    assert_eq!((policy.max_workers, policy.poll_interval), (6, Span::from_secs(30)));
    assert!(!config.has_agent_for_all());
}

#[test]
fn claims_follow_slots_unless_said_otherwise() {
    let text = "[[repos]]\nname = \"acme/widgets\"\nconcurrency_slots = 3\n";
    let root = ManagedRoot::new("/srv/ralph/worktrees").unwrap();
    let policy = Config::parse(text).unwrap().policy(Login::new("bot"), root, false);
    assert_eq!(policy.repos[&widgets()].claims_max, 12);
}

#[test]
fn every_name_may_be_written_in_camel_case() {
    let camel = |text: &str| {
        let mut lines = String::new();
        for line in text.lines() {
            // Names stand before the first `=` of a line, and in headings.
            let (name, rest) =
                line.split_once('=').map_or((line, ""), |(name, _)| (name, &line[name.len()..]));
            let mut parts = name.split('_');
            lines.push_str(parts.next().unwrap());
            for part in parts {
                let (first, others) = part.split_at(1);
                lines.push_str(&first.to_uppercase());
                lines.push_str(others);
            }
            lines.push_str(rest);
            lines.push('\n');
        }
        lines
    };
    let aliased = camel(WHOLE);
    assert!(
        aliased.contains("botBranch = ") && aliased.contains("[roles.planReview]"),
        "{aliased}"
    );
    assert_eq!(Config::parse(&aliased).unwrap(), Config::parse(WHOLE).unwrap());
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
    let text = "\
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
    assert_snapshot!(problems(text), @r#"
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
    line 17: `kind` cannot be "telepathy"; write "command"
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
    line 34: `auto_queue` cannot be "yes"; write true or false
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
    line 6: `[forge.app]` is not supported by this version; take it out and name the variable with a token in `token_env`
    line 11: this [[repos]] has no `name`; write it as "owner/name"
    line 15: acme/widgets is configured twice; keep one [[repos]] of it
    line 18: other/thing is not allowed: its owner `other` is not in `allowed_owners`
    "#);
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
fn a_token_in_the_file_is_taken_and_never_shown() {
    let config = Config::parse("[forge]\ntoken = \"ghp_0123456789\"\n").unwrap();
    let TokenSource::File(token) = &config.forge.token else { panic!("{config:?}") };
    assert_eq!(token.reveal(), "ghp_0123456789");
    assert!(!format!("{config:?}").contains("ghp_"));
    assert!(!problems("[forge]\ntoken = \"ghp_ 0123456789\"\n").contains("ghp_"));
}

#[test]
fn every_setting_says_who_chose_it() {
    let config = Config::parse("\nmaxWorkers = 3\n[[repos]]\nname = \"acme/widgets\"\n").unwrap();
    let origin = |key: &str| {
        let found = config.effective.iter().find(|setting| setting.key == key);
        found.map(|setting| (setting.value.clone(), setting.origin.clone())).unwrap()
    };
    assert_eq!(origin("max_workers"), ("3".to_owned(), Origin::File(2)));
    assert_eq!(origin("poll_interval"), ("\"30s\"".to_owned(), Origin::Default));
    assert_eq!(
        origin("repos.acme/widgets.preflight_command"),
        ("not set".to_owned(), Origin::Default)
    );
    let mut keys: Vec<_> = config.effective.iter().map(|setting| &setting.key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), config.effective.len(), "no setting twice");
}

#[test]
fn the_reference_s_example_is_a_sound_configuration() {
    let page = ralph_cli::config::reference_page();
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(Config::parse(example).unwrap().has_agent_for_all());
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
