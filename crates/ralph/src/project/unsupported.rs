//! Parts of a repository that Ralph does not support, or supports with a limit worth knowing before the first issue.

use super::Listing;
use serde::Serialize;
use std::collections::BTreeSet;

/// Files that make a folder a project by itself.
const MANIFESTS: [&str; 9] = [
    "Cargo.toml",
    "Gemfile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
];
/// Folders whose projects are only there to be used or tested by others.
const ASIDE: [&str; 8] =
    ["docs", "example", "examples", "fixtures", "node_modules", "test", "tests", "vendor"];
/// Folders named of a repository with many projects.
const NAMED_MAX: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Unsupported {
    pub(crate) what: &'static str,
    pub(crate) says: String,
}

pub(super) fn of_files(files: &Listing) -> Vec<Unsupported> {
    let mut all = Vec::new();
    let mut tell = |what, says: String| all.push(Unsupported { what, says });
    if files.text(".gitmodules").contains("[submodule") {
        let says = "submodules are not checked out in Ralph's worktrees; if the checks need them, fetch them with \
                    `setup = [\"git submodule update --init\"]`, which works for those that need no login";
        tell("submodules", says.to_owned());
    }
    if files.text(".gitattributes").contains("filter=lfs") {
        let says = "files in Git LFS stand as pointers in Ralph's worktrees, so checks that read them fail";
        tell("git-lfs", says.to_owned());
    }
    if files.has_any(&[".github/dco.yml", ".github/dco.yaml"]).is_some() {
        let says = "commits have to be signed off here, and Ralph's have no such line; let the check pass for its account";
        tell("sign-off", says.to_owned());
    }
    if let Some(says) = monorepo(files) {
        tell("monorepo", says);
    }
    all
}

/// Several projects in one repository: all of them have the same commands.
fn monorepo(files: &Listing) -> Option<String> {
    let folder = |path: &str| {
        let (folder, name) = path.rsplit_once('/')?;
        let is_aside = folder.split('/').any(|part| ASIDE.contains(&part));
        (MANIFESTS.contains(&name) && !is_aside).then(|| folder.to_owned())
    };
    let folders: BTreeSet<String> = files.paths().filter_map(folder).collect();
    let has_own = MANIFESTS.iter().any(|name| files.has(name));
    let is_workspace = files.json("package.json").get("workspaces").is_some()
        || files
            .has_any(&["pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json", "go.work"])
            .is_some();
    // A Cargo workspace or a Maven build has commands for all of its parts.
    if folders.is_empty() || has_own && !is_workspace {
        return None;
    }
    let named: Vec<_> = folders.iter().take(NAMED_MAX).map(String::as_str).collect();
    let more = match folders.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let named = named.join(", ");
    Some(format!(
        "there are several projects here ({named}{more}); every change runs the same commands for all of them, \
         whatever it touches"
    ))
}
