//! References and commits as git has them.

use serde::Deserialize;

use crate::git::ref_name;
use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::desk::{Desk, take};
use crate::http::problem::Problem;
use crate::http::render::branch::ReferenceJson;
use crate::http::render::commit::GitCommitJson;
use crate::http::render::each;
use crate::model::refs::GitCall;
use crate::model::refusal::DetailCode;

/// The branch that `heads/x` means; other references are not kept here.
fn branch(desk: &Desk<'_>) -> Result<String, Problem> {
    let name = desk.ask.param("ref").strip_prefix("heads/");
    name.map(str::to_owned).ok_or_else(Problem::not_found)
}

pub(in crate::http) fn show_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let branch = branch(desk)?;
    let sha = take!(desk.call(GitCall::GetRef { branch: branch.clone() })?, Reference);
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&ReferenceJson { scene: &scene, repo: &repo, branch: &branch, sha })
}

/// The older path, which some clients still ask; without a name it lists all.
pub(in crate::http) fn show_refs(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    if desk.ask.param("ref").is_empty() { matching_refs(desk) } else { show_ref(desk) }
}

pub(in crate::http) fn matching_refs(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let wanted = desk.ask.param("ref");
    // `heads/a` names the branches that begin with `a`; `hea` and nothing name all of them.
    let prefix = match wanted.strip_prefix("heads/") {
        Some(prefix) => Some(prefix.to_owned()),
        None => "heads/".starts_with(wanted).then(String::new),
    };
    let found = match prefix {
        Some(prefix) => take!(desk.call(GitCall::MatchingRefs { prefix })?, References),
        None => {
            desk.call(GitCall::MatchingRefs { prefix: String::new() })?;
            Vec::new()
        }
    };
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&found, |(branch, sha)| ReferenceJson {
        scene: &scene,
        repo: &repo,
        branch,
        sha: *sha,
    });
    Answer::ok(&body)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewRefBody {
    r#ref: String,
    sha: String,
}

pub(in crate::http) fn create_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let body: NewRefBody = desk.ask.json()?;
    let branch = body.r#ref.strip_prefix("refs/heads/").filter(|name| ref_name::is_text(name));
    let Some(branch) = branch.map(str::to_owned) else {
        return Err(Problem::invalid("Reference", "ref", DetailCode::Invalid));
    };
    let sha = parse_sha("Reference", &body.sha)?;
    let sha = take!(desk.call(GitCall::CreateRef { branch: branch.clone(), sha })?, Reference);
    let base = &desk.site.settings.base_url;
    let location = format!("{base}/repos/{}/git/refs/heads/{branch}", desk.ask.repo());
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = ReferenceJson { scene: &scene, repo: &repo, branch: &branch, sha };
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
    let branch = branch(desk)?;
    let body: UpdateRefBody = desk.ask.json()?;
    let (sha, force): (Sha, bool) = (parse_sha("Reference", &body.sha)?, body.force);
    let call = GitCall::UpdateRef { branch: branch.clone(), sha, force };
    let sha = take!(desk.call(call)?, Reference);
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&ReferenceJson { scene: &scene, repo: &repo, branch: &branch, sha })
}

pub(in crate::http) fn delete_ref(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let branch = branch(desk)?;
    desk.call(GitCall::DeleteRef { branch })?;
    Ok(Answer::no_content())
}

pub(in crate::http) fn show_commit(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = desk.ask.param("commit_sha").to_owned();
    let commit = match desk.call(GitCall::GetCommit { reference }) {
        Err(problem) if problem.status == 422 => return Err(Problem::not_found()),
        other => take!(other?, Commit),
    };
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&GitCommitJson { scene: &scene, repo: &repo, commit: &commit })
}
