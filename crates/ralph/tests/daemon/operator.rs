//! An operator's day, from the forge's own pages alone: labels and comments, nothing else.

use crate::forge::REPO;
use crate::process::alive_in;
use crate::stage::{Stage, WORK};
use crate::waiting::until;
use serde_json::{Value, json};
use std::fs;

/// Works only once the file `go` is there.
fn patient() -> String {
    format!("until test -e \"$(dirname \"$0\")/go\"; do sleep 0.05; done\n{WORK}")
}

impl Stage {
    fn go(&self) {
        fs::write(self.place("go"), "").expect("a file");
    }

    fn label(&self, issue: u64, name: &str) {
        let path = format!("/repos/{REPO}/issues/{issue}/labels");
        self.forge.ask("POST", &path, &json!({ "labels": [name] }));
    }

    fn comment(&self, issue: u64, body: &str) {
        let path = format!("/repos/{REPO}/issues/{issue}/comments");
        self.forge.ask("POST", &path, &json!({ "body": body }));
    }

    fn comments(&self, issue: u64) -> Vec<String> {
        let all = self.forge.list(&format!("issues/{issue}/comments"));
        all.iter().filter_map(|comment| comment["body"].as_str().map(str::to_owned)).collect()
    }

    fn wait_until_label_goes(&self, issue: u64, name: &str) {
        until(&format!("{name} to go"), || {
            let found = self.forge.list(&format!("issues/{issue}/labels"));
            found.iter().all(|label| label["name"] != name).then_some(())
        });
    }

    /// Open issues that were not asked for.
    fn open_quietly(&self, repo: &str, title: &str, body: &str) -> Value {
        let issue = json!({ "title": title, "body": body });
        self.forge.ask("POST", &format!("/repos/{repo}/issues"), &issue)
    }
}

fn is_at_work(stage: &Stage) -> bool {
    alive_in(&stage.home).iter().any(|line| line.contains("agent.sh"))
}

#[test]
fn a_stop_ends_the_agent_and_queue_begins_anew() {
    let stage = Stage::set(&patient());
    let issue = stage.forge.open_issue("Do it", "");
    let mut daemon = stage.daemon();
    daemon.hear("attempt 4 is running");
    until("an agent at work", || is_at_work(&stage).then_some(()));
    stage.label(issue, "ralph:cmd:stop");
    until("the end of the agent", || (!is_at_work(&stage)).then_some(()));
    stage.forge.wait_for_status(issue, "stopped");
    stage.wait_until_label_goes(issue, "ralph:cmd:stop");
    assert_eq!(stage.forge.task_pulls(), Vec::<Value>::new());

    stage.go();
    stage.label(issue, "ralph:cmd:queue");
    stage.forge.wait_for_status(issue, "in-bot");
    stage.wait_until_label_goes(issue, "ralph:cmd:queue");
    let comments = stage.comments(issue);
    assert_eq!(comments.len(), 1, "one result, edited in place: {comments:?}");
    assert_eq!(daemon.stop().code, Some(0));
    stage.assert_nobody_left();
}

#[test]
fn a_pause_lets_the_turn_end_and_parks_the_run() {
    let stage = Stage::set(&patient());
    let issue = stage.forge.open_issue("Do it", "");
    let mut daemon = stage.daemon();
    daemon.hear("attempt 4 is running");
    stage.label(issue, "ralph:cmd:pause");
    stage.wait_until_label_goes(issue, "ralph:cmd:pause");
    assert!(is_at_work(&stage), "what is under way may end");
    stage.go();
    daemon.hear("attempt 4: new head");
    stage.forge.wait_for_status(issue, "paused");
    assert_eq!(stage.forge.task_pulls(), Vec::<Value>::new());

    stage.label(issue, "ralph:cmd:queue");
    stage.forge.wait_for_status(issue, "in-bot");
    let story = stage.explained(issue);
    assert_eq!(story.matches(": new head").count(), 1, "nothing is done twice:\n{story}");
    assert_eq!(daemon.stop().code, Some(0));
}

#[test]
fn commands_given_while_ralph_is_down_are_obeyed_at_its_start() {
    let stage = Stage::set(WORK);
    let wanted = stage.open_quietly(REPO, "Do it", "")["number"].as_u64().expect("a number");
    let stopped = stage.forge.open_issue("Do that", "");
    stage.label(wanted, "ralph:cmd:queue");
    stage.label(stopped, "ralph:cmd:stop");
    stage.work();
    assert_eq!(stage.forge.status(wanted), ["in-bot"]);
    assert_eq!(stage.forge.status(stopped), ["stopped"]);
    let another = stage.open_quietly(REPO, "Do more", "")["number"].as_u64().expect("a number");
    stage.label(another, "ralph:cmd:queue");
    stage.label(stopped, "ralph:cmd:queue");
    stage.work();
    for issue in [another, stopped] {
        assert_eq!(stage.forge.status(issue), ["in-bot"], "{}", stage.explained(issue));
        assert_eq!(stage.comments(issue).len(), 1, "{:?}", stage.comments(issue));
    }
}

#[test]
fn a_question_about_the_product_is_answered_by_a_comment() {
    let stage = Stage::set(WORK);
    let agent = fs::read_to_string(stage.place("agent.sh")).expect("an agent");
    let gap = "plan) if ! grep -q 'make it blue' \"$RALPH_PROMPT_FILE\"; then echo 'PRODUCT GAP: which colour?'; fi;";
    fs::write(stage.place("agent.sh"), agent.replacen("plan)", gap, 1)).expect("a file");
    let issue = stage.forge.open_issue("Paint it", "");
    let daemon = stage.daemon();
    stage.forge.wait_for_status(issue, "escalated");
    let asked = until("the question", || stage.comments(issue).into_iter().next());
    assert!(asked.contains("which colour?") && asked.contains("RALPH RESOLVED:"), "{asked}");
    stage.comment(issue, "I have no idea.");
    stage.comment(issue, "RALPH RESOLVED: make it blue");
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(daemon.stop().code, Some(0));
    assert_eq!(stage.comments(issue).len(), 3, "{:?}", stage.comments(issue));
}

#[test]
fn an_issue_waits_for_one_in_another_repository() {
    let stage = Stage::set(WORK);
    stage.forge.ask("POST", "/user/repos", &json!({ "name": "lib" }));
    let (owner, _) = REPO.split_once('/').expect("an owner");
    let lib = format!("{owner}/lib");
    let blocker = stage.open_quietly(&lib, "First this", "");
    let issue = stage.open_quietly(REPO, "Then that", "")["number"].as_u64().expect("a number");
    let path = format!("/repos/{REPO}/issues/{issue}/dependencies/blocked_by");
    stage.forge.ask("POST", &path, &json!({ "issue_id": blocker["id"] }));
    stage.label(issue, "ralph:status:queued");
    let daemon = stage.daemon();
    until("a blocked issue", || stage.explained(issue).contains(&format!("{lib}#1")).then_some(()));
    assert_eq!(stage.forge.status(issue), ["queued"]);
    let path = format!("/repos/{lib}/issues/{}", blocker["number"]);
    stage.forge.ask("PATCH", &path, &json!({ "state": "closed" }));
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(daemon.stop().code, Some(0));
}
