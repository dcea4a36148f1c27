//! Setup and preflight: the place of commands, their sight, their time limits, and the reports about them.

use crate::stage::{RUN, Set, Stage, changed, containments, git, reason};
use crate::tether::alive;
use ralph_core::fact::Outcome;
use ralph_core::ids::Sha;
use ralph_core::job::{Job, Role};
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, Workers as _};
use std::fs;
use std::time::Duration;

fn setup(stage: &mut Stage, commands: &[&str], timeout: Span) -> Outcome {
    let commands = commands.iter().map(|&command| command.to_owned()).collect();
    let job = Job::Setup { run: RUN, path: stage.worktree(), commands, timeout };
    stage.run(&job, "")
}

fn preflight_job(commit: &Sha, commands: &[&str]) -> Job {
    preflight_after(&[], commit, commands, Span::from_secs(120))
}

fn preflight_after(setup: &[&str], commit: &Sha, commands: &[&str], timeout: Span) -> Job {
    let owned = |commands: &[&str]| commands.iter().map(|&command| command.to_owned()).collect();
    Job::Preflight {
        run: RUN,
        commit: commit.clone(),
        setup: owned(setup),
        setup_timeout: Span::from_secs(120),
        commands: owned(commands),
        timeout,
    }
}

fn failed(outcome: Outcome) -> (String, String) {
    let Outcome::CommandsFailed { command, excerpt, ran } = outcome else {
        panic!("not failed: {outcome:?}")
    };
    assert_eq!(ran.last().map(|last| &last.command), Some(&command));
    (command, excerpt)
}

/// The commands that ran without a failure, and the ending of each.
fn passed(outcome: Outcome) -> (String, Vec<(String, String)>) {
    let Outcome::CommandsPassed { command, ran } = outcome else {
        panic!("not passed: {outcome:?}")
    };
    (command, ran.into_iter().map(|it| (it.command, it.how)).collect())
}

#[test]
fn setup_runs_in_the_worktree_and_preflight_in_a_clean_checkout_of_the_commit() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        let commands = ["echo x > from-setup", "test -f from-setup"];
        let (command, ran) = passed(setup(&mut stage, &commands, Span::from_secs(120)));
        assert_eq!(command, "echo x > from-setup && test -f from-setup");
        assert_eq!(ran, commands.map(|it| (it.to_owned(), "exit status 0".to_owned())));
        assert!(stage.worktree_path().join("from-setup").exists());
        let head = changed(stage.implement("rm from-setup; echo x > a.txt"));
        fs::write(stage.worktree_path().join("half-done.txt"), "x").expect("a file");
        let check = format!(
            "test -f a.txt -a ! -e half-done.txt && test $(git rev-parse HEAD) = {}",
            head.commit
        );
        let outcome = stage.run(&preflight_job(&head.commit, &[&check, "echo dirt > dirt"]), "");
        assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{kept:?}: {outcome:?}");
        assert!(!stage.worktree_path().join("dirt").exists());
        let scratch = stage.home.join("worktrees/acme__widgets/scratch");
        assert_eq!(fs::read_dir(scratch).expect("a folder").count(), 0, "nothing is left");
    }
}

#[test]
fn a_failing_command_is_told_with_its_output_and_the_rest_not_run() {
    let mut stage = Stage::new();
    stage.prepare();
    let commands = ["true", "echo out; echo password: hunter2 >&2; exit 4", "touch never"];
    let (command, excerpt) = failed(setup(&mut stage, &commands, Span::from_secs(120)));
    assert_eq!(command, commands[1]);
    assert_eq!(excerpt, "exit status 4\nout\npassword: [redacted]");
    assert!(!stage.worktree_path().join("never").exists());
    let loud = "seq 1 1000000; exit 1";
    let (_, excerpt) = failed(setup(&mut stage, &[loud], Span::from_secs(120)));
    assert!(excerpt.len() <= 4_000 && excerpt.contains(" bytes cut]"), "{}", excerpt.len());
    assert!(excerpt.starts_with("exit status 1\n1\n2\n") && excerpt.ends_with("\n1000000"));
}

#[test]
fn the_time_limit_of_setup_holds_for_each_command() {
    for kept in containments() {
        let grace = Duration::from_millis(200);
        let mut stage = Stage::set(&Set { kept, grace, ..Set::default() });
        stage.prepare();
        let hang = "setsid sh -c 'exec sleep 1000 # mark-of-the-slow' & sleep 1000";
        let (command, excerpt) = failed(setup(&mut stage, &["echo quick", hang], Span(500)));
        assert_eq!(command, hang);
        let told = "timeout: over the limit of 500ms for one command";
        assert!(excerpt.starts_with(told), "{excerpt}");
        assert_eq!(alive("mark-of-the-slow"), [""; 0], "{kept:?}");
        let each_within_it = ["sleep 1.2", "sleep 1.2"];
        passed(setup(&mut stage, &each_within_it, Span(2_000)));
    }
}

#[test]
fn the_time_limit_of_preflight_holds_for_all_its_commands_together() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt"));
    let commands = ["sleep 3", "sleep 3; echo over"];
    let (command, excerpt) =
        failed(stage.run(&preflight_after(&[], &head.commit, &commands, Span(4_000)), ""));
    assert_eq!(command, commands[1]);
    let told = "timeout: over the limit of 4s for all of these commands";
    assert!(excerpt.starts_with(told), "{excerpt}");
}

#[test]
fn setup_runs_before_preflight_in_the_same_checkout() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        stage.prepare();
        let head = changed(stage.implement("echo x > a.txt"));
        let setup = ["mkdir ignored && cp a.txt ignored/dependency", "echo installed > ~/tool"];
        let checks = ["cmp a.txt ignored/dependency && grep -q installed ~/tool"];
        let job = preflight_after(&setup, &head.commit, &checks, Span::from_secs(120));
        let (command, _) = passed(stage.run(&job, ""));
        assert_eq!(command, checks.join(" && "), "{kept:?}");
        assert!(!stage.worktree_path().join("ignored").exists());
    }
}

#[test]
fn setup_that_fails_in_the_clean_checkout_is_not_the_changes_fault() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt"));
    let setup = ["true", "echo no network; exit 7"];
    let job = preflight_after(&setup, &head.commit, &["touch ~/ran"], Span::from_secs(120));
    let reason = reason(stage.run(&job, ""));
    for part in ["setup in a clean checkout", setup[1], "exit status 7", "no network"] {
        assert!(reason.contains(part), "{part} in {reason}");
    }
}

#[test]
fn a_timeout_names_its_command_and_shows_its_output() {
    for kept in containments() {
        let grace = Duration::from_millis(200);
        let mut stage = Stage::set(&Set { kept, grace, ..Set::default() });
        stage.prepare();
        let head = changed(stage.implement("echo x > a.txt"));
        let slow = "echo test 3 of 9; sleep 1000";
        let job = preflight_after(&[], &head.commit, &["true", slow], Span::from_secs(3));
        let (command, excerpt) = failed(stage.run(&job, ""));
        assert_eq!(command, slow, "{kept:?}");
        let told = "timeout: over the limit of 3s for all of these commands\ntest 3 of 9";
        assert_eq!(excerpt, told, "{kept:?}");
    }
}

#[test]
fn what_an_agent_left_in_its_home_is_not_there_for_preflight_or_reviewers() {
    for kept in containments() {
        let mut stage = Stage::kept(kept);
        let base = stage.prepare();
        let plant = "mkdir -p ~/.cargo; echo planted | tee ~/.cargo/config.toml $TMPDIR/planted; \
                     git config --global core.hooksPath planted; ";
        let head = changed(stage.implement(&format!("{plant} echo x > a.txt")));
        let clean = "test ! -e ~/.cargo -a ! -e $TMPDIR/planted && ! grep -q planted ~/.gitconfig";
        let outcome = stage.run(&preflight_job(&head.commit, &[clean, plant]), "");
        assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{kept:?}: {outcome:?}");
        let outcome = stage.run(&preflight_job(&head.commit, &[clean]), "");
        assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "nor an earlier preflight's");
        for role in [Role::PlanReview, Role::ProductReview, Role::ProductReview, Role::DevexReview]
        {
            stage.script(&format!("{clean} || exit 1\n{plant}"));
            let outcome = stage.run(&Job::Turn(Box::new(stage.turn(role, &base, Some(&head)))), "");
            assert!(matches!(outcome, Outcome::Turn { .. }), "{kept:?}, {role:?}: {outcome:?}");
        }
        let own = "test -e ~/.cargo -a -e $TMPDIR/planted && ! grep -q planted ~/.gitconfig";
        changed(stage.implement(&format!("{own} && echo y > b.txt")));
    }
}

#[test]
fn setup_gets_a_fresh_home_and_leaves_it_to_the_agents() {
    let mut stage = Stage::new();
    stage.prepare();
    changed(
        stage.implement(
            "mkdir ~/.gitconfig-planted; rm ~/.gitconfig; mkdir ~/.gitconfig; echo x > a",
        ),
    );
    let commands = ["test ! -e ~/.gitconfig-planted -a -f ~/.gitconfig && echo x > ~/tool"];
    let outcome = setup(&mut stage, &commands, Span::from_secs(120));
    assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{outcome:?}");
    changed(stage.implement("test -f ~/tool && echo y > b"));
}

#[test]
fn commands_see_no_variable_that_nobody_named() {
    let mut stage = Stage::new();
    stage.prepare();
    setup(
        &mut stage,
        &["env | sed 's/=.*//' | sort | grep -v -e PWD -e SHLVL -e '^_' > names"],
        Span::from_secs(120),
    );
    let names = fs::read_to_string(stage.worktree_path().join("names")).expect("names");
    assert_eq!(names, "HOME\nLANG\nPATH\nTMPDIR\n");
}

#[test]
fn cache_folders_last_from_one_preflight_to_the_next() {
    for kept in containments() {
        let cache_dirs = vec!["target".into(), "deep/er/cache".into(), "src".into()];
        let mut stage = Stage::set(&Set { kept, cache_dirs, ..Set::default() });
        stage.prepare();
        let head = changed(stage.implement("echo x > a.txt"));
        let first = "test ! -e target/x && echo x > target/x && echo y > deep/er/cache/y";
        let second = "test -e target/x -a -e deep/er/cache/y -a -f src/one.txt";
        for command in [first, second] {
            let outcome = stage.run(&preflight_job(&head.commit, &[command]), "");
            assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{kept:?} {outcome:?}");
        }
    }
    for bad in ["../out", "/etc", "."] {
        let cache_dirs = vec![bad.into()];
        let mut stage = Stage::set(&Set { cache_dirs, ..Set::default() });
        stage.prepare();
        let head = changed(stage.implement("echo x > a.txt"));
        let outcome = stage.run(&preflight_job(&head.commit, &["true"]), "");
        assert!(
            matches!(&outcome, Outcome::Failed { reason } if reason.contains(bad)),
            "{outcome:?}"
        );
    }
}

#[test]
fn commands_end_on_request() {
    let mut stage = Stage::new();
    stage.prepare();
    let tether = crate::tether::Tether::tie(&stage.folder);
    let commands = vec![format!("{}exec sleep 1000", tether.hold())];
    let path = stage.worktree();
    stage.start(&Job::Setup { run: RUN, path, commands, timeout: Span::from_secs(120) }, "");
    tether.is_held();
    let (issue, attempt) = (stage.issue.clone(), stage.attempt());
    assert_eq!(stage.adapters.workers.end(&issue, attempt), Answer::Happened(()));
    tether.is_let_go();
}

#[test]
fn a_commit_nobody_knows_cannot_be_checked() {
    let mut stage = Stage::new();
    stage.prepare();
    let outcome = stage.run(&preflight_job(&Sha::new(&"1".repeat(40)), &["true"]), "");
    assert!(matches!(&outcome, Outcome::WorkspaceLost { .. }), "{outcome:?}");
    assert_eq!(git(&stage.worktree_path(), &["status", "--porcelain"]), "");
}

#[test]
fn what_an_earlier_life_left_in_scratch_is_swept_away_and_worktrees_are_not() {
    let mut stage = Stage::new();
    stage.prepare();
    let stale = stage.home.join("worktrees/acme__widgets/scratch/7-1-9");
    fs::create_dir_all(stale.join("x")).expect("a folder");
    stage.adapters.sweep().expect("it sweeps");
    assert!(!stale.exists() && stage.worktree_path().join("README.md").exists());
}
