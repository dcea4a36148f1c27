//! A machine that has no room left, and one on which another daemon works already.

use crate::process::{program, run};
use crate::stage::{Stage, WORK};
use std::fs;

/// Works with the home on a small separate disk, until it is full; then with room again.
const ON_A_SMALL_DISK: &str = r#"
    place=$1 ralph=$2
    cp "$RALPH_HOME/config.toml" "$place/config.toml"
    mount -t tmpfs -o size=12m none "$RALPH_HOME" || exit 9
    { echo 'disk_free_min = "0MB"'; cat "$place/config.toml"; } > "$RALPH_HOME/config.toml"
    chmod 600 "$RALPH_HOME/config.toml"
    work() { "$ralph" run --until-idle 2> "$place/$1.txt"; echo "exit $?" >> "$place/$1.txt"; }
    cat /dev/zero > "$RALPH_HOME/filler" 2> /dev/null
    work before
    rm "$RALPH_HOME/filler"
    work during
    find "$RALPH_HOME/worktrees" -name half.txt -exec cat '{}' '+' > "$place/saved.txt"
    mount -o remount,size=64m "$RALPH_HOME"
    touch "$place/room"
    work after
"#;

/// Fills the disk in the middle of its work, as long as there is no room.
const GLUTTON: &str = "echo precious > half.txt\n\
    test -e \"$(dirname \"$0\")/room\" || { cat /dev/zero > \"$TMPDIR/filler\"; exit 1; }\n";

#[test]
fn a_full_disk_is_told_and_loses_nothing() {
    let mut alone = program("unshare");
    alone.args(["--map-root-user", "--mount", "true"]);
    if run(&mut alone).code != Some(0) {
        eprintln!("not tested: this system lets nobody but root mount a small disk");
        return;
    }
    let stage = Stage::set(&format!("{GLUTTON}{WORK}"));
    let issue = stage.forge.open_issue("Do it", "");
    let mut alone = program("unshare");
    alone.args(["--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "sh"]);
    alone.arg(stage.place("")).arg(env!("CARGO_BIN_EXE_ralph"));
    for (name, value) in stage.command(&[]).get_envs() {
        value.map(|value| alone.env(name, value));
    }
    let ran = run(&mut alone);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let reported = |name: &str| fs::read_to_string(stage.place(name)).unwrap_or_default();
    let home = stage.home.display().to_string();
    for name in ["before.txt", "during.txt"] {
        let reported = reported(name);
        for part in [&home, "full", "make room", "nothing is lost", "exit 4"] {
            assert!(reported.contains(part), "{name}, {part}: {reported}");
        }
    }
    assert!(reported("during.txt").contains("attempt 4 is running"), "{}", reported("during.txt"));
    assert_eq!(reported("saved.txt"), "precious\n");
    assert!(reported("after.txt").ends_with("exit 0\n"), "{}", reported("after.txt"));
    assert_eq!(stage.forge.status(issue), ["in-bot"]);
    stage.forge.assert_nothing_twice();
}

#[test]
fn a_second_daemon_in_one_home_is_told_who_holds_it() {
    let stage = Stage::set(WORK);
    let mut first = stage.daemon();
    first.hear("ralph works in");
    for arguments in [&["run"][..], &["run", "--until-idle"]] {
        let second = stage.ralph(arguments);
        assert_eq!(second.code, Some(4), "{}", second.stderr);
        let who = format!("{} is in use by process {}", stage.home.display(), first.id());
        assert!(second.stderr.contains(&who), "{}", second.stderr);
        assert!(second.stderr.contains("stop it first"), "{}", second.stderr);
    }
    let issue = stage.forge.open_issue("Do it", "");
    stage.forge.wait_for_status(issue, "in-bot");
    assert_eq!(first.stop().code, Some(0));
    assert!(!stage.home.join("daemon.sock").exists(), "nothing is left to knock at");
}
