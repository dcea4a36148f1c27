//! `ralph usage`.

use crate::home::Home;
use crate::sample_store::{closed, sample_home};

const CONFIG: &str = "\
[throttle]
soft = 0.7
[[throttle.windows]]
name = \"5h\"
tokens = 100000

[budget]
day_usd = 2

[[repos]]
name = \"acme/widgets\"
preflight_command = [\"make check\"]
";

fn configured() -> Home {
    let home = Home::empty();
    closed(&home, |sample| sample.work().use_tokens(96_000, 2_500_000));
    std::fs::write(home.path().join("config.toml"), CONFIG).expect("a configuration");
    home
}

#[test]
fn what_was_used_is_shown_by_account_window_day_repository_and_role() {
    let home = configured();
    let before = home.files();
    let shown = home.ralph(&["usage", "--json"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
    let accounts = report["accounts"].as_array().expect("accounts");
    assert_eq!(accounts[0]["account"], "command");
    let role = &report["repos"][0]["roles"];
    assert!(role.to_string().contains("\"implement\""), "the failed turn counts: {report}");
    assert_eq!(report["day_usd_max"], 2_000_000);
    let text = home.ralph(&["usage"]).stdout;
    for part in ["ACCOUNT", "5h", "Last 24 hours", "acme/widgets", "implement"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(home.files(), before, "nothing is written");
}

#[test]
fn an_issue_tells_what_its_turns_used() {
    let home = configured();
    let shown = home.ralph(&["explain", "acme/widgets", "1"]).stdout;
    assert!(shown.contains("96.0k tokens, $2.50"), "{shown}");
    let json = home.ralph(&["explain", "acme/widgets", "1", "--json"]).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["used"]["roles"]["implement"]["tokens"], 96_000);
    assert_eq!(report["forecast"], serde_json::Value::Null, "too few issues were merged");
}

#[test]
fn without_a_configuration_it_says_what_is_missing() {
    let shown = sample_home().ralph(&["usage"]);
    assert_ne!(shown.code, 0);
    assert!(shown.stderr.contains("there is no configuration at"), "{shown:?}");
}
