//! How simulated agents cheat, and what the adapters would find when they look.

use crate::prng::Prng;
use crate::town::{Town, sha};
use ralph_core::change::{self, Findings};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::test_files::Changes;
use ralph_forge::Sha;

/// The tests of every repository, and what stands there as long as they find what is broken.
pub(crate) const TESTS: &str = "tests/all.txt";
pub(crate) const STRICT: &str = "strict";

/// What looks like a token of GitHub's.
pub(crate) const SECRET: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";

/// Why files cannot be taken, as the adapters would say it.
#[derive(Debug)]
pub(crate) struct Refused(pub(crate) String);

pub(crate) fn refusal(files: &[(String, String)]) -> Option<Refused> {
    files.iter().find_map(|(path, text)| {
        let Findings { is, secrets } = change::scan(path, text);
        let why = is.or_else(|| secrets.first().map(|secret| secret.is))?;
        Some(Refused(format!("{path} {why}")))
    })
}

impl Town {
    pub(crate) fn is_broken(&self, commit: &ralph_core::ids::Sha, issue: &IssueKey) -> bool {
        self.text_in(commit.as_str(), issue).contains("broken build")
    }

    pub(crate) fn is_strict(&self, repo: &RepoName, commit: &ralph_core::ids::Sha) -> bool {
        commit.as_str().parse().is_ok_and(|commit| self.has_strict_tests(repo, commit))
    }

    /// Do the tests of this commit find what is broken?
    pub(crate) fn has_strict_tests(&self, repo: &RepoName, commit: Sha) -> bool {
        self.forge().text_at(repo.as_str(), commit, TESTS).is_none_or(|text| *text == *STRICT)
    }

    /// Which files of the base differ in the head, and which are new.
    pub(crate) fn changes(&self, repo: &RepoName, base: Sha, head: Sha) -> Changes {
        let (mut edited, mut added) = (Vec::new(), Vec::new());
        for (path, text) in self.files_at(repo, head) {
            match self.forge().text_at(repo.as_str(), base, &path) {
                None => added.push(path.to_string()),
                Some(before) if before != text => edited.push(path.to_string()),
                Some(_) => {}
            }
        }
        Changes { base: sha(base), edited, added, is_cut: false }
    }
}

pub(crate) fn lying_plan(prng: &mut Prng, honest: &str) -> String {
    match prng.below(4) {
        0 => format!("{honest}\nPRODUCT GAP: what should it say?\n"),
        1 => format!("{honest}\nPRODUCT GAP: none\nNO PRODUCT GAP: all is clear\n"),
        2 => "I would just start.".to_owned(),
        _ => format!(
            "{honest}\n{{\"decision\":\"escalate\",\"confidence\":\"high\",\"escalation_reason\":\"unsure\"}}"
        ),
    }
}

pub(crate) fn lying_review(prng: &mut Prng, prefix: &str, honest: &str) -> String {
    match prng.below(4) {
        0 => "All tests pass, ship it!".to_owned(),
        1 => format!("{honest}{honest}"),
        2 => format!("```\n{prefix} {{\"status\":\"pass\",\"reason\":\"quoted\"}}\n```\nDone."),
        _ => format!("{prefix} {{\"status\":\"PASS\"}}"),
    }
}
