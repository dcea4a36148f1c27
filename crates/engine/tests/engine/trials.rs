//! Effects on a trial build, and finding their results after a lost answer.

use crate::hand_forge::{BOT, STRANGER};
use crate::harness::{Harness, key};
use crate::lookups::asked;
use ralph_core::effect::{Effect, RepoAct};
use ralph_core::fact::{BuiltTrial, Fact, RepoSettled, Settled, What};
use ralph_core::ids::{Branch, PullNumber, Sha};
use ralph_core::merge_queue::{Entry, trial_branch};
use ralph_core::pull::PullState;
use ralph_core::words;
use ralph_engine::ports::NewPull;
use ralph_engine::{Leased, Performed};

/// A leased effect on a trial build, as if it had been tried before or not.
fn lease_of(harness: &mut Harness, act: RepoAct, looks_first: bool) -> Leased {
    harness.forge.has_moved = true;
    let leased = harness.leases_next(":branch:ralph/sync-");
    Leased { effect: Effect::Repo(key(1).repo, act), looks_first, ..leased }
}

fn happened(settled: RepoSettled) -> Performed {
    let what = What::Settled(Settled::Repo(settled));
    Performed::Happened(vec![Fact::of_repo(key(1).repo, what)])
}

fn opens() -> RepoAct {
    RepoAct::OpenTrial {
        number: 3,
        commit: Sha::new("head-1"),
        head: trial_branch(3),
        base: Branch::new("bot/integration"),
        title: "Trial 3".to_owned(),
        body: words::trial_marker(3).render(),
    }
}

const DRAFT: &str = "draft ralph/trial/3 -> bot/integration";

#[test]
fn heads_are_merged_in_order_and_nobody_hears_of_it() {
    let mut harness = Harness::new();
    let entry = |issue: u64| Entry {
        issue,
        diff: "diff".to_owned(),
        pull: PullNumber(issue + 40),
        head: Sha::new(&format!("head-{issue}")),
    };
    let (base, entries) = (Sha::new("bot-1"), vec![entry(7), entry(8)]);
    let act = RepoAct::BuildTrial { number: 3, base: base.clone(), entries };
    let built = lease_of(&mut harness, act, false);
    let before = harness.forge.asked.len();
    let entries = [7, 8].map(|issue| (entry(issue), format!("tree-head-{issue}"))).to_vec();
    let (commit, apart) = (Sha::new("trial-1"), Vec::new());
    let expected = BuiltTrial { number: 3, base, commit, entries, apart };
    assert_eq!(harness.performs(&built), happened(RepoSettled::TrialBuilt(expected)));
    assert_eq!(harness.forge.asked.len(), before);
    assert!(harness.work.asked().contains(&"build head-7 head-8 on bot-1".to_owned()));
}

#[test]
fn a_push_whose_answer_was_lost_is_found_on_its_branch() {
    let mut harness = Harness::new();
    let act = RepoAct::PushTrial { number: 3, commit: Sha::new("trial-1") };
    let push = lease_of(&mut harness, act, true);
    let done = happened(RepoSettled::TrialPushed { number: 3 });
    assert_eq!(harness.performs(&push), done);
    assert_eq!(harness.performs(&push), done);
    let pushes = harness.work.asked().iter().filter(|it| it.contains("ralph/trial/3")).count();
    assert_eq!(pushes, 1, "found the second time");
}

#[test]
fn an_opening_whose_answer_was_lost_is_found_whatever_a_person_did_to_it_since() {
    for state in [PullState::Open, PullState::Closed] {
        let mut harness = Harness::new();
        let open = lease_of(&mut harness, opens(), true);
        let done = happened(RepoSettled::TrialOpened { number: 3, pull: PullNumber(50) });
        assert_eq!(harness.performs(&open), done);
        harness.forge.pulls.get_mut(&50).unwrap().state = state;
        assert_eq!(harness.performs(&open), done);
        assert_eq!(asked(&harness, DRAFT), 1);
    }
}

#[test]
fn what_a_stranger_opened_or_an_earlier_store_left_is_not_taken_for_ours() {
    let mut harness = Harness::new();
    let open = lease_of(&mut harness, opens(), true);
    let RepoAct::OpenTrial { head, base, title, body, .. } = opens() else { unreachable!() };
    let new = NewPull { head: &head, base: &base, title: &title, body: &body };
    harness.forge.proposes(STRANGER, &new);
    let left = harness.forge.proposes(BOT, &new);
    let shown = harness.forge.pulls.get_mut(&left.number.0).unwrap();
    (shown.state, shown.head) = (PullState::Closed, Sha::new("of-another-time"));
    let done = happened(RepoSettled::TrialOpened { number: 3, pull: PullNumber(52) });
    assert_eq!(harness.performs(&open), done);
}

#[test]
fn a_trial_that_is_over_is_closed() {
    let mut harness = Harness::new();
    let open = lease_of(&mut harness, opens(), false);
    harness.performs(&open);
    let act = RepoAct::CloseTrial { pull: PullNumber(50) };
    let close = Leased { effect: Effect::Repo(key(1).repo, act), ..open };
    let done = happened(RepoSettled::TrialClosed { pull: PullNumber(50) });
    assert_eq!(harness.performs(&close), done);
    assert_eq!(harness.forge.pulls[&50].state, PullState::Closed);
}
