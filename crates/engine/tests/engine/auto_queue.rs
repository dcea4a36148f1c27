//! Issues that are queued without a label: the prompt has their text although it was not kept at first, and a dry run
//! is shown while it lasts.

use crate::hand_forge::ReplyMode;
use crate::harness::{Harness, key};
use ralph_core::policy::AutoQueue;
use ralph_core::standing::Standing;
use ralph_core::time::Span;

const BODY: &str = "The button should be blue.";

/// An issue without a label; a later one has moved the cursor past it, and no label can be written.
fn read_with(auto_queue: AutoQueue) -> Harness {
    let mut harness = Harness::new();
    harness.forge.opens(&key(7), "Paint it", BODY);
    sets(&mut harness, auto_queue);
    harness.reads();
    harness.later(Span::from_mins(10));
    harness.forge.mode = ReplyMode::Refuses;
    harness.forge.opens(&key(8), "Later", "");
    harness.forge.rewrites(&key(8), &[], false, "");
    harness.reads();
    harness
}

fn sets(harness: &mut Harness, auto_queue: AutoQueue) {
    harness.policy.repos.values_mut().for_each(|rules| rules.auto_queue = auto_queue);
    let (now, policy) = (harness.now, harness.policy.clone());
    harness.engine().set_policy(now, policy).unwrap();
}

fn first_prompt(harness: &mut Harness) -> String {
    loop {
        let leased = harness.leases_next(":start:");
        let performed = harness.performs(&leased);
        harness.settles(leased.id, performed);
        if !leased.prompt.is_empty() {
            return leased.prompt;
        }
        harness.ends_work();
    }
}

#[test]
fn the_text_of_an_issue_is_in_the_prompt_whenever_it_was_queued() {
    let mut harness = read_with(AutoQueue::AllOpen);
    assert!(first_prompt(&mut harness).contains(BODY), "queued when it was read");

    let mut harness = read_with(AutoQueue::LabeledOnly);
    sets(&mut harness, AutoQueue::AllOpen);
    assert!(first_prompt(&mut harness).contains(BODY), "queued later");

    let mut harness = read_with(AutoQueue::LabeledOnly);
    harness.policy.repos.values_mut().for_each(|rules| rules.auto_queue = AutoQueue::AllOpen);
    harness.dies_and_returns();
    assert!(first_prompt(&mut harness).contains(BODY), "queued at the next start");
}

#[test]
fn a_dry_run_is_shown_as_long_as_it_lasts() {
    let shown = |harness: &Harness| harness.reader().status().unwrap().issues;
    let mut harness = read_with(AutoQueue::AllOpenDryRun);
    for _ in 0..2 {
        let issues = shown(&harness);
        assert_eq!((issues.len(), issues[0].number), (1, 7));
        assert_eq!((&issues[0].status, &issues[0].standing), (&None, &Some(Standing::WouldQueue)));
        assert_eq!(issues[0].says, "would be queued by itself (dry run)");
        assert_eq!(harness.keys().iter().filter(|key| key.contains("#7")).count(), 0);
        harness.dies_and_returns();
    }
    sets(&mut harness, AutoQueue::LabeledOnly);
    assert_eq!(shown(&harness), []);
    sets(&mut harness, AutoQueue::AllOpenDryRun);
    sets(&mut harness, AutoQueue::AllOpen);
    assert_eq!(shown(&harness)[0].status.as_deref(), Some("in-progress"));
}
