//! Commands of an operator: import repositories and add people, with the server running or not.

use ralph_forge::{Permission, Visibility, add_user, import, list_tokens, repair, revoke_tokens};

use crate::client::{Api, Clone};
use crate::test_server::{TestServer, Who, text};

/// A repository elsewhere, with two branches and a tag.
fn elsewhere(server: &TestServer) -> Clone {
    let source = Clone::empty(server.place("a source"));
    source.commit("README.md", "old\n");
    source.git(&["tag", "v1"]);
    source.git(&["switch", "--quiet", "--create", "topic"]);
    source.commit("topic", "1");
    source.git(&["switch", "--quiet", "main"]);
    source
}

#[test]
fn a_repository_is_taken_in_while_the_server_runs_and_while_it_does_not() {
    let mut server = TestServer::empty();
    let source = elsewhere(&server);
    let path = source.path.to_str().unwrap().to_owned();
    let data = server.place("data");
    let imported = import(&data, &path, "ada/one", Visibility::Private).unwrap();
    assert_eq!(
        (imported.default_branch.as_str(), imported.branches, imported.tags),
        ("main", 2, 1)
    );
    server.stop();
    import(&data, &path, "ada/two", Visibility::Private).unwrap();
    server.start();
    for name in ["ada/one", "ada/two"] {
        let clone = Clone::of(&server.url(Who::Bot, name), server.place(&name.replace('/', "-")));
        assert_eq!(clone.read("README.md"), "old\n");
        assert_eq!(clone.git(&["rev-parse", "v1"]), source.git(&["rev-parse", "v1"]));
        clone.commit("new", "1");
        clone.git(&["push", "--quiet"]);
    }
    source.git(&["rev-parse", "HEAD"]);
}

#[test]
fn a_name_that_is_taken_and_a_source_that_is_none_are_refused() {
    let (server, work) = TestServer::new();
    let data = server.place("data");
    let path = work.path.to_str().unwrap().to_owned();
    let refused = import(&data, &path, "ada/app", Visibility::Private).unwrap_err().to_string();
    assert!(refused.contains("name already exists"), "{refused}");
    let refused = import(&data, &path, "ada/a b", Visibility::Private).unwrap_err().to_string();
    assert!(refused.contains("name is invalid"), "{refused}");
    let refused = import(&data, &path, "app", Visibility::Private).unwrap_err().to_string();
    assert!(refused.contains("use owner/name"), "{refused}");
    let refused =
        import(&data, "/nowhere", "ada/new", Visibility::Private).unwrap_err().to_string();
    assert!(refused.contains("/nowhere"), "{refused}");
    assert_eq!(server.owner().get("/user/repos").as_array().unwrap().len(), 1);
}

#[test]
fn a_person_is_added_with_a_role_everywhere_and_a_token() {
    let (mut server, _work) = TestServer::new();
    let token = add_user(&server.place("data"), "tess", Permission::Triage).unwrap();
    let api = Api::new(server.base(), Some(&token));
    let role =
        |api: &Api| text(&api.get("/repos/ada/app/collaborators/tess/permission")["role_name"]);
    assert_eq!(role(&server.owner()), "triage");
    assert_eq!(api.get("/user")["login"], "tess");
    server.stop();
    let other = add_user(&server.place("data"), "tess", Permission::Write).unwrap();
    server.start();
    assert_eq!(role(&server.owner()), "write");
    for token in [token, other] {
        assert_eq!(Api::new(server.base(), Some(&token)).get("/user")["login"], "tess");
    }
}

#[test]
fn a_login_that_is_spelt_otherwise_is_the_same_person() {
    let (server, _work) = TestServer::new();
    let tokens = ["tess", "TESS"]
        .map(|login| add_user(&server.place("data"), login, Permission::Write).unwrap());
    let apis = tokens.map(|token| Api::new(server.base(), Some(&token)));
    for api in &apis {
        assert_eq!(api.get("/user")["login"], "tess");
    }
    for api in &apis {
        assert_eq!(api.get("/rate_limit")["rate"]["used"], 2, "one account has one limit");
    }
}

#[test]
fn an_imported_repository_is_private_unless_it_is_made_public() {
    let server = TestServer::empty();
    let path = elsewhere(&server).path.to_str().unwrap().to_owned();
    let data = server.place("data");
    import(&data, &path, "ada/closed", Visibility::Private).unwrap();
    import(&data, &path, "ada/open", Visibility::Public).unwrap();
    let here = Clone::empty(server.place("here"));
    let open = here.try_git(&["fetch", &format!("{}/ada/open", server.base()), "main"]);
    assert!(open.went_well, "{}", open.text);
    let closed = here.try_git(&["fetch", &format!("{}/ada/closed", server.base()), "main"]);
    assert!(
        !closed.went_well && closed.text.contains("could not read Username"),
        "{}",
        closed.text
    );
    assert_eq!(server.owner().get("/repos/ada/closed")["private"], true);
}

#[test]
fn rights_that_were_taken_away_stay_away() {
    let (mut server, _work) = TestServer::new();
    let data = server.place("data");
    add_user(&data, "tess", Permission::Write).unwrap();
    let of = |server: &TestServer, login: &str| {
        let path = format!("/repos/ada/app/collaborators/{login}/permission");
        text(&server.owner().get(&path)["role_name"])
    };
    for login in ["tess", "ralph-bot"] {
        assert_eq!(of(&server, login), "write");
        let path = format!("/repos/ada/app/collaborators/{login}");
        server.owner().ask("DELETE", &path, None);
        assert_eq!(of(&server, login), "read", "the repository is public");
        assert_eq!(server.owner().status("GET", &path, None), 404);
    }
    server.restart();
    add_user(&data, "tess", Permission::Admin).unwrap();
    add_user(&data, "ted", Permission::Read).unwrap();
    let lower = serde_json::json!({"permission": "pull"});
    server.owner().ask("PUT", "/repos/ada/app/collaborators/ralph-bot", Some(&lower));
    server.restart();
    for login in ["tess", "ralph-bot", "ted"] {
        assert_eq!(of(&server, login), "read");
    }
    // A role that was chosen is kept, even while it is the same as the one for all repositories.
    add_user(&data, "uma", Permission::Write).unwrap();
    server.owner().ask("PUT", "/repos/ada/app/collaborators/uma", Some(&lower));
    server.restart();
    for role in [Permission::Read, Permission::Write] {
        add_user(&data, "uma", role).unwrap();
        assert_eq!(of(&server, "uma"), "read", "{role:?} everywhere");
    }
    server.owner().ask("POST", "/user/repos", Some(&serde_json::json!({"name": "later"})));
    let role = server.owner().get("/repos/ada/later/collaborators/tess/permission");
    assert_eq!(role["role_name"], "admin");
}

#[test]
fn an_operator_hears_what_was_repaired_on_a_stopped_forge() {
    let (mut server, _work) = TestServer::new();
    let data = server.place("data");
    assert_eq!(repair(&data).unwrap(), [""; 0], "the server has said it");
    server.stop();
    let git = data.join("git");
    let bare = std::fs::read_dir(git).unwrap().next().unwrap().unwrap().path();
    std::fs::write(bare.join("refs/heads/main"), "").unwrap();
    let notices = repair(&data).unwrap();
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].starts_with("ada/app: its references were written again"), "{notices:?}");
    assert_eq!(repair(&data).unwrap(), [""; 0]);
}

#[test]
fn tokens_stay_the_same_until_they_are_revoked_and_then_for_good() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let start = || {
        let options = ralph_forge::Options { data: Some(data.clone()), ..Default::default() };
        ralph_forge::Running::start(options).unwrap()
    };
    let running = start();
    let (owner, bot) = (running.owner.token.clone(), running.bot.token.clone());
    running.stop();
    let running = start();
    assert_eq!((&running.owner.token, &running.bot.token), (&owner, &bot));
    let guest = add_user(&data, "tess", Permission::Read).unwrap();
    let listed = list_tokens(&data).unwrap();
    let shown: Vec<_> = listed.iter().map(|token| (&*token.login, &*token.purpose)).collect();
    let expected =
        [("owner", "forge serve"), ("ralph-bot", "forge serve"), ("tess", "forge user add")];
    assert_eq!(shown, expected);
    assert_eq!(revoke_tokens(&data, &guest).unwrap(), 1);
    assert_eq!(revoke_tokens(&data, &listed[1].id).unwrap(), 1);
    assert!(revoke_tokens(&data, "tess").unwrap_err().to_string().contains("token list"));
    let status = |running: &ralph_forge::Running, token: &str| {
        Api::new(&running.url, Some(token)).status("GET", "/user", None)
    };
    assert_eq!([&guest, &bot, &owner].map(|token| status(&running, token)), [401, 401, 200]);
    running.stop();
    let running = start();
    assert_ne!(running.bot.token, bot);
    assert_eq!(
        [&guest, &bot, &running.bot.token].map(|token| status(&running, token)),
        [401, 401, 200]
    );
    running.stop();
    let running = start();
    assert_eq!(list_tokens(&data).unwrap().len(), 2, "{:?}", running.url);
    for entry in std::fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        let held = std::fs::read(&path).unwrap_or_default();
        let held = String::from_utf8_lossy(&held);
        assert!(!held.contains(&running.bot.token), "{path:?} holds a token");
    }
}

#[test]
fn the_operators_endpoint_is_closed_to_everybody_else() {
    let (server, _work) = TestServer::new();
    let body = serde_json::json!({"add_user": {"login": "eve", "role": "Admin"}});
    for api in [server.owner(), server.bot(), Api::new(server.base(), None)] {
        assert_eq!(api.status("POST", "/_forge/control", Some(&body)), 401);
    }
}
