//! Check runs, their annotations, and the suites they form.

use serde::{Serialize, Serializer};

use super::commit::SimpleCommit;
use super::repository::Extent;
use super::{NONE, RenderContext, each, object};
use crate::git::commit::Commit;
use crate::git::sha::Sha;
use crate::http::moment::Moment;
use crate::model::check_suites::CheckSuite;
use crate::model::checks::{Annotation, AnnotationLevel, CheckRun, CheckState, Conclusion};
use crate::model::lookup::PullEnds;
use crate::model::repository_calls::RepositoryView;

/// The commit and repository whose check runs are shown.
#[derive(Clone, Copy)]
pub(in crate::http) struct CheckContext<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repository: &'a RepositoryView,
    /// Open pulls with this head.
    pub(in crate::http) pulls: &'a [PullEnds],
    /// The suite of the commit.
    pub(in crate::http) suite: u64,
}

pub(in crate::http) struct CheckRunJson<'a> {
    pub(in crate::http) at: CheckContext<'a>,
    pub(in crate::http) run: &'a CheckRun,
}

impl Serialize for CheckRunJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, run } = self;
        let (base, repo, id) = (at.render.base, at.repository.full_name(), run.id);
        let page = format_args!("{base}/{repo}/runs/{id}");
        let (status, conclusion) = words(run.state);
        object!(serializer, {
            "id": id,
            "node_id": format_args!("CR_{id}"),
            "name": run.name,
            "head_sha": run.head,
            "external_id": run.external_id.as_deref().unwrap_or_default(),
            "url": format_args!("{base}/repos/{repo}/check-runs/{id}"),
            "html_url": page,
            "details_url": run.details_url.clone().unwrap_or_else(|| page.to_string()),
            "status": status,
            "conclusion": conclusion,
            "started_at": Moment(run.started_at),
            "completed_at": run.completed_at.map(Moment),
            "output": Output { base, repo: &repo, run },
            "check_suite": Id { id: at.suite },
            "app": App { render: at.render, owner: &at.repository.owner },
            "pull_requests": each(at.pulls, |ends| MinimalPull { at: *at, ends }),
        })
    }
}

/// Status and conclusion.
pub(in crate::http) fn words(state: CheckState) -> (&'static str, Option<&'static str>) {
    match state {
        CheckState::Queued => ("queued", None),
        CheckState::InProgress => ("in_progress", None),
        CheckState::Completed(conclusion) => ("completed", Some(conclusion_word(conclusion))),
    }
}

fn conclusion_word(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Success => "success",
        Conclusion::Neutral => "neutral",
        Conclusion::Skipped => "skipped",
        Conclusion::Failure => "failure",
        Conclusion::TimedOut => "timed_out",
        Conclusion::Cancelled => "cancelled",
        Conclusion::ActionRequired => "action_required",
        Conclusion::Stale => "stale",
        Conclusion::StartupFailure => "startup_failure",
    }
}

#[derive(Serialize)]
struct Id {
    id: u64,
}

struct Output<'a> {
    base: &'a str,
    repo: &'a str,
    run: &'a CheckRun,
}

impl Serialize for Output<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { base, repo, run } = self;
        let (output, id) = (&run.output, run.id);
        object!(serializer, {
            "title": output.title,
            "summary": output.summary,
            "text": output.text,
            "annotations_count": output.annotations.len(),
            "annotations_url": format_args!("{base}/repos/{repo}/check-runs/{id}/annotations"),
        })
    }
}

/// The one app that reports here, for every reporter.
pub(in crate::http) struct App<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) owner: &'a str,
}

impl Serialize for App<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let base = self.render.base;
        object!(serializer, {
            "id": 1,
            "slug": "checks",
            "node_id": "A_1",
            "owner": self.render.user(self.owner),
            "name": "Checks",
            "description": "",
            "external_url": format_args!("{base}/apps/checks"),
            "html_url": format_args!("{base}/apps/checks"),
            "created_at": Moment(0),
            "updated_at": Moment(0),
            "permissions": Permissions,
            "events": NONE,
        })
    }
}

struct Permissions;

impl Serialize for Permissions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "checks": "write", "metadata": "read" })
    }
}

struct MinimalPull<'a> {
    at: CheckContext<'a>,
    ends: &'a PullEnds,
}

impl Serialize for MinimalPull<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, ends } = self;
        let (base, repo, number) = (at.render.base, at.repository.full_name(), ends.number);
        let end = |end| MinimalEnd { base, repository: at.repository, end };
        object!(serializer, {
            "id": ends.id,
            "number": number,
            "url": format_args!("{base}/repos/{repo}/pulls/{number}"),
            "head": end(&ends.head),
            "base": end(&ends.base),
        })
    }
}

struct MinimalEnd<'a> {
    base: &'a str,
    repository: &'a RepositoryView,
    end: &'a (String, Sha),
}

impl Serialize for MinimalEnd<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (name, sha) = self.end;
        object!(serializer, { "ref": name, "sha": sha, "repo": RepositoryLink(self) })
    }
}

struct RepositoryLink<'a>(&'a MinimalEnd<'a>);

impl Serialize for RepositoryLink<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MinimalEnd { base, repository, .. } = self.0;
        object!(serializer, {
            "id": repository.id,
            "url": format_args!("{base}/repos/{}", repository.full_name()),
            "name": repository.name,
        })
    }
}

pub(in crate::http) struct AnnotationJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    pub(in crate::http) head: Sha,
    pub(in crate::http) annotation: &'a Annotation,
}

impl Serialize for AnnotationJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { render, repo, head, annotation } = self;
        let (base, path) = (render.base, &annotation.path);
        let level = match annotation.level {
            AnnotationLevel::Notice => "notice",
            AnnotationLevel::Warning => "warning",
            AnnotationLevel::Failure => "failure",
        };
        object!(serializer, {
            "path": path,
            "blob_href": format_args!("{base}/{repo}/blob/{head}/{path}"),
            "start_line": annotation.start_line,
            "end_line": annotation.end_line,
            "start_column": None::<u64>,
            "end_column": None::<u64>,
            "annotation_level": level,
            "title": annotation.title,
            "message": annotation.message,
            "raw_details": annotation.raw_details,
        })
    }
}

pub(in crate::http) struct SuiteJson<'a> {
    pub(in crate::http) at: CheckContext<'a>,
    pub(in crate::http) suite: &'a CheckSuite,
    pub(in crate::http) commit: &'a Commit,
}

impl Serialize for SuiteJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, suite, commit } = self;
        let (base, repo, id) = (at.render.base, at.repository.full_name(), suite.id);
        let (status, conclusion) = words(suite.state);
        object!(serializer, {
            "id": id,
            "node_id": format_args!("CS_{id}"),
            "head_branch": suite.branch,
            "head_sha": suite.head,
            "status": status,
            "conclusion": conclusion,
            "url": format_args!("{base}/repos/{repo}/check-suites/{id}"),
            "before": commit.parents.first(),
            "after": suite.head,
            "pull_requests": each(at.pulls, |ends| MinimalPull { at: *at, ends }),
            "app": App { render: at.render, owner: &at.repository.owner },
            "repository": at.render.repository(at.repository, Extent::Minimal),
            "created_at": Moment(suite.created_at),
            "updated_at": Moment(suite.updated_at),
            "head_commit": SimpleCommit { commit },
            "latest_check_runs_count": suite.runs,
            "check_runs_url": format_args!("{base}/repos/{repo}/check-suites/{id}/check-runs"),
            "rerequestable": true,
            "runs_rerequestable": true,
        })
    }
}
