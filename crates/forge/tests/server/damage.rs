//! Damage that a start meets: locks of dead processes, damaged repositories, names of older versions.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::Clone;
use crate::crashes::Remote;
use crate::test_server::{REPO, TestServer, Who};

/// The folders of `ada/app` and `ada/other`.
fn two() -> (TestServer, Clone, [PathBuf; 2]) {
    let (server, work) = TestServer::new();
    let folder = |known: &[PathBuf]| {
        let found = std::fs::read_dir(server.place("data/git")).unwrap();
        let mut found = found.map(|entry| entry.unwrap().path());
        found.find(|path| !known.contains(path)).unwrap()
    };
    let app = folder(&[]);
    server.owner().ask("POST", "/user/repos", Some(&json!({"name": "other", "auto_init": true})));
    let other = folder(std::slice::from_ref(&app));
    (server, work, [app, other])
}

#[test]
fn locks_and_files_of_dead_processes_are_cleared_away() {
    let (mut server, work, [app, _other]) = two();
    work.git(&["push", "--quiet", "origin", "main:deep/er"]);
    server.stop();
    let left = [
        "HEAD.lock",
        "packed-refs.lock",
        "config.lock",
        "refs/heads/main.lock",
        "refs/heads/deep/er.lock",
        "objects/pack/tmp_pack_x",
        "objects/ab/tmp_obj_y",
    ];
    std::fs::create_dir_all(app.join("objects/ab")).unwrap();
    for file in left {
        std::fs::write(app.join(file), "").unwrap();
    }
    server.start();
    for file in left {
        assert!(!app.join(file).exists(), "{file}");
    }
    work.commit("a", "1");
    work.git(&["push", "--quiet", &server.url(Who::Owner, REPO), "main", "main:deep/er"]);
}

#[test]
fn a_lock_left_while_the_server_runs_is_cleared_away() {
    let (server, work, [app, _other]) = two();
    std::fs::write(app.join("refs/heads/main.lock"), "").unwrap();
    work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "main"]);
    assert_eq!(
        work.git(&["ls-remote", "origin", "main"]),
        format!("{}\trefs/heads/main", server.tip("main"))
    );
}

#[test]
fn what_the_model_knows_is_written_again() {
    let (mut server, work, [app, _other]) = two();
    work.git(&["push", "--quiet", "origin", "main:spare"]);
    let tip = server.tip("main");
    let damages: [fn(&PathBuf); 5] = [
        |app| std::fs::write(app.join("HEAD"), "").unwrap(),
        |app| std::fs::write(app.join("config"), "[core\n").unwrap(),
        |app| std::fs::write(app.join("refs/heads/main"), "").unwrap(),
        |app| std::fs::write(app.join("packed-refs"), "nonsense\n").unwrap(),
        |app| std::fs::remove_dir_all(app.join("refs")).unwrap(),
    ];
    for damage in damages {
        server.stop();
        damage(&app);
        server.start();
        let listed = work.git(&["ls-remote", "--heads", &server.url(Who::Owner, REPO)]);
        assert_eq!(listed, format!("{tip}\trefs/heads/main\n{tip}\trefs/heads/spare"));
    }
}

#[test]
fn a_repository_beyond_repair_is_set_aside_and_the_others_go_on() {
    let (mut server, _work, [app, _other]) = two();
    let objects = app.join("objects");
    server.owner().ask("POST", &format!("/repos/{REPO}/issues"), Some(&json!({"title": "Kept"})));
    server.stop();
    std::fs::rename(&objects, server.place("elsewhere")).unwrap();
    server.start();
    let notices = server.notices();
    assert!(notices.iter().any(|words| words.contains("ada/app was set aside")), "{notices:?}");
    let (status, said) =
        server.owner().send("GET", &format!("/repos/{REPO}/branches"), None).unwrap();
    assert_eq!(status, 503, "{said}");
    assert!(
        said["message"].as_str().unwrap().starts_with("This repository was set aside"),
        "{said}"
    );
    let here = Clone::empty(server.place("here"));
    let said = here.try_git(&["fetch", &server.url(Who::Owner, REPO)]);
    assert!(!said.went_well && said.text.contains("set aside"), "{}", said.text);
    let other = Clone::of(&server.url(Who::Owner, "ada/other"), server.place("clone"));
    other.commit("a", "1");
    other.git(&["push", "--quiet", "origin", "main"]);
    server.owner().ask("POST", "/repos/ada/other/issues", Some(&json!({"title": "T"})));
    server.owner().ask("POST", "/user/repos", Some(&json!({"name": "third"})));
    server.stop();
    std::fs::remove_dir_all(&objects).unwrap();
    std::fs::rename(server.place("elsewhere"), &objects).unwrap();
    server.start();
    assert_eq!(server.owner().get(&format!("/repos/{REPO}/issues/1"))["title"], "Kept");
    assert_eq!(server.tip("main").len(), 40);
}

/// Takes an object away that a push has brought.
fn lose(app: &Path, sha: &str) {
    std::fs::remove_file(app.join("objects").join(&sha[..2]).join(&sha[2..])).unwrap();
}

/// Kills a server whose record is longer than its snapshot, and takes objects away.
#[test]
fn what_cannot_be_done_again_waits_until_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut remote = Remote::start(&data);
    let made =
        |remote: &Remote, path: &str, body: Value| remote.api().ask("POST", path, Some(&body));
    for name in ["app", "other"] {
        made(&remote, "/user/repos", json!({"name": name, "auto_init": true}));
    }
    let work = Clone::of(&remote.git_url(), folder.path().join("work"));
    work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "HEAD:feature"]);
    let pull = json!({"title": "Kept", "head": "feature", "base": "main"});
    made(&remote, "/repos/owner/app/pulls", pull);
    let blocker = made(&remote, "/repos/owner/app/issues", json!({"title": "Blocker"}));
    let blocked = made(&remote, "/repos/owner/other/issues", json!({"title": "Blocked"}));
    let blocked_by = "/repos/owner/other/issues/1/dependencies/blocked_by";
    made(&remote, blocked_by, json!({"issue_id": blocker["id"]}));
    remote.kill();
    let git = std::fs::read_dir(data.join("git")).unwrap().map(|entry| entry.unwrap().path());
    let app = git.min().unwrap();
    std::fs::rename(app.join("objects"), folder.path().join("elsewhere")).unwrap();
    remote = Remote::start(&data);
    assert_eq!(remote.api().status("GET", "/repos/owner/app/pulls/1", None), 503);
    assert_eq!(remote.api().get("/repos/owner/other/issues/1")["id"], blocked["id"]);
    let meanwhile = made(&remote, "/repos/owner/other/issues", json!({"title": "Meanwhile"}));
    remote.kill();
    std::fs::remove_dir_all(app.join("objects")).unwrap();
    std::fs::rename(folder.path().join("elsewhere"), app.join("objects")).unwrap();
    remote = Remote::start(&data);
    let api = remote.api();
    assert_eq!(api.get("/repos/owner/app/pulls/1")["title"], "Kept");
    assert_eq!(api.get("/repos/owner/app/issues/2")["id"], blocker["id"]);
    assert_eq!(api.get(blocked_by)[0]["title"], "Blocker");
    assert_eq!(api.get("/repos/owner/other/issues/2")["id"], meanwhile["id"]);
}

#[test]
fn a_file_that_is_lost_is_not_shown_as_one_that_is_too_large() {
    let (server, work, [app, _other]) = two();
    work.commit("folder/lost", "text");
    work.git(&["push", "--quiet"]);
    lose(&app, &work.git(&["rev-parse", "HEAD:folder/lost"]));
    let status =
        |path: &str| server.owner().status("GET", &format!("/repos/{REPO}/contents/{path}"), None);
    assert_eq!((status("folder/lost"), status("folder"), status("README.md")), (500, 500, 200));
    server.owner().ask("POST", &format!("/repos/{REPO}/issues"), Some(&json!({"title": "T"})));
}

#[test]
fn definitions_of_checks_that_are_lost_are_no_empty_ones() {
    let (server, work, [app, _other]) = two();
    work.commit(".ralph/checks.toml", "[[check]]\nname = \"CI\"\nrun = \"true\"\n");
    work.git(&["push", "--quiet"]);
    lose(&app, &work.git(&["rev-parse", "HEAD:.ralph/checks.toml"]));
    server.protect("main", &[]);
    let path = format!("/repos/{REPO}/commits/main/check-runs");
    let runs = server.owner().get(&path)["check_runs"].clone();
    assert_eq!(runs[0]["name"], ".ralph/checks.toml", "{runs}");
    assert_eq!(runs[0]["conclusion"], "failure", "{runs}");
    server.owner().ask("POST", &format!("/repos/{REPO}/issues"), Some(&json!({"title": "T"})));
}

#[test]
fn names_that_an_older_version_took_are_dropped_with_a_word() {
    let (mut server, work, _folders) = two();
    let tip = work.git(&["rev-parse", "HEAD"]);
    server.stop();
    let database = rusqlite::Connection::open(server.place("data/forge.sqlite")).unwrap();
    let select = "SELECT CAST(site AS TEXT) FROM snapshot";
    let site: String = database.query_row(select, [], |row| row.get(0)).unwrap();
    let found = format!("\"branches\":{{\"main\":\"{tip}\"");
    assert!(site.contains(&found), "{site}");
    let more = format!("{found},\"a@{{b\":\"{tip}\",\"{}\":\"{tip}\"", "x".repeat(251));
    let site = site.replace(&found, &more).into_bytes();
    database.execute("UPDATE snapshot SET site = ?1", [site]).unwrap();
    drop(database);
    server.start();
    let notices = server.notices();
    assert_eq!(
        notices.iter().filter(|words| words.contains("was dropped")).count(),
        2,
        "{notices:?}"
    );
    let branches = server.owner().get(&format!("/repos/{REPO}/branches"));
    assert_eq!(branches.as_array().unwrap().len(), 1);
    work.commit("a", "1");
    work.git(&["push", "--quiet", &server.url(Who::Owner, REPO), "main"]);
    server.restart();
    assert_eq!(server.notices(), [""; 0]);
}
