//! Repositories and the health of their git on disk.

use std::path::Path;

use super::Forge;
use super::repository::RepositoryId;

impl Forge {
    /// Takes git from the bare repositories in this folder, as after reading a snapshot.
    pub(crate) fn open_git(&mut self, root: &Path) {
        self.git_store = crate::git::store::GitStore::on_disk(root);
        for (id, repository) in &mut self.repositories {
            repository.git = self.git_store.open(id.0);
        }
    }

    /// Marks that changes which were accepted before are done again.
    pub(crate) fn set_replaying(&self, is_replaying: bool) {
        self.git_store.set_replaying(is_replaying);
    }

    /// The id that was given last.
    pub(crate) fn last_id(&self) -> u64 {
        self.last_id
    }

    /// Gives ids above this one only: changes that cannot be done again keep theirs.
    pub(crate) fn continue_after(&mut self, id: u64) {
        self.last_id = self.last_id.max(id);
    }

    /// Repositories in which git failed since this was asked last. A change of them may have been
    /// left half done.
    pub(crate) fn take_git_failures(&self) -> Vec<String> {
        let failed = self.git_store.take_failures();
        let found = failed.into_iter().map(|id| match self.repositories.get(&RepositoryId(id)) {
            Some(repository) => repository.full_name(),
            None => format!("a repository to be made ({id})"),
        });
        found.collect()
    }

    /// Stops all work in this repository, and says why to those who may see it.
    pub(crate) fn set_aside(&mut self, repo: &str, why: &str) {
        if let Ok(repository) = self.repository_mut(repo) {
            repository.set_aside = Some(why.to_owned());
        }
    }

    /// Returns the reason why a repository is set aside, if it is.
    pub(crate) fn why_set_aside(&self, repo: &str) -> Option<&str> {
        self.repository(repo)?.set_aside.as_deref()
    }

    /// `owner/name` as it is spelt here, for any spelling of it.
    pub(crate) fn full_name_of(&self, repo: &str) -> Option<String> {
        self.repository(repo).map(super::repository::Repository::full_name)
    }

    /// Drops a reference that git cannot store.
    pub(crate) fn forget_reference(&mut self, repo: &str, name: &str) {
        if let Ok(repository) = self.repository_mut(repo) {
            match name.strip_prefix("refs/heads/") {
                Some(branch) => repository.branches.remove(branch),
                None => repository.other_references.remove(name),
            };
        }
    }
}
