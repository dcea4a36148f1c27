//! Closing keywords: where they act and where not.

use ralph_forge::{
    CloseReason, CreateIssue, DeleteBranch, EventKind, GetIssue, ListIssueEvents, MergeMethod,
    NewIssue, NewRepository, Page, Permission, Sha, ThreadAction, TimelineEvent, on,
};

use crate::world::{World, merge_by};

fn closed_by(world: &mut World, number: u64) -> Option<TimelineEvent> {
    let timeline = world.timeline(number);
    timeline.into_iter().find(|event| matches!(event, TimelineEvent::Closed { .. }))
}

const BY_PULL: TimelineEvent =
    TimelineEvent::Closed { reason: CloseReason::Completed, commit: None, elsewhere: None };

fn by_commit(sha: Sha) -> TimelineEvent {
    let (reason, commit) = (CloseReason::Completed, Some(sha));
    TimelineEvent::Closed { reason, commit, elsewhere: None }
}

#[test]
fn each_keyword_closes_in_any_case_and_others_do_not() {
    let keywords = [
        "close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved",
        "FIXES", "Closes",
    ];
    for keyword in keywords {
        for body in [format!("{keyword} #1"), format!("x {keyword}: ada/app#1.")] {
            assert!(!open_after_merge(&body), "{body}");
        }
    }
    for body in ["#1", "closing #1", "prefixes #1", "fixes\n#1", "`fixes #1`", "fixes#1"] {
        assert!(open_after_merge(body), "{body}");
    }
}

fn open_after_merge(body: &str) -> bool {
    let mut world = World::new();
    let number = world.open_issue("");
    let pull = world.pull("feature", "main", body);
    world.merge(pull);
    world.issue(number).state.is_open()
}

#[test]
fn one_keyword_closes_one_issue() {
    let mut world = World::new();
    let (one, two, three) = (world.open_issue(""), world.open_issue(""), world.open_issue(""));
    let pull = world.pull("feature", "main", "Fixes #1, #2, closes #3");
    world.merge(pull);
    let open = [one, two, three].map(|number| world.issue(number).state.is_open());
    assert_eq!(open, [false, true, false]);
}

#[test]
fn a_merge_into_the_default_branch_closes_without_a_commit_id() {
    let mut world = World::new();
    let number = world.open_issue("");
    let pull = world.pull("feature", "main", "Fixes #1");
    world.now += 3;
    let events = world.events("will", merge_by(pull, MergeMethod::Merge));
    assert!(events.contains(&EventKind::Issue { number, action: ThreadAction::Closed }));
    assert_eq!(closed_by(&mut world, number), Some(BY_PULL));
    assert_eq!(world.issue(number).updated_at, 1_003);
}

#[test]
fn a_merge_into_another_branch_closes_nothing() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.branch("bot");
    let pull = world.pull("feature", "bot", "Fixes #1");
    world.merge(pull);
    assert!(world.issue(number).state.is_open());
}

#[test]
fn a_closed_pull_closes_nothing() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.pull("feature", "main", "Fixes #1");
    world.ask("will", DeleteBranch { branch: "feature".to_owned() });
    assert!(world.issue(number).state.is_open());
}

#[test]
fn a_commit_message_closes_when_it_arrives_on_the_default_branch_and_is_named() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.branch("bot");
    let (sha, _events) = world.commit("bot", "f", "1", "Do it\n\nFixes #1");
    assert!(world.issue(number).state.is_open(), "not on another branch");
    let pull = world.pull_between("bot", "main", "");
    world.merge(pull);
    assert_eq!(closed_by(&mut world, number), Some(by_commit(sha)));
}

#[test]
fn a_direct_push_to_the_default_branch_closes_with_its_commit() {
    let mut world = World::new();
    let number = world.open_issue("");
    let (sha, events) = world.commit("main", "f", "1", "closes #1");
    assert!(events.contains(&EventKind::Issue { number, action: ThreadAction::Closed }));
    assert_eq!(closed_by(&mut world, number), Some(by_commit(sha)));
}

#[test]
fn keywords_close_in_another_repository_where_the_actor_could_close_by_hand() {
    for (role, open) in [(Permission::Triage, false), (Permission::Read, true)] {
        let mut world = World::new();
        world.forge.create_repository(NewRepository::named("ada", "lib")).unwrap();
        world.forge.grant("ada/lib", "will", role).unwrap();
        let new = NewIssue { title: "T".to_owned(), ..NewIssue::default() };
        let create = on("ada/lib", CreateIssue(new));
        world.forge.handle("ada", 1_000, create).0.unwrap();
        let pull = world.pull("feature", "main", "Fixes ada/lib#1");
        world.merge(pull);
        let get = on("ada/lib", GetIssue { number: 1 });
        let issue = world.forge.handle("ada", 1_000, get).0.unwrap();
        assert_eq!(issue.state.is_open(), open, "{role:?}");
    }
}

#[test]
fn a_commit_that_closes_in_another_repository_is_named_with_its_own() {
    let mut world = World::new();
    world.forge.create_repository(NewRepository::named("ada", "lib")).unwrap();
    world.forge.grant("ada/lib", "will", Permission::Triage).unwrap();
    let new = NewIssue { title: "T".to_owned(), ..NewIssue::default() };
    let create = on("ada/lib", CreateIssue(new));
    world.forge.handle("ada", 1_000, create).0.unwrap();
    let (sha, _events) = world.commit("main", "f", "1", "closes ada/lib#1");
    let events = ListIssueEvents { number: 1, page: Page::largest() };
    let events = world.forge.handle("ada", 1_000, on("ada/lib", events)).0.unwrap();
    let (commit, elsewhere) = (Some(sha), Some("ada/app".to_owned()));
    let closed = TimelineEvent::Closed { reason: CloseReason::Completed, commit, elsewhere };
    let told = events.items;
    assert!(told.iter().any(|entry| entry.event == closed), "{told:?}");
}

#[test]
fn a_pull_named_with_a_keyword_stays_open() {
    let mut world = World::new();
    let other = world.pull("other", "main", "");
    let pull = world.pull("feature", "main", "Closes #1");
    world.merge(pull);
    assert!(world.issue(other).state.is_open());
}
