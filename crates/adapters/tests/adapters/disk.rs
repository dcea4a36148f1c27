//! Small disks to fill.
#![expect(clippy::disallowed_methods, reason = "tests mount disks themselves")]
#![expect(clippy::print_stdout, reason = "what cannot be tested here is said")]

use std::path::Path;
use std::process::Command;

/// Tells whether disks can be mounted here, which takes root; prints a line if not.
pub(crate) fn can_mount() -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().display().to_string();
    let can = run("mount", &["-t", "tmpfs", "-o", "size=64k", "tmpfs", &path]);
    if can {
        run("umount", &[&path]);
    } else {
        println!("no disk can be mounted here, so a full one is not tested");
    }
    can
}

pub(crate) fn mount(path: &Path, bytes: u64) {
    std::fs::create_dir(path).expect("a folder");
    let (size, path) = (format!("size={bytes}"), path.display().to_string());
    assert!(run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", &path]));
}

pub(crate) fn unmount(path: &Path) {
    run("umount", &["-l", &path.display().to_string()]);
}

fn run(program: &str, words: &[&str]) -> bool {
    Command::new(program).args(words).output().is_ok_and(|output| output.status.success())
}
