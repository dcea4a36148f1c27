//! Admission: the issues that are claimed and started, and their order.

use crate::outside::QUEUED;
use crate::story::{Story, Which as _, policy};
use insta::assert_snapshot;
use ralph_core::command::Command;
use ralph_core::steps::Step;
use ralph_core::time::Span;

/// Queues issues a minute apart, in this order.
fn queue(story: &mut Story, numbers: &[u64]) {
    for number in numbers {
        story.queued(*number);
        story.passes(Span::from_mins(1));
    }
}

/// A story in which nothing is admitted until `opens`.
fn closed() -> Story {
    let mut story = Story::plain();
    story.policy.max_workers = 0;
    story
}

fn opens(story: &mut Story, max_workers: u32) {
    story.settles();
    story.told();
    story.policy.max_workers = max_workers;
    story.looks_at_everything();
}

fn claims(story: &mut Story) -> String {
    let told = story.told();
    let claims: Vec<_> = told.lines().filter(|line| line.ends_with("claimed")).collect();
    claims.join(", ")
}

#[test]
fn one_slot_admits_the_oldest_issue_only() {
    let mut story = closed();
    queue(&mut story, &[9, 7, 8]);
    opens(&mut story, 6);
    assert_snapshot!(story.told(), @"
    #9 claimed
    #9 > label+ralph:status:in-progress
    #9 attempt 1 of this issue: workspace
    #9 > start:1
    ");
    assert_eq!(story.stands(7), "queued: next in line, waits for a free worker");
}

#[test]
fn a_priority_goes_before_age_and_none_counts_as_p2() {
    let mut story = closed();
    story.policy.repos.values_mut().for_each(|rules| {
        rules.slots = 5;
        rules.claims_max = 5;
    });
    for (number, priority) in [(1, "p3"), (2, ""), (3, "p2"), (4, "p1"), (5, "P0")] {
        story.sees(number, &[&format!("ralph:priority:{priority}")]);
        story.queued(number);
        story.passes(Span::from_mins(1));
    }
    opens(&mut story, 6);
    assert_eq!(claims(&mut story), "#5 claimed, #4 claimed, #2 claimed, #3 claimed, #1 claimed");
}

#[test]
fn a_priority_given_while_it_waits_counts() {
    let mut story = closed();
    queue(&mut story, &[1, 2]);
    story.settles();
    story.sees(2, &[QUEUED, "ralph:priority:p0"]);
    opens(&mut story, 6);
    assert_eq!(claims(&mut story), "#2 claimed");
}

#[test]
fn begun_work_goes_before_a_new_claim() {
    let mut story = Story::plain();
    story.queued(9);
    story.reaches(9, Step::Workspace);
    story.passes(Span::from_mins(1));
    story.sees(1, &["ralph:priority:p0"]);
    story.queued(1);
    story.settles();
    story.told();
    story.finishes(9, story.success(9, Step::Workspace));
    assert_snapshot!(story.told(), @"
    #9 next step: plan
    #9 attempt 2 of this issue: plan
    #9 > start:2
    ");
}

#[test]
fn waiting_for_checks_holds_no_slot() {
    let mut story = Story::plain();
    story.queued(1);
    story.reaches(1, Step::Checks);
    story.queued(2);
    assert_eq!(story.managed(2).work.as_ref().map(|work| work.step), Some(Step::Workspace));
}

#[test]
fn claims_are_capped_apart_from_slots() {
    let mut story = Story::with(|rules| rules.claims_max = 2);
    for number in [1, 2, 3] {
        story.queued(number);
    }
    story.reaches(1, Step::Checks);
    story.reaches(2, Step::Checks);
    assert_eq!(story.stands(3), "queued: next in line, waits for a free worker");
    story.ordered(1, Command::Stop);
    story.settles();
    assert_eq!(
        story.stands(3),
        "in-progress: running workspace, until 2026-01-05 09:10:00Z at most"
    );
}

#[test]
fn slots_and_workers_bound_processes_over_all_repositories() {
    let mut policy = policy();
    policy.max_workers = 3;
    for name in ["acme/a", "acme/b", "acme/c"] {
        policy.repos.insert(
            crate::story::repo(name),
            ralph_core::policy::RepoPolicy { slots: 2, ..crate::story::rules() },
        );
    }
    let mut story = Story::new(policy);
    for name in ["acme/a", "acme/b", "acme/c"] {
        for number in [1, 2, 3] {
            story.queued((name, number));
        }
    }
    assert_eq!(story.world.busy(), 3);
    story.policy.max_workers = 60;
    story.looks_at_everything();
    assert_eq!(story.world.busy(), 6);
}

#[test]
fn two_processes_of_one_repository_never_share_a_slot_folder() {
    let mut story = Story::with(|rules| rules.slots = 2);
    story.queued(1);
    story.queued(2);
    story.queued(3);
    story.settles();
    assert_eq!((story.run(1).slot, story.run(2).slot), (0, 1));
    story.ordered(1, Command::Stop);
    story.settles();
    assert_eq!((story.run(3).slot, story.run(2).slot), (0, 1));
}

#[test]
fn draining_claims_and_starts_nothing_and_lets_what_runs_finish() {
    let mut story = Story::plain();
    story.queued(1);
    story.reaches(1, Step::Plan);
    story.policy.draining = true;
    story.looks_at_everything();
    story.queued(2);
    story.told();
    story.finishes(1, story.success(1, Step::Plan));
    assert_snapshot!(story.told(), @"#1 next step: plan review");
    assert_eq!(story.world.busy(), 0);
    story.policy.draining = false;
    story.looks_at_everything();
    story.settles();
    assert_snapshot!(story.told(), @"
    #1 attempt 3 of this issue: plan review
    #1 > start:3
    ");
}

#[test]
fn a_repository_that_is_not_configured_gets_nothing() {
    let mut story = Story::plain();
    story.queued(("acme/other", 7));
    story.settles();
    assert_eq!(story.wanted(), []);
    assert!(story.world.issue(&("acme/other", 7).key()).is_some_and(|it| it.managed.is_none()));
    assert_eq!(story.world.busy(), 0);
}

#[test]
fn without_a_preflight_command_nothing_is_claimed_and_it_says_so() {
    let mut story = Story::with(|rules| rules.preflight = None);
    story.queued(7);
    assert_snapshot!(story.stands(7), @"queued: set `preflight_command` for this repository ([] to skip it)");
    story.policy.repos.values_mut().for_each(|rules| rules.preflight = Some(Vec::new()));
    story.looks_at_everything();
    assert_snapshot!(story.stands(7), @"in-progress: starting workspace");
}

#[test]
fn nothing_is_claimed_before_there_is_a_bot_branch() {
    let mut story = Story::plain();
    story.reads_branches("main-1", None);
    story.queued(7);
    assert_eq!(story.stands(7), "queued: waits until the bot branch is there");
    assert_eq!(claims(&mut story), "");
    story.settles();
    assert_eq!(claims(&mut story), "#7 claimed");
}
