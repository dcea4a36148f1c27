//! Labels of a repository, and those on issues and pulls.

use std::sync::Arc;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;

use crate::http::answer::Answer;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::label::LabelJson;
use crate::http::request_context::RequestContext;
use crate::model::issue_labels::{AddLabels, ListIssueLabels, RemoveLabel, SetLabels};
use crate::model::labels::{CreateLabel, DeleteLabel, EditLabel, GetLabel, ListLabels};
use crate::model::labels::{Label, LabelEdit, NewLabel};
use crate::model::paging::Listing;

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let page = context.ask.page();
    let listing = context.call(ListLabels { page })?;
    Ok(render(context, &listing)?.paged(&listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewLabelBody {
    name: String,
    color: Option<String>,
    description: Option<String>,
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let NewLabelBody { name, color, description } = context.ask.json()?;
    let new = NewLabel { name, color: color.map(without_hash), description };
    let label = context.call(CreateLabel(new))?;
    let (render, repo) = (context.render(), context.ask.repo());
    let part = utf8_percent_encode(&label.name, NON_ALPHANUMERIC);
    let location = format!("{}/repos/{repo}/labels/{part}", render.base);
    Ok(Answer::created(&LabelJson { render: &render, repo: &repo, label: &label })?.at(location))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let name = context.ask.param("name").to_owned();
    let label = context.call(GetLabel { name })?;
    let mut answer = one(context, &label)?;
    answer.last_modified = context.site.forge.label_changed_at(&context.ask.repo(), label.id);
    Ok(answer)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelEditBody {
    new_name: Option<String>,
    /// The older word for it, which github3.py sends.
    name: Option<String>,
    color: Option<String>,
    /// Absent leaves it, null empties it.
    #[serde(default, deserialize_with = "super::pulls::present")]
    description: Option<Option<String>>,
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let LabelEditBody { new_name, name, color, description } = context.ask.json()?;
    if new_name.is_some() && name.is_some() && name != new_name {
        return Err(Problem::unprocessable("new_name and name contradict each other."));
    }
    let description = description.map(Option::unwrap_or_default);
    let edit = LabelEdit { name: new_name.or(name), color: color.map(without_hash), description };
    let name = context.ask.param("name").to_owned();
    let label = context.call(EditLabel { name, edit })?;
    one(context, &label)
}

pub(in crate::http) fn delete(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let name = context.ask.param("name").to_owned();
    context.call(DeleteLabel { name })?;
    Ok(Answer::no_content())
}

pub(in crate::http) fn list_on_issue(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, page) = (context.ask.number("issue_number")?, context.ask.page());
    let listing = context.call(ListIssueLabels { number, page })?;
    Ok(render(context, &listing)?.paged(&listing))
}

/// GitHub takes an object with names, a bare list, or one name.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum NamesBody {
    Object { labels: Vec<NameBody> },
    List(Vec<NameBody>),
    Empty {},
}

/// A name, alone or in an object.
#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum NameBody {
    Text(String),
    Object { name: String },
}

impl NameBody {
    pub(super) fn into_name(self) -> String {
        match self {
            Self::Text(name) | Self::Object { name } => name,
        }
    }
}

fn names(context: &RequestContext<'_>) -> Result<Vec<String>, Problem> {
    let body: NamesBody = context.ask.json()?;
    let names = match body {
        NamesBody::Object { labels } | NamesBody::List(labels) => labels,
        NamesBody::Empty {} => Vec::new(),
    };
    Ok(names.into_iter().map(NameBody::into_name).collect())
}

pub(in crate::http) fn add_to_issue(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, names) = (context.ask.number("issue_number")?, names(context)?);
    let listing = context.call(AddLabels { number, names })?;
    render(context, &listing)
}

pub(in crate::http) fn set_on_issue(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (number, names) = (context.ask.number("issue_number")?, names(context)?);
    let listing = context.call(SetLabels { number, names })?;
    render(context, &listing)
}

pub(in crate::http) fn clear_on_issue(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let number = context.ask.number("issue_number")?;
    context.call(SetLabels { number, names: Vec::new() })?;
    Ok(Answer::no_content())
}

pub(in crate::http) fn remove_from_issue(
    context: &mut RequestContext<'_>,
) -> Result<Answer, Problem> {
    let (number, name) =
        (context.ask.number("issue_number")?, context.ask.param("name").to_owned());
    let listing = context.call(RemoveLabel { number, name })?;
    render(context, &listing)
}

fn one(context: &RequestContext<'_>, label: &Label) -> Result<Answer, Problem> {
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&LabelJson { render: &render, repo: &repo, label })
}

fn render(context: &RequestContext<'_>, listing: &Listing<Arc<Label>>) -> Result<Answer, Problem> {
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&each(&listing.items, |label| LabelJson { render: &render, repo: &repo, label }))
}

/// GitHub takes a colour with its hash sign too.
fn without_hash(color: String) -> String {
    color.strip_prefix('#').map(str::to_owned).unwrap_or(color)
}
