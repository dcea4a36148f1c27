//! The hints in each kind of delivery.

use ralph_core::ids::{PullNumber, RepoName};
use ralph_engine::Hint;
use ralph_github::webhook::hints;

const REPO: &str = r#""repository":{"full_name":"Acme/Widgets"}"#;

fn shown(event: &str, rest: &str) -> Vec<String> {
    let body = format!("{{{REPO}{rest}}}");
    hints(event, body.as_bytes()).iter().map(show).collect()
}

fn show(hint: &Hint) -> String {
    match hint {
        Hint::Issue(key) => format!("issue {key}"),
        Hint::Label { issue, label, is_added } => {
            format!("label {label} {} {issue}", if *is_added { "on" } else { "off" })
        }
        Hint::Relations(key) => format!("relations {key}"),
        Hint::Pull(repo, number) => format!("pull {repo}{number}"),
        Hint::Labels(repo) => format!("labels {repo}"),
        Hint::Branches(repo) => format!("branches {repo}"),
    }
}

#[test]
fn each_event_hints_at_what_it_may_have_changed() {
    let issue = r#","issue":{"number":7}"#;
    for (event, rest, expected) in [
        ("issues", issue, vec!["issue acme/widgets#7"]),
        ("issue_comment", issue, vec!["issue acme/widgets#7"]),
        (
            "issue_comment",
            r#","issue":{"number":7},"comment":{"body":"RALPH RESOLVED: go on"}"#,
            vec!["issue acme/widgets#7"],
        ),
        ("issue_comment", r#","issue":{"number":9,"pull_request":{"url":"x"}}"#, vec![]),
        ("label", r#","action":"edited","label":{"name":"x"}"#, vec!["labels acme/widgets"]),
        ("label", r#","action":"created","label":{"name":"x"}"#, vec![]),
        (
            "pull_request",
            r#","action":"opened","pull_request":{"number":9}"#,
            vec!["pull acme/widgets#9"],
        ),
        (
            "check_run",
            r#","check_run":{"status":"completed","pull_requests":[{"number":9},{"number":10}],"check_suite":{"pull_requests":[]}}"#,
            vec!["pull acme/widgets#9", "pull acme/widgets#10"],
        ),
        ("check_run", r#","check_run":{"status":"completed","name":"CI"}"#, vec![]),
        (
            "check_suite",
            r#","check_suite":{"status":"completed","pull_requests":[{"number":9}]}"#,
            vec!["pull acme/widgets#9"],
        ),
        ("push", r#","ref":"refs/heads/main""#, vec!["branches acme/widgets"]),
        ("push", r#","ref":"refs/heads/ralph/issue-7-x""#, vec![]),
        (
            "sub_issues",
            r#","parent_issue":{"number":1},"sub_issue":{"number":2,"repository_url":"https://api.github.com/repos/acme/other"}"#,
            vec!["relations acme/widgets#1", "relations acme/other#2"],
        ),
        (
            "issue_dependencies",
            r#","blocked_issue":{"number":1},"blocking_issue":{"number":2}"#,
            vec!["relations acme/widgets#1", "relations acme/widgets#2"],
        ),
        ("star", issue, vec![]),
        ("status", r#","sha":"abc","context":"CI""#, vec![]),
    ] {
        assert_eq!(shown(event, rest), expected, "{event} {rest}");
    }
}

#[test]
fn echoes_of_our_own_doing_are_left_to_the_poll() {
    let labelled = |action: &str, label: &str| {
        format!(r#","action":"{action}","issue":{{"number":7}},"label":{{"name":"{label}"}}"#)
    };
    let hinted = |label: &str| {
        ["labeled", "unlabeled"].map(|action| !shown("issues", &labelled(action, label)).is_empty())
    };
    for label in ["ralph:status:in-progress", "Ralph:Status:Done", "ralph:in-bot", "ralph:blocked"]
    {
        assert_eq!(hinted(label), [false, false], "{label}");
    }
    for label in
        ["ralph:status:queued", "ralph:queued", "ralph:cmd:stop", "ralph:priority:p0", "bug"]
    {
        assert_eq!(hinted(label), [true, true], "{label}");
    }
    assert!(!shown("issues", &labelled("closed", "ralph:status:done")).is_empty());
    let ours =
        r#","issue":{"number":7},"comment":{"body":"<!-- ralph-escalation:id=7-1 -->\nHelp"}"#;
    assert_eq!(shown("issue_comment", ours), Vec::<String>::new());
    for status in ["queued", "in_progress"] {
        let begun =
            format!(r#","check_run":{{"status":"{status}","pull_requests":[{{"number":9}}]}}"#);
        assert_eq!(shown("check_run", &begun), Vec::<String>::new(), "{status}");
    }
}

#[test]
fn garbage_hints_at_nothing() {
    for body in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"repository":null}"#,
        r#"{"repository":{"full_name":"../.."}}"#,
    ] {
        assert_eq!(hints("push", body.as_bytes()), [], "{body}");
    }
    assert_eq!(shown("issues", r#","issue":{"number":"seven"}"#), Vec::<String>::new());
    assert_eq!(shown("issues", ""), Vec::<String>::new());
}

#[test]
fn a_check_that_names_countless_pull_requests_hints_at_a_few() {
    let pulls = vec![r#"{"number":9}"#; 5_000].join(",");
    let found = shown(
        "check_run",
        &format!(r#","check_run":{{"status":"completed","pull_requests":[{pulls}]}}"#),
    );
    assert_eq!(found.len(), 50);
    let repo = RepoName::parse("acme/widgets").expect("a name");
    assert_eq!(found.first(), Some(&show(&Hint::Pull(repo, PullNumber(9)))));
}
