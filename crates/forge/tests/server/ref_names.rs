//! Names of references: through REST and through git the verdict is git's own.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use serde_json::json;

use crate::chance::{Chance, tries};
use crate::client::{Clone, git_in};
use crate::raw_push::NONE;
use crate::test_server::{REPO, TestServer};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

/// Pieces that git has an opinion on, and some that it has none on.
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"x-1",
    b"main",
    b"HEAD",
    b"refs",
    b"heads",
    b"-",
    b"_",
    b"+",
    b"%",
    b"#",
    b"$",
    b"'",
    b"\"",
    b"<",
    b"&",
    b"=",
    b".",
    b"..",
    b"@",
    b"{",
    b"}",
    b"@{",
    b"@{0}",
    b".lock",
    b"lock",
    b"~",
    b"^",
    b":",
    b"?",
    b"*",
    b"[",
    b"]",
    b"\\",
    b" ",
    b"\t",
    b"\x01",
    b"\x1b",
    b"\x7f",
    b"/",
    b"//",
    "\u{e9}".as_bytes(),
    "\u{a0}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{1f980}".as_bytes(),
    "\u{10ff80}".as_bytes(),
    b"\xff",
    b"\xc3",
];

/// Around what fits into a file's name with `.lock` behind it.
const LENGTHS: &[usize] = &[1, 100, 245, 249, 250, 251, 252, 255, 256, 300, 1200];

fn name(chance: &mut Chance) -> Vec<u8> {
    let folder = if chance.below(4) == 0 { "refs/tags/" } else { "refs/heads/" };
    let mut name = folder.as_bytes().to_vec();
    for _piece in 0..1 + chance.below(5) {
        if chance.below(20) == 0 {
            name.extend(std::iter::repeat_n(b'x', *chance.one_of(LENGTHS)));
        } else {
            name.extend_from_slice(chance.one_of::<&[u8]>(PIECES));
        }
    }
    name
}

/// The number of names compared, and those on which the forge and git disagree.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    pub(crate) compared: usize,
    pub(crate) accepted: usize,
    pub(crate) unequal: Vec<String>,
}

/// Tries names, each through REST and as a push, in a forge that has to stay well.
pub(crate) fn compare(names: usize, seed: u64) -> Verdicts {
    let mut server = TestServer::with(|options| options.requests_per_hour_max = u32::MAX);
    let work = server.found();
    let sha = work.git(&["rev-parse", "HEAD"]);
    let judge = Clone::empty(server.place("judge"));
    judge.commit("a", "1");
    let there = judge.git(&["rev-parse", "HEAD"]);
    let mut chance = Chance::new(seed);
    let mut verdicts = Verdicts::default();
    while verdicts.compared < names {
        let name = name(&mut chance);
        // It is there already, in both.
        if name == b"refs/heads/main" {
            continue;
        }
        let mut tried = git_in(&judge.path);
        tried.arg("update-ref").arg(OsStr::from_bytes(&name));
        let is_taken = tried.arg(&there).output().unwrap().status.success();
        if is_taken {
            let mut gone = git_in(&judge.path);
            gone.args(["update-ref", "-d"]).arg(OsStr::from_bytes(&name));
            assert!(gone.output().unwrap().status.success());
        }
        verdicts.compared += 1;
        verdicts.accepted += usize::from(is_taken);
        let by_git = server.push_raw(&[(NONE, &sha, &name)], "") == [true];
        if by_git {
            assert_eq!(server.push_raw(&[(&sha, NONE, &name)], ""), [true], "{name:?}");
        }
        let by_rest = by_rest(&server, &name, &sha).unwrap_or(is_taken);
        if (by_git, by_rest) != (is_taken, is_taken) {
            let name = String::from_utf8_lossy(&name);
            let verdict = format!("{name:?}: git {is_taken}, pushed {by_git}, by REST {by_rest}");
            verdicts.unequal.push(verdict);
        }
    }
    let branches = server.owner().get(&format!("/repos/{REPO}/branches"));
    assert_eq!(branches.as_array().unwrap().len(), 1, "{branches}");
    server.stop();
    server.start_with(|options| options.requests_per_hour_max = u32::MAX);
    server.owner().ask("POST", "/user/repos", Some(&json!({"name": "other"})));
    work.commit("a", "1");
    work.git(&["push", "--quiet", &server.url(crate::test_server::Who::Owner, REPO), "main"]);
    verdicts
}

/// None for what no JSON can say.
fn by_rest(server: &TestServer, name: &[u8], sha: &str) -> Option<bool> {
    let text = std::str::from_utf8(name).ok().filter(|text| *text < "\u{10ff80}")?;
    if text.contains('\u{10ff80}') {
        return None;
    }
    let refs = format!("/repos/{REPO}/git/refs");
    let body = json!({"ref": text, "sha": sha});
    let status = server.owner().status("POST", &refs, Some(&body));
    assert!([201, 422].contains(&status), "{text:?}: {status}");
    if status == 201 {
        let path = percent_encode(&name[5..], NON_ALPHANUMERIC);
        assert_eq!(
            server.owner().status("DELETE", &format!("{refs}/{path}"), None),
            204,
            "{text:?}"
        );
    }
    Some(status == 201)
}

#[test]
fn names_of_references_are_judged_as_git_judges_them() {
    let verdicts = compare(tries("RALPH_FORGE_NAMES", 250), 7);
    let (unequal, compared) = (verdicts.unequal.len(), verdicts.compared);
    println!("judged otherwise: {unequal} of {compared}");
    assert_eq!(verdicts.unequal, [""; 0]);
    let tenth = compared / 10;
    assert!((tenth..9 * tenth).contains(&verdicts.accepted), "{verdicts:?}");
}

#[test]
fn one_push_of_a_bad_name_harms_nothing() {
    let mut server = TestServer::with(|options| options.requests_per_hour_max = u32::MAX);
    let work = server.found();
    let sha = work.git(&["rev-parse", "HEAD"]);
    let long = format!("refs/heads/{}", "x".repeat(251));
    let bad: [&[u8]; 6] = [
        b"refs/heads/a@{b",
        b"refs/heads/a\x01",
        long.as_bytes(),
        b"refs/tags/v@{1",
        b"refs/x",
        b"HEAD",
    ];
    for name in bad {
        assert_eq!(server.push_raw(&[(NONE, &sha, name)], ""), [false]);
        let listed = server.owner().get("/user/repos");
        assert_eq!(listed.as_array().unwrap().len(), 1);
        work.git(&["push", "--quiet", "--force", "origin", "HEAD:refs/heads/after"]);
        work.git(&["push", "--quiet", "origin", "--delete", "after"]);
    }
    server.restart();
    assert_eq!(server.tip("main"), sha);
}

#[test]
fn a_branch_gives_way_to_its_folder_in_one_push() {
    let mut server = TestServer::with(|options| options.requests_per_hour_max = u32::MAX);
    let work = server.found();
    let sha = work.git(&["rev-parse", "HEAD"]);
    let sha = sha.as_str();
    let (a, below): (&[u8], &[u8]) = (b"refs/heads/a", b"refs/heads/a/b");
    assert_eq!(server.push_raw(&[(NONE, sha, a)], ""), [true]);
    // As one step git refuses it, and so do we.
    assert_eq!(server.push_raw(&[(sha, NONE, a), (NONE, sha, below)], "atomic"), [false, false]);
    assert_eq!(server.push_raw(&[(sha, NONE, a), (NONE, sha, below)], ""), [true, true]);
    assert_eq!(server.push_raw(&[(NONE, sha, a), (sha, NONE, below)], ""), [false, true]);
    // Of two that exclude each other the first stays; as one step none does.
    assert_eq!(server.push_raw(&[(NONE, sha, a), (NONE, sha, below)], "atomic"), [false, false]);
    assert_eq!(server.push_raw(&[(NONE, sha, a), (NONE, sha, below)], ""), [true, false]);
    server.restart();
    let listed =
        work.git(&["ls-remote", "--heads", &server.url(crate::test_server::Who::Owner, REPO)]);
    assert_eq!(listed, format!("{sha}\trefs/heads/a\n{sha}\trefs/heads/main"));
}
