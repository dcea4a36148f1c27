//! Stored effects of earlier versions, and ordering keys.

use super::*;
fn issue() -> IssueKey {
    IssueKey::parse("acme/app#7").unwrap()
}
#[test]
fn effects_that_were_stored_before_acts_had_kinds_are_still_read() {
    for (stored, key) in [
        (
            r#"{"subject":{"issue":{"repo":"acme/app","number":7}},"act":{"add_label":{"label":"x"}}}"#,
            "acme/app#7:label+x",
        ),
        (
            r#"{"subject":{"issue":{"repo":"acme/app","number":7}},"act":"close_issue"}"#,
            "acme/app#7:close",
        ),
        (
            r#"{"subject":{"issue":{"repo":"acme/app","number":7}},"act":{"end":{"attempt":3,"step":"plan"}}}"#,
            "acme/app#7:end:3",
        ),
        (
            r#"{"subject":{"repo":"acme/app"},"act":{"make_branch":{"branch":"b","at":"c"}}}"#,
            "acme/app:branch:b",
        ),
    ] {
        let effect: Effect = serde_json::from_str(stored).unwrap();
        assert_eq!(effect.key(), key);
        assert_eq!(serde_json::to_string(&effect).unwrap(), stored);
    }
}

#[test]
fn an_act_on_the_wrong_kind_of_subject_is_not_read() {
    for stored in [
        r#"{"subject":{"repo":"acme/app"},"act":"close_issue"}"#,
        r#"{"subject":{"repo":"acme/app"},"act":{"end":{"attempt":3,"step":"plan"}}}"#,
        r#"{"subject":{"issue":{"repo":"acme/app","number":7}},"act":{"make_branch":{"branch":"b","at":"c"}}}"#,
    ] {
        let error = serde_json::from_str::<Effect>(stored).unwrap_err().to_string();
        assert!(error.contains("cannot be done to"), "{error}");
    }
}

#[test]
fn labels_have_a_lane_of_their_own_so_that_nothing_waits_for_them() {
    let close = Effect::Issue(issue(), IssueAct::CloseIssue);
    let add = Effect::Issue(issue(), IssueAct::AddLabel { label: "x".into() });
    let end = Effect::Machine(issue(), MachineAct::End { attempt: Attempt(1), step: Step::Plan });
    let label = RepoAct::DefineLabel { name: "x".to_owned(), is_new: true };
    let define = Effect::Repo(issue().repo, label);
    assert_eq!(add.ordering_key(), define.ordering_key());
    assert_ne!(add.ordering_key(), close.ordering_key());
    assert_eq!(end.ordering_key().name(), "process:acme/app#7");
}
