//! `ralph prompt`.

use crate::home::Home;
use crate::sample_store::sample_home;

const CONFIG: &str = "\
[[repos]]
name = \"acme/widgets\"
preflight_command = [\"make check\"]

[prompts.implement]
text = \"Think of issue {{ issue }} of {{ repo }}.\"
";

fn configured(text: &str) -> Home {
    let home = sample_home();
    std::fs::write(home.path().join("config.toml"), text).expect("a configuration");
    home
}

#[test]
fn the_template_of_a_role_is_shown_without_a_store() {
    let shown = Home::empty().ralph(&["prompt", "product_review"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    assert!(shown.stdout.starts_with("You are the reviewer for the product in Ralph"), "{shown:?}");
    assert!(shown.stdout.contains("{{ title }}") && shown.stdout.contains("RALPH_REVIEW:"));
    let unknown = Home::empty().ralph(&["prompt", "juggler"]);
    assert_eq!(unknown.code, 2);
    assert!(
        unknown.stderr.contains("not a role; write one of parent_verify, plan,"),
        "{unknown:?}"
    );
}

#[test]
fn the_prompt_of_an_issue_is_made_of_what_the_store_and_the_settings_know() {
    let home = configured(CONFIG);
    let words = ["prompt", "implement", "--repo", "acme/widgets", "--issue", "1"];
    let before = home.files();
    let shown = home.ralph(&words).stdout;
    for part in [
        "Add a --json flag",
        "```text\nmake check\n```",
        "Think of issue 1 of acme/widgets.",
        "What went wrong last time:\n",
        "2 tests failed",
        "from ba5eba5eba",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(home.files(), before, "nothing is written");
    let json = home.ralph(&[&words[..], &["--json"]].concat()).json();
    assert_eq!((&json["role"], &json["issue"]), (&"implement".into(), &"acme/widgets#1".into()));
    assert_eq!(json["prompt"].as_str().unwrap().trim_end(), shown.trim_end());
    assert_eq!(json["remarks"], serde_json::json!([]));
}

#[test]
fn what_is_unknown_is_said() {
    let home = configured(CONFIG);
    for (repo, issue, expected) in [
        ("acme/widgets", "99", "acme/widgets#99 is not in the state store"),
        ("acme/gadgets", "1", "acme/gadgets is not configured"),
    ] {
        let shown = home.ralph(&["prompt", "plan", "--repo", repo, "--issue", issue]);
        assert_eq!(shown.code, 1);
        assert!(shown.stderr.contains(expected), "{shown:?}");
    }
    assert_eq!(home.ralph(&["prompt", "plan", "--issue", "1"]).code, 2);
    let wrong = configured("[prompts.plan]\ntext = \"{{ nobody }}\"\n");
    let shown = wrong.ralph(&["prompt", "plan", "--repo", "acme/widgets", "--issue", "1"]);
    assert_eq!(shown.code, 3);
    assert!(shown.stderr.contains("line 2: ") && shown.stderr.contains("`nobody` is unknown"));
}
