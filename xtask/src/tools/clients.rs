//! Other people's clients of GitHub, which the forge has to satisfy: `PyGithub`, `github3.py` and `@octokit/rest`
//! in the target folder, exactly as their lists beside the tests say, and `gh` from the system's packages.

use super::{packages, system};
use crate::command::Invocation;
use crate::failure::Failure;
use std::path::Path;

/// The folder of the lists.
const LISTS: &str = "crates/forge/tests/clients";

pub(super) fn ensure(root: &Path, folder: &Path) -> Result<(), Failure> {
    system::ensure(root, &Invocation::gh(root, &["--version"]), "gh")?;
    ensure_python(root, folder)?;
    ensure_octokit(root, folder)
}

fn ensure_python(root: &Path, folder: &Path) -> Result<(), Failure> {
    // Some of its packages are built for one version of Python.
    let python = Invocation::python(root, &["--version"]);
    system::ensure(root, &python, "python3")?;
    let list = root.join(LISTS).join("requirements.txt");
    let wanted = format!("{}{}", python.stdout()?, packages::read(&list)?);
    packages::ensure_folder(
        &folder.join("python"),
        &wanted,
        "PyGithub and github3.py from PyPI",
        |place| {
            system::ensure(
                root,
                &Invocation::python(root, &["-m", "pip", "--version"]),
                "python3-pip",
            )?;
            let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--requirement"];
            let pip = Invocation::python(root, &pip).argument(list.display().to_string());
            pip.argument("--target").argument(place.display().to_string()).stdout().map(drop)
        },
    )
}

fn ensure_octokit(root: &Path, folder: &Path) -> Result<(), Failure> {
    let lists = root.join(LISTS);
    packages::ensure_npm(&lists, &folder.join("node"), "@octokit/rest", &[])
}
