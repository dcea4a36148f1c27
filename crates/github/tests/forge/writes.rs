//! Every write of the port over the forge's own REST layer, and what the model shows afterwards.

use crate::world::{BOT, BOT_BRANCH, OWNER, REPO, World, key, repo};
use ralph_core::ids::{Branch, CommentId, Login, PullNumber, Sha};
use ralph_core::policy::MergeMethod;
use ralph_core::pull::PullState;
use ralph_core::time::{Span, Time};
use ralph_engine::ports::{Answer, Forge, LabelDefinition, NewPull, RefusalKind};
use ralph_forge::{BranchCommit, Content, CreateIssue, GetIssue, GetPull, IssueState, NewIssue};

fn town_with_issue() -> World {
    let world = World::new();
    let new = NewIssue { title: "x".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(new)).expect("an issue");
    world
}

fn kind<V: std::fmt::Debug>(answer: Answer<V>) -> Option<RefusalKind> {
    let Answer::Refused(refusal) = answer else { unreachable!("not refused: {answer:?}") };
    Some(refusal.kind)
}

fn labels(world: &World) -> Vec<String> {
    match world.look(GetIssue { number: 1 }) {
        Ok(view) => view.labels.iter().map(|label| label.name.clone()).collect(),
        other => unreachable!("{other:?}"),
    }
}

#[test]
fn labels_come_and_go_and_what_is_missing_or_there_is_told_apart() {
    let world = town_with_issue();
    let mut client = world.client();
    let label = |color: &str| LabelDefinition {
        name: "ralph:status:in-progress".to_owned(),
        color: color.to_owned(),
        description: "Ralph owns it: \"working\"".to_owned(),
    };
    assert_eq!(client.create_label(&repo(), &label("FBCA04")), Answer::Happened(()));
    assert_eq!(kind(client.create_label(&repo(), &label("FBCA04"))), Some(RefusalKind::Exists));
    assert_eq!(client.edit_label(&repo(), &label("000000")), Answer::Happened(()));
    let found = client.labels(&repo()).expect("labels");
    let found = found.into_iter().find(|found| found.name == label("").name).expect("the label");
    assert_eq!((found.color.as_str(), found.description), ("000000", label("").description));
    let absent = LabelDefinition { name: "absent".to_owned(), ..label("000000") };
    assert_eq!(kind(client.edit_label(&repo(), &absent)), Some(RefusalKind::Missing));
    assert_eq!(client.add_label(&key(1), "ralph:status:in-progress"), Answer::Happened(()));
    assert_eq!(client.add_label(&key(1), "a/b c?"), Answer::Happened(()));
    assert_eq!(labels(&world), ["ralph:status:in-progress", "a/b c?"]);
    assert_eq!(client.remove_label(&key(1), "a/b c?"), Answer::Happened(()));
    assert_eq!(kind(client.remove_label(&key(1), "a/b c?")), Some(RefusalKind::Missing));
    assert_eq!(labels(&world), ["ralph:status:in-progress"]);
    assert_eq!(kind(client.add_label(&key(99), "x")), Some(RefusalKind::Missing));
}

#[test]
fn comments_are_written_edited_and_missed() {
    let world = town_with_issue();
    let mut client = world.client();
    let text = format!("<!-- ralph-cmd:id=1 -->\n\"🦀\" $(x)\r\n{}", "0123456789".repeat(6_000));
    let Answer::Happened(id) = client.create_comment(&key(1), &text) else {
        unreachable!("no comment")
    };
    let comments = client.comments_since(&key(1), world.now()).expect("comments");
    assert_eq!(
        comments.first().map(|found| (found.id, found.body.as_str())),
        Some((id, text.as_str()))
    );
    assert_eq!(comments.first().map(|found| found.author.as_str()), Some(BOT));
    assert_eq!(client.edit_comment(&key(1), id, "other"), Answer::Happened(()));
    let comments = client.comments_since(&key(1), world.now()).expect("comments");
    assert_eq!(comments.first().map(|found| found.body.as_str()), Some("other"));
    assert_eq!(
        kind(client.edit_comment(&key(1), CommentId(u64::MAX >> 12), "x")),
        Some(RefusalKind::Missing)
    );
}

#[test]
fn an_issue_is_opened_found_among_those_of_its_author_and_edited() {
    let world = town_with_issue();
    let mut client = world.client();
    let body = "<!-- ralph-quarantine:id=0a -->\n\"🦀\" $(x)\r\n";
    let opened = client.open_issue(&repo(), "A \"title\" 🦀", body);
    assert_eq!(opened, Answer::Happened(2));
    branch(&world, "ralph/issue-1");
    let (from, to) = (Branch::new("ralph/issue-1"), Branch::new("main"));
    let new = NewPull { head: &from, base: &to, title: "x", body };
    assert!(matches!(client.open_pull(&repo(), &new), Answer::Happened(_)));
    let written = |client: &mut ralph_github::Client<World>, who: &str, since: Time| {
        let found = client.issues_by(&repo(), &Login::new(who), since).expect("a list");
        found.into_iter().map(|issue| (issue.key.number, issue.body)).collect::<Vec<_>>()
    };
    let now = world.now();
    assert_eq!(written(&mut client, BOT, now), [(2, body.to_owned())], "a pull request is none");
    assert_eq!(written(&mut client, OWNER, now), [(1, String::new())]);
    assert_eq!(written(&mut client, BOT, now.plus(Span::from_mins(1))), []);
    assert_eq!(client.close_issue(&key(2)), Answer::Happened(()));
    assert_eq!(client.edit_issue(&key(2), "other"), Answer::Happened(()));
    assert_eq!(written(&mut client, BOT, now), [(2, "other".to_owned())], "closed ones too");
    assert_eq!(kind(client.edit_issue(&key(99), "x")), Some(RefusalKind::Missing));
}

/// A branch with one commit on top of the bot branch, made through the client.
fn branch(world: &World, name: &str) -> Sha {
    let base = world.branch(BOT_BRANCH).expect("a bot branch");
    assert_eq!(
        world.client().create_branch(&repo(), &Branch::new(name), &base),
        Answer::Happened(())
    );
    let now = world.seconds();
    let content = Content::written([(format!("{name}.txt"), "x")]);
    let new = BranchCommit { branch: name.to_owned(), content, message: "x".to_owned() };
    let made = world.model(|forge| forge.commit_on_branch(BOT, now, REPO, new));
    Sha::new(&made.expect("a commit").0.to_string())
}

#[test]
fn a_pull_request_is_opened_once_and_merged_at_the_head_that_was_meant() {
    let world = town_with_issue();
    let mut client = world.client();
    let head = branch(&world, "ralph/issue-1");
    let (from, to) = (Branch::new("ralph/issue-1"), Branch::new("main"));
    let new = NewPull { head: &from, base: &to, title: "A \"title\" 🦀", body: "Fixes #1\n" };
    let Answer::Happened(pull) = client.open_pull(&repo(), &new) else {
        unreachable!("no pull request")
    };
    assert_eq!(
        (pull.number, pull.head, pull.state),
        (PullNumber(2), head.clone(), PullState::Open)
    );
    assert_eq!(kind(client.open_pull(&repo(), &new)), Some(RefusalKind::Exists));
    let absent = Branch::new("absent");
    assert_eq!(
        kind(client.open_pull(&repo(), &NewPull { head: &absent, ..new })),
        Some(RefusalKind::Other)
    );
    assert_eq!(client.edit_pull(&repo(), PullNumber(2), "Changed"), Answer::Happened(()));
    let found = client.pulls_from(&repo(), &from).expect("a list");
    assert_eq!(found.first().map(|pull| pull.body.as_str()), Some("Changed"));
    let other = world.branch("main").expect("a head");
    let merge = |client: &mut ralph_github::Client<World>, head: &Sha| {
        client.merge(&repo(), PullNumber(2), head, MergeMethod::Squash)
    };
    assert_eq!(kind(merge(&mut client, &other)), Some(RefusalKind::Other));
    let Answer::Happened(commit) = merge(&mut client, &head) else { unreachable!("not merged") };
    assert_eq!(Some(&commit), world.branch("main").as_ref());
    let merged = client.pull(&repo(), PullNumber(2)).expect("a read").expect("a pull request");
    assert_eq!(merged.state, PullState::Merged { commit });
    assert_eq!(kind(merge(&mut client, &head)), Some(RefusalKind::Other));
    let Ok(_) = world.look(GetPull { number: 2 }) else { unreachable!("gone") };
}

#[test]
fn a_branch_that_is_behind_is_brought_up_to_date_if_its_head_is_the_one_that_was_meant() {
    let world = town_with_issue();
    let mut client = world.client();
    let head = branch(&world, "ralph/issue-1");
    let (from, to) = (Branch::new("ralph/issue-1"), Branch::new(BOT_BRANCH));
    let new = NewPull { head: &from, base: &to, title: "x", body: "Fixes #1\n" };
    assert!(matches!(client.open_pull(&repo(), &new), Answer::Happened(_)));
    let pull = PullNumber(2);
    assert_eq!(kind(client.update_branch(&repo(), pull, &head)), Some(RefusalKind::Other));

    let content = Content::written([("other.txt", "x")]);
    let (branch, message) = (BOT_BRANCH.to_owned(), "x".to_owned());
    let moved = BranchCommit { branch, content, message };
    let now = world.seconds();
    world.model(|forge| forge.commit_on_branch(OWNER, now, REPO, moved)).expect("a commit");
    let base = world.branch(BOT_BRANCH).expect("a head");
    assert_eq!(kind(client.update_branch(&repo(), pull, &base)), Some(RefusalKind::Other));
    assert_eq!(client.update_branch(&repo(), pull, &head), Answer::Happened(()));
    world.settle();
    let updated = client.pull(&repo(), pull).expect("a read").expect("a pull request").head;
    assert_ne!(updated, head);
    for part in [&head, &base] {
        assert_eq!(client.contains(&repo(), &updated, part), Ok(true));
    }
}

#[test]
fn a_branch_is_made_once_and_an_issue_closed_as_completed() {
    let world = town_with_issue();
    let mut client = world.client();
    let at = world.branch("main").expect("a head");
    let new = Branch::new("bot/new");
    assert_eq!(client.create_branch(&repo(), &new, &at), Answer::Happened(()));
    assert_eq!(world.branch("bot/new"), Some(at.clone()));
    assert_eq!(kind(client.create_branch(&repo(), &new, &at)), Some(RefusalKind::Exists));
    assert_eq!(client.delete_branch(&repo(), &new), Answer::Happened(()));
    assert_eq!(world.branch("bot/new"), None);
    assert_eq!(kind(client.delete_branch(&repo(), &new)), Some(RefusalKind::Missing));
    assert_eq!(client.close_issue(&key(1)), Answer::Happened(()));
    let Ok(view) = world.look(GetIssue { number: 1 }) else { unreachable!("gone") };
    let IssueState::Closed { .. } = view.state else { unreachable!("open") };
    assert_eq!(client.close_issue(&key(1)), Answer::Happened(()));
}

#[test]
fn without_rights_nothing_is_written_and_with_a_wrong_token_everything_waits() {
    let world = town_with_issue();
    let mut stranger = world.client_of(crate::world::STRANGER);
    assert!(kind(stranger.add_label(&key(1), "x")).is_some());
    assert_eq!(labels(&world), Vec::<String>::new());
    let mut nobody = world.client_of("nobody-the-forge-knows");
    let Answer::Later { until, why } = nobody.add_label(&key(1), "x") else { unreachable!("sent") };
    assert!(until.is_some() && why.contains("401"), "{why}");
}

#[test]
fn a_trial_is_a_draft_that_nobody_merges_and_is_closed_again() {
    let world = town_with_issue();
    let mut client = world.client();
    let head = branch(&world, "ralph/trial/1");
    let (from, to) = (Branch::new("ralph/trial/1"), Branch::new("main"));
    let new = NewPull { head: &from, base: &to, title: "x", body: "" };
    let Answer::Happened(pull) = client.open_draft(&repo(), &new) else {
        unreachable!("no pull request")
    };
    let Ok(view) = world.look(GetPull { number: 2 }) else { unreachable!("gone") };
    assert!(view.summary.draft);
    let merged = client.merge(&repo(), pull.number, &head, MergeMethod::Merge);
    assert_eq!(kind(merged), Some(RefusalKind::Other));
    for _ in 0..2 {
        assert_eq!(client.close_pull(&repo(), pull.number), Answer::Happened(()));
    }
    let closed = client.pull(&repo(), pull.number).expect("a read").expect("a pull request");
    assert_eq!(closed.state, PullState::Closed);
}

#[test]
fn the_tree_of_a_commit_is_told_and_a_commit_that_is_not_there_has_none() {
    let world = town_with_issue();
    let mut client = world.client();
    let head = world.branch("main").expect("a head");
    let at = head.as_str().parse().expect("a commit");
    let tree = world.model(|forge| forge.find_commit(REPO, at)).map(|found| found.tree.to_string());
    assert!(tree.is_some());
    assert_eq!(client.tree_of(&repo(), &head), Ok(tree));
    let absent = Sha::new("0123456789012345678901234567890123456789");
    assert_eq!(client.tree_of(&repo(), &absent), Ok(None));
}
