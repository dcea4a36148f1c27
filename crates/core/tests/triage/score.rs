//! The score of triage on the recorded logs, for the test beside this file and for the benchmark.

use ralph_core::triage::{Class, RedCheck, Triage, triage};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Recordings of each fault.
const RECORDINGS: [&str; 2] = ["1", "2"];

/// The logs that triage was tuned on, and those that were held back meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Tuned,
    HeldOut,
}

#[derive(Debug, Default)]
pub struct Score {
    pub logs: Tally,
    pub excerpts: Tally,
    pub classes: Tally,
    /// Two recordings of one fault, each in another folder and at another time.
    pub repeats: Tally,
    /// Two faults, each with every other.
    pub differences: Tally,
    /// The misses, one line each.
    pub misses: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub right: u32,
    pub all: u32,
}

impl Tally {
    pub fn percent(self) -> f64 {
        100.0 * f64::from(self.right) / f64::from(self.all.max(1))
    }

    fn count(&mut self, is_right: bool) -> bool {
        self.all += 1;
        self.right += u32::from(is_right);
        is_right
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    cause: Vec<Cause>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cause {
    id: String,
    says: String,
    class: Class,
}

/// A fault, and the triage of each of its recordings.
struct Fault {
    name: String,
    cause: Cause,
    read: Vec<Triage>,
}

pub fn score(half: Half) -> Score {
    let mut score = Score::default();
    let faults: Vec<Fault> = projects(half).iter().flat_map(|project| faults(project)).collect();
    for fault in &faults {
        judge(&mut score, fault);
    }
    for (at, one) in faults.iter().enumerate() {
        for other in faults.iter().skip(at + 1) {
            let differ = hashes(one).is_disjoint(&hashes(other));
            if !score.differences.count(differ) {
                let (one, other) = (&one.name, &other.name);
                score.misses.push(format!("{one} and {other} have one signature"));
            }
        }
    }
    score
}

fn judge(score: &mut Score, fault: &Fault) {
    let Fault { name, cause, read } = fault;
    for (triage, recording) in read.iter().zip(RECORDINGS) {
        score.logs.count(true);
        if !score.excerpts.count(triage.excerpt.as_str().contains(&cause.says)) {
            let (says, excerpt) = (&cause.says, triage.excerpt.as_str());
            score.misses.push(format!("{name}-{recording} does not say {says:?}:\n{excerpt}"));
        }
        if !score.classes.count(triage.classified.class == cause.class) {
            let (wanted, found) = (cause.class, &triage.classified);
            let (class, why) = (found.class, &found.why);
            score.misses.push(format!("{name}-{recording} is {wanted}, not {class}: {why}"));
        }
    }
    if !score.repeats.count(hashes(fault).len() == 1) {
        let signatures: Vec<_> = read.iter().map(|triage| &triage.signature).collect();
        score.misses.push(format!("{name} has several signatures: {signatures:#?}"));
    }
}

fn hashes(fault: &Fault) -> BTreeSet<&str> {
    fault.read.iter().map(|triage| triage.signature.hash.as_str()).collect()
}

fn faults(project: &str) -> Vec<Fault> {
    let folder = logs().join(project);
    let expected: Expected =
        toml::from_str(&text(&folder.join("expected.toml"))).expect("expected.toml is well-formed");
    let read = |cause: Cause| {
        let recorded = RECORDINGS.iter().map(|recording| {
            let log = text(&folder.join(format!("{}-{recording}.log", cause.id)));
            triage(&RedCheck { name: "ci", conclusion: "failure", log: &log })
        });
        Fault { name: format!("{project}/{}", cause.id), read: recorded.collect(), cause }
    };
    expected.cause.into_iter().map(read).collect()
}

/// Projects of one half, such as `cargo/cart`.
fn projects(half: Half) -> Vec<String> {
    let held_out = text(&logs().join("held-out.txt"));
    let held_out: BTreeSet<&str> = held_out.lines().collect();
    let mut found = Vec::new();
    for tool in folders(&logs()) {
        for project in folders(&logs().join(&tool)) {
            let name = format!("{tool}/{project}");
            let is_project = logs().join(&name).join("expected.toml").is_file();
            let is_held_out = held_out.contains(name.as_str());
            if is_project && is_held_out == (half == Half::HeldOut) {
                found.push(name);
            }
        }
    }
    found
}

fn folders(path: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(path).expect("a folder of the corpus can be read");
    let folders = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs")
}
