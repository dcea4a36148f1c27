//! Workspaces: what a run's worktree starts from, what is taken over from it, and what never gets lost.

use crate::stage::{BASE, BRANCH, RUN, Set, Stage, changed, commit_to_forge, containments, git};
use ralph_core::fact::Outcome;
use ralph_core::ids::{Branch, Sha};
use ralph_core::issue::DoneEvidence;
use ralph_core::job::Job;
use ralph_core::removal::Removal;
use ralph_core::run::Head;
use ralph_engine::ports::{Answer, Refusal, Workspaces as _};
use std::fs;
use std::path::PathBuf;

fn ready(outcome: Outcome) -> (Sha, Option<Head>) {
    let Outcome::WorkspaceReady { base, head, .. } = outcome else {
        panic!("not ready: {outcome:?}")
    };
    (base, head)
}

fn prepare_again(stage: &mut Stage) -> (Sha, Option<Head>) {
    ready(stage.run(&stage.prepare_job(), ""))
}

fn done() -> Removal {
    Removal::Done(DoneEvidence::Reachable { merged: Sha::new("a"), default_head: Sha::new("b") })
}

#[test]
fn a_new_workspace_is_a_checkout_of_the_base_on_the_runs_own_branch() {
    let mut stage = Stage::new();
    let outcome = stage.run(&stage.prepare_job(), "");
    let base = git(&stage.forge(), &["rev-parse", BASE]).trim().to_owned();
    let expected = Outcome::WorkspaceReady {
        path: stage.worktree(),
        base: Sha::new(&base),
        head: None,
        guidance: Default::default(),
    };
    assert_eq!(outcome, expected);
    let worktree = stage.worktree_path();
    assert_eq!(git(&worktree, &["status", "--porcelain"]), "");
    assert_eq!(git(&worktree, &["symbolic-ref", "--short", "HEAD"]).trim(), BRANCH);
    assert_eq!(git(&worktree, &["rev-parse", "HEAD"]).trim(), base);
}

#[test]
fn commits_and_leftovers_of_a_turn_are_taken_and_pushed() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        let base = stage.prepare();
        let head = changed(stage.implement(
            "set -e; cat > prompt-seen.txt; echo new > a.txt; git add a.txt; git commit -qm 'My own words'\n\
             echo left > 'b c.txt'; rm src/one.txt; mkdir ignored; echo x > ignored/x\n",
        ));
        let log = git(&stage.mirror(), &["log", "--format=%an: %s", head.commit.as_str()]);
        assert_eq!(log, "Ralph: Do it\nRalph: My own words\nPerson: Begin\n");
        let range = format!("{base}..{}", head.commit);
        let names = git(&stage.mirror(), &["diff", "--name-status", "--no-renames", &range]);
        assert_eq!(names, "A\ta.txt\nA\tb c.txt\nA\tprompt-seen.txt\nD\tsrc/one.txt\n");
        let seen = format!("{}:prompt-seen.txt", head.commit);
        assert_eq!(git(&stage.mirror(), &["show", &seen]), "Do it");
        let tree = format!("{}^{{tree}}", head.commit);
        assert_eq!(git(&stage.mirror(), &["rev-parse", &tree]).trim(), head.tree);
        let worktree = stage.worktree_path();
        assert_eq!(git(&worktree, &["status", "--porcelain"]), "");
        assert_eq!(git(&worktree, &["rev-parse", "HEAD"]).trim(), head.commit.as_str());

        let (issue, branch) = (stage.issue.clone(), Branch::new(BRANCH));
        let workspaces = &mut stage.adapters.workspaces;
        assert_eq!(workspaces.remote_head(&issue.repo, &branch), Ok(None));
        let path = stage.root().worktree(&issue, 0, RUN);
        let workspaces = &mut stage.adapters.workspaces;
        let pushed = workspaces.push(&issue, &path, &branch, &head.commit);
        assert_eq!(pushed, Answer::Happened(()));
        assert_eq!(workspaces.remote_head(&issue.repo, &branch), Ok(Some(head.commit)));
    }
}

#[test]
fn the_remote_branch_goes_before_the_base_and_the_base_is_merged_into_it() {
    let mut stage = Stage::new();
    let begin = git(&stage.forge(), &["rev-parse", "main"]).trim().to_owned();
    git(&stage.forge(), &["update-ref", &format!("refs/heads/{BRANCH}"), &begin]);
    let theirs = commit_to_forge(&stage, BRANCH, "src/branch.txt", "branch\n");
    let moved = commit_to_forge(&stage, BASE, "src/base.txt", "base\n");
    let (base, head) = prepare_again(&mut stage);
    let head = head.expect("the branch has a commit");
    assert_eq!(base.as_str(), moved);
    let parents = git(
        &stage.mirror(),
        &["rev-parse", &format!("{}^1", head.commit), &format!("{}^2", head.commit)],
    );
    assert_eq!(parents, format!("{theirs}\n{moved}\n"));
    let worktree = stage.worktree_path();
    assert!(worktree.join("src/branch.txt").exists() && worktree.join("src/base.txt").exists());
    assert_eq!(git(&worktree, &["status", "--porcelain"]), "");
}

#[test]
fn a_clean_merge_of_the_base_changes_the_tree_but_not_the_diff() {
    let mut stage = Stage::new();
    let begin = git(&stage.forge(), &["rev-parse", "main"]).trim().to_owned();
    git(&stage.forge(), &["update-ref", &format!("refs/heads/{BRANCH}"), &begin]);
    commit_to_forge(&stage, BRANCH, "src/one.txt", "one\ntwo\nthree\nfour\n");
    let before = prepare_again(&mut stage).1.expect("a head");
    commit_to_forge(&stage, BASE, "src/other.txt", "other\n");
    let after = prepare_again(&mut stage).1.expect("a head");
    assert_ne!(before.tree, after.tree);
    assert_eq!(before.diff, after.diff);
}

#[test]
fn a_conflict_with_the_base_names_its_files_and_touches_nothing() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo mine > src/one.txt; echo x > 'é \"ö'"));
    commit_to_forge(&stage, BASE, "src/one.txt", "theirs\n");
    let outcome = stage.run(&stage.prepare_job(), "");
    let Outcome::WorkspaceConflict { files, at: Some(at) } = outcome else { panic!("{outcome:?}") };
    assert_eq!((files, &at.head.commit), (vec!["src/one.txt".to_owned()], &head.commit));
    assert_eq!(
        fs::read_to_string(stage.worktree_path().join("src/one.txt")).expect("a file"),
        "mine\n"
    );
    assert_eq!(git(&stage.worktree_path(), &["rev-parse", "HEAD"]).trim(), head.commit.as_str());
}

#[test]
fn work_that_is_not_committed_survives_preparing_again() {
    let mut stage = Stage::new();
    stage.prepare();
    let worktree = stage.worktree_path();
    fs::write(worktree.join("src/one.txt"), "half done\n").expect("a file");
    fs::write(worktree.join("new.txt"), "new\n").expect("a file");
    stage.restart(&Set::default());
    assert_eq!(prepare_again(&mut stage).1, None);
    commit_to_forge(&stage, BASE, "src/base.txt", "base\n");
    prepare_again(&mut stage);
    assert!(worktree.join("src/base.txt").exists(), "the base came in");
    commit_to_forge(&stage, BASE, "src/one.txt", "in the way\n");
    let (base, _) = prepare_again(&mut stage);
    assert_ne!(base.as_str(), git(&stage.forge(), &["rev-parse", BASE]).trim(), "it waits");
    assert_eq!(git(&worktree, &["status", "--porcelain"]), " M src/one.txt\n?? new.txt\n");
    assert_eq!(fs::read_to_string(worktree.join("src/one.txt")).expect("a file"), "half done\n");
    let head = changed(stage.implement("true"));
    let names = git(&stage.mirror(), &["show", "--format=", "--name-only", head.commit.as_str()]);
    assert_eq!(names, "new.txt\nsrc/one.txt\n");
}

#[test]
fn commits_of_an_interrupted_turn_are_taken_over() {
    let mut stage = Stage::new();
    stage.prepare();
    let worktree = stage.worktree_path();
    fs::write(worktree.join("a.txt"), "a\n").expect("a file");
    git(&worktree, &["add", "-A"]);
    git(&worktree, &["commit", "--quiet", "-m", "Done before the crash"]);
    let commit = git(&worktree, &["rev-parse", "HEAD"]).trim().to_owned();
    stage.restart(&Set::default());
    let (_, head) = prepare_again(&mut stage);
    assert_eq!(head.expect("a head").commit.as_str(), commit);
    let head = changed(stage.implement("echo only looking"));
    assert_eq!(
        head.commit.as_str(),
        commit,
        "what is there counts, though this turn added nothing"
    );
}

#[test]
fn what_a_turn_did_not_commit_is_kept_once_before_another_writes_over_it() {
    let mut stage = Stage::new();
    stage.prepare();
    fs::write(stage.worktree_path().join("new.txt"), "first thoughts\n").expect("a file");
    stage.restart(&Set::default());
    for _ in 0..2 {
        stage.implement("exit 1");
    }
    let head = changed(stage.implement("echo second thoughts > new.txt"));
    changed(stage.implement("echo third thoughts > new.txt"));
    let (mirror, commit) = (stage.mirror(), head.commit.as_str());
    assert_eq!(git(&mirror, &["show", &format!("{commit}:new.txt")]), "second thoughts\n");
    let kept = git(&mirror, &["for-each-ref", "--format=%(refname)", "refs/ralph/rescue"]);
    assert_eq!(kept, "refs/ralph/rescue/7-1-1\n");
    assert_eq!(git(&mirror, &["show", "refs/ralph/rescue/7-1-1:new.txt"]), "first thoughts\n");
}

#[test]
fn what_is_known_here_is_found_again_by_the_next_run() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt"));
    let run = ralph_core::ids::RunId { issue: 7, run: 2 };
    let path = stage.root().worktree(&stage.issue, 0, run);
    let (branch, base) = (Branch::new(BRANCH), Branch::new(BASE));
    let again = stage.run(&Job::Workspace { run, path, branch, base, leaves: None }, "");
    assert_eq!(ready(again).1, Some(head));
}

#[test]
fn a_fresh_start_keeps_what_was_on_the_branch_that_it_leaves() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt"));
    let theirs = commit_to_forge(&stage, BASE, "src/theirs.txt", "theirs\n");
    git(&stage.forge(), &["update-ref", &format!("refs/heads/{BRANCH}"), &theirs]);
    let pushed = commit_to_forge(&stage, BRANCH, "pushed.txt", "pushed\n");
    let run = ralph_core::ids::RunId { issue: 7, run: 2 };
    let path = stage.root().worktree(&stage.issue, 0, run);
    let (branch, base) = (Branch::new(&format!("{BRANCH}-1")), Branch::new(BASE));
    let job = Job::Workspace { run, path, branch, base, leaves: Some(Branch::new(BRANCH)) };
    for _ in 0..2 {
        let (base, found) = ready(stage.run(&job, ""));
        assert_eq!(
            (base.as_str(), found),
            (theirs.as_str(), None),
            "nothing of the old work is in it"
        );
        let kept = ["for-each-ref", "--format=%(refname) %(objectname)", "refs/ralph/rescue"];
        let kept = git(&stage.mirror(), &kept);
        let expected =
            format!("refs/ralph/rescue/7-2-1 {pushed}\nrefs/ralph/rescue/7-2-2 {}\n", head.commit);
        assert_eq!(kept, expected, "and each is kept once");
    }
}

#[test]
fn a_push_is_never_forced() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt"));
    let begin = git(&stage.forge(), &["rev-parse", "main"]).trim().to_owned();
    git(&stage.forge(), &["update-ref", &format!("refs/heads/{BRANCH}"), &begin]);
    let theirs = commit_to_forge(&stage, BRANCH, "src/theirs.txt", "theirs\n");
    let (issue, path) = (stage.issue.clone(), stage.worktree());
    let workspaces = &mut stage.adapters.workspaces;
    let answer = workspaces.push(&issue, &path, &Branch::new(BRANCH), &head.commit);
    assert!(
        matches!(&answer, Answer::Refused(it) if it.message.contains("rejected")),
        "{answer:?}"
    );
    let unknown = Sha::new(&"0".repeat(40));
    let answer = workspaces.push(&issue, &path, &Branch::new(BRANCH), &unknown);
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    assert_eq!(git(&stage.forge(), &["rev-parse", BRANCH]).trim(), theirs);
    let (_, head) = prepare_again(&mut stage);
    let head = head.expect("a head");
    assert_eq!(head.commit.as_str(), theirs, "what people see wins");
    let kept = git(&stage.mirror(), &["for-each-ref", "--format=%(refname)", "refs/ralph/rescue"]);
    assert_eq!(kept, "refs/ralph/rescue/7-1-1\n", "and nothing is lost");
}

#[test]
fn a_missing_repository_or_branch_is_a_failure_in_words() {
    let mut stage = Stage::new();
    let (branch, path) = (Branch::new(BRANCH), stage.worktree());
    let job = Job::Workspace { run: RUN, path, branch, base: Branch::new("no/such"), leaves: None };
    let Outcome::Failed { reason } = stage.run(&job, "") else { panic!("it fails") };
    assert_eq!(reason, "the forge has no branch no/such");
    fs::rename(stage.folder.join("forge"), stage.folder.join("away")).expect("it moves");
    let Outcome::Failed { reason } = stage.run(&stage.prepare_job(), "") else {
        panic!("it fails")
    };
    assert!(reason.contains("git fetch") && reason.contains("does not"), "{reason}");
    let issue = stage.issue.clone();
    let read = stage.adapters.workspaces.remote_head(&issue.repo, &Branch::new(BRANCH));
    assert!(read.is_err());
}

#[test]
fn a_worktree_is_removed_without_following_links_out_of_it() {
    let mut stage = Stage::new();
    stage.prepare();
    let outside = stage.folder.join("precious");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("file"), "precious").expect("a file");
    let worktree = stage.worktree_path();
    std::os::unix::fs::symlink(&outside, worktree.join("link")).expect("a link");
    let path = stage.worktree();
    assert_eq!(stage.adapters.workspaces.remove(&path, &done()), Answer::Happened(None));
    assert!(!worktree.exists() && outside.join("file").exists());
    assert!(!worktree.parent().expect("a parent").exists(), "no empty folder stays");
    assert_eq!(stage.adapters.workspaces.remove(&path, &done()), Answer::Happened(None), "twice");

    let slot = worktree.ancestors().nth(2).expect("a slot").to_owned();
    fs::remove_dir_all(&slot).expect("it goes");
    let decoy = stage.folder.join("decoy");
    fs::create_dir_all(decoy.join("7/7-1")).expect("a folder");
    std::os::unix::fs::symlink(&decoy, &slot).expect("a link");
    let answer = stage.adapters.workspaces.remove(&path, &done());
    assert!(matches!(answer, Answer::Refused(Refusal { .. })), "{answer:?}");
    assert!(decoy.join("7/7-1").exists());
}

#[test]
fn nothing_outside_of_the_managed_root_is_removed() {
    let mut stage = Stage::new();
    stage.prepare();
    let elsewhere = ralph_core::managed_path::ManagedRoot::new(&stage.folder.display().to_string());
    let path = elsewhere.expect("a root").worktree(&stage.issue, 0, RUN);
    fs::create_dir_all(path.as_str()).expect("a folder");
    let answer = stage.adapters.workspaces.remove(&path, &done());
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    assert!(PathBuf::from(path.as_str()).exists());
}

#[test]
fn work_that_is_given_up_is_saved_first_with_everything_in_it() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        changed(stage.implement("echo committed > a.txt"));
        let worktree = stage.worktree_path();
        git(&worktree, &["checkout", "--quiet", "-b", "other"]);
        fs::write(worktree.join("other.txt"), "on another branch\n").expect("a file");
        git(&worktree, &["add", "-A"]);
        git(&worktree, &["commit", "--quiet", "-m", "Elsewhere"]);
        git(&worktree, &["checkout", "--quiet", BRANCH]);
        fs::write(worktree.join("stashed.txt"), "stashed\n").expect("a file");
        git(&worktree, &["stash", "--quiet", "-u"]);
        fs::write(worktree.join("left.txt"), "left\n").expect("a file");
        fs::create_dir(worktree.join("nested")).expect("a folder");
        git(&worktree.join("nested"), &["init", "--quiet"]);
        fs::write(worktree.join("nested/deep.txt"), "deep\n").expect("a file");
        let path = stage.worktree();
        let answer = stage.adapters.workspaces.give_up(&path);
        let reference = "refs/ralph/rescue/7-1-1";
        assert_eq!(answer, Answer::Happened(Some(reference.to_owned())));
        assert!(!worktree.exists());
        for (name, text) in [
            (format!("{reference}:a.txt"), "committed\n"),
            (format!("{reference}:left.txt"), "left\n"),
            (format!("{reference}:nested/deep.txt"), "deep\n"),
        ] {
            assert_eq!(git(&stage.mirror(), &["show", &name]), text, "{name}");
        }
        let all = git(&stage.mirror(), &["log", "--format=", "--name-only", "-m", reference]);
        assert!(all.contains("other.txt") && all.contains("stashed.txt"), "{all}");
        assert_eq!(git(&stage.mirror(), &["for-each-ref", "refs/ralph/incoming"]), "");
    }
}
