//! Guidance: the files of a base commit that speak to agents. They are read from the base and never from a worktree, so
//! that a change cannot instruct its own reviewers.

use crate::digest::Digest;
use crate::excerpt::{ARTIFACT_BYTES_MAX, Excerpt};
use crate::role::Role;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The instruction files of a repository, in the order in which prompts show them.
pub const INSTRUCTION_FILES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// The folder of a repository's own additions to prompts.
const PROMPTS_FOLDER: &str = ".ralph/prompts";

/// Bytes of a file that are read. Prompts show less of an instruction file, and a template may not be as long.
pub const GUIDANCE_BYTES_MAX: usize = ARTIFACT_BYTES_MAX;

/// Files of one base commit, each path with the digest of its text. Copies share them, as every transaction copies runs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Guidance(Arc<BTreeMap<String, Digest>>);

impl Guidance {
    /// Every path that may speak to an agent.
    pub fn paths() -> impl Iterator<Item = String> {
        let instructions = INSTRUCTION_FILES.into_iter().map(str::to_owned);
        instructions.chain(Role::ALL.into_iter().map(prompt_file))
    }

    /// Adds a file, and returns the text to keep under its digest.
    pub fn add(&mut self, path: &str, text: &str) -> (Digest, String) {
        let text: String = Excerpt::of(text, GUIDANCE_BYTES_MAX).into();
        let digest = Digest::of(&text);
        Arc::make_mut(&mut self.0).insert(path.to_owned(), digest);
        (digest, text)
    }

    /// The files that concern a role.
    #[must_use]
    pub fn of_role(&self, role: Role) -> Self {
        let own = prompt_file(role);
        let concerns = |path: &str| INSTRUCTION_FILES.contains(&path) || path == own;
        let files = self.0.iter().filter(|(path, _)| concerns(path));
        Self(Arc::new(files.map(|(path, digest)| (path.clone(), *digest)).collect()))
    }

    /// Each file with its digest.
    pub fn files(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.0.iter().map(|(path, digest)| (path.as_str(), *digest))
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The path of a repository's own addition to the prompt of a role.
#[must_use]
pub fn prompt_file(role: Role) -> String {
    format!("{PROMPTS_FOLDER}/{}.md", role.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_gets_the_instructions_and_its_own_file_only() {
        let mut guidance = Guidance::default();
        for path in Guidance::paths() {
            let (digest, text) = guidance.add(&path, &path);
            assert_eq!(digest, Digest::of(&text));
        }
        let own = guidance.of_role(Role::Plan);
        let paths: Vec<_> = own.files().map(|(path, _)| path.to_owned()).collect();
        assert_eq!(paths, [".ralph/prompts/plan.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"]);
        let stored = serde_json::to_string(&own).unwrap();
        assert_eq!(serde_json::from_str::<Guidance>(&stored).unwrap(), own);
    }
}
