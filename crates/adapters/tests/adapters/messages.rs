//! Words in an agent's commit messages that a forge acts on, before these commits leave the machine.

use crate::stage::{BASE, BRANCH, Stage, changed, git};
use ralph_core::ids::{Branch, Sha};
use ralph_engine::ports::{Answer, Workspaces as _};

fn messages(stage: &Stage, head: &Sha) -> String {
    let range = format!("{BASE}..{head}");
    git(&stage.mirror(), &["log", "--reverse", "--format=%B%x00", &range])
}

fn push(stage: &mut Stage, commit: &Sha) -> Answer<()> {
    let (issue, path) = (stage.issue.clone(), stage.worktree());
    stage.adapters.workspaces.push(&issue, &path, &Branch::new(BRANCH), commit)
}

#[test]
fn closing_words_and_tags_are_defused_and_the_rest_of_the_commits_stays() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement(
        "set -e; export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.org GIT_AUTHOR_DATE='1700000000 +0100'\n\
         echo one > a.txt; git add -A; git commit -qm 'One, which stays'\n\
         echo two > a.txt; git commit -qam 'Two' -m 'Closes #2 and Fixes other/repo#1 [skip ci]'\n\
         echo three > a.txt; git commit -qam 'Three' -m 'skip-checks: true'; echo left > b.txt",
    ));
    let said = messages(&stage, &head.commit);
    assert!(said.contains("One, which stays"), "{said}");
    assert!(said.contains("Closes issue #2 and Fixes issue other/repo#1 (skip ci)"), "{said}");
    assert!(said.contains("skip-checks is true"), "{said}");
    let shown = |what: &str| {
        let format = format!("--format={what}");
        git(&stage.mirror(), &["show", "-s", &format, &format!("{}~1", head.commit)])
    };
    assert_eq!(shown("%an %ae %at").trim(), "Ann ann@example.org 1700000000");
    let worktree = stage.worktree_path();
    assert_eq!(git(&worktree, &["rev-parse", BRANCH]).trim(), head.commit.as_str());
    assert_eq!(git(&worktree, &["status", "--porcelain"]), "");
    assert_eq!(git(&worktree, &["log", "-1", "--format=%T"]).trim(), head.tree);

    // What was pushed is never written again, and the next turn goes on from it.
    assert_eq!(push(&mut stage, &head.commit), Answer::Happened(()));
    let next = changed(stage.implement("echo four > a.txt; git commit -qam 'resolved: GH-9'"));
    let parent = git(&stage.mirror(), &["rev-parse", &format!("{}~1", next.commit)]);
    assert_eq!(parent.trim(), head.commit.as_str());
    assert!(messages(&stage, &next.commit).contains("resolved: issue GH-9"));
    assert_eq!(push(&mut stage, &next.commit), Answer::Happened(()), "without force");
}

#[test]
fn commits_without_such_words_are_taken_as_they_are() {
    let mut stage = Stage::new();
    stage.prepare();
    let script =
        "echo one > a.txt; git add -A; git commit -qm 'See #2'; git rev-parse HEAD > tip.txt";
    let head = changed(stage.implement(script));
    let first = git(&stage.mirror(), &["show", &format!("{}:tip.txt", head.commit)]);
    let parent = git(&stage.mirror(), &["rev-parse", &format!("{}~1", head.commit)]);
    assert_eq!(parent, first);
}

/// Every new commit as it is stored, with any encoding in its headers.
fn stored(stage: &Stage, head: &Sha) -> String {
    let range = format!("{BASE}..{head}");
    let commits = git(&stage.mirror(), &["rev-list", &range]);
    let raw = commits.lines().map(|commit| git(&stage.mirror(), &["cat-file", "commit", commit]));
    raw.collect()
}

#[test]
fn a_header_that_names_another_encoding_hides_no_words() {
    for encoding in ["IBM037", "UTF-16", "UTF-7", "none-such"] {
        let mut stage = Stage::new();
        stage.prepare();
        let script = format!(
            "echo one > a.txt; git add -A; git -c i18n.commitEncoding={encoding} commit -qm 'Closes #2 [skip ci]'"
        );
        let head = changed(stage.implement(&script));
        let stored = stored(&stage, &head.commit);
        assert!(stored.contains("Closes issue #2 (skip ci)"), "{encoding}: {stored}");
        assert!(!stored.contains("Closes #2"), "{encoding}: {stored}");
    }
}

#[test]
fn a_message_in_another_encoding_stays_readable() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement(
        "echo one > a.txt; git add -A\n\
         printf 'Gr\\374\\337e, closes #2\\n' | git -c i18n.commitEncoding=ISO-8859-1 commit -qF -",
    ));
    let said = messages(&stage, &head.commit);
    assert!(said.contains("Grüße, closes issue #2"), "{said}");
}

/// A squashed merge names the authors of its commits in its message.
#[test]
fn names_of_authors_are_defused_too() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement(
        "export GIT_AUTHOR_NAME='Fixes #3 [skip ci]' GIT_AUTHOR_EMAIL='closes #4' GIT_AUTHOR_DATE='1700000000 +0100'\n\
         echo one > a.txt; git add -A; git commit -qm 'Harmless'",
    ));
    let stored = stored(&stage, &head.commit);
    let author = "author Fixes issue #3 (skip ci) <closes issue #4> 1700000000 +0100\n";
    assert!(stored.contains(author), "{stored}");
    assert!(stored.contains("\n\nHarmless\n"), "{stored}");
}
