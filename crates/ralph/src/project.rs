//! A project as its files show it: the commands that set it up and check it, the checks of its CI, and parts of it
//! that Ralph does not support. Everything here is computed from a listing of files; nothing is read or started.

mod ignored;
mod javascript;
mod jvm;
mod make;
mod php;
mod python;
mod ruby;
mod rust_and_go;
mod unsupported;
mod workflow;

use serde::Serialize;
use std::collections::BTreeMap;
pub(crate) use unsupported::Unsupported;

/// Files at the top of a project whose text says something about its commands.
const READ: [&str; 30] = [
    ".flake8",
    ".gitattributes",
    ".gitignore",
    ".gitmodules",
    "Cargo.toml",
    "GNUmakefile",
    "Gemfile",
    "Makefile",
    "Pipfile",
    "Rakefile",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "go.mod",
    "go.work",
    "lerna.json",
    "makefile",
    "package.json",
    "pnpm-workspace.yaml",
    "pom.xml",
    "pyproject.toml",
    "pytest.ini",
    "requirements-dev.txt",
    "requirements-test.txt",
    "requirements.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "setup.cfg",
    "setup.py",
    "tox.ini",
];
/// The checks of a repository on the embedded forge.
const LOCAL_CHECKS: &str = ".ralph/checks.toml";

/// The files of a project by their path from its top. Only those in [`Listing::is_read`] have a text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Listing {
    files: BTreeMap<String, String>,
}

/// A command line for a shell, and the file that suggests it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Suggested {
    pub(crate) line: String,
    pub(crate) from: String,
}

/// The commands of one kind of project.
#[derive(Debug, Default)]
struct Commands {
    setup: Vec<Suggested>,
    lint: Vec<Suggested>,
    test: Vec<Suggested>,
    /// A folder that setup makes, which must not become part of a change.
    makes: Option<&'static str>,
}

/// The findings about a project.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) setup: Vec<Suggested>,
    pub(crate) preflight: Vec<Suggested>,
    pub(crate) unsupported: Vec<Unsupported>,
}

/// One kind of project each. A new one is a file and a line here.
const KINDS: [fn(&Listing) -> Commands; 8] = [
    javascript::commands,
    rust_and_go::cargo,
    rust_and_go::go,
    python::commands,
    ruby::commands,
    php::commands,
    jvm::maven,
    jvm::gradle,
];

/// The project in these files. `bot` is the branch that Ralph's pull requests go to.
pub(crate) fn detect(files: &Listing, bot: &str) -> Project {
    let kinds: Vec<_> = KINDS.iter().map(|commands| commands(files)).collect();
    let mut unsupported = unsupported::of_files(files);
    unsupported.extend(kinds.iter().filter_map(|kind| ignored::finding(files, kind.makes?)));
    unsupported.extend(workflow::silent(files, bot));
    let setup = kinds.iter().flat_map(|kind| kind.setup.clone()).collect();
    let make = make::commands(files);
    let preflight = if make.check.is_empty() {
        let or = |own: &[Suggested], of: fn(&Commands) -> &Vec<Suggested>| match own {
            [] => kinds.iter().flat_map(|kind| of(kind).clone()).collect(),
            own => own.to_vec(),
        };
        [or(&make.lint, |kind| &kind.lint), or(&make.test, |kind| &kind.test)].concat()
    } else {
        make.check
    };
    Project { setup, preflight, unsupported }
}

/// The names of the checks that CI reports for each pull request to the branch `bot`. An embedded forge has its own
/// definitions, and runs no workflow of GitHub's.
pub(crate) fn ci_checks(files: &Listing, bot: &str, is_embedded: bool) -> Vec<String> {
    if !is_embedded {
        return workflow::checks(files, bot);
    }
    let checks = files.toml(LOCAL_CHECKS);
    let checks = checks.get("check").and_then(|list| list.as_array()).cloned().unwrap_or_default();
    checks.iter().filter_map(|check| check.get("name")?.as_str().map(str::to_owned)).collect()
}

/// What a repository shows that Ralph does not support, from its files alone.
pub(crate) fn unsupported(files: &Listing) -> Vec<Unsupported> {
    unsupported::of_files(files)
}

impl Listing {
    pub(crate) fn new(files: BTreeMap<String, String>) -> Self {
        Self { files }
    }

    /// Is the text of the file at this path looked at?
    pub(crate) fn is_read(path: &str) -> bool {
        READ.contains(&path) || path == LOCAL_CHECKS || workflow::is_one(path)
    }

    fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn has_any<'a>(&self, paths: &[&'a str]) -> Option<&'a str> {
        paths.iter().copied().find(|path| self.has(path))
    }

    /// Is there a file in this folder?
    fn has_below(&self, folder: &str) -> bool {
        let start = format!("{folder}/");
        let mut from = self.files.range(start.clone()..);
        from.next().is_some_and(|(path, _)| path.starts_with(&start))
    }

    /// Empty when there is no such file.
    fn text(&self, path: &str) -> &str {
        self.files.get(path).map_or("", String::as_str)
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Null when there is no such file, or when it is not JSON.
    fn json(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(self.text(path)).unwrap_or_default()
    }

    /// Null when there is no such file, or when it is not TOML.
    fn toml(&self, path: &str) -> serde_json::Value {
        toml::from_str(self.text(path)).unwrap_or_default()
    }
}

impl Suggested {
    fn new(line: impl Into<String>, from: impl Into<String>) -> Self {
        Self { line: line.into(), from: from.into() }
    }
}

#[cfg(test)]
mod tests;
