//! An app on the site: how it is registered, claims to be itself, and gets a token.

use http::{Method, Request};
use ralph_forge::{AddedApp, NewApp, Permission};

use crate::signing::public_key;
pub(crate) use crate::signing::{of, signed};
use crate::site::World;

/// `ralph`, with write access.
pub(crate) fn register(world: &mut World, owners: &[&str]) -> AddedApp {
    world.site.add_app(&NewApp {
        slug: "ralph".to_owned(),
        public_key: public_key(),
        role: Permission::Write,
        owners: owners.iter().map(|owner| (*owner).to_owned()).collect(),
    })
}

/// A token of the installation in this account.
pub(crate) fn token(world: &mut World, app: u64, owner: &str) -> String {
    let seconds = world.now_ms / 1000;
    let list = world.send(&request(Method::GET, "/app/installations", &of(app, seconds))).json;
    let all = list.as_array().expect("a list");
    let found = all.iter().find(|found| found["account"]["login"] == owner).expect("installed");
    let path = format!("/app/installations/{}/access_tokens", found["id"]);
    let got = world.send(&request(Method::POST, &path, &of(app, seconds)));
    got.json["token"].as_str().expect("a token").to_owned()
}

pub(crate) fn request(method: Method, path: &str, credentials: &str) -> Request<Vec<u8>> {
    let request = Request::builder().method(method).uri(path);
    let request = request.header("authorization", format!("Bearer {credentials}"));
    request.body(Vec::new()).expect("a request")
}
