//! The demo's workload, with the daemon killed at random moments. Whatever was interrupted, the forge ends up as
//! after an undisturbed run, no process survives its daemon, and no file is lost.

mod bytes;
mod dice;
mod difference;

use crate::place::{Agent, Place, Settings};
use crate::process::{self, RALPH, Running};
use crate::{Outcome, Size, clock, say, wait};
use bytes::Kept;
use dice::Dice;
use difference::{End, surplus};
use ralph_cli::demo::outcome;
use ralph_cli::demo::story::Sample;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// The first seed; the others follow.
const FIRST_SEED: u64 = 1;
const RUNS: u64 = 10;
const RUNS_WHEN_QUICK: u64 = 1;
const KILLS: u32 = 10;
/// One agent thinks for five seconds, and all kills of a run may fall into that one turn. As many interruptions
/// in a row are by default a matter for a person; here they are not what is measured.
const REPO: &str = "interruptions_max = 20\n";
/// A run that takes longer has got stuck.
const PATIENCE: Duration = Duration::from_secs(300);
/// How long a process may outlive its daemon; a guard notices at once and kills.
const GRACE: Duration = Duration::from_secs(2);
/// How often is looked whether it is time to act.
const LOOK: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
struct Tally {
    runs: u64,
    kills: u32,
    /// Kills while a worker was busy or something was on its way to the forge.
    kills_at_work: u32,
    unequal: u32,
    duplicates: usize,
    orphans: usize,
    lost: usize,
}

/// With a seed, only the run of that seed.
pub(crate) fn measure(size: Size, seed: Option<u64>) -> Outcome<Value> {
    process::adopt_orphans()?;
    say("an undisturbed run first");
    let began = clock::now();
    let (expected, place) = Story::begin()?.play(&mut Undisturbed)?;
    drop(place);
    if !expected.is_as_the_demo_expects {
        return Err(
            "the undisturbed run did not end as the demo has to; is the machine busy?".into()
        );
    }
    let usual = began.elapsed();
    say(&format!("undisturbed: {} threads on the forge, in {usual:.1?}", expected.threads()));
    let runs = if seed.is_some() { 1 } else { size.pick(RUNS, RUNS_WHEN_QUICK) };
    let first = seed.unwrap_or(FIRST_SEED);
    let mut tally = Tally::default();
    for seed in first..first + runs {
        one_run(seed, usual, &expected, &mut tally)?;
    }
    let Tally { runs, kills, kills_at_work, unequal, duplicates, orphans, lost } = tally;
    Ok(json!({
        "runs": runs, "kills": kills, "kills_at_work": kills_at_work, "unequal": unequal,
        "duplicates": duplicates, "orphans": orphans, "lost_files": lost,
    }))
}

fn one_run(seed: u64, usual: Duration, expected: &End, tally: &mut Tally) -> Outcome<()> {
    let began = clock::now();
    let mut killer = Killer::new(seed, usual);
    let (end, place) = Story::begin()?.play(&mut killer)?;
    let lost = killer.kept.lost(&place)?;
    let (unequal, twice) = (expected.differences(&end), surplus(expected, &end));
    say(&format!(
        "seed {seed}: {} kills ({} at work), {} differences, {} duplicates, {} orphans of {}, {} lost of \
         {} files, in {:.1?}",
        killer.kills,
        killer.kills_at_work,
        unequal.len(),
        twice.len(),
        killer.orphans.len(),
        killer.bereaved,
        lost.len(),
        killer.kept.count(),
        began.elapsed(),
    ));
    tally.runs += 1;
    tally.kills += killer.kills;
    tally.kills_at_work += killer.kills_at_work;
    tally.unequal += u32::from(!unequal.is_empty());
    tally.duplicates += twice.len();
    tally.orphans += killer.orphans.len();
    tally.lost += lost.len();
    let found =
        [("differs", unequal), ("twice", twice), ("orphan", killer.orphans), ("lost", lost)];
    let is_good = found.iter().all(|(_, lines)| lines.is_empty());
    for (what, lines) in found {
        lines.iter().for_each(|line| say(&format!("  {what}: {line}")));
    }
    if !is_good {
        let path = place.keep();
        say(&format!("  kept in {} (seed {seed})", path.display()));
    }
    Ok(())
}

/// What may befall a run.
trait Fate {
    /// Called again and again while a run is under way.
    fn befall(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()>;
    /// Is there more to come?
    fn is_over(&self) -> bool;
}

struct Undisturbed;

impl Fate for Undisturbed {
    fn befall(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()> {
        if daemon.has_ended()? {
            return Err(format!("the daemon ended by itself:\n{}", place.log()).into());
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        true
    }
}

/// Kills the daemon after random times and starts it again.
struct Killer {
    /// How long the daemon lives each time, the next one last.
    lives: Vec<Duration>,
    since: std::time::Instant,
    kills: u32,
    kills_at_work: u32,
    /// Processes that were still there right after a kill, which shows that they would be seen.
    bereaved: usize,
    orphans: Vec<String>,
    kept: Kept,
}

impl Killer {
    fn new(seed: u64, usual: Duration) -> Self {
        let mut dice = Dice::new(seed);
        // On average they fall within the usual length of a run.
        let lives = (0..KILLS).map(|_| dice.up_to(usual * 2 / KILLS)).collect();
        let (since, orphans, kept) = (clock::now(), Vec::new(), Kept::default());
        Self { lives, since, kills: 0, kills_at_work: 0, bereaved: 0, orphans, kept }
    }

    fn strike(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()> {
        let status = place.status();
        let is_at_work = status.is_ok_and(|status| {
            let is_busy = |status: Option<&str>| status == Some("in-progress");
            let mut issues = status.issues.iter();
            !status.outbox.is_empty() || issues.any(|issue| is_busy(issue.status.as_deref()))
        });
        daemon.kill()?;
        self.kills += 1;
        self.kills_at_work += u32::from(is_at_work);
        self.bereaved += process::descendants(&[place.forge_id()])?.len();
        let gone = wait::until("processes die with their daemon", GRACE, || {
            Ok(process::descendants(&[place.forge_id()])?.is_empty().then_some(()))
        });
        if gone.is_err() {
            self.orphans.extend(process::descendants(&[place.forge_id()])?.into_values());
        }
        self.kept.note(place)?;
        *daemon = place.start_daemon()?;
        Ok(())
    }
}

impl Fate for Killer {
    fn befall(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()> {
        let Some(life) = self.lives.last() else { return Undisturbed.befall(place, daemon) };
        if self.since.elapsed() >= *life {
            self.lives.pop();
            self.strike(place, daemon)?;
            self.since = clock::now();
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.lives.is_empty()
    }
}

/// One run of the demo's workload.
struct Story {
    daemon: Running,
    place: Place,
    issues: BTreeMap<u64, &'static Sample>,
}

impl Story {
    fn begin() -> Outcome<Self> {
        let agent = [RALPH, "demo-agent"];
        let settings = Settings { agent: Agent::Program(&agent), poll_interval: "3s", repo: REPO };
        let mut place = Place::set(&settings)?;
        let daemon = place.start_daemon()?;
        let issues = place.owner.open_issues()?;
        Ok(Self { daemon, place, issues })
    }

    /// Plays the owner until every issue has ended as it has to. Gives what the forge shows then.
    fn play(mut self, fate: &mut dyn Fate) -> Outcome<(End, Place)> {
        let (began, started) = (clock::now(), clock::time());
        let is_as_expected = loop {
            clock::pass(LOOK);
            fate.befall(&self.place, &mut self.daemon)?;
            // The store is made by the daemon's first start.
            let Ok(status) = self.place.status() else { continue };
            let now = outcome::Outcome::of(&self.issues, &status, started, clock::time());
            if now.is_over() && fate.is_over() {
                break now.is_as_expected();
            }
            if now.waits_for_rollup() && status.outbox.is_empty() {
                self.place.owner.merge_rollup()?;
            }
            if began.elapsed() > PATIENCE {
                let says =
                    now.issues.iter().map(|i| format!("#{} {}: {}", i.number, i.status, i.says));
                let says: Vec<_> = says.collect();
                let (log, path) = (self.place.log(), self.place.keep());
                return Err(format!(
                    "not at its end:\n{}\n{log}\n{}",
                    says.join("\n"),
                    path.display()
                )
                .into());
            }
        };
        self.place.settle(&mut self.daemon)?;
        self.daemon.kill()?;
        let end = End::of(&mut self.place, is_as_expected)?;
        Ok((end, self.place))
    }
}
