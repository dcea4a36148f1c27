//! Making and listing repositories: requests to the forge, not to a repository.

use std::collections::BTreeSet;

use super::Forge;
use super::accounts::Account;
use super::event::Event;
use super::merging::MergeMethod;
use super::paging::{Listing, Page};
use super::permission::Permission;
use super::refusal::{DetailCode, Refusal};
use super::repository::{Feature, NewRepository, Repository, RepositoryId, Visibility};
use super::repository_calls::{RepositoryView, choose};
use super::request::{Request, operations};

/// A repository that a user orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryOrder {
    pub name: String,
    pub description: Option<String>,
    pub visibility: Visibility,
    pub has_issues: bool,
    pub homepage: Option<String>,
    pub features: BTreeSet<Feature>,
    pub delete_branch_on_merge: bool,
    /// Allowed (true) or not (false); those that are not named are.
    pub merge_methods: Vec<(MergeMethod, bool)>,
    /// With one commit that holds a README; otherwise empty, to be pushed to.
    pub with_readme: bool,
}

/// GitHub's limit on names of repositories, in characters.
const NAME_CHARACTERS_MAX: usize = 100;

/// Makes a repository of the actor and returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateRepository(pub RepositoryOrder);

operations! {
    /// Returns the repositories that the actor has a role in, or those of an owner that the actor
    /// can see, by name.
    ListRepositories { owner: Option<String>, page: Page }
}

impl Request for CreateRepository {
    type Reply = RepositoryView;

    fn answer(
        self,
        forge: &mut Forge,
        actor: &Account,
        now: u64,
    ) -> Result<(RepositoryView, Vec<Event>), Refusal> {
        let (Self(order), owner) = (self, &actor.login);
        check_name(&order.name)?;
        let full_name = format!("{owner}/{}", order.name);
        if order.with_readme {
            let named = NewRepository::named(owner, &order.name);
            forge.create_repository(NewRepository { at: now, ..named })?;
        } else {
            forge.create_empty_repository(owner, &order.name, now)?;
        }
        let repository = forge.repository_mut(&full_name)?;
        let settings = &mut repository.settings;
        settings.visibility = order.visibility;
        settings.has_issues = order.has_issues;
        settings.description = order.description;
        settings.homepage = order.homepage;
        settings.features = order.features;
        settings.delete_branch_on_merge = order.delete_branch_on_merge;
        choose(&mut settings.merge_methods, order.merge_methods);
        Ok((repository.view(Permission::Admin), Vec::new()))
    }
}

impl Request for ListRepositories {
    type Reply = Listing<RepositoryView>;

    fn answer(
        self,
        forge: &mut Forge,
        actor: &Account,
        _now: u64,
    ) -> Result<(Listing<RepositoryView>, Vec<Event>), Refusal> {
        let (forge, who) = (&*forge, actor.login.as_str());
        let is_listed = |repository: &&Repository| match &self.owner {
            Some(owner) => {
                repository.owner.eq_ignore_ascii_case(owner)
                    && forge.permission_in(repository, who) > Permission::None
            }
            None => {
                let granted = repository.collaborators.get(&who.to_lowercase());
                let is_own = repository.owner.eq_ignore_ascii_case(who);
                forge.reaches(repository)
                    && (is_own || granted.is_some_and(|role| *role > Permission::None))
            }
        };
        let names = forge.repository_names.values().filter_map(|id| forge.repositories.get(id));
        let found: Vec<&Repository> = names.filter(is_listed).collect();
        let view = |repository: &&Repository| repository.view(forge.permission_in(repository, who));
        Ok((Listing::of(&found, self.page, view), Vec::new()))
    }
}

impl Forge {
    /// Makes a public repository without commits; the first branch pushed to it becomes its default branch.
    ///
    /// # Errors
    /// The owner does not exist (404) or the name is taken (422).
    pub fn create_empty_repository(
        &mut self,
        owner: &str,
        name: &str,
        now: u64,
    ) -> Result<(), Refusal> {
        let (owner, key) = self.free_name(owner, name)?;
        let id = RepositoryId(self.next_id());
        let git = self.git_store.make(id.0)?;
        let repository = Repository::empty(id, owner, name.to_owned(), git, now);
        self.repositories.insert(id, repository);
        self.repository_names.insert(key, id);
        Ok(())
    }

    /// The owner's login and the key for a repository that is not there yet.
    pub(super) fn free_name(&self, owner: &str, name: &str) -> Result<(String, String), Refusal> {
        let owner = self.account(owner).ok_or_else(Refusal::not_found)?;
        let key = format!("{}/{name}", owner.login).to_lowercase();
        if self.repository_names.contains_key(&key) {
            let words = "name already exists on this account";
            return Err(Refusal::custom("Repository", words));
        }
        Ok((owner.login.clone(), key))
    }
}

pub(super) fn check_name(name: &str) -> Result<(), Refusal> {
    let invalid = |code| Err(Refusal::invalid("Repository", "name", code));
    if name.is_empty() {
        return invalid(DetailCode::MissingField);
    }
    let good = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    let is_reserved = name == "." || name == ".." || name.ends_with(".git");
    if is_reserved || !name.chars().all(good) || name.len() > NAME_CHARACTERS_MAX {
        return invalid(DetailCode::Invalid);
    }
    Ok(())
}
