//! Webhooks of a repository, for its administrators.

use std::collections::{BTreeSet, VecDeque};

use serde::Deserialize;

use super::pulls::seen;
use crate::http::answer::Answer;
use crate::http::hooks::{ContentType, Hook, HookConfig};
use crate::http::problem::Problem;
use crate::http::render::each;
use crate::http::render::hook::HookJson;
use crate::http::request_context::RequestContext;
use crate::model::paging::Listing;
use crate::model::permission::Permission;
use crate::model::refusal::DetailCode;
use crate::model::repository_calls::GetRepository;

/// The repository's key; without rights there are no hooks to see.
pub(super) fn admin(context: &mut RequestContext<'_>) -> Result<String, Problem> {
    context.call(GetRepository)?;
    let repository = seen(context)?;
    if repository.role < Permission::Admin {
        return Err(Problem::not_found());
    }
    Ok(repository.full_name().to_lowercase())
}

/// The repository's key and the hook that the path names.
pub(super) fn named(context: &mut RequestContext<'_>) -> Result<(String, u64), Problem> {
    let repo = admin(context)?;
    let id = context.ask.number("hook_id")?;
    context.site.hooks.get(&repo, id).ok_or_else(Problem::not_found)?;
    Ok((repo, id))
}

pub(in crate::http) fn list(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let key = admin(context)?;
    let found: Vec<&Hook> = context.site.hooks.of(&key).collect();
    let listing = Listing::of(&found, context.ask.page(), |hook| *hook);
    let (render, repo) = (context.render(), context.ask.repo());
    let body = each(&listing.items, |hook| HookJson { render: &render, repo: &repo, hook });
    Ok(Answer::ok(&body)?.paged(&listing))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HookBody {
    /// There is one kind of hook.
    name: Option<String>,
    config: Option<ConfigBody>,
    events: Option<BTreeSet<String>>,
    active: Option<bool>,
}

impl HookBody {
    fn check_name(&self) -> Result<(), Problem> {
        match self.name.as_deref() {
            None | Some("web") => Ok(()),
            Some(_) => Err(Problem::invalid("Hook", "name", DetailCode::Invalid)),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigBody {
    url: Option<String>,
    content_type: Option<String>,
    secret: Option<String>,
    insecure_ssl: Option<FlagBody>,
}

/// GitHub takes `"1"`, `1` and `"0"`, `0`.
#[derive(Deserialize)]
#[serde(untagged)]
enum FlagBody {
    Text(String),
    Number(u64),
}

impl ConfigBody {
    fn read(self) -> Result<HookConfig, Problem> {
        let invalid = |field| Problem::invalid("Hook", field, DetailCode::Invalid);
        let url = self.url.filter(|url| url.starts_with("http://") || url.starts_with("https://"));
        let content_type = match self.content_type.as_deref() {
            Some("json") => ContentType::Json,
            None | Some("form") => ContentType::Form,
            Some(_) => return Err(invalid("content_type")),
        };
        let insecure_ssl = match self.insecure_ssl {
            None => false,
            Some(FlagBody::Text(text)) if text == "1" || text == "0" => text == "1",
            Some(FlagBody::Number(number)) if number < 2 => number == 1,
            Some(FlagBody::Text(_) | FlagBody::Number(_)) => return Err(invalid("insecure_ssl")),
        };
        Ok(HookConfig {
            url: url.ok_or_else(|| invalid("url"))?,
            content_type,
            secret: self.secret.filter(|secret| !secret.is_empty()),
            insecure_ssl,
        })
    }
}

pub(in crate::http) fn create(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let key = admin(context)?;
    let body: HookBody = context.ask.json()?;
    body.check_name()?;
    let missing = || Problem::invalid("Hook", "config", DetailCode::MissingField);
    let config = body.config.ok_or_else(missing)?.read()?;
    let events = body.events.unwrap_or_else(|| BTreeSet::from(["push".to_owned()]));
    check_events(&events)?;
    if context
        .site
        .hooks
        .of(&key)
        .any(|hook| hook.config.url == config.url && hook.events == events)
    {
        return Err(Problem::unprocessable(
            "Validation Failed: Hook already exists on this repository",
        ));
    }
    let (now, active) = (context.ask.now, body.active.unwrap_or(true));
    let hook = context.site.hooks.add(|id| Hook {
        id,
        repo: key,
        config,
        events,
        active,
        created_at: now,
        updated_at: now,
        deliveries: VecDeque::new(),
    });
    let hook = hook.clone();
    context.ping(&hook);
    let (render, repo) = (context.render(), context.ask.repo());
    let location = format!("{}/repos/{repo}/hooks/{}", render.base, hook.id);
    Ok(Answer::created(&HookJson { render: &render, repo: &repo, hook: &hook })?.at(location))
}

/// The events that hooks can have here; a hook for any other would wait for ever.
const DELIVERED: [&str; 10] = [
    "*",
    "check_run",
    "issue_comment",
    "issue_dependencies",
    "issues",
    "label",
    "pull_request",
    "push",
    "status",
    "sub_issues",
];

fn check_events(events: &BTreeSet<String>) -> Result<(), Problem> {
    if let Some(other) = events.iter().find(|event| !DELIVERED.contains(&event.as_str())) {
        let known = DELIVERED.join("`, `");
        let words = format!("The event `{other}` is never delivered here; there are `{known}`.");
        return Err(Problem::unprocessable(words));
    }
    if events.is_empty() {
        return Err(Problem::invalid("Hook", "events", DetailCode::Invalid));
    }
    Ok(())
}

pub(in crate::http) fn show(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(context)?;
    let changed = context.site.hooks.get(&key, id).map(|hook| hook.updated_at);
    let mut answer = one(context, &key, id)?;
    answer.last_modified = changed;
    Ok(answer)
}

fn one(context: &RequestContext<'_>, key: &str, id: u64) -> Result<Answer, Problem> {
    let hook = context.site.hooks.get(key, id).ok_or_else(Problem::not_found)?;
    let (render, repo) = (context.render(), context.ask.repo());
    Answer::ok(&HookJson { render: &render, repo: &repo, hook })
}

pub(in crate::http) fn edit(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(context)?;
    let body: HookBody = context.ask.json()?;
    body.check_name()?;
    let config = body.config.map(ConfigBody::read).transpose()?;
    if let Some(events) = &body.events {
        check_events(events)?;
    }
    let now = context.ask.now;
    let hook = context.site.hooks.get_mut(&key, id).ok_or_else(Problem::not_found)?;
    hook.config = config.unwrap_or_else(|| hook.config.clone());
    hook.events = body.events.unwrap_or_else(|| hook.events.clone());
    hook.active = body.active.unwrap_or(hook.active);
    hook.updated_at = now;
    one(context, &key, id)
}

pub(in crate::http) fn delete(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (_key, id) = named(context)?;
    context.site.hooks.remove(id);
    Ok(Answer::no_content())
}

pub(in crate::http) fn ping(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let (key, id) = named(context)?;
    let hook = context.site.hooks.get(&key, id).cloned().ok_or_else(Problem::not_found)?;
    context.ping(&hook);
    Ok(Answer::no_content())
}
