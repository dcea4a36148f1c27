//! The context of one request: the site, the question and its consequences so far.

use super::Site;
use super::apps::NewToken;
use super::ask::Ask;
use super::hooks::{Delivery, Hook};
use super::payload::{self, Place};
use super::problem::Problem;
use super::render::RenderContext;
use crate::model::event::Event;
use crate::model::request::{Operation, Request, on};

pub(super) struct RequestContext<'a> {
    pub(super) site: &'a mut Site,
    pub(super) ask: Ask<'a>,
    pub(super) events: Vec<Event>,
    /// Those that no event causes: pings and repetitions.
    pub(super) deliveries: Vec<Delivery>,
    /// A token that was given out.
    pub(super) issued: Option<NewToken>,
}

impl<'a> RequestContext<'a> {
    pub(super) fn new(site: &'a mut Site, ask: Ask<'a>) -> Self {
        Self { site, ask, events: Vec::new(), deliveries: Vec::new(), issued: None }
    }
}

impl RequestContext<'_> {
    /// A call on the repository that the path names.
    pub(super) fn call<O: Operation>(&mut self, operation: O) -> Result<O::Reply, Problem> {
        self.request(on(self.ask.repo(), operation))
    }

    pub(super) fn request<R: Request>(&mut self, request: R) -> Result<R::Reply, Problem> {
        let (response, mut events) = self.site.forge.handle(self.ask.who, self.ask.now, request);
        self.events.append(&mut events);
        Ok(response?)
    }

    /// Lets a hook know that it is heard.
    pub(super) fn ping(&mut self, hook: &Hook) {
        let Site { settings, forge, hooks, cache, .. } = &mut *self.site;
        let (repo, actor, at) = (self.ask.repo(), self.ask.who, self.ask.now);
        let place = Place { repo: &repo, actor, at };
        let notice = payload::ping((&settings.base_url, cache), forge, place, hook);
        self.deliveries.extend(notice.and_then(|notice| hooks.dispatch(hook.id, &notice)));
    }

    pub(super) fn render(&self) -> RenderContext<'_> {
        let Site { settings, forge, cache, .. } = &*self.site;
        RenderContext { base: &settings.base_url, forge, viewer: self.ask.who, cache }
    }
}
