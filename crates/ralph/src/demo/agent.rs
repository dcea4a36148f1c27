//! The scripted agent: a program like any other to Ralph, run through the ordinary command adapter. It knows
//! the answers beforehand, and says so.

use super::story::{Edit, Sample, sample};
use crate::environment::Turn;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

/// Longest prompt that is read.
const PROMPT_BYTES_MAX: u64 = 4 << 20;

/// The time that it seems to think, so that a person can follow.
const THINKS_MS: u64 = 250;

/// Takes one turn in the folder it was started in.
pub(crate) fn main(turn: &Turn) -> ExitCode {
    match take(turn) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error is the agent's log; Ralph keeps it.
            drop(writeln!(io::stderr(), "the scripted agent cannot go on: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn take(turn: &Turn) -> io::Result<()> {
    let mut prompt = String::new();
    io::stdin().lock().take(PROMPT_BYTES_MAX).read_to_string(&mut prompt)?;
    let unknown = || io::Error::other("this issue is not one of the demo's");
    let sample = title_in(&prompt).and_then(sample).ok_or_else(unknown)?;
    say(&format!("(scripted) {} for \"{}\"", turn.role, sample.title))?;
    let thinks = if turn.role == "implement" { sample.thinks_ms } else { THINKS_MS };
    thread::park_timeout(Duration::from_millis(thinks));
    match turn.role.as_str() {
        "plan" => say(&plan(sample)),
        "plan_review" => say("The plan does what the issue asks.\n\
             RALPH_PLAN_REVIEW: {\"status\":\"pass\",\"reason\":\"it does what the issue asks\"}"),
        "implement" => write(next_try(sample)),
        "ci_debug" | "merge_conflict" => write(sample.repair),
        "parent_verify" => say("The page is there, and nothing links to it.\n\
             RALPH_PARENT_VERIFY: {\"version\":1,\"work_remains\":true,\"reason\":\"the README does not link to \
             it yet\",\"confidence\":\"high\",\"checked\":[\"README.md\"]}"),
        "survey" => {
            say("Nothing else needs a fix.\nRALPH_SURVEY: {\"version\":1,\"proposals\":[]}")
        }
        _review => say("I read the difference.\n\
             RALPH_REVIEW: {\"status\":\"pass\",\"reason\":\"small, and it has a test where one is due\"}"),
    }
}

fn say(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

/// The prompt quotes the title first: the line after the first fence.
fn title_in(prompt: &str) -> Option<&str> {
    let mut lines = prompt.lines().skip_while(|line| !line.starts_with("```"));
    lines.next()?;
    lines.next()
}

fn plan(sample: &Sample) -> String {
    let first = sample.tries.first().into_iter().copied().flatten();
    let files: Vec<_> = first.map(|edit| format!("- write `{}`", edit.path)).collect();
    format!(
        "# Intent\n{}\n\n{}\n\n# Risk\nSmall: nothing that exists changes its meaning.\n\n\
         # Reuse\nThe layout of the project as it is.\n\n\
         {{\"decision\":\"proceed\",\"confidence\":\"high\",\"escalation_reason\":null}}",
        sample.body,
        files.join("\n")
    )
}

/// The first try, or the second once the first is there.
fn next_try(sample: &Sample) -> &'static [Edit] {
    match sample.tries {
        [first, second, ..] if first.iter().all(|edit| Path::new(edit.path).exists()) => second,
        [first, ..] => first,
        [] => &[],
    }
}

/// Ralph commits what is left uncommitted.
fn write(edits: &[Edit]) -> io::Result<()> {
    for edit in edits {
        if let Some(folder) = Path::new(edit.path).parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(edit.path, edit.content)?;
        say(&format!("wrote {}", edit.path))?;
    }
    Ok(())
}
