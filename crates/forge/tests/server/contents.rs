//! Files as git has them, by every name that a commit has.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::test_server::{REPO, TestServer, Who, text};

fn content(file: &Value) -> Vec<u8> {
    STANDARD.decode(text(&file["content"]).replace('\n', "")).unwrap()
}

#[test]
fn files_come_as_they_are() {
    let (server, work) = TestServer::new();
    let bytes: Vec<u8> = (0..=255).collect();
    std::fs::write(work.path.join("binary"), &bytes).unwrap();
    std::fs::write(work.path.join("large"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    std::os::unix::fs::symlink("binary", work.path.join("link")).unwrap();
    work.commit("folder/file", "1");
    work.git(&["push", "--quiet"]);
    let get = |path: &str| server.owner().get(&format!("/repos/{REPO}/contents/{path}"));
    let binary = get("binary");
    assert_eq!(content(&binary), bytes);
    assert_eq!(text(&binary["sha"]), work.git(&["rev-parse", "HEAD:binary"]));
    let large = get("large");
    assert_eq!((text(&large["encoding"]), text(&large["content"])), ("none".into(), String::new()));
    assert_eq!(large["size"], 1024 * 1024 + 1);
    let link = get("link");
    assert_eq!((text(&link["type"]), text(&link["target"])), ("symlink".into(), "binary".into()));
    let folder = get("");
    let kinds: Vec<String> =
        folder.as_array().unwrap().iter().map(|one| text(&one["type"])).collect();
    assert_eq!(kinds, ["file", "file", "dir", "file", "symlink"]);
    let as_it_is = |path: &str, kind: &str| {
        let address = format!("{}/repos/{REPO}/contents/{path}", server.base());
        let token = &server.credentials(Who::Owner).token;
        let request = http::Request::builder()
            .uri(address)
            .header("authorization", format!("Bearer {token}"))
            .header("accept", format!("application/vnd.github.{kind}"));
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut response = agent.run(request.body(String::new()).unwrap()).unwrap();
        (response.status().as_u16(), response.body_mut().read_to_vec().unwrap())
    };
    assert_eq!(as_it_is("binary", "raw"), (200, bytes));
    assert_eq!(as_it_is("large", "raw"), (200, vec![b'x'; 1024 * 1024 + 1]));
    let (status, folder) = as_it_is("folder", "object");
    let folder: Value = serde_json::from_slice(&folder).unwrap();
    assert_eq!((status, text(&folder["type"])), (200, "dir".to_owned()));
    assert_eq!(text(&folder["sha"]), work.git(&["rev-parse", "HEAD:folder"]));
    assert_eq!(text(&folder["entries"][0]["path"]), "folder/file");
    let (_status, root) = as_it_is("", "object");
    let root: Value = serde_json::from_slice(&root).unwrap();
    assert_eq!(text(&root["sha"]), work.git(&["rev-parse", "HEAD^{tree}"]));
    assert_eq!(as_it_is("folder", "raw").0, 415);
    assert_eq!(as_it_is("folder", "v3.full+json").0, 200);
    for odd in ["..", "a/../b", "a%00b", "folder//file"] {
        let path = format!("/repos/{REPO}/contents/{odd}");
        assert_eq!(server.owner().status("GET", &path, None), 422, "{odd}");
        let path = format!("/repos/{REPO}/commits?path={odd}");
        assert_eq!(server.owner().status("GET", &path, None), 422, "{odd}");
    }
}

/// Less than GitHub's limit on files as they are, and more than is asked of git otherwise.
const LARGE_BYTES: u64 = 65 * 1024 * 1024;

#[test]
fn a_very_large_file_comes_as_it_is() {
    let (server, work) = TestServer::new();
    let file = std::fs::File::create(work.path.join("large")).unwrap();
    file.set_len(LARGE_BYTES).unwrap();
    work.commit("small", "1");
    work.git(&["push", "--quiet"]);
    let address = format!("{}/repos/{REPO}/contents/large", server.base());
    let request = http::Request::builder()
        .uri(address)
        .header("authorization", format!("Bearer {}", server.credentials(Who::Owner).token))
        .header("accept", "application/vnd.github.raw+json");
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut response = agent.run(request.body(String::new()).unwrap()).unwrap();
    assert_eq!(response.status().as_u16(), 200);
    let read = std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::sink()).unwrap();
    assert_eq!(read, LARGE_BYTES);
}

#[test]
fn a_commit_has_many_names() {
    let (server, work) = TestServer::new();
    work.git(&["tag", "--annotate", "--message", "First", "v1"]);
    work.git(&["push", "--quiet", "origin", "v1"]);
    let sha = work.git(&["rev-parse", "HEAD"]);
    for name in ["main", "HEAD", "heads/main", "refs/heads/main", "v1", "tags/v1", &sha, &sha[..7]]
    {
        let found = server.owner().get(&format!("/repos/{REPO}/commits/{name}"));
        assert_eq!(text(&found["sha"]), sha, "{name}");
        let path = format!("/repos/{REPO}/contents/README.md?ref={name}");
        assert_eq!(content(&server.owner().get(&path)), b"# app\n", "{name}");
        server.owner().get(&format!("/repos/{REPO}/commits/{name}/check-runs"));
    }
    for name in ["nothing", "abc", "0000000"] {
        assert_eq!(
            server.owner().status("GET", &format!("/repos/{REPO}/commits/{name}"), None),
            422
        );
    }
}

#[test]
fn nul_is_refused_and_nothing_of_it_is_kept() {
    let (mut server, work) = TestServer::new();
    let repo = format!("/repos/{REPO}");
    let owner = server.owner();
    for path in [
        "commits/%00",
        "commits/a%00b",
        "commits/main%00/check-runs",
        "commits?sha=a%00b",
        "commits?author=a%00b",
        "compare/main...a%00b",
        "compare/a%00b...main",
        "contents/README.md?ref=a%00b",
        "git/ref/heads/a%00b",
        "git/matching-refs/heads/a%00b",
        "branches/a%00b",
        "pulls?base=a%00b",
        "issues?labels=a%00b",
    ] {
        let (status, said) = owner.send("GET", &format!("{repo}/{path}"), None).unwrap();
        let is_empty = said.as_array().is_some_and(Vec::is_empty);
        assert!([404, 422].contains(&status) || is_empty, "{path}: {status} {said}");
    }
    let (tip, tree) = (work.git(&["rev-parse", "HEAD"]), work.git(&["rev-parse", "HEAD^{tree}"]));
    let refused = |method: &str, path: &str, body: Value| {
        let (status, said) = owner.send(method, &format!("{repo}/{path}"), Some(&body)).unwrap();
        assert_eq!(status, 422, "{method} {path}: {said}");
        assert!(text(&said["message"]).contains("NUL"), "{method} {path}: {said}");
    };
    refused("POST", "issues", json!({"title": "a\0b"}));
    refused("POST", "git/commits", json!({"message": "a\0b", "tree": tree, "parents": [tip]}));
    let author = json!({"name": "a\0b", "email": "a@example.com"});
    let commit = json!({"message": "m", "tree": tree, "parents": [tip], "author": author});
    refused("POST", "git/commits", commit);
    refused("POST", "git/refs", json!({"ref": "refs/heads/a\0b", "sha": tip}));
    work.git(&["switch", "--quiet", "--create", "feature"]);
    work.commit("feature", "1");
    work.git(&["push", "--quiet", "origin", "feature"]);
    let new = json!({"title": "T", "head": "feature", "base": "main"});
    let number = owner.ask("POST", &format!("{repo}/pulls"), Some(&new))["number"].clone();
    for field in ["commit_title", "commit_message"] {
        refused("PUT", &format!("pulls/{number}/merge"), json!({field: "a\0b"}));
    }
    owner.ask("PUT", &format!("{repo}/pulls/{number}/merge"), Some(&json!({})));
    server.restart();
    assert_eq!(server.notices(), [""; 0]);
}
