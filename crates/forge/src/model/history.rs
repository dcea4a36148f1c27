//! Reading a repository's history: its references, its commits and what they hold.

use super::paging::{Listing, Page};
use super::refs::CommitFilter;
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::commit::{Commit, email_of};

impl CommitFilter {
    /// Whether the commits themselves have to be looked at.
    fn looks_at_commits(&self) -> bool {
        let Self { path: _, author, committer, since, until } = self;
        author.is_some() || committer.is_some() || since.is_some() || until.is_some()
    }

    fn admits(&self, commit: &Commit) -> bool {
        let is = |wanted: &String| {
            let of_login = email_of(wanted);
            let names = [&commit.author, &commit.email];
            names.into_iter().any(|name| name.eq_ignore_ascii_case(wanted))
                || commit.email.eq_ignore_ascii_case(&of_login)
        };
        self.author.as_ref().is_none_or(is)
            && self.committer.as_ref().is_none_or(is)
            && self.since.is_none_or(|since| commit.at >= since)
            && self.until.is_none_or(|until| commit.at <= until)
    }
}

impl Turn<'_> {
    pub(super) fn contents(&self, reference: &str, path: &str, bytes_max: usize) -> Response {
        if self.repo()?.branches.is_empty() {
            return Err(Refusal::absent("This repository is empty."));
        }
        let unknown = || Refusal::absent(format!("No commit found for the ref {reference}"));
        let sha = self.resolve(reference).ok().ok_or_else(unknown)?;
        let git = &self.repo()?.git;
        let path = well_formed(path)?;
        if let Some(file) = git.file(sha, path, bytes_max)? {
            return Ok(Reply::File(file));
        }
        let folder = git.folder(sha, path)?;
        if folder.entries.is_empty() && !path.is_empty() {
            return Err(Refusal::not_found());
        }
        Ok(Reply::Folder(folder))
    }

    pub(super) fn list_commits(
        &self,
        reference: &str,
        filter: &CommitFilter,
        page: Page,
    ) -> Response {
        if self.repo()?.branches.is_empty() {
            return Err(Refusal::conflict("Git Repository is empty."));
        }
        let tip = self.resolve(reference).ok().ok_or_else(Refusal::not_found)?;
        let git = &self.repo()?.git;
        let path = filter.path.as_deref().map(well_formed).transpose()?;
        let mut shas = git.log(tip, path.filter(|path| !path.is_empty()))?;
        if filter.looks_at_commits() {
            let mut kept = Vec::new();
            for sha in shas {
                let commit = git.commit(sha)?;
                if filter.admits(&commit) {
                    kept.push(sha);
                }
            }
            shas = kept;
        }
        let Listing { items, total, page } = Listing::of(&shas, page, |sha| git.commit(*sha));
        let items = items.into_iter().collect::<Result<_, _>>()?;
        Ok(Reply::Commits(Listing { items, total, page }))
    }
}

/// A path that git can have, without slashes at its ends.
fn well_formed(path: &str) -> Result<&str, Refusal> {
    let path = path.trim_matches('/');
    let is_odd = |part: &str| part.is_empty() || part == "." || part == "..";
    if path.contains('\0') || (!path.is_empty() && path.split('/').any(is_odd)) {
        return Err(Refusal::unprocessable("path contains a malformed path component"));
    }
    Ok(path)
}
