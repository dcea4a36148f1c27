//! References by their full names: branches, tags, heads of pulls and whatever else was pushed.
//! Those that are no branches can be made, moved and deleted here.

use super::Forge;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::receive::RefUpdate;
use super::refusal::{DetailCode, Refusal};
use super::reply::{Reply, Response};
use super::turn::Turn;
use crate::git::object_kind::{NewTag, ObjectKind};
use crate::git::ref_name;
use crate::git::sha::Sha;

const TAGS: &str = "refs/tags/";

/// A reference and what it points to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// In full, such as `refs/tags/v1`.
    pub name: String,
    pub sha: Sha,
    pub kind: ObjectKind,
}

/// A tag and the commit that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagView {
    /// Without `refs/tags/`.
    pub name: String,
    pub commit: Sha,
}

/// Names are in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefCall {
    /// → `Pointer`
    Get { name: String },
    /// → `Pointers` whose names begin so, by name; all of them without a page
    Matching { prefix: String, page: Option<Page> },
    /// → `Pointer`
    Create { name: String, sha: Sha },
    /// → `Pointer`
    Update { name: String, sha: Sha, force: bool },
    /// → `Done`
    Delete { name: String },
    /// → `Tags`, the last name first
    Tags { page: Page },
    /// → `TagObject`
    GetTag { sha: Sha },
    /// → `TagObject`; no reference leads to it yet
    CreateTag(NewTag),
}

impl Turn<'_> {
    pub(super) fn ref_call(&mut self, call: RefCall) -> Response {
        match call {
            RefCall::Get { name } => {
                let all = self.references()?;
                let sha = *all.get(&name).ok_or_else(Refusal::not_found)?;
                self.pointer(name, sha)
            }
            RefCall::Matching { prefix, page } => self.matching(&prefix, page),
            RefCall::Create { name, sha } => {
                self.need(Permission::Write)?;
                if self.references()?.contains_key(&name) {
                    return Err(Refusal::unprocessable("Reference already exists"));
                }
                self.point(name, sha)
            }
            RefCall::Update { name, sha, force } => self.update_other(name, sha, force),
            RefCall::Delete { name } => {
                self.need(Permission::Write)?;
                let here = self.repo()?.other_references.get(&name).copied();
                let here = here.ok_or_else(no_reference)?;
                self.apply_other(&RefUpdate { name, old: Some(here), new: None })?;
                Ok(Reply::Done)
            }
            RefCall::Tags { page } => self.tags(page),
            RefCall::GetTag { sha } => {
                let tag = self.repo()?.git.tag(sha)?;
                Ok(Reply::TagObject(Box::new(tag.ok_or_else(Refusal::not_found)?)))
            }
            RefCall::CreateTag(new) => self.create_tag(&new),
        }
    }

    fn references(&self) -> Result<std::collections::BTreeMap<String, Sha>, Refusal> {
        Ok(Forge::references_of(self.repo()?))
    }

    fn pointer(&self, name: String, sha: Sha) -> Response {
        let kind = self.repo()?.git.kind(sha)?.ok_or_else(Refusal::not_found)?;
        Ok(Reply::Pointer(Pointer { name, sha, kind }))
    }

    fn matching(&self, prefix: &str, page: Option<Page>) -> Response {
        let all = self.references()?.into_iter();
        let found: Vec<(String, Sha)> = all.filter(|(name, _)| name.starts_with(prefix)).collect();
        let listing = match page {
            Some(page) => Listing::of(&found, page, Clone::clone),
            None => {
                let (total, page) = (found.len(), Page { number: 1, size: found.len().max(1) });
                Listing { items: found, total, page }
            }
        };
        let Listing { items, total, page } = listing;
        let shas: Vec<Sha> = items.iter().map(|(_name, sha)| *sha).collect();
        let kinds = self.repo()?.git.kinds(&shas)?;
        let pointer = |((name, sha), kind): ((String, Sha), Option<ObjectKind>)| Pointer {
            name,
            sha,
            kind: kind.unwrap_or(ObjectKind::Commit),
        };
        let items = items.into_iter().zip(kinds).map(pointer).collect();
        Ok(Reply::Pointers(Listing { items, total, page }))
    }

    /// Lets a reference that is no branch point somewhere, whether it is there or not.
    fn point(&mut self, name: String, sha: Sha) -> Response {
        if self.repo()?.git.kind(sha)?.is_none() {
            return Err(Refusal::unprocessable("Object does not exist"));
        }
        if !ref_name::is_well_formed(&name) || !ref_name::is_text(&name) {
            return Err(Refusal::invalid("Reference", "ref", DetailCode::Invalid));
        }
        let old = self.repo()?.other_references.get(&name).copied();
        self.apply_other(&RefUpdate { name: name.clone(), old, new: Some(sha) })?;
        self.pointer(name, sha)
    }

    fn update_other(&mut self, name: String, sha: Sha, force: bool) -> Response {
        self.need(Permission::Write)?;
        let repo = self.repo()?;
        let here = *repo.other_references.get(&name).ok_or_else(no_reference)?;
        let ends = (repo.git.peel(here)?, repo.git.peel(sha)?);
        let is_forward = match ends {
            (Some(from), Some(to)) => repo.git.is_ancestor(from, to)?,
            _no_commits => false,
        };
        if !is_forward && !force {
            return Err(Refusal::unprocessable("Update is not a fast forward"));
        }
        self.point(name, sha)
    }

    fn apply_other(&mut self, update: &RefUpdate) -> Result<(), Refusal> {
        let applied = self.apply_update(update);
        applied.map_err(|declined| Refusal::unprocessable(declined.to_string()))
    }

    fn tags(&self, page: Page) -> Response {
        let repo = self.repo()?;
        let named = repo.other_references.iter().rev();
        let named = named.filter_map(|(name, sha)| Some((name.strip_prefix(TAGS)?, *sha)));
        let (names, shas): (Vec<&str>, Vec<Sha>) = named.unzip();
        let kinds = repo.git.kinds(&shas)?;
        let mut found = Vec::new();
        for ((name, sha), kind) in names.into_iter().zip(shas).zip(kinds) {
            let commit = match kind {
                Some(ObjectKind::Commit) => Some(sha),
                Some(ObjectKind::Tag) => repo.git.peel(sha)?,
                Some(ObjectKind::Tree | ObjectKind::Blob) | None => None,
            };
            found.extend(commit.map(|commit| TagView { name: name.to_owned(), commit }));
        }
        Ok(Reply::Tags(Listing::of(&found, page, Clone::clone)))
    }

    fn create_tag(&mut self, new: &NewTag) -> Response {
        self.need(Permission::Write)?;
        let git = &self.repo()?.git;
        let name = format!("{TAGS}{}", new.name);
        if !ref_name::is_text(&name) || !git.takes_name(&name)? {
            return Err(Refusal::invalid("Tag", "tag", DetailCode::Invalid));
        }
        if git.kind(new.object)? != Some(new.kind) {
            return Err(Refusal::invalid("Tag", "object", DetailCode::Invalid));
        }
        let tag = self.repo_mut()?.git.add_tag(new)?;
        Ok(Reply::TagObject(Box::new(tag)))
    }
}

fn no_reference() -> Refusal {
    Refusal::unprocessable("Reference does not exist")
}
