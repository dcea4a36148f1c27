//! The mark on a repository: read before anything is started, written, respected, taken over.

use crate::story::{Story, Which as _};
use ralph_core::fact::{Fact, Move, Observation, RepoObservation, Settled, What};
use ralph_core::ids::{CommentId, Login, PullNumber, Sha};
use ralph_core::issue::{Phase, Slot};
use ralph_core::label::Status;
use ralph_core::policy::Instance;
use ralph_core::recall::{Recalled, RecalledComment};
use ralph_core::repo::{Mark, RENEWED_EVERY, SeenMark};
use ralph_core::run::WorkState;
use ralph_core::steps::Step;
use ralph_core::time::{Span, Time};
use ralph_core::{digest::Digest, words};

const APP: &str = "acme/app";

fn instance(start: &str) -> Instance {
    Instance {
        store: "ours".to_owned(),
        start: start.to_owned(),
        name: "workshop".to_owned(),
        was_away: false,
        is_behind: false,
    }
}

/// Issue 7 is queued, and this Ralph has just been started.
fn started() -> Story {
    let mut story = Story::plain();
    starts(&mut story, instance("start-1"));
    story.queued(7);
    story
}

fn starts(story: &mut Story, instance: Instance) {
    story.policy.instance = Some(instance);
    story.looks_at_everything();
}

/// Ralph dies in the middle of a turn and is started again.
fn dies_and_starts(story: &mut Story, instance: Instance) {
    let attempt = story.managed(7).attempt;
    let fact = Fact::of(7.key(), What::Interrupted { attempt });
    story.world.apply(story.now, &fact);
    starts(story, instance);
}

/// The same, with its mark in place.
fn holding() -> Story {
    let mut story = started();
    story.reads_repo(APP, RepoObservation::Mark(None));
    story.performs("mark:");
    story
}

fn mark(store: &str, number: u64) -> SeenMark {
    let mark = Mark {
        store: store.to_owned(),
        start: "another start".to_owned(),
        name: "laptop".to_owned(),
        number,
        since: Time(1_767_225_600_000),
        renewed: Time(1_767_229_200_000),
        sees_within: Span::from_secs(120),
    };
    SeenMark { commit: Sha::new(&format!("mark-{store}-{number}")), mark: Some(mark) }
}

fn reads(story: &mut Story, seen: SeenMark) {
    story.reads_repo(APP, RepoObservation::Mark(Some(seen)));
}

fn is_running(story: &Story) -> bool {
    matches!(story.managed(7).phase, Phase::Running { .. })
}

#[test]
fn nothing_is_started_before_the_own_mark_is_there() {
    let mut story = started();
    assert_eq!((story.wants(7), story.wants_of_repo(APP)), (String::new(), String::new()));
    assert!(story.repo_stands(APP).contains("looks whether another Ralph works here"));
    story.reads_repo(APP, RepoObservation::Mark(None));
    assert_eq!(story.wants_of_repo(APP), "mark:");
    assert_eq!(story.wants(7), "");
    assert!(!is_running(&story));
    story.performs("mark:");
    assert!(is_running(&story), "{}", story.stands(7));
    assert_eq!(story.repo_stands(APP), "");
}

#[test]
fn a_second_ralph_starts_and_writes_nothing_until_a_person_says_so() {
    let mut story = started();
    reads(&mut story, mark("theirs", 4));
    story.passes(Span::from_mins(600));
    reads(&mut story, mark("theirs", 5));
    assert_eq!((story.wants(7), story.wants_of_repo(APP)), (String::new(), String::new()));
    assert!(!is_running(&story));
    let says = story.repo_stands(APP);
    assert!(
        says.contains("another Ralph works here: laptop, since 2026-01-01 00:00:00Z"),
        "{says}"
    );
    assert!(says.contains("`ralph take-over`"), "{says}");

    story.reads_repo(APP, RepoObservation::TakeOver { by: Login::new("ann") });
    assert_eq!(story.wants_of_repo(APP), "mark:");
    story.performs("mark:");
    assert!(
        story.repo_stands(APP).contains("taken over from laptop"),
        "{}",
        story.repo_stands(APP)
    );
    assert!(!is_running(&story), "the other one has to see it first");
    reads(&mut story, mark("theirs", 5));
    assert!(story.repo_stands(APP).contains("taken over"), "a read that lags shows what was there");
    story.passes(Span::from_secs(120));
    assert!(story.stands(7).contains("looks up what the forge knows"), "{}", story.stands(7));
    recalls(&mut story, &[], None);
    assert!(is_running(&story), "{}", story.stands(7));
}

#[test]
fn a_ralph_that_is_taken_over_ends_what_runs_and_starts_nothing() {
    let mut story = holding();
    story.reaches(7, Step::Plan);
    reads(&mut story, mark("theirs", 1));
    assert_eq!(story.wants(7), "end:2");
    assert!(matches!(story.managed(7).work.as_ref().unwrap().state, WorkState::Ending(_)));
    story.performs("end:2");
    story.passes(Span::from_mins(300));
    assert_eq!((story.wants(7), story.wants_of_repo(APP)), (String::new(), String::new()));
    assert!(story.stands(7).contains("not held by this Ralph"), "{}", story.stands(7));
}

#[test]
fn of_two_copies_of_one_store_the_one_that_was_started_later_works() {
    let mut story = holding();
    reads(&mut story, mark("ours", 2));
    let says = story.repo_stands(APP);
    assert!(says.contains("a Ralph with a copy of this state store works here"), "{says}");
    assert_eq!(story.wants_of_repo(APP), "");
}

#[test]
fn the_own_mark_is_renewed_rarely_and_written_again_when_it_was_deleted() {
    let mut story = holding();
    reads(&mut story, mark("ours", 1));
    story.passes(Span(RENEWED_EVERY.0 - 1));
    assert_eq!(story.wants_of_repo(APP), "");
    story.passes(Span(1));
    assert_eq!(story.wants_of_repo(APP), "mark:");
    story.performs("mark:");
    story.reads_repo(APP, RepoObservation::Mark(None));
    assert_eq!(story.wants_of_repo(APP), "", "a read may lag");
    story.passes(Span::from_secs(60));
    assert_eq!(story.wants_of_repo(APP), "mark:");
    assert!(is_running(&story), "it is ours all the time");
}

#[test]
fn the_same_home_goes_on_after_a_restart_without_a_word() {
    let mut story = holding();
    starts(&mut story, instance("start-2"));
    assert_eq!(story.wants_of_repo(APP), "");
    reads(&mut story, mark("ours", 1));
    assert_eq!(story.wants_of_repo(APP), "mark:");
    story.performs("mark:");
    assert_eq!(story.repo_stands(APP), "");
    assert!(is_running(&story));
}

#[test]
fn a_turn_goes_on_after_a_restart_before_the_forge_answers_and_nothing_is_written() {
    let mut story = holding();
    story.reaches(7, Step::Plan);
    dies_and_starts(&mut story, instance("start-2"));
    assert_eq!(story.wants(7), "start:3", "{}", story.stands(7));
    assert_eq!(story.wants_of_repo(APP), "");
    reads(&mut story, mark("theirs", 1));
    assert_eq!(story.wants(7), "end:3");
}

#[test]
fn a_forge_that_takes_no_marks_is_worked_on_without_and_says_so() {
    let mut story = started();
    story.reads_repo(APP, RepoObservation::Mark(None));
    story.refuses("mark:");
    assert!(is_running(&story), "{}", story.stands(7));
    let says = story.repo_stands(APP);
    assert!(says.contains("the mark that keeps a second Ralph away"), "{says}");
}

#[test]
fn a_mark_is_read_back_and_a_stranger_s_text_is_none() {
    let seen = mark("ours", 3);
    let text = words::mark(seen.mark.as_ref().unwrap());
    assert_eq!(words::parse_mark(&text), seen.mark);
    assert!(text.starts_with("This repository is worked on by laptop\n"), "{text}");
    assert_eq!(words::parse_mark("Merge branch 'x'"), None);
    let loud = Mark { name: format!("a\u{1b}[31m{}", "b".repeat(500)), ..seen.mark.unwrap() };
    let name = words::parse_mark(&words::mark(&loud)).unwrap().name;
    assert!(name.len() <= 80 && !name.contains('\u{1b}'), "{name}");
}

/// The store was restored from a copy: the forge shows a mark that it wrote and does not remember.
fn restored() -> Story {
    let mut story = holding();
    story.reaches(7, Step::Plan);
    dies_and_starts(&mut story, Instance { was_away: true, ..instance("start-9") });
    reads(&mut story, mark("ours", 8));
    story.performs("mark:");
    story
}

fn recalls(story: &mut Story, comments: &[Slot], status: Option<Status>) {
    finds(story, comments, Some(PullNumber(44)), status);
}

fn finds(story: &mut Story, comments: &[Slot], pull: Option<PullNumber>, status: Option<Status>) {
    let comments = comments.iter().zip(70..).map(|(slot, id)| RecalledComment {
        slot: slot.clone(),
        id: CommentId(id),
        body: Digest::of("what it said"),
        at: Time(0),
    });
    let found = Recalled { comments: comments.collect(), pull, status, heeded_up_to: 99 };
    story.reads(7, Observation::Recalled(Box::new(found)));
}

#[test]
fn a_store_older_than_its_mark_looks_everything_up_before_it_does_anything() {
    let mut story = restored();
    assert_eq!(story.wants(7), "");
    assert!(story.stands(7).contains("looks up what the forge knows"), "{}", story.stands(7));
    recalls(&mut story, &[], Some(Status::InProgress));
    assert_ne!(story.wants(7), "", "{}", story.stands(7));
    assert_eq!(story.run(7).pull, Some(PullNumber(44)));
    assert_eq!(story.managed(7).commands.taken_in.seen_up_to, 99);
}

#[test]
fn an_escalation_that_a_later_life_told_is_not_told_again() {
    let mut story = restored();
    let told = Slot::Escalation { episode: 3 };
    recalls(&mut story, std::slice::from_ref(&told), Some(Status::Escalated));
    assert!(story.stands(7).starts_with("escalated: needs a person"), "{}", story.stands(7));
    assert!(!story.wants(7).contains("comment"), "{}", story.wants(7));
    assert_eq!(
        story.managed(7).phase.clone(),
        Phase::Escalated { cause: ralph_core::escalation::Cause::Inherited, episode: 3 }
    );
    assert_eq!(story.managed(7).comments[&told].id, Some(CommentId(70)));
}

#[test]
fn what_a_later_life_merged_is_adopted_on_evidence() {
    let mut story = restored();
    story.sees_issue(7, |seen| seen.labels = ["ralph:status:in-bot".into()].into());
    recalls(&mut story, &[], Some(Status::InBot));
    assert!(
        story.issue(7).managed.is_none(),
        "its label is taken at its word once something shows it"
    );
}

/// Issue 7 was at a step when Ralph went away for a long time.
fn away(step: Step) -> Story {
    let mut story = holding();
    story.reaches(7, step);
    dies_and_starts(&mut story, Instance { was_away: true, ..instance("start-2") });
    reads(&mut story, mark("ours", 1));
    story.performs("mark:");
    assert!(story.stands(7).contains("looks up what the forge knows"), "{}", story.stands(7));
    story
}

#[test]
fn after_a_long_absence_only_gaps_are_filled() {
    let mut story = away(Step::Plan);
    let heard = story.managed(7).commands.taken_in.clone();
    finds(&mut story, &[Slot::Adopted], None, Some(Status::Stopped));
    assert!(is_running(&story), "a label that a person may have put there changes nothing");
    assert!(story.managed(7).comments.contains_key(&Slot::Adopted));
    assert_eq!(story.managed(7).commands.taken_in, heard);
}

#[test]
fn what_this_store_never_set_out_to_make_proves_that_it_is_an_old_copy() {
    let told = [Slot::Escalation { episode: 1 }];
    for (comments, pull) in [(&told[..], None), (&[], Some(PullNumber(44)))] {
        let mut story = away(Step::Implement);
        finds(&mut story, comments, pull, Some(Status::Escalated));
        let phase = story.managed(7).phase.clone();
        assert!(matches!(phase, Phase::Escalated { .. }), "{comments:?} {pull:?}: {phase:?}");
        let wants = story.wants(7);
        assert!(comments.is_empty() || !wants.contains("comment"), "{wants}");
    }
}

#[test]
fn a_store_that_lacks_what_was_written_in_its_home_is_an_old_copy() {
    let mut story = holding();
    story.reaches(7, Step::Plan);
    dies_and_starts(&mut story, Instance { is_behind: true, ..instance("start-2") });
    reads(&mut story, mark("ours", 1));
    story.performs("mark:");
    assert!(story.stands(7).contains("looks up what the forge knows"), "{}", story.stands(7));
    finds(&mut story, &[], None, Some(Status::Stopped));
    assert!(matches!(story.managed(7).phase, Phase::Stopped { .. }), "{}", story.stands(7));
}

#[test]
fn an_old_copy_stays_one_for_what_was_not_looked_up_before_the_next_start() {
    let mut story = restored();
    story.passes(Span::from_mins(10));
    starts(&mut story, Instance { was_away: true, ..instance("start-10") });
    reads(&mut story, mark("ours", 9));
    story.performs("mark:");
    finds(&mut story, &[], None, Some(Status::Stopped));
    assert!(matches!(story.managed(7).phase, Phase::Stopped { .. }), "{}", story.stands(7));
}

#[test]
fn a_move_of_the_mark_is_read_back_from_the_journal() {
    let began = r#"{"mark":{"began":{"start":"a"}}}"#;
    let read: Move = serde_json::from_str(began).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), began);
    let moved = Settled::Repo(ralph_core::fact::RepoSettled::MarkMoved);
    let text = serde_json::to_string(&moved).unwrap();
    assert_eq!(serde_json::from_str::<Settled>(&text).unwrap(), moved);
}
