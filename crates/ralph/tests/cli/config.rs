//! `config.toml`: what is taken, and what becomes of it.

use ralph_adapters::network::NetworkRule;
use ralph_cli::config::{AgentKind, Config, Credentials, Origin, TokenSource};
use ralph_core::bound::{Bound, Bounds};
use ralph_core::gate::Gate;
use ralph_core::ids::{Login, RepoName};
use ralph_core::job::Role;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::policy::{AutoQueue, Limits, MergeMethod, RepoPolicy};
use ralph_core::role_text::RoleText;
use ralph_core::steps::Step;
use ralph_core::time::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The example of the reference, with everything that can be said of a repository.
pub(crate) const WHOLE: &str = r#"
max_workers = 4
poll_interval = "10s"
operator = "Mia"
allowed_owners = ["acme"]
claims_max = 9
disk_free_min = "20GB"
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
network = "model"
allow_hosts = ["*.example.com", "127.0.0.1:3000"]
limits.memory = "4GB"
limits.processes = 500
limits.file_size = "1500MB"

[agent.credentials]
env = ["OTHER_KEY"]

[roles.plan_review]
command = ["my-reviewer"]
turn_timeout = "40m"

[prompts.plan]
text = "Look at {{ repo }}."
replace = true

[prompts.implement]
file = "/etc/ralph/implement.md"

[roles.devex_review]
kind = "codex"
model = "gpt-5"
effort = "high"
args = ["-c", "x=1"]
[roles.devex_review.credentials]
files = ["~/.codex/auth.json"]

[roles.product_review]
kind = "opencode"
opencode_config_dir = "/srv/opencode"

[[accounts]]
name = "work"
kind = "opencode"
env = ["OPENAI_API_KEY=KEY_OF_WORK"]
[[accounts]]
name = "spare"
kind = "opencode"
files = ["/srv/spare.json"]

[throttle]
soft = 0.5
hard = 0.9
[[throttle.windows]]
name = "5h"
tokens = 2000000
[[throttle.windows]]
name = "month"
length = "30d"
tokens = 90000000
account = "spare"

[budget]
issue_usd = 7.5
day_usd = 40
issue_tokens = 3000000
day_tokens = 9000000
turn_usd = 0.25
turn_tokens = 50000

[prices."gpt-5"]
input = 1.25
output = 10
cached = 0.125

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
setup_attempts = 4
verdict_repairs = 1
plan_attempts = 5
implement_attempts = 6
interruptions_max = 7
cache_dirs = ["node_modules"]
test_globs = ["tests/**"]
file_mb_max = 5
network = "none"
allow_hosts = ["npm.example:8443"]
claims_file = "claims.jsonl"
auto_queue = true
survey = true
steer_by_comment = false
batch_max = 4
batch_wait = "2m"
[repos.lanes]
ci_debug_attempts = 7
merge_conflict_attempts = 8
branch_update_attempts = 4
conflict_looks = 6
[repos.gates]
devex_review = "skip"
test_integrity = "advisory"
"#;

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
        (all.kind, all.command().join(" ")),
        (AgentKind::Command, "my-agent --flag".to_owned())
    );
    assert_eq!(all.idle_timeout, Span::from_secs(90));
    assert_eq!(
        (reviewer.command().join(" "), reviewer.turn_timeout),
        ("my-reviewer".to_owned(), Span::from_mins(40))
    );
    assert_eq!((&reviewer.pass_env, reviewer.idle_timeout), (&all.pass_env, all.idle_timeout));
    let codex = config.agent("devex_review");
    assert_eq!((codex.kind, codex.command()), (AgentKind::Codex, vec!["codex".to_owned()]));
    assert_eq!((codex.model.as_deref(), codex.effort.as_deref()), (Some("gpt-5"), Some("high")));
    assert_eq!((codex.args.join(" "), codex.idle_timeout), ("-c x=1".to_owned(), all.idle_timeout));
    let files = vec!["~/.codex/auth.json".to_owned()];
    assert_eq!(codex.credentials, Credentials { env: None, files: Some(files) });
    assert_eq!(reviewer.credentials.env, Some(vec!["OTHER_KEY".to_owned()]));
    let folder = config.agent("product_review").opencode_config_dir.clone();
    assert_eq!(folder, Some("/srv/opencode".into()));
    let repo = &config.repos[&widgets()];
    assert_eq!(
        (repo.policy.limits.of(Bound::CI_DEBUG), repo.policy.limits.of(Bound::MERGE_CONFLICT)),
        (7, 8)
    );
    assert_eq!((repo.policy.auto_queue, repo.policy.batch_max), (AutoQueue::AllOpen, 4));
    assert_eq!(repo.file_bytes_max(), 5 * 1024 * 1024);
    assert_eq!(repo.network(), NetworkRule::None);
    let limits = config.isolation().limits;
    assert_eq!((limits.memory_bytes, limits.processes), (Some(4_000_000_000), Some(500)));
    assert_eq!((limits.file_bytes, limits.open_files), (Some(1_500_000_000), None));
    let hosts = ["*.example.com", "127.0.0.1:3000"].map(|host| host.parse().unwrap()).into();
    assert_eq!(all.network(), NetworkRule::Hosts { hosts, has_registries: true });
    assert_eq!(reviewer.network(), all.network());
    assert_eq!(
        (&repo.cache_dirs[..], &repo.policy.test_globs[..]),
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
        advisory_gates: BTreeSet::from([Gate::TestIntegrity]),
        test_globs: vec!["tests/**".to_owned()],
        claims_file: "claims.jsonl".to_owned(),
        slots: 2,
        weight_milli: 2_500,
        claims_max: 9,
        auto_queue: AutoQueue::AllOpen,
        batch_max: 4,
        batch_wait: Span::from_mins(2),
        survey: true,
        steer_by_comment: false,
        rollup_size: 3,
        rollup_idle: Span::ZERO,
        merge_method: MergeMethod::Squash,
        prompts: BTreeMap::from([(
            Role::Plan,
            RoleText { template: "Look at {{ repo }}.".to_owned(), replaces: true },
        )]),
        limits: Limits {
            bounds: Bounds::from([
                (Bound::Step(Step::Setup), 4),
                (Bound::VERDICT_REPAIRS, 1),
                (Bound::Step(Step::Plan), 5),
                (Bound::Step(Step::Implement), 6),
                (Bound::INTERRUPTIONS, 7),
                (Bound::CI_DEBUG, 7),
                (Bound::MERGE_CONFLICT, 8),
                (Bound::BRANCH_UPDATES, 4),
                (Bound::CONFLICT_LOOKS, 6),
            ]),
            setup_timeout: Span::from_mins(3),
            preflight_timeout: Span::from_mins(4),
            ci_timeout: Span::from_mins(60),
            turn_timeout: Span::from_mins(20),
            role_turn_timeouts: BTreeMap::from([
                (Role::PlanReview, Span::from_mins(40)),
                (Role::ProductReview, Span::from_mins(20)),
                (Role::DevexReview, Span::from_mins(20)),
            ]),
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
fn the_text_of_a_role_may_be_in_a_file_and_a_wrong_one_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (config, text) = (folder.path().join("config.toml"), folder.path().join("plan.md"));
    let named = format!(
        "[prompts.plan]\nfile = \"{}\"\n[[repos]]\nname = \"acme/widgets\"\n",
        text.display()
    );
    std::fs::write(&config, named).unwrap();
    std::fs::write(&text, "---\nreplace: true\n---\nIn {{ role }}.").unwrap();
    let root = ManagedRoot::new("/srv/ralph/worktrees").unwrap();
    let policy = Config::load(&config).unwrap().policy(Login::new("bot"), root, false);
    let expected = RoleText { template: "In {{ role }}.".to_owned(), replaces: true };
    assert_eq!(policy.repos[&widgets()].prompts, BTreeMap::from([(Role::Plan, expected)]));
    for wrong in [Some("{{ nobody }}"), None] {
        std::fs::remove_file(&text).unwrap();
        wrong.into_iter().for_each(|wrong| std::fs::write(&text, wrong).unwrap());
        let error = Config::load(&config).unwrap_err();
        let [problem] = error.problems() else { panic!("{error}") };
        assert_eq!(problem.line, 2);
        assert!(problem.says.contains("plan.md: "), "{problem}");
        std::fs::write(&text, "").unwrap();
    }
}

#[test]
fn roles_share_the_account_of_their_kind_unless_they_have_their_own_login() {
    let text = "[agent]\nkind = \"claude\"\n[roles.plan_review]\nkind = \"codex\"\n\
                [roles.product_review.credentials]\nenv = [\"OTHER_KEY\"]\n\
                [[repos]]\nname = \"acme/widgets\"\n";
    let root = ManagedRoot::new("/srv/ralph/worktrees").unwrap();
    let policy = Config::parse(text).unwrap().policy(Login::new("bot"), root, false);
    let account = |role| policy.accounts_of(role)[0].to_string();
    assert_eq!(account(Role::Implement), "claude");
    assert_eq!(account(Role::PlanReview), "codex");
    assert_eq!(account(Role::ProductReview), "claude (product_review)");
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
fn a_token_in_the_file_is_taken_and_never_shown() {
    let config = Config::parse("[forge]\ntoken = \"ghp_0123456789\"\n").unwrap();
    let TokenSource::File(token) = &config.forge.token else { panic!("{config:?}") };
    assert_eq!(token.reveal(), "ghp_0123456789");
    assert!(!format!("{config:?}").contains("ghp_"));
}

#[test]
fn an_app_takes_the_place_of_the_token() {
    let text = "[forge.app]\napp_id = 7\nprivate_key_path = \"/etc/ralph/key.pem\"\n";
    let app = |text: &str| {
        let token = Config::parse(text).unwrap().forge.token;
        let TokenSource::App(app) = token else { panic!("{token:?}") };
        app
    };
    let found = app(text);
    assert_eq!((found.app_id, found.installation_id), (7, None));
    assert_eq!(found.private_key_path, Path::new("/etc/ralph/key.pem"));
    assert_eq!(app(&format!("{text}installationId = 9\n")).installation_id, Some(9));
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
