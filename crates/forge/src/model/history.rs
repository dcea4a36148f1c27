//! Reading a repository's history: its references, its commits and what they hold.

use super::paging::{Listing, Page};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;

impl Turn<'_> {
    pub(super) fn matching_refs(&self, prefix: &str) -> Response {
        let branches = self.repo()?.branches.iter();
        let found = branches.filter(|(name, _sha)| name.starts_with(prefix));
        Ok(Reply::References(found.map(|(name, sha)| (name.clone(), *sha)).collect()))
    }

    pub(super) fn contents(&self, reference: &str, path: &str) -> Response {
        if self.repo()?.branches.is_empty() {
            return Err(Refusal::absent("This repository is empty."));
        }
        let unknown = || Refusal::absent(format!("No commit found for the ref {reference}"));
        let sha = self.resolve(reference).ok().ok_or_else(unknown)?;
        let git = &self.repo()?.git;
        let path = path.trim_matches('/');
        if let Some(text) = git.text(sha, path)? {
            return Ok(Reply::Text(text));
        }
        let entries = git.folder(sha, path)?;
        if entries.is_empty() && !path.is_empty() {
            return Err(Refusal::not_found());
        }
        Ok(Reply::Folder(entries))
    }

    pub(super) fn list_commits(&self, reference: &str, path: Option<&str>, page: Page) -> Response {
        if self.repo()?.branches.is_empty() {
            return Err(Refusal::conflict("Git Repository is empty."));
        }
        let tip = self.resolve(reference).ok().ok_or_else(Refusal::not_found)?;
        let git = &self.repo()?.git;
        let shas = git.log(tip, path)?;
        let Listing { items, total, page } = Listing::of(&shas, page, |sha| git.commit(*sha));
        let items = items.into_iter().collect::<Result<_, _>>()?;
        Ok(Reply::Commits(Listing { items, total, page }))
    }
}
