//! What tests need beyond Rust and git, fetched once into the target folder or from the system's packages:
//! GitHub's own descriptions of its API, and the sandbox that agents run in.

use crate::command::Invocation;
use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// One file of an npm package, under the name tests look for.
struct Description {
    package: &'static str,
    archive: &'static str,
    name: &'static str,
}

const DESCRIPTIONS: [Description; 2] = [
    Description {
        package: "@octokit/openapi@23.0.2",
        archive: "octokit-openapi-23.0.2.tgz",
        name: "api.github.com.json",
    },
    Description {
        package: "@octokit/openapi-webhooks@12.1.0",
        archive: "octokit-openapi-webhooks-12.1.0.tgz",
        name: "webhooks.json",
    },
];

/// Where the wanted file lies in both packages.
const INSIDE: &str = "package/generated/api.github.com.json";

pub(crate) fn ensure(root: &Path) -> Result<(), Failure> {
    let folder = target_folder(root)?.join("github-openapi");
    for description in &DESCRIPTIONS {
        fetch(&folder, description)?;
    }
    ensure_sandbox(root);
    Ok(())
}

fn fetch(folder: &Path, description: &Description) -> Result<(), Failure> {
    let wanted = folder.join(description.name);
    if wanted.exists() {
        return Ok(());
    }
    println!("fetching {} from the npm registry", description.package);
    // Beside its place first, so that half a file is never taken for the whole.
    let beside = folder.join(format!("{}.part", description.name));
    let using = |doing, path: &Path, source| Failure::File { doing, path: path.to_owned(), source };
    fs::create_dir_all(&beside).map_err(|source| using("make the folder", &beside, source))?;
    let pack = ["pack", "--silent", description.package];
    Invocation::npm(&beside, &pack).stdout()?;
    Invocation::tar(&beside, &["-xzf", description.archive, INSIDE]).stdout()?;
    let unpacked = beside.join(INSIDE);
    fs::rename(&unpacked, &wanted).map_err(|source| using("move", &unpacked, source))?;
    fs::remove_dir_all(&beside).map_err(|source| using("remove the folder", &beside, source))
}

/// Tests of the sandbox say so when it cannot be had, and test the guard process all the same.
fn ensure_sandbox(root: &Path) {
    if Invocation::bubblewrap(root, &["--version"]).succeeds() {
        return;
    }
    println!("bubblewrap is not there; asking the system's packages for it");
    let install = ["install", "--yes", "--no-install-recommends", "bubblewrap"];
    if !Invocation::apt_get(root, &install).succeeds() {
        println!("bubblewrap could not be installed; its tests will say so");
    }
}

/// Where cargo puts what it builds.
fn target_folder(root: &Path) -> Result<PathBuf, Failure> {
    let command = Invocation::cargo(root, &["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: serde_json::Value = serde_json::from_str(&command.stdout()?)
        .map_err(|source| Failure::NotJson { command: command.shown(), source })?;
    let folder = metadata.get("target_directory").and_then(serde_json::Value::as_str);
    folder.map(PathBuf::from).ok_or_else(|| Failure::Missing {
        what: "cargo does not say where its target folder is".to_owned(),
        next: "run `cargo metadata` and see what is wrong".to_owned(),
    })
}
