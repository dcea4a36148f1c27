//! References and commits as git has them.

use serde::Deserialize;

use super::pulls::seen;
use crate::git::ref_name;
use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::desk::Desk;
use crate::http::problem::Problem;
use crate::http::render::branch::ReferenceJson;
use crate::http::render::commit::GitCommitJson;
use crate::http::render::each;
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
fn full_name(desk: &Desk<'_>) -> String {
    format!("refs/{}", desk.ask.param("ref"))
}

fn render(desk: &Desk<'_>, pointer: &Pointer) -> Result<Answer, Problem> {
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&ReferenceJson { scene: &scene, repo: &repo, pointer })
}

/// When references last moved.
fn moved_at(desk: &Desk<'_>) -> Result<u64, Problem> {
    Ok(seen(desk)?.pushed_at)
}

pub(in crate::http) fn show_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let name = full_name(desk);
    let pointer = desk.call(GetReference { name })?;
    Ok(render(desk, &pointer)?.modified(moved_at(desk)?))
}

/// The older path, which some clients still ask: one reference, or those in a folder.
pub(in crate::http) fn show_refs(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let folder = desk.ask.param("ref").trim_end_matches('/').to_owned();
    if folder.is_empty() {
        return list(desk, "refs/".to_owned());
    }
    let name = format!("refs/{folder}");
    match desk.call(GetReference { name: name.clone() }) {
        Err(problem) if problem.status == 404 => {
            let prefix = format!("{name}/");
            let page = Some(Page { number: 1, size: 1 });
            let call = ListReferences { prefix: prefix.clone(), page };
            let listing = desk.call(call)?;
            if listing.total == 0 { Err(problem) } else { list(desk, prefix) }
        }
        other => {
            let pointer = other?;
            Ok(render(desk, &pointer)?.modified(moved_at(desk)?))
        }
    }
}

pub(in crate::http) fn matching_refs(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let prefix = full_name(desk);
    list(desk, prefix)
}

/// In pages only for those who ask for pages.
fn list(desk: &mut Desk<'_>, prefix: String) -> Result<Answer, Problem> {
    let page = desk.ask.page();
    let page = Some(page).filter(|page| page.number > 0 || page.size > 0);
    let listing = desk.call(ListReferences { prefix, page })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body =
        each(&listing.items, |pointer| ReferenceJson { scene: &scene, repo: &repo, pointer });
    Ok(Answer::ok(&body)?.paged(&listing).modified(moved_at(desk)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRefBody {
    r#ref: String,
    sha: String,
}

pub(in crate::http) fn create_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let body: NewRefBody = desk.ask.json()?;
    let name = body.r#ref;
    if !name.starts_with("refs/") || name.matches('/').count() < 2 || !ref_name::is_text(&name) {
        return Err(Problem::invalid("Reference", "ref", DetailCode::Invalid));
    }
    let sha = parse_sha("Reference", &body.sha)?;
    match Named::of(&name) {
        Named::Branch(branch) => drop(desk.call(CreateBranch { branch, sha })?),
        Named::Other(name) => drop(desk.call(CreateReference { name, sha })?),
    }
    let location = format!("{}/repos/{}/git/{name}", desk.site.settings.base_url, desk.ask.repo());
    let pointer = desk.call(GetReference { name })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = ReferenceJson { scene: &scene, repo: &repo, pointer: &pointer };
    Ok(Answer::created(&body)?.at(location))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateRefBody {
    sha: String,
    #[serde(default)]
    force: bool,
}

pub(in crate::http) fn update_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let name = full_name(desk);
    let body: UpdateRefBody = desk.ask.json()?;
    let (sha, force): (Sha, bool) = (parse_sha("Reference", &body.sha)?, body.force);
    match Named::of(&name) {
        Named::Branch(branch) => drop(desk.call(MoveBranch { branch, sha, force })?),
        Named::Other(name) => drop(desk.call(UpdateReference { name, sha, force })?),
    }
    let pointer = desk.call(GetReference { name })?;
    render(desk, &pointer)
}

pub(in crate::http) fn delete_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    match Named::of(&full_name(desk)) {
        Named::Branch(branch) => desk.call(DeleteBranch { branch })?,
        Named::Other(name) => desk.call(DeleteReference { name })?,
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

pub(in crate::http) fn create_commit(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let body: NewCommitBody = desk.ask.json()?;
    let tree = parse_sha("Commit", &body.tree)?;
    let parents = body.parents.iter().map(|parent| parse_sha("Commit", parent));
    let parents = parents.collect::<Result<Vec<Sha>, Problem>>()?;
    let call = CreateCommit { message: body.message, tree, parents };
    let commit = desk.call(call)?;
    let base = &desk.site.settings.base_url;
    let location = format!("{base}/repos/{}/git/commits/{}", desk.ask.repo(), commit.sha);
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = GitCommitJson { scene: &scene, repo: &repo, commit: &commit };
    Ok(Answer::created(&body)?.at(location))
}

pub(in crate::http) fn show_commit(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = desk.ask.param("commit_sha").to_owned();
    let commit = match desk.call(GetCommit { reference }) {
        Err(problem) if problem.status == 422 => return Err(Problem::not_found()),
        other => other?,
    };
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let answer = Answer::ok(&GitCommitJson { scene: &scene, repo: &repo, commit: &commit })?;
    let is_sha = desk.ask.param("commit_sha") == commit.sha.to_string();
    Ok(answer.modified(if is_sha { commit.at } else { commit.at.max(moved_at(desk)?) }))
}
