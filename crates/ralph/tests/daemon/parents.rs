//! An issue of which nothing is left once its sub-issues are closed: done without a pull request, and said why.

use crate::forge::REPO;
use crate::stage::{Stage, WORK};
use serde_json::{Value, json};
use std::fs;

/// Verifies what it finds in a checkout of the bot branch, and leaves something there that must not count.
const AGENT: &str = r##"
case "$RALPH_ROLE" in
parent_verify)
  test -f README.md && echo changed > README.md
  child=$(grep -oE 'https?://[^ >]+/issues/[0-9]+' "$RALPH_PROMPT_FILE" | head -n 1)
  echo 'RALPH_PARENT_VERIFY: {"version":1,"work_remains":false,"reason":"the child did it","confidence":"high","checked":["README.md"],"why_satisfied":"it is all there","evidence":[{"url":"'"$child"'","note":"the child"}]}' ;;
*) echo 'nobody else is asked' >&2; exit 1 ;;
esac
"##;

#[test]
fn a_parent_of_which_nothing_is_left_is_closed_without_a_pull_request() {
    let stage = Stage::set(WORK);
    fs::write(stage.place("agent.sh"), AGENT).expect("a file");
    let issues = format!("/repos/{REPO}/issues");
    let child = stage.forge.ask("POST", &issues, &json!({"title": "A part"}));
    let parent = stage.forge.ask("POST", &issues, &json!({"title": "The whole"}));
    let (child_number, number) = (&child["number"], parent["number"].as_u64().expect("a number"));
    let sub_issue = json!({"sub_issue_id": child["id"]});
    stage.forge.ask("POST", &format!("{issues}/{number}/sub_issues"), &sub_issue);
    stage.forge.ask("PATCH", &format!("{issues}/{child_number}"), &json!({"state": "closed"}));
    let queued = json!({"labels": ["ralph:status:queued"]});
    stage.forge.ask("POST", &format!("{issues}/{number}/labels"), &queued);
    stage.work();
    let reported = stage.explained(number);
    assert_eq!(stage.forge.status(number), ["done"], "{reported}");
    assert_eq!(stage.forge.get(&format!("{issues}/{number}"))["state"], "closed", "{reported}");
    assert_eq!(stage.forge.task_pulls(), Vec::<Value>::new());
    let comments = stage.forge.list(&format!("issues/{number}/comments"));
    let bodies = comments.iter().filter_map(|comment| comment["body"].as_str());
    let verified: Vec<_> = bodies.filter(|body| body.contains("RALPH_VERIFY: {")).collect();
    let [body] = verified.as_slice() else { panic!("one comment: {comments:?}") };
    assert!(body.starts_with(&format!("<!-- ralph-verify:v1 id={number} -->\n")), "{body}");
    stage.forge.assert_nothing_twice();
}
