//! A person merges what Ralph is about to merge: a whole trial build, or one of the issues that wait. Ralph does not
//! work on it again.

use crate::merge_queue::{
    is_tested_alone, last_end, merge_queue, merged_onto, ready, shows, together, tried,
};
use crate::story::{Story, Which as _, repo};
use ralph_core::ids::{PullNumber, Sha};
use ralph_core::issue::Phase;
use ralph_core::merge_queue::Planner;
use ralph_core::merge_queue::TrialEnd;
use ralph_core::pull::{CheckState, Pull, PullState};
use ralph_core::time::Span;
use ralph_core::watch::{Pace, Resource, Watch};

const APP: &str = "acme/app";

fn by_hand(pull: &mut Pull) {
    pull.state = PullState::Merged { commit: Sha::new("by-hand") };
}

/// Returns the commit by which this issue came into the bot branch.
fn merged_by(story: &Story, which: u64) -> Option<&str> {
    let Phase::InBot { merged, .. } = &story.managed(which).phase else { return None };
    Some(merged.as_str())
}

fn is_read_soon(story: &Story, resource: &Resource) -> bool {
    let issues = [7, 8].map(|which| story.decision(which));
    let all = issues.into_iter().chain([story.repo_decision(APP)]);
    let soon = Watch { resource: resource.clone(), pace: Pace::Soon };
    all.into_iter().any(|decision| decision.watch.contains(&soon))
}

#[test]
fn the_members_of_a_trial_that_a_person_merged_are_in_the_bot_branch() {
    for state in [CheckState::Pending, CheckState::Pass, CheckState::Fail] {
        let mut story = tried(&[7, 8]);
        shows(&mut story, state, by_hand);
        assert_eq!(last_end(&story), &TrialEnd::MergedByHand);
        assert_eq!([7, 8].map(|which| merged_by(&story, which)), [Some("by-hand"); 2]);
        assert!(together(&story).is_empty());
        assert!(story.wants_of_repo(APP).contains("rmbranch:ralph/trial/1"));
        assert!(!story.wants_of_repo(APP).contains("trial-close:"), "it is closed");
        assert_eq!(merge_queue(&story).planner, Planner::default(), "it was not fruitless");
    }
}

#[test]
fn of_a_trial_that_a_person_merged_the_next_run_of_a_member_is_no_member() {
    let mut story = tried(&[7, 8]);
    shows(&mut story, CheckState::Pending, by_hand);
    let mut other = story.run(7).clone();
    assert!(merge_queue(&story).merged_by_hand(7, &other).is_some());
    assert_eq!(merge_queue(&story).merged_by_hand(9, &other), None);
    other.pull = Some(PullNumber(500));
    assert_eq!(merge_queue(&story).merged_by_hand(7, &other), None);
    let mut changed = story.run(7).clone();
    changed.head.as_mut().expect("a head").commit = Sha::new("another");
    assert_eq!(merge_queue(&story).merged_by_hand(7, &changed), None);
}

#[test]
fn whoever_moved_the_bot_branch_may_have_merged_the_trial_so_that_is_read_first() {
    for is_merged in [false, true] {
        let mut story = tried(&[7, 8]);
        shows(&mut story, CheckState::Pass, |_| {});
        assert!(merged_onto(&story, 7).is_some());
        story.passes(Span::from_mins(2));
        story.reads_branches("main-0", Some("by-hand"));
        let pull = merge_queue(&story).trial.as_ref().and_then(|trial| trial.pull());
        let trial = Resource::Trial(repo(APP), pull.expect("a pull request").number);
        assert!(is_read_soon(&story, &trial));
        assert_eq!([7, 8].map(|which| merged_onto(&story, which)), [None, None]);
        shows(&mut story, CheckState::Pass, |pull| {
            if is_merged {
                by_hand(pull);
            }
        });
        let end = if is_merged { TrialEnd::MergedByHand } else { TrialEnd::BaseMoved };
        assert_eq!(last_end(&story), &end);
        assert_eq!(merged_by(&story, 7).is_some(), is_merged);
    }
}

#[test]
fn a_trial_that_cannot_be_read_is_over_in_time() {
    let mut story = tried(&[7, 8]);
    story.passes(Span::from_mins(2));
    story.reads_branches("main-0", Some("bot-2"));
    assert!(merge_queue(&story).trial.is_some(), "{}", story.stands(7));
    story.passes(Span::from_mins(43));
    assert_eq!(last_end(&story), &TrialEnd::BaseMoved);
}

#[test]
fn nobody_is_tested_again_before_it_is_known_not_to_be_what_was_merged() {
    for batch_max in [1, 8] {
        let mut story = ready(batch_max, &[7, 8]);
        story.passes(Span::from_mins(2));
        story.reads_branches("main-0", Some("by-hand"));
        assert!(together(&story).is_empty() && !is_tested_alone(&story, 7), "{}", story.stands(7));
        assert!(is_read_soon(&story, &Resource::Pull(7.key(), PullNumber(107))));
        story.reads_pull(7, by_hand);
        assert_eq!(merged_by(&story, 7), Some("by-hand"));
        assert!(!is_tested_alone(&story, 8), "{}", story.stands(8));
        story.reads_pull(8, |_| {});
        assert!(is_tested_alone(&story, 8), "{}", story.stands(8));
    }
}
