//! Commits of a repository, how they compare and what they hold.

use http::StatusCode;

use super::pulls::seen;
use crate::git::diff::ChangeForm;
use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::desk::Desk;
use crate::http::media::Media;
use crate::http::problem::Problem;
use crate::http::render::commit::{CommitJson, ComparisonJson};
use crate::http::render::contents::{EntryJson, FileContents, FolderContents, Place};
use crate::http::render::each;
use crate::model::compare::{CompareCommits, ListCommitPulls};
use crate::model::history::{CommitFilter, Contents};
use crate::model::history::{
    GetCommit, GetCommitDiff, GetContents, GetDiff, ListCommitFiles, ListCommits,
};
use crate::model::paging::{Listing, Page};

const TEXT: &str = "text/plain; charset=utf-8";
/// GitHub's limits: of files in JSON, and of files as they are.
const CONTENT_BYTES_MAX: usize = 1024 * 1024;
const RAW_BYTES_MAX: usize = 100 * 1024 * 1024;
const RAW: &str = "application/vnd.github.raw; charset=utf-8";

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = reference(desk, "sha")?;
    let text = |name: &str| desk.ask.query(name).map(str::to_owned);
    let filter = CommitFilter {
        path: text("path"),
        author: text("author"),
        committer: text("committer"),
        since: desk.ask.moment("since")?,
        until: desk.ask.moment("until")?,
    };
    let page = desk.ask.page();
    let listing = desk.call(ListCommits { reference, filter, page })?;
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
        return Ok(named.to_owned());
    }
    Ok(seen(desk)?.default_branch)
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let reference = desk.ask.param("ref").to_owned();
    let commit = desk.call(GetCommit { reference })?;
    let page = desk.ask.page();
    if desk.ask.media == Media::Sha {
        let text = commit.sha.to_string().into_bytes();
        return Ok(Answer::bytes(StatusCode::OK, text, TEXT));
    }
    if let Some((form, kind)) = change_form(desk.ask.media) {
        let sha = commit.sha;
        let text = desk.call(GetCommitDiff { sha, form })?;
        return Ok(Answer::bytes(StatusCode::OK, text, kind));
    }
    let files = desk.call(ListCommitFiles { sha: commit.sha, page })?.items;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = CommitJson { scene: &scene, repo: &repo, commit: &commit, files: Some(&files) };
    let answer = Answer::ok(&body)?;
    // A name can lead to an older commit than before; a sha leads to one for ever.
    let moved = seen(desk)?.pushed_at;
    let is_sha = desk.ask.param("ref") == commit.sha.to_string();
    Ok(answer.modified(if is_sha { commit.at } else { commit.at.max(moved) }))
}

pub(in crate::http) fn pulls(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let sha: Sha = desk.ask.param("commit_sha").parse().map_err(|_bad| {
        let words = format!("No commit found for SHA: {}", desk.ask.param("commit_sha"));
        Problem::unprocessable(words)
    })?;
    let page = desk.ask.page();
    let listing = desk.call(ListCommitPulls { sha, page })?;
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
    let page = compare_page(desk);
    if let Some((form, kind)) = change_form(desk.ask.media) {
        let text = desk.call(GetDiff { base, head, form })?;
        return Ok(Answer::bytes(StatusCode::OK, text, kind));
    }
    let call = CompareCommits { base: base.clone(), head: head.clone() };
    let comparison = desk.call(call)?;
    let mut commit = |reference: String| {
        let reply = desk.call(GetCommit { reference })?;
        Ok::<_, Problem>(reply)
    };
    let base_commit = commit(base)?;
    let head_commit = commit(head)?;
    let merge_base = commit(comparison.merge_base.to_string())?;
    let listing = Listing::of(&comparison.commits, page, Clone::clone);
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
    let is_raw = desk.ask.media == Media::Raw;
    let bytes_max = if is_raw { RAW_BYTES_MAX } else { CONTENT_BYTES_MAX };
    let call = GetContents { reference: reference.clone(), path, bytes_max };
    let contents = desk.call(call)?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let place = Place { scene: &scene, repo: &repo, reference: &reference };
    let changed = seen(desk)?.updated_at;
    let answer = match (contents, desk.ask.media) {
        // A folder has no text that could be shown otherwise.
        (Contents::Folder(folder), Media::Json | Media::Full | Media::Text) => {
            Answer::ok(&each(&folder.entries, |entry| EntryJson { place, entry }))?
        }
        (Contents::Folder(folder), Media::Object) => {
            Answer::ok(&FolderContents { place, folder: &folder })?
        }
        (
            Contents::Folder(_),
            Media::Raw | Media::Html | Media::Diff | Media::Patch | Media::Sha,
        ) => {
            let words = "A folder is answered as a list or an object; accept \
                         'application/json' or 'application/vnd.github.object+json'.";
            return Err(Problem::new(415, words));
        }
        (Contents::File(file), Media::Raw) => {
            let too_large = || Problem::new(403, "This file is too large to be shown.");
            Answer::bytes(StatusCode::OK, file.bytes.ok_or_else(too_large)?, RAW)
        }
        (Contents::File(file), _other) => Answer::ok(&FileContents { place, file: &file })?,
    };
    Ok(answer.modified(changed))
}

/// How a media type writes changes down, and what that is called.
pub(super) fn change_form(media: Media) -> Option<(ChangeForm, &'static str)> {
    match media {
        Media::Diff => Some((ChangeForm::Diff, "application/vnd.github.diff; charset=utf-8")),
        Media::Patch => Some((ChangeForm::Patch, "application/vnd.github.patch; charset=utf-8")),
        Media::Json
        | Media::Raw
        | Media::Text
        | Media::Html
        | Media::Full
        | Media::Sha
        | Media::Object => None,
    }
}
