//! References by their full names: branches, tags, heads of pulls and anything else that was pushed.
//! Those that are no branches can be made, moved and deleted here.

use super::context::Context;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::receive::RefUpdate;
use super::refusal::{DetailCode, Refusal};
use super::repository::Repository;
use super::request::{Operation, operations};
use crate::git::object_kind::{NewTag, ObjectKind, TagObject};
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

/// Makes a tag object; no reference leads to it yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTag(pub NewTag);

operations! {
    /// Names are in full, here and below.
    GetReference { name: String }
    /// Returns the references whose names begin so, by name; all of them without a page.
    ListReferences { prefix: String, page: Option<Page> }
    CreateReference { name: String, sha: Sha }
    UpdateReference { name: String, sha: Sha, force: bool }
    DeleteReference { name: String }
    /// Returns the tags, the last name first.
    ListTags { page: Page }
    GetTag { sha: Sha }
}

impl Repository {
    fn pointer(&self, name: String, sha: Sha) -> Result<Pointer, Refusal> {
        let kind = self.git.kind(sha)?.ok_or_else(Refusal::not_found)?;
        Ok(Pointer { name, sha, kind })
    }
}

impl Operation for GetReference {
    type Reply = Pointer;

    fn run(self, context: &mut Context<'_>) -> Result<Pointer, Refusal> {
        let repo = context.repo()?;
        let sha = repo.references().get(&self.name).copied();
        repo.pointer(self.name, sha.ok_or_else(Refusal::not_found)?)
    }
}

impl Operation for ListReferences {
    type Reply = Listing<Pointer>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<Pointer>, Refusal> {
        let repo = context.repo()?;
        let all = repo.references().into_iter();
        let found: Vec<(String, Sha)> =
            all.filter(|(name, _)| name.starts_with(&self.prefix)).collect();
        let listing = match self.page {
            Some(page) => Listing::of(&found, page, Clone::clone),
            None => {
                let (total, page) = (found.len(), Page { number: 1, size: found.len().max(1) });
                Listing { items: found, total, page }
            }
        };
        let Listing { items, total, page } = listing;
        let shas: Vec<Sha> = items.iter().map(|(_name, sha)| *sha).collect();
        let kinds = repo.git.kinds(&shas)?;
        let pointer = |((name, sha), kind): ((String, Sha), Option<ObjectKind>)| Pointer {
            name,
            sha,
            kind: kind.unwrap_or(ObjectKind::Commit),
        };
        let items = items.into_iter().zip(kinds).map(pointer).collect();
        Ok(Listing { items, total, page })
    }
}

impl Operation for CreateReference {
    type Reply = Pointer;

    fn run(self, context: &mut Context<'_>) -> Result<Pointer, Refusal> {
        context.need(Permission::Write)?;
        if context.repo()?.references().contains_key(&self.name) {
            return Err(Refusal::unprocessable("Reference already exists"));
        }
        context.point(self.name, self.sha)
    }
}

impl Operation for UpdateReference {
    type Reply = Pointer;

    fn run(self, context: &mut Context<'_>) -> Result<Pointer, Refusal> {
        context.need(Permission::Write)?;
        let repo = context.repo()?;
        let here = *repo.other_references.get(&self.name).ok_or_else(no_reference)?;
        let is_forward = match (repo.git.peel(here)?, repo.git.peel(self.sha)?) {
            (Some(from), Some(to)) => repo.git.is_ancestor(from, to)?,
            _no_commits => false,
        };
        if !is_forward && !self.force {
            return Err(Refusal::unprocessable("Update is not a fast forward"));
        }
        context.point(self.name, self.sha)
    }
}

impl Operation for DeleteReference {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Write)?;
        let here = context.repo()?.other_references.get(&self.name).copied();
        let old = Some(here.ok_or_else(no_reference)?);
        context.apply_other(&RefUpdate { name: self.name, old, new: None })
    }
}

impl Context<'_> {
    /// Points a reference that is no branch at an object, and makes it if it does not exist.
    fn point(&mut self, name: String, sha: Sha) -> Result<Pointer, Refusal> {
        if self.repo()?.git.kind(sha)?.is_none() {
            return Err(Refusal::unprocessable("Object does not exist"));
        }
        if !ref_name::is_well_formed(&name) || !ref_name::is_text(&name) {
            return Err(Refusal::invalid("Reference", "ref", DetailCode::Invalid));
        }
        let old = self.repo()?.other_references.get(&name).copied();
        self.apply_other(&RefUpdate { name: name.clone(), old, new: Some(sha) })?;
        self.repo()?.pointer(name, sha)
    }

    fn apply_other(&mut self, update: &RefUpdate) -> Result<(), Refusal> {
        let applied = self.apply_update(update);
        applied.map_err(|declined| Refusal::unprocessable(declined.to_string()))
    }
}

impl Operation for ListTags {
    type Reply = Listing<TagView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<TagView>, Refusal> {
        let repo = context.repo()?;
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
        Ok(Listing::of(&found, self.page, Clone::clone))
    }
}

impl Operation for GetTag {
    type Reply = TagObject;

    fn run(self, context: &mut Context<'_>) -> Result<TagObject, Refusal> {
        context.repo()?.git.tag(self.sha)?.ok_or_else(Refusal::not_found)
    }
}

impl Operation for CreateTag {
    type Reply = TagObject;

    fn run(self, context: &mut Context<'_>) -> Result<TagObject, Refusal> {
        let Self(new) = self;
        context.need(Permission::Write)?;
        let git = &context.repo()?.git;
        let name = format!("{TAGS}{}", new.name);
        if !ref_name::is_text(&name) || !git.takes_name(&name)? {
            return Err(Refusal::invalid("Tag", "tag", DetailCode::Invalid));
        }
        if git.kind(new.object)? != Some(new.kind) {
            return Err(Refusal::invalid("Tag", "object", DetailCode::Invalid));
        }
        Ok(context.repo_mut()?.git.add_tag(&new)?)
    }
}

fn no_reference() -> Refusal {
    Refusal::unprocessable("Reference does not exist")
}
