//! How an issue came to its end, as its timeline tells over the forge's own REST layer.

use crate::town::{BOT_BRANCH, OWNER, REPO, Town, key, repo};
use ralph_core::ids::{Branch, PullNumber, RepoName, Sha};
use ralph_engine::ports::{ClosedBy, Forge, TimelineEntry};
use ralph_forge::{
    BranchCommit, Call, CloseReason, Content, GitCall, IssueCall, IssueEdit, MergeMethod,
    MergeOrder, NewIssue, NewPull, NewRepository, PullCall, Reply, Request, StateChange,
};

fn opened(town: &Town) -> u64 {
    let (title, body, labels) = ("A thing".to_owned(), String::new(), Vec::new());
    match town.act(OWNER, IssueCall::Create(NewIssue { title, body, labels })) {
        Ok(Reply::Issue(view)) => view.number,
        other => unreachable!("{other:?}"),
    }
}

fn commits(town: &Town, branch: &str, message: &str) -> Sha {
    let now = town.seconds();
    let content = Content::written([(format!("{message}.txt"), "x")]);
    let commit = BranchCommit { branch: branch.to_owned(), content, message: message.to_owned() };
    let made = town.model(|forge| forge.commit_on_branch(OWNER, now, REPO, commit));
    Sha::new(&made.expect("a commit").0.to_string())
}

/// A pull request with one commit of its own.
fn pulled(town: &Town, head: &str, base: &str, body: &str) -> u64 {
    let sha = town.model(|forge| forge.branch(REPO, base)).expect("a base");
    town.act(OWNER, GitCall::CreateRef { branch: head.to_owned(), sha }).expect("a branch");
    commits(town, head, head);
    let (title, body) = (head.to_owned(), body.to_owned());
    let (head, base) = (head.to_owned(), base.to_owned());
    match town.act(OWNER, PullCall::Create(NewPull { title, body, head, base, draft: false })) {
        Ok(Reply::Pull(view)) => view.summary.issue.number,
        other => unreachable!("{other:?}"),
    }
}

fn merges(town: &Town, number: u64) {
    town.settle();
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    town.act(OWNER, PullCall::Merge { number, order }).expect("a merge");
}

#[test]
fn merged_pull_requests_that_refer_to_an_issue_and_commits_that_close_it_are_told() {
    let town = Town::new();
    let issue = opened(&town);
    assert_eq!(town.client().timeline(&key(issue)), Ok(Vec::new()));
    let body = format!("Fixes #{issue}");
    let to_bot = pulled(&town, "first", BOT_BRANCH, &body);
    assert_eq!(town.client().timeline(&key(issue)), Ok(Vec::new()), "not merged yet");
    merges(&town, to_bot);
    let merged = TimelineEntry::MergedPull { number: PullNumber(to_bot), body };
    assert_eq!(town.client().timeline(&key(issue)), Ok(vec![merged.clone()]));
    let commit = commits(&town, "main", &format!("closes #{issue}"));
    let told = town.client().timeline(&key(issue)).expect("a timeline");
    assert_eq!(told, [merged, TimelineEntry::ClosedBy { commit }]);
}

#[test]
fn pull_requests_found_by_their_branch_say_whether_and_how_they_were_merged() {
    let town = Town::new();
    let number = pulled(&town, "first", "main", "");
    let found = |town: &Town| {
        let all = town.client().pulls_from(&repo(), &Branch::new("first"));
        let pull = all.expect("a list").remove(0);
        (pull.base.to_string(), pull.merged)
    };
    assert_eq!(found(&town), ("main".to_owned(), None));
    merges(&town, number);
    assert_eq!(found(&town), ("main".to_owned(), town.branch("main")));
}

#[test]
fn what_closed_an_issue_last_is_told_with_the_branches_that_brought_it() {
    let town = Town::new();
    let issue = opened(&town);
    let told = |town: &Town| town.client().closed_by(&key(issue)).expect("a timeline");
    let turns = |state| {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        town.act(OWNER, IssueCall::Edit { number: issue, edit }).expect("an edit");
    };
    assert_eq!(told(&town), ClosedBy::Untold);
    turns(StateChange::Close(CloseReason::Completed));
    assert_eq!(told(&town), ClosedBy::Person);
    turns(StateChange::Reopen);
    assert_eq!(told(&town), ClosedBy::Untold, "by now it is open");

    let to_bot = pulled(&town, "ralph/issue-9-x", BOT_BRANCH, "");
    commits(&town, "ralph/issue-9-x", &format!("closes #{issue}"));
    merges(&town, to_bot);
    assert_eq!(told(&town), ClosedBy::Untold, "not on the default branch");
    let (title, body) = ("Rollup".to_owned(), String::new());
    let (head, base) = (BOT_BRANCH.to_owned(), "main".to_owned());
    let opened = PullCall::Create(NewPull { title, body, head, base, draft: false });
    let Ok(Reply::Pull(rollup)) = town.act(OWNER, opened) else { unreachable!() };
    merges(&town, rollup.summary.issue.number);
    let ClosedBy::Commit(brought) = told(&town) else { unreachable!("{:?}", told(&town)) };
    let by = |branch: &str| brought.contains(&(repo(), Branch::new(branch)));
    assert!(by("ralph/issue-9-x") && by(BOT_BRANCH), "{brought:?}");

    turns(StateChange::Reopen);
    commits(&town, "main", &format!("fixes #{issue}"));
    assert_eq!(told(&town), ClosedBy::Commit(Vec::new()), "pushed by a person");
}

#[test]
fn a_commit_of_another_repository_that_closed_an_issue_is_looked_up_where_it_is() {
    let town = Town::new();
    let issue = opened(&town);
    let lib = RepoName::parse("acme/lib").expect("a name");
    let acts = |call: Call| {
        let request = Request::on(lib.as_str(), call);
        let now = town.seconds();
        town.model(|forge| forge.handle(OWNER, now, request).0).expect("an answer")
    };
    let new = NewRepository::named(OWNER, "lib");
    town.model(|forge| forge.create_repository(new)).expect("a repository");
    let sha = town.model(|forge| forge.branch(lib.as_str(), "main")).expect("a branch");
    let (head, base) = ("ralph/issue-3-x".to_owned(), "main".to_owned());
    acts(GitCall::CreateRef { branch: head.clone(), sha }.into());
    let (branch, message) = (head.clone(), format!("closes {REPO}#{issue}"));
    let commit = BranchCommit { branch, content: Content::written([("a.txt", "x")]), message };
    let now = town.seconds();
    let made = town.model(|forge| forge.commit_on_branch(OWNER, now, lib.as_str(), commit));
    made.expect("a commit");
    let (title, body, draft) = ("Task".to_owned(), String::new(), false);
    let new = NewPull { title, body, head: head.clone(), base, draft };
    let Reply::Pull(pull) = acts(PullCall::Create(new).into()) else { unreachable!() };
    town.settle();
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    acts(PullCall::Merge { number: pull.summary.issue.number, order }.into());
    let told = town.client().closed_by(&key(issue)).expect("a timeline");
    assert_eq!(told, ClosedBy::Commit(vec![(lib.clone(), Branch::new(&head))]));
}
