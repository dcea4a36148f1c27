//! The bare repositories follow the model. One that cannot is repaired from it, or set aside.

use std::collections::{BTreeMap, BTreeSet};

use super::kept::{Kept, KeptError};
use crate::clock;
use crate::git::bare::{Bare, upkeep};
use crate::git::fault::GitFault;
use crate::git::sha::Sha;

impl Kept {
    /// Lets bare repositories follow the model: those touched, and those never looked at.
    ///
    /// # Errors
    /// One of those touched cannot follow. It is set aside; the others are as they should be.
    pub(super) fn write_references(
        &mut self,
        mut touched: BTreeSet<String>,
    ) -> Result<(), KeptError> {
        let forge = self.site.forge();
        // However they were spelt.
        touched = touched.iter().filter_map(|repo| forge.full_name_of(repo)).collect();
        let asked_for = touched.clone();
        touched.extend(forge.repository_names().filter(|name| !self.written.contains_key(name)));
        let mut trouble = Ok(());
        for repo in touched {
            if self.set_aside.contains_key(&repo) {
                continue;
            }
            if let Err(fault) = self.follow(&repo) {
                self.set_aside(&repo, &fault.to_string());
                if asked_for.contains(&repo) {
                    trouble = Err(fault.into());
                }
            }
        }
        drop(self.site.forge().take_git_failures());
        trouble
    }

    fn follow(&mut self, repo: &str) -> Result<(), GitFault> {
        let forge = self.site.forge();
        let Some(bare) = forge.bare(repo) else { return Ok(()) };
        let Some(view) = forge.repository_seen_by(repo, "") else { return Ok(()) };
        let branch = view.default_branch;
        let wanted = forge.references(repo);
        let before = self.written.remove(repo);
        let wanted = match move_to(&bare, before, &wanted, &branch) {
            Ok(()) => wanted,
            Err(fault) => self.repair(repo, &bare, wanted, &fault)?,
        };
        self.written.insert(repo.to_owned(), (wanted, branch));
        Ok(())
    }

    /// Writes every reference again from the model. A name that git refuses is given up, with a
    /// notice: older versions took names that git does not.
    fn repair(
        &mut self,
        repo: &str,
        bare: &Bare,
        mut wanted: BTreeMap<String, Sha>,
        fault: &GitFault,
    ) -> Result<BTreeMap<String, Sha>, GitFault> {
        upkeep::remove_locks(bare.path());
        let refused = bare.rewrite_references(&wanted)?;
        for (name, words) in &refused {
            if bare.takes_name(name)? {
                return Err(GitFault::broken("repair it", words));
            }
        }
        let is_changed = !refused.is_empty();
        for (name, words) in refused {
            wanted.remove(&name);
            self.site.forge_mut().forget_reference(repo, &name);
            self.notices.push(format!("{repo}: {name:?} was dropped, git refuses it: {words}"));
        }
        let branch = self.site.forge().repository_seen_by(repo, "").map(|view| view.default_branch);
        bare.set_head(&branch.unwrap_or_default())?;
        self.notices.push(format!("{repo}: its references were written again ({fault})"));
        if is_changed {
            let kept = self.keep_whole();
            kept.map_err(|error| GitFault::broken("record the repair", error))?;
        }
        Ok(wanted)
    }

    /// Takes the notices for the operator about the last opening.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Keeps a damaged repository from everybody, the others excepted.
    fn set_aside(&mut self, repo: &str, why: &str) {
        let why =
            format!("{why}. None of its objects was touched; mend it and start the forge again");
        self.site.forge_mut().set_aside(repo, &why);
        self.notices.push(format!("{repo} was set aside: {why}"));
        self.set_aside.insert(repo.to_owned(), why);
    }

    /// Sets aside the repositories whose recorded changes could not be done again in full. The record stays as it is,
    /// so that they can be once the repositories are mended.
    pub(super) fn set_aside_failed(&mut self, failed: BTreeSet<String>) {
        for repo in failed {
            self.is_incomplete = true;
            if !self.set_aside.contains_key(&repo) {
                self.set_aside(&repo, "some of its recorded changes could not be done again");
            }
        }
    }

    /// Keeps the whole site. A record that could not be done again in full would be lost by that, so that
    /// a copy of it stays.
    pub(super) fn keep_whole(&mut self) -> Result<(), KeptError> {
        if self.is_incomplete {
            let copy = self.store.copy(clock::now_ms())?;
            self.notices.push(format!("a copy of all recorded changes is {}", copy.display()));
            self.is_incomplete = false;
        }
        Ok(self.store.snapshot(&self.site)?)
    }
}

/// Moves references from where they are, if that is known, to where they should be.
fn move_to(
    bare: &Bare,
    before: Option<(BTreeMap<String, Sha>, String)>,
    wanted: &BTreeMap<String, Sha>,
    branch: &str,
) -> Result<(), GitFault> {
    let (before, head) = match before {
        Some(before) => before,
        None => {
            upkeep::make_whole(bare.path())
                .map_err(|error| GitFault::broken("make it whole", error))?;
            (bare.references()?, String::new())
        }
    };
    bare.move_references(&before, wanted)?;
    if head != branch {
        bare.set_head(branch)?;
    }
    Ok(())
}
