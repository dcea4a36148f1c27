//! The requests that it costs to notice an issue and to claim it, with webhooks on.

use crate::daemon::{Daemon, rules};
use crate::world::{OWNER, World};
use ralph_core::issue::Phase;
use ralph_core::policy::RepoPolicy;
use ralph_forge::{AddLabels, CreateIssue, NewIssue};

const STATUS: &str = "ralph:status:queued";
const COMMAND: &str = "ralph:cmd:queue";
/// Longer than the rarest read needs to come round again.
const LONG: usize = 400;

fn issue(world: &World) {
    let new = NewIssue { title: "Add a flag".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(new)).expect("an issue");
}

fn label(world: &World, number: u64, name: &str) {
    let names = vec![name.to_owned()];
    world.act(OWNER, AddLabels { number, names }).expect("a label");
}

/// A daemon that has read everything once, the rarest too.
fn settled(world: &World, rules: RepoPolicy) -> Daemon {
    let mut daemon = Daemon::new(world, rules);
    for _ in 0..LONG {
        daemon.idle_round();
    }
    daemon
}

fn is_claimed(daemon: &Daemon, number: u64) -> bool {
    matches!(daemon.phase(number), Some(Phase::Running { .. }))
}

/// One of them is the look at the issue that comes with the claim.
#[test]
fn an_issue_costs_at_most_4_requests_until_its_first_step_and_7_by_command() {
    for (way, most) in [(STATUS, 4), (COMMAND, 7)] {
        let world = World::new();
        issue(&world);
        let mut daemon = settled(&world, rules());
        world.take_counts();
        label(&world, 1, way);
        while !is_claimed(&daemon, 1) {
            daemon.step();
        }
        let (charged, _free) = world.take_counts();
        let total: u32 = charged.values().sum();
        println!("{way}: {total} charged: {charged:#?}");
        assert!((1..=most).contains(&total), "{way}: {total} charged: {charged:#?}");
    }
}

#[test]
fn an_issue_that_waits_in_line_costs_no_more_than_that() {
    for (way, most) in [(STATUS, 3), (COMMAND, 6)] {
        let world = World::new();
        issue(&world);
        issue(&world);
        label(&world, 1, "ralph:status:queued");
        let mut daemon = settled(&world, RepoPolicy { claims_max: 1, ..rules() });
        assert!(is_claimed(&daemon, 1));
        world.take_counts();
        label(&world, 2, way);
        for _ in 0..LONG {
            daemon.idle_round();
        }
        assert!(matches!(daemon.phase(2), Some(Phase::Queued)), "{:?}", daemon.phase(2));
        let (charged, _free) = world.take_counts();
        let total: u32 = charged.values().sum();
        println!("{way}: {total} charged: {charged:#?}");
        assert!((1..=most).contains(&total), "{way}: {total} charged: {charged:#?}");
    }
}
