//! A conflict with the base: laid out for an agent, and taken from it only as a merge with nothing open in it.

use crate::stage::{BASE, BRANCH, Stage, changed, commit_to_forge, git};
use ralph_core::fact::{Answer, ConflictAt, Outcome};
use ralph_core::ids::Sha;
use ralph_core::job::{Job, Role, Turn};
use ralph_core::run::Head;
use std::fs;

/// Both sides have changed the same line, and the base more than that.
fn conflicting() -> (Stage, ConflictAt) {
    let theirs = [
        ("src/one.txt", "one\ntheirs\nthree\n"),
        ("notes.log", "kept\n"),
        (".gitignore", "*.log\nignored/\n"),
    ];
    meeting("printf 'one\\nours\\nthree\\n' > src/one.txt; echo x > ours.txt", &theirs)
}

fn meeting(ours: &str, theirs: &[(&str, &str)]) -> (Stage, ConflictAt) {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement(ours));
    for (file, text) in theirs {
        commit_to_forge(&stage, BASE, file, text);
    }
    let outcome = stage.run(&stage.prepare_job(), "");
    let Outcome::WorkspaceConflict { at: Some(at), .. } = outcome else {
        panic!("no conflict: {outcome:?}")
    };
    assert_eq!((&at.head.commit, &at.head.diff), (&head.commit, &head.diff));
    let base = git(&stage.forge(), &["rev-parse", BASE]);
    assert_eq!(at.base.as_str(), base.trim());
    (stage, *at)
}

/// The agent does this about the conflict.
fn does(stage: &mut Stage, at: &ConflictAt, script: &str) -> Outcome {
    stage.script(script);
    let turn = stage.turn(Role::MergeConflict, &at.base, Some(&at.head));
    let turn = Turn { merging: Some(at.base.clone()), ..turn };
    stage.run(&Job::Turn(Box::new(turn)), "Resolve it")
}

fn unresolved(outcome: Outcome) -> Vec<String> {
    let Outcome::Turn { answer: Answer::Unresolved { files }, .. } = outcome else {
        panic!("resolved: {outcome:?}")
    };
    files
}

fn parents_of(stage: &Stage, head: &Sha) -> Vec<String> {
    let line = git(&stage.mirror(), &["rev-list", "--parents", "--max-count=1", head.as_str()]);
    line.split_whitespace().skip(1).map(str::to_owned).collect()
}

fn is_the_merge(stage: &Stage, at: &ConflictAt, head: &Head) {
    let both = [at.head.commit.to_string(), at.base.to_string()];
    assert_eq!(parents_of(stage, &head.commit), both);
    assert_eq!(git(&stage.worktree_path(), &["status", "--porcelain"]), "");
    let work = format!("refs/ralph/work/{BRANCH}");
    assert_eq!(git(&stage.mirror(), &["rev-parse", &work]).trim(), head.commit.as_str());
}

/// Fails unless the marks are there, then resolves the conflict.
const RESOLVE: &str = "set -e; grep -q '^<<<<<<<' src/one.txt; test -f ours.txt; test -f notes.log\n\
                       printf 'one\\nboth\\nthree\\n' > src/one.txt\n";

#[test]
fn what_a_turn_leaves_becomes_a_merge_of_both_sides() {
    let (mut stage, at) = conflicting();
    let head = changed(does(&mut stage, &at, RESOLVE));
    is_the_merge(&stage, &at, &head);
    let files = git(&stage.mirror(), &["ls-tree", "-r", "--name-only", head.commit.as_str()]);
    let files: Vec<_> = files.lines().collect();
    let all = [".gitignore", "README.md", "notes.log", "ours.txt", "src/one.txt"];
    assert_eq!(files, all, "also the file that the base has and ignores");
    let changes = format!("{}...{}", at.base, head.commit);
    let changes = git(&stage.mirror(), &["diff", "--name-only", &changes]);
    assert_eq!(changes, "ours.txt\nsrc/one.txt\n");
}

#[test]
fn an_agent_may_make_the_merge_itself() {
    let (mut stage, at) = conflicting();
    let script =
        format!("{RESOLVE}\ngit status | grep -q 'still merging'\ngit commit -qam 'By me'\n");
    let head = changed(does(&mut stage, &at, &script));
    is_the_merge(&stage, &at, &head);
    let said = git(&stage.mirror(), &["log", "--format=%s", "--max-count=1", head.commit.as_str()]);
    assert_eq!(said, "By me\n");
}

#[test]
fn marks_that_are_left_are_no_resolution_however_they_are_committed() {
    for script in ["true", "echo more >> src/one.txt", "git commit -qam 'All done'"] {
        let (mut stage, at) = conflicting();
        assert_eq!(unresolved(does(&mut stage, &at, script)), ["src/one.txt"], "{script}");
        let work = format!("refs/ralph/work/{BRANCH}");
        let known = git(&stage.mirror(), &["rev-parse", &work]);
        assert_eq!(known.trim(), at.head.commit.as_str(), "nothing of it counts: {script}");
        let head = changed(does(&mut stage, &at, RESOLVE));
        is_the_merge(&stage, &at, &head);
    }
}

#[test]
fn the_next_turn_goes_on_where_the_last_one_was() {
    let (mut stage, at) = conflicting();
    let half = "echo 'half way' > half.txt; git add half.txt; git commit -qm Half";
    assert_eq!(unresolved(does(&mut stage, &at, half)), ["src/one.txt"]);
    let head = changed(does(&mut stage, &at, &format!("test -f half.txt || exit 1\n{RESOLVE}")));
    is_the_merge(&stage, &at, &head);

    let (mut stage, at) = conflicting();
    assert_eq!(unresolved(does(&mut stage, &at, "true")), ["src/one.txt"]);
    fs::remove_dir_all(stage.worktree_path()).expect("the worktree goes");
    let head = changed(does(&mut stage, &at, RESOLVE));
    is_the_merge(&stage, &at, &head);
}

#[test]
fn an_agent_that_rebases_or_rewrites_gets_a_merge_all_the_same() {
    let rebases = format!(
        "base=$(cat .git/MERGE_HEAD); git checkout -qf -B {BRANCH} $base; echo x > ours.txt\n\
         printf 'one\\nboth\\nthree\\n' > src/one.txt; git add -A; git commit -qm Rebased\n"
    );
    let squashes = format!("{RESOLVE}\ngit checkout -q --orphan new; git commit -qam Squashed\n");
    for script in [rebases, squashes] {
        let (mut stage, at) = conflicting();
        let head = changed(does(&mut stage, &at, &script));
        is_the_merge(&stage, &at, &head);
        let one = format!("{}:src/one.txt", head.commit);
        assert_eq!(git(&stage.mirror(), &["show", &one]), "one\nboth\nthree\n");
    }
}

#[test]
fn a_merge_in_which_nothing_of_the_change_is_left_is_none() {
    let (mut stage, at) = conflicting();
    let gives_up = "git checkout -qf $(cat .git/MERGE_HEAD) -- .; git rm -qf ours.txt";
    assert_eq!(unresolved(does(&mut stage, &at, gives_up)), ["src/one.txt"]);
}

#[test]
fn conflicts_without_marks_are_resolved_by_doing_something_about_them() {
    let ours = "rm src/one.txt; printf 'a\\000ours' > picture";
    let theirs = [("src/one.txt", "one\ntheirs\nthree\n"), ("picture", "a\0theirs")];
    let (mut stage, at) = meeting(ours, &theirs);
    assert_eq!(unresolved(does(&mut stage, &at, "true")), ["picture", "src/one.txt"]);
    let decides = "rm src/one.txt; git add -A; git commit -qm 'Ours, both'";
    let head = changed(does(&mut stage, &at, decides));
    is_the_merge(&stage, &at, &head);
    let files = git(&stage.mirror(), &["ls-tree", "-r", "--name-only", head.commit.as_str()]);
    assert_eq!(files, ".gitignore\nREADME.md\npicture\n");
}

#[test]
fn lines_that_look_like_marks_and_were_there_before_are_text() {
    let ours = "printf '<<<<<<< this is how a conflict looks\\nours\\n' > doc.txt";
    let theirs = [("doc.txt", "<<<<<<< this is how a conflict looks\ntheirs\n")];
    let (mut stage, at) = meeting(ours, &theirs);
    let keeps = "printf '<<<<<<< this is how a conflict looks\\nboth\\n' > doc.txt";
    let head = changed(does(&mut stage, &at, keeps));
    is_the_merge(&stage, &at, &head);
}
