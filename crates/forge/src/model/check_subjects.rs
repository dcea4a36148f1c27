//! Which commits checks are wanted for: heads of open pulls and tips of protected branches.

use super::Forge;
use super::checks::CheckRun;
use crate::git::sha::Sha;

/// A commit to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CheckSubject {
    pub(crate) head: Sha,
    /// The commit that says which checks there are: nobody changes the checks of their own pull.
    pub(crate) defined_at: Sha,
}

impl Forge {
    pub(crate) fn check_subjects(&self, repo: &str) -> Vec<CheckSubject> {
        let healthy = self.repository(repo).filter(|found| found.set_aside.is_none());
        let Some(repository) = healthy else { return Vec::new() };
        let pulls = repository.open_pulls.iter().filter_map(|number| {
            let pull = repository.issues.get(number)?.pull.as_ref()?;
            Some(CheckSubject { head: pull.head_sha, defined_at: pull.base_sha })
        });
        let branches = repository.branches.iter().filter(|(name, _)| repository.is_protected(name));
        let branches = branches.map(|(_, tip)| CheckSubject { head: *tip, defined_at: *tip });
        let mut subjects: Vec<CheckSubject> = Vec::new();
        for subject in pulls.chain(branches) {
            if !subjects.contains(&subject) {
                subjects.push(subject);
            }
        }
        subjects
    }

    /// Every run of a repository, oldest first.
    pub(crate) fn check_runs(&self, repo: &str) -> impl Iterator<Item = &CheckRun> {
        self.repository(repo).into_iter().flat_map(|repository| repository.check_runs.values())
    }

    /// The latest run of a name on a commit.
    pub(crate) fn latest_check_run(&self, repo: &str, head: Sha, name: &str) -> Option<&CheckRun> {
        let repository = self.repository(repo)?;
        let ids = repository.check_runs_of.get(&head)?.iter().rev();
        ids.filter_map(|id| repository.check_runs.get(id)).find(|run| run.name == name)
    }

    /// The definitions of checks at a commit.
    pub(crate) fn text_for_checks(&self, repo: &str, commit: Sha, path: &str) -> Option<String> {
        let text = self.repository(repo)?.git.text(commit, path).ok()??;
        Some(text.to_string())
    }
}
