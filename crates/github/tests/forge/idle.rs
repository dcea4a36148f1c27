//! A repository in which nothing happens costs nothing to watch.

use crate::world::{BOT_BRANCH, OWNER, World, key, repo};
use ralph_core::ids::{Branch, Login, PullNumber};
use ralph_core::time::Span;
use ralph_engine::ports::Forge;
use ralph_forge::{AddLabels, CreateIssue, NewIssue};

#[test]
fn a_poll_of_an_idle_repository_is_free() {
    let world = World::new();
    for number in 1..=3 {
        let new = NewIssue { title: format!("Issue {number}"), ..NewIssue::default() };
        world.act(OWNER, CreateIssue(new)).expect("an issue");
    }
    let mut client = world.client();
    let (bot, main) = (Branch::new(BOT_BRANCH), Branch::new("main"));
    let poll = |client: &mut ralph_github::Client<World>| {
        let newest = client.issues_since(&repo(), None).expect("a list");
        let cursor = newest.iter().map(|issue| issue.updated).max();
        client.issues_since(&repo(), cursor).expect("a list");
        client.issue(&key(1)).expect("an issue");
        client.relations(&key(1)).blocked_by.expect("relations");
        client.label_events(&key(1), 0).expect("events");
        client
            .comments_since(&key(1), world.now().minus(Span(world.now().0 % 600_000)))
            .expect("comments");
        client.rights(&repo(), &Login::new(OWNER)).expect("rights");
        client.pull(&repo(), PullNumber(9)).expect("nothing");
        client.required(&repo(), [&bot, &main]).expect("checks");
        let branches = client.branches(&repo(), &bot).expect("branches");
        client.checks(&repo(), &branches.default_head).expect("checks");
        client.contains(&repo(), &branches.default_head, &branches.default_head).expect("yes");
        client.labels(&repo()).expect("labels");
    };
    poll(&mut client);
    world.take_counts();
    for _ in 0..10 {
        world.later(Span::from_secs(30));
        poll(&mut client);
    }
    let (charged, free) = world.take_counts();
    // Only what is not there has no tag to ask with.
    assert_eq!(charged.keys().collect::<Vec<_>>(), ["GET /pulls/_"]);
    assert!(free > 100, "{free}");
}

#[test]
fn one_change_costs_one_read_of_the_list() {
    let world = World::new();
    world.later(Span::from_mins(3));
    world
        .act(OWNER, CreateIssue(NewIssue { title: "x".to_owned(), ..NewIssue::default() }))
        .expect("an issue");
    let mut client = world.client();
    let mut cursor = None;
    let mut poll = |client: &mut ralph_github::Client<World>| {
        let found = client.issues_since(&repo(), cursor).expect("a list");
        cursor = found.iter().map(|issue| issue.updated.minus(Span::from_secs(5))).max().or(cursor);
        found.first().map_or(0, |issue| issue.labels.len())
    };
    poll(&mut client);
    poll(&mut client);
    world.take_counts();
    for expected in 1..=3 {
        let names = vec![format!("label {expected}")];
        world.act(OWNER, AddLabels { number: 1, names }).expect("a label");
        world.later(Span::from_secs(10));
        assert_eq!([poll(&mut client), poll(&mut client)], [expected, expected]);
    }
    let (charged, free) = world.take_counts();
    assert_eq!((charged.values().sum::<u32>(), free), (3, 3), "{charged:?}");
}
