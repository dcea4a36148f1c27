//! One issue's life with an agent that commits at once, against a plain script that makes the same git and HTTP
//! calls on the same forge, in turns so that a slow moment of the machine hits both alike. Beside it, what each of
//! the agent's turns costs around the agent.

use crate::place::{Agent, Place, Settings};
use crate::process::output;
use crate::{Outcome, Size, clock, median, one_issue, say};
use ralph_cli::demo::project::PREFLIGHT;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_engine::store::Reader;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

const RUNS: u32 = 9;
const RUNS_WHEN_QUICK: u32 = 2;

const SCRIPT: &str = include_str!("plain.sh");

pub(crate) fn measure(size: Size) -> Outcome<Value> {
    // The same agent, saying when it begins and ends.
    let agent = format!("echo $EPOCHREALTIME >&2\n{}echo $EPOCHREALTIME >&2\n", one_issue::SCRIPT);
    let settings = Settings {
        agent: Agent::Script(&agent),
        poll_interval: "30s",
        repo: "rollup_batch_size = 1",
    };
    let mut place = Place::set(&settings)?;
    let mut daemon = place.start_daemon()?;
    place.settle(&mut daemon)?;
    say("a first run makes the mirror and is not counted");
    let first = one_issue::run(&mut place, &mut daemon)?;
    let mut script = Script::prepare(&place, &agent)?;
    let (mut ralph, mut plain, mut turns) =
        (Vec::new(), Vec::new(), turns_of(&place, first.number)?);
    turns.clear();
    for _ in 0..size.pick(RUNS, RUNS_WHEN_QUICK) {
        place.settle(&mut daemon)?;
        let run = one_issue::run(&mut place, &mut daemon)?;
        ralph.push(clock::ms(run.done.duration_since(run.labelled)));
        turns.extend(turns_of(&place, run.number)?);
        place.settle(&mut daemon)?;
        drop(daemon);
        plain.push(script.live(&mut place)?);
        daemon = place.start_daemon()?;
        let (last_ralph, last_plain) = (ralph.last(), plain.last());
        say(&format!("Ralph {last_ralph:.0?} ms, the script {last_plain:.0?} ms"));
    }
    let (mut before, mut after): (Vec<f64>, Vec<f64>) = turns.into_iter().unzip();
    let (before, after) = (median(&mut before), median(&mut after));
    let (ralph, plain) = (median(&mut ralph), median(&mut plain));
    let ratio = ralph.zip(plain).map(|(ralph, plain)| ralph / plain);
    Ok(json!({
        "ratio": ratio, "ralph_ms": ralph, "script_ms": plain,
        "prompt_to_start_ms": before, "exit_to_decision_ms": after,
    }))
}

/// The environment of the script.
struct Script {
    /// Its own mirror and worktrees.
    room: String,
    agent: String,
}

impl Script {
    /// Makes its mirror, as Ralph's is there too.
    fn prepare(place: &Place, agent: &str) -> Outcome<Self> {
        let room = place.path().join("script");
        fs::create_dir_all(&room)?;
        let file = room.join("agent.sh");
        fs::write(&file, agent)?;
        let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("the folder has no text");
        let mirror = text(&room.join("mirror.git"))?;
        output("git", &["init", "--quiet", "--bare", "--template=", &mirror], "")?;
        let url = format!("{}/{}.git", place.greeting.url, place.owner.repo());
        let words = ["--git-dir", &mirror, "fetch", "--quiet", &url, "+refs/heads/*:refs/heads/*"];
        output("git", &words, "")?;
        Ok(Self { room: text(&room)?, agent: text(&file)? })
    }

    /// Runs one issue; returns the time it took in milliseconds.
    fn live(&mut self, place: &mut Place) -> Outcome<f64> {
        let repo = place.owner.repo().to_owned();
        let issue = place.owner.client.open_issue(&repo, "Write a page", "One page.", &[])?;
        let variables = [
            format!("URL={}", place.greeting.url),
            format!("REPO={repo}"),
            format!("BOT={}", place.greeting.bot.login),
            format!("BOT_TOKEN={}", place.greeting.bot.token),
            format!("OWNER_TOKEN={}", place.greeting.owner.token),
            format!("ISSUE={}", issue.number),
            format!("ROOM={}", self.room),
            format!("AGENT={}", self.agent),
            format!("PREFLIGHT={PREFLIGHT}"),
            "SINCE=2020-01-01T00:00:00Z".to_owned(),
        ];
        let mut words: Vec<&str> = variables.iter().map(String::as_str).collect();
        words.extend(["bash", "-s"]);
        let began = clock::now();
        output("env", &words, SCRIPT)?;
        Ok(clock::ms(began.elapsed()))
    }
}

/// Of each turn of an issue's first run: from the prompt written to the agent begun, and from the agent ended to
/// the next decision, in milliseconds.
fn turns_of(place: &Place, number: u64) -> Outcome<Vec<(f64, f64)>> {
    let repo = RepoName::parse(place.owner.repo()).ok_or("the repository has no name")?;
    let reader = Reader::open(&place.home.store())?;
    let report = reader.explain(&IssueKey::new(repo, number))?.ok_or("the issue is not known")?;
    let run = place.home.runs().join(format!("{number}-1"));
    let mut turns = Vec::new();
    for repository in fs::read_dir(run)?.flatten() {
        for turn in fs::read_dir(repository.path())?.flatten() {
            let Ok(log) = fs::read_to_string(turn.path().join("log.txt")) else { continue };
            let prompt = fs::metadata(turn.path().join("prompt.md"))?.modified()?;
            let prompt = prompt.duration_since(UNIX_EPOCH)?.as_secs_f64();
            let mut times = log.lines().filter_map(|line| line.parse::<f64>().ok());
            let (Some(began), Some(ended)) = (times.next(), times.next_back()) else { continue };
            let name = turn.file_name().to_string_lossy().into_owned();
            let attempt = name.split('-').next().unwrap_or_default();
            let says = format!("attempt {attempt}: ");
            let decided = report.story.iter().find(|line| line.says.starts_with(&says));
            let Some(decided) = decided else { continue };
            let decided = std::time::Duration::from_millis(u64::try_from(decided.at.0)?);
            turns.push(((began - prompt) * 1_000.0, (decided.as_secs_f64() - ended) * 1_000.0));
        }
    }
    Ok(turns)
}
