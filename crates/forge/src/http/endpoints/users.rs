//! Who am I, who is that, and how much may I still ask?

use serde::{Serialize, Serializer};

use crate::http::answer::Answer;
use crate::http::desk::{Desk, take};
use crate::http::limits::Allowance;
use crate::http::problem::Problem;
use crate::http::render::object;
use crate::http::render::user::Profile;
use crate::model::paging::Page;
use crate::model::request::Request;

pub(in crate::http) fn current(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let account = take!(desk.request(Request::GetUser)?, Account);
    profile(desk, &account.login)
}

pub(in crate::http) fn show(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let login = desk.ask.param("username").to_owned();
    profile(desk, &login)
}

fn profile(desk: &mut Desk<'_>, login: &str) -> Result<Answer, Problem> {
    let owner = Some(login.to_owned());
    let page = Page { number: 1, size: 1 };
    let listing = take!(desk.request(Request::ListRepositories { owner, page })?, Repositories);
    let scene = desk.scene();
    let account = scene.forge.account(login).ok_or_else(Problem::not_found)?;
    Answer::ok(&Profile { scene: &scene, account, repositories: listing.total })
}

pub(in crate::http) fn rate_limit(desk: &mut Desk<'_>) -> Result<Answer, Problem> {
    let core = desk.site.allowance(desk.ask.who, desk.ask.now);
    Answer::ok(&Overview { core })
}

struct Overview {
    core: Allowance,
}

impl Serialize for Overview {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "resources": Resources { core: self.core }, "rate": Rate(self.core) })
    }
}

struct Resources {
    core: Allowance,
}

impl Serialize for Resources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "core": Rate(self.core), "search": Rate(self.core) })
    }
}

struct Rate(Allowance);

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, {
            "limit": self.0.limit,
            "used": self.0.used,
            "remaining": self.0.remaining(),
            "reset": self.0.reset,
        })
    }
}
