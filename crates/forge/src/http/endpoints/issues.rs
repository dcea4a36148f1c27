//! Issues, their events and their timeline.

use serde::Deserialize;

use super::labels::NameBody;
use crate::http::answer::Answer;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::timeline::{Subject, TimelineJson};
use crate::http::request_context::RequestContext;
use crate::model::issue_list::ListIssues;
use crate::model::issue_list::{IssueFilter, IssueSort};
use crate::model::issue_view::IssueView;
use crate::model::issues::{CloseReason, IssueEdit, NewIssue, StateChange};
use crate::model::issues::{CreateIssue, EditIssue, GetIssue};
use crate::model::paging::{Direction, Listing};
use crate::model::refusal::DetailCode;
use crate::model::timeline::{ListIssueEvents, ListTimeline};
use crate::model::timeline::{TimelineEntry, TimelineEvent};

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let ask = &context.ask;
    let filter = IssueFilter {
        state: ask.state("Issue")?,
        labels: ask.query_list("labels"),
        since: ask.since()?,
        sort: match ask.choice("sort", &["created", "updated", "comments"])? {
            Some("updated") => IssueSort::Updated,
            Some("comments") => IssueSort::Comments,
            Some(_) | None => IssueSort::Created,
        },
        direction: ask.direction(Direction::Descending)?,
        author: ask.query("creator").map(str::to_owned),
        mentioned: ask.query("mentioned").map(str::to_owned),
    };
    let page = ask.page();
    let admits = admits_by_what_is_not_kept(context)?;
    let mut listing = context.call(ListIssues { filter, page })?;
    if !admits {
        listing = Listing { items: Vec::new(), total: 0, page: listing.page };
    }
    render_list(context, &listing)
}

/// Issues have no assignees, milestones or types here. So every issue is without them, none has one,
/// and a filter for one that does not exist is refused.
fn admits_by_what_is_not_kept(context: &RequestContext<'_>) -> Result<bool, Problem> {
    let assigned = context.ask.query("assignee");
    let exists = |login: &str| context.site.forge.account(login).is_some();
    if assigned.is_some_and(|login| login != "none" && login != "*" && !exists(login)) {
        return Err(Problem::invalid("Issue", "assignee", DetailCode::Invalid));
    }
    let milestone = context.ask.choice("milestone", &["none", "*"])?;
    let kind = context.ask.choice("type", &["none", "*"])?;
    let asked = [assigned, milestone, kind];
    Ok(asked.into_iter().flatten().all(|value| value == "none"))
}

pub(super) fn render_list(
    context: &RequestContext<'_>,
    listing: &Listing<IssueView>,
) -> Result<Answer, Problem> {
    let render = context.render();
    Ok(Answer::ok(&each(&listing.items, |issue| render.issue(issue)))?.paged(listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewIssueBody {
    title: TitleBody,
    body: Option<String>,
    #[serde(default)]
    labels: Option<Vec<NameBody>>,
    #[serde(default, rename = "assignee")]
    _assignee: Option<Nothing>,
    #[serde(default, rename = "assignees")]
    _assignees: Option<Nothing>,
    #[serde(default, rename = "milestone")]
    _milestone: Option<Nothing>,
    #[serde(default, rename = "type")]
    _type: Option<Nothing>,
}

/// GitHub takes a number as a title too.
#[derive(Deserialize)]
#[serde(untagged)]
enum TitleBody {
    Text(String),
    Number(u64),
}

impl TitleBody {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: NewIssueBody = context.ask.json()?;
    let new = NewIssue {
        title: body.title.into_text(),
        body: body.body.unwrap_or_default(),
        labels: body.labels.unwrap_or_default().into_iter().map(NameBody::into_name).collect(),
    };
    let issue = context.call(CreateIssue(new))?;
    let render = context.render();
    let location = format!("{}/repos/{}/issues/{}", render.base, issue.repo, issue.number);
    Ok(Answer::created(&render.issue(&issue))?.at(location))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let issue = context.call(GetIssue { number })?;
    Ok(Answer::ok(&context.render().issue(&issue))?.modified(issue.updated_at))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EditBody {
    title: Option<TitleBody>,
    /// Absent leaves it, null empties it.
    #[serde(default, deserialize_with = "super::pulls::present")]
    body: Option<Option<String>>,
    state: Option<String>,
    state_reason: Option<String>,
    labels: Option<Vec<NameBody>>,
    #[serde(default, rename = "assignee")]
    _assignee: Option<Nothing>,
    #[serde(default, rename = "assignees")]
    _assignees: Option<Nothing>,
    #[serde(default, rename = "milestone")]
    _milestone: Option<Nothing>,
    #[serde(default, rename = "type")]
    _type: Option<Nothing>,
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    let body: EditBody = context.ask.json()?;
    let labels = body.labels.map(|labels| labels.into_iter().map(NameBody::into_name).collect());
    let edit = IssueEdit {
        title: body.title.map(TitleBody::into_text),
        body: body.body.map(Option::unwrap_or_default),
        state: state_change(body.state.as_deref(), body.state_reason.as_deref())?,
        labels,
    };
    let issue = context.call(EditIssue { number, edit })?;
    Answer::ok(&context.render().issue(&issue))
}

fn state_change(state: Option<&str>, reason: Option<&str>) -> Result<Option<StateChange>, Problem> {
    let known = [None, Some("completed"), Some("not_planned"), Some("duplicate"), Some("reopened")];
    if !known.contains(&reason) {
        return Err(Problem::invalid("Issue", "state_reason", DetailCode::Invalid));
    }
    let takes = |state: &str, reasons: &str| {
        let reason = reason.unwrap_or_default();
        let words = format!("with the state `{state}` it takes {reasons}.");
        Problem::unprocessable(format!("The field `state_reason` is `{reason}`; {words}"))
    };
    match (state, reason) {
        (None, None) => Ok(None),
        (None, Some(_)) => {
            let words =
                "The field `state_reason` needs the field `state`, whose change it explains.";
            Err(Problem::unprocessable(words))
        }
        (Some("closed"), reason) => Ok(Some(StateChange::Close(match reason {
            None | Some("completed") => CloseReason::Completed,
            Some("not_planned") => CloseReason::NotPlanned,
            Some("duplicate") => CloseReason::Duplicate,
            Some(_) => return Err(takes("closed", "`completed`, `not_planned` or `duplicate`")),
        }))),
        (Some("open"), None | Some("reopened")) => Ok(Some(StateChange::Reopen)),
        (Some("open"), Some(_)) => Err(takes("open", "`reopened`")),
        (Some(_), _) => Err(Problem::invalid("Issue", "state", DetailCode::Invalid)),
    }
}

pub(in crate::http) fn events(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("issue_number")?, context.ask.page());
    let listing = context.call(ListIssueEvents { number, page })?;
    render_timeline(context, &listing)
}

pub(in crate::http) fn timeline(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("issue_number")?, context.ask.page());
    let listing = context.call(ListTimeline { number, page })?;
    render_timeline(context, &listing)
}

fn render_timeline(
    context: &mut RequestContext<'_>,
    listing: &Listing<TimelineEntry>,
) -> Result<Answer, Problem> {
    let repo = context.ask.repo();
    let subjects: Vec<(&TimelineEntry, Subject)> =
        listing.items.iter().map(|entry| (entry, subject(context, &repo, &entry.event))).collect();
    let render = context.render();
    let body = each(&subjects, |(entry, subject)| TimelineJson {
        render: &render,
        repo: &repo,
        entry,
        subject,
    });
    Ok(Answer::ok(&body)?.paged(listing))
}

fn subject(context: &mut RequestContext<'_>, repo: &str, event: &TimelineEvent) -> Subject {
    let forge = &mut context.site.forge;
    if let TimelineEvent::Commented { comment } = event {
        let found = forge.peek_comment(repo, *comment);
        return found.map_or(Subject::Nothing, |comment| Subject::Comment(Box::new(comment)));
    }
    if let TimelineEvent::Committed { commit } = event {
        let found = forge.peek_commit(repo, *commit);
        return found.map_or(Subject::Nothing, Subject::Commit);
    }
    if let TimelineEvent::Reviewed { review } = event {
        let found = forge.peek_review(repo, *review);
        return found.map_or(Subject::Nothing, |review| Subject::Review(Box::new(review)));
    }
    let named = event.reference();
    let found = named.and_then(|other| forge.peek_issue(&other.repo, other.number));
    found.map_or(Subject::Nothing, |issue| Subject::Issue(Box::new(issue)))
}
