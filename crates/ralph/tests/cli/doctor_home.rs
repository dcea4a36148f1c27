//! The repairs of `ralph doctor --repair` in the home: locks of a killed git, and files that are not Ralph's.

use crate::doctor::{doctor, healthy, mode, mode_of, remarks};
use crate::home::Home;
use insta::assert_snapshot;
use std::fs;

/// The findings, without those about the store's writer, which other tests look at.
fn beside_the_store(home: &Home, arguments: &[&str]) -> String {
    let reported = remarks(&doctor(home, &[arguments, &["--json"]].concat()));
    let lines: Vec<_> = reported.lines().filter(|line| !line.contains(" store: ")).collect();
    lines.join("\n")
}

/// While this lives, the store has a writer.
fn writer(home: &Home) -> fs::File {
    let lock = fs::File::open(home.path().join("state.lock")).unwrap();
    lock.lock().unwrap();
    lock
}

#[test]
fn foreign_folders_among_the_worktrees_are_found_moved_out_and_never_deleted() {
    let home = healthy();
    let foreign = home.path().join("worktrees/backup/of/my/work");
    fs::create_dir_all(&foreign).unwrap();
    fs::write(foreign.join("thesis.txt"), "years").unwrap();
    std::os::unix::fs::symlink("/", home.path().join("worktrees/link")).unwrap();
    mode(&home, "worktrees", 0o700);
    assert_snapshot!(beside_the_store(&home, &[]), @"
    finding worktrees: backup/of/my/work is not Ralph's: it is not at the place of a known issue's worktree
      -> move it out of HOME/worktrees if it is yours, or let `ralph doctor --repair` move it to foreign in the home
    finding worktrees: link is not Ralph's: it is not at the place of a known issue's worktree
      -> move it out of HOME/worktrees if it is yours, or let `ralph doctor --repair` move it to foreign in the home
    ");
    assert!(foreign.exists());
    let daemon = writer(&home);
    let reported = beside_the_store(&home, &["--repair"]);
    assert!(reported.contains("-> stop the daemon, and ask for the repair again"), "{reported}");
    assert!(foreign.exists());
    drop(daemon);
    assert_snapshot!(beside_the_store(&home, &["--repair"]), @"
    repaired worktrees: backup/of/my/work is moved to HOME/foreign/backup__of__my__work
    repaired worktrees: link is moved to HOME/foreign/link
    ");
    let kept = home.path().join("foreign");
    assert_eq!(fs::read_to_string(kept.join("backup__of__my__work/thesis.txt")).unwrap(), "years");
    assert!(fs::symlink_metadata(kept.join("link")).unwrap().is_symlink());
    assert_eq!(mode_of(&home, "foreign"), 0o700);
    assert_eq!(beside_the_store(&home, &["--repair"]), "");
    fs::create_dir_all(&foreign).unwrap();
    let again = beside_the_store(&home, &["--repair"]);
    assert!(again.ends_with("is moved to HOME/foreign/backup__of__my__work-2"), "{again}");
    assert!(kept.join("backup__of__my__work/thesis.txt").exists());
}

#[test]
fn locks_that_a_killed_git_left_in_a_mirror_are_found_and_removed() {
    let home = healthy();
    let mirror = home.path().join("repos/acme__widgets.git");
    let files = [
        "refs/heads/bot/integration.lock",
        "packed-refs.lock",
        "packed-refs",
        "objects/pack/x.lock",
    ];
    for file in files {
        let path = mirror.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    mode(&home, "repos", 0o700);
    assert_snapshot!(beside_the_store(&home, &[]), @"
    note left over: HOME/repos/acme__widgets.git/packed-refs.lock was left behind by a daemon that was killed
      -> `ralph doctor --repair` removes it
    note left over: HOME/repos/acme__widgets.git/refs/heads/bot/integration.lock was left behind by a daemon that was killed
      -> `ralph doctor --repair` removes it
    ");
    let daemon = writer(&home);
    assert_eq!(beside_the_store(&home, &["--repair"]), "", "they may be a running daemon's");
    drop(daemon);
    assert_snapshot!(beside_the_store(&home, &["--repair"]), @"
    repaired left over: HOME/repos/acme__widgets.git/packed-refs.lock is removed
    repaired left over: HOME/repos/acme__widgets.git/refs/heads/bot/integration.lock is removed
    ");
    assert_eq!(beside_the_store(&home, &["--repair"]), "");
    let left = files.map(|file| mirror.join(file).exists());
    assert_eq!(left, [false, false, true, true]);
}
