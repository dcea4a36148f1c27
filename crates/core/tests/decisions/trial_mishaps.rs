//! What may come between a trial and its end: rules that change, checks that change their mind, answers that are late,
//! and Ralph being drained.

use crate::story::{Story, repo};
use crate::train::{
    is_tested_alone, last_end, merged_onto, merges, outrun, shows, together, train, tree_of, trial,
    tried,
};
use ralph_core::policy::RepoPolicy;
use ralph_core::pull::CheckState;
use ralph_core::repo::TrialEnd;
use ralph_core::time::Span;

const APP: &str = "acme/app";

/// The operator changes the settings of the repository.
fn sets(story: &mut Story, change: impl FnOnce(&mut RepoPolicy)) {
    change(story.policy.repos.get_mut(&repo(APP)).expect("a repository"));
    story.looks_at_everything();
}

#[test]
fn a_trial_of_which_nothing_is_required_any_more_is_over() {
    let mut unopened = outrun(8, &[7, 8]);
    unopened.performs("trial-build:");
    for mut story in [unopened, tried(&[7, 8])] {
        sets(&mut story, |rules| rules.required_checks = Some(Vec::new()));
        assert_eq!(last_end(&story), &TrialEnd::NothingRequired);
        assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
    }
}

#[test]
fn a_trial_of_which_is_not_known_what_it_needs_is_over_in_time() {
    let mut story = tried(&[7, 8]);
    sets(&mut story, |rules| rules.required_checks = None);
    assert_eq!(trial(&story).number, 1);
    story.passes(Span::from_mins(46));
    assert_eq!(last_end(&story), &TrialEnd::ChecksLate(Vec::new()));
}

#[test]
fn a_check_that_turns_red_after_all_stops_the_merges() {
    let mut story = tried(&[7, 8, 9]);
    shows(&mut story, CheckState::Pass, |_| {});
    let tree = tree_of(&story, 0);
    merges(&mut story, 7, &tree);
    assert!(merged_onto(&story, 8).is_some());
    shows(&mut story, CheckState::Fail, |_| {});
    assert_eq!(last_end(&story), &TrialEnd::ChecksFailed(vec!["ci".to_owned()]));
    assert_eq!([8, 9].map(|which| merged_onto(&story, which)), [None, None]);
}

#[test]
fn a_refusal_of_a_trial_that_is_over_says_nothing_about_the_next() {
    let mut story = outrun(8, &[7, 8]);
    story.performs("trial-build:");
    story.performs("trial-push:");
    let open = story.wanted().into_iter().find(|effect| effect.key().contains(":trial:"));
    story.reads_branches("main-0", Some("bot-2"));
    assert_eq!(last_end(&story), &TrialEnd::BaseMoved);
    story.performs("trial-build:");
    story.tell(&open.expect("a pull request to open").refused("the branch is gone"));
    assert_eq!(trial(&story).number, 2);
    assert!(story.wants_of_repo(APP).contains("trial-push:2"), "{}", story.wants_of_repo(APP));
}

#[test]
fn while_ralph_is_drained_no_trial_begins_and_nobody_is_tested_again() {
    let mut story = outrun(8, &[7, 8]);
    assert_eq!(together(&story), [7, 8]);
    story.policy.draining = true;
    story.looks_at_everything();
    assert!(together(&story).is_empty() && !is_tested_alone(&story, 7), "{}", story.stands(7));
    assert_eq!(story.stands(8), "in-progress: waits for a free worker to run workspace");
    story.policy.draining = false;
    story.looks_at_everything();
    assert_eq!(together(&story), [7, 8], "they lose nothing by it");
}

#[test]
fn a_trial_under_way_goes_on_to_its_end_while_ralph_is_drained() {
    let mut story = outrun(8, &[7, 8]);
    story.performs("trial-build:");
    story.policy.draining = true;
    story.looks_at_everything();
    story.performs("trial-push:");
    story.performs(":trial:");
    shows(&mut story, CheckState::Pass, |_| {});
    for (place, which) in [7, 8].into_iter().enumerate() {
        let tree = tree_of(&story, place);
        merges(&mut story, which, &tree);
    }
    assert_eq!(last_end(&story), &TrialEnd::Merged);
    story.performs("trial-close:");
    story.performs("rmbranch:ralph/trial/1");
    assert!(train(&story).left.is_empty());
}
