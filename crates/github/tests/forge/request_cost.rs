//! A whole run of one issue: engine, client and forge together, with webhooks on. Its requests are counted.

use crate::daemon::{Daemon, rules};
use crate::world::{OWNER, World};
use ralph_core::issue::Phase;
use ralph_forge::{AddLabels, CreateIssue, GetPull, MergeMethod, MergeOrder, MergePull, NewIssue};

/// The requests that one run may cost, without those at the start of the daemon.
const CHARGED_MAX: u32 = 25;

#[test]
fn a_run_of_one_issue_with_one_check_costs_at_most_25_charged_requests() {
    let world = World::new();
    let issue = NewIssue { title: "Add a flag".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(issue)).expect("an issue");
    let mut daemon = Daemon::new(&world, rules());
    // Labels are made, and everything has been read once, the rarest too.
    for _ in 0..400 {
        daemon.round();
    }
    world.take_counts();
    let names = vec!["ralph:status:queued".to_owned()];
    world.act(OWNER, AddLabels { number: 1, names }).expect("a label");
    daemon.rounds_until(|daemon| daemon.world.look(GetPull { number: 2 }).is_ok());
    world.passes(2);
    daemon.rounds_until(|daemon| matches!(daemon.phase(1), Some(Phase::InBot { .. })));
    daemon.rounds_until(|daemon| daemon.world.look(GetPull { number: 3 }).is_ok());
    let order = MergeOrder { method: MergeMethod::Merge, expected_head: None, message: None };
    world.act(OWNER, MergePull { number: 3, order }).expect("a merge");
    daemon.rounds_until(|daemon| matches!(daemon.phase(1), Some(Phase::Done { .. })));
    for _ in 0..90 {
        daemon.round();
    }
    let (charged, free) = world.take_counts();
    let total: u32 = charged.values().sum();
    println!("{total} charged, {free} free: {charged:#?}");
    assert!(total <= CHARGED_MAX, "{total} charged requests: {charged:#?}");
}
