//! Look-ups after a lost answer, whatever people did in the meantime.

use crate::hand_forge::{BOT, ReplyMode, STRANGER};
use crate::harness::{Harness, key};
use crate::whole_run;
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
pub(crate) fn hears_nothing(harness: &mut Harness, leased: &Leased, mode: ReplyMode) {
    harness.forge.mode = mode;
    let performed = harness.performs(leased);
    harness.forge.mode = ReplyMode::Fine;
    harness.settles(leased.id, performed);
}

/// Waits until reads have caught up, then looks up the effect.
pub(crate) fn looks_up(harness: &mut Harness, leased: &Leased) {
    harness.later(Span::from_secs(60));
    let looked = std::iter::from_fn(|| harness.works_off_one()).find(|it| it.id == leased.id);
    assert!(looked.is_some_and(|it| it.looks_first), "{} was not looked up", leased.key);
}

pub(crate) fn asked(harness: &Harness, what: &str) -> usize {
    harness.forge.asked.iter().filter(|asked| *asked == what).count()
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
        let mut harness = whole_run::begun();
        let opens = harness.leases_next(":pull:");
        hears_nothing(&mut harness, &opens, ReplyMode::LosesAnswer);
        deed(harness.forge.pulls.get_mut(&50).unwrap());
        looks_up(&mut harness, &opens);
        let found = harness.managed(7).run.as_ref().unwrap().pull;
        assert_eq!((found, harness.forge.pulls.len()), (Some(PullNumber(50)), 1), "{name}");
    }
}

#[test]
fn a_pull_request_that_another_branch_has_is_not_taken_for_it() {
    let mut harness = whole_run::waiting_for_checks();
    let other = key(8);
    harness.forge.opens(&other, "Add a file", "");
    harness.forge.labels(&other, crate::hand_forge::QUEUED);
    let opens = harness.leases_next("#8:pull:");
    hears_nothing(&mut harness, &opens, ReplyMode::LosesChange);
    looks_up(&mut harness, &opens);
    assert_eq!(harness.managed(8).run.as_ref().unwrap().pull, Some(PullNumber(51)));
    assert_eq!(harness.managed(7).run.as_ref().unwrap().pull, Some(PullNumber(50)));
}

/// The first rollup is merged and leaves the change behind, so a second one is about to be opened.
fn about_to_roll_up_again() -> (Harness, Leased) {
    let mut harness = whole_run::waiting_for_checks();
    harness.forge.ci = Some(CheckState::Pass);
    let first = harness.leases_next(":rollup:0");
    let performed = harness.performs(&first);
    harness.settles(first.id, performed);
    harness.forge.merges(51);
    let second = harness.leases_next(":rollup:1");
    (harness, second)
}

#[test]
fn a_rollup_whose_answer_was_lost_is_found_by_its_marker_after_its_merge() {
    let (mut harness, opens) = about_to_roll_up_again();
    hears_nothing(&mut harness, &opens, ReplyMode::LosesAnswer);
    harness.forge.merges(52);
    harness.forge.is_rolled_up = true;
    looks_up(&mut harness, &opens);
    let rollup = harness.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(52)));
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::Done { .. }));
    assert_eq!((asked(&harness, ROLLUP), harness.forge.pulls.len()), (2, 3), "one for each batch");
}

#[test]
fn a_rollup_of_an_earlier_batch_is_not_taken_for_it() {
    let (mut harness, opens) = about_to_roll_up_again();
    hears_nothing(&mut harness, &opens, ReplyMode::LosesChange);
    looks_up(&mut harness, &opens);
    let rollup = harness.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(52)));
}

#[test]
fn a_rollup_that_a_stranger_planted_is_not_taken_for_ours() {
    let (mut harness, opens) = about_to_roll_up_again();
    let Effect::Repo(_, RepoAct::OpenRollup { head, base, title, body, .. }) = &opens.effect else {
        panic!("a rollup")
    };
    harness.forge.proposes(STRANGER, &NewPull { head, base, title, body });
    hears_nothing(&mut harness, &opens, ReplyMode::LosesChange);
    looks_up(&mut harness, &opens);
    let rollup = harness.world().repo(&key(7).repo).unwrap().batch.rollup.clone();
    assert_eq!(rollup.map(|rollup| rollup.number), Some(PullNumber(53)));
}

#[test]
fn a_pull_request_that_somebody_else_opened_from_our_branch_serves_while_it_is_open() {
    for (state, found) in [(PullState::Open, 50), (PullState::Closed, 51)] {
        let mut harness = whole_run::begun();
        let opens = harness.leases_next(":pull:");
        let Effect::Issue(_, IssueAct::OpenPull { head, base, title, body, .. }) = &opens.effect
        else {
            panic!("a pull request")
        };
        harness.forge.proposes("alice", &NewPull { head, base, title, body });
        harness.forge.pulls.get_mut(&50).unwrap().state = state.clone();
        hears_nothing(&mut harness, &opens, ReplyMode::LosesChange);
        looks_up(&mut harness, &opens);
        let number = harness.managed(7).run.as_ref().unwrap().pull;
        assert_eq!(number, Some(PullNumber(found)), "{state:?}");
    }
}

#[test]
fn a_marker_that_a_stranger_planted_does_not_keep_our_comment_from_being_written_once() {
    for mode in [ReplyMode::LosesChange, ReplyMode::LosesAnswer] {
        let mut harness = Harness::new();
        harness.forge.opens(&key(7), "Add a flag", "");
        harness.forge.labels(&key(7), "ralph:status:escalated");
        let slot = Slot::Escalation { episode: 1 };
        let marker = words::marker(&key(7), &slot);
        harness.forge.says(STRANGER, &key(7), &format!("{}\nNothing to see.", marker.render()));
        let posts = harness.leases_next(":comment:escalation-1");
        hears_nothing(&mut harness, &posts, mode);
        looks_up(&mut harness, &posts);
        let with_marker = |author: &str| {
            let all = harness.forge.comments.iter().map(|(_, comment)| comment);
            let of = all.filter(|comment| comment.author.as_str() == author);
            let of = of.filter(|it| hidden_marker::find(&it.body).as_ref() == Some(&marker));
            of.map(|comment| comment.id).collect::<Vec<_>>()
        };
        let ours = with_marker(BOT);
        assert_eq!((ours.len(), with_marker(STRANGER).len()), (1, 1), "{mode:?}");
        assert_eq!(harness.managed(7).comments[&slot].id, ours.first().copied(), "{mode:?}");
    }
}

#[test]
fn a_look_up_that_the_forge_refuses_holds_up_no_other_effect_of_its_repository() {
    let mut harness = Harness::new();
    let escalates = |harness: &mut Harness, number| {
        harness.forge.opens(&key(number), "Add a flag", "");
        harness.forge.labels(&key(number), "ralph:status:escalated");
    };
    escalates(&mut harness, 7);
    let posts = harness.leases_next("#7:comment:escalation-1");
    hears_nothing(&mut harness, &posts, ReplyMode::LosesAnswer);
    harness.forge.comments_unread = Some(Unread::refused("403: Forbidden".to_owned()));
    looks_up(&mut harness, &posts);
    let row = harness.row(&posts.key);
    assert_eq!((row.tries, row.reason.as_str()), (2, "403: Forbidden"));
    escalates(&mut harness, 8);
    harness.hears_of(&key(8));
    while harness.works_off_one().is_some() {}
    assert!(harness.forge.comments.iter().any(|(of, _)| *of == key(8)), "{:?}", harness.outbox());
    harness.forge.comments_unread = None;
    harness.later(Span::from_mins(10));
    while harness.works_off_one().is_some() {}
    let on_7 = harness.forge.comments.iter().filter(|(of, _)| *of == key(7)).count();
    assert_eq!((on_7, harness.keys()), (1, Vec::new()), "found once it may be read");
}

#[test]
fn what_a_look_up_had_to_leave_out_may_be_what_it_looks_for() {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Add a flag", "");
    harness.forge.labels(&key(7), "ralph:status:escalated");
    let posts = harness.leases_next("#7:comment:escalation-1");
    hears_nothing(&mut harness, &posts, ReplyMode::LosesAnswer);
    harness.forge.senseless_comments = true;
    looks_up(&mut harness, &posts);
    assert_eq!(harness.forge.comments.len(), 1, "it is not written again");
    harness.forge.senseless_comments = false;
    harness.later(Span::from_mins(10));
    while harness.works_off_one().is_some() {}
    assert_eq!((harness.forge.comments.len(), harness.keys()), (1, Vec::new()));
}
