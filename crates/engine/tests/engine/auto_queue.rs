//! Issues that are queued without a label: the prompt has their text although it was not kept at first, and a dry run
//! is shown while it lasts.

use crate::desk::{Desk, key};
use crate::hand_forge::Mood;
use ralph_core::policy::AutoQueue;
use ralph_core::standing::Standing;
use ralph_core::time::Span;

const BODY: &str = "The button should be blue.";

/// An issue without a label; a later one has moved the cursor past it, and no label can be written.
fn read_with(auto_queue: AutoQueue) -> Desk {
    let mut desk = Desk::new();
    desk.forge.opens(&key(7), "Paint it", BODY);
    sets(&mut desk, auto_queue);
    desk.reads();
    desk.later(Span::from_mins(10));
    desk.forge.mood = Mood::Refuses;
    desk.forge.opens(&key(8), "Later", "");
    desk.forge.rewrites(&key(8), &[], false, "");
    desk.reads();
    desk
}

fn sets(desk: &mut Desk, auto_queue: AutoQueue) {
    desk.policy.repos.values_mut().for_each(|rules| rules.auto_queue = auto_queue);
    let (now, policy) = (desk.now, desk.policy.clone());
    desk.engine().set_policy(now, policy).unwrap();
}

fn first_prompt(desk: &mut Desk) -> String {
    loop {
        let leased = desk.leases_next(":start:");
        let performed = desk.performs(&leased);
        desk.settles(leased.id, performed);
        if !leased.prompt.is_empty() {
            return leased.prompt;
        }
        desk.ends_work();
    }
}

#[test]
fn the_text_of_an_issue_is_in_the_prompt_whenever_it_was_queued() {
    let mut desk = read_with(AutoQueue::AllOpen);
    assert!(first_prompt(&mut desk).contains(BODY), "queued when it was read");

    let mut desk = read_with(AutoQueue::LabeledOnly);
    sets(&mut desk, AutoQueue::AllOpen);
    assert!(first_prompt(&mut desk).contains(BODY), "queued later");

    let mut desk = read_with(AutoQueue::LabeledOnly);
    desk.policy.repos.values_mut().for_each(|rules| rules.auto_queue = AutoQueue::AllOpen);
    desk.dies_and_returns();
    assert!(first_prompt(&mut desk).contains(BODY), "queued at the next start");
}

#[test]
fn a_dry_run_is_shown_as_long_as_it_lasts() {
    let shown = |desk: &Desk| desk.reader().status().unwrap().issues;
    let mut desk = read_with(AutoQueue::AllOpenDryRun);
    for _ in 0..2 {
        let issues = shown(&desk);
        assert_eq!((issues.len(), issues[0].number), (1, 7));
        assert_eq!((&issues[0].status, &issues[0].standing), (&None, &Some(Standing::WouldQueue)));
        assert_eq!(issues[0].says, "would be queued by itself (dry run)");
        assert_eq!(desk.keys().iter().filter(|key| key.contains("#7")).count(), 0);
        desk.dies_and_returns();
    }
    sets(&mut desk, AutoQueue::LabeledOnly);
    assert_eq!(shown(&desk), []);
    sets(&mut desk, AutoQueue::AllOpenDryRun);
    sets(&mut desk, AutoQueue::AllOpen);
    assert_eq!(shown(&desk)[0].status.as_deref(), Some("in-progress"));
}
