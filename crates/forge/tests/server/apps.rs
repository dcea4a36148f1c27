//! An App over HTTP and git: registered by the operator, and what it was given outlives kill -9.

use ralph_forge::{AddedApp, NewApp, Permission, add_app};
use serde_json::json;

use crate::client::{Api, Clone};
use crate::crashes::Remote;
use crate::desk::text;
use crate::signing;

fn register(data: &std::path::Path, owner: &str) -> AddedApp {
    let new = NewApp {
        slug: "ralph".to_owned(),
        public_key: signing::public_key(),
        role: Permission::Write,
        owners: vec![owner.to_owned()],
    };
    add_app(data, new).unwrap()
}

#[test]
fn a_token_of_an_app_pushes_and_outlives_kill_nine() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut remote = Remote::start(&data);
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    let added = register(&data, "owner");
    assert_eq!((added.login.as_str(), added.installations.len()), ("ralph[bot]", 1));
    let api = Api::new(&remote.url, Some(&signing::now(added.id)));
    let id = api.get("/repos/owner/app/installation")["id"].clone();
    let path = format!("/app/installations/{id}/access_tokens");
    let token = text(&api.ask("POST", &path, None)["token"]);
    remote.kill();
    let remote = Remote::start(&data);
    let url = remote.url.replace("//", &format!("//x-access-token:{token}@"));
    let work = Clone::empty(folder.path().join("work"));
    work.commit("README.md", "# app\n");
    work.git(&["push", "--quiet", &format!("{url}/owner/app.git"), "main"]);
    let issue = json!({"title": "T"});
    let api = Api::new(&remote.url, Some(&token));
    let opened = api.ask("POST", "/repos/owner/app/issues", Some(&issue));
    assert_eq!(opened["user"]["login"], "ralph[bot]");
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "later"})));
    work.git(&["push", "--quiet", &format!("{url}/owner/later.git"), "main"]);
}

#[test]
fn an_app_pushes_nothing_where_it_is_not_installed() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let remote = Remote::start(&data);
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    register(&data, "somebody");
    let added = register(&data, "owner");
    let api = Api::new(&remote.url, Some(&signing::now(added.id)));
    let (_, elsewhere) = &added.installations[0];
    let path = format!("/app/installations/{elsewhere}/access_tokens");
    let token = text(&api.ask("POST", &path, None)["token"]);
    let url = remote.url.replace("//", &format!("//x-access-token:{token}@"));
    let work = Clone::empty(folder.path().join("work"));
    work.commit("README.md", "# app\n");
    let pushed = work.try_git(&["push", "--quiet", &format!("{url}/owner/app.git"), "main"]);
    assert!(!pushed.went_well && pushed.text.contains("403"), "{}", pushed.text);
}

#[test]
fn what_an_app_may_not_do_elsewhere_is_not_done_again_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut remote = Remote::start(&data);
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    let work = Clone::empty(folder.path().join("work"));
    work.commit("README.md", "# app\n");
    let source = work.path.display().to_string();
    ralph_forge::import(&data, &source, "other/open", ralph_forge::Visibility::Public).unwrap();
    register(&data, "other");
    let added = register(&data, "owner");
    for title in ["by a pull", "by a push"] {
        remote.api().ask("POST", "/repos/other/open/issues", Some(&json!({"title": title})));
    }
    let claim = Api::new(&remote.url, Some(&signing::now(added.id)));
    let id = claim.get("/repos/owner/app/installation")["id"].clone();
    let path = format!("/app/installations/{id}/access_tokens");
    let token = text(&claim.ask("POST", &path, None)["token"]);
    let url = remote.url.replace("//", &format!("//x-access-token:{token}@"));
    let url = format!("{url}/owner/app.git");
    work.git(&["push", "--quiet", &url, "main"]);
    work.git(&["switch", "--quiet", "--create", "feature"]);
    work.commit("feature", "1\n");
    work.git(&["push", "--quiet", &url, "feature"]);
    work.git(&["switch", "--quiet", "main"]);
    work.write("direct", "1\n");
    work.git(&["add", "--all"]);
    work.git(&["commit", "--quiet", "--message", "Fixes other/open#2"]);
    work.git(&["push", "--quiet", &url, "main"]);
    let api = Api::new(&remote.url, Some(&token));
    let pull =
        json!({"title": "T", "head": "feature", "base": "main", "body": "Closes other/open#1"});
    let number = api.ask("POST", "/repos/owner/app/pulls", Some(&pull))["number"].clone();
    api.ask("PUT", &format!("/repos/owner/app/pulls/{number}/merge"), Some(&json!({})));
    let states = |remote: &Remote| {
        let of = |number: u64| {
            let issue = remote.api().get(&format!("/repos/other/open/issues/{number}"));
            text(&issue["state"])
        };
        [of(1), of(2)]
    };
    assert_eq!(states(&remote), ["open", "open"]);
    remote.kill();
    let remote = Remote::start(&data);
    assert_eq!(states(&remote), ["open", "open"], "done again with more rights than then");
    let merged = remote.api().get(&format!("/repos/owner/app/pulls/{number}"));
    assert_eq!(merged["merged"], true);
}
