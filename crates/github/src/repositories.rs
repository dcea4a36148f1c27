//! Reading a repository: who we are, what people may do in it, its branches, history and labels.

use crate::client::Client;
use crate::page::PAGE_ITEMS;
use crate::reading::if_there;
use crate::route;
use crate::transport::Transport;
use crate::wire::User;
use crate::wire::app::Granted;
use crate::wire::issue::Label;
use crate::wire::repository::{
    self, BranchHead, CollaboratorPermission, Comparison, GitCommit, Owner, Permissions,
};
use ralph_core::ids::{Branch, Login, RepoName, Sha};
use ralph_core::policy::MergeMethod;
use ralph_core::repo::Branches;
use ralph_engine::ports::{LabelDefinition, Read, Rights, Unread};
use std::sync::Arc;

/// A repository as we see it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "facts that have nothing to do with each other")]
pub struct Repository {
    /// With the case its owner gave it.
    pub full_name: String,
    pub default_branch: Branch,
    pub is_private: bool,
    pub is_archived: bool,
    pub has_issues: bool,
    /// Our own permissions.
    pub rights: Rights,
    pub is_admin: bool,
    /// The permissions that an App lacks, in the words of its settings. Empty for a token.
    pub lacks: Vec<&'static str>,
    /// A mention of an organization notifies no person.
    pub is_of_organization: bool,
    /// Ways to merge that are switched off, as far as the forge says.
    pub refused_merges: Vec<MergeMethod>,
}

impl Repository {
    /// Is this its name today? Case makes no difference.
    #[must_use]
    pub fn is_called(&self, name: &RepoName) -> bool {
        self.full_name.eq_ignore_ascii_case(name.as_str())
    }
}

impl<T: Transport> Client<T> {
    /// The user to whom the token belongs, or the App's own user.
    pub fn identity(&mut self) -> Read<Login> {
        let account = Arc::clone(&self.account);
        if let Some(app) = account.credentials.app() {
            return self.app_login(app);
        }
        Ok(Login::new(&self.get::<User>("/user")?.login))
    }

    /// `None`: there is no such repository, or we may not see it. One that was renamed is shown with its new name.
    pub fn repository(&mut self, repo: &RepoName) -> Read<Option<Repository>> {
        let account = Arc::clone(&self.account);
        let granted = match account.credentials.app() {
            None => None,
            Some(app) => match self.granted(app, repo)? {
                None => return Ok(None),
                granted => granted,
            },
        };
        let found = if_there(self.read_repository(repo))?;
        Ok(found.map(|found| {
            // The flags are a person's. An App's rights come with its token.
            let (rights, is_admin) = granted.as_ref().map_or_else(
                || {
                    let is_admin = found.permissions.is_some_and(|found| found.admin);
                    (found.permissions.map_or(NO_RIGHTS, rights), is_admin)
                },
                |granted| {
                    let push = granted.may_push();
                    (Rights { triage: push, push }, granted.is_admin())
                },
            );
            Repository {
                full_name: found.full_name.clone(),
                default_branch: found.default_branch.clone(),
                is_private: found.private,
                is_archived: found.archived,
                has_issues: found.has_issues,
                rights,
                is_admin,
                lacks: granted.as_ref().map_or_else(Vec::new, Granted::lacking),
                is_of_organization: found.owner.as_ref().is_some_and(Owner::is_organization),
                refused_merges: MERGE_METHODS
                    .into_iter()
                    .filter(|how| found.allows(*how) == Some(false))
                    .collect(),
            }
        }))
    }

    /// A person that the forge does not know here has no rights.
    pub(crate) fn read_rights(&mut self, repo: &RepoName, login: &Login) -> Read<Rights> {
        let login = route::part(login.as_str());
        let path = format!("/repos/{repo}/collaborators/{login}/permission");
        let Some(found) = if_there(self.get::<CollaboratorPermission>(&path))? else {
            return Ok(NO_RIGHTS);
        };
        let exact = found.user.as_ref().and_then(|user| user.permissions);
        Ok(exact.map_or_else(|| rights_of_role(&found), rights))
    }

    pub(crate) fn read_branches(&mut self, repo: &RepoName, bot: &Branch) -> Read<Branches> {
        let known = self.account.known().default_branch(repo, self.account.now());
        let found = match known {
            Some(default) => self.read_head(repo, &default)?.map(|head| (default, head)),
            None => None,
        };
        let (default, default_head) = match found {
            Some(found) => found,
            // Not known, or renamed meanwhile.
            None => self.read_default(repo)?,
        };
        let bot_head =
            if *bot == default { Some(default_head.clone()) } else { self.read_head(repo, bot)? };
        Ok(Branches { default, default_head, bot_head })
    }

    fn read_default(&mut self, repo: &RepoName) -> Read<(Branch, Sha)> {
        self.account.known().forget_default_branch(repo);
        let found = self.get::<repository::Repository>(&route::repository(repo))?;
        let default = found.default_branch.clone();
        let Some(head) = self.read_head(repo, &default)? else {
            let why = format!("{repo} has no commit on its default branch {default} yet");
            return Err(Unread::failed(why));
        };
        self.account.known().learn_default_branch(repo, &default, self.account.now());
        Ok((default, head))
    }

    fn read_head(&mut self, repo: &RepoName, branch: &Branch) -> Read<Option<Sha>> {
        let head = if_there(self.get::<BranchHead>(&route::branch(repo, branch)))?;
        Ok(head.map(|head| head.commit.sha.clone()))
    }

    /// History behind two commits never changes, so it is asked for once. A commit that the forge does not
    /// know contains nothing.
    pub(crate) fn read_contains(
        &mut self,
        repo: &RepoName,
        head: &Sha,
        commit: &Sha,
    ) -> Read<bool> {
        if head == commit {
            return Ok(true);
        }
        let found = if_there(self.get_final::<Comparison>(&route::comparison(repo, commit, head)))?;
        Ok(found.is_some_and(|found| found.behind_by == 0))
    }

    /// The files that differ from where the two parted. A commit that the forge does not know yet is no answer.
    pub(crate) fn read_brings_changes(
        &mut self,
        repo: &RepoName,
        base: &Sha,
        head: &Sha,
    ) -> Read<bool> {
        let found = self.get_final::<Comparison>(&route::comparison(repo, base, head))?;
        Ok(!found.files.is_empty())
    }

    /// A commit never changes.
    pub(crate) fn read_tree_of(&mut self, repo: &RepoName, commit: &Sha) -> Read<Option<String>> {
        let path = format!("/repos/{repo}/git/commits/{}", route::part(commit.as_str()));
        let found = if_there(self.get_final::<GitCommit>(&path))?;
        Ok(found.map(|found| found.tree.sha.as_str().to_owned()))
    }

    pub(crate) fn read_labels(&mut self, repo: &RepoName) -> Read<Vec<LabelDefinition>> {
        let path = format!("/repos/{repo}/labels?per_page={PAGE_ITEMS}");
        let pages = self.list_each::<Label>(&path)?;
        Ok(pages.iter().flat_map(|page| page.iter()).map(Label::shown).collect())
    }
}

const MERGE_METHODS: [MergeMethod; 3] =
    [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase];

const NO_RIGHTS: Rights = Rights { triage: false, push: false };

const fn rights(found: Permissions) -> Rights {
    let push = found.push || found.maintain || found.admin;
    Rights { triage: found.triage || push, push }
}

fn rights_of_role(found: &CollaboratorPermission) -> Rights {
    let push = matches!(found.permission.as_str(), "admin" | "maintain" | "write");
    Rights { triage: push || found.role_name.as_deref() == Some("triage"), push }
}
