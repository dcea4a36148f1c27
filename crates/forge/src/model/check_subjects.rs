//! The commits that checks are wanted for: heads of open pulls and tips of protected branches.

use super::Forge;
use super::checks::CheckRun;
use crate::git::sha::Sha;

/// A commit to be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CheckSubject {
    pub(crate) head: Sha,
    /// The branch that it is checked for.
    pub(crate) base: String,
    /// The commit that defines the checks. It is not the head, so a pull cannot change its own checks.
    pub(crate) defined_at: Sha,
}

impl Forge {
    pub(crate) fn check_subjects(&self, repo: &str) -> Vec<CheckSubject> {
        let healthy = self.repository(repo).filter(|found| found.set_aside.is_none());
        let Some(repository) = healthy else { return Vec::new() };
        let pulls = repository.open_pulls.iter().filter_map(|number| {
            let pull = repository.issues.get(number)?.pull.as_ref()?;
            let base = pull.base.clone();
            Some(CheckSubject { head: pull.head_sha, base, defined_at: pull.base_sha })
        });
        let branches = repository.branches.iter().filter(|(name, _)| repository.is_protected(name));
        let branches = branches.map(|(name, tip)| CheckSubject {
            head: *tip,
            base: name.clone(),
            defined_at: *tip,
        });
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

    /// Returns whether a commit has a run of this name that counts for a branch.
    pub(crate) fn is_checked(&self, repo: &str, head: Sha, base: &str, name: &str) -> bool {
        let Some(repository) = self.repository(repo) else { return false };
        let ids = repository.check_runs_of.get(&head).into_iter().flatten();
        let counts = |run: &CheckRun| run.base.as_ref().is_none_or(|own| own == base);
        let mut runs = ids.filter_map(|id| repository.check_runs.get(id));
        runs.any(|run| run.name == name && counts(run))
    }

    /// Says for which branch a run is made.
    pub(crate) fn bind_check_run(&mut self, repo: &str, id: u64, base: Option<String>) {
        let run = self.repository_mut(repo).ok().and_then(|found| found.check_runs.get_mut(&id));
        if let Some(run) = run {
            run.base = base;
        }
    }

    /// Returns the definitions of checks at a commit, which are empty without the file, or the reason why
    /// they are unknown.
    pub(crate) fn text_for_checks(
        &self,
        repo: &str,
        commit: Sha,
        path: &str,
    ) -> Result<String, String> {
        let Some(repository) = self.repository(repo) else { return Ok(String::new()) };
        let text = repository.git.text(commit, path).map_err(|fault| fault.to_string())?;
        Ok(text.map_or_else(String::new, |text| text.to_string()))
    }
}
