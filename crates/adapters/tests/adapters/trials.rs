//! Heads merged one onto the other to be tried together, with real git.

use crate::stage::{BASE, Stage, commit_to_forge, git};
use ralph_core::ids::{Branch, Sha};
use ralph_engine::ports::{Answer, Built, Workspaces as _};

fn sha(stage: &Stage, name: &str) -> Sha {
    Sha::new(git(&stage.forge(), &["rev-parse", name]).trim())
}

/// A branch of the forge that writes this into this file.
fn branch(stage: &Stage, name: &str, file: &str, text: &str) -> Sha {
    let from = sha(stage, BASE);
    git(&stage.forge(), &["update-ref", &format!("refs/heads/{name}"), from.as_str()]);
    Sha::new(&commit_to_forge(stage, name, file, text))
}

fn build(stage: &mut Stage, base: &Sha, heads: &[&Sha]) -> Built {
    let repo = stage.issue.repo.clone();
    let answer = stage.adapters.workspaces.build_trial(&repo, base, heads);
    let Answer::Happened(built) = answer else { panic!("not built: {answer:?}") };
    built
}

#[test]
fn each_head_is_merged_onto_the_one_before_and_the_tree_after_each_is_told() {
    let mut stage = Stage::new();
    let base = sha(&stage, BASE);
    let heads = ["one", "two", "three"].map(|name| branch(&stage, name, name, "x"));
    let built = build(&mut stage, &base, &heads.each_ref());
    let mirror = stage.mirror();
    let log = git(&mirror, &["log", "--first-parent", "--format=%H %T", built.commit.as_str()]);
    let trees: Vec<_> =
        log.lines().filter_map(|line| line.split_once(' ')).map(|(_, it)| it).collect();
    let expected: Vec<_> =
        built.trees.iter().rev().map(|tree| tree.clone().expect("clean")).collect();
    assert_eq!(
        trees.get(..3),
        Some(expected.iter().map(String::as_str).collect::<Vec<_>>().as_slice())
    );
    let parents = git(&mirror, &["log", "-1", "--format=%P", built.commit.as_str()]);
    assert!(parents.trim().ends_with(heads[2].as_str()), "{parents}");
    let files = git(&mirror, &["ls-tree", "--name-only", built.commit.as_str()]);
    assert!(["one", "two", "three"].iter().all(|file| files.lines().any(|it| it == *file)));
    assert_eq!(git(&stage.forge(), &["branch", "--list", "ralph/*"]), "", "nobody hears of it");
}

#[test]
fn a_head_that_conflicts_with_those_before_it_is_left_out() {
    let mut stage = Stage::new();
    let base = sha(&stage, BASE);
    let one = branch(&stage, "one", "same.txt", "one");
    let other = branch(&stage, "other", "same.txt", "other");
    let third = branch(&stage, "third", "third.txt", "x");
    let unknown = Sha::new("0123456789012345678901234567890123456789");
    let built = build(&mut stage, &base, &[&one, &other, &unknown, &third]);
    let is_entered: Vec<_> = built.trees.iter().map(Option::is_some).collect();
    assert_eq!(is_entered, [true, false, false, true]);
    let text = format!("{}:same.txt", built.commit);
    assert_eq!(git(&stage.mirror(), &["show", &text]), "one");
}

#[test]
fn a_head_of_another_history_is_left_out_and_holds_nobody_up() {
    let mut stage = Stage::new();
    let base = sha(&stage, BASE);
    let one = branch(&stage, "one", "one", "x");
    let tree = git(&stage.forge(), &["rev-parse", &format!("{one}^{{tree}}")]);
    let stranger = git(&stage.forge(), &["commit-tree", tree.trim(), "-m", "begun anew"]);
    let stranger = Sha::new(stranger.trim());
    git(&stage.forge(), &["update-ref", "refs/heads/stranger", stranger.as_str()]);
    let two = branch(&stage, "two", "two", "x");
    let built = build(&mut stage, &base, &[&one, &stranger, &two]);
    let is_entered: Vec<_> = built.trees.iter().map(Option::is_some).collect();
    assert_eq!(is_entered, [true, false, true]);
}

#[test]
fn what_was_built_is_pushed_to_a_branch_of_its_own_and_never_over_another() {
    let mut stage = Stage::new();
    let base = sha(&stage, BASE);
    let heads = ["one", "two"].map(|name| branch(&stage, name, name, "x"));
    let built = build(&mut stage, &base, &heads.each_ref());
    let (repo, to) = (stage.issue.repo.clone(), Branch::new("ralph/trial/1"));
    let workspaces = &mut stage.adapters.workspaces;
    assert_eq!(workspaces.push_built(&repo, &to, &built.commit), Answer::Happened(()));
    assert_eq!(workspaces.remote_head(&repo, &to), Ok(Some(built.commit)));
    let other = build(&mut stage, &base, &[&heads[1]]);
    let pushed = stage.adapters.workspaces.push_built(&repo, &to, &other.commit);
    assert!(matches!(pushed, Answer::Refused(_)), "{pushed:?}");
}
