//! Pull requests named in place of issues: others may wait for them, and Ralph never works on them.

use crate::story::{Story, Which};
use ralph_core::command::Command;
use ralph_core::issue::Phase;
use ralph_core::policy::AutoQueue;
use ralph_core::watch::{Pace, Resource};

/// Issue 3 is a pull request.
fn with_pull() -> Story {
    let mut story = Story::plain();
    story.sees_issue(3, |seen| seen.is_pull = Some(true));
    story.blocks_in_body(7, &["acme/app#3"]);
    story.queued(7);
    story
}

fn watched(story: &Story, number: u64) -> Vec<Pace> {
    let resource = Resource::Issue(number.key());
    let watch = story.decision(7).watch.iter().filter(|watch| watch.resource == resource);
    watch.map(|watch| watch.pace).collect()
}

#[test]
fn a_pull_request_may_be_waited_for_and_is_looked_at_by_itself() {
    let mut story = with_pull();
    assert_eq!(story.stands(7), "queued: blocked by #3");
    assert_eq!(watched(&story, 3), [Pace::Normal], "the list of changes has no pull requests");
    story.sees_issue(3, |seen| (seen.is_pull, seen.open) = (Some(true), false));
    assert_eq!(story.stands(7), "in-progress: starting workspace");

    // The read of an earlier version does not say whether it is a pull request.
    let mut story = Story::plain();
    story.sees_issue(3, |seen| seen.is_pull = None);
    story.blocks_in_body(7, &["acme/app#3"]);
    story.queued(7);
    assert_eq!(watched(&story, 3), [Pace::Rarely]);
    story.sees_issue(3, |seen| seen.is_pull = Some(false));
    assert_eq!(watched(&story, 3), [], "the list of changes shows issues");
}

#[test]
fn of_many_pull_requests_one_at_a_time_is_looked_at_often() {
    let mut story = Story::plain();
    for number in [3, 4, 5] {
        story.sees_issue(number, |seen| seen.is_pull = Some(true));
    }
    story.blocks_in_body(7, &["acme/app#3", "acme/app#4", "acme/app#5"]);
    story.queued(7);
    let paces = [3, 4, 5].map(|number| watched(&story, number));
    assert_eq!(paces, [[Pace::Normal], [Pace::Rarely], [Pace::Rarely]]);
    story.sees_issue(3, |seen| (seen.is_pull, seen.open) = (Some(true), false));
    assert_eq!([4, 5].map(|number| watched(&story, number)), [[Pace::Normal], [Pace::Rarely]]);
}

#[test]
fn a_pull_request_is_never_worked_on_whatever_it_carries() {
    let mut story = Story::with(|rules| rules.auto_queue = AutoQueue::AllOpen);
    story.sees_issue(3, |seen| seen.is_pull = Some(true));
    assert!(story.issue(3).managed.is_none());
    story.sees_issue(4, |seen| {
        seen.is_pull = Some(true);
        seen.labels = ["ralph:cmd:queue".into(), "ralph:status:queued".into()].into();
    });
    assert!(story.issue(4).managed.is_none());
    story.ordered(4, Command::Queue);
    assert_eq!(story.managed(4).phase, Phase::Out);
    let refused = story.managed(4).commands.last.as_ref().and_then(|last| last.refused.clone());
    assert!(refused.unwrap_or_default().starts_with("This is a pull request."));
}
