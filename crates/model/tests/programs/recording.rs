//! The recordings of what agents say, which the adapters' tests read: made once per version, and compared in shape by these tests.

use crate::case::{Case, long_line};
use crate::program::Program;
use crate::shape::shape;
use crate::stage::{Ended, Stage};
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that writes recordings instead of comparing them.
const REGENERATE: &str = "RALPH_REGENERATE";

/// The largest recording of an agent that did not end by itself, in lines: they repeat themselves.
const ENDLESS_LINES_MAX: usize = 20;

/// Plays a case, and compares what the agent said with the recording, or writes it.
pub(crate) fn plays(program: Program, name: &str) {
    let case = Case::all().into_iter().find(|case| case.name == name).expect("a case");
    let (stage, ended) = case.play(program);
    if is_regenerating() {
        keep(program, name, &stage, &ended);
    }
    let said = format!("{}{}", ended.out, ended.err);
    assert_eq!(stage.server.refusals(), Vec::<String>::new(), "{said}");
    let recorded = |kind: &str| {
        let path = folder(program).join(format!("{name}.{kind}"));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    assert_eq!(format!("{}\n", ended.code), recorded("code"), "{said}");
    if !case.is_cut_off() {
        let (mut now, mut then) = (shape(&bounded(&ended)), shape(&recorded("out")));
        if ended.was_stopped {
            // An agent that never ends repeats itself as often as the machine lets it.
            let common = now.len().min(then.len());
            now.truncate(common);
            then.truncate(common);
        }
        assert_eq!(now, then, "{said}");
    }
}

fn keep(program: Program, case: &str, stage: &Stage, ended: &Ended) {
    let folder = folder(program);
    fs::create_dir_all(&folder).unwrap();
    let write = |kind: &str, text: &str| {
        fs::write(folder.join(format!("{case}.{kind}")), text).unwrap();
    };
    write("out", &cleaned(stage, &bounded(ended)));
    write("err", &cleaned(stage, &ended.err));
    write("code", &format!("{}\n", ended.code));
}

/// The output of an agent, or its beginning if there was no end.
fn bounded(ended: &Ended) -> String {
    let lines_max = if ended.was_stopped { ENDLESS_LINES_MAX } else { usize::MAX };
    ended.out.lines().take(lines_max).map(|line| format!("{line}\n")).collect()
}

fn folder(program: Program) -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    crates.join("adapters/tests/fixtures/agents").join(program.name())
}

/// The text without the folders and ports of the machine that it was recorded on.
fn cleaned(stage: &Stage, text: &str) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("agents/node");
    let text = text
        .replace(&*stage.repo.to_string_lossy(), "/repo")
        .replace(&*stage.home.to_string_lossy(), "/home/agent")
        .replace(&*target.to_string_lossy(), "/agents")
        .replace(&stage.server.url(), "http://127.0.0.1:4000");
    text.replace(&long_line(), "0123456789")
}

#[expect(clippy::disallowed_methods, reason = "the one variable that these recordings read")]
fn is_regenerating() -> bool {
    std::env::var_os(REGENERATE).is_some()
}
