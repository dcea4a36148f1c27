//! A store that was restored from an old copy: later work is on the forge, and is neither repeated nor announced again.

use crate::desk::{Desk, key};
use crate::hand_forge::QUEUED;
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

/// A desk whose Ralph leaves marks, with issue 7 claimed, and a copy of its store from that time.
fn copied() -> (Desk, PathBuf) {
    let mut desk = Desk::new();
    restarts(&mut desk, "start-1");
    desk.reads();
    desk.works_off();
    desk.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
    desk.forge.labels(&key(7), QUEUED);
    desk.later(Span::from_secs(30));
    let is_running = |desk: &Desk| {
        let managed = desk.world().issue(&key(7)).and_then(|issue| issue.managed.as_deref());
        managed.is_some_and(|managed| matches!(managed.phase, Phase::Running { .. }))
    };
    desk.rounds_until(is_running);
    desk.dies();
    let copy = desk.path().with_extension("copy");
    std::fs::copy(desk.path(), &copy).unwrap();
    restarts(&mut desk, "start-2");
    (desk, copy)
}

/// Ralph starts again.
fn restarts(desk: &mut Desk, start: &str) {
    desk.dies();
    desk.policy.instance = Some(Instance {
        store: "the-store".to_owned(),
        start: start.to_owned(),
        name: "workshop".to_owned(),
        was_away: false,
        is_behind: false,
    });
    desk.opens();
}

/// Restores the copy with the other files of its home, so that nothing there records later writes.
fn restores(desk: &mut Desk, copy: &PathBuf) {
    desk.dies();
    std::fs::copy(copy, desk.path()).unwrap();
    std::fs::remove_file(desk.path().with_extension("lock")).unwrap();
    restarts(desk, "start-3");
}

/// A copy of the current store, made while Ralph works.
fn copies(desk: &Desk) -> PathBuf {
    let copy = desk.path().with_extension("copy");
    let store = rusqlite::Connection::open(desk.path()).unwrap();
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
fn restores_within_a_start(desk: &mut Desk, copy: &PathBuf, how: Restored) {
    desk.dies();
    std::fs::copy(copy, desk.path()).unwrap();
    if let Restored::WithItsHome = how {
        std::fs::remove_file(desk.path().with_extension("lock")).unwrap();
    }
    if let Some(instance) = &mut desk.policy.instance {
        instance.start = "start-2".to_owned();
        instance.was_away = matches!(how, Restored::WithItsHome);
    }
    desk.opens();
}

/// Number of comments on the issue that call a person.
fn told(desk: &Desk) -> usize {
    let markers = desk.forge.comments.iter().filter_map(|(_, it)| hidden_marker::find(&it.body));
    markers.filter(|marker| marker.kind == MarkerKind::Escalation).count()
}

/// Half a minute in which every process fails.
fn fails(desk: &mut Desk) {
    desk.reads();
    desk.works_off();
    if let Some((issue, attempt, _)) = desk.work.end_one() {
        let outcome = Outcome::Failed { reason: "no space left".to_owned() };
        desk.observes(vec![Fact::of(issue, What::Finished { attempt, outcome })]);
    }
    desk.works_off();
    desk.later(Span::from_secs(30));
}

#[test]
fn an_escalation_is_told_once_although_the_store_has_forgotten_it() {
    let (mut desk, copy) = copied();
    for _ in 0..30 {
        fails(&mut desk);
    }
    assert!(
        matches!(desk.managed(7).phase, Phase::Escalated { .. }),
        "{:?}",
        desk.managed(7).phase
    );
    assert_eq!(told(&desk), 1);
    restores(&mut desk, &copy);
    for _ in 0..30 {
        fails(&mut desk);
    }
    assert_eq!(told(&desk), 1, "{:?}", desk.forge.asked);
    assert!(
        matches!(desk.managed(7).phase, Phase::Escalated { .. }),
        "{:?}",
        desk.managed(7).phase
    );
}

#[test]
fn an_escalation_is_told_once_although_the_copy_is_of_the_same_start() {
    for how in [Restored::Alone, Restored::WithItsHome] {
        let mut desk = Desk::new();
        restarts(&mut desk, "start-1");
        desk.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
        desk.forge.labels(&key(7), QUEUED);
        desk.rounds_until(|desk| !desk.work.asked().is_empty());
        let copy = copies(&desk);
        for _ in 0..30 {
            fails(&mut desk);
        }
        assert_eq!(told(&desk), 1, "{how:?}");
        restores_within_a_start(&mut desk, &copy, how);
        for _ in 0..30 {
            fails(&mut desk);
        }
        assert_eq!(told(&desk), 1, "{how:?}: {:?}", desk.forge.asked);
        let phase = &desk.managed(7).phase;
        assert!(matches!(phase, Phase::Escalated { .. }), "{how:?}: {phase:?}");
    }
}

#[test]
fn a_pull_request_that_was_merged_meanwhile_is_seen() {
    let (mut desk, copy) = copied();
    desk.forge.ci = Some(CheckState::Pass);
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::InBot { .. }));
    desk.round();
    let merged = desk.forge.pulls.values().find_map(|pull| match &pull.state {
        PullState::Merged { commit } => Some(commit.clone()),
        PullState::Open | PullState::Closed => None,
    });
    desk.forge.holds.insert((Sha::new("bot-1"), merged.unwrap()));
    let pulls = desk.forge.pulls.len();
    restores(&mut desk, &copy);
    let is_in_bot = |desk: &Desk| {
        let managed = desk.issue(7).managed.as_deref();
        managed.is_some_and(|managed| matches!(managed.phase, Phase::InBot { .. }))
    };
    desk.rounds_until(is_in_bot);
    assert_eq!((desk.forge.pulls.len(), told(&desk)), (pulls, 0), "{:?}", desk.forge.asked);
}

#[test]
fn a_second_desk_on_the_same_forge_writes_nothing() {
    let (mut desk, _copy) = copied();
    desk.round();
    let mut second = Desk::new();
    second.forge = std::mem::take(&mut desk.forge);
    second.dies();
    second.policy.instance = Some(Instance {
        store: "another-store".to_owned(),
        start: "its start".to_owned(),
        name: "laptop".to_owned(),
        was_away: false,
        is_behind: false,
    });
    second.now = desk.now;
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
fn begun() -> Desk {
    let mut desk = Desk::new();
    desk.forge.ci = Some(CheckState::Pass);
    desk.forge.holds.insert((Sha::new("bot-1"), Sha::new("merge-50")));
    restarts(&mut desk, "start-1");
    desk.forge.opens(&key(7), "Add a flag", "The tool needs a flag.");
    desk.forge.labels(&key(7), QUEUED);
    desk
}

/// Runs issue 7 for this many rounds, then puts back a copy of the store from an earlier round.
fn lived(copied_at: usize, restored_at: usize) -> Desk {
    let mut desk = begun();
    let copy = desk.path().with_extension("copy");
    for round in 0..restored_at {
        if round == copied_at {
            desk.dies();
            std::fs::copy(desk.path(), &copy).unwrap();
            restarts(&mut desk, "start-2");
        }
        desk.round();
    }
    restores(&mut desk, &copy);
    desk
}

/// Markers of Ralph's comments, each as often as it was written.
fn markers(desk: &Desk) -> Vec<String> {
    let markers = desk.forge.comments.iter().filter_map(|(_, it)| hidden_marker::find(&it.body));
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
fn ends_well(mut desk: Desk, case: &str) {
    let is_in_bot = |desk: &Desk| {
        let issue = desk.world().issue(&key(7));
        let managed = issue.and_then(|issue| issue.managed.as_deref());
        managed.is_some_and(|managed| matches!(managed.phase, Phase::InBot { .. }))
    };
    desk.rounds_until(is_in_bot);
    for _ in 0..4 {
        desk.round();
    }
    assert!(is_in_bot(&desk), "{case}: {:?}", desk.managed(7).phase);
    let mut once = markers(&desk);
    once.dedup();
    assert_eq!(markers(&desk), once, "{case}");
    assert_eq!(told(&desk), 0, "{case}");
    let tasks = desk.forge.pulls.values().filter(|pull| pull.base.as_str() != "main");
    assert_eq!(tasks.count(), 1, "{case}: {:?}", desk.forge.asked);
}

#[test]
fn whenever_it_was_copied_and_restored_nothing_is_made_twice_and_no_person_is_called() {
    for (copied_at, restored_at) in pairs() {
        let case = format!("copied at {copied_at}, restored at {restored_at}");
        ends_well(lived(copied_at, restored_at), &case);
    }
}

#[test]
fn a_copy_of_the_same_start_is_an_old_one_too() {
    let ways = [Restored::Alone, Restored::WithItsHome].into_iter().cycle();
    for ((copied_at, restored_at), how) in pairs().zip(ways) {
        let mut desk = begun();
        (0..copied_at).for_each(|_| desk.round());
        let copy = copies(&desk);
        (copied_at..restored_at).for_each(|_| desk.round());
        restores_within_a_start(&mut desk, &copy, how);
        let case = format!("copied at {copied_at}, restored at {restored_at}, {how:?}");
        ends_well(desk, &case);
    }
}

/// Everything that was written to the forge or pushed, except marks.
fn done(desk: &Desk) -> Vec<String> {
    let (written, begun) = (desk.forge.asked.clone(), desk.work.asked());
    let is_act =
        |what: &String| !["mark ", "end ", "start "].iter().any(|other| what.starts_with(other));
    written.into_iter().chain(begun).filter(is_act).collect()
}

#[test]
fn a_holder_that_slept_through_a_take_over_looks_before_it_writes() {
    let (mut desk, _copy) = copied();
    let writes = |desk: &Desk| desk.keys().iter().any(|key| !key.contains(":start:"));
    for _ in 0..30 {
        desk.reads();
        desk.works_off();
        desk.ends_work();
        if writes(&desk) {
            break;
        }
        desk.later(Span::from_secs(30));
    }
    assert!(writes(&desk), "something waits to be written: {:?}", desk.keys());

    desk.later(Span::from_mins(8 * 60));
    let theirs = Mark {
        store: "another-store".to_owned(),
        start: "its start".to_owned(),
        name: "laptop".to_owned(),
        number: 1,
        since: desk.now,
        renewed: desk.now,
        sees_within: Span::from_secs(120),
    };
    let (commit, message) = (Sha::new("their-mark"), words::mark(&theirs));
    desk.forge.marks.insert(key(7).repo, FoundMark { commit, message });
    let before = done(&desk);
    desk.works_off();
    assert_eq!(done(&desk), before);
    for _ in 0..5 {
        desk.round();
    }
    assert_eq!(done(&desk), before);
    let says = desk.reader().status().unwrap().repos;
    assert!(says.iter().any(|repo| repo.says.contains("laptop")), "{says:?}");
}

/// SQLite silently drops whatever follows a damaged part of its log.
#[test]
fn a_store_that_lost_its_tail_or_was_put_back_says_that_it_is_behind() {
    let mut desk = begun();
    (0..3).for_each(|_| desk.round());
    let copy = copies(&desk);
    desk.round();
    let path = desk.path();
    let other = path.with_extension("elsewhere").join("state.db");
    std::fs::create_dir(other.parent().unwrap()).unwrap();
    let log = |path: &PathBuf| PathBuf::from(format!("{}-wal", path.display()));
    for (from, to) in [(path.clone(), other.clone()), (log(&path), log(&other))] {
        std::fs::copy(from, to).unwrap();
    }
    std::fs::copy(path.with_extension("lock"), other.with_extension("lock")).unwrap();
    assert!(!Store::open(&other).unwrap().is_behind(), "killed, and whole");

    desk.dies();
    assert!(!Store::open(&path).unwrap().is_behind(), "closed, and whole");
    std::fs::copy(&copy, &path).unwrap();
    assert!(Store::open(&path).unwrap().is_behind(), "put back");
    std::fs::remove_file(path.with_extension("lock")).unwrap();
    assert!(!Store::open(&path).unwrap().is_behind(), "nothing says so");
}
