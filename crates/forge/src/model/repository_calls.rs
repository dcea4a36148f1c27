//! Calls about a repository as a whole: its settings and who may do what in it.

use std::collections::BTreeSet;

use super::accounts::AccountKind;
use super::merging::MergeMethod;
use super::paging::{Listing, Page};
use super::permission::{CollaboratorPermission, Permission};
use super::refusal::{DetailCode, Refusal};
use super::reply::{Reply, Response};
use super::repository::{Feature, Repository, Settings, Visibility};
use super::turn::Turn;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepositoryCall {
    /// → `Repository`
    Get,
    /// → `Permission`
    Permission { login: String },
    /// → `Repository`
    SetDefaultBranch { branch: String },
    /// → `Repository`
    Edit(RepositoryEdit),
    /// → `Collaborators`: the owner and everyone with a role, by login
    Collaborators { page: Page },
    /// → `Done`, or 404 when they have no role
    IsCollaborator { login: String },
    /// → `Done`; they need not accept an invitation
    Grant { login: String, role: Permission },
    /// → `Done`
    Revoke { login: String },
}

/// Absent fields stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepositoryEdit {
    pub default_branch: Option<String>,
    /// An empty one is taken away.
    pub description: Option<String>,
    pub visibility: Option<Visibility>,
    pub has_issues: Option<bool>,
    /// An empty one is taken away.
    pub homepage: Option<String>,
    /// On from now on (true) or off (false).
    pub features: Vec<(Feature, bool)>,
    pub delete_branch_on_merge: Option<bool>,
    /// Allowed from now on (true) or not (false).
    pub merge_methods: Vec<(MergeMethod, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryView {
    pub id: u64,
    pub owner: String,
    pub name: String,
    pub default_branch: String,
    pub settings: Settings,
    /// What the asking user may do.
    pub role: Permission,
    /// Unix seconds.
    pub created_at: u64,
    pub pushed_at: u64,
    /// Pushed to, or its settings changed.
    pub updated_at: u64,
    /// Issues and pulls together.
    pub open_threads: usize,
}

impl RepositoryView {
    /// `owner/name`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }
}

/// Adds those that are chosen (true) and takes away those that are not (false).
pub(super) fn choose<T: Ord>(among: &mut BTreeSet<T>, chosen: Vec<(T, bool)>) {
    for (one, is_on) in chosen {
        if is_on {
            among.insert(one);
        } else {
            among.remove(&one);
        }
    }
}

impl Repository {
    pub(super) fn view(&self, role: Permission) -> RepositoryView {
        RepositoryView {
            id: self.id.0,
            owner: self.owner.clone(),
            name: self.name.clone(),
            default_branch: self.default_branch.clone(),
            settings: self.settings.clone(),
            role,
            created_at: self.created_at,
            pushed_at: self.pushed_at,
            updated_at: self.pushed_at.max(self.edited_at),
            open_threads: self.open_threads,
        }
    }
}

impl Turn<'_> {
    pub(super) fn repository_call(&mut self, call: RepositoryCall) -> Response {
        match call {
            RepositoryCall::Get => self.repository_view(),
            RepositoryCall::Permission { login } => self.collaborator_permission(&login),
            RepositoryCall::SetDefaultBranch { branch } => self.edit_repository(RepositoryEdit {
                default_branch: Some(branch),
                ..RepositoryEdit::default()
            }),
            RepositoryCall::Edit(edit) => self.edit_repository(edit),
            RepositoryCall::Collaborators { page } => self.collaborators(page),
            RepositoryCall::IsCollaborator { login } => {
                self.need(Permission::Write)?;
                let repo = self.repo()?;
                let role = repo.collaborators.get(&login.to_lowercase());
                let listed = role.is_some_and(|role| *role > Permission::None);
                let is_owner = login.eq_ignore_ascii_case(&repo.owner);
                if listed || is_owner { Ok(Reply::Done) } else { Err(Refusal::not_found()) }
            }
            RepositoryCall::Grant { login, role } => {
                self.need(Permission::Admin)?;
                let login = login.to_lowercase();
                let account = self.forge.accounts.get(&login).ok_or_else(Refusal::not_found)?;
                match account.kind {
                    AccountKind::User | AccountKind::Bot => {}
                    AccountKind::Organization => {
                        let words = "User could not be added";
                        return Err(Refusal::custom("Repository", words));
                    }
                }
                self.repo_mut()?.collaborators.insert(login, role);
                Ok(Reply::Done)
            }
            RepositoryCall::Revoke { login } => {
                self.need(Permission::Admin)?;
                // It is remembered that it was taken away, or a rule for everywhere would bring it back.
                self.repo_mut()?.collaborators.insert(login.to_lowercase(), Permission::None);
                Ok(Reply::Done)
            }
        }
    }

    fn repository_view(&self) -> Response {
        Ok(Reply::Repository(Box::new(self.repo()?.view(self.permission()))))
    }

    fn edit_repository(&mut self, edit: RepositoryEdit) -> Response {
        self.need(Permission::Admin)?;
        let now = self.now;
        let repo = self.repo_mut()?;
        if let Some(branch) = edit.default_branch {
            let is_named_already = branch == repo.default_branch;
            if !is_named_already && !repo.branches.contains_key(&branch) {
                let invalid = DetailCode::Invalid;
                return Err(Refusal::invalid("Repository", "default_branch", invalid));
            }
            repo.default_branch = branch;
        }
        let settings = &mut repo.settings;
        if let Some(description) = edit.description {
            settings.description = Some(description).filter(|words| !words.is_empty());
        }
        settings.visibility = edit.visibility.unwrap_or(settings.visibility);
        settings.has_issues = edit.has_issues.unwrap_or(settings.has_issues);
        settings.delete_branch_on_merge =
            edit.delete_branch_on_merge.unwrap_or(settings.delete_branch_on_merge);
        if let Some(homepage) = edit.homepage {
            settings.homepage = Some(homepage).filter(|address| !address.is_empty());
        }
        choose(&mut settings.features, edit.features);
        choose(&mut settings.merge_methods, edit.merge_methods);
        repo.edited_at = now;
        self.repository_view()
    }

    fn collaborators(&self, page: Page) -> Response {
        self.need(Permission::Write)?;
        let repo = self.repo()?;
        let owner = repo.owner.to_lowercase();
        let listed = repo.collaborators.iter().filter(|(_login, role)| **role > Permission::None);
        let logins: BTreeSet<&String> =
            listed.map(|(login, _role)| login).chain([&owner]).collect();
        let accounts = logins.into_iter().filter_map(|login| self.forge.accounts.get(login));
        let found: Vec<_> = accounts
            .map(|account| (account, repo.permission_of(&account.login)))
            .filter(|(_account, role)| *role > Permission::None)
            .collect();
        let view =
            |(account, role): &(&super::accounts::Account, Permission)| CollaboratorPermission {
                account: (*account).clone(),
                permission: (*role).into(),
                role: *role,
            };
        Ok(Reply::Collaborators(Listing::of(&found, page, view)))
    }
}
