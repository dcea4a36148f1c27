//! The asking user, other users, and the rest of the rate limit.

use serde::{Serialize, Serializer};

use crate::http::answer::Answer;
use crate::http::limits::Allowance;
use crate::http::problem::Problem;
use crate::http::render::object;
use crate::http::render::user::Profile;
use crate::http::request_context::RequestContext;
use crate::model::creation::ListRepositories;
use crate::model::paging::Page;
use crate::model::request::GetUser;

pub(in crate::http) fn current(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let account = context.request(GetUser)?;
    profile(context, &account.login)
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let login = context.ask.param("username").to_owned();
    profile(context, &login)
}

fn profile(context: &mut RequestContext<'_>, login: &str) -> Result<Answer, Problem> {
    let owner = Some(login.to_owned());
    let page = Page::largest();
    let listing = context.request(ListRepositories { owner, page })?;
    let render = context.render();
    let account = render.forge.account(login).ok_or_else(Problem::not_found)?;
    // Of a person nothing changes here but the number of repositories that one sees.
    let changed = listing.items.iter().map(|repository| repository.updated_at).max();
    let answer = Answer::ok(&Profile { render: &render, account, repositories: listing.total })?;
    Ok(answer.modified(changed.unwrap_or(0)))
}

/// The addresses of everything; `gh auth status` looks here.
pub(in crate::http) fn root(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    Answer::ok(&Root { base: &context.site.settings.base_url })
}

struct Root<'a> {
    base: &'a str,
}

/// Names and addresses, as GitHub lists them.
const ADDRESSES: [(&str, &str); 31] = [
    ("current_user_url", "/user"),
    ("current_user_authorizations_html_url", "/settings/connections/applications{/client_id}"),
    ("authorizations_url", "/authorizations"),
    ("code_search_url", "/search/code?q={query}{&page,per_page,sort,order}"),
    ("commit_search_url", "/search/commits?q={query}{&page,per_page,sort,order}"),
    ("emails_url", "/user/emails"),
    ("emojis_url", "/emojis"),
    ("events_url", "/events"),
    ("feeds_url", "/feeds"),
    ("followers_url", "/user/followers"),
    ("following_url", "/user/following{/target}"),
    ("gists_url", "/gists{/gist_id}"),
    ("issue_search_url", "/search/issues?q={query}{&page,per_page,sort,order}"),
    ("issues_url", "/issues"),
    ("keys_url", "/user/keys"),
    ("label_search_url", "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}"),
    ("notifications_url", "/notifications"),
    ("organization_url", "/orgs/{org}"),
    ("organization_repositories_url", "/orgs/{org}/repos{?type,page,per_page,sort}"),
    ("organization_teams_url", "/orgs/{org}/teams"),
    ("public_gists_url", "/gists/public"),
    ("rate_limit_url", "/rate_limit"),
    ("repository_url", "/repos/{owner}/{repo}"),
    ("repository_search_url", "/search/repositories?q={query}{&page,per_page,sort,order}"),
    ("current_user_repositories_url", "/user/repos{?type,page,per_page,sort}"),
    ("starred_url", "/user/starred{/owner}{/repo}"),
    ("starred_gists_url", "/gists/starred"),
    ("user_url", "/users/{user}"),
    ("user_organizations_url", "/user/orgs"),
    ("user_repositories_url", "/users/{user}/repos{?type,page,per_page,sort}"),
    ("user_search_url", "/search/users?q={query}{&page,per_page,sort,order}"),
];

impl Serialize for Root<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(ADDRESSES.map(|(name, path)| (name, format!("{}{path}", self.base))))
    }
}

pub(in crate::http) fn rate_limit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let core = context.site.allowance(context.ask.who, context.ask.now);
    Answer::ok(&Overview { core })
}

struct Overview {
    core: Allowance,
}

impl Serialize for Overview {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "resources": Resources { core: self.core }, "rate": Rate(self.core) })
    }
}

struct Resources {
    core: Allowance,
}

impl Serialize for Resources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "core": Rate(self.core), "search": Rate(self.core), "graphql": Rate(self.core) })
    }
}

struct Rate(Allowance);

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "limit": self.0.limit,
            "used": self.0.used,
            "remaining": self.0.remaining(),
            "reset": self.0.reset,
        })
    }
}
