//! Commits of a repository, how they compare and what they hold.

use http::StatusCode;

use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::desk::{Desk, take};
use crate::http::problem::Problem;
use crate::http::render::commit::{CommitJson, ComparisonJson};
use crate::http::render::contents::{EntryJson, FileContents, Place};
use crate::http::render::each;
use crate::model::paging::{Listing, Page};
use crate::model::refs::GitCall;
use crate::model::reply::Reply;

const TEXT: &str = "text/plain; charset=utf-8";

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = reference(desk, "sha")?;
    let path = desk.ask.query("path").map(str::to_owned);
    let page = desk.ask.page();
    let listing = take!(desk.call(GitCall::ListCommits { reference, path, page })?, Commits);
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&listing.items, |commit| CommitJson {
        scene: &scene,
        repo: &repo,
        commit,
        files: None,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

/// What the query names, or else the default branch.
fn reference(desk: &Desk<'_>, name: &str) -> Result<String, Problem> {
    if let Some(named) = desk.ask.query(name) {
        return Ok(named.strip_prefix("refs/heads/").unwrap_or(named).to_owned());
    }
    Ok(super::pulls::seen(desk)?.default_branch)
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = desk.ask.param("ref");
    let reference = reference.strip_prefix("heads/").unwrap_or(reference).to_owned();
    let commit = take!(desk.call(GitCall::GetCommit { reference })?, Commit);
    if desk.ask.accepts("sha") {
        let text = commit.sha.to_string().into_bytes();
        return Ok(Answer::bytes(StatusCode::OK, text, TEXT));
    }
    let page = desk.ask.page();
    let files = take!(desk.call(GitCall::CommitFiles { sha: commit.sha, page })?, Files).items;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = CommitJson { scene: &scene, repo: &repo, commit: &commit, files: Some(&files) };
    Ok(Answer::ok(&body)?.modified(commit.at))
}

pub(in crate::http) fn pulls(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let sha: Sha = desk.ask.param("commit_sha").parse().map_err(|_bad| {
        let words = format!("No commit found for SHA: {}", desk.ask.param("commit_sha"));
        Problem::unprocessable(words)
    })?;
    let listing = take!(desk.call(GitCall::PullsOfCommit { sha })?, Pulls);
    super::pulls::render_list(desk, &listing)
}

pub(in crate::http) fn compare(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let range = desk.ask.param("basehead").to_owned();
    let (base, head) = range.split_once("...").ok_or_else(Problem::not_found)?;
    let owner = desk.ask.param("owner").to_lowercase();
    // `owner:branch` may name the repository's own owner only.
    let own = |name: &str| match name.split_once(':') {
        Some((whose, branch)) if whose.to_lowercase() == owner => Ok(branch.to_owned()),
        Some(_foreign) => Err(Problem::not_found()),
        None => Ok(name.to_owned()),
    };
    let (base, head) = (own(base)?, own(head)?);
    let call = GitCall::Compare { base: base.clone(), head: head.clone() };
    let comparison = take!(desk.call(call)?, Comparison);
    let mut commit = |reference: String| {
        let reply = desk.call(GitCall::GetCommit { reference })?;
        Ok::<_, Problem>(take!(reply, Commit))
    };
    let base_commit = commit(base)?;
    let head_commit = commit(head)?;
    let merge_base = commit(comparison.merge_base.to_string())?;
    let listing = Listing::of(&comparison.commits, compare_page(desk), Clone::clone);
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = ComparisonJson {
        scene: &scene,
        repo: &repo,
        range: &range,
        base_commit: &base_commit,
        merge_base: &merge_base,
        head: head_commit.sha,
        comparison: &comparison,
        commits: &listing.items,
    };
    Ok(Answer::ok(&body)?.paged(&listing))
}

/// Comparisons show as many commits as a page holds unless asked otherwise.
fn compare_page(desk: &Desk<'_>) -> Page {
    let page = desk.ask.page();
    let size = if page.size == 0 { Page::largest().size } else { page.size };
    Page { size, ..page }
}

pub(in crate::http) fn contents(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = reference(desk, "ref")?;
    let path = desk.ask.param("path").to_owned();
    let call = GitCall::GetContents { reference: reference.clone(), path: path.clone() };
    let reply = desk.call(call)?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let place = Place { scene: &scene, repo: &repo, reference: &reference };
    if let Reply::Folder(entries) = reply {
        return Answer::ok(&each(&entries, |entry| EntryJson { place, entry }));
    }
    let text = take!(reply, Text);
    let content = text.as_bytes();
    if desk.ask.accepts("raw") {
        return Ok(Answer::bytes(StatusCode::OK, content.to_vec(), TEXT));
    }
    Answer::ok(&FileContents { place, path: &path, content })
}
