//! `ralph worktrees`: only what the store proves to be done with is ever removed.

use crate::home::{Home, Ran, program, run};
use crate::real_worktree::{git, real_worktree};
use crate::sample_store::{SampleStore, closed};
use insta::assert_snapshot;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Issue 1 works in its second run, issue 2 is done, and a few things lie about.
fn littered() -> Home {
    let home = Home::empty();
    drop(SampleStore::begin(&home).work().run_again().finish_second());
    for folder in [
        "acme__widgets/slot-0/1/1-1",
        "acme__widgets/slot-0/1/1-2",
        "acme__widgets/slot-0/1/1-3",
        "acme__widgets/slot-0/2/2-1",
        "acme__widgets/slot-1/2/2-1",
        "acme__widgets/slot-0/3/3-1",
        "acme__widgets/slot-0/2/2-01",
        "acme__other/slot-0/1/1-1",
        "acme__widgets/slot-00/2/2-1",
    ] {
        std::fs::create_dir_all(root(&home).join(folder).join(".git")).unwrap();
    }
    std::fs::write(root(&home).join("notes.txt"), "mine").unwrap();
    let outside = home.path().join("outside");
    std::fs::create_dir_all(outside.join("2-1")).unwrap();
    std::os::unix::fs::symlink(&outside, root(&home).join("acme__widgets/slot-2")).unwrap();
    let issue = root(&home).join("acme__widgets/slot-3/2");
    std::fs::create_dir_all(&issue).unwrap();
    std::os::unix::fs::symlink(outside.join("2-1"), issue.join("2-1")).unwrap();
    home
}

fn root(home: &Home) -> PathBuf {
    home.path().join("worktrees")
}

/// Every path below, links not followed.
fn tree(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        all.push(entry.path());
        if entry.file_type().unwrap().is_dir() {
            all.extend(tree(&entry.path()));
        }
    }
    all.sort();
    all
}

#[test]
fn each_folder_is_told_with_what_it_is_kept_for() {
    assert_snapshot!(littered().ralph(&["worktrees"]).shown(), @"
    exit 0
    --- stdout
    Below HOME/worktrees:

    WORKTREE                     ISSUE           IS         BECAUSE
    acme__other/slot-0/1/1-1     -               foreign    it is not at the place of a known issue's worktree
    acme__widgets/slot-0/1/1-1   acme/widgets#1  given up   run 1-2 has taken its place
    acme__widgets/slot-0/1/1-2   acme/widgets#1  in use     a process works for it
    acme__widgets/slot-0/1/1-3   -               foreign    the store does not know its run
    acme__widgets/slot-0/2/2-01  -               foreign    it is not at the place of a known issue's worktree
    acme__widgets/slot-0/2/2-1   acme/widgets#2  done with  its change is on the default branch
    acme__widgets/slot-0/3/3-1   -               foreign    the store does not know its issue
    acme__widgets/slot-00/2/2-1  -               foreign    it is not at the place of a known issue's worktree
    acme__widgets/slot-1/2/2-1   -               foreign    the store does not know its run
    acme__widgets/slot-2         -               foreign    it is not at the place of a known issue's worktree
    acme__widgets/slot-3/2/2-1   -               foreign    it is not a folder
    notes.txt                    -               foreign    it is not at the place of a known issue's worktree
    --- stderr
    ");
}

#[test]
fn a_dry_run_says_what_would_go_and_removes_nothing() {
    let home = littered();
    let before = tree(home.path());
    assert_snapshot!(home.ralph(&["worktrees", "prune", "--given-up", "--dry-run"]).shown(), @"
    exit 0
    --- stdout
    Would remove acme__widgets/slot-0/1/1-1: run 1-2 has taken its place
    Would remove acme__widgets/slot-0/2/2-1: its change is on the default branch
    --- stderr
    ");
    assert_eq!(tree(home.path()), before);
}

#[test]
fn what_is_done_goes_and_nothing_else() {
    let home = littered();
    let before = tree(&root(&home));
    assert_snapshot!(home.ralph(&["worktrees", "prune"]).shown(), @"
    exit 0
    --- stdout
    Removed acme__widgets/slot-0/2/2-1: its change is on the default branch
    1 of stopped issues or earlier runs stay; --given-up saves what is in them and removes them.
    --- stderr
    ");
    let gone: Vec<_> = before.into_iter().filter(|path| path.symlink_metadata().is_err()).collect();
    let done = root(&home).join("acme__widgets/slot-0/2/2-1");
    assert_eq!(gone, [done.clone(), done.join(".git")]);
    assert!(home.path().join("outside/2-1").exists());
}

#[test]
fn what_was_given_up_goes_when_asked_for() {
    let home = littered();
    let pruned = home.ralph(&["worktrees", "prune", "--given-up", "--json"]).json();
    let paths: Vec<_> =
        pruned.as_array().unwrap().iter().map(|one| &one["worktree"]["path"]).collect();
    assert_eq!(paths, ["acme__widgets/slot-0/1/1-1", "acme__widgets/slot-0/2/2-1"]);
    assert!(pruned.as_array().unwrap().iter().all(|one| one["removed"] == true));
    assert!(root(&home).join("acme__widgets/slot-0/1/1-2").exists(), "the run at work stays");
    assert!(!root(&home).join("acme__widgets/slot-0/1/1-1").exists());
}

/// Issue 1 was stopped and asked for again; what its first run did lies about.
fn given_up() -> (Home, PathBuf) {
    let home = Home::empty();
    closed(&home, |sample| sample.work().run_again());
    let worktree = real_worktree(&home, 1);
    (home, worktree)
}

fn prune_given_up(home: &Home, arguments: &[&str]) -> Ran {
    let mut command = program();
    command.env("RALPH_HOME", home.path()).env("PATH", crate::doctor::path());
    let ran = run(command.args(["worktrees", "prune", "--given-up"]).args(arguments));
    let shown = |text: String| text.replace(&home.path().display().to_string(), "HOME");
    Ran { stdout: shown(ran.stdout), stderr: shown(ran.stderr), code: ran.code }
}

#[test]
fn what_is_in_a_worktree_is_saved_before_it_goes() {
    let (home, worktree) = given_up();
    assert_snapshot!(prune_given_up(&home, &[]).shown(), @"
    exit 0
    --- stdout
    Removed acme__widgets/slot-0/1/1-1: run 1-2 has taken its place
      what was in it is saved as refs/ralph/rescue/1-1-1 of HOME/repos/acme__widgets.git
    --- stderr
    ");
    assert!(!worktree.exists());
    let mirror = home.path().join("repos/acme__widgets.git");
    assert_eq!(git(&mirror, &["show", "refs/ralph/rescue/1-1-1:draft.txt"]), "precious\n");
}

#[test]
fn as_json_the_rescue_is_told_too() {
    let (home, _) = given_up();
    let pruned = prune_given_up(&home, &["--json"]).json();
    assert_eq!(pruned[0]["rescued"]["ref"], "refs/ralph/rescue/1-1-1");
    assert_eq!(pruned[0]["rescued"]["repository"], "HOME/repos/acme__widgets.git");
    assert_eq!((&pruned[0]["removed"], &pruned[0]["error"]), (&true.into(), &Value::Null));
}

#[test]
fn what_cannot_be_saved_stays() {
    let (home, worktree) = given_up();
    std::fs::rename(home.path().join("repos"), home.path().join("elsewhere")).unwrap();
    std::fs::write(home.path().join("repos"), "in the way").unwrap();
    let ran = prune_given_up(&home, &[]);
    assert_eq!(ran.code, 1);
    let expected =
        "Could not remove acme__widgets/slot-0/1/1-1: what is in it could not be saved: ";
    assert!(ran.stdout.starts_with(expected), "{}", ran.stdout);
    assert_eq!(std::fs::read_to_string(worktree.join("draft.txt")).unwrap(), "precious\n");
}

#[test]
fn while_a_daemon_runs_only_it_gives_anything_up() {
    let (home, worktree) = given_up();
    let writer = SampleStore::begin(&home);
    assert_snapshot!(prune_given_up(&home, &[]).shown(), @"
    exit 1
    --- stdout
    Could not remove acme__widgets/slot-0/1/1-1: a daemon runs, and gives up itself what it no longer needs; stop it to do it from here
    --- stderr
    ");
    drop(writer);
    assert!(worktree.join("draft.txt").exists());
}

#[test]
fn folders_that_become_empty_go_too_but_never_the_root() {
    let home = Home::empty();
    drop(SampleStore::begin(&home).work().finish_second());
    std::fs::create_dir_all(root(&home).join("acme__widgets/slot-0/2/2-1/deep")).unwrap();
    assert_eq!(home.ralph(&["worktrees", "prune"]).code, 0);
    assert_eq!(tree(&root(&home)), Vec::<PathBuf>::new());
    assert!(root(&home).exists());
}

#[test]
fn a_root_that_is_a_link_is_refused() {
    let home = Home::empty();
    drop(SampleStore::begin(&home).work().finish_second());
    let elsewhere = home.path().join("elsewhere");
    std::fs::create_dir_all(elsewhere.join("acme__widgets/slot-0/2/2-1")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, root(&home)).unwrap();
    assert_snapshot!(home.ralph(&["worktrees", "prune"]).shown(), @"
    exit 1
    --- stdout
    --- stderr
    Error: HOME/worktrees could not be listed
    Caused by: it is not a folder
    ");
    assert!(elsewhere.join("acme__widgets/slot-0/2/2-1").exists());
}

#[test]
fn a_home_reached_through_a_link_works_like_any_other() {
    let home = littered();
    let link = home.path().with_extension("link");
    std::os::unix::fs::symlink(home.path(), &link).unwrap();
    let through =
        home.ralph(&["worktrees", "list", "--json", "--home", &link.display().to_string()]);
    std::fs::remove_file(&link).unwrap();
    assert_eq!(through.json(), home.ralph(&["worktrees", "list", "--json"]).json());
}

#[test]
fn a_home_without_worktrees_says_so() {
    let home = Home::empty();
    drop(SampleStore::begin(&home));
    assert_eq!(
        home.ralph(&["worktrees", "list"]).stdout,
        "There is no worktree below HOME/worktrees.\n"
    );
    assert_eq!(
        home.ralph(&["worktrees", "prune"]).stdout,
        "No worktree is finished, so nothing is removed.\n"
    );
}
