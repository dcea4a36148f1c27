//! Whether the default branch has anything for the bot branch, after each way in which a rollup can be merged.

use crate::town::{BOT_BRANCH, OWNER, REPO, Town, repo};
use ralph_core::ids::Sha;
use ralph_engine::ports::Forge;
use ralph_forge::{BranchCommit, Content, MergeMethod, MergeOrder, NewPull, PullCall, Reply};

/// A person's commit.
fn commits(town: &Town, branch: &str, path: &str) {
    let now = town.seconds();
    let commit = BranchCommit {
        branch: branch.to_owned(),
        content: Content::written([(path, "text")]),
        message: "A change".to_owned(),
    };
    town.model(|forge| forge.commit_on_branch(OWNER, now, REPO, commit)).expect("a commit");
}

/// The bot branch is rolled up in this way.
fn rolls_up(town: &Town, method: MergeMethod) {
    let (title, body) = ("Rollup".to_owned(), String::new());
    let (head, base) = (BOT_BRANCH.to_owned(), "main".to_owned());
    let new = NewPull { title, body, head, base, draft: false };
    let Ok(Reply::Pull(view)) = town.act(OWNER, PullCall::Create(new)) else {
        unreachable!("a pull request")
    };
    town.settle();
    let number = view.summary.issue.number;
    let order = MergeOrder { method, expected_head: None, message: None };
    town.act(OWNER, PullCall::Merge { number, order }).expect("a merge");
}

fn has_news(town: &Town) -> bool {
    let (bot, main) = (town.branch(BOT_BRANCH), town.branch("main"));
    let (bot, main) = bot.zip(main).expect("both branches");
    town.client().brings_changes(&repo(), &bot, &main).expect("an answer")
}

#[test]
fn a_commit_of_the_default_branch_is_news_for_the_bot_branch() {
    let town = Town::new();
    assert!(!has_news(&town), "the same commit");
    commits(&town, BOT_BRANCH, "task.txt");
    assert!(!has_news(&town), "the bot branch is ahead");
    commits(&town, "main", "docs.txt");
    assert!(has_news(&town));
}

#[test]
fn a_rollup_is_news_unless_it_was_merged_by_a_merge_commit() {
    for (method, is_news) in
        [(MergeMethod::Merge, false), (MergeMethod::Squash, true), (MergeMethod::Rebase, true)]
    {
        let town = Town::new();
        commits(&town, BOT_BRANCH, "task.txt");
        rolls_up(&town, method);
        assert_eq!(has_news(&town), is_news, "{method:?}");
        commits(&town, "main", "docs.txt");
        assert!(has_news(&town), "{method:?}, and a person's commit");
    }
}

#[test]
fn a_commit_that_the_forge_does_not_know_yet_is_no_answer() {
    let town = Town::new();
    let main = town.branch("main").expect("a default branch");
    let unknown = Sha::new("0123456789012345678901234567890123456789");
    assert!(town.client().brings_changes(&repo(), &main, &unknown).is_err());
}
