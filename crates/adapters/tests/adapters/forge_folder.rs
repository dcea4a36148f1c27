//! The forge of the tests: a folder of bare repositories, which git fills as a person would.
#![expect(clippy::disallowed_methods, reason = "tests start git themselves")]

use crate::stage::{BASE, Stage};
use std::path::Path;
use std::process::Command;

/// A repository with one commit on its default branch and the bot branch on it.
pub(crate) fn seed_forge(folder: &Path) {
    let forge = folder.join("forge/acme/widgets.git");
    std::fs::create_dir_all(&forge).expect("a folder");
    git(&forge, &["init", "--quiet", "--bare", "--initial-branch=main"]);
    let clone = folder.join("seed");
    std::fs::create_dir_all(&clone).expect("a folder");
    git(&clone, &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(clone.join("README.md"), "# Widgets\n").expect("a file");
    std::fs::write(clone.join(".gitignore"), "ignored/\n").expect("a file");
    std::fs::create_dir(clone.join("src")).expect("a folder");
    std::fs::write(clone.join("src/one.txt"), "one\ntwo\nthree\n").expect("a file");
    commit_all(&clone, "Begin");
    push(&clone, &forge, "main", "main");
    push(&clone, &forge, "main", BASE);
}

/// Commits something to a branch of the forge, as a person would.
pub(crate) fn commit_to_forge(stage: &Stage, branch: &str, file: &str, text: &str) -> String {
    let seed = stage.folder.join("seed");
    git(&seed, &["fetch", "--quiet", &stage.forge().display().to_string(), branch]);
    git(&seed, &["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
    std::fs::write(seed.join(file), text).expect("a file");
    commit_all(&seed, "A person's commit");
    push(&seed, &stage.forge(), "HEAD", branch);
    git(&seed, &["rev-parse", "HEAD"]).trim().to_owned()
}

fn commit_all(folder: &Path, message: &str) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "--quiet", "-m", message]);
}

fn push(folder: &Path, to: &Path, from: &str, branch: &str) {
    let refspec = format!("{from}:refs/heads/{branch}");
    git(folder, &["push", "--quiet", &to.display().to_string(), &refspec]);
}

/// Runs git as a person would, and gives what it says.
pub(crate) fn git(folder: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Person", "-c", "user.email=person@localhost"])
        .args(["-c", "protocol.file.allow=always", "-c", "safe.directory=*"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {words:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}
