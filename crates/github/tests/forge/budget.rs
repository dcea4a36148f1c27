//! The forge's own limits, as its headers and refusals tell them, and how the client keeps to them.

use crate::world::{OWNER, World, key, repo};
use ralph_core::ids::Login;
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, Forge};
use ralph_forge::{CreateIssue, NewIssue, SiteSettings};
use ralph_github::DegradedKind;

fn world(settings: &SiteSettings) -> World {
    let world = World::with(settings);
    let new = NewIssue { title: "x".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(new)).expect("an issue");
    world
}

#[test]
fn a_secondary_limit_is_met_once_and_kept_to() {
    let world = world(&SiteSettings { changes_per_minute_max: Some(3), ..SiteSettings::default() });
    let mut client = world.client();
    for label in ["a", "b", "c"] {
        assert_eq!(client.add_label(&key(1), label), Answer::Happened(()));
    }
    let Answer::Later { until: Some(until), why } = client.add_label(&key(1), "d") else {
        unreachable!("a fourth change went through");
    };
    assert!(why.contains("/repos/acme/widgets/issues/1/labels") && why.contains("40"), "{why}");
    world.take_counts();
    assert!(matches!(client.add_label(&key(1), "d"), Answer::Later { .. }));
    assert_eq!(client.issue(&key(1)).expect_err("held").until, Some(until));
    assert!(world.take_counts().0.is_empty(), "asked although it was reported to wait");
    world.later(until.since(world.now()));
    assert_eq!(client.add_label(&key(1), "d"), Answer::Happened(()));
    assert_eq!(client.account().snapshot().degraded, None);
}

#[test]
fn the_primary_limit_is_never_run_into() {
    let limit = 100;
    let world = world(&SiteSettings { requests_per_hour_max: limit, ..SiteSettings::default() });
    let mut client = world.client();
    let mut reads = 0_u32;
    // Each login is another address, so that nothing is free.
    while client.rights(&repo(), &Login::new(&format!("user-{reads}"))).is_ok() {
        reads += 1;
    }
    assert_eq!(reads, 98, "two requests are kept for merges");
    assert!(matches!(client.add_label(&key(1), "x"), Answer::Later { until: Some(_), .. }));
    assert!(matches!(client.create_comment(&key(1), "x"), Answer::Happened(_)));
    world.later(Span::from_secs(2));
    assert!(matches!(client.create_comment(&key(1), "y"), Answer::Happened(_)));
    world.later(Span::from_secs(2));
    let Answer::Later { until: Some(until), .. } = client.create_comment(&key(1), "z") else {
        unreachable!("more than the limit");
    };
    let (charged, _) = world.take_counts();
    assert_eq!(charged.values().sum::<u32>(), limit);
    let snapshot = client.account().snapshot();
    assert_eq!(snapshot.primary.map(|primary| primary.remaining), Some(0));
    assert_eq!(snapshot.degraded.map(|found| found.kind), Some(DegradedKind::Limit));
    world.later(until.since(world.now()));
    assert!(matches!(client.create_comment(&key(1), "z"), Answer::Happened(_)));
    assert_eq!(client.account().snapshot().degraded, None);
}
