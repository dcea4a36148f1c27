//! Commits of a repository, how they compare and what they hold.

use http::StatusCode;

use super::pulls::seen;
use crate::git::diff::ChangeForm;
use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::media::Media;
use crate::http::problem::Problem;
use crate::http::render::commit::{CommitJson, ComparisonJson};
use crate::http::render::contents::{EntryJson, FileContents, FolderContents, Place};
use crate::http::render::each;
use crate::http::request_context::RequestContext;
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

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let reference = reference(context, "sha")?;
    let text = |name: &str| context.ask.query(name).map(str::to_owned);
    let filter = CommitFilter {
        path: text("path"),
        author: text("author"),
        committer: text("committer"),
        since: context.ask.moment("since")?,
        until: context.ask.moment("until")?,
    };
    let page = context.ask.page();
    let listing = context.call(ListCommits { reference, filter, page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |commit| CommitJson {
        render: &render,
        repo: &repo,
        commit,
        files: None,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

/// Returns the reference that the query names, or else the default branch.
fn reference(context: &RequestContext<'_>, name: &str) -> Result<String, Problem> {
    if let Some(named) = context.ask.query(name) {
        return Ok(named.to_owned());
    }
    Ok(seen(context)?.default_branch)
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let reference = context.ask.param("ref").to_owned();
    let commit = context.call(GetCommit { reference })?;
    let page = context.ask.page();
    if context.ask.media == Media::Sha {
        let text = commit.sha.to_string().into_bytes();
        return Ok(Answer::bytes(StatusCode::OK, text, TEXT));
    }
    if let Some((form, kind)) = change_form(context.ask.media) {
        let sha = commit.sha;
        let text = context.call(GetCommitDiff { sha, form })?;
        return Ok(Answer::bytes(StatusCode::OK, text, kind));
    }
    let files = context.call(ListCommitFiles { sha: commit.sha, page })?.items;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = CommitJson { render: &render, repo: &repo, commit: &commit, files: Some(&files) };
    let answer = Answer::ok(&body)?;
    // A name can lead to an older commit than before; a sha leads to one for ever.
    let moved = seen(context)?.pushed_at;
    let is_sha = context.ask.param("ref") == commit.sha.to_string();
    Ok(answer.modified(if is_sha { commit.at } else { commit.at.max(moved) }))
}

pub(in crate::http) fn pulls(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let sha: Sha = context.ask.param("commit_sha").parse().map_err(|_bad| {
        let words = format!("No commit found for SHA: {}", context.ask.param("commit_sha"));
        Problem::unprocessable(words)
    })?;
    let page = context.ask.page();
    let listing = context.call(ListCommitPulls { sha, page })?;
    super::pulls::render_list(context, &listing)
}

pub(in crate::http) fn compare(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let range = context.ask.param("basehead").to_owned();
    let (base, head) = range.split_once("...").ok_or_else(Problem::not_found)?;
    let owner = context.ask.param("owner").to_lowercase();
    // `owner:branch` may name the repository's own owner only.
    let own = |name: &str| match name.split_once(':') {
        Some((whose, branch)) if whose.to_lowercase() == owner => Ok(branch.to_owned()),
        Some(_foreign) => Err(Problem::not_found()),
        None => Ok(name.to_owned()),
    };
    let (base, head) = (own(base)?, own(head)?);
    let page = compare_page(context);
    if let Some((form, kind)) = change_form(context.ask.media) {
        let text = context.call(GetDiff { base, head, form })?;
        return Ok(Answer::bytes(StatusCode::OK, text, kind));
    }
    let call = CompareCommits { base: base.clone(), head: head.clone() };
    let comparison = context.call(call)?;
    let mut commit = |reference: String| {
        let reply = context.call(GetCommit { reference })?;
        Ok::<_, Problem>(reply)
    };
    let base_commit = commit(base)?;
    let head_commit = commit(head)?;
    let merge_base = commit(comparison.merge_base.to_string())?;
    let listing = Listing::of(&comparison.commits, page, Clone::clone);
    let (render, repo) = (context.render(), context.ask.repo());
    let body = ComparisonJson {
        render: &render,
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
fn compare_page(context: &RequestContext<'_>) -> Page {
    let page = context.ask.page();
    let size = if page.size == 0 { Page::largest().size } else { page.size };
    Page { size, ..page }
}

pub(in crate::http) fn contents(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let reference = reference(context, "ref")?;
    let path = context.ask.param("path").to_owned();
    let is_raw = context.ask.media == Media::Raw;
    let bytes_max = if is_raw { RAW_BYTES_MAX } else { CONTENT_BYTES_MAX };
    let call = GetContents { reference: reference.clone(), path, bytes_max };
    let contents = context.call(call)?;
    let (render, repo) = (context.render(), context.ask.repo());
    let place = Place { render: &render, repo: &repo, reference: &reference };
    let changed = seen(context)?.updated_at;
    let answer = match (contents, context.ask.media) {
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

/// Returns the textual form of changes that a media type asks for, and its content type.
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
