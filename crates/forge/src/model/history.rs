//! Reading a repository's history: its commits, their changes and their content.

use std::sync::Arc;

use super::context::Context;
use super::paging::{Listing, Page};
use super::refusal::Refusal;
use super::request::{Operation, operations};
use crate::git::commit::{Commit, email_of};
use crate::git::diff::{ChangeForm, Detail, FileChange, FileContent, FolderContent};
use crate::git::sha::Sha;

operations! {
    /// A `reference` is a branch or a full sha, here and below.
    GetCommit { reference: String }
    /// Returns what a commit changed since its first parent.
    ListCommitFiles { sha: Sha, page: Page }
    /// Returns the commits of a reference, newest first.
    ListCommits { reference: String, filter: CommitFilter, page: Page }
    /// Returns a file with its bytes up to so many, or a folder.
    GetContents { reference: String, path: String, bytes_max: usize }
    /// Returns the changes from where two references parted to the second, as text.
    GetDiff { base: String, head: String, form: ChangeForm }
    /// Returns what a commit changed since its first parent, as text.
    GetCommitDiff { sha: Sha, form: ChangeForm }
}

/// The file or folder at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    File(FileContent),
    Folder(FolderContent),
}

/// The commits that a list shows; everything named must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitFilter {
    /// They changed this path.
    pub path: Option<String>,
    /// A login, or the name or address that git has.
    pub author: Option<String>,
    pub committer: Option<String>,
    /// Made at or after this moment, in unix seconds.
    pub since: Option<u64>,
    /// Made at or before this moment, in unix seconds.
    pub until: Option<u64>,
}

impl CommitFilter {
    /// Returns whether the filter needs more of a commit than its sha.
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

impl Operation for GetCommit {
    type Reply = Arc<Commit>;

    fn run(self, context: &mut Context<'_>) -> Result<Arc<Commit>, Refusal> {
        let repo = context.repo()?;
        Ok(repo.git.commit(repo.resolve(&self.reference)?)?)
    }
}

impl Operation for ListCommitFiles {
    type Reply = Listing<FileChange>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<FileChange>, Refusal> {
        let git = &context.repo()?.git;
        let parent = git.commit(self.sha)?.parents.first().copied();
        let files = git.changes(parent, self.sha, Detail::Patches)?;
        Ok(Listing::of(&files, self.page, Clone::clone))
    }
}

impl Operation for ListCommits {
    type Reply = Listing<Arc<Commit>>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Arc<Commit>>, Refusal> {
        let Self { reference, filter, page } = self;
        let repo = context.repo()?;
        if repo.branches.is_empty() {
            return Err(Refusal::conflict("Git Repository is empty."));
        }
        let tip = repo.resolve(&reference).ok().ok_or_else(Refusal::not_found)?;
        let path = filter.path.as_deref().map(well_formed).transpose()?;
        let mut shas = repo.git.log(tip, path.filter(|path| !path.is_empty()))?;
        if filter.looks_at_commits() {
            let mut kept = Vec::new();
            for sha in shas {
                if filter.admits(&*repo.git.commit(sha)?) {
                    kept.push(sha);
                }
            }
            shas = kept;
        }
        let Listing { items, total, page } = Listing::of(&shas, page, |sha| repo.git.commit(*sha));
        let items = items.into_iter().collect::<Result<_, _>>()?;
        Ok(Listing { items, total, page })
    }
}

impl Operation for GetContents {
    type Reply = Contents;

    fn run(self, context: &mut Context<'_>) -> Result<Contents, Refusal> {
        let (repo, reference) = (context.repo()?, self.reference);
        if repo.branches.is_empty() {
            return Err(Refusal::absent("This repository is empty."));
        }
        let unknown = || Refusal::absent(format!("No commit found for the ref {reference}"));
        let sha = repo.resolve(&reference).ok().ok_or_else(unknown)?;
        let path = well_formed(&self.path)?;
        if let Some(file) = repo.git.file(sha, path, self.bytes_max)? {
            return Ok(Contents::File(file));
        }
        let folder = repo.git.folder(sha, path)?;
        if folder.entries.is_empty() && !path.is_empty() {
            return Err(Refusal::not_found());
        }
        Ok(Contents::Folder(folder))
    }
}

impl Operation for GetDiff {
    type Reply = Vec<u8>;

    fn run(self, context: &mut Context<'_>) -> Result<Vec<u8>, Refusal> {
        let repo = context.repo()?;
        let (base, head) = (repo.resolve(&self.base)?, repo.resolve(&self.head)?);
        let parted = repo.git.split(base, head)?.merge_base;
        Ok(repo.git.show_changes(parted, head, self.form)?)
    }
}

impl Operation for GetCommitDiff {
    type Reply = Vec<u8>;

    fn run(self, context: &mut Context<'_>) -> Result<Vec<u8>, Refusal> {
        let git = &context.repo()?.git;
        let parent = git.commit(self.sha)?.parents.first().copied();
        Ok(git.show_changes(parent, self.sha, self.form)?)
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
