//! A store that was restored from an old copy: later work is on the forge, and is neither repeated nor announced again.

use crate::hand_forge::QUEUED;
use crate::harness::{Harness, key};
use ralph_core::fact::{Fact, Outcome, What};
use ralph_core::hidden_marker::{self, MarkerKind};
use ralph_core::ids::Sha;
use ralph_core::issue::Phase;
use ralph_core::policy::Instance;
use ralph_core::pull::{CheckState, PullState};
use ralph_core::repo::Mark;
use ralph_core::time::Span;
use ralph_core::words;
use ralph_engine::ports::FoundMark;
use ralph_engine::store::Store;
use std::path::PathBuf;

/// A harness whose Ralph leaves marks, with issue 7 claimed, and a copy of its store from that time.
fn copied() -> (Harness, PathBuf) {
    let mut harness = Harness::new();
    restarts(&mut harness, "start-1");
    harness.reads();
    harness.works_off();
    harness.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
    harness.forge.labels(&key(7), QUEUED);
    harness.later(Span::from_secs(30));
    let is_running = |harness: &Harness| {
        let managed = harness.world().issue(&key(7)).and_then(|issue| issue.managed.as_deref());
        managed.is_some_and(|managed| matches!(managed.phase, Phase::Running { .. }))
    };
    harness.rounds_until(is_running);
    harness.dies();
    let copy = harness.path().with_extension("copy");
    std::fs::copy(harness.path(), &copy).unwrap();
    restarts(&mut harness, "start-2");
    (harness, copy)
}

/// Ralph starts again.
fn restarts(harness: &mut Harness, start: &str) {
    harness.dies();
    harness.policy.instance = Some(Instance {
        store: "the-store".to_owned(),
        start: start.to_owned(),
        name: "workshop".to_owned(),
        was_away: false,
        is_behind: false,
    });
    harness.opens();
}

/// Restores the copy with the other files of its home, so that nothing there records later writes.
fn restores(harness: &mut Harness, copy: &PathBuf) {
    harness.dies();
    std::fs::copy(copy, harness.path()).unwrap();
    std::fs::remove_file(harness.path().with_extension("lock")).unwrap();
    restarts(harness, "start-3");
}

/// A copy of the current store, made while Ralph works.
fn copies(harness: &Harness) -> PathBuf {
    let copy = harness.path().with_extension("copy");
    let store = rusqlite::Connection::open(harness.path()).unwrap();
    store.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    copy
}

/// The way in which a copy replaces the store that it was made of.
#[derive(Debug, Clone, Copy)]
enum Restored {
    /// The file alone, at once.
    Alone,
    /// With the whole home, after a while.
    WithItsHome,
}

/// Restores a copy of the start that just ended, so that the number of its mark is the last one.
fn restores_within_a_start(harness: &mut Harness, copy: &PathBuf, how: Restored) {
    harness.dies();
    std::fs::copy(copy, harness.path()).unwrap();
    if let Restored::WithItsHome = how {
        std::fs::remove_file(harness.path().with_extension("lock")).unwrap();
    }
    if let Some(instance) = &mut harness.policy.instance {
        instance.start = "start-2".to_owned();
        instance.was_away = matches!(how, Restored::WithItsHome);
    }
    harness.opens();
}

/// Number of comments on the issue that call a person.
fn told(harness: &Harness) -> usize {
    let markers = harness.forge.comments.iter().filter_map(|(_, it)| hidden_marker::find(&it.body));
    markers.filter(|marker| marker.kind == MarkerKind::Escalation).count()
}

/// Half a minute in which every process fails.
fn fails(harness: &mut Harness) {
    harness.reads();
    harness.works_off();
    if let Some((issue, attempt, _)) = harness.work.end_one() {
        let outcome = Outcome::Failed { reason: "no space left".to_owned() };
        harness.observes(vec![Fact::of(issue, What::Finished { attempt, outcome })]);
    }
    harness.works_off();
    harness.later(Span::from_secs(30));
}

#[test]
fn an_escalation_is_told_once_although_the_store_has_forgotten_it() {
    let (mut harness, copy) = copied();
    for _ in 0..30 {
        fails(&mut harness);
    }
    assert!(
        matches!(harness.managed(7).phase, Phase::Escalated { .. }),
        "{:?}",
        harness.managed(7).phase
    );
    assert_eq!(told(&harness), 1);
    restores(&mut harness, &copy);
    for _ in 0..30 {
        fails(&mut harness);
    }
    assert_eq!(told(&harness), 1, "{:?}", harness.forge.asked);
    assert!(
        matches!(harness.managed(7).phase, Phase::Escalated { .. }),
        "{:?}",
        harness.managed(7).phase
    );
}

#[test]
fn an_escalation_is_told_once_although_the_copy_is_of_the_same_start() {
    for how in [Restored::Alone, Restored::WithItsHome] {
        let mut harness = Harness::new();
        restarts(&mut harness, "start-1");
        harness.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
        harness.forge.labels(&key(7), QUEUED);
        harness.rounds_until(|harness| !harness.work.asked().is_empty());
        let copy = copies(&harness);
        for _ in 0..30 {
            fails(&mut harness);
        }
        assert_eq!(told(&harness), 1, "{how:?}");
        restores_within_a_start(&mut harness, &copy, how);
        for _ in 0..30 {
            fails(&mut harness);
        }
        assert_eq!(told(&harness), 1, "{how:?}: {:?}", harness.forge.asked);
        let phase = &harness.managed(7).phase;
        assert!(matches!(phase, Phase::Escalated { .. }), "{how:?}: {phase:?}");
    }
}

#[test]
fn a_pull_request_that_was_merged_meanwhile_is_seen() {
    let (mut harness, copy) = copied();
    harness.forge.ci = Some(CheckState::Pass);
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
    harness.round();
    let merged = harness.forge.pulls.values().find_map(|pull| match &pull.state {
        PullState::Merged { commit } => Some(commit.clone()),
        PullState::Open | PullState::Closed => None,
    });
    harness.forge.holds.insert((Sha::new("bot-1"), merged.unwrap()));
    let pulls = harness.forge.pulls.len();
    restores(&mut harness, &copy);
    let is_in_bot = |harness: &Harness| {
        let managed = harness.issue(7).managed.as_deref();
        managed.is_some_and(|managed| matches!(managed.phase, Phase::InBot { .. }))
    };
    harness.rounds_until(is_in_bot);
    assert_eq!(
        (harness.forge.pulls.len(), told(&harness)),
        (pulls, 0),
        "{:?}",
        harness.forge.asked
    );
}

#[test]
fn a_second_desk_on_the_same_forge_writes_nothing() {
    let (mut harness, _copy) = copied();
    harness.round();
    let mut second = Harness::new();
    second.forge = std::mem::take(&mut harness.forge);
    second.dies();
    second.policy.instance = Some(Instance {
        store: "another-store".to_owned(),
        start: "its start".to_owned(),
        name: "laptop".to_owned(),
        was_away: false,
        is_behind: false,
    });
    second.now = harness.now;
    second.opens();
    let asked = second.forge.asked.len();
    for _ in 0..20 {
        second.round();
    }
    assert_eq!(second.forge.asked.len(), asked, "{:?}", second.forge.asked);
    assert!(second.keys().is_empty());
    let says = second.reader().status().unwrap().repos;
    assert!(
        says.iter().any(|repo| repo.says.contains("another Ralph works here: workshop")),
        "{says:?}"
    );
}

/// Issue 7 is queued, and everything is going to succeed.
fn begun() -> Harness {
    let mut harness = Harness::new();
    harness.forge.ci = Some(CheckState::Pass);
    harness.forge.holds.insert((Sha::new("bot-1"), Sha::new("merge-50")));
    restarts(&mut harness, "start-1");
    harness.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
    harness.forge.labels(&key(7), QUEUED);
    harness
}

/// Runs issue 7 for this many rounds, then puts back a copy of the store from an earlier round.
fn finished_run(copied_at: usize, restored_at: usize) -> Harness {
    let mut harness = begun();
    let copy = harness.path().with_extension("copy");
    for round in 0..restored_at {
        if round == copied_at {
            harness.dies();
            std::fs::copy(harness.path(), &copy).unwrap();
            restarts(&mut harness, "start-2");
        }
        harness.round();
    }
    restores(&mut harness, &copy);
    harness
}

/// Markers of Ralph's comments, each as often as it was written.
fn markers(harness: &Harness) -> Vec<String> {
    let markers = harness.forge.comments.iter().filter_map(|(_, it)| hidden_marker::find(&it.body));
    let mut markers: Vec<_> = markers.map(|marker| format!("{marker:?}")).collect();
    markers.sort();
    markers
}

/// A few more rounds than an issue takes from its first label to the bot branch.
const ROUNDS: usize = 16;

/// Pairs of the rounds in which a copy is made and put back.
fn pairs() -> impl Iterator<Item = (usize, usize)> {
    (0..ROUNDS).flat_map(|restored| (0..restored).map(move |copied| (copied, restored)))
}

/// Continues to the bot branch, where nothing exists twice and no person was called.
fn ends_well(mut harness: Harness, case: &str) {
    let is_in_bot = |harness: &Harness| {
        let issue = harness.world().issue(&key(7));
        let managed = issue.and_then(|issue| issue.managed.as_deref());
        managed.is_some_and(|managed| matches!(managed.phase, Phase::InBot { .. }))
    };
    harness.rounds_until(is_in_bot);
    for _ in 0..4 {
        harness.round();
    }
    assert!(is_in_bot(&harness), "{case}: {:?}", harness.managed(7).phase);
    let mut once = markers(&harness);
    once.dedup();
    assert_eq!(markers(&harness), once, "{case}");
    assert_eq!(told(&harness), 0, "{case}");
    let tasks = harness.forge.pulls.values().filter(|pull| pull.base.as_str() != "main");
    assert_eq!(tasks.count(), 1, "{case}: {:?}", harness.forge.asked);
}

#[test]
fn whenever_it_was_copied_and_restored_nothing_is_made_twice_and_no_person_is_called() {
    for (copied_at, restored_at) in pairs() {
        let case = format!("copied at {copied_at}, restored at {restored_at}");
        ends_well(finished_run(copied_at, restored_at), &case);
    }
}

#[test]
fn a_copy_of_the_same_start_is_an_old_one_too() {
    let ways = [Restored::Alone, Restored::WithItsHome].into_iter().cycle();
    for ((copied_at, restored_at), how) in pairs().zip(ways) {
        let mut harness = begun();
        (0..copied_at).for_each(|_| harness.round());
        let copy = copies(&harness);
        (copied_at..restored_at).for_each(|_| harness.round());
        restores_within_a_start(&mut harness, &copy, how);
        let case = format!("copied at {copied_at}, restored at {restored_at}, {how:?}");
        ends_well(harness, &case);
    }
}

/// Everything that was written to the forge or pushed, except marks.
fn done(harness: &Harness) -> Vec<String> {
    let (written, begun) = (harness.forge.asked.clone(), harness.work.asked());
    let is_act =
        |what: &String| !["mark ", "end ", "start "].iter().any(|other| what.starts_with(other));
    written.into_iter().chain(begun).filter(is_act).collect()
}

#[test]
fn a_holder_that_slept_through_a_take_over_looks_before_it_writes() {
    let (mut harness, _copy) = copied();
    let writes = |harness: &Harness| harness.keys().iter().any(|key| !key.contains(":start:"));
    for _ in 0..30 {
        harness.reads();
        harness.works_off();
        harness.ends_work();
        if writes(&harness) {
            break;
        }
        harness.later(Span::from_secs(30));
    }
    assert!(writes(&harness), "something waits to be written: {:?}", harness.keys());

    harness.later(Span::from_mins(8 * 60));
    let theirs = Mark {
        store: "another-store".to_owned(),
        start: "its start".to_owned(),
        name: "laptop".to_owned(),
        number: 1,
        since: harness.now,
        renewed: harness.now,
        sees_within: Span::from_secs(120),
    };
    let (commit, message) = (Sha::new("their-mark"), words::mark(&theirs));
    harness.forge.marks.insert(key(7).repo, FoundMark { commit, message });
    let before = done(&harness);
    harness.works_off();
    assert_eq!(done(&harness), before);
    for _ in 0..5 {
        harness.round();
    }
    assert_eq!(done(&harness), before);
    let says = harness.reader().status().unwrap().repos;
    assert!(says.iter().any(|repo| repo.says.contains("laptop")), "{says:?}");
}

/// SQLite silently drops whatever follows a damaged part of its log.
#[test]
fn a_store_that_lost_its_tail_or_was_put_back_says_that_it_is_behind() {
    let mut harness = begun();
    (0..3).for_each(|_| harness.round());
    let copy = copies(&harness);
    harness.round();
    let path = harness.path();
    let other = path.with_extension("elsewhere").join("state.db");
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    let log = |path: &PathBuf| PathBuf::from(format!("{}-wal", path.display()));
    for (from, to) in [(path.clone(), other.clone()), (log(&path), log(&other))] {
        std::fs::copy(from, to).unwrap();
    }
    std::fs::copy(path.with_extension("lock"), other.with_extension("lock")).unwrap();
    assert!(!Store::open(&other).unwrap().is_behind(), "killed, and whole");

    harness.dies();
    assert!(!Store::open(&path).unwrap().is_behind(), "closed, and whole");
    std::fs::copy(&copy, &path).unwrap();
    assert!(Store::open(&path).unwrap().is_behind(), "put back");
    std::fs::remove_file(path.with_extension("lock")).unwrap();
    assert!(!Store::open(&path).unwrap().is_behind(), "nothing says so");
}
