//! Tags: the list of them, and those with a message as git keeps them.

use serde::Deserialize;

use crate::git::commit::email_of;
use crate::git::object_kind::{NewTag, ObjectKind, TagObject};
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::moment::Moment;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::tag::{TagJson, TagObjectJson};
use crate::http::request_context::RequestContext;
use crate::model::other_refs::{CreateTag, GetTag, ListTags};
use crate::model::refusal::DetailCode;

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let page = context.ask.page();
    let listing = context.call(ListTags { page })?;
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |tag| TagJson { render: &render, repo: &repo, tag });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let sha = context.ask.param("tag_sha").parse().map_err(|_bad| Problem::not_found())?;
    let tag = context.call(GetTag { sha })?;
    Ok(one(context, &tag)?.modified(tag.tag.at))
}

fn one(context: &RequestContext<'_>, tag: &TagObject) -> Result<Answer, Problem> {
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&TagObjectJson { render: &render, repo: &repo, tag })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewTagBody {
    tag: String,
    message: String,
    object: String,
    r#type: String,
    tagger: Option<TaggerBody>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaggerBody {
    name: String,
    email: String,
    date: Option<String>,
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let body: NewTagBody = context.ask.json()?;
    let invalid = |field| Problem::invalid("Tag", field, DetailCode::Invalid);
    let object = parse_sha("Tag", &body.object)?;
    let kind = ObjectKind::of(&body.r#type).ok_or_else(|| invalid("type"))?;
    let (who, now) = (context.ask.who.to_owned(), context.ask.now);
    let (tagger, email, at) = match body.tagger {
        None => (who.clone(), email_of(&who), now),
        Some(TaggerBody { name, email, date }) => {
            let date =
                date.as_deref().map(|date| Moment::parse(date).ok_or_else(|| invalid("date")));
            (name, email, date.transpose()?.map_or(now, |date| date.0))
        }
    };
    let (name, message) = (body.tag, body.message);
    let new = NewTag { name, message, object, kind, tagger, email, at };
    let tag = context.call(CreateTag(new))?;
    let (base, repo) = (&context.site.settings.base_url, context.ask.repo());
    let location = format!("{base}/repos/{repo}/git/tags/{}", tag.sha);
    let (render, repo) = (context.render(), context.ask.repo());
    Ok(Answer::created(&TagObjectJson { render: &render, repo: &repo, tag: &tag })?.at(location))
}
