//! The reason why an issue was closed, read from its timeline over the forge's own REST layer.

use crate::world::{BOT_BRANCH, OWNER, REPO, World, key, repo};
use ralph_core::ids::{Branch, PullNumber, RepoName, Sha};
use ralph_engine::ports::{ClosedBy, Forge, TimelineEntry};
use ralph_forge::{
    BranchCommit, CloseReason, Content, CreateBranch, CreateIssue, CreatePull, EditIssue,
    IssueEdit, MergeMethod, MergeOrder, MergePull, NewIssue, NewPull, NewRepository, Operation,
    StateChange, on,
};

fn opened(world: &World) -> u64 {
    let (title, body, labels) = ("A thing".to_owned(), String::new(), Vec::new());
    match world.act(OWNER, CreateIssue(NewIssue { title, body, labels })) {
        Ok(view) => view.number,
        other => unreachable!("{other:?}"),
    }
}

fn commits(world: &World, branch: &str, message: &str) -> Sha {
    let now = world.seconds();
    let content = Content::written([(format!("{message}.txt"), "x")]);
    let commit = BranchCommit { branch: branch.to_owned(), content, message: message.to_owned() };
    let made = world.model(|forge| forge.commit_on_branch(OWNER, now, REPO, commit));
    Sha::new(&made.expect("a commit").0.to_string())
}

/// A pull request with one commit.
fn pulled(world: &World, head: &str, base: &str, body: &str) -> u64 {
    let sha = world.model(|forge| forge.branch(REPO, base)).expect("a base");
    world.act(OWNER, CreateBranch { branch: head.to_owned(), sha }).expect("a branch");
    commits(world, head, head);
    let (title, body) = (head.to_owned(), body.to_owned());
    let (head, base) = (head.to_owned(), base.to_owned());
    match world.act(OWNER, CreatePull(NewPull { title, body, head, base, draft: false })) {
        Ok(view) => view.summary.issue.number,
        other => unreachable!("{other:?}"),
    }
}

fn merges(world: &World, number: u64) {
    world.settle();
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    world.act(OWNER, MergePull { number, order }).expect("a merge");
}

#[test]
fn merged_pull_requests_that_refer_to_an_issue_and_commits_that_close_it_are_told() {
    let world = World::new();
    let issue = opened(&world);
    assert_eq!(world.client().timeline(&key(issue)), Ok(Vec::new()));
    let body = format!("Fixes #{issue}");
    let to_bot = pulled(&world, "first", BOT_BRANCH, &body);
    assert_eq!(world.client().timeline(&key(issue)), Ok(Vec::new()), "not merged yet");
    merges(&world, to_bot);
    let merged = TimelineEntry::MergedPull { number: PullNumber(to_bot), body };
    assert_eq!(world.client().timeline(&key(issue)), Ok(vec![merged.clone()]));
    let commit = commits(&world, "main", &format!("closes #{issue}"));
    let reported = world.client().timeline(&key(issue)).expect("a timeline");
    assert_eq!(reported, [merged, TimelineEntry::ClosedBy { commit }]);
}

#[test]
fn pull_requests_found_by_their_branch_say_whether_and_how_they_were_merged() {
    let world = World::new();
    let number = pulled(&world, "first", "main", "");
    let found = |world: &World| {
        let all = world.client().pulls_from(&repo(), &Branch::new("first"));
        let pull = all.expect("a list").remove(0);
        (pull.base.to_string(), pull.merged)
    };
    assert_eq!(found(&world), ("main".to_owned(), None));
    merges(&world, number);
    assert_eq!(found(&world), ("main".to_owned(), world.branch("main")));
}

#[test]
fn what_closed_an_issue_last_is_told_with_the_branches_that_brought_it() {
    let world = World::new();
    let issue = opened(&world);
    let reported = |world: &World| world.client().closed_by(&key(issue)).expect("a timeline");
    let turns = |state| {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        world.act(OWNER, EditIssue { number: issue, edit }).expect("an edit");
    };
    assert_eq!(reported(&world), ClosedBy::Untold);
    turns(StateChange::Close(CloseReason::Completed));
    assert_eq!(reported(&world), ClosedBy::Person);
    turns(StateChange::Reopen);
    assert_eq!(reported(&world), ClosedBy::Untold, "by now it is open");

    let to_bot = pulled(&world, "ralph/issue-9-x", BOT_BRANCH, "");
    commits(&world, "ralph/issue-9-x", &format!("closes #{issue}"));
    merges(&world, to_bot);
    assert_eq!(reported(&world), ClosedBy::Untold, "not on the default branch");
    let (title, body) = ("Rollup".to_owned(), String::new());
    let (head, base) = (BOT_BRANCH.to_owned(), "main".to_owned());
    let opened = CreatePull(NewPull { title, body, head, base, draft: false });
    let Ok(rollup) = world.act(OWNER, opened) else { unreachable!() };
    merges(&world, rollup.summary.issue.number);
    let ClosedBy::Commit(brought) = reported(&world) else {
        unreachable!("{:?}", reported(&world))
    };
    let by = |branch: &str| brought.contains(&(repo(), Branch::new(branch)));
    assert!(by("ralph/issue-9-x") && by(BOT_BRANCH), "{brought:?}");

    turns(StateChange::Reopen);
    commits(&world, "main", &format!("fixes #{issue}"));
    assert_eq!(reported(&world), ClosedBy::Commit(Vec::new()), "pushed by a person");
}

fn act_in<O: Operation>(world: &World, repo: &RepoName, operation: O) -> O::Reply {
    let (now, request) = (world.seconds(), on(repo.as_str(), operation));
    world.model(|forge| forge.handle(OWNER, now, request).0).expect("an answer")
}

#[test]
fn a_commit_of_another_repository_that_closed_an_issue_is_looked_up_where_it_is() {
    let world = World::new();
    let issue = opened(&world);
    let lib = RepoName::parse("acme/lib").expect("a name");
    let new = NewRepository::named(OWNER, "lib");
    world.model(|forge| forge.create_repository(new)).expect("a repository");
    let sha = world.model(|forge| forge.branch(lib.as_str(), "main")).expect("a branch");
    let (head, base) = ("ralph/issue-3-x".to_owned(), "main".to_owned());
    act_in(&world, &lib, CreateBranch { branch: head.clone(), sha });
    let (branch, message) = (head.clone(), format!("closes {REPO}#{issue}"));
    let commit = BranchCommit { branch, content: Content::written([("a.txt", "x")]), message };
    let now = world.seconds();
    let made = world.model(|forge| forge.commit_on_branch(OWNER, now, lib.as_str(), commit));
    made.expect("a commit");
    let (title, body, draft) = ("Task".to_owned(), String::new(), false);
    let new = NewPull { title, body, head: head.clone(), base, draft };
    let pull = act_in(&world, &lib, CreatePull(new));
    world.settle();
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    act_in(&world, &lib, MergePull { number: pull.summary.issue.number, order });
    let reported = world.client().closed_by(&key(issue)).expect("a timeline");
    assert_eq!(reported, ClosedBy::Commit(vec![(lib, Branch::new(&head))]));
}
