//! Check runs, suites and annotations.

use http::StatusCode;
use serde::{Deserialize, Serialize, Serializer};

use super::pulls::seen;
use crate::git::commit::Commit;
use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::moment::Moment;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::check::{AnnotationJson, CheckContext, CheckRunJson, SuiteJson};
use crate::http::render::{each, object};
use crate::http::request_context::RequestContext;
use crate::model::check_suites::CheckSuite;
use crate::model::check_suites::{
    GetCheckSuite, ListCheckSuites, ListSuiteRuns, RerequestCheckSuite,
};
use crate::model::checks::{
    Annotation, AnnotationLevel, CheckOutput, CheckRun, CheckRunUpdate, CheckState, Conclusion,
    NewCheckRun,
};
use crate::model::checks::{
    CreateCheckRun, GetCheckRun, ListCheckRuns, RerequestCheckRun, UpdateCheckRun,
};
use crate::model::history::GetCommit;
use crate::model::paging::{Listing, Page};
use crate::model::refusal::DetailCode;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunBody {
    name: Option<String>,
    head_sha: Option<String>,
    status: Option<String>,
    conclusion: Option<String>,
    details_url: Option<String>,
    external_id: Option<String>,
    started_at: Option<String>,
    completed_at: Option<String>,
    #[serde(default, rename = "actions")]
    _actions: Option<Nothing>,
    output: Option<OutputBody>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputBody {
    title: Option<String>,
    summary: Option<String>,
    text: Option<String>,
    #[serde(default, rename = "images")]
    _images: Option<Nothing>,
    #[serde(default)]
    annotations: Vec<AnnotationBody>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnnotationBody {
    path: String,
    start_line: u64,
    end_line: u64,
    annotation_level: String,
    message: String,
    #[serde(default, rename = "start_column")]
    _start_column: Option<Nothing>,
    #[serde(default, rename = "end_column")]
    _end_column: Option<Nothing>,
    title: Option<String>,
    raw_details: Option<String>,
}

impl RunBody {
    /// A conclusion completes the run, whatever else is said.
    fn state(&self) -> Result<Option<CheckState>, Problem> {
        let invalid = |field| Problem::invalid("CheckRun", field, DetailCode::Invalid);
        let conclusion = self.conclusion.as_deref().map(|word| match word {
            "success" => Ok(Conclusion::Success),
            "neutral" => Ok(Conclusion::Neutral),
            "skipped" => Ok(Conclusion::Skipped),
            "failure" => Ok(Conclusion::Failure),
            "timed_out" => Ok(Conclusion::TimedOut),
            "cancelled" => Ok(Conclusion::Cancelled),
            "action_required" => Ok(Conclusion::ActionRequired),
            "stale" => Ok(Conclusion::Stale),
            "startup_failure" => Ok(Conclusion::StartupFailure),
            _ => Err(invalid("conclusion")),
        });
        let status = match self.status.as_deref() {
            None => None,
            Some("queued") => Some(CheckState::Queued),
            Some("in_progress") => Some(CheckState::InProgress),
            Some("completed") if self.conclusion.is_some() => None,
            Some("completed") => return Err(without_conclusion()),
            Some(word @ ("requested" | "waiting" | "pending")) => {
                let words = format!("Only GitHub Actions can set the status `{word}`.");
                return Err(Problem::unprocessable(words));
            }
            Some(_) => return Err(invalid("status")),
        };
        let completed = conclusion.transpose()?.map(CheckState::Completed);
        if completed.is_none() && self.completed_at.is_some() {
            return Err(without_conclusion());
        }
        Ok(completed.or(status))
    }

    fn started_at(&self) -> Result<Option<u64>, Problem> {
        moment(self.started_at.as_deref(), "started_at")
    }

    fn completed_at(&self) -> Result<Option<u64>, Problem> {
        moment(self.completed_at.as_deref(), "completed_at")
    }
}

fn without_conclusion() -> Problem {
    let words = "A run that is completed, or says when it was, needs a `conclusion`.";
    Problem::unprocessable(words)
}

fn moment(text: Option<&str>, field: &'static str) -> Result<Option<u64>, Problem> {
    let Some(text) = text else { return Ok(None) };
    let invalid = || Problem::invalid("CheckRun", field, DetailCode::Invalid);
    Moment::parse(text).map(|moment| Some(moment.0)).ok_or_else(invalid)
}

impl OutputBody {
    fn into_output(self) -> Result<CheckOutput, Problem> {
        let read = |body: AnnotationBody| {
            let level = match body.annotation_level.as_str() {
                "notice" => AnnotationLevel::Notice,
                "warning" => AnnotationLevel::Warning,
                "failure" => AnnotationLevel::Failure,
                _ => {
                    let invalid = DetailCode::Invalid;
                    return Err(Problem::invalid("CheckRun", "annotation_level", invalid));
                }
            };
            let AnnotationBody { path, start_line, end_line, message, title, raw_details, .. } =
                body;
            Ok(Annotation { path, start_line, end_line, level, message, title, raw_details })
        };
        let annotations = self.annotations.into_iter().map(read).collect::<Result<_, _>>()?;
        Ok(CheckOutput { title: self.title, summary: self.summary, text: self.text, annotations })
    }
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: RunBody = context.ask.json()?;
    let (state, started_at, completed_at) =
        (body.state()?, body.started_at()?, body.completed_at()?);
    let missing = |field| Problem::invalid("CheckRun", field, DetailCode::MissingField);
    let head = body.head_sha.ok_or_else(|| missing("head_sha"))?;
    let new = NewCheckRun {
        name: body.name.ok_or_else(|| missing("name"))?,
        head: parse_sha("CheckRun", &head)?,
        state: state.unwrap_or(CheckState::Queued),
        details_url: body.details_url,
        output: body.output.map(OutputBody::into_output).transpose()?.unwrap_or_default(),
    };
    let mut run = context.call(CreateCheckRun(new))?;
    if body.external_id.is_some() || started_at.is_some() || completed_at.is_some() {
        let (external_id, id) = (body.external_id, run.id);
        let rest = CheckRunUpdate::default();
        let update = CheckRunUpdate { external_id, started_at, completed_at, ..rest };
        run = context.call(UpdateCheckRun { id, update })?;
    }
    let (base, repo) = (&context.site.settings.base_url, context.ask.repo());
    let location = format!("{base}/repos/{repo}/check-runs/{}", run.id);
    let created = with_check_context(context, run.head, |at| {
        Answer::created(&CheckRunJson { at, run: &run })
    })?;
    Ok(created.at(location))
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("check_run_id")?;
    let body: RunBody = context.ask.json()?;
    let (state, started_at, completed_at) =
        (body.state()?, body.started_at()?, body.completed_at()?);
    let missing = |field| Problem::invalid("CheckRun", field, DetailCode::Invalid);
    if body.head_sha.is_some() {
        return Err(missing("head_sha"));
    }
    let update = CheckRunUpdate {
        name: body.name,
        state,
        started_at,
        completed_at,
        details_url: body.details_url,
        external_id: body.external_id,
        output: body.output.map(OutputBody::into_output).transpose()?,
    };
    let run = context.call(UpdateCheckRun { id, update })?;
    with_check_context(context, run.head, |at| Answer::ok(&CheckRunJson { at, run: &run }))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("check_run_id")?;
    let run = context.call(GetCheckRun { id })?;
    with_check_context(context, run.head, |at| Answer::ok(&CheckRunJson { at, run: &run }))
}

pub(in crate::http) fn annotations(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (id, page) = (context.ask.number("check_run_id")?, context.ask.page());
    let run = context.call(GetCheckRun { id })?;
    let listing = Listing::of(&run.output.annotations, page, Clone::clone);
    let (render, repo, head) = (context.render(), context.ask.repo(), run.head);
    let body = each(&listing.items, |annotation| AnnotationJson {
        render: &render,
        repo: &repo,
        head,
        annotation,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn rerequest(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("check_run_id")?;
    context.call(RerequestCheckRun { id })?;
    Ok(Answer::empty_object(StatusCode::CREATED))
}

/// A check run is what GitHub would call a job of a workflow.
pub(in crate::http) fn rerun_job(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("job_id")?;
    context.call(RerequestCheckRun { id })?;
    Ok(Answer::empty_object(StatusCode::CREATED))
}

pub(in crate::http) fn job_logs(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("job_id")?;
    let run = context.call(GetCheckRun { id })?;
    let text = run.output.text.unwrap_or_default();
    Ok(Answer::bytes(StatusCode::OK, text.into_bytes(), "text/plain; charset=utf-8"))
}

/// Reads the filters of a list of runs from the query: name, all instead of the latest, and page.
fn run_filters(context: &RequestContext<'_>) -> Result<(Option<String>, bool, Page), Problem> {
    let name = context.ask.query("check_name").map(str::to_owned);
    let filter = context.ask.choice("filter", &["all", "latest"])?;
    Ok((name, filter == Some("all"), context.ask.page()))
}

pub(in crate::http) fn list_for_ref(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (name, all, page) = run_filters(context)?;
    let reference = context.ask.param("ref").to_owned();
    let call = ListCheckRuns { reference, name, all, page };
    let listing = context.call(call)?;
    render_runs(context, &listing)
}

pub(in crate::http) fn list_for_suite(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (name, all, page) = run_filters(context)?;
    let id = context.ask.number("check_suite_id")?;
    let listing = context.call(ListSuiteRuns { id, name, all, page })?;
    render_runs(context, &listing)
}

struct Runs<'a> {
    at: CheckContext<'a>,
    listing: &'a Listing<CheckRun>,
}

impl Serialize for Runs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "total_count": self.listing.total,
            "check_runs": each(&self.listing.items, |run| CheckRunJson { at: self.at, run }),
        })
    }
}

fn render_runs(
    context: &mut RequestContext<'_>,
    listing: &Listing<CheckRun>,
) -> Result<Answer, Problem> {
    let Some(first) = listing.items.first() else {
        let none =
            Listing { items: Vec::<CheckRun>::new(), total: listing.total, page: listing.page };
        let (render, repository) = (context.render(), seen(context)?);
        let at = CheckContext { render: &render, repository: &repository, pulls: &[], suite: 0 };
        return Ok(Answer::ok(&Runs { at, listing: &none })?.paged(listing));
    };
    let answer = with_check_context(context, first.head, |at| Answer::ok(&Runs { at, listing }))?;
    Ok(answer.paged(listing))
}

/// Writes an answer about a commit's runs with their repository, their suite and the pulls with this head.
fn with_check_context(
    context: &mut RequestContext<'_>,
    head: Sha,
    write: impl FnOnce(CheckContext<'_>) -> Result<Answer, Problem>,
) -> Result<Answer, Problem> {
    let (repo, repository) = (context.ask.repo(), seen(context)?);
    let pulls = context.site.forge.open_pulls_at(&repo, head);
    let suite = context.site.forge.suite_id(&repo, head).unwrap_or(0);
    let render = context.render();
    write(CheckContext { render: &render, repository: &repository, pulls: &pulls, suite })
}

pub(in crate::http) fn show_suite(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let id = context.ask.number("check_suite_id")?;
    let suite = context.call(GetCheckSuite { id })?;
    let reference = suite.head.to_string();
    let commit = context.call(GetCommit { reference })?;
    with_check_context(context, suite.head, |at| {
        Answer::ok(&SuiteJson { at, suite: &suite, commit: &commit })
    })
}

pub(in crate::http) fn list_suites(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (reference, page) = (context.ask.param("ref").to_owned(), context.ask.page());
    let call = ListCheckSuites { reference: reference.clone(), page };
    let listing = context.call(call)?;
    let commit = context.call(GetCommit { reference })?;
    let answer = with_check_context(context, commit.sha, |at| {
        Answer::ok(&Suites { at, listing: &listing, commit: &commit })
    })?;
    Ok(answer.paged(&listing))
}

struct Suites<'a> {
    at: CheckContext<'a>,
    listing: &'a Listing<CheckSuite>,
    commit: &'a Commit,
}

impl Serialize for Suites<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { at, listing, commit } = self;
        object!(serializer, {
            "total_count": listing.total,
            "check_suites": each(&listing.items, |suite| SuiteJson { at: *at, suite, commit }),
        })
    }
}

pub(in crate::http) fn rerequest_suite(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let id = context.ask.number("check_suite_id")?;
    context.call(RerequestCheckSuite { id })?;
    Ok(Answer::empty_object(StatusCode::CREATED))
}
