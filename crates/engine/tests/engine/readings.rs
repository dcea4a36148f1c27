//! A thing that cannot be read affects nothing else, is shown while it lasts, and is never lost.

use crate::hand_forge::{QUEUED, STRANGER};
use crate::harness::{Harness, elsewhere, key};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::{BlockedSource, Phase};
use ralph_core::pull::CheckState;
use ralph_core::time::Span;
use ralph_core::words::resource_name;
use ralph_engine::ports::{Related, RelationCount, Skipped, Unread};

const POLL: Span = Span::from_secs(30);

fn refused() -> Unread {
    Unread::refused("403: Must have push access".to_owned())
}

fn foreign(number: u64) -> IssueKey {
    IssueKey::new(RepoName::parse("mallory/lib").unwrap(), number)
}

/// True if the issue is queued or running.
fn is_on(harness: &Harness, number: u64) -> bool {
    matches!(harness.managed(number).phase, Phase::Queued | Phase::Running { .. })
}

/// Everything that could not be read the last time, with the reason.
fn unread(harness: &mut Harness) -> Vec<(String, String)> {
    let all: Vec<_> = harness.engine().unread().collect();
    all.into_iter().map(|it| (resource_name(&it.resource), it.why)).collect()
}

#[test]
fn a_text_that_names_a_repository_of_strangers_blinds_nothing_and_asks_for_nothing_there() {
    let mut harness = Harness::new();
    let mallory = (foreign(1).repo, Login::new(STRANGER), refused());
    harness.forge.rights_unread.push(mallory);
    harness.forge.person_opens(STRANGER, &key(3), "Hello", "## Blocks\n- mallory/lib#1\n");
    harness.forge.opens(&key(7), "Work", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    assert!(harness.world().issue(&key(3)).is_some(), "the stranger's issue itself is known");
    assert!(is_on(&harness, 7));
    assert_eq!(unread(&mut harness), []);
    let asked = harness.forge.rights_asked;
    harness.later(POLL);
    harness.reads();
    harness.forge.opens(&key(8), "More work", "");
    harness.later(POLL);
    harness.reads();
    assert!(harness.world().issue(&key(8)).is_some(), "what comes later is seen too");
    assert_eq!(harness.forge.rights_asked, asked);
}

#[test]
fn rights_that_are_refused_are_no_rights_and_the_rest_of_the_list_counts() {
    let mut harness = Harness::new();
    harness.forge.rights_unread.push((key(1).repo, Login::new("alice"), refused()));
    harness.forge.opens(&key(3), "First", "## Blocks\n- #7\n");
    harness.forge.person_opens("bob", &key(7), "Second", "");
    harness.forge.person_labels("bob", &key(7), QUEUED, true);
    harness.reads();
    assert_eq!(harness.managed(7).blocked, None);
    let told = ("issues of acme/widgets".to_owned(), refused().why);
    assert_eq!(unread(&mut harness), [told]);
    let first = harness.engine().unread().next().unwrap();
    assert_eq!((first.since, first.next_try), (harness.now, harness.now.plus(POLL)));
    harness.forge.rights_unread.clear();
    harness.later(POLL);
    harness.reads();
    assert_eq!(unread(&mut harness), [], "told for as long as it lasts");
}

#[test]
fn rights_that_get_no_answer_leave_what_was_known_and_are_asked_for_until_they_do() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(3), "First", "## Blocks\n- #7\n");
    harness.forge.opens(&key(7), "Second", "");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    assert_eq!(harness.managed(7).blocked.as_ref().unwrap().by, [key(3)]);
    let busy = Unread::failed("502".to_owned());
    harness.forge.rights_unread.push((key(1).repo, Login::new("alice"), busy));
    harness.later(Span::from_mins(20));
    harness.forge.rewrites(&key(3), &[], true, "## Blocks\n- #7\n- #8\n");
    harness.forge.opens(&key(8), "Third", "");
    harness.forge.person_labels("bob", &key(8), QUEUED, true);
    harness.later(POLL);
    harness.reads();
    assert_eq!(harness.managed(7).blocked.as_ref().unwrap().by, [key(3)], "the last answer stays");
    harness.later(Span::from_mins(20));
    harness.forge.opens(&key(9), "Moves the cursor on", "");
    harness.reads();
    assert_eq!(unread(&mut harness).len(), 1);
    harness.forge.rights_unread.clear();
    harness.later(POLL);
    harness.reads();
    let blocks: Vec<_> = harness.issue(3).seen.as_ref().unwrap().blocks.clone();
    assert_eq!(blocks.len(), 2, "the cursor has waited for what could not be read");
}

#[test]
fn an_entry_that_makes_no_sense_is_told_and_the_cursor_waits_for_it() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(3), "First", "");
    harness.reads();
    let why = "an entry makes no sense".to_owned();
    let bad_since = harness.now.plus(Span::from_secs(10));
    for updated in [None, Some(bad_since)] {
        harness.later(Span::from_mins(10));
        harness.forge.opens(&key(4), "Second", "");
        harness.forge.senseless.push(Skipped { why: why.clone(), updated });
        harness.later(POLL);
        harness.reads();
        assert!(harness.world().issue(&key(4)).is_some());
        assert!(unread(&mut harness).iter().any(|(_, said)| *said == why));
        let repo = &key(1).repo;
        let cursor = harness.engine().store().unwrap().cursor(repo).unwrap().unwrap();
        assert!(cursor < bad_since, "what is behind the cursor is never seen again");
    }
}

#[test]
fn a_command_by_somebody_whose_rights_cannot_be_read_holds_up_no_other() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Work", "");
    harness.forge.rights_unread.push((key(1).repo, Login::new("eve"), refused()));
    harness.forge.person_labels("eve", &key(7), "ralph:cmd:satisfy", true);
    harness.forge.labels(&key(7), "ralph:cmd:queue");
    harness.reads();
    assert!(is_on(&harness, 7));
    assert!(!harness.issue(7).satisfied);
    let told = ("label events of acme/widgets#7".to_owned(), refused().why);
    assert!(unread(&mut harness).contains(&told));
    harness.forge.rights_unread.clear();
    harness.later(Span::from_mins(10));
    harness.reads();
    assert!(harness.issue(7).satisfied, "it is asked about again");
}

#[test]
fn an_event_that_shows_late_with_a_smaller_id_is_heard_and_the_last_command_decides() {
    for (early, is_overtaken) in [("ralph:cmd:satisfy", false), ("ralph:cmd:stop", true)] {
        let mut harness = Harness::new();
        harness.forge.opens(&key(7), "Work", "");
        harness.forge.labels(&key(7), early);
        harness.forge.events_hidden.insert(1);
        harness.later(Span::from_secs(5));
        harness.forge.labels(&key(7), "ralph:cmd:queue");
        harness.reads();
        assert!(is_on(&harness, 7));
        harness.forge.events_hidden.clear();
        harness.later(POLL);
        harness.hears_of(&key(7));
        assert!(harness.managed(7).commands.pending.is_empty());
        let last = harness.managed(7).commands.last.clone().unwrap();
        assert_eq!(last.command.label(), early, "the late one was answered");
        assert_eq!(last.refused.is_some(), is_overtaken, "{last:?}");
        assert_eq!(harness.issue(7).satisfied, !is_overtaken);
        assert!(is_on(&harness, 7));
    }
}

#[test]
fn a_command_that_was_taken_back_stays_so_when_a_replica_shows_it_alone() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Work", "");
    harness.forge.labels(&key(7), "ralph:cmd:satisfy");
    harness.forge.person_labels("alice", &key(7), "ralph:cmd:satisfy", false);
    harness.forge.labels(&key(7), "ralph:cmd:queue");
    harness.reads();
    assert!(is_on(&harness, 7));
    harness.forge.events_hidden.insert(2);
    harness.later(POLL);
    harness.forge.labels(&key(7), "ralph:cmd:pause");
    harness.hears_of(&key(7));
    assert!(harness.managed(7).is_paused, "the events were read again");
    assert!(!harness.issue(7).satisfied);
}

#[test]
fn native_dependencies_count_where_there_are_no_sub_issues_and_the_other_way_round() {
    for (which, first) in [("dependencies", true), ("sub-issues", false)] {
        for other in [Ok(Related::Unavailable), Err(refused())] {
            let mut harness = Harness::new();
            harness.forge.opens(&key(3), "First", "");
            harness.forge.opens(&key(7), "Second", "");
            let list = Ok(Related::List(vec![harness.forge.shown(&key(3)).clone()]));
            let is_refused = other.is_err();
            let both = if first { (list, other) } else { (other, list) };
            harness.forge.relations.insert(key(7), both);
            harness.forge.issues.get_mut(&key(7)).unwrap().relations = RelationCount::Some;
            harness.forge.labels(&key(7), QUEUED);
            harness.reads();
            let blocked = harness.managed(7).blocked.clone().unwrap();
            assert_eq!(
                (blocked.source, blocked.by),
                (BlockedSource::Deps, vec![key(3)]),
                "{which}"
            );
            assert_eq!(unread(&mut harness).is_empty(), !is_refused);
        }
    }
}

#[test]
fn what_one_issue_may_cost_in_reads_is_bounded_whatever_its_text() {
    let mut harness = Harness::new();
    let lines: String = (100..200).map(|number| format!("- #{number}\n")).collect();
    harness.forge.opens(&key(7), "Work", &format!("## Blocked by\n{lines}"));
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    let blocked = harness.managed(7).blocked.clone().unwrap();
    assert_eq!(blocked.source, BlockedSource::DepsMissing, "known at the first look");
    for _ in 0..120 {
        harness.later(POLL);
        harness.reads();
    }
    let read = harness.forge.issues_read.len();
    assert!(read <= 40, "{read} reads in an hour");
    assert_eq!(harness.managed(7).phase, Phase::Queued);
}

#[test]
fn a_blocker_in_a_repository_that_may_not_be_read_is_a_finding_for_a_person() {
    let mut harness = Harness::new();
    harness.forge.issues_unread.insert(foreign(1), refused());
    harness.forge.opens(&key(7), "Work", "## Blocked by\n- mallory/lib#1\n");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    let blocked = harness.managed(7).blocked.clone().unwrap();
    assert_eq!((blocked.source, blocked.by), (BlockedSource::DepsMissing, vec![foreign(1)]));
}

#[test]
fn a_blocker_that_appears_under_its_number_is_seen() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Work", "## Blocked by\n- acme/gears#4\n- #5\n");
    harness.forge.labels(&key(7), QUEUED);
    harness.reads();
    assert_eq!(harness.managed(7).blocked.as_ref().unwrap().source, BlockedSource::DepsMissing);
    harness.forge.opens(&key(5), "Here", "");
    harness.forge.opens(&elsewhere(4), "There", "");
    harness.later(POLL);
    harness.reads();
    let blocked = harness.managed(7).blocked.clone().unwrap();
    assert_eq!(blocked.source, BlockedSource::Deps, "lists of changes tell of it at once");
}

#[test]
fn a_closing_whose_cause_gets_no_answer_is_held_back_shown_and_read_again() {
    let mut harness = crate::whole_run::begun();
    harness.forge.closers_unread = Some(Unread::failed("502".to_owned()));
    harness.later(POLL);
    harness.forge.closes(&key(7));
    let closed_at = harness.now;
    harness.forge.opens(&key(9), "Moves the cursor on", "");
    harness.later(POLL);
    harness.reads();
    assert!(is_on(&harness, 7), "{:?}", harness.managed(7).phase);
    assert!(harness.world().issue(&key(9)).is_some(), "the rest of the list counts");
    let told = ("issues of acme/widgets".to_owned(), "502".to_owned());
    assert!(unread(&mut harness).contains(&told), "{:?}", unread(&mut harness));
    let cursor = harness.engine().store().unwrap().cursor(&key(7).repo).unwrap();
    assert!(cursor.is_none_or(|cursor| cursor < closed_at), "it comes again");
    harness.forge.closers_unread = None;
    harness.later(POLL);
    harness.reads();
    assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }), "a person closed it");
}

#[test]
fn a_closing_whose_cause_the_forge_refuses_to_tell_is_a_persons() {
    let mut harness = crate::whole_run::begun();
    harness.forge.closers_unread = Some(refused());
    harness.later(POLL);
    harness.forge.closes(&key(7));
    harness.later(POLL);
    harness.reads();
    assert!(matches!(harness.managed(7).phase, Phase::Stopped { .. }));
    assert!(unread(&mut harness).iter().any(|(_, why)| *why == refused().why));
}

#[test]
fn nothing_is_merged_while_it_is_not_known_whether_a_person_has_closed_the_issue() {
    let mut harness = crate::whole_run::waiting_for_checks();
    harness.forge.closers_unread = Some(Unread::failed("502".to_owned()));
    harness.forge.closes(&key(7));
    harness.forge.ci = Some(CheckState::Pass);
    for _ in 0..20 {
        harness.later(POLL);
        harness.round();
    }
    assert!(
        matches!(harness.managed(7).phase, Phase::Running { .. }),
        "{:?}",
        harness.managed(7).phase
    );
    harness.forge.closers_unread = None;
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::Stopped { .. }));
}
