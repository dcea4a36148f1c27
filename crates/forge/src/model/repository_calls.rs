//! A repository as a whole: its settings and its collaborators.

use std::collections::BTreeSet;

use super::accounts::{Account, AccountKind};
use super::context::Context;
use super::merging::MergeMethod;
use super::paging::{Listing, Page};
use super::permission::{CollaboratorPermission, Permission};
use super::refusal::{DetailCode, Refusal};
use super::repository::{Feature, Repository, Settings, Visibility};
use super::request::{Operation, operations};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GetRepository;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRepository(pub RepositoryEdit);

operations! {
    /// Returns the owner and everyone with a role, by login.
    ListCollaborators { page: Page }
    /// Answers 404 for someone without a role.
    CheckCollaborator { login: String }
    /// Gives someone a role; they need not accept an invitation.
    GrantRole { login: String, role: Permission }
    RevokeRole { login: String }
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
    /// The role of the user who asks.
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

/// Adds the values that are chosen (true) and removes those that are not (false).
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

impl Operation for GetRepository {
    type Reply = RepositoryView;

    fn run(self, context: &mut Context<'_>) -> Result<RepositoryView, Refusal> {
        Ok(context.repo()?.view(context.view().permission()))
    }
}

impl Operation for EditRepository {
    type Reply = RepositoryView;

    fn run(self, context: &mut Context<'_>) -> Result<RepositoryView, Refusal> {
        let Self(edit) = self;
        context.need(Permission::Admin)?;
        let now = context.now;
        let repo = context.repo_mut()?;
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
        GetRepository.run(context)
    }
}

impl Operation for ListCollaborators {
    type Reply = Listing<CollaboratorPermission>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<CollaboratorPermission>, Refusal> {
        context.need(Permission::Write)?;
        let repo = context.repo()?;
        let owner = repo.owner.to_lowercase();
        let listed = repo.collaborators.iter().filter(|(_login, role)| **role > Permission::None);
        let logins: BTreeSet<&String> =
            listed.map(|(login, _role)| login).chain([&owner]).collect();
        let accounts = logins.into_iter().filter_map(|login| context.forge.accounts.get(login));
        let found: Vec<(&Account, Permission)> = accounts
            .map(|account| (account, repo.permission_of(&account.login)))
            .filter(|(_account, role)| *role > Permission::None)
            .collect();
        let view = |(account, role): &(&Account, Permission)| CollaboratorPermission {
            account: (*account).clone(),
            permission: (*role).into(),
            role: *role,
        };
        Ok(Listing::of(&found, self.page, view))
    }
}

impl Operation for CheckCollaborator {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Write)?;
        let repo = context.repo()?;
        let role = repo.collaborators.get(&self.login.to_lowercase());
        let listed = role.is_some_and(|role| *role > Permission::None);
        let is_owner = self.login.eq_ignore_ascii_case(&repo.owner);
        if listed || is_owner { Ok(()) } else { Err(Refusal::not_found()) }
    }
}

impl Operation for GrantRole {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Admin)?;
        match context.forge.account(&self.login).ok_or_else(Refusal::not_found)?.kind {
            AccountKind::User | AccountKind::Bot => {}
            AccountKind::Organization => {
                return Err(Refusal::custom("Repository", "User could not be added"));
            }
        }
        context.repo_mut()?.choose_role(&self.login, self.role);
        Ok(())
    }
}

impl Operation for RevokeRole {
    type Reply = ();

    fn run(self, context: &mut Context<'_>) -> Result<(), Refusal> {
        context.need(Permission::Admin)?;
        // The removal is stored, or a role for every repository would bring it back.
        context.repo_mut()?.choose_role(&self.login, Permission::None);
        Ok(())
    }
}

impl Repository {
    /// Gives someone a role here that a role for every repository does not change later.
    fn choose_role(&mut self, login: &str, role: Permission) {
        let login = login.to_lowercase();
        self.chosen_roles.insert(login.clone());
        self.collaborators.insert(login, role);
    }
}
