//! The sandbox profile: no write of the port reaches a repository outside of it.

use crate::world::{World, key, repo};
use ralph_core::ids::{Branch, CommentId, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::policy::MergeMethod;
use ralph_engine::ports::{Answer, Forge, LabelDefinition, NewPull};
use ralph_forge::{CreateIssue, NewIssue, NewRepository};
use ralph_github::{Client, Fence};

fn inside(prefix: &str) -> Fence {
    Fence::new(vec![Login::new("acme")], prefix)
}

/// Every write there is, with what kept it from happening.
fn writes(client: &mut Client<World>, repo: &RepoName) -> Vec<(&'static str, Option<String>)> {
    let issue = IssueKey::new(repo.clone(), 1);
    let (branch, sha, pull) = (Branch::new("main"), Sha::new(&"a".repeat(40)), PullNumber(1));
    let text = || "x".to_owned();
    let label = LabelDefinition { name: text(), color: "000000".to_owned(), description: text() };
    let new = NewPull { head: &branch, base: &branch, title: "x", body: "x" };
    vec![
        ("add_label", reported(client.add_label(&issue, "x"))),
        ("remove_label", reported(client.remove_label(&issue, "x"))),
        ("create_comment", reported(client.create_comment(&issue, "x"))),
        ("edit_comment", reported(client.edit_comment(&issue, CommentId(1), "x"))),
        ("close_issue", reported(client.close_issue(&issue))),
        ("open_pull", reported(client.open_pull(repo, &new))),
        ("edit_pull", reported(client.edit_pull(repo, pull, "x"))),
        ("merge", reported(client.merge(repo, pull, &sha, MergeMethod::Merge))),
        ("create_label", reported(client.create_label(repo, &label))),
        ("edit_label", reported(client.edit_label(repo, &label))),
        ("create_branch", reported(client.create_branch(repo, &branch, &sha))),
    ]
}

fn reported<V>(answer: Answer<V>) -> Option<String> {
    match answer {
        Answer::Happened(_) => None,
        Answer::Refused(refusal) => Some(refusal.message),
        Answer::Later { why, .. } | Answer::Unknown { why } => Some(format!("later: {why}")),
    }
}

#[test]
fn every_write_outside_is_refused_before_anything_is_sent() {
    let world = World::new();
    let mut client = world.fenced_client(inside("try-"));
    world.take_counts();
    for (write, answer) in writes(&mut client, &repo()) {
        let why = answer.expect(write);
        let expected = "was not sent: acme/widgets is outside of the sandbox, which is the repositories of \
                        acme whose names begin with `try-`";
        assert!(why.ends_with(expected), "{write}: {why}");
    }
    assert_eq!(world.take_counts(), (std::collections::BTreeMap::new(), 0), "asked nothing at all");
    assert!(client.repository(&repo()).expect("an answer").is_some(), "reading is free");
}

#[test]
fn inside_everything_is_written_and_another_owner_is_outside() {
    let world = World::new();
    let new = NewIssue { title: "x".to_owned(), ..NewIssue::default() };
    world.act("acme", CreateIssue(new)).expect("an issue");
    let mut client = world.fenced_client(inside("wid"));
    assert_eq!(client.add_label(&key(1), "x"), Answer::Happened(()));
    world.model(|forge| {
        forge.create_user("zed");
        forge.create_repository(NewRepository::named("zed", "widgets")).expect("a repository");
    });
    world.take_counts();
    let other = RepoName::parse("zed/widgets").expect("a name");
    for (write, answer) in writes(&mut client, &other) {
        assert!(answer.is_some_and(|why| why.contains("outside of the sandbox")), "{write}");
    }
    assert!(world.take_counts().0.is_empty());
}
