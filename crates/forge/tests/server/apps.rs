//! An App over HTTP and git: registered by the operator, and what it was given outlives kill -9.

use ralph_forge::{AddedApp, NewApp, Permission, add_app};
use serde_json::json;

use crate::client::{Api, Clone};
use crate::crashes::Remote;
use crate::signing;
use crate::test_server::text;

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

/// The status of the page of a run with this token, and whether git lists the repository with it.
fn seen_with(remote: &Remote, token: Option<&str>, page: &str, work: &Clone) -> (u16, bool) {
    let status = Api::new(&remote.url, token).status("GET", page, None);
    let credentials =
        token.map(|token| format!("//x-access-token:{token}@")).unwrap_or("//".into());
    let url = format!("{}/owner/hush.git", remote.url.replace("//", &credentials));
    let listed = work.try_git(&["ls-remote", &url]);
    assert!(listed.went_well || !listed.text.contains("refs/heads"), "{}", listed.text);
    (status, listed.went_well)
}

#[test]
fn log_pages_and_git_show_nothing_of_a_private_repository_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let remote = Remote::start(&data);
    for new in [json!({"name": "hush", "private": true}), json!({"name": "app"})] {
        remote.api().ask("POST", "/user/repos", Some(&new));
    }
    let work = Clone::empty(folder.path().join("work"));
    let sha = work.commit("README.md", "# hush\n");
    let own = remote.git_url().replace("owner/app", "owner/hush");
    work.git(&["push", "--quiet", &own, "main"]);
    let run = json!({"name": "hush", "head_sha": sha});
    let run = remote.api().ask("POST", "/repos/owner/hush/check-runs", Some(&run));
    let page = format!("/owner/hush/runs/{}", run["id"]);
    let eve = ralph_forge::add_user(&data, "eve", Permission::None).unwrap();
    register(&data, "somebody");
    let added = register(&data, "owner");
    let claim = Api::new(&remote.url, Some(&signing::now(added.id)));
    let token_of = |account: &str, body: &serde_json::Value| {
        let found = added.installations.iter().find(|(owner, _id)| owner == account);
        let path = format!("/app/installations/{}/access_tokens", found.unwrap().1);
        text(&claim.ask("POST", &path, Some(body))["token"])
    };
    let whole = token_of("owner", &json!({}));
    let narrowed = token_of("owner", &json!({"repositories": ["app"]}));
    let elsewhere = token_of("somebody", &json!({}));
    assert_eq!(seen_with(&remote, Some(&whole), &page, &work), (200, true));
    for token in [&eve, &narrowed, &elsewhere] {
        assert_eq!(seen_with(&remote, Some(token), &page, &work), (404, false));
    }
    for token in [None, Some("wrong")] {
        assert_eq!(seen_with(&remote, token, &page, &work), (401, false));
    }
    let absent = format!("/owner/none/runs/{}", run["id"]);
    let ask = |path: &str| Api::new(&remote.url, Some(&eve)).send("GET", path, None).unwrap();
    assert_eq!(ask(&page), ask(&absent));
}
