//! What a start meets: locks of dead processes, damaged repositories, names of older versions.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::Clone;
use crate::crashes::Remote;
use crate::desk::{Desk, REPO, Who};

/// The folders of `ada/app` and `ada/other`.
fn two() -> (Desk, Clone, [PathBuf; 2]) {
    let (desk, work) = Desk::new();
    let folder = |known: &[PathBuf]| {
        let found = std::fs::read_dir(desk.place("data/git")).unwrap();
        let mut found = found.map(|entry| entry.unwrap().path());
        found.find(|path| !known.contains(path)).unwrap()
    };
    let app = folder(&[]);
    desk.owner().ask("POST", "/user/repos", Some(&json!({"name": "other", "auto_init": true})));
    let other = folder(std::slice::from_ref(&app));
    (desk, work, [app, other])
}

#[test]
fn locks_and_files_of_dead_processes_are_cleared_away() {
    let (mut desk, work, [app, _other]) = two();
    work.git(&["push", "--quiet", "origin", "main:deep/er"]);
    desk.stop();
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
    desk.start();
    for file in left {
        assert!(!app.join(file).exists(), "{file}");
    }
    work.commit("a", "1");
    work.git(&["push", "--quiet", &desk.url(Who::Owner, REPO), "main", "main:deep/er"]);
}

#[test]
fn a_lock_left_while_the_server_runs_is_cleared_away() {
    let (desk, work, [app, _other]) = two();
    std::fs::write(app.join("refs/heads/main.lock"), "").unwrap();
    work.commit("a", "1");
    work.git(&["push", "--quiet", "origin", "main"]);
    assert_eq!(
        work.git(&["ls-remote", "origin", "main"]),
        format!("{}\trefs/heads/main", desk.tip("main"))
    );
}

#[test]
fn what_the_model_knows_is_written_again() {
    let (mut desk, work, [app, _other]) = two();
    work.git(&["push", "--quiet", "origin", "main:spare"]);
    let tip = desk.tip("main");
    let damages: [fn(&PathBuf); 5] = [
        |app| std::fs::write(app.join("HEAD"), "").unwrap(),
        |app| std::fs::write(app.join("config"), "[core\n").unwrap(),
        |app| std::fs::write(app.join("refs/heads/main"), "").unwrap(),
        |app| std::fs::write(app.join("packed-refs"), "nonsense\n").unwrap(),
        |app| std::fs::remove_dir_all(app.join("refs")).unwrap(),
    ];
    for damage in damages {
        desk.stop();
        damage(&app);
        desk.start();
        let listed = work.git(&["ls-remote", "--heads", &desk.url(Who::Owner, REPO)]);
        assert_eq!(listed, format!("{tip}\trefs/heads/main\n{tip}\trefs/heads/spare"));
    }
}

#[test]
fn a_repository_beyond_repair_is_set_aside_and_the_others_go_on() {
    let (mut desk, _work, [app, _other]) = two();
    let objects = app.join("objects");
    desk.owner().ask("POST", &format!("/repos/{REPO}/issues"), Some(&json!({"title": "Kept"})));
    desk.stop();
    std::fs::rename(&objects, desk.place("elsewhere")).unwrap();
    desk.start();
    let notices = desk.notices();
    assert!(notices.iter().any(|words| words.contains("ada/app was set aside")), "{notices:?}");
    let (status, said) =
        desk.owner().send("GET", &format!("/repos/{REPO}/branches"), None).unwrap();
    assert_eq!(status, 503, "{said}");
    assert!(
        said["message"].as_str().unwrap().starts_with("This repository was set aside"),
        "{said}"
    );
    let here = Clone::empty(desk.place("here"));
    let said = here.try_git(&["fetch", &desk.url(Who::Owner, REPO)]);
    assert!(!said.went_well && said.text.contains("set aside"), "{}", said.text);
    let other = Clone::of(&desk.url(Who::Owner, "ada/other"), desk.place("clone"));
    other.commit("a", "1");
    other.git(&["push", "--quiet", "origin", "main"]);
    desk.owner().ask("POST", "/repos/ada/other/issues", Some(&json!({"title": "T"})));
    desk.owner().ask("POST", "/user/repos", Some(&json!({"name": "third"})));
    desk.stop();
    std::fs::remove_dir_all(&objects).unwrap();
    std::fs::rename(desk.place("elsewhere"), &objects).unwrap();
    desk.start();
    assert_eq!(desk.owner().get(&format!("/repos/{REPO}/issues/1"))["title"], "Kept");
    assert_eq!(desk.tip("main").len(), 40);
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
    let (desk, work, [app, _other]) = two();
    work.commit("folder/lost", "text");
    work.git(&["push", "--quiet"]);
    lose(&app, &work.git(&["rev-parse", "HEAD:folder/lost"]));
    let status =
        |path: &str| desk.owner().status("GET", &format!("/repos/{REPO}/contents/{path}"), None);
    assert_eq!((status("folder/lost"), status("folder"), status("README.md")), (500, 500, 200));
    desk.owner().ask("POST", &format!("/repos/{REPO}/issues"), Some(&json!({"title": "T"})));
}

#[test]
fn definitions_of_checks_that_are_lost_are_no_empty_ones() {
    let (desk, work, [app, _other]) = two();
    work.commit(".ralph/checks.toml", "[[check]]\nname = \"CI\"\nrun = \"true\"\n");
    work.git(&["push", "--quiet"]);
    lose(&app, &work.git(&["rev-parse", "HEAD:.ralph/checks.toml"]));
    desk.protect("main", &[]);
    let path = format!("/repos/{REPO}/commits/main/check-runs");
    let runs = desk.owner().get(&path)["check_runs"].clone();
    assert_eq!(runs[0]["name"], ".ralph/checks.toml", "{runs}");
    assert_eq!(runs[0]["conclusion"], "failure", "{runs}");
    desk.owner().ask("POST", &format!("/repos/{REPO}/issues"), Some(&json!({"title": "T"})));
}

#[test]
fn names_that_an_older_version_took_are_dropped_with_a_word() {
    let (mut desk, work, _folders) = two();
    let tip = work.git(&["rev-parse", "HEAD"]);
    desk.stop();
    let database = rusqlite::Connection::open(desk.place("data/forge.sqlite")).unwrap();
    let select = "SELECT CAST(site AS TEXT) FROM snapshot";
    let site: String = database.query_row(select, [], |row| row.get(0)).unwrap();
    let found = format!("\"branches\":{{\"main\":\"{tip}\"");
    assert!(site.contains(&found), "{site}");
    let more = format!("{found},\"a@{{b\":\"{tip}\",\"{}\":\"{tip}\"", "x".repeat(251));
    let site = site.replace(&found, &more).into_bytes();
    database.execute("UPDATE snapshot SET site = ?1", [site]).unwrap();
    drop(database);
    desk.start();
    let notices = desk.notices();
    assert_eq!(
        notices.iter().filter(|words| words.contains("was dropped")).count(),
        2,
        "{notices:?}"
    );
    let branches = desk.owner().get(&format!("/repos/{REPO}/branches"));
    assert_eq!(branches.as_array().unwrap().len(), 1);
    work.commit("a", "1");
    work.git(&["push", "--quiet", &desk.url(Who::Owner, REPO), "main"]);
    desk.restart();
    assert_eq!(desk.notices(), [""; 0]);
}
