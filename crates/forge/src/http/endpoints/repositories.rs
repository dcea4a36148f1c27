//! Repositories and who may do what in them.

use serde::Deserialize;

use crate::http::answer::Answer;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::repository::Extent;
use crate::http::render::user::{Collaborator, RoleAnswer};
use crate::http::request_context::RequestContext;
use crate::model::creation::RepositoryOrder;
use crate::model::creation::{CreateRepository, ListRepositories};
use crate::model::merging::MergeMethod;
use crate::model::paging::Listing;
use crate::model::permission::GetPermission;
use crate::model::permission::Permission;
use crate::model::refusal::DetailCode;
use crate::model::repository::{Feature, Visibility};
use crate::model::repository_calls::{
    CheckCollaborator, EditRepository, GetRepository, GrantRole, ListCollaborators, RevokeRole,
};
use crate::model::repository_calls::{RepositoryEdit, RepositoryView};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRepositoryBody {
    name: String,
    description: Option<String>,
    private: Option<bool>,
    has_issues: Option<bool>,
    auto_init: Option<bool>,
    homepage: Option<String>,
    has_wiki: Option<bool>,
    has_projects: Option<bool>,
    delete_branch_on_merge: Option<bool>,
    allow_merge_commit: Option<bool>,
    allow_squash_merge: Option<bool>,
    allow_rebase_merge: Option<bool>,
    #[serde(default, rename = "has_downloads")]
    _has_downloads: Option<Nothing>,
    #[serde(default, rename = "has_discussions")]
    _has_discussions: Option<Nothing>,
    #[serde(default, rename = "is_template")]
    _is_template: Option<Nothing>,
    #[serde(default, rename = "allow_auto_merge")]
    _allow_auto_merge: Option<Nothing>,
    #[serde(default, rename = "gitignore_template")]
    _gitignore_template: Option<Nothing>,
    #[serde(default, rename = "license_template")]
    _license_template: Option<Nothing>,
    #[serde(default, rename = "team_id")]
    _team_id: Option<Nothing>,
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: NewRepositoryBody = context.ask.json()?;
    let order = RepositoryOrder {
        name: body.name,
        description: body.description,
        visibility: visibility(body.private.unwrap_or(false)),
        has_issues: body.has_issues.unwrap_or(true),
        with_readme: body.auto_init.unwrap_or(false),
        homepage: body.homepage.filter(|address| !address.is_empty()),
        features: switched([body.has_wiki, body.has_projects])
            .into_iter()
            .filter_map(|(feature, is_on)| is_on.then_some(feature))
            .collect(),
        delete_branch_on_merge: body.delete_branch_on_merge.unwrap_or(false),
        merge_methods: chosen([
            body.allow_merge_commit,
            body.allow_squash_merge,
            body.allow_rebase_merge,
        ]),
    };
    let repository = context.request(CreateRepository(order))?;
    context.site.welcome_everyone_to(&repository.full_name());
    let render = context.render();
    let location = format!("{}/repos/{}", render.base, repository.full_name());
    Ok(Answer::created(&render.repository(&repository, Extent::Full))?.at(location))
}

/// The methods that a body speaks of: commit, squash and rebase.
fn chosen(allowed: [Option<bool>; 3]) -> Vec<(MergeMethod, bool)> {
    let methods = [MergeMethod::Merge, MergeMethod::Squash, MergeMethod::Rebase];
    methods.into_iter().zip(allowed).filter_map(|(method, one)| Some((method, one?))).collect()
}

/// The features that a body speaks of: wiki and projects.
fn switched(wanted: [Option<bool>; 2]) -> Vec<(Feature, bool)> {
    let features = [Feature::Wiki, Feature::Projects];
    features.into_iter().zip(wanted).filter_map(|(feature, one)| Some((feature, one?))).collect()
}

pub(in crate::http) fn list_own(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let page = context.ask.page();
    let request = ListRepositories { owner: None, page };
    let listing = context.request(request)?;
    list(context, &listing, Extent::Usual)
}

pub(in crate::http) fn list_of(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (owner, page) = (context.ask.param("username").to_owned(), context.ask.page());
    if context.site.forge.account(&owner).is_none() {
        return Err(Problem::not_found());
    }
    let request = ListRepositories { owner: Some(owner), page };
    let listing = context.request(request)?;
    list(context, &listing, Extent::Listed)
}

fn list(
    context: &RequestContext<'_>,
    listing: &Listing<RepositoryView>,
    extent: Extent,
) -> Result<Answer, Problem> {
    let render = context.render();
    let body = each(&listing.items, |found| render.repository(found, extent));
    Ok(Answer::ok(&body)?.paged(listing))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let mut repository = context.call(GetRepository)?;
    // The flags are a person's; what an app may do stands beside its token.
    if context.ask.is_installation {
        repository.role = Permission::None;
    }
    let render = context.render();
    let answer = Answer::ok(&render.repository(&repository, Extent::Full))?;
    Ok(answer.modified(repository.updated_at))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    /// The one that it has: some clients send it along.
    name: Option<String>,
    visibility: Option<String>,
    /// Absent leaves it, null empties it; so with the description.
    #[serde(default, deserialize_with = "super::pulls::present")]
    homepage: Option<Option<String>>,
    has_wiki: Option<bool>,
    has_projects: Option<bool>,
    #[serde(default, rename = "archived")]
    _archived: Option<Nothing>,
    #[serde(default, rename = "has_downloads")]
    _has_downloads: Option<Nothing>,
    #[serde(default, rename = "has_discussions")]
    _has_discussions: Option<Nothing>,
    #[serde(default, rename = "is_template")]
    _is_template: Option<Nothing>,
    #[serde(default, rename = "allow_auto_merge")]
    _allow_auto_merge: Option<Nothing>,
    #[serde(default, rename = "allow_forking")]
    _allow_forking: Option<Nothing>,
    #[serde(default, rename = "web_commit_signoff_required")]
    _web_commit_signoff_required: Option<Nothing>,
    default_branch: Option<String>,
    #[serde(default, deserialize_with = "super::pulls::present")]
    description: Option<Option<String>>,
    private: Option<bool>,
    has_issues: Option<bool>,
    delete_branch_on_merge: Option<bool>,
    allow_merge_commit: Option<bool>,
    allow_squash_merge: Option<bool>,
    allow_rebase_merge: Option<bool>,
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: EditBody = context.ask.json()?;
    let own = context.ask.param("repo");
    if body.name.as_ref().is_some_and(|name| !name.eq_ignore_ascii_case(own)) {
        return Err(Problem::unprocessable("Repositories are not renamed here."));
    }
    let named = match body.visibility.as_deref() {
        None => None,
        Some("public") => Some(false),
        Some("private") => Some(true),
        Some(_) => return Err(Problem::invalid("Repository", "visibility", DetailCode::Invalid)),
    };
    if named.is_some() && body.private.is_some_and(|private| named != Some(private)) {
        return Err(Problem::unprocessable("visibility and private contradict each other."));
    }
    let methods = [body.allow_merge_commit, body.allow_squash_merge, body.allow_rebase_merge];
    let edit = RepositoryEdit {
        default_branch: body.default_branch,
        description: body.description.map(Option::unwrap_or_default),
        homepage: body.homepage.map(Option::unwrap_or_default),
        features: switched([body.has_wiki, body.has_projects]),
        visibility: named.or(body.private).map(visibility),
        has_issues: body.has_issues,
        delete_branch_on_merge: body.delete_branch_on_merge,
        merge_methods: chosen(methods),
    };
    let repository = context.call(EditRepository(edit))?;
    let render = context.render();
    Answer::ok(&render.repository(&repository, Extent::Full))
}

fn visibility(private: bool) -> Visibility {
    if private { Visibility::Private } else { Visibility::Public }
}

pub(in crate::http) fn collaborators(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    // There are no organisations, so there are no outside collaborators.
    context.ask.choice("affiliation", &["all", "direct"])?;
    let page = context.ask.page();
    let listing = context.call(ListCollaborators { page })?;
    let render = context.render();
    let body = each(&listing.items, |found| Collaborator {
        render: &render,
        login: &found.account.login,
        role: found.role,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn is_collaborator(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let login = context.ask.param("username").to_owned();
    context.call(CheckCollaborator { login })?;
    Ok(Answer::no_content())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantBody {
    permission: Option<String>,
}

pub(in crate::http) fn grant(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: GrantBody = context.ask.json()?;
    let role = match body.permission.as_deref() {
        Some("pull" | "read") => Permission::Read,
        Some("triage") => Permission::Triage,
        None | Some("push" | "write") => Permission::Write,
        Some("maintain") => Permission::Maintain,
        Some("admin") => Permission::Admin,
        Some(_) => return Err(Problem::invalid("Repository", "permission", DetailCode::Invalid)),
    };
    let login = context.ask.param("username").to_owned();
    context.call(GrantRole { login, role })?;
    Ok(Answer::no_content())
}

pub(in crate::http) fn revoke(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let login = context.ask.param("username").to_owned();
    context.call(RevokeRole { login })?;
    Ok(Answer::no_content())
}

pub(in crate::http) fn permission(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let login = context.ask.param("username").to_owned();
    let role = context.call(GetPermission { login })?;
    let render = context.render();
    Answer::ok(&RoleAnswer { render: &render, role: &role })
}
