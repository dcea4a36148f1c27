//! Kill -9 of the server together with its git, in the middle of changes of references.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::{Value, json};

use crate::chance::{Chance, tries};
use crate::client::{Api, Clone, command};
use crate::crashes::Remote;
use crate::raw_push::{self, NONE};
use crate::test_server::text;

const REPO: &str = "owner/app";
/// Clients that change references at the same time, each its own.
const CLIENTS: u64 = 3;
const NAMES: &[&str] = &["a", "b", "deep/c", "deep/d"];

/// The references of a client: those it knows, and the change that it was making when the answer failed.
#[derive(Default)]
struct Known {
    acknowledged: BTreeMap<String, String>,
    in_flight: Vec<(String, Option<String>)>,
    answers: usize,
}

/// The result of all kills.
#[derive(Debug, Default)]
pub(crate) struct Toll {
    pub(crate) kills: usize,
    pub(crate) failed_starts: usize,
    pub(crate) acknowledged: usize,
    pub(crate) lost: Vec<String>,
}

/// A client that changes references.
struct Client<'a> {
    url: &'a str,
    token: &'a str,
    shas: &'a [String],
    number: u64,
    seed: u64,
}

/// Makes, moves and deletes references until no answer comes.
fn change_until_killed(of: &Client<'_>, known: &mut Known, answered: &Sender<()>) {
    let Client { url, token, shas, number: client, seed } = *of;
    let api = Api::new(url, Some(token));
    let mut chance = Chance::new(seed * 8 + client);
    loop {
        let name = format!("c{client}/{}", chance.one_of(NAMES));
        let old = known.acknowledged.get(&name).cloned();
        let new =
            Some(chance.one_of(shas).clone()).filter(|_sha| chance.below(4) > 0 || old.is_none());
        let full = format!("refs/heads/{name}");
        let went_well = if chance.below(2) == 0 {
            let (from, to) = (old.as_deref().unwrap_or(NONE), new.as_deref().unwrap_or(NONE));
            let body = raw_push::body(&[(from, to, full.as_bytes())], "");
            let report = raw_push::send(url, token, REPO, &body);
            report.map(|report| raw_push::is_ok(&report, full.as_bytes()))
        } else {
            let refs = format!("/repos/{REPO}/git/refs");
            let one = format!("{refs}/heads/{name}");
            let sent = match (&old, &new) {
                (None, Some(sha)) => {
                    api.send("POST", &refs, Some(&json!({"ref": full, "sha": sha})))
                }
                (Some(_), Some(sha)) => {
                    api.send("PATCH", &one, Some(&json!({"sha": sha, "force": true})))
                }
                (_, None) => api.send("DELETE", &one, None),
            };
            sent.ok().map(|(status, _said)| (200..300).contains(&status))
        };
        if went_well != Some(true) {
            known.in_flight.push((name, new));
            return;
        }
        known.answers += 1;
        // The killer has counted enough perhaps.
        let _unheard = answered.send(());
        match new {
            Some(sha) => known.acknowledged.insert(name, sha),
            None => known.acknowledged.remove(&name),
        };
    }
}

/// Kills after so many answers, so that a busy machine sees changes too, and then so many milliseconds.
fn kill_group_after(
    child: &Child,
    answered: Receiver<()>,
    (answers, milliseconds): (usize, usize),
) -> thread::JoinHandle<()> {
    let script = format!("sleep 0.{milliseconds:03}; kill -9 -{}", child.id());
    thread::spawn(move || {
        // It ends early when no more requests come.
        let _counted = answered.iter().take(answers).count();
        command("sh").args(["-c", &script]).status().unwrap();
    })
}

/// Kills so often, each time after a random moment, and looks at what is there afterwards.
pub(crate) fn kill(times: usize, seed: u64) -> Toll {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut remote = Remote::start(&data);
    let shas = found(&remote, folder.path());
    let mut chance = Chance::new(seed);
    let mut known: Vec<Known> = (0..CLIENTS).map(|_client| Known::default()).collect();
    let mut toll = Toll::default();
    for round in 0..times {
        let (answered, counted) = mpsc::channel();
        let moment = (chance.below(12), chance.below(100));
        let killer = kill_group_after(&remote.child, counted, moment);
        thread::scope(|scope| {
            for (client, known) in (0..CLIENTS).zip(&mut known) {
                let (url, token, shas) = (&remote.url, &remote.token, &shas);
                let seed = seed * 100_000 + u64::try_from(round).unwrap();
                let of = Client { url, token, shas, number: client, seed };
                let answered = answered.clone();
                scope.spawn(move || change_until_killed(&of, known, &answered));
            }
            drop(answered);
        });
        killer.join().unwrap();
        remote.child.wait().unwrap();
        toll.kills += 1;
        match Remote::try_start(&data) {
            Some(next) => remote = next,
            None => {
                toll.failed_starts += 1;
                return toll;
            }
        }
        look(&remote, &mut known, &mut toll);
    }
    toll.acknowledged = known.iter().map(|known| known.answers).sum();
    toll
}

/// A repository with three commits; their shas.
fn found(remote: &Remote, folder: &Path) -> Vec<String> {
    remote.api().ask("POST", "/user/repos", Some(&json!({"name": "app"})));
    let work = Clone::empty(folder.join("work"));
    let shas = ["1", "2", "3"].map(|text| work.commit("file", text));
    work.git(&["push", "--quiet", &remote.git_url(), "main"]);
    shas.to_vec()
}

/// Compares what is there, by REST and by git, with what was acknowledged.
fn look(remote: &Remote, known: &mut [Known], toll: &mut Toll) {
    let listed = remote.api().get(&format!("/repos/{REPO}/git/matching-refs/heads/c"));
    let pair = |one: &Value| {
        let name = text(&one["ref"]).strip_prefix("refs/heads/").unwrap().to_owned();
        (name, text(&one["object"]["sha"]))
    };
    let here: BTreeMap<String, String> = listed.as_array().unwrap().iter().map(pair).collect();
    let by_git = command("git").args(["ls-remote", "--heads", &remote.git_url()]).output().unwrap();
    let by_git = String::from_utf8(by_git.stdout).unwrap();
    let line = |line: &str| {
        line.split_once("\trefs/heads/").map(|(sha, name)| (name.to_owned(), sha.to_owned()))
    };
    let mut by_git: BTreeMap<String, String> = by_git.lines().filter_map(line).collect();
    by_git.remove("main");
    if by_git != here {
        toll.lost.push(format!("git has {by_git:?}, REST says {here:?}"));
    }
    for (client, known) in known.iter_mut().enumerate() {
        let own = here.iter().filter(|(name, _sha)| name.starts_with(&format!("c{client}/")));
        let own: BTreeMap<String, String> =
            own.map(|(name, sha)| (name.clone(), sha.clone())).collect();
        let mut possible = vec![known.acknowledged.clone()];
        for (name, new) in known.in_flight.drain(..) {
            let mut other = known.acknowledged.clone();
            match new {
                Some(sha) => other.insert(name, sha),
                None => other.remove(&name),
            };
            possible.push(other);
        }
        if !possible.contains(&own) {
            toll.lost.push(format!("client {client}: {own:?} is none of {possible:?}"));
        }
        known.acknowledged = own;
    }
}

#[test]
fn killed_together_with_its_git_it_starts_and_nothing_is_lost() {
    let kills = tries("RALPH_FORGE_KILLS", 8);
    let toll = kill(kills, 3);
    println!("lost or not started: {} of {}", toll.lost.len() + toll.failed_starts, toll.kills);
    assert_eq!((toll.kills, toll.failed_starts), (kills, 0), "{toll:?}");
    assert_eq!(toll.lost, [""; 0]);
    assert!(toll.acknowledged > kills, "too little happened: {toll:?}");
}
