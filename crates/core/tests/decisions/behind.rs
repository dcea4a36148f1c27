//! A pull request behind a branch that requires up-to-date heads is brought up to date, within bounds, and judged
//! again.

use crate::outside::{changed, head, workspace};
use crate::story::{Story, Which};
use insta::assert_snapshot;
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::gate::Gate;
use ralph_core::ids::Sha;
use ralph_core::pull::Mergeable;
use ralph_core::run::Head;
use ralph_core::steps::Step;
use ralph_core::time::Span;

/// A story in which everything has passed, and the base has moved since.
fn behind() -> Story {
    let mut story = Story::at_checks();
    falls_behind(&mut story);
    story.told();
    story
}

fn falls_behind(story: &mut Story) {
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Behind);
    story.reads_checks(7, &[("ci", "success")]);
}

/// The forge shows the result of the update, and the worktree takes it: the same change on another base.
fn is_updated(story: &mut Story, name: &str) {
    story.reads_pull(7, |pull| {
        pull.head = Sha::new(&format!("commit-{name}"));
        pull.mergeable = Mergeable::Unknown;
    });
    story.settles();
    assert_eq!(story.managed(7).work.as_ref().map(|work| work.step), Some(Step::Workspace));
    let found = Head { diff: "diff-a".to_owned(), ..head(name) };
    story.finishes(7, workspace(story, 7, Some(found)));
}

#[test]
fn it_is_brought_up_to_date_and_what_the_update_changed_is_judged_again() {
    let mut story = behind();
    assert_eq!(story.wants(7), "update:#107:commit-a");
    assert_eq!(story.stands(7), "in-progress: brings #107 up to date with its base");
    story.settles();
    falls_behind(&mut story);
    assert_eq!(story.wants(7), "", "the forge merges when it comes to it");
    assert_eq!(story.stands(7), "in-progress: brings #107 up to date with its base");

    let path = story.run(7).workspace.as_ref().expect("a worktree").path.clone();
    is_updated(&mut story, "b");
    assert_eq!(story.run(7).workspace.as_ref().map(|own| &own.path), Some(&path));
    assert!(!story.run(7).passed(Gate::Preflight), "the tree is another");
    assert!(story.run(7).passed(Gate::ProductReview), "the change is the same");
    story.reaches(7, Step::Checks);
    assert!(!story.run(7).passed(Gate::Ci), "the commit is another");
    story.passes_checks(7.key());
    assert_eq!(story.wants(7), "merge:#107:commit-b");
    assert_eq!((story.run(7).id.run, story.run(7).spent.of(Bound::BRANCH_UPDATES)), (1, 1));
}

#[test]
fn what_the_update_made_is_not_taken_for_somebody_elses_while_its_answer_is_missing() {
    let mut story = behind();
    is_updated(&mut story, "b");
    assert_eq!(story.run(7).head.as_ref().map(|head| head.commit.as_str()), Some("commit-b"));

    let mut story = behind();
    story.settles();
    is_updated(&mut story, "b");
    story.reaches(7, Step::Checks);
    story.passes(Span::from_mins(2));
    story.reads_pull(7, |pull| pull.head = Sha::new("someone-elses"));
    assert_snapshot!(story.stands(7), @"escalated: needs a person: Someone else pushed to the pull request's branch.");
}

#[test]
fn it_is_brought_up_to_date_twice_and_then_a_person_is_asked() {
    let mut story = behind();
    for name in ["b", "c"] {
        story.settles();
        is_updated(&mut story, name);
        story.reaches(7, Step::Checks);
        story.passes(Span::from_mins(2));
        falls_behind(&mut story);
    }
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The bot branch requires up-to-date heads, and this one falls behind again and again.");
    assert_eq!(story.run(7).spent.of(Bound::BRANCH_UPDATES), 2);
    story.settles();
    story.ordered(7, Command::Queue);
    assert_eq!(story.run(7).spent.of(Bound::BRANCH_UPDATES), 0, "queued again, it counts anew");
}

#[test]
fn a_refused_update_is_looked_at_again_and_bounded() {
    let mut story = behind();
    story.refuses("update:");
    assert_eq!(story.stands(7), "in-progress: waits until the forge can merge it");
    assert_eq!(story.wants(7), "", "not before it was read again");
    falls_behind(&mut story);
    story.refuses("update:");
    falls_behind(&mut story);
    assert_snapshot!(story.stands(7), @"escalated: needs a person: The bot branch requires up-to-date heads, and this one cannot be brought up to date.");
    assert_eq!(story.run(7).last_failure.as_deref(), Some("not allowed"));
}

#[test]
fn an_update_that_was_promised_and_never_made_is_asked_for_again() {
    let mut story = behind();
    story.settles();
    story.passes(Span::from_mins(9));
    assert_eq!(story.wants(7), "");
    story.passes(Span::from_mins(1));
    assert_eq!(story.wants(7), "update:#107:commit-a");
    story.settles();
    story.passes(Span::from_mins(10));
    assert!(story.stands(7).contains("falls behind"), "{}", story.stands(7));
}

#[test]
fn several_that_are_behind_are_brought_up_to_date_one_after_the_other() {
    let mut story = Story::with(|rules| rules.slots = 2);
    for number in [7, 8] {
        story.queued(number);
        story.reaches(number, Step::Implement);
        story.finishes(number, changed(&format!("a{number}")));
        story.reaches(number, Step::Checks);
    }
    story.passes(Span::from_mins(2));
    for number in [8, 7] {
        story.reads_pull(number, |pull| pull.mergeable = Mergeable::Behind);
        story.reads_checks(number, &[("ci", "success")]);
    }
    assert_eq!(story.wants(8), "update:#108:commit-a8");
    assert_eq!(
        (story.wants(7), story.stands(7)),
        (String::new(), "in-progress: waits for its turn, after #8".to_owned())
    );
    story.ordered(8, Command::Stop);
    assert_eq!(story.wants(7), "update:#107:commit-a7", "nobody waits for what was stopped");
}

#[test]
fn rounds_of_updates_leave_the_conflict_lane_all_its_attempts() {
    let mut story = behind();
    for name in ["b", "c"] {
        story.settles();
        is_updated(&mut story, name);
        story.reaches(7, Step::Checks);
        story.passes(Span::from_mins(2));
        if name == "b" {
            falls_behind(&mut story);
        }
    }
    assert_eq!(story.run(7).spent.of(Bound::BRANCH_UPDATES), 2);
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Dirty);
    assert!(story.run(7).is_outdated, "it looks where: {}", story.stands(7));
    assert_eq!(story.run(7).spent.of(Bound::BRANCH_UPDATES), 2, "that is no round of updates");
}

#[test]
fn how_often_it_is_brought_up_to_date_and_looked_at_is_set_apart() {
    let mut story = behind();
    let rules = story.policy.repos.get_mut(&7.key().repo).expect("rules");
    rules.limits.bounds.set(Bound::BRANCH_UPDATES, 1);
    rules.limits.bounds.set(Bound::CONFLICT_LOOKS, 9);
    story.settles();
    is_updated(&mut story, "b");
    story.reaches(7, Step::Checks);
    story.passes(Span::from_mins(2));
    falls_behind(&mut story);
    assert!(story.stands(7).contains("falls behind"), "{}", story.stands(7));
}
