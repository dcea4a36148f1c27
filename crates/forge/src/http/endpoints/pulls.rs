//! Pulls: making, reading, editing, merging and bringing them up to date.

use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::problem::Problem;
use crate::http::render::commit::{CommitJson, FileJson};
use crate::http::render::pull::{PullJson, PullSummaryJson};
use crate::http::render::{each, object};
use crate::http::request_context::RequestContext;
use crate::model::history::GetDiff;
use crate::model::issues::GetIssue;
use crate::model::issues::{CloseReason, StateChange};
use crate::model::merging::MergePull;
use crate::model::merging::{MergeMethod, MergeOrder};
use crate::model::paging::{Direction, Listing};
use crate::model::pull_list::ListPulls;
use crate::model::pull_list::{PullFilter, PullSort};
use crate::model::pull_view::{ListPullCommits, ListPullFiles};
use crate::model::pull_view::{PullSummary, PullView};
use crate::model::pulls::{CreatePull, EditPull, GetPull};
use crate::model::pulls::{NewPull, PullEdit};
use crate::model::refusal::DetailCode;
use crate::model::repository_calls::RepositoryView;
use crate::model::update_branch::UpdatePullBranch;

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let ask = &context.ask;
    let sort = match ask.choice("sort", &["created", "updated"])? {
        Some("updated") => PullSort::Updated,
        Some(_) | None => PullSort::Created,
    };
    let default = match ask.query("sort") {
        None | Some("created") => Direction::Descending,
        Some(_) => Direction::Ascending,
    };
    let owner = ask.param("owner");
    // GitHub ignores a head that does not say whose it is.
    let head = ask.query("head").and_then(|head| head.split_once(':'));
    let filter = PullFilter {
        state: ask.state("PullRequest")?,
        head: head.map(|(_whose, branch)| branch.to_owned()),
        base: ask.query("base").map(str::to_owned),
        sort,
        direction: ask.direction(default)?,
    };
    let is_foreign = head.is_some_and(|(whose, _branch)| !whose.eq_ignore_ascii_case(owner));
    let page = ask.page();
    let mut listing = context.call(ListPulls { filter, page })?;
    if is_foreign {
        listing = Listing { items: Vec::new(), total: 0, page: listing.page };
    }
    render_list(context, &listing)
}

pub(super) fn render_list(
    context: &RequestContext<'_>,
    listing: &Listing<PullSummary>,
) -> Result<Answer, Problem> {
    let render = context.render();
    let repository = seen(context)?;
    let body = each(&listing.items, |pull| PullSummaryJson {
        render: &render,
        repository: &repository,
        pull,
    });
    Ok(Answer::ok(&body)?.paged(listing))
}

/// The repository of the request, as the one who asks sees it.
pub(super) fn seen(context: &RequestContext<'_>) -> Result<RepositoryView, Problem> {
    let found = context.site.forge.repository_seen_by(&context.ask.repo(), context.ask.who);
    found.ok_or_else(Problem::not_found)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPullBody {
    title: Option<String>,
    body: Option<String>,
    head: String,
    base: String,
    #[serde(default)]
    draft: bool,
    /// Says something about forks only, and there are none.
    #[serde(default, rename = "maintainer_can_modify")]
    _maintainer_can_modify: Option<bool>,
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: NewPullBody = context.ask.json()?;
    let head = match body.head.split_once(':') {
        Some((owner, branch)) if owner.eq_ignore_ascii_case(context.ask.param("owner")) => branch,
        Some(_foreign) => {
            return Err(Problem::invalid("PullRequest", "head", DetailCode::Invalid));
        }
        None => &body.head,
    };
    let new = NewPull {
        title: body.title.unwrap_or_default(),
        body: body.body.unwrap_or_default(),
        head: head.to_owned(),
        base: body.base,
        draft: body.draft,
    };
    let pull = context.call(CreatePull(new))?;
    let location = format!(
        "{}/repos/{}/pulls/{}",
        context.site.settings.base_url, pull.summary.issue.repo, pull.summary.issue.number
    );
    Ok(one(context, StatusCode::CREATED, &pull)?.at(location))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("pull_number")?;
    let pull = context.call(GetPull { number })?;
    if let Some((form, kind)) = super::history::change_form(context.ask.media) {
        let (base, head) = (pull.summary.base_sha.to_string(), pull.summary.head_sha.to_string());
        let text = context.call(GetDiff { base, head, form })?;
        return Ok(Answer::bytes(StatusCode::OK, text, kind));
    }
    let issue = &pull.summary.issue;
    // Looking at it made it computed: the next look sees more, and is dated later than this one.
    let provisional = pull.mergeable.is_none() && issue.state.is_open();
    let changed = issue.updated_at.saturating_sub(u64::from(provisional));
    let mut answer = one(context, StatusCode::OK, &pull)?.modified(changed);
    answer.provisional = provisional;
    Ok(answer)
}

fn one(
    context: &RequestContext<'_>,
    status: StatusCode,
    pull: &PullView,
) -> Result<Answer, Problem> {
    let (render, repository) = (context.render(), seen(context)?);
    Answer::json(status, &PullJson { render: &render, repository: &repository, pull })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    title: Option<String>,
    #[serde(default, deserialize_with = "present")]
    body: Option<Option<String>>,
    state: Option<String>,
    base: Option<String>,
    #[serde(default, rename = "maintainer_can_modify")]
    _maintainer_can_modify: Option<bool>,
}

/// Tells a field that is null from one that is not there.
pub(super) fn present<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("pull_number")?;
    let body: EditBody = context.ask.json()?;
    let state = match body.state.as_deref() {
        None => None,
        Some("closed") => Some(StateChange::Close(CloseReason::Completed)),
        Some("open") => Some(StateChange::Reopen),
        Some(_) => return Err(Problem::invalid("PullRequest", "state", DetailCode::Invalid)),
    };
    let text = body.body.map(Option::unwrap_or_default);
    let edit = PullEdit { title: body.title, body: text, state, base: body.base };
    let pull = context.call(EditPull { number, edit })?;
    one(context, StatusCode::OK, &pull)
}

pub(in crate::http) fn files(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("pull_number")?, context.ask.page());
    let repo = context.ask.repo();
    let listing = context.call(ListPullFiles { number, page })?;
    let pull = context.site.forge.peek_pull(&repo, number).ok_or_else(Problem::not_found)?;
    let (render, sha) = (context.render(), pull.summary.head_sha);
    let body = each(&listing.items, |file| FileJson { render: &render, repo: &repo, sha, file });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn commits(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("pull_number")?, context.ask.page());
    let listing = context.call(ListPullCommits { number, page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |commit| CommitJson {
        render: &render,
        repo: &repo,
        commit,
        files: None,
    });
    Ok(Answer::ok(&body)?.paged(&listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MergeBody {
    merge_method: Option<String>,
    sha: Option<String>,
    commit_title: Option<String>,
    commit_message: Option<String>,
}

pub(in crate::http) fn merge(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("pull_number")?;
    let body: MergeBody = context.ask.json()?;
    let method = match body.merge_method.as_deref() {
        None | Some("merge") => MergeMethod::Merge,
        Some("squash") => MergeMethod::Squash,
        Some("rebase") => MergeMethod::Rebase,
        Some(_) => {
            return Err(Problem::invalid("PullRequest", "merge_method", DetailCode::Invalid));
        }
    };
    if method == MergeMethod::Rebase
        && (body.commit_title.is_some() || body.commit_message.is_some())
    {
        let words =
            "A rebase makes no commit that commit_title or commit_message could be written on.";
        return Err(Problem::unprocessable(words));
    }
    let message = match (body.commit_title, body.commit_message) {
        (Some(title), Some(message)) if !message.is_empty() => {
            Some(format!("{title}\n\n{message}"))
        }
        (Some(title), _) => Some(title),
        (None, Some(message)) if !message.is_empty() => {
            let title = context.site.forge.merge_title(&context.ask.repo(), number, method);
            Some(format!("{}\n\n{message}", title.unwrap_or_default()))
        }
        (None, _) => None,
    };
    let sha = body.sha.as_deref().map(|sha| parse_sha("PullRequest", sha)).transpose()?;
    let order = MergeOrder { method, expected_head: sha, message };
    let merged = context.call(MergePull { number, order })?;
    Answer::ok(&MergedJson(merged.sha))
}

struct MergedJson(Sha);

impl Serialize for MergedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "sha": self.0,
            "merged": true,
            "message": "Pull Request successfully merged",
        })
    }
}

/// Answers 204 if the pull is merged.
pub(in crate::http) fn is_merged(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("pull_number")?;
    context.call(GetIssue { number })?;
    let pull = context.site.forge.peek_pull(&context.ask.repo(), number);
    let merged = pull.is_some_and(|pull| pull.summary.merged.is_some());
    if merged { Ok(Answer::no_content()) } else { Err(Problem::not_found()) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateBody {
    expected_head_sha: Option<String>,
}

pub(in crate::http) fn update_branch(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("pull_number")?;
    let body: UpdateBody = context.ask.json()?;
    let expected = body.expected_head_sha.as_deref();
    let expected_head = expected.map(|sha| parse_sha("PullRequest", sha)).transpose()?;
    context.call(UpdatePullBranch { number, expected_head })?;
    let url =
        format!("{}/repos/{}/pulls/{number}", context.site.settings.base_url, context.ask.repo());
    Answer::json(StatusCode::ACCEPTED, &Updating { url })
}

struct Updating {
    url: String,
}

impl Serialize for Updating {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "message": "Updating pull request branch.", "url": self.url })
    }
}
