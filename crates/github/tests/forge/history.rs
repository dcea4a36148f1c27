//! The commits of the default branch that the bot branch lacks, after each way to merge a rollup.

use crate::world::{BOT_BRANCH, OWNER, REPO, World, repo};
use ralph_core::ids::Sha;
use ralph_engine::ports::Forge;
use ralph_forge::{BranchCommit, Content, CreatePull, MergeMethod, MergeOrder, MergePull, NewPull};

/// A person's commit.
fn commits(world: &World, branch: &str, path: &str) {
    let now = world.seconds();
    let commit = BranchCommit {
        branch: branch.to_owned(),
        content: Content::written([(path, "text")]),
        message: "A change".to_owned(),
    };
    world.model(|forge| forge.commit_on_branch(OWNER, now, REPO, commit)).expect("a commit");
}

/// The bot branch is rolled up in this way.
fn rolls_up(world: &World, method: MergeMethod) {
    let (title, body) = ("Rollup".to_owned(), String::new());
    let (head, base) = (BOT_BRANCH.to_owned(), "main".to_owned());
    let new = NewPull { title, body, head, base, draft: false };
    let Ok(view) = world.act(OWNER, CreatePull(new)) else { unreachable!("a pull request") };
    world.settle();
    let number = view.summary.issue.number;
    let order = MergeOrder { method, expected_head: None, message: None };
    world.act(OWNER, MergePull { number, order }).expect("a merge");
}

fn has_news(world: &World) -> bool {
    let (bot, main) = (world.branch(BOT_BRANCH), world.branch("main"));
    let (bot, main) = bot.zip(main).expect("both branches");
    world.client().brings_changes(&repo(), &bot, &main).expect("an answer")
}

#[test]
fn a_commit_of_the_default_branch_is_news_for_the_bot_branch() {
    let world = World::new();
    assert!(!has_news(&world), "the same commit");
    commits(&world, BOT_BRANCH, "task.txt");
    assert!(!has_news(&world), "the bot branch is ahead");
    commits(&world, "main", "docs.txt");
    assert!(has_news(&world));
}

#[test]
fn a_rollup_is_news_unless_it_was_merged_by_a_merge_commit() {
    for (method, is_news) in
        [(MergeMethod::Merge, false), (MergeMethod::Squash, true), (MergeMethod::Rebase, true)]
    {
        let world = World::new();
        commits(&world, BOT_BRANCH, "task.txt");
        rolls_up(&world, method);
        assert_eq!(has_news(&world), is_news, "{method:?}");
        commits(&world, "main", "docs.txt");
        assert!(has_news(&world), "{method:?}, and a person's commit");
    }
}

#[test]
fn a_commit_that_the_forge_does_not_know_yet_is_no_answer() {
    let world = World::new();
    let main = world.branch("main").expect("a default branch");
    let unknown = Sha::new("0123456789012345678901234567890123456789");
    assert!(world.client().brings_changes(&repo(), &main, &unknown).is_err());
}
