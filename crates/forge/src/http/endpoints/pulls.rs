//! Pulls: making, reading, editing, merging and bringing them up to date.

use http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::git::sha::Sha;
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::desk::Desk;
use crate::http::problem::Problem;
use crate::http::render::commit::{CommitJson, FileJson};
use crate::http::render::pull::{PullJson, PullSummaryJson};
use crate::http::render::{each, object};
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

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let ask = &desk.ask;
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
    let mut listing = desk.call(ListPulls { filter, page })?;
    if is_foreign {
        listing = Listing { items: Vec::new(), total: 0, page: listing.page };
    }
    render_list(desk, &listing)
}

pub(super) fn render_list(
    desk: &Desk<'_>,
    listing: &Listing<PullSummary>,
) -> Result<Answer, Problem> {
    let scene = desk.scene();
    let repository = seen(desk)?;
    let body = each(&listing.items, |pull| PullSummaryJson {
        scene: &scene,
        repository: &repository,
        pull,
    });
    Ok(Answer::ok(&body)?.paged(listing))
}

/// The repository of the request, as the one who asks sees it.
pub(super) fn seen(desk: &Desk<'_>) -> Result<RepositoryView, Problem> {
    let found = desk.site.forge.repository_seen_by(&desk.ask.repo(), desk.ask.who);
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

pub(in crate::http) fn create(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let body: NewPullBody = desk.ask.json()?;
    let head = match body.head.split_once(':') {
        Some((owner, branch)) if owner.eq_ignore_ascii_case(desk.ask.param("owner")) => branch,
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
    let pull = desk.call(CreatePull(new))?;
    let location = format!(
        "{}/repos/{}/pulls/{}",
        desk.site.settings.base_url, pull.summary.issue.repo, pull.summary.issue.number
    );
    Ok(one(desk, StatusCode::CREATED, &pull)?.at(location))
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("pull_number")?;
    let pull = desk.call(GetPull { number })?;
    if let Some((form, kind)) = super::history::change_form(desk.ask.media) {
        let (base, head) = (pull.summary.base_sha.to_string(), pull.summary.head_sha.to_string());
        let text = desk.call(GetDiff { base, head, form })?;
        return Ok(Answer::bytes(StatusCode::OK, text, kind));
    }
    let issue = &pull.summary.issue;
    // Looking at it made it computed: the next look sees more, and is dated later than this one.
    let unsettled = pull.mergeable.is_none() && issue.state.is_open();
    let changed = issue.updated_at.saturating_sub(u64::from(unsettled));
    let mut answer = one(desk, StatusCode::OK, &pull)?.modified(changed);
    answer.unsettled = unsettled;
    Ok(answer)
}

fn one(desk: &Desk<'_>, status: StatusCode, pull: &PullView) -> Result<Answer, Problem> {
    let (scene, repository) = (desk.scene(), seen(desk)?);
    Answer::json(status, &PullJson { scene: &scene, repository: &repository, pull })
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

pub(in crate::http) fn edit(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("pull_number")?;
    let body: EditBody = desk.ask.json()?;
    let state = match body.state.as_deref() {
        None => None,
        Some("closed") => Some(StateChange::Close(CloseReason::Completed)),
        Some("open") => Some(StateChange::Reopen),
        Some(_) => return Err(Problem::invalid("PullRequest", "state", DetailCode::Invalid)),
    };
    let text = body.body.map(Option::unwrap_or_default);
    let edit = PullEdit { title: body.title, body: text, state, base: body.base };
    let pull = desk.call(EditPull { number, edit })?;
    one(desk, StatusCode::OK, &pull)
}

pub(in crate::http) fn files(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (number, page) = (desk.ask.number("pull_number")?, desk.ask.page());
    let repo = desk.ask.repo();
    let listing = desk.call(ListPullFiles { number, page })?;
    let pull = desk.site.forge.peek_pull(&repo, number).ok_or_else(Problem::not_found)?;
    let (scene, sha) = (desk.scene(), pull.summary.head_sha);
    let body = each(&listing.items, |file| FileJson { scene: &scene, repo: &repo, sha, file });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn commits(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let (number, page) = (desk.ask.number("pull_number")?, desk.ask.page());
    let listing = desk.call(ListPullCommits { number, page })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&listing.items, |commit| CommitJson {
        scene: &scene,
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

pub(in crate::http) fn merge(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("pull_number")?;
    let body: MergeBody = desk.ask.json()?;
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
            let title = desk.site.forge.merge_title(&desk.ask.repo(), number, method);
            Some(format!("{}\n\n{message}", title.unwrap_or_default()))
        }
        (None, _) => None,
    };
    let sha = body.sha.as_deref().map(|sha| parse_sha("PullRequest", sha)).transpose()?;
    let order = MergeOrder { method, expected_head: sha, message };
    let merged = desk.call(MergePull { number, order })?;
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

/// Whether it is merged: 204 when it is.
pub(in crate::http) fn is_merged(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("pull_number")?;
    desk.call(GetIssue { number })?;
    let pull = desk.site.forge.peek_pull(&desk.ask.repo(), number);
    let merged = pull.is_some_and(|pull| pull.summary.merged.is_some());
    if merged { Ok(Answer::no_content()) } else { Err(Problem::not_found()) }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateBody {
    expected_head_sha: Option<String>,
}

pub(in crate::http) fn update_branch(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let number = desk.ask.number("pull_number")?;
    let body: UpdateBody = desk.ask.json()?;
    let expected = body.expected_head_sha.as_deref();
    let expected_head = expected.map(|sha| parse_sha("PullRequest", sha)).transpose()?;
    desk.call(UpdatePullBranch { number, expected_head })?;
    let url = format!("{}/repos/{}/pulls/{number}", desk.site.settings.base_url, desk.ask.repo());
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
