//! Programs from the system's packages.

use crate::command::Invocation;
use crate::failure::Failure;
use std::path::Path;

/// Tests of the sandbox say so when it cannot be had, and test the guard process all the same.
pub(super) fn ensure_sandbox(root: &Path) {
    let asked = Invocation::bubblewrap(root, &["--version"]);
    if !is_there_or_installed(root, &asked, "bubblewrap") {
        println!("bubblewrap could not be installed; its tests will say so");
    }
}

/// A program that tests cannot do without: `asked` succeeds when it is there.
pub(super) fn ensure(root: &Path, asked: &Invocation, package: &str) -> Result<(), Failure> {
    if is_there_or_installed(root, asked, package) {
        return Ok(());
    }
    Err(Failure::Missing {
        what: format!("`{}` does not work, and apt-get could not install {package}", asked.shown()),
        next: format!("install {package}, then run `cargo xtask test` again"),
    })
}

fn is_there_or_installed(root: &Path, asked: &Invocation, package: &str) -> bool {
    asked.succeeds() || (install(root, package) && asked.succeeds())
}

/// A machine that never asked does not know what packages there are.
fn install(root: &Path, package: &str) -> bool {
    println!("{package} is not there; asking the system's packages for it");
    let install = ["install", "--yes", "--no-install-recommends", package];
    let install =
        Invocation::apt_get(root, &install).environment("DEBIAN_FRONTEND", "noninteractive");
    let update = Invocation::apt_get(root, &["update"]);
    install.succeeds() || (update.succeeds() && install.succeeds())
}
