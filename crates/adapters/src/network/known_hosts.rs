//! Hosts that are known by name: those of each agent's provider, and the package registries of each ecosystem.

use ralph_contain::HostRule;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

const ANTHROPIC: &[&str] = &["api.anthropic.com", "console.anthropic.com", "platform.claude.com"];
const OPENAI: &[&str] = &["api.openai.com", "auth.openai.com", "chatgpt.com"];
const GOOGLE: &[&str] =
    &["generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "oauth2.googleapis.com"];
/// It speaks to many providers: the usual ones, its own, and the list of models that it reads at its start.
const OPENCODE: &[&str] = &[
    "opencode.ai",
    "models.dev",
    "api.anthropic.com",
    "api.openai.com",
    "generativelanguage.googleapis.com",
    "openrouter.ai",
];

/// The hosts that an agent of this kind needs for its model and its login; empty for a kind whose provider is not known.
#[must_use]
pub fn provider_hosts(kind: &str) -> Vec<HostRule> {
    let hosts: &[&str] = match kind {
        "claude" => ANTHROPIC,
        "codex" => OPENAI,
        "gemini" => GOOGLE,
        "opencode" => OPENCODE,
        _other => &[],
    };
    rules(hosts)
}

fn rules(hosts: &[&str]) -> Vec<HostRule> {
    hosts.iter().filter_map(|host| host.parse().ok()).collect()
}

/// Folders below the top of a repository in which files of an ecosystem are looked for, as workspaces have them.
const DEPTH_MAX: usize = 3;
/// Entries of folders that are looked at. More would delay every start.
const ENTRIES_MAX: usize = 5_000;
/// Folders of dependencies and results, which say nothing about the repository.
const FOREIGN: [&str; 4] = ["node_modules", "target", "vendor", "dist"];

/// A world of packages with registries of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ecosystem {
    Npm,
    PyPi,
    Crates,
    Go,
    RubyGems,
    Maven,
    Packagist,
}

impl Ecosystem {
    pub const ALL: [Self; 7] = [
        Self::Npm,
        Self::PyPi,
        Self::Crates,
        Self::Go,
        Self::RubyGems,
        Self::Maven,
        Self::Packagist,
    ];

    /// The hosts that its packages come from.
    #[must_use]
    pub fn registries(self) -> Vec<HostRule> {
        rules(match self {
            Self::Npm => &["registry.npmjs.org", "registry.yarnpkg.com"],
            Self::PyPi => &["pypi.org", "files.pythonhosted.org"],
            Self::Crates => &["index.crates.io", "static.crates.io", "crates.io"],
            Self::Go => &["proxy.golang.org", "sum.golang.org"],
            Self::RubyGems => &["rubygems.org", "index.rubygems.org"],
            Self::Maven => &[
                "repo.maven.apache.org",
                "repo1.maven.org",
                "plugins.gradle.org",
                "services.gradle.org",
            ],
            Self::Packagist => &["packagist.org", "repo.packagist.org"],
        })
    }

    /// The files by which a repository shows that it uses it.
    const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Npm => &["package.json"],
            Self::PyPi => {
                &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile"]
            }
            Self::Crates => &["Cargo.toml"],
            Self::Go => &["go.mod"],
            Self::RubyGems => &["Gemfile"],
            Self::Maven => &["pom.xml", "build.gradle", "build.gradle.kts"],
            Self::Packagist => &["composer.json"],
        }
    }

    /// The ecosystems that a working tree has files of. No link is followed.
    #[must_use]
    pub fn found_in(place: &Path) -> Vec<Self> {
        let mut found = BTreeSet::new();
        let (mut folders, mut seen) = (vec![(place.to_owned(), 0)], 0);
        while let Some((folder, depth)) = folders.pop() {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                seen += 1;
                if seen > ENTRIES_MAX {
                    return found.into_iter().collect();
                }
                let name = entry.file_name();
                found.extend(Self::ALL.into_iter().filter(|it| it.has(&name)));
                let below = inner_folder(&entry).filter(|_| depth < DEPTH_MAX);
                folders.extend(below.map(|below| (below, depth + 1)));
            }
        }
        found.into_iter().collect()
    }

    fn has(self, name: &OsStr) -> bool {
        self.files().iter().any(|file| name == *file)
    }
}

/// A folder that may belong to the repository itself.
fn inner_folder(entry: &DirEntry) -> Option<PathBuf> {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let is_own = !name.starts_with('.') && !FOREIGN.contains(&name.as_ref());
    let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
    (is_own && is_folder).then(|| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_that_is_known_can_be_listed() {
        for (kind, count) in [("claude", 3), ("codex", 3), ("gemini", 3), ("opencode", 6)] {
            assert_eq!(provider_hosts(kind).len(), count, "{kind}");
        }
        assert!(provider_hosts("command").is_empty());
        for ecosystem in Ecosystem::ALL {
            assert!(ecosystem.registries().len() >= 2, "{ecosystem:?}");
        }
    }

    #[test]
    fn ecosystems_are_found_in_workspaces_and_not_in_dependencies() {
        let place = tempfile::tempdir().unwrap();
        let files = [
            "Cargo.toml",
            "web/app/package.json",
            "node_modules/x/composer.json",
            ".hidden/go.mod",
            "a/b/c/d/pom.xml",
        ];
        for file in files {
            let file = place.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("Gemfile"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), place.path().join("link")).unwrap();
        assert_eq!(Ecosystem::found_in(place.path()), [Ecosystem::Npm, Ecosystem::Crates]);
    }
}
