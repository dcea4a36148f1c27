//! A whole life of one issue: engine, client and forge together, with webhooks on. What it costs is counted.

use crate::daemon::{Daemon, rules};
use crate::town::{OWNER, Town};
use ralph_core::issue::Phase;
use ralph_forge::{IssueCall, LabelCall, MergeMethod, MergeOrder, NewIssue, PullCall};

/// What one life may cost, without what the daemon reads once at its start.
const CHARGED_MAX: u32 = 25;

#[test]
fn a_life_of_one_issue_with_one_check_costs_at_most_25_charged_requests() {
    let town = Town::new();
    let issue = NewIssue { title: "Add a flag".to_owned(), ..NewIssue::default() };
    town.act(OWNER, IssueCall::Create(issue)).expect("an issue");
    let mut daemon = Daemon::new(&town, rules());
    // Labels are made, and everything has been read once, the rarest too.
    for _ in 0..400 {
        daemon.round();
    }
    town.take_counts();
    let names = vec!["ralph:status:queued".to_owned()];
    town.act(OWNER, LabelCall::Add { number: 1, names }).expect("a label");
    daemon.rounds_until(|daemon| daemon.town.look(PullCall::Get { number: 2 }).is_ok());
    town.passes(2);
    daemon.rounds_until(|daemon| matches!(daemon.phase(1), Some(Phase::InBot { .. })));
    daemon.rounds_until(|daemon| daemon.town.look(PullCall::Get { number: 3 }).is_ok());
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    town.act(OWNER, PullCall::Merge { number: 3, order }).expect("a merge");
    daemon.rounds_until(|daemon| matches!(daemon.phase(1), Some(Phase::Done { .. })));
    for _ in 0..90 {
        daemon.round();
    }
    let (charged, free) = town.take_counts();
    let total: u32 = charged.values().sum();
    println!("{total} charged, {free} free: {charged:#?}");
    assert!(total <= CHARGED_MAX, "{total} charged requests: {charged:#?}");
}
