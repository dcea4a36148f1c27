//! Files as git has them, by every name that a commit has.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::desk::{Desk, REPO, text};

fn content(file: &Value) -> Vec<u8> {
    STANDARD.decode(text(&file["content"]).replace('\n', "")).unwrap()
}

#[test]
fn files_come_as_they_are() {
    let (desk, work) = Desk::new();
    let bytes: Vec<u8> = (0..=255).collect();
    std::fs::write(work.path.join("binary"), &bytes).unwrap();
    std::fs::write(work.path.join("large"), vec![b'x'; 1024 * 1024 + 1]).unwrap();
    std::os::unix::fs::symlink("binary", work.path.join("link")).unwrap();
    work.commit("folder/file", "1");
    work.git(&["push", "--quiet"]);
    let get = |path: &str| desk.owner().get(&format!("/repos/{REPO}/contents/{path}"));
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
    for odd in ["..", "a/../b", "a%00b", "folder//file"] {
        let path = format!("/repos/{REPO}/contents/{odd}");
        assert_eq!(desk.owner().status("GET", &path, None), 422, "{odd}");
        let path = format!("/repos/{REPO}/commits?path={odd}");
        assert_eq!(desk.owner().status("GET", &path, None), 422, "{odd}");
    }
}

#[test]
fn a_commit_has_many_names() {
    let (desk, work) = Desk::new();
    work.git(&["tag", "--annotate", "--message", "First", "v1"]);
    work.git(&["push", "--quiet", "origin", "v1"]);
    let sha = work.git(&["rev-parse", "HEAD"]);
    for name in ["main", "HEAD", "heads/main", "refs/heads/main", "v1", "tags/v1", &sha, &sha[..7]]
    {
        let found = desk.owner().get(&format!("/repos/{REPO}/commits/{name}"));
        assert_eq!(text(&found["sha"]), sha, "{name}");
        let path = format!("/repos/{REPO}/contents/README.md?ref={name}");
        assert_eq!(content(&desk.owner().get(&path)), b"# app\n", "{name}");
        desk.owner().get(&format!("/repos/{REPO}/commits/{name}/check-runs"));
    }
    for name in ["nothing", "abc", "0000000"] {
        assert_eq!(desk.owner().status("GET", &format!("/repos/{REPO}/commits/{name}"), None), 422);
    }
}
