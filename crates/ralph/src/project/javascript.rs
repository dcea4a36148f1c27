//! `package.json`: its scripts, and the package manager by its field or the lock file.

use super::{Commands, Listing, Suggested};
use serde_json::Value;

const FILE: &str = "package.json";
/// Scripts that check something, the first of each row that exists.
const LINT: [&[&str]; 3] = [
    &["lint:check", "lint:ci", "lint"],
    &["typecheck", "type-check", "check-types", "check:types", "tsc"],
    &["format:check", "check:format", "prettier:check"],
];
const TEST: [&str; 3] = ["test:ci", "ci:test", "test"];
/// The test script that `npm init` writes.
const PLACEHOLDER: &str = "no test specified";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manager {
    Npm,
    Pnpm,
    /// The first version, which has other options than its successors.
    YarnOne,
    Yarn,
    Bun,
}

pub(super) fn commands(files: &Listing) -> Commands {
    let package = files.json(FILE);
    if !package.is_object() {
        return Commands::default();
    }
    let (manager, lock) = manager(files, &package);
    let scripts = package.get("scripts").cloned().unwrap_or_default();
    let script = |name: &&str| scripts.get(*name).and_then(Value::as_str);
    let run = |name: &str| Suggested::new(manager.run(name), FILE);
    let lint = LINT.iter().filter_map(|row| row.iter().find(|name| script(name).is_some()));
    let test = TEST.iter().find_map(|name| Some((*name, script(name)?)));
    let test = test.filter(|(_, line)| !line.contains(PLACEHOLDER)).map(|(name, line)| {
        let mut test = run(name);
        // These wait for a key at a terminal, and some of them wherever they run.
        if line.contains("--watch") || line.contains("react-scripts test") {
            test.line = format!("CI=true {}", test.line);
        }
        test
    });
    let needs = |name: &str| package.get(name).and_then(Value::as_object);
    let has_needs = ["dependencies", "devDependencies"]
        .iter()
        .any(|it| needs(it).is_some_and(|it| !it.is_empty()));
    let installs = lock.is_some() || has_needs;
    let setup =
        installs.then(|| Suggested::new(manager.install(lock.is_some()), lock.unwrap_or(FILE)));
    Commands {
        setup: setup.into_iter().collect(),
        lint: lint.map(|name| run(name)).collect(),
        test: test.into_iter().collect(),
        makes: installs.then_some("node_modules"),
    }
}

fn manager(files: &Listing, package: &Value) -> (Manager, Option<&'static str>) {
    let locks = [
        ("pnpm-lock.yaml", Manager::Pnpm),
        ("yarn.lock", Manager::Yarn),
        ("bun.lock", Manager::Bun),
        ("bun.lockb", Manager::Bun),
        ("package-lock.json", Manager::Npm),
        ("npm-shrinkwrap.json", Manager::Npm),
    ];
    let named = package.get("packageManager").and_then(Value::as_str).unwrap_or_default();
    let (name, version) = named.split_once('@').unwrap_or((named, ""));
    let is_first =
        if name == "yarn" { version.starts_with("1.") } else { !files.has(".yarnrc.yml") };
    let manager = match name {
        "pnpm" => Some(Manager::Pnpm),
        "yarn" => Some(Manager::Yarn),
        "bun" => Some(Manager::Bun),
        "npm" => Some(Manager::Npm),
        _ => None,
    };
    let fits = |of: Manager| manager.is_none_or(|manager| manager == of);
    let lock = locks.iter().find(|(lock, of)| files.has(lock) && fits(*of));
    let manager = manager.or_else(|| lock.map(|(_, of)| *of)).unwrap_or(Manager::Npm);
    let manager = if manager == Manager::Yarn && is_first { Manager::YarnOne } else { manager };
    (manager, lock.map(|(lock, _)| *lock))
}

impl Manager {
    fn run(self, script: &str) -> String {
        match self {
            Self::Npm if script == "test" => "npm test".to_owned(),
            Self::Npm => format!("npm run {script}"),
            Self::Pnpm => format!("pnpm run {script}"),
            Self::YarnOne | Self::Yarn => format!("yarn run {script}"),
            Self::Bun => format!("bun run {script}"),
        }
    }

    const fn install(self, has_lock: bool) -> &'static str {
        match (self, has_lock) {
            (Self::Npm, true) => "npm ci",
            (Self::Npm, false) => "npm install",
            (Self::Pnpm, true) => "pnpm install --frozen-lockfile",
            (Self::Pnpm, false) => "pnpm install",
            (Self::YarnOne, true) => "yarn install --frozen-lockfile",
            (Self::Yarn, true) => "yarn install --immutable",
            (Self::YarnOne | Self::Yarn, false) => "yarn install",
            (Self::Bun, true) => "bun install --frozen-lockfile",
            (Self::Bun, false) => "bun install",
        }
    }
}
