//! Payloads of webhooks: an event with everything it refers to, looked up when it is sent.

mod label;
mod link;
mod push;
mod report;
mod thread;

use serde::{Serialize, Serializer};

use super::render::cache::RenderCache;
use super::render::repository::Extent;
use super::render::{RenderContext, object};
use crate::model::Forge;
use crate::model::event::{Event, EventKind};
use crate::model::repository_calls::RepositoryView;

/// A payload, ready to be sent to listening hooks.
#[derive(Clone, Debug)]
pub(super) struct Notice {
    pub(super) event: &'static str,
    pub(super) action: Option<&'static str>,
    pub(super) repository_id: u64,
    /// Unix seconds.
    pub(super) at: u64,
    /// JSON.
    pub(super) payload: String,
}

/// The address that links begin with, and the render cache.
type RenderInputs<'a> = (&'a str, &'a RenderCache);

/// The event's repository, actor and time, with what rendering needs.
struct Setting<'a> {
    inputs: RenderInputs<'a>,
    forge: &'a mut Forge,
    /// `owner/name`.
    repo: &'a str,
    actor: &'a str,
    /// Unix seconds.
    at: u64,
    repository: RepositoryView,
}

impl<'a> Setting<'a> {
    fn new(inputs: RenderInputs<'a>, forge: &'a mut Forge, place: Place<'a>) -> Option<Self> {
        let Place { repo, actor, at } = place;
        let repository = forge.repository_seen_by(repo, actor)?;
        Some(Self { inputs, forge, repo, actor, at, repository })
    }
}

/// The repository, actor and time of an event.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) repo: &'a str,
    pub(super) actor: &'a str,
    pub(super) at: u64,
}

/// The notices of one event: usually one, for relations one from either side.
pub(super) fn notices(inputs: RenderInputs<'_>, forge: &mut Forge, event: &Event) -> Vec<Notice> {
    let place = Place { repo: &event.repo, actor: &event.actor, at: event.at };
    let Some(mut at) = Setting::new(inputs, forge, place) else { return Vec::new() };
    let found = match &event.kind {
        EventKind::Issue { number, action } => at.issue(*number, action),
        EventKind::Pull { number, action } => at.pull(*number, action),
        EventKind::PullMerged { number, .. } => at.pull_merged(*number),
        EventKind::PullSynchronized { number, before, after } => {
            at.synchronized(*number, *before, *after)
        }
        EventKind::PullDraft { number, draft } => at.draft(*number, *draft),
        EventKind::Comment { number, comment, action, before } => {
            at.comment((*number, *comment), *action, before.as_deref())
        }
        EventKind::Label { name, action, before } => at.label(name, *action, before.as_deref()),
        EventKind::SubIssue { parent, child, action } => {
            return at.sub_issue(parent, child, *action);
        }
        EventKind::Dependency { blocked, blocking, action } => {
            return at.dependency(blocked, blocking, *action);
        }
        EventKind::Push { branch, before, after, forced } => {
            at.push(branch, *before, *after, *forced)
        }
        EventKind::CheckRun { id, action, .. } => at.check_run(*id, *action),
        EventKind::Status { sha, context, .. } => at.status(*sha, context),
    };
    found.into_iter().collect()
}

impl Setting<'_> {
    /// A notice with the fields that every one has after its own.
    fn notice(
        &self,
        event: &'static str,
        action: Option<&'static str>,
        own: &impl Own,
    ) -> Option<Notice> {
        let (base, cache) = self.inputs;
        let render = RenderContext { base, forge: self.forge, viewer: self.actor, cache };
        let whole = Whole {
            render: &render,
            action,
            own,
            repository: &self.repository,
            sender: self.actor,
        };
        let payload = serde_json::to_string(&whole).ok()?;
        Some(Notice { event, action, repository_id: self.repository.id, at: self.at, payload })
    }
}

/// The fields of one kind of payload.
trait Own {
    fn entries<M: serde::ser::SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error>;
}

struct Whole<'a, O> {
    render: &'a RenderContext<'a>,
    action: Option<&'static str>,
    own: &'a O,
    repository: &'a RepositoryView,
    sender: &'a str,
}

impl<O: Own> Serialize for Whole<'_, O> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let Self { render, action, own, repository, sender } = self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(action) = action {
            map.serialize_entry("action", action)?;
        }
        own.entries(render, repository, &mut map)?;
        map.serialize_entry("repository", &render.repository(repository, Extent::Usual))?;
        map.serialize_entry("sender", &render.user(sender))?;
        map.end()
    }
}

/// `{"from": ...}`: what a changed field was before.
struct From<'a>(&'a str);

impl Serialize for From<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "from": self.0 })
    }
}

/// The words of a hook's first sign of life.
struct Ping<'a> {
    hook: &'a super::hooks::Hook,
}

impl Own for Ping<'_> {
    fn entries<M: serde::ser::SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let repo = repository.full_name();
        let hook = super::render::hook::HookJson { render, repo: &repo, hook: self.hook };
        map.serialize_entry("zen", "Keep it logically awesome.")?;
        map.serialize_entry("hook_id", &self.hook.id)?;
        map.serialize_entry("hook", &hook)
    }
}

/// The notice that a hook gets when it is made or asked for.
pub(super) fn ping(
    inputs: RenderInputs<'_>,
    forge: &mut Forge,
    place: Place<'_>,
    hook: &super::hooks::Hook,
) -> Option<Notice> {
    Setting::new(inputs, forge, place)?.notice("ping", None, &Ping { hook })
}
