//! Tags: the list of them, and those with a message as git keeps them.

use serde::Deserialize;

use crate::git::commit::email_of;
use crate::git::object_kind::{NewTag, ObjectKind, TagObject};
use crate::http::answer::Answer;
use crate::http::ask::parse_sha;
use crate::http::desk::Desk;
use crate::http::moment::Moment;
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::tag::{TagJson, TagObjectJson};
use crate::model::other_refs::{CreateTag, GetTag, ListTags};
use crate::model::refusal::DetailCode;

pub(in crate::http) fn list(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let page = desk.ask.page();
    let listing = desk.call(ListTags { page })?;
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    let body = each(&listing.items, |tag| TagJson { scene: &scene, repo: &repo, tag });
    Ok(Answer::ok(&body)?.paged(&listing))
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let sha = desk.ask.param("tag_sha").parse().map_err(|_bad| Problem::not_found())?;
    let tag = desk.call(GetTag { sha })?;
    Ok(one(desk, &tag)?.modified(tag.tag.at))
}

fn one(desk: &Desk<'_>, tag: &TagObject) -> Result<Answer, Problem> {
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Answer::ok(&TagObjectJson { scene: &scene, repo: &repo, tag })
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

pub(in crate::http) fn create(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let body: NewTagBody = desk.ask.json()?;
    let invalid = |field| Problem::invalid("Tag", field, DetailCode::Invalid);
    let object = parse_sha("Tag", &body.object)?;
    let kind = ObjectKind::of(&body.r#type).ok_or_else(|| invalid("type"))?;
    let (who, now) = (desk.ask.who.to_owned(), desk.ask.now);
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
    let tag = desk.call(CreateTag(new))?;
    let (base, repo) = (&desk.site.settings.base_url, desk.ask.repo());
    let location = format!("{base}/repos/{repo}/git/tags/{}", tag.sha);
    let (scene, repo) = (desk.scene(), desk.ask.repo());
    Ok(Answer::created(&TagObjectJson { scene: &scene, repo: &repo, tag: &tag })?.at(location))
}
