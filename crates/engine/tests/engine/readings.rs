//! A thing that cannot be read affects nothing else, is shown while it lasts, and is never lost.

use crate::desk::{Desk, elsewhere, key};
use crate::hand_forge::{QUEUED, STRANGER};
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
fn is_on(desk: &Desk, number: u64) -> bool {
    matches!(desk.managed(number).phase, Phase::Queued | Phase::Running { .. })
}

/// Everything that could not be read the last time, with the reason.
fn unread(desk: &mut Desk) -> Vec<(String, String)> {
    let all: Vec<_> = desk.engine().unread().collect();
    all.into_iter().map(|it| (resource_name(&it.resource), it.why)).collect()
}

#[test]
fn a_text_that_names_a_repository_of_strangers_blinds_nothing_and_asks_for_nothing_there() {
    let mut desk = Desk::new();
    let mallory = (foreign(1).repo, Login::new(STRANGER), refused());
    desk.forge.rights_unread.push(mallory);
    desk.forge.is_opened_by(STRANGER, &key(3), "Hello", "## Blocks\n- mallory/lib#1\n");
    desk.forge.opens(&key(7), "Work", "");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    assert!(desk.world().issue(&key(3)).is_some(), "the stranger's issue itself is known");
    assert!(is_on(&desk, 7));
    assert_eq!(unread(&mut desk), []);
    let asked = desk.forge.rights_asked;
    desk.later(POLL);
    desk.reads();
    desk.forge.opens(&key(8), "More work", "");
    desk.later(POLL);
    desk.reads();
    assert!(desk.world().issue(&key(8)).is_some(), "what comes later is seen too");
    assert_eq!(desk.forge.rights_asked, asked);
}

#[test]
fn rights_that_are_refused_are_no_rights_and_the_rest_of_the_list_counts() {
    let mut desk = Desk::new();
    desk.forge.rights_unread.push((key(1).repo, Login::new("alice"), refused()));
    desk.forge.opens(&key(3), "First", "## Blocks\n- #7\n");
    desk.forge.is_opened_by("bob", &key(7), "Second", "");
    desk.forge.is_labelled_by("bob", &key(7), QUEUED, true);
    desk.reads();
    assert_eq!(desk.managed(7).blocked, None);
    let told = ("issues of acme/widgets".to_owned(), refused().why);
    assert_eq!(unread(&mut desk), [told]);
    let first = desk.engine().unread().next().unwrap();
    assert_eq!((first.since, first.next_try), (desk.now, desk.now.plus(POLL)));
    desk.forge.rights_unread.clear();
    desk.later(POLL);
    desk.reads();
    assert_eq!(unread(&mut desk), [], "told for as long as it lasts");
}

#[test]
fn rights_that_get_no_answer_leave_what_was_known_and_are_asked_for_until_they_do() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(3), "First", "## Blocks\n- #7\n");
    desk.forge.opens(&key(7), "Second", "");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    assert_eq!(desk.managed(7).blocked.as_ref().unwrap().by, [key(3)]);
    let busy = Unread::failed("502".to_owned());
    desk.forge.rights_unread.push((key(1).repo, Login::new("alice"), busy));
    desk.later(Span::from_mins(20));
    desk.forge.rewrites(&key(3), &[], true, "## Blocks\n- #7\n- #8\n");
    desk.forge.opens(&key(8), "Third", "");
    desk.forge.is_labelled_by("bob", &key(8), QUEUED, true);
    desk.later(POLL);
    desk.reads();
    assert_eq!(desk.managed(7).blocked.as_ref().unwrap().by, [key(3)], "the last answer stays");
    desk.later(Span::from_mins(20));
    desk.forge.opens(&key(9), "Moves the cursor on", "");
    desk.reads();
    assert_eq!(unread(&mut desk).len(), 1);
    desk.forge.rights_unread.clear();
    desk.later(POLL);
    desk.reads();
    let blocks: Vec<_> = desk.issue(3).seen.as_ref().unwrap().blocks.clone();
    assert_eq!(blocks.len(), 2, "the cursor has waited for what could not be read");
}

#[test]
fn an_entry_that_makes_no_sense_is_told_and_the_cursor_waits_for_it() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(3), "First", "");
    desk.reads();
    let why = "an entry makes no sense".to_owned();
    let bad_since = desk.now.plus(Span::from_secs(10));
    for updated in [None, Some(bad_since)] {
        desk.later(Span::from_mins(10));
        desk.forge.opens(&key(4), "Second", "");
        desk.forge.senseless.push(Skipped { why: why.clone(), updated });
        desk.later(POLL);
        desk.reads();
        assert!(desk.world().issue(&key(4)).is_some());
        assert!(unread(&mut desk).iter().any(|(_, said)| *said == why));
        let repo = &key(1).repo;
        let cursor = desk.engine().store().unwrap().cursor(repo).unwrap().unwrap();
        assert!(cursor < bad_since, "what is behind the cursor is never seen again");
    }
}

#[test]
fn a_command_by_somebody_whose_rights_cannot_be_read_holds_up_no_other() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Work", "");
    desk.forge.rights_unread.push((key(1).repo, Login::new("eve"), refused()));
    desk.forge.is_labelled_by("eve", &key(7), "ralph:cmd:satisfy", true);
    desk.forge.labels(&key(7), "ralph:cmd:queue");
    desk.reads();
    assert!(is_on(&desk, 7));
    assert!(!desk.issue(7).satisfied);
    let told = ("label events of acme/widgets#7".to_owned(), refused().why);
    assert!(unread(&mut desk).contains(&told));
    desk.forge.rights_unread.clear();
    desk.later(Span::from_mins(10));
    desk.reads();
    assert!(desk.issue(7).satisfied, "it is asked about again");
}

#[test]
fn an_event_that_shows_late_with_a_smaller_id_is_heard_and_the_last_command_decides() {
    for (early, is_overtaken) in [("ralph:cmd:satisfy", false), ("ralph:cmd:stop", true)] {
        let mut desk = Desk::new();
        desk.forge.opens(&key(7), "Work", "");
        desk.forge.labels(&key(7), early);
        desk.forge.events_hidden.insert(1);
        desk.later(Span::from_secs(5));
        desk.forge.labels(&key(7), "ralph:cmd:queue");
        desk.reads();
        assert!(is_on(&desk, 7));
        desk.forge.events_hidden.clear();
        desk.later(POLL);
        desk.hears_of(&key(7));
        assert!(desk.managed(7).commands.pending.is_empty());
        let last = desk.managed(7).commands.last.clone().unwrap();
        assert_eq!(last.command.label(), early, "the late one was answered");
        assert_eq!(last.refused.is_some(), is_overtaken, "{last:?}");
        assert_eq!(desk.issue(7).satisfied, !is_overtaken);
        assert!(is_on(&desk, 7));
    }
}

#[test]
fn a_command_that_was_taken_back_stays_so_when_a_replica_shows_it_alone() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Work", "");
    desk.forge.labels(&key(7), "ralph:cmd:satisfy");
    desk.forge.is_labelled_by("alice", &key(7), "ralph:cmd:satisfy", false);
    desk.forge.labels(&key(7), "ralph:cmd:queue");
    desk.reads();
    assert!(is_on(&desk, 7));
    desk.forge.events_hidden.insert(2);
    desk.later(POLL);
    desk.forge.labels(&key(7), "ralph:cmd:pause");
    desk.hears_of(&key(7));
    assert!(desk.managed(7).is_paused, "the events were read again");
    assert!(!desk.issue(7).satisfied);
}

#[test]
fn native_dependencies_count_where_there_are_no_sub_issues_and_the_other_way_round() {
    for (which, first) in [("dependencies", true), ("sub-issues", false)] {
        for other in [Ok(Related::Unavailable), Err(refused())] {
            let mut desk = Desk::new();
            desk.forge.opens(&key(3), "First", "");
            desk.forge.opens(&key(7), "Second", "");
            let list = Ok(Related::List(vec![desk.forge.shown(&key(3)).clone()]));
            let is_refused = other.is_err();
            let both = if first { (list, other) } else { (other, list) };
            desk.forge.relations.insert(key(7), both);
            desk.forge.issues.get_mut(&key(7)).unwrap().relations = RelationCount::Some;
            desk.forge.labels(&key(7), QUEUED);
            desk.reads();
            let blocked = desk.managed(7).blocked.clone().unwrap();
            assert_eq!(
                (blocked.source, blocked.by),
                (BlockedSource::Deps, vec![key(3)]),
                "{which}"
            );
            assert_eq!(unread(&mut desk).is_empty(), !is_refused);
        }
    }
}

#[test]
fn what_one_issue_may_cost_in_reads_is_bounded_whatever_its_text() {
    let mut desk = Desk::new();
    let lines: String = (100..200).map(|number| format!("- #{number}\n")).collect();
    desk.forge.opens(&key(7), "Work", &format!("## Blocked by\n{lines}"));
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    let blocked = desk.managed(7).blocked.clone().unwrap();
    assert_eq!(blocked.source, BlockedSource::DepsMissing, "known at the first look");
    for _ in 0..120 {
        desk.later(POLL);
        desk.reads();
    }
    let read = desk.forge.issues_read.len();
    assert!(read <= 40, "{read} reads in an hour");
    assert_eq!(desk.managed(7).phase, Phase::Queued);
}

#[test]
fn a_blocker_in_a_repository_that_may_not_be_read_is_a_finding_for_a_person() {
    let mut desk = Desk::new();
    desk.forge.issues_unread.insert(foreign(1), refused());
    desk.forge.opens(&key(7), "Work", "## Blocked by\n- mallory/lib#1\n");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    let blocked = desk.managed(7).blocked.clone().unwrap();
    assert_eq!((blocked.source, blocked.by), (BlockedSource::DepsMissing, vec![foreign(1)]));
}

#[test]
fn a_blocker_that_appears_under_its_number_is_seen() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Work", "## Blocked by\n- acme/gears#4\n- #5\n");
    desk.forge.labels(&key(7), QUEUED);
    desk.reads();
    assert_eq!(desk.managed(7).blocked.as_ref().unwrap().source, BlockedSource::DepsMissing);
    desk.forge.opens(&key(5), "Here", "");
    desk.forge.opens(&elsewhere(4), "There", "");
    desk.later(POLL);
    desk.reads();
    let blocked = desk.managed(7).blocked.clone().unwrap();
    assert_eq!(blocked.source, BlockedSource::Deps, "lists of changes tell of it at once");
}

#[test]
fn a_closing_whose_cause_gets_no_answer_is_held_back_shown_and_read_again() {
    let mut desk = crate::life::begun();
    desk.forge.closers_unread = Some(Unread::failed("502".to_owned()));
    desk.later(POLL);
    desk.forge.closes(&key(7));
    let closed_at = desk.now;
    desk.forge.opens(&key(9), "Moves the cursor on", "");
    desk.later(POLL);
    desk.reads();
    assert!(is_on(&desk, 7), "{:?}", desk.managed(7).phase);
    assert!(desk.world().issue(&key(9)).is_some(), "the rest of the list counts");
    let told = ("issues of acme/widgets".to_owned(), "502".to_owned());
    assert!(unread(&mut desk).contains(&told), "{:?}", unread(&mut desk));
    let cursor = desk.engine().store().unwrap().cursor(&key(7).repo).unwrap();
    assert!(cursor.is_none_or(|cursor| cursor < closed_at), "it comes again");
    desk.forge.closers_unread = None;
    desk.later(POLL);
    desk.reads();
    assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }), "a person closed it");
}

#[test]
fn a_closing_whose_cause_the_forge_refuses_to_tell_is_a_persons() {
    let mut desk = crate::life::begun();
    desk.forge.closers_unread = Some(refused());
    desk.later(POLL);
    desk.forge.closes(&key(7));
    desk.later(POLL);
    desk.reads();
    assert!(matches!(desk.managed(7).phase, Phase::Stopped { .. }));
    assert!(unread(&mut desk).iter().any(|(_, why)| *why == refused().why));
}

#[test]
fn nothing_is_merged_while_it_is_not_known_whether_a_person_has_closed_the_issue() {
    let mut desk = crate::life::waiting_for_checks();
    desk.forge.closers_unread = Some(Unread::failed("502".to_owned()));
    desk.forge.closes(&key(7));
    desk.forge.ci = Some(CheckState::Pass);
    for _ in 0..20 {
        desk.later(POLL);
        desk.round();
    }
    assert!(matches!(desk.managed(7).phase, Phase::Running { .. }), "{:?}", desk.managed(7).phase);
    desk.forge.closers_unread = None;
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::Stopped { .. }));
}
