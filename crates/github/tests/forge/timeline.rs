//! How an issue came to its end, as its timeline tells over the forge's own REST layer.

use crate::town::{BOT_BRANCH, OWNER, REPO, Town, key, repo};
use ralph_core::ids::{PullNumber, Sha};
use ralph_engine::ports::{Forge, TimelineEntry};
use ralph_forge::{
    BranchCommit, Content, GitCall, IssueCall, MergeMethod, MergeOrder, NewIssue, NewPull,
    PullCall, Reply,
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
        let all = town.client().pulls_from(&repo(), &ralph_core::ids::Branch::new("first"));
        let pull = all.expect("a list").remove(0);
        (pull.base.to_string(), pull.merged)
    };
    assert_eq!(found(&town), ("main".to_owned(), None));
    merges(&town, number);
    assert_eq!(found(&town), ("main".to_owned(), town.branch("main")));
}
