//! Accounts, their limits, budgets and prices in `config.toml`.

use crate::config::WHOLE;
use crate::config_refused::problems;
use insta::assert_snapshot;
use ralph_cli::config::Config;
use ralph_core::ids::Login;
use ralph_core::managed_path::ManagedRoot;
use ralph_core::role::Role;
use ralph_core::time::Span;
use ralph_core::turn_end::Usage;

#[test]
fn limits_budgets_prices_and_accounts_are_read() {
    let root = ManagedRoot::new("/srv/ralph/worktrees").unwrap();
    let config = Config::parse(WHOLE).unwrap();
    let policy = config.policy(Login::new("bot"), root, false);
    let names = |role| policy.accounts_of(role).iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(Role::ProductReview), ["work", "spare"]);
    assert_eq!(names(Role::Implement), ["command"]);
    assert_eq!((policy.throttle.soft_milli, policy.throttle.hard_milli), (500, 900));
    let windows: Vec<_> = policy
        .throttle
        .windows
        .iter()
        .map(|rule| (rule.name.as_str(), rule.length, rule.tokens, rule.account.is_some()))
        .collect();
    let days = |days: i64| Span::from_mins(days * 24 * 60);
    assert_eq!(
        windows,
        [("5h", Span::from_mins(300), 2_000_000, false), ("month", days(30), 90_000_000, true)]
    );
    let budget = policy.budget;
    assert_eq!((budget.issue.micro_usd, budget.issue.tokens), (Some(7_500_000), Some(3_000_000)));
    assert_eq!((budget.day.micro_usd, budget.day.tokens), (Some(40_000_000), Some(9_000_000)));
    assert_eq!(budget.first_turn.micro_usd, 250_000);
    let usage = Usage { input: 1_000_000, cached: 400_000, output: 0, micro_usd: None };
    assert_eq!(config.prices.complete(usage, Some("gpt-5-codex")).micro_usd, Some(800_000));
    assert_eq!(config.disk_free_min, 20_000_000_000);
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let text = "\
disk_free_min = 5
[[accounts]]
name = \"a\"
[[accounts]]
name = \"a\"
kind = \"claude\"
env = [\"X=GITHUB_TOKEN\"]
[throttle]
soft = 0.9
hard = 0.5
[[throttle.windows]]
name = \"fortnight\"
tokens = 5000
account = \"nobody\"
[budget]
issue_usd = 0.5
day_usd = -1
[prices.m]
input = 1
";
    assert_snapshot!(problems(text), @r#"
    line 1: `disk_free_min` cannot be 5; write an amount from "0GB" such as "500MB" or "4GB"
    line 2: this [[accounts]] has no `kind`
    line 2: this [[accounts]] has no login; name `env` or `files`
    line 4: the account a is there twice; keep one of them
    line 7: `env` names GITHUB_TOKEN, which Ralph reads its own secret from; no agent gets that. If the agent needs a token, give it another one under another name
    line 9: `soft` is above `hard`; it has to come first
    line 11: the window "fortnight" has no `length`
    line 14: there is no account nobody; add it as [[accounts]]
    line 16: `issue_usd` is less than `turn_usd`, which is reserved for a first turn, so that no issue could begin; raise the one or lower the other
    line 17: `day_usd` cannot be -1; write dollars from 0 to 1000000, such as 2.5
    line 18: `[prices."m"]` has no `output`
    "#);
}
