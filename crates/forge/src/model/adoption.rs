//! Making a repository out of one that was elsewhere before.

use std::collections::BTreeMap;
use std::path::Path;

use super::Forge;
use super::creation::check_name;
use super::refusal::Refusal;
use super::repository::Visibility;
use crate::git::sha::Sha;
use crate::git::{Git, ref_name};

/// A repository to be taken in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adoption<'a> {
    pub(crate) owner: &'a str,
    pub(crate) name: &'a str,
    pub(crate) visibility: Visibility,
    pub(crate) default_branch: Option<&'a str>,
    /// By full name; branches and tags are taken.
    pub(crate) references: &'a BTreeMap<String, Sha>,
    /// A folder with git's objects, which is moved.
    pub(crate) objects: &'a Path,
}

impl Forge {
    pub(crate) fn adopt(&mut self, now: u64, new: Adoption<'_>) -> Result<(), Refusal> {
        check_name(new.name)?;
        self.create_empty_repository(new.owner, new.name, now)?;
        let repository = self.repository_mut(&format!("{}/{}", new.owner, new.name))?;
        repository.settings.visibility = new.visibility;
        match &repository.git {
            Git::Memory(_graph) => return Err(Refusal::unprocessable("git is not on disk")),
            Git::Disk(bare) => bare.take_objects(new.objects)?,
        }
        for (name, sha) in new.references {
            match name.strip_prefix("refs/heads/") {
                Some(branch) if ref_name::is_well_formed(name) => {
                    repository.branches.insert(branch.to_owned(), *sha);
                }
                None if name.starts_with("refs/tags/") => {
                    repository.other_references.insert(name.clone(), *sha);
                }
                Some(_) | None => {}
            }
        }
        if let Some(branch) = new.default_branch {
            branch.clone_into(&mut repository.default_branch);
        }
        Ok(())
    }
}
