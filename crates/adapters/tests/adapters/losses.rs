//! Losses by a crash or a person: half of a mirror, all of it, the record of a worktree. All of it is made again, and no
//! file of a worktree is lost.

use crate::stage::{BASE, BRANCH, Kept, RUN, Stage, changed, containments, git};
use ralph_core::fact::Outcome;
use ralph_core::ids::{Branch, Sha};
use ralph_core::job::{Job, Role};
use ralph_core::managed_path::ManagedPath;
use ralph_core::run::Head;
use ralph_engine::ports::{Answer, Workspaces as _};
use std::fs;

fn prepared(stage: &mut Stage) -> (Sha, Option<Head>) {
    let outcome = stage.run(&stage.prepare_job(), "");
    let Outcome::WorkspaceReady { base, head, .. } = outcome else { panic!("{outcome:?}") };
    (base, head)
}

fn lost(outcome: Outcome) -> String {
    let Outcome::WorkspaceLost { reason } = outcome else { panic!("not lost: {outcome:?}") };
    reason
}

/// The job of a run whose workspace lies at another place.
fn prepare_in(stage: &Stage, path: &ManagedPath) -> Job {
    let (branch, base) = (Branch::new(BRANCH), Branch::new(BASE));
    assert_ne!(*path, stage.worktree());
    Job::Workspace { run: RUN, path: path.clone(), branch, base, leaves: None }
}

#[test]
fn a_worktree_without_a_record_is_saved_and_made_again() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        let work = "echo done > a.txt; git add a.txt; git commit -qm a; echo half > left.txt";
        stage.script(work);
        let worktree = stage.worktree_path();
        fs::write(worktree.join("a.txt"), "done\n").expect("a file");
        git(&worktree, &["add", "-A"]);
        git(&worktree, &["commit", "--quiet", "-m", "a"]);
        fs::write(worktree.join("left.txt"), "half\n").expect("a file");
        git(&stage.mirror(), &["update-ref", "-d", "refs/ralph/at/7-1"]);
        let (_, head) = prepared(&mut stage);
        let head = head.expect("its commits count");
        let show = |name: &str| git(&stage.mirror(), &["show", name]);
        assert_eq!(show(&format!("{}:a.txt", head.commit)), "done\n", "{kept:?}");
        assert_eq!(show("refs/ralph/rescue/7-1-1:left.txt"), "half\n", "{kept:?}");
        assert!(!worktree.join("left.txt").exists(), "it was made again");
        assert_eq!(git(&worktree, &["status", "--porcelain"]), "");
        changed(stage.implement("echo more > b.txt"));
    }
}

#[test]
fn words_in_commits_of_a_lost_workspace_are_defused_like_any_other() {
    let mut stage = Stage::kept(Kept::ByGuard);
    stage.prepare();
    let worktree = stage.worktree_path();
    fs::write(worktree.join("a.txt"), "done\n").expect("a file");
    git(&worktree, &["add", "-A"]);
    git(&worktree, &["commit", "--quiet", "-m", "Closes #2 [skip ci]"]);
    fs::remove_dir_all(stage.mirror()).expect("a mirror to remove");
    let (_, head) = prepared(&mut stage);
    let head = head.expect("its commits count").commit;
    let said = git(&stage.mirror(), &["show", "-s", "--format=%B", head.as_str()]);
    assert_eq!(said.trim(), "Closes issue #2 (skip ci)");
}

#[test]
fn a_deleted_mirror_is_cloned_again_and_costs_no_turn() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        let base = stage.prepare();
        let commit = "echo done > a.txt; git add a.txt; git commit -qm a";
        let head = changed(stage.implement(commit));
        fs::remove_dir_all(stage.mirror()).expect("a mirror to remove");
        let turn = Job::Turn(Box::new(stage.turn(Role::Implement, &base, Some(&head))));
        assert!(lost(stage.run(&turn, "")).contains("is gone"), "{kept:?}");
        let review = Job::Turn(Box::new(stage.turn(Role::ProductReview, &base, Some(&head))));
        lost(stage.run(&review, ""));
        let path = stage.worktree();
        let to = Branch::new(BRANCH);
        let pushed = stage.adapters.workspaces.push(&stage.issue.clone(), &path, &to, &head.commit);
        assert!(matches!(pushed, Answer::Refused(_)), "{pushed:?}");
        let (_, again) = prepared(&mut stage);
        assert_eq!(again, Some(head), "{kept:?}: what the agent committed is there again");
        changed(stage.implement("echo more > b.txt"));
    }
}

#[test]
fn a_mirror_that_another_issue_cloned_again_is_a_loss_all_the_same() {
    let mut stage = Stage::kept(Kept::ByGuard);
    let base = stage.prepare();
    let head = changed(stage.implement("echo done > a.txt"));
    fs::remove_dir_all(stage.mirror()).expect("a mirror to remove");
    let branch = Branch::new(BRANCH);
    let head_there = stage.adapters.workspaces.remote_head(&stage.issue.repo.clone(), &branch);
    assert_eq!(head_there.expect("an answer"), None, "and now there is a mirror");
    let turn = Job::Turn(Box::new(stage.turn(Role::Implement, &base, Some(&head))));
    assert!(lost(stage.run(&turn, "")).contains("no record"));
    let (_, again) = prepared(&mut stage);
    assert_eq!(again, None, "what only the mirror had is to be done again");
    let rescued = git(&stage.mirror(), &["show", "refs/ralph/rescue/7-1-1:a.txt"]);
    assert_eq!(rescued, "done\n", "and is not lost");
}

#[test]
fn a_mirror_that_is_gone_while_the_agent_works_costs_no_turn_either() {
    let mut stage = Stage::kept(Kept::ByGuard);
    stage.prepare();
    let script = format!("rm -rf '{}'; exit 1", stage.mirror().display());
    lost(stage.implement(&script));
}

#[test]
fn half_a_mirror_is_completed() {
    for left in [&["HEAD"][..], &["HEAD", "config"], &["HEAD", "config", "objects/"], &["refs/"]] {
        let mut stage = Stage::kept(Kept::ByGuard);
        for name in left {
            let path = stage.mirror().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).expect("a folder");
            } else {
                fs::create_dir_all(stage.mirror()).expect("a folder");
                let text = if *name == "HEAD" { "ref: refs/heads/main\n" } else { "" };
                fs::write(path, text).expect("a file");
            }
        }
        stage.adapters.sweep().expect("nothing is in the way of a start");
        stage.prepare();
    }
}

#[test]
fn a_second_place_of_a_run_goes_without_the_record_of_the_first() {
    let mut stage = Stage::kept(Kept::ByGuard);
    stage.prepare();
    let second = stage.root().worktree(&stage.issue, 1, RUN);
    let job = prepare_in(&stage, &second);
    let outcome = stage.run(&job, "");
    assert!(matches!(outcome, Outcome::WorkspaceReady { .. }), "{outcome:?}");
    let given_up = stage.adapters.workspaces.give_up(&second);
    assert!(matches!(given_up, Answer::Happened(Some(_))), "{given_up:?}");
    changed(stage.implement("echo done > a.txt"));
    let first = stage.worktree();
    assert!(matches!(stage.adapters.workspaces.give_up(&first), Answer::Happened(Some(_))));
}

#[test]
fn what_lies_in_the_way_without_any_record_can_be_given_up_too() {
    let mut stage = Stage::kept(Kept::ByGuard);
    let worktree = stage.worktree_path();
    fs::create_dir_all(&worktree).expect("a folder");
    fs::write(worktree.join("precious.txt"), "precious\n").expect("a file");
    let path = stage.worktree();
    let given_up = stage.adapters.workspaces.give_up(&path);
    assert_eq!(given_up, Answer::Happened(Some("refs/ralph/rescue/7-1-1".to_owned())));
    assert!(!worktree.exists());
    let kept = git(&stage.mirror(), &["show", "refs/ralph/rescue/7-1-1:precious.txt"]);
    assert_eq!(kept, "precious\n");
}
