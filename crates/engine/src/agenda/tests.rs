//! Times at which reads are due, and the reads that are shown as failed.

use super::*;
use crate::ports::Unread;

const POLL: Span = Span::from_secs(30);
const SOON: Span = Span::from_secs(10);

fn repo() -> RepoName {
    RepoName::parse("acme/app").unwrap()
}

fn key() -> IssueKey {
    IssueKey::new(repo(), 7)
}

fn answer(resource: &Resource) -> Reading {
    Reading {
        resource: resource.clone(),
        facts: Vec::new(),
        texts: Vec::new(),
        cursor: None,
        failed: None,
        missed: Vec::new(),
    }
}

fn failing(resource: &Resource, why: &str) -> Reading {
    Reading { failed: Some(Unread::refused(why.to_owned())), ..answer(resource) }
}

fn wanting(resource: Resource, pace: Pace) -> Agenda {
    let mut agenda = Agenda::new(POLL);
    wants(&mut agenda, Time(0), resource, pace);
    agenda
}

fn wants(agenda: &mut Agenda, now: Time, resource: Resource, pace: Pace) {
    agenda.set(now, &Subject::Issue(key()), vec![Watch { resource, pace }], None);
}

#[test]
fn what_is_hinted_at_while_it_is_read_is_read_once_more() {
    let resource = Resource::Issues(repo());
    let mut agenda = wanting(resource.clone(), Pace::Normal);
    assert_eq!(agenda.next_read(Time(0)), Some(resource.clone()));
    agenda.hint(Time(1), &Hint::Issue(key()));
    assert_eq!(agenda.next_read(Time(1)), None, "it is not asked twice at once");
    agenda.was_read(Time(2), &answer(&resource));
    assert_eq!(agenda.next_read(Time(2)), Some(resource.clone()));
    agenda.was_read(Time(3), &answer(&resource));
    assert_eq!(agenda.next_time(), Some(Time(3).plus(POLL)));
}

#[test]
fn a_new_pace_holds_at_once_and_asks_nothing_twice() {
    let (asked, waits) = (Resource::Issues(repo()), Resource::Labels(repo()));
    let mut agenda = Agenda::new(POLL);
    let watch =
        [&waits, &asked].map(|resource| Watch { resource: resource.clone(), pace: Pace::Normal });
    agenda.set(Time(0), &Subject::Repo(repo()), watch.into(), None);
    for resource in [&asked, &waits] {
        assert_eq!(agenda.next_read(Time(0)).as_ref(), Some(resource));
    }
    agenda.was_read(Time(0), &answer(&waits));
    agenda.set_poll_interval(Time(5), Span::from_secs(1));
    assert_eq!(agenda.next_read(Time(1_004)), None);
    assert_eq!(agenda.next_read(Time(1_005)), Some(waits.clone()), "sooner than it was to be");
    agenda.was_read(Time(1_005), &failing(&waits, "no"));
    let due = agenda.next_time();
    agenda.set_poll_interval(Time(1_006), Span(1));
    assert_eq!(agenda.next_time(), due, "a failed read keeps its pause");
    agenda.was_read(Time(2_000), &answer(&asked));
    assert_eq!(agenda.next_time(), Some(Time(2_001)));
}

#[test]
fn a_read_that_fails_says_why_since_when_and_when_it_is_tried_again_until_it_succeeds() {
    let resource = Resource::Labels(repo());
    let mut agenda = wanting(resource.clone(), Pace::Normal);
    let shown = |agenda: &Agenda| {
        let all: Vec<_> = agenda.unread().collect();
        all.into_iter().map(|it| (it.why, it.since.0, it.next_try.0)).collect::<Vec<_>>()
    };
    agenda.was_read(Time(1), &failing(&resource, "403"));
    assert_eq!(shown(&agenda), [("403".to_owned(), 1, 30_001)]);
    agenda.was_read(Time(30_001), &failing(&resource, "301"));
    assert_eq!(shown(&agenda), [("301".to_owned(), 1, 90_001)], "the reason is the latest one");
    let missed = vec!["one".to_owned(), "two".to_owned()];
    agenda.was_read(Time(90_001), &Reading { missed, ..answer(&resource) });
    let told = "one (and 1 more like this)".to_owned();
    assert_eq!(shown(&agenda), [(told, 1, 120_001)], "what was read in part is read on");
    agenda.was_read(Time(120_001), &answer(&resource));
    assert_eq!(shown(&agenda), []);
}

#[test]
fn an_issue_that_is_known_is_not_read_again_at_once() {
    for (pace, due) in
        [(Pace::Normal, Time(0)), (Pace::Rarely, Time(0).plus(Pace::Rarely.every(POLL)))]
    {
        assert_eq!(wanting(Resource::Issue(key()), pace).next_time(), Some(due));
        assert_eq!(wanting(Resource::Reach(key()), pace).next_time(), Some(due));
    }
    assert_eq!(wanting(Resource::Labels(repo()), Pace::Rarely).next_time(), Some(Time(0)));
}

#[test]
fn once_the_default_branch_moves_what_was_to_reach_it_is_looked_for_at_once() {
    let mut agenda = wanting(Resource::Reach(key()), Pace::Rarely);
    wants(&mut agenda, Time(5), Resource::Reach(key()), Pace::Normal);
    assert_eq!(agenda.next_time(), Some(Time(5)));
    let mut agenda = wanting(Resource::Issue(key()), Pace::Rarely);
    wants(&mut agenda, Time(5), Resource::Issue(key()), Pace::Soon);
    assert_eq!(agenda.next_time(), Some(Time(5).plus(SOON)));
}

#[test]
fn a_push_says_nothing_about_labels() {
    let hint = Hint::Branches(repo());
    assert!(hint.concerns(&Resource::Branches(repo())));
    assert!(!hint.concerns(&Resource::Labels(repo())));
    assert!(Hint::Labels(repo()).concerns(&Resource::Labels(repo())));
}

#[test]
fn a_read_that_failed_is_shown_although_it_was_not_wanted_for_a_moment() {
    let resource = Resource::Native(key());
    let watch = || vec![Watch { resource: resource.clone(), pace: Pace::Normal }];
    let mine = Subject::Issue(key());
    for is_handed_over in [false, true] {
        let mut agenda = wanting(resource.clone(), Pace::Normal);
        assert_eq!(agenda.next_read(Time(0)), Some(resource.clone()));
        let reading = failing(&resource, "403");
        if is_handed_over {
            agenda.was_read(Time(1), &reading);
            agenda.set(Time(1), &mine, Vec::new(), None);
            agenda.set(Time(1), &Subject::Repo(repo()), watch(), None);
        } else {
            agenda.set(Time(1), &mine, Vec::new(), None);
            agenda.was_read(Time(1), &reading);
            agenda.set(Time(1), &mine, watch(), None);
        }
        agenda.goes_on_failing(Time(1), &reading);
        agenda.goes_on_failing(Time(1), &reading);
        assert_eq!(agenda.unread().map(|unread| unread.why).collect::<Vec<_>>(), ["403"]);
        assert_eq!(agenda.failures(&resource).0, 1, "it failed once");
    }
}
