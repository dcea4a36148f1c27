//! References and commits as git has them.

use serde::Deserialize;

use super::pulls::seen;
use crate::git::ref_name;
use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::problem::Problem;
use crate::http::render::branch::ReferenceJson;
use crate::http::render::commit::GitCommitJson;
use crate::http::render::each;
use crate::http::request_context::RequestContext;
use crate::model::history::GetCommit;
use crate::model::other_refs::Pointer;
use crate::model::other_refs::{
    CreateReference, DeleteReference, GetReference, ListReferences, UpdateReference,
};
use crate::model::paging::Page;
use crate::model::refs::{CreateBranch, CreateCommit, DeleteBranch, MoveBranch};
use crate::model::refusal::DetailCode;

/// A reference as a path names it: a branch, or another one by its full name.
enum Named {
    Branch(String),
    Other(String),
}

impl Named {
    fn of(full: &str) -> Self {
        match full.strip_prefix("refs/heads/") {
            Some(branch) => Self::Branch(branch.to_owned()),
            None => Self::Other(full.to_owned()),
        }
    }
}

/// The full name of what the path names without `refs/`.
fn full_name(context: &RequestContext<'_>) -> String {
    format!("refs/{}", context.ask.param("ref"))
}

fn render(context: &RequestContext<'_>, pointer: &Pointer) -> Result<Answer, Problem> {
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&ReferenceJson { render: &render, repo: &repo, pointer })
}

/// Returns the time at which references last moved.
fn moved_at(context: &RequestContext<'_>) -> Result<u64, Problem> {
    Ok(seen(context)?.pushed_at)
}

pub(in crate::http) fn show_ref(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let name = full_name(context);
    let pointer = context.call(GetReference { name })?;
    Ok(render(context, &pointer)?.modified(moved_at(context)?))
}

/// The older path, which some clients still ask: one reference, or those in a folder.
pub(in crate::http) fn show_refs(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let folder = context.ask.param("ref").trim_end_matches('/').to_owned();
    if folder.is_empty() {
        return list(context, "refs/".to_owned());
    }
    let name = format!("refs/{folder}");
    match context.call(GetReference { name: name.clone() }) {
        Err(problem) if problem.status == 404 => {
            let prefix = format!("{name}/");
            let page = Some(Page { number: 1, size: 1 });
            let call = ListReferences { prefix: prefix.clone(), page };
            let listing = context.call(call)?;
            if listing.total == 0 { Err(problem) } else { list(context, prefix) }
        }
        other => {
            let pointer = other?;
            Ok(render(context, &pointer)?.modified(moved_at(context)?))
        }
    }
}

pub(in crate::http) fn matching_refs(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let prefix = full_name(context);
    list(context, prefix)
}

/// In pages only for those who ask for pages.
fn list(context: &mut RequestContext<'_>, prefix: String) -> Result<Answer, Problem> {
    let page = context.ask.page();
    let page = Some(page).filter(|page| page.number > 0 || page.size > 0);
    let listing = context.call(ListReferences { prefix, page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body =
        each(&listing.items, |pointer| ReferenceJson { render: &render, repo: &repo, pointer });
    Ok(Answer::ok(&body)?.paged(&listing).modified(moved_at(context)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRefBody {
    r#ref: String,
    sha: String,
}

pub(in crate::http) fn create_ref(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: NewRefBody = context.ask.json()?;
    let name = body.r#ref;
    if !name.starts_with("refs/") || name.matches('/').count() < 2 || !ref_name::is_text(&name) {
        return Err(Problem::invalid("Reference", "ref", DetailCode::Invalid));
    }
    let sha = parse_sha("Reference", &body.sha)?;
    match Named::of(&name) {
        Named::Branch(branch) => drop(context.call(CreateBranch { branch, sha })?),
        Named::Other(name) => drop(context.call(CreateReference { name, sha })?),
    }
    let location =
        format!("{}/repos/{}/git/{name}", context.site.settings.base_url, context.ask.repo());
    let pointer = context.call(GetReference { name })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = ReferenceJson { render: &render, repo: &repo, pointer: &pointer };
    Ok(Answer::created(&body)?.at(location))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateRefBody {
    sha: String,
    #[serde(default)]
    force: bool,
}

pub(in crate::http) fn update_ref(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let name = full_name(context);
    let body: UpdateRefBody = context.ask.json()?;
    let (sha, force): (Sha, bool) = (parse_sha("Reference", &body.sha)?, body.force);
    match Named::of(&name) {
        Named::Branch(branch) => drop(context.call(MoveBranch { branch, sha, force })?),
        Named::Other(name) => drop(context.call(UpdateReference { name, sha, force })?),
    }
    let pointer = context.call(GetReference { name })?;
    render(context, &pointer)
}

pub(in crate::http) fn delete_ref(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    match Named::of(&full_name(context)) {
        Named::Branch(branch) => context.call(DeleteBranch { branch })?,
        Named::Other(name) => context.call(DeleteReference { name })?,
    }
    Ok(Answer::no_content())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewCommitBody {
    message: String,
    tree: String,
    #[serde(default)]
    parents: Vec<String>,
}

pub(in crate::http) fn create_commit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: NewCommitBody = context.ask.json()?;
    let tree = parse_sha("Commit", &body.tree)?;
    let parents = body.parents.iter().map(|parent| parse_sha("Commit", parent));
    let parents = parents.collect::<Result<Vec<Sha>, Problem>>()?;
    let call = CreateCommit { message: body.message, tree, parents };
    let commit = context.call(call)?;
    let base = &context.site.settings.base_url;
    let location = format!("{base}/repos/{}/git/commits/{}", context.ask.repo(), commit.sha);
    let (render, repo) = (context.render(), context.ask.repo());
    let body = GitCommitJson { render: &render, repo: &repo, commit: &commit };
    Ok(Answer::created(&body)?.at(location))
}

pub(in crate::http) fn show_commit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let reference = context.ask.param("commit_sha").to_owned();
    let commit = match context.call(GetCommit { reference }) {
        Err(problem) if problem.status == 422 => return Err(Problem::not_found()),
        other => other?,
    };
    let (render, repo) = (context.render(), context.ask.repo());
    let answer = Answer::ok(&GitCommitJson { render: &render, repo: &repo, commit: &commit })?;
    let is_sha = context.ask.param("commit_sha") == commit.sha.to_string();
    Ok(answer.modified(if is_sha { commit.at } else { commit.at.max(moved_at(context)?) }))
}
