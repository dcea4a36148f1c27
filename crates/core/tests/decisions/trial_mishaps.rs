//! Events during a trial build: rules that change, checks that change their result, late answers, and Ralph being
//! drained.

use crate::merge_queue::{
    is_tested_alone, last_end, merge_queue, merged_onto, merges, outrun, shows, together, tree_of,
    trial, tried,
};
use crate::outside::workspace;
use crate::red_checks::ASSERTION;
use crate::story::{Story, Which as _, repo};
use ralph_core::command::Command;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{
    BuiltTrial, Fact, Move, Outcome, RepoSettled, RunMove, RunSettled, Settled, What,
};
use ralph_core::gate::Gate;
use ralph_core::ids::{PullNumber, Sha};
use ralph_core::merge_queue::Planner;
use ralph_core::merge_queue::TrialEnd;
use ralph_core::policy::RepoPolicy;
use ralph_core::pull::{CheckState, Mergeable};
use ralph_core::repo::DesiredEffect;
use ralph_core::steps::Step;
use ralph_core::time::Span;

const APP: &str = "acme/app";

/// The operator changes the settings of the repository.
fn sets(story: &mut Story, change: impl FnOnce(&mut RepoPolicy)) {
    change(story.policy.repos.get_mut(&repo(APP)).expect("a repository"));
    story.looks_at_everything();
}

fn settled(what: RepoSettled) -> Fact {
    Fact::of_repo(repo(APP), What::Settled(Settled::Repo(what)))
}

/// The desired trial build, with these entries; the others conflict with them.
fn built(story: &Story, taken: &[u64]) -> Fact {
    let act = story.wanted().into_iter().find_map(|effect| match effect {
        Effect::Repo(_, RepoAct::BuildTrial { number, base, entries }) => {
            Some((number, base, entries))
        }
        Effect::Repo(..) | Effect::Issue(..) | Effect::Machine(..) => None,
    });
    let (number, base, entries) = act.expect("a trial to build");
    let (entries, apart): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|entry| taken.contains(&entry.issue));
    let entries = entries.into_iter().map(|entry| (entry, "tree".to_owned())).collect();
    let commit = Sha::new("trial");
    settled(RepoSettled::TrialBuilt(BuiltTrial { number, base, commit, entries, apart }))
}

/// The next trial build has its pull request.
fn tries(story: &mut Story) {
    story.performs("trial-build:");
    story.performs("trial-push:");
    story.performs(":trial:");
}

/// Another account moves the bot branch under the trial build, and everything is read again.
fn is_moved_on(story: &mut Story, to: &str) {
    story.passes(Span::from_mins(2));
    story.reads_branches("main-0", Some(to));
    if merge_queue(story).trial.is_some() {
        shows(story, CheckState::Pending, |_| {});
    }
    assert_eq!(last_end(story), &TrialEnd::BaseMoved);
    let queues = story.world.queues(&repo(APP)).expect("a known repository");
    let ready: Vec<u64> = queues.ready.iter().map(|(_, _, number)| *number).collect();
    ready.into_iter().for_each(|number| story.reads_pull(number, |_| {}));
}

#[test]
fn one_that_all_others_conflict_with_is_no_trial() {
    let mut story = outrun(8, &[7, 8]);
    story.tell(&built(&story, &[7]));
    assert!(merge_queue(&story).trial.is_none());
    assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
}

#[test]
fn whoever_conflicted_is_tried_with_the_others_again_once_the_bot_branch_has_moved() {
    let mut story = outrun(8, &[7, 8, 9]);
    story.tell(&built(&story, &[7, 9]));
    is_moved_on(&mut story, "bot-2");
    assert_eq!(together(&story), [7, 8, 9]);
}

#[test]
fn what_was_built_and_is_told_of_twice_is_one_trial() {
    let mut story = outrun(8, &[7, 8]);
    let built = built(&story, &[7, 8]);
    story.tell(&built);
    is_moved_on(&mut story, "bot-2");
    story.performs("rmbranch:ralph/trial/1");
    let before = merge_queue(&story).clone();
    story.tell(&built);
    assert_eq!(merge_queue(&story), &before);
}

#[test]
fn a_push_that_arrives_after_its_trial_is_over_is_cleared_away() {
    let mut story = outrun(8, &[7, 8]);
    story.performs("trial-build:");
    is_moved_on(&mut story, "bot-2");
    story.performs("rmbranch:ralph/trial/1");
    story.tell(&settled(RepoSettled::TrialPushed { number: 1 }));
    assert!(story.wants_of_repo(APP).contains("rmbranch:ralph/trial/1"));
}

#[test]
fn an_older_read_of_a_trial_is_no_news() {
    let mut story = tried(&[7, 8]);
    let before = story.now;
    story.passes(Span::from_mins(1));
    shows(&mut story, CheckState::Pending, |_| {});
    shows(&mut story, CheckState::Fail, |pull| pull.read_at = before);
    assert_eq!(trial(&story).number, 1);
}

#[test]
fn a_trial_that_comes_while_somebody_is_tested_alone_is_overtaken() {
    let mut story = outrun(8, &[7, 8, 9]);
    let built = built(&story, &[8, 9]);
    sets(&mut story, |rules| rules.batch_max = 1);
    assert!(is_tested_alone(&story, 7), "{}", story.stands(7));
    story.tell(&built);
    assert_eq!(last_end(&story), &TrialEnd::Overtaken);
}

#[test]
fn whoever_is_up_to_date_is_merged_first() {
    let mut story = Story::with(|rules| (rules.slots, rules.batch_max) = (3, 8));
    for (number, base) in [(7, "bot-0"), (8, "bot-0"), (10, "bot-1")] {
        story.queued(number);
        story.reaches(number, Step::Workspace);
        let ready = workspace(&story, number, None);
        let Outcome::WorkspaceReady { path, head, .. } = ready else { panic!("a workspace") };
        let base = Sha::new(base);
        story.finishes(
            number,
            Outcome::WorkspaceReady { path, base, head, guidance: Default::default() },
        );
        story.reaches(number, Step::Checks);
    }
    [7, 8, 10].into_iter().for_each(|number| story.passes_checks(number.key()));
    story.reads_branches("main-0", Some("bot-1"));
    assert!(together(&story).is_empty());
    assert!(story.wants(10).contains("merge:"), "{}", story.stands(10));
    assert_eq!(story.stands(7), "in-progress: waits for its turn, after #10");
}

#[test]
fn what_cannot_be_merged_in_time_though_it_was_green_is_tested_again() {
    let mut story = tried(&[7, 8]);
    shows(&mut story, CheckState::Pass, |_| {});
    assert!(merged_onto(&story, 7).is_some());
    story.passes(Span::from_mins(46));
    assert_eq!(last_end(&story), &TrialEnd::Stuck);
    assert_eq!(merged_onto(&story, 7), None);
}

#[test]
fn a_member_whose_own_merge_was_under_way_is_not_taken_for_the_first_in_the_trial() {
    let mut story = tried(&[7, 8, 9]);
    let (number, commit) = (PullNumber(108), Sha::new("bot-2"));
    let merged = What::Settled(Settled::Run(RunSettled::Merged { number, commit }));
    story.tell(&Fact::of(8.key(), merged));
    assert_eq!(last_end(&story), &TrialEnd::BaseMoved);
    assert_eq!(together(&story), [7, 9]);
}

#[test]
fn a_sync_waits_for_the_trial_and_the_next_trial_for_the_sync() {
    let mut story = tried(&[7, 8]);
    crate::sync::is_ready(&mut story, "bot-1");
    assert!(!story.wants_of_repo(APP).contains("sync-merge:"), "{}", story.wants_of_repo(APP));
    shows(&mut story, CheckState::Pending, |pull| pull.head = Sha::new("theirs"));
    assert!(story.wants_of_repo(APP).contains("sync-merge:"), "{}", story.wants_of_repo(APP));

    let mut story = outrun(8, &[7, 8]);
    crate::sync::is_ready(&mut story, "bot-1");
    assert!(story.wants_of_repo(APP).contains("sync-merge:"), "{}", story.wants_of_repo(APP));
    assert!(together(&story).is_empty());
}

#[test]
fn a_sync_ends_the_suspicion_of_those_who_were_red_together() {
    let mut story = tried(&[7, 8, 9, 10]);
    shows(&mut story, CheckState::Fail, |_| {});
    assert_eq!(together(&story), [7, 8]);
    let (number, commit) = (PullNumber(60), Sha::new("bot-2"));
    story.tell(&settled(RepoSettled::SyncMerged { number, commit }));
    assert_eq!(together(&story), [7, 8, 9, 10]);
}

#[test]
fn right_after_a_merge_of_ours_nothing_shows_whether_up_to_date_heads_are_wanted() {
    let mut story = tried(&[7, 8, 9]);
    shows(&mut story, CheckState::Pass, |_| {});
    let tree = tree_of(&story, 0);
    merges(&mut story, 7, &tree);
    story.reads_pull(9, |pull| pull.mergeable = Mergeable::Behind);
    story.reads_pull(9, |_| {});
    assert!(merge_queue(&story).is_strict, "it may be read as it was before");
    story.passes(Span::from_secs(61));
    story.reads_pull(9, |_| {});
    assert!(!merge_queue(&story).is_strict);
}

#[test]
fn trials_that_were_never_pushed_do_not_count_as_fruitless() {
    let mut story = outrun(8, &[7, 8]);
    for round in 1..=8 {
        story.performs("trial-build:");
        is_moved_on(&mut story, &format!("person-{round}"));
    }
    assert_eq!(together(&story), [7, 8]);
}

#[test]
fn a_trial_that_merges_one_of_several_is_not_fruitless() {
    let mut story = tried(&[7, 8, 9, 10]);
    for round in 1..=6 {
        is_moved_on(&mut story, &format!("person-{round}"));
        tries(&mut story);
    }
    shows(&mut story, CheckState::Pass, |_| {});
    let tree = tree_of(&story, 0);
    merges(&mut story, 7, &tree);
    is_moved_on(&mut story, "person-7");
    tries(&mut story);
    is_moved_on(&mut story, "person-8");
    assert_eq!(together(&story), [8, 9, 10]);
}

#[test]
fn a_refusal_is_forgotten_once_a_trial_is_open() {
    let mut story = outrun(8, &[7, 8, 9]);
    story.performs("trial-build:");
    story.performs("trial-push:");
    story.refuses(":trial:");
    story.ordered(7, Command::Stop);
    story.ordered(8, Command::Stop);
    story.ordered(9, Command::Stop);
    let refused = |story: &Story| {
        story.world.repo(&repo(APP)).unwrap().refusals.of(&DesiredEffect::Trials).cloned()
    };
    assert_eq!(refused(&story).map(|refusal| refusal.times), Some(1));
    let settled = settled(RepoSettled::TrialOpened { number: 2, pull: PullNumber(70) });
    story.tell(&settled);
    assert_eq!(refused(&story), None);
}

#[test]
fn whoever_is_red_in_its_turn_counts_once_as_a_bad_one() {
    let mut story = outrun(8, &[7]);
    assert!(is_tested_alone(&story, 7));
    story.reaches(7, Step::Checks);
    story.reads_pull(7, |pull| pull.mergeable = Mergeable::Blocked);
    story.reads_checks(7, &[("ci", "failure")]);
    let counted = merge_queue(&story).planner.clone();
    assert_ne!(counted, Planner::default());
    let gates = &story.run(7).gates;
    let record = gates.get(Gate::Ci).expect("a verdict").clone();
    let again = RunMove::Judged { gate: Gate::Ci, record: record.into() };
    story.tell(&Fact::of(7.key(), What::Moved(Move::Run(again))));
    assert_eq!(merge_queue(&story).planner, counted);

    let mut first = Story::plain();
    first.queued(7);
    first.reaches(7, Step::Checks);
    first.reads_pull(7, |pull| pull.mergeable = Mergeable::Blocked);
    first.reads_checks(7, &[("ci", "failure")]);
    first.reads_log(7, "ci", ASSERTION);
    assert_eq!(merge_queue(&first).planner, Planner::default(), "it was tried with nobody");
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
    assert!(merge_queue(&story).left.is_empty());
}
