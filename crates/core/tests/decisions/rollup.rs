//! The way to the default branch: one rollup at a time, when it is due, with all pull requests merged by then.

use crate::end::merged;
use crate::story::{Story, repo};
use insta::assert_snapshot;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{Fact, Observation, RepoObservation, RepoSettled, Settled, What};
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::issue::{Phase, Seen};
use ralph_core::pull::{Mergeable, Pull, PullState};
use ralph_core::repo::LabelFault;
use ralph_core::time::Span;
use std::collections::BTreeMap;

/// Returns the body of the rollup that is desired now.
fn body(story: &Story) -> Option<String> {
    story.wanted().into_iter().find_map(|effect| {
        let Effect::Repo(_, act) = effect else { return None };
        let (RepoAct::OpenRollup { body, .. } | RepoAct::EditRollup { body, .. }) = act else {
            return None;
        };
        Some(body)
    })
}

/// Returns the title of the rollup that is desired now.
fn title(story: &Story) -> Option<String> {
    story.wanted().into_iter().find_map(|effect| {
        let Effect::Repo(_, RepoAct::OpenRollup { title, .. }) = effect else { return None };
        Some(title)
    })
}

pub(crate) fn reads_rollup(story: &mut Story, state: PullState) {
    let open = story.world.repo(&repo("acme/app")).and_then(|repo| repo.batch.rollup.clone());
    let pull = Pull {
        number: open.expect("an open rollup").number,
        head: Sha::new("bot-head"),
        base: Branch::new("main"),
        state,
        mergeable: Mergeable::Clean,
        checks: None,
        read_at: story.now,
    };
    story.reads_repo("acme/app", RepoObservation::Rollup(pull));
}

fn batch_of(story: &Story, number: u64) -> u32 {
    let Phase::InBot { batch, .. } = story.managed(number).phase else {
        panic!("{}", story.stands(number))
    };
    batch
}

#[test]
fn a_batch_is_rolled_up_after_five_idle_minutes() {
    let mut story = merged(&[7]);
    assert_eq!(story.wants_of_repo("acme/app"), "");
    story.passes(Span(Span::from_mins(5).0 - 1));
    assert_eq!(story.wants_of_repo("acme/app"), "");
    story.passes(Span(1));
    assert_eq!(story.wants_of_repo("acme/app"), "rollup:0");
    assert_snapshot!(body(&story).unwrap_or_default(), @"
    <!-- ralph-rollup:id=acme/app-1 -->
    Ready for the default branch:

    - #107 for #7

    Closes #7
    ");
}

#[test]
fn manual_checks_are_those_the_issue_asked_for_when_it_was_merged() {
    let mut story = Story::plain();
    story.reads_branches("main-1", Some("bot-1"));
    story.queued(7);
    let asks = |seen: &mut Seen, what: &str| seen.manual_checks = vec![what.to_owned()];
    story.sees_issue(7, |seen| asks(seen, "Open the page"));
    story.merges(7);
    story.sees_issue(7, |seen| asks(seen, "Dance"));
    story.passes(Span::from_mins(5));
    let body = body(&story).unwrap_or_default();
    assert!(body.contains("For #7:\n- [ ] `Open the page`\n"), "{body}");
    assert!(!body.contains("Dance"), "{body}");
}

#[test]
fn each_member_starts_the_idle_time_again() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(4));
    story.queued(8);
    story.merges(8);
    story.passes(Span::from_mins(4));
    assert_eq!(story.wants_of_repo("acme/app"), "");
    story.passes(Span::from_mins(1));
    assert_eq!(story.wants_of_repo("acme/app"), "rollup:0");
}

#[test]
fn a_full_batch_is_rolled_up_at_once() {
    let mut story = Story::with(|rules| rules.rollup_size = 3);
    story.reads_branches("main-1", Some("bot-1"));
    for number in [1, 2, 3] {
        assert!(!story.told().contains("rollup"));
        story.queued(number);
        story.merges(number);
    }
    assert!(story.told().contains("rollup:0"));
}

#[test]
fn there_is_one_rollup_at_a_time_and_who_comes_later_joins_it() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    story.settles();
    assert_eq!(story.stands(7), "in-bot: in the bot branch, rollup #916 is open");
    story.told();
    story.queued(8);
    story.reaches(8, ralph_core::steps::Step::Checks);
    story.reads_pull(8, |_| {});
    story.reads_checks(8, &[("ci", "success")]);
    story.performs("merge:");
    assert_eq!(story.wants_of_repo("acme/app"), "rollup-edit:#916");
    assert_snapshot!(body(&story).unwrap_or_default(), @"
    <!-- ralph-rollup:id=acme/app-1 -->
    Ready for the default branch:

    - #107 for #7
    - #108 for #8

    Closes #7
    Closes #8
    ");
    story.settles();
    assert_eq!(story.wants_of_repo("acme/app"), "", "edited once");
    story.passes(Span::from_mins(60));
    assert_eq!(story.wants_of_repo("acme/app"), "");
}

#[test]
fn the_title_of_a_rollup_counts_it_once_and_stays_whoever_joins() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    assert_eq!(title(&story).as_deref(), Some("Rollup 1: bot/integration into main"));
    story.settles();
    story.queued(8);
    story.reaches(8, ralph_core::steps::Step::Checks);
    story.reads_pull(8, |_| {});
    story.reads_checks(8, &[("ci", "success")]);
    story.performs("merge:");
    assert_eq!(story.wants_of_repo("acme/app"), "rollup-edit:#916");
    assert_eq!(title(&story), None, "an edit leaves the title");
}

#[test]
fn a_rollup_closed_unmerged_waits_for_a_new_member() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    story.settles();
    reads_rollup(&mut story, PullState::Closed);
    story.passes(Span::from_mins(60));
    assert_eq!(story.wants_of_repo("acme/app"), "");
    story.queued(8);
    story.merges(8);
    story.passes(Span::from_mins(5));
    assert_eq!(story.wants_of_repo("acme/app"), "rollup:0");
    let body = body(&story).unwrap_or_default();
    assert!(body.contains("Closes #7") && body.contains("Closes #8"), "{body}");
}

#[test]
fn a_merged_rollup_ends_its_batch_and_a_late_member_joins_the_next() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    story.settles();
    story.queued(8);
    story.merges(8);
    reads_rollup(&mut story, PullState::Merged { commit: Sha::new("rolled-up") });
    story.reads_branches("main-2", Some("bot-2"));
    assert_eq!((batch_of(&story, 7), batch_of(&story, 8)), (0, 0));
    crate::end::reaches_default(&mut story, 7);
    let default_head = Sha::new("main-2");
    story.reads(8, Observation::Reach { default_head, evidence: None });
    assert_eq!(batch_of(&story, 8), 0, "a read may lag behind the merge");
    story.settles();
    story.told();
    story.passes(Span::from_secs(60));
    assert_eq!((batch_of(&story, 8), story.stands(7).as_str()), (1, "done: done"));
    story.passes(Span::from_mins(5));
    assert_snapshot!(story.told(), @"
    #8 joins batch 2
    repository > rollup:1
    ");
}

#[test]
fn a_look_from_before_a_rollup_was_merged_does_not_prove_that_it_left_something_out() {
    let mut story = merged(&[7]);
    story.policy.read_lag = Span::from_secs(0);
    story.passes(Span::from_mins(5));
    story.settles();
    let default_head = Sha::new("main-1");
    story.reads(7, Observation::Reach { default_head, evidence: None });
    reads_rollup(&mut story, PullState::Merged { commit: Sha::new("rolled-up") });
    assert_eq!(batch_of(&story, 7), 0);
    story.reads_branches("main-2", Some("bot-2"));
    let default_head = Sha::new("main-2");
    story.reads(7, Observation::Reach { default_head, evidence: None });
    assert_eq!(batch_of(&story, 7), 1, "looked for after the merge, and not found");
}

#[test]
fn a_refused_rollup_is_asked_again_after_growing_pauses() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    for pause in [1, 2, 4, 8] {
        story.refuses("rollup:0");
        story.passes(Span(Span::from_mins(pause).0 - 1));
        assert_eq!(story.wants_of_repo("acme/app"), "", "before {pause} minutes have passed");
        story.passes(Span(1));
        assert_eq!(story.wants_of_repo("acme/app"), "rollup:0", "after {pause} minutes");
    }
    story.settles();
    assert!(!story.repo_stands("acme/app").contains("refused"), "granted at last");
}

#[test]
fn a_refused_rollup_is_asked_again_at_once_with_a_new_member() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    (0..7).for_each(|_| {
        story.refuses("rollup:0");
        story.passes(Span::from_mins(60));
    });
    story.refuses("rollup:0");
    story.queued(8);
    story.merges(8);
    story.passes(Span::from_mins(5));
    assert_eq!(story.wants_of_repo("acme/app"), "rollup:0");
}

#[test]
fn a_rollup_of_a_persons_own_is_edited_within_its_section_only() {
    let mut story = merged(&[7]);
    story.passes(Span::from_mins(5));
    let (number, head) = (PullNumber(44), Sha::new("bot-1"));
    let adopted = RepoSettled::RollupAdopted { number, head };
    story.tell(&Fact::of_repo(repo("acme/app"), What::Settled(Settled::Repo(adopted))));
    let section_of = |story: &Story| {
        story.wanted().into_iter().find_map(|effect| {
            let Effect::Repo(_, RepoAct::EditRollup { pull, section_of, .. }) = effect else {
                return None;
            };
            Some((pull, section_of?))
        })
    };
    let expected = (PullNumber(44), Branch::new("bot/integration"));
    assert_eq!(section_of(&story), Some(expected));
    story.settles();
    assert_eq!((story.wants_of_repo("acme/app").as_str(), section_of(&story)), ("", None));
    story.queued(8);
    story.merges(8);
    assert_eq!(story.wants_of_repo("acme/app"), "", "edited once more on the way");
}

#[test]
fn a_missing_bot_branch_is_made_from_the_default_branch() {
    let mut story = Story::plain();
    story.reads_branches("main-1", None);
    assert_eq!(story.wants_of_repo("acme/app"), "branch:bot/integration");
    let made = story.wanted().into_iter().find_map(|effect| {
        let Effect::Repo(_, RepoAct::MakeBranch { at, .. }) = effect else { return None };
        Some(at)
    });
    assert_eq!(made, Some(Sha::new("main-1")));
    story.settles();
    assert_eq!(story.wants_of_repo("acme/app"), "");
}

#[test]
fn without_a_bot_branch_of_its_own_there_is_no_rollup() {
    let mut story = Story::with(|rules| rules.bot_branch = Branch::new("main"));
    story.reads_branches("main-1", None);
    assert_eq!(story.wants_of_repo("acme/app"), "");
}

#[test]
fn labels_that_are_missing_or_drifted_are_defined() {
    let mut story = Story::plain();
    let wrong = [
        ("ralph:status:done".to_owned(), LabelFault::Missing),
        ("ralph:cmd:stop".to_owned(), LabelFault::Drifted),
    ];
    story.reads_repo("acme/app", RepoObservation::Labels { wrong: wrong.into() });
    assert_eq!(story.wants_of_repo("acme/app"), "define:ralph:cmd:stop define:ralph:status:done");
    story.settles();
    assert_eq!(
        (story.wants_of_repo("acme/app"), story.repo_stands("acme/app")),
        Default::default()
    );
}

/// A repository in which Ralph may not define labels, and which has no bot branch.
fn without_rights() -> Story {
    let mut story = Story::plain();
    let wrong = [("ralph:cmd:stop".to_owned(), LabelFault::Drifted)];
    story.reads_repo("acme/app", RepoObservation::Labels { wrong: wrong.into() });
    story.reads_branches("main-1", None);
    for wanted in ["define:", "branch:"] {
        story.refuses(wanted);
    }
    story
}

#[test]
fn what_is_refused_is_told_with_the_time_of_the_next_try() {
    let mut story = without_rights();
    assert_eq!(story.wants_of_repo("acme/app"), "");
    assert_snapshot!(story.repo_stands("acme/app"), @"the forge refused once to make the branch bot/integration (not allowed), asked again from 2026-01-05 09:01:00Z on; the forge refused once to define the label ralph:cmd:stop (not allowed), asked again from 2026-01-05 09:01:00Z on");
    story.passes(Span::from_mins(1));
    assert_eq!(story.wants_of_repo("acme/app"), "branch:bot/integration define:ralph:cmd:stop");
    story.refuses("branch:");
    story.performs("define:");
    assert_snapshot!(story.repo_stands("acme/app"), @"the forge refused 2 times to make the branch bot/integration (not allowed), asked again from 2026-01-05 09:03:00Z on");
}

#[test]
fn a_label_that_was_mended_by_hand_is_not_refused_any_more() {
    let mut story = without_rights();
    story.reads_repo("acme/app", RepoObservation::Labels { wrong: BTreeMap::new() });
    story.reads_branches("main-1", Some("main-1"));
    assert_eq!(story.repo_stands("acme/app"), "");
}
