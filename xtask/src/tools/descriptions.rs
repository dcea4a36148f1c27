//! GitHub's own descriptions of its API and its webhooks, from npm packages.

use crate::command::Invocation;
use crate::failure::Failure;
use std::fs;
use std::path::Path;

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

/// The path of the wanted file in both packages.
const INSIDE: &str = "package/generated/api.github.com.json";

pub(super) fn ensure(folder: &Path) -> Result<(), Failure> {
    DESCRIPTIONS.iter().try_for_each(|description| fetch(folder, description))
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
