//! Look-ups after a lost answer, whatever people did in the meantime.

use crate::desk::{Desk, key};
use crate::hand_forge::{BOT, Mood, STRANGER};
use crate::life;
use ralph_core::effect::{Effect, IssueAct, RepoAct};
use ralph_core::hidden_marker;
use ralph_core::ids::{Branch, PullNumber};
use ralph_core::issue::{Phase, Slot};
use ralph_core::pull::{CheckState, Pull, PullState};
use ralph_core::time::Span;
use ralph_core::words;
use ralph_engine::Leased;
use ralph_engine::ports::{NewPull, Unread};

const ROLLUP: &str = "pull bot/integration -> main";

/// Performs an effect without getting its answer.
pub(crate) fn hears_nothing(desk: &mut Desk, leased: &Leased, mood: Mood) {
    desk.forge.mood = mood;
    let performed = desk.performs(leased);
    desk.forge.mood = Mood::Fine;
    desk.settles(leased.id, performed);
}

/// Waits until reads have caught up, then looks up the effect.
pub(crate) fn looks_up(desk: &mut Desk, leased: &Leased) {
    desk.later(Span::from_secs(60));
    let looked = std::iter::from_fn(|| desk.works_off_one()).find(|it| it.id == leased.id);
    assert!(looked.is_some_and(|it| it.looks_first), "{} was not looked up", leased.key);
}

pub(crate) fn asked(desk: &Desk, what: &str) -> usize {
    desk.forge.asked.iter().filter(|asked| *asked == what).count()
}

/// A named change that a person makes to a pull request.
type Deed = (&'static str, fn(&mut Pull));

#[test]
fn a_pull_request_whose_answer_was_lost_is_found_by_its_branch_whatever_became_of_it() {
    let deeds: [Deed; 3] = [
        ("its base was changed", |pull| pull.base = Branch::new("main")),
        ("it was closed", |pull| pull.state = PullState::Closed),
        ("it was merged", |pull| pull.state = PullState::Merged { commit: pull.head.clone() }),
    ];
    for (name, deed) in deeds {
        let mut desk = life::begun();
        let opens = desk.leases_next(":pull:");
        hears_nothing(&mut desk, &opens, Mood::LosesAnswer);
        deed(desk.forge.pulls.get_mut(&50).unwrap());
        looks_up(&mut desk, &opens);
        let found = desk.managed(7).run.as_ref().unwrap().pull;
        assert_eq!((found, desk.forge.pulls.len()), (Some(PullNumber(50)), 1), "{name}");
    }
}

#[test]
fn a_pull_request_that_another_branch_has_is_not_taken_for_it() {
    let mut desk = life::waiting_for_checks();
    let other = key(8);
    desk.forge.opens(&other, "Add a file", "");
    desk.forge.labels(&other, crate::hand_forge::QUEUED);
    let opens = desk.leases_next("#8:pull:");
    hears_nothing(&mut desk, &opens, Mood::LosesChange);
    looks_up(&mut desk, &opens);
    assert_eq!(desk.managed(8).run.as_ref().unwrap().pull, Some(PullNumber(51)));
    assert_eq!(desk.managed(7).run.as_ref().unwrap().pull, Some(PullNumber(50)));
}

/// The first rollup is merged and leaves the change behind, so a second one is about to be opened.
fn about_to_roll_up_again() -> (Desk, Leased) {
    let mut desk = life::waiting_for_checks();
    desk.forge.ci = Some(CheckState::Pass);
    let first = desk.leases_next(":rollup:0");
    let performed = desk.performs(&first);
    desk.settles(first.id, performed);
    desk.forge.merges(51);
    let second = desk.leases_next(":rollup:1");
    (desk, second)
}

#[test]
fn a_rollup_whose_answer_was_lost_is_found_by_its_marker_after_its_merge() {
    let (mut desk, opens) = about_to_roll_up_again();
    hears_nothing(&mut desk, &opens, Mood::LosesAnswer);
    desk.forge.merges(52);
    desk.forge.is_rolled_up = true;
    looks_up(&mut desk, &opens);
    let rollup = desk.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(52)));
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::Done { .. }));
    assert_eq!((asked(&desk, ROLLUP), desk.forge.pulls.len()), (2, 3), "one for each batch");
}

#[test]
fn a_rollup_of_an_earlier_batch_is_not_taken_for_it() {
    let (mut desk, opens) = about_to_roll_up_again();
    hears_nothing(&mut desk, &opens, Mood::LosesChange);
    looks_up(&mut desk, &opens);
    let rollup = desk.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(52)));
}

#[test]
fn a_rollup_that_a_stranger_planted_is_not_taken_for_ours() {
    let (mut desk, opens) = about_to_roll_up_again();
    let Effect::Repo(_, RepoAct::OpenRollup { head, base, title, body, .. }) = &opens.effect else {
        panic!("a rollup")
    };
    desk.forge.proposes(STRANGER, &NewPull { head, base, title, body });
    hears_nothing(&mut desk, &opens, Mood::LosesChange);
    looks_up(&mut desk, &opens);
    let rollup = desk.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(53)));
}

#[test]
fn a_pull_request_that_somebody_else_opened_from_our_branch_serves_while_it_is_open() {
    for (state, found) in [(PullState::Open, 50), (PullState::Closed, 51)] {
        let mut desk = life::begun();
        let opens = desk.leases_next(":pull:");
        let Effect::Issue(_, IssueAct::OpenPull { head, base, title, body, .. }) = &opens.effect
        else {
            panic!("a pull request")
        };
        desk.forge.proposes("alice", &NewPull { head, base, title, body });
        desk.forge.pulls.get_mut(&50).unwrap().state = state.clone();
        hears_nothing(&mut desk, &opens, Mood::LosesChange);
        looks_up(&mut desk, &opens);
        let number = desk.managed(7).run.as_ref().unwrap().pull;
        assert_eq!(number, Some(PullNumber(found)), "{state:?}");
    }
}

#[test]
fn a_marker_that_a_stranger_planted_does_not_keep_our_comment_from_being_written_once() {
    for mood in [Mood::LosesChange, Mood::LosesAnswer] {
        let mut desk = Desk::new();
        desk.forge.opens(&key(7), "Add a flag", "");
        desk.forge.labels(&key(7), "ralph:status:escalated");
        let slot = Slot::Escalation { episode: 1 };
        let marker = words::marker(&key(7), &slot);
        desk.forge.says(STRANGER, &key(7), &format!("{}\nNothing to see.", marker.render()));
        let posts = desk.leases_next(":comment:escalation-1");
        hears_nothing(&mut desk, &posts, mood);
        looks_up(&mut desk, &posts);
        let with_marker = |author: &str| {
            let all = desk.forge.comments.iter().map(|(_, comment)| comment);
            let of = all.filter(|comment| comment.author.as_str() == author);
            let of = of.filter(|it| hidden_marker::find(&it.body).as_ref() == Some(&marker));
            of.map(|comment| comment.id).collect::<Vec<_>>()
        };
        let ours = with_marker(BOT);
        assert_eq!((ours.len(), with_marker(STRANGER).len()), (1, 1), "{mood:?}");
        assert_eq!(desk.managed(7).comments[&slot].id, ours.first().copied(), "{mood:?}");
    }
}

#[test]
fn a_look_up_that_the_forge_refuses_holds_up_no_other_effect_of_its_repository() {
    let mut desk = Desk::new();
    let escalates = |desk: &mut Desk, number| {
        desk.forge.opens(&key(number), "Add a flag", "");
        desk.forge.labels(&key(number), "ralph:status:escalated");
    };
    escalates(&mut desk, 7);
    let posts = desk.leases_next("#7:comment:escalation-1");
    hears_nothing(&mut desk, &posts, Mood::LosesAnswer);
    desk.forge.comments_unread = Some(Unread::refused("403: Forbidden".to_owned()));
    looks_up(&mut desk, &posts);
    let row = desk.row(&posts.key);
    assert_eq!((row.tries, row.reason.as_str()), (2, "403: Forbidden"));
    escalates(&mut desk, 8);
    desk.hears_of(&key(8));
    while desk.works_off_one().is_some() {}
    assert!(desk.forge.comments.iter().any(|(of, _)| *of == key(8)), "{:?}", desk.outbox());
    desk.forge.comments_unread = None;
    desk.later(Span::from_mins(10));
    while desk.works_off_one().is_some() {}
    let on_7 = desk.forge.comments.iter().filter(|(of, _)| *of == key(7)).count();
    assert_eq!((on_7, desk.keys()), (1, Vec::new()), "found once it may be read");
}

#[test]
fn what_a_look_up_had_to_leave_out_may_be_what_it_looks_for() {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Add a flag", "");
    desk.forge.labels(&key(7), "ralph:status:escalated");
    let posts = desk.leases_next("#7:comment:escalation-1");
    hears_nothing(&mut desk, &posts, Mood::LosesAnswer);
    desk.forge.senseless_comments = true;
    looks_up(&mut desk, &posts);
    assert_eq!(desk.forge.comments.len(), 1, "it is not written again");
    desk.forge.senseless_comments = false;
    desk.later(Span::from_mins(10));
    while desk.works_off_one().is_some() {}
    assert_eq!((desk.forge.comments.len(), desk.keys()), (1, Vec::new()));
}
