//! The demo's workload, four issues at once, with the daemon killed inside every step of a life in turn. Whatever was
//! interrupted, the forge ends up as after an undisturbed run, no process survives its daemon, and no file is lost.

mod bytes;
mod dice;
mod difference;
mod moments;

use crate::place::{Agent, Place, Settings};
use crate::process::{self, RALPH, Running};
use crate::{Outcome, Size, clock, say, wait};
use bytes::Kept;
use dice::Dice;
use difference::{End, surplus};
use moments::{MOMENTS, Usual, now_at};
use ralph_cli::demo::outcome;
use ralph_cli::demo::story::Sample;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The first seed; the others follow.
const FIRST_SEED: u64 = 1;
const RUNS: u64 = 30;
const RUNS_WHEN_QUICK: u64 = 1;
const KILLS: usize = 20;
/// All kills of a run may fall into one turn. As many interruptions in a row are by default a matter for a person;
/// here they are not what is measured. A setup of some length and a survey are there to be interrupted.
const REPO: &str = "interruptions_max = 40\nsetup = [\"sleep 0.2\"]\nsurvey = true\n";
/// A run that takes longer has got stuck.
const PATIENCE: Duration = Duration::from_secs(420);
/// A moment that does not come within this time is passed over: what it belongs to is over.
const MOMENT_COMES: Duration = Duration::from_secs(8);
/// The time that a process may outlive its daemon; a guard notices at once and kills.
const GRACE: Duration = Duration::from_secs(2);
/// The time between two looks for the moment to act: a workspace is made in less than a tenth of a second.
const LOOK: Duration = Duration::from_millis(4);

#[derive(Debug, Default)]
struct Tally {
    runs: u64,
    kills: u32,
    /// Kills while a worker was busy or something was on its way to the forge.
    kills_at_work: u32,
    /// By the step that an issue was in, as the store said just before.
    by_step: BTreeMap<&'static str, u32>,
    unequal: u32,
    /// Issues that are a person's at the end of a killed run and of no undisturbed one.
    escalated: usize,
    duplicates: usize,
    orphans: usize,
    lost: usize,
}

/// With a seed, only the run of that seed.
pub(crate) fn measure(size: Size, seed: Option<u64>) -> Outcome<Value> {
    process::adopt_orphans()?;
    say("an undisturbed run first");
    let began = clock::now();
    let mut watcher = Undisturbed::default();
    let (expected, place) = Story::begin()?.play(&mut watcher)?;
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
        one_run(seed, &watcher.usual, &expected, &mut tally)?;
    }
    let Tally { runs, kills, kills_at_work, by_step, unequal, .. } = tally;
    let Tally { escalated, duplicates, orphans, lost, .. } = tally;
    let untouched = MOMENTS.iter().filter(|step| !by_step.contains_key(*step)).count();
    Ok(json!({
        "runs": runs, "kills": kills, "kills_at_work": kills_at_work, "kills_by_step": by_step,
        "steps_untouched": untouched, "unequal": unequal, "escalated": escalated,
        "duplicates": duplicates, "orphans": orphans, "lost_files": lost,
    }))
}

fn one_run(seed: u64, usual: &Usual, expected: &End, tally: &mut Tally) -> Outcome<()> {
    let began = clock::now();
    let mut killer = Killer::new(seed, usual);
    let (end, place) = Story::begin()?.play(&mut killer)?;
    let lost = killer.kept.lost(&place)?;
    let (unequal, twice) = (expected.differences(&end), surplus(expected, &end));
    say(&format!(
        "seed {seed}: {} kills ({} at work: {}), {} differences, {} duplicates, {} orphans of {}, {} lost of \
         {} files, in {:.1?}",
        killer.kills,
        killer.kills_at_work,
        counted(&killer.by_step),
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
    tally.escalated += unequal.iter().filter(|line| line.contains(ESCALATED)).count();
    for (step, count) in &killer.by_step {
        *tally.by_step.entry(step).or_default() += count;
    }
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

/// The label of an issue that needs a person, as it stands in a list of differences.
const ESCALATED: &str = "added: label \"ralph:status:escalated\"";

fn counted(by_step: &BTreeMap<&'static str, u32>) -> String {
    let each: Vec<_> = by_step.iter().map(|(step, count)| format!("{count} {step}")).collect();
    each.join(", ")
}

/// The faults of a run.
trait Disturbance {
    /// Called again and again while a run is under way.
    fn disturb(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()>;
    /// Is there more to come?
    fn is_over(&self) -> bool;
}

/// Nothing does, and how long each step takes is noted.
#[derive(Debug, Default)]
struct Undisturbed {
    usual: Usual,
}

impl Disturbance for Undisturbed {
    fn disturb(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()> {
        if daemon.has_ended()? {
            return Err(format!("the daemon ended by itself:\n{}", place.log()).into());
        }
        if let Ok(status) = place.status() {
            self.usual.note(&status);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        true
    }
}

/// Kills the daemon inside one step after the other, at a moment that is drawn, and starts it again.
struct Killer {
    dice: Dice,
    /// The steps at which it still strikes; the order depends on the work under way.
    aims: Vec<&'static str>,
    usual: Usual,
    /// Since when it waits for the next step to begin.
    since: std::time::Instant,
    /// The time at which it strikes, counted from the beginning of that step.
    strikes: Option<std::time::Instant>,
    kills: u32,
    kills_at_work: u32,
    by_step: BTreeMap<&'static str, u32>,
    /// Processes that were still there right after a kill, which shows that they would be seen.
    bereaved: usize,
    orphans: Vec<String>,
    kept: Kept,
}

impl Killer {
    fn new(seed: u64, usual: &Usual) -> Self {
        let mut dice = Dice::new(seed);
        // Each run begins elsewhere in the list, so that every step is aimed at alike.
        let from = usize::try_from(seed).unwrap_or_default() * KILLS;
        let mut aims: Vec<_> =
            MOMENTS.iter().copied().cycle().skip(from % MOMENTS.len()).take(KILLS).collect();
        dice.shuffle(&mut aims);
        Self {
            dice,
            aims,
            usual: usual.clone(),
            since: clock::now(),
            strikes: None,
            kills: 0,
            kills_at_work: 0,
            by_step: BTreeMap::new(),
            bereaved: 0,
            orphans: Vec::new(),
            kept: Kept::default(),
        }
    }

    /// Draws the moment once a step that is aimed at is under way, or none has come for long.
    fn aim(&mut self, at: &BTreeSet<&'static str>) {
        let found = self.aims.iter().position(|aim| at.contains(aim));
        let is_late = self.since.elapsed() > MOMENT_COMES;
        let chosen = found.or_else(|| is_late.then_some(0)).filter(|_| !self.aims.is_empty());
        if let Some(chosen) = chosen {
            let aim = self.aims.swap_remove(chosen);
            self.strikes = Some(clock::now() + self.dice.up_to(self.usual.of(aim)));
        }
    }

    fn strike(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()> {
        let at = place.status().map(|status| now_at(&status)).unwrap_or_default();
        daemon.kill()?;
        self.kills += 1;
        self.kills_at_work += u32::from(!at.is_empty());
        for step in at {
            *self.by_step.entry(step).or_default() += 1;
        }
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

impl Disturbance for Killer {
    fn disturb(&mut self, place: &Place, daemon: &mut Running) -> Outcome<()> {
        if self.is_over() {
            return if daemon.has_ended()? { Err(place.log().into()) } else { Ok(()) };
        }
        if self.strikes.is_none() {
            self.aim(&place.status().map(|status| now_at(&status)).unwrap_or_default());
        }
        if self.strikes.is_some_and(|at| clock::now() >= at) {
            self.strike(place, daemon)?;
            (self.since, self.strikes) = (clock::now(), None);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.aims.is_empty() && self.strikes.is_none()
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
    fn play(mut self, disturbance: &mut dyn Disturbance) -> Outcome<(End, Place)> {
        let (began, started) = (clock::now(), clock::time());
        let is_as_expected = loop {
            clock::pass(LOOK);
            disturbance.disturb(&self.place, &mut self.daemon)?;
            // The store is made by the daemon's first start.
            let Ok(status) = self.place.status() else { continue };
            let now = outcome::Outcome::of(&self.issues, &status, started, clock::time());
            if now.is_over() && disturbance.is_over() {
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
