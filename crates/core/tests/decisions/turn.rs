//! The bot branch moved: a change that was tested with its former head is tested again before it is merged, one at a
//! time.

use crate::outside::workspace;
use crate::story::{Story, Which};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{Fact, Outcome, RunSettled, Settled, What};
use ralph_core::ids::Sha;
use ralph_core::issue::Phase;
use ralph_core::run::Head;
use ralph_core::steps::Step;
use ralph_core::time::Span;

/// These issues have their pull requests, and their checks are running.
fn published(numbers: &[u64]) -> Story {
    let mut story = Story::with(|rules| rules.slots = 3);
    for number in numbers {
        story.queued(*number);
    }
    for number in numbers {
        story.reaches(*number, Step::Checks);
    }
    story
}

/// All of them have passed, and the first is merged.
fn first_of(numbers: &[u64]) -> Story {
    let mut story = published(numbers);
    for number in numbers {
        story.passes_checks(number.key());
    }
    story.performs(&format!("#{}:merge", numbers.first().expect("one at least")));
    story.passes(Span::from_secs(1));
    story.settles();
    story.told();
    story
}

/// The outcome of merging this commit of the bot branch into the run's branch, with an unchanged diff.
fn brought_up_to(story: &Story, which: u64, base: &str) -> Outcome {
    let known = story.run(which).head.clone().expect("a head");
    let (commit, tree) = (Sha::new(&format!("{which}-on-{base}")), format!("tree-on-{base}"));
    let Outcome::WorkspaceReady { path, .. } = workspace(story, which, None) else {
        panic!("a workspace")
    };
    let head = Some(Head { commit, tree, ..known });
    Outcome::WorkspaceReady { path, base: Sha::new(base), head, guidance: Default::default() }
}

fn merged_onto(story: &Story, which: u64) -> Option<Sha> {
    story.wanted().into_iter().find_map(|effect| {
        let Effect::Issue(key, IssueAct::Merge { onto, .. }) = effect else { return None };
        onto.filter(|_| key == which.key())
    })
}

fn is_at(story: &Story, which: u64, step: Step) -> bool {
    story.managed(which).phase == Phase::Running { step }
}

#[test]
fn a_merge_names_the_head_of_the_bot_branch_it_was_tested_with() {
    let mut story = published(&[7]);
    story.passes_checks(7.key());
    assert_eq!(merged_onto(&story, 7), Some(Sha::new("base")));
}

#[test]
fn after_a_merge_the_next_is_tested_again_and_the_others_wait() {
    let mut story = first_of(&[7, 8, 9]);
    assert!(is_at(&story, 8, Step::Workspace), "{}", story.stands(8));
    assert_eq!(story.stands(9), "in-progress: waits for its turn, after #8");

    let refreshed = brought_up_to(&story, 8, "merge-7");
    story.finishes(8, refreshed);
    assert!(is_at(&story, 8, Step::Preflight), "{}", story.stands(8));
    story.finishes(8, story.success(8, Step::Preflight));
    assert!(is_at(&story, 8, Step::Checks), "reviews of the same diff stay: {}", story.stands(8));
    assert_eq!(story.stands(9), "in-progress: waits for its turn, after #8");

    story.passes_checks(8.key());
    assert_eq!(merged_onto(&story, 8), Some(Sha::new("merge-7")));
    story.settles();
    assert!(is_at(&story, 9, Step::Workspace), "{}", story.stands(9));
}

#[test]
fn whoever_holds_the_turn_loses_it_by_a_pause_and_by_time() {
    let mut story = first_of(&[7, 8, 9]);
    story.ordered(8, Command::Pause);
    assert!(is_at(&story, 9, Step::Workspace), "{}", story.stands(9));

    let mut story = first_of(&[7, 8, 9]);
    let refreshed = brought_up_to(&story, 8, "merge-7");
    story.finishes(8, refreshed);
    story.finishes(8, story.success(8, Step::Preflight));
    story.passes(Span::from_mins(45));
    assert!(!is_at(&story, 9, Step::Merge), "{}", story.stands(9));
}

#[test]
fn a_base_that_always_moves_on_is_a_matter_for_a_person_in_the_end() {
    let mut story = published(&[7]);
    let mut rounds = 0;
    while !matches!(story.managed(7).phase, Phase::Escalated { .. }) {
        let moved = format!("person-{rounds}");
        story.reads_branches("main-0", Some(&moved));
        story.passes_checks(7.key());
        assert_eq!(merged_onto(&story, 7), None, "never merged untested");
        story.settles();
        if is_at(&story, 7, Step::Workspace) {
            let refreshed = brought_up_to(&story, 7, &moved);
            story.finishes(7, refreshed);
            story.finishes(7, story.success(7, Step::Preflight));
        }
        rounds += 1;
        assert!(rounds < 20, "{}", story.stands(7));
    }
    assert_eq!(story.run(7).spent.of(Bound::REFRESHES), 6);
}

#[test]
fn a_read_that_lags_behind_our_own_merge_does_not_undo_it() {
    let mut story = published(&[7, 8]);
    story.passes_checks(7.key());
    story.settles();
    story.reads_branches("main-0", Some("main-0"));
    story.passes_checks(8.key());
    assert_eq!(merged_onto(&story, 8), None);
    assert!(is_at(&story, 8, Step::Workspace), "{}", story.stands(8));
}

#[test]
fn what_a_run_fetched_may_be_newer_than_what_was_read() {
    let mut story = Story::plain();
    story.reads_branches("main-0", Some("older"));
    story.queued(7);
    story.reaches(7, Step::Checks);
    story.passes_checks(7.key());
    assert_eq!(merged_onto(&story, 7), Some(Sha::new("base")));
}

#[test]
fn a_merge_called_off_at_the_last_moment_is_tested_again_and_costs_no_refusal() {
    let mut story = published(&[7]);
    story.passes_checks(7.key());
    let moved = RunSettled::BaseMoved { head: Sha::new("person-1") };
    story.tell(&Fact::of(7.key(), What::Settled(Settled::Run(moved))));
    assert_eq!(merged_onto(&story, 7), None);
    assert!(is_at(&story, 7, Step::Workspace), "{}", story.stands(7));
    assert_eq!(story.run(7).spent.of(Bound::MERGE_REFUSALS), 0);
}

#[test]
fn where_nothing_is_tested_nothing_is_tested_again() {
    let mut story = Story::with(|rules| {
        rules.slots = 3;
        rules.preflight = Some(Vec::new());
        rules.required_checks = Some(Vec::new());
    });
    for number in [7, 8] {
        story.queued(number);
        story.reaches(number, Step::Checks);
    }
    for number in [7_u64, 8] {
        story.reads_pull(number, |_| {});
        story.settles();
        assert!(matches!(story.managed(number).phase, Phase::InBot { .. }), "{number}");
    }
}
