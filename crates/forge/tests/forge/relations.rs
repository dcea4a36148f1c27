//! Dependencies and sub-issues.

use ralph_forge::{
    AddBlockedBy, AddSubIssue, Availability, CloseReason, CreateIssue, DependencySummary,
    EditIssue, EventKind, GetIssue, GetParent, IssueEdit, IssueView, LinkAction, ListBlockedBy,
    ListBlocking, ListSubIssues, Listing, NewIssue, NewRepository, Operation, Page,
    RemoveBlockedBy, RemoveSubIssue, StateChange, SubIssueSummary, TimelineEvent, Visibility, on,
};

use crate::world::{REPO, World};

fn id(world: &mut World, number: u64) -> u64 {
    world.issue(number).id
}

fn close(world: &mut World, number: u64) {
    let state = Some(StateChange::Close(CloseReason::NotPlanned));
    let edit = IssueEdit { state, ..IssueEdit::default() };
    world.ask("will", EditIssue { number, edit });
}

fn numbers(world: &mut World, call: impl Operation<Reply = Listing<IssueView>>) -> Vec<u64> {
    world.ask("zoe", call).items.iter().map(|issue| issue.number).collect()
}

fn block(world: &mut World, number: u64, blocker: u64) -> AddBlockedBy {
    AddBlockedBy { number, blocker_id: id(world, blocker) }
}

fn nest(world: &mut World, number: u64, child: u64) -> AddSubIssue {
    let child_id = id(world, child);
    AddSubIssue { number, child_id, replace_parent: false }
}

const PAGE: Page = Page::largest();

#[test]
fn dependencies_are_made_by_database_id_and_read_from_both_sides() {
    let mut world = World::new();
    let (one, two) = (world.open_issue(""), world.open_issue(""));
    let call = block(&mut world, one, two);
    let events = world.events("tess", call);
    assert!(matches!(events[..], [EventKind::Dependency { action: LinkAction::Added, .. }]));
    assert_eq!(numbers(&mut world, ListBlockedBy { number: one, page: PAGE }), [two]);
    assert_eq!(numbers(&mut world, ListBlocking { number: two, page: PAGE }), [one]);
    assert!(matches!(world.timeline(one)[..], [TimelineEvent::BlockedByAdded { .. }]));
    assert!(matches!(world.timeline(two)[..], [TimelineEvent::BlockingAdded { .. }]));
    let by_number = AddBlockedBy { number: one, blocker_id: two };
    assert_eq!(world.refusal("tess", by_number).status, 404);
}

#[test]
fn summaries_count_open_ones_apart_from_all() {
    let mut world = World::new();
    let (one, two, three) = (world.open_issue(""), world.open_issue(""), world.open_issue(""));
    for blocker in [two, three] {
        let call = block(&mut world, one, blocker);
        world.ask("tess", call);
    }
    close(&mut world, two);
    let expected = DependencySummary { blocked_by: 1, total_blocked_by: 2, ..Default::default() };
    assert_eq!(world.issue(one).dependencies, Some(expected));
    let expected = DependencySummary { blocking: 1, total_blocking: 1, ..Default::default() };
    assert_eq!(world.issue(two).dependencies, Some(expected));
}

#[test]
fn a_dependency_goes_away_once_and_exists_once() {
    let mut world = World::new();
    let (one, two) = (world.open_issue(""), world.open_issue(""));
    let add = block(&mut world, one, two);
    world.ask("tess", add.clone());
    assert_eq!(world.refusal("tess", add).status, 422);
    let itself = block(&mut world, one, one);
    assert_eq!(world.refusal("tess", itself).status, 422);
    let remove = RemoveBlockedBy { number: one, blocker_id: id(&mut world, two) };
    world.ask("tess", remove.clone());
    assert_eq!(world.refusal("tess", remove).status, 404);
    assert_eq!(numbers(&mut world, ListBlocking { number: two, page: PAGE }), [0; 0]);
}

#[test]
fn dependencies_may_form_a_cycle() {
    let mut world = World::new();
    let (one, two) = (world.open_issue(""), world.open_issue(""));
    for (blocked, blocker) in [(one, two), (two, one)] {
        let call = block(&mut world, blocked, blocker);
        world.ask("tess", call);
    }
}

#[test]
fn switched_off_dependencies_answer_404_or_410_while_the_issue_reads_well() {
    let mut world = World::new();
    let number = world.open_issue("");
    for (availability, status) in [(Availability::NotFound, 404), (Availability::Gone, 410)] {
        world.forge.settings_mut(REPO).unwrap().dependencies = availability;
        let read = ListBlockedBy { number, page: PAGE };
        assert_eq!(world.refusal("will", read).status, status);
        assert_eq!(world.issue(number).dependencies, None);
    }
}

#[test]
fn a_parent_lists_and_counts_its_sub_issues() {
    let mut world = World::new();
    let (one, two, three) = (world.open_issue(""), world.open_issue(""), world.open_issue(""));
    for child in [three, two] {
        let call = nest(&mut world, one, child);
        world.ask("tess", call);
    }
    close(&mut world, two);
    let list = ListSubIssues { number: one, page: PAGE };
    assert_eq!(numbers(&mut world, list), [three, two]);
    assert_eq!(world.issue(one).sub_issues, SubIssueSummary { total: 2, completed: 1 });
    let parent = world.ask("zoe", GetParent { number: two });
    assert_eq!(parent.number, one);
    assert_eq!(world.refusal("zoe", GetParent { number: one }).status, 404);
}

#[test]
fn a_sub_issue_has_one_parent_unless_it_is_to_be_replaced() {
    let mut world = World::new();
    let (one, two, child) = (world.open_issue(""), world.open_issue(""), world.open_issue(""));
    let call = nest(&mut world, one, child);
    world.ask("tess", call.clone());
    assert_eq!(world.refusal("tess", call).status, 422, "no duplicates");
    let call = nest(&mut world, two, child);
    assert_eq!(world.refusal("tess", call).status, 422);
    let child_id = id(&mut world, child);
    world.ask("tess", AddSubIssue { number: two, child_id, replace_parent: true });
    assert_eq!(world.issue(one).sub_issues.total, 0);
    assert_eq!(world.issue(two).sub_issues.total, 1);
}

#[test]
fn a_parent_has_at_most_100_sub_issues() {
    let mut world = World::new();
    let parent = world.open_issue("");
    for _ in 0..100 {
        let child = world.open_issue("");
        let call = nest(&mut world, parent, child);
        world.ask("tess", call);
    }
    let child = world.open_issue("");
    let call = nest(&mut world, parent, child);
    assert_eq!(world.refusal("tess", call).status, 422);
}

#[test]
fn sub_issues_form_no_cycle() {
    let mut world = World::new();
    let (one, two, three) = (world.open_issue(""), world.open_issue(""), world.open_issue(""));
    for (parent, child) in [(one, two), (two, three)] {
        let call = nest(&mut world, parent, child);
        world.ask("tess", call);
    }
    for parent in [one, three] {
        let call = nest(&mut world, parent, one);
        assert_eq!(world.refusal("tess", call).status, 422);
    }
}

#[test]
fn a_removed_sub_issue_is_removed_on_both_sides() {
    let mut world = World::new();
    let (one, two) = (world.open_issue(""), world.open_issue(""));
    let call = nest(&mut world, one, two);
    world.ask("tess", call);
    let remove = RemoveSubIssue { number: one, child_id: id(&mut world, two) };
    world.ask("tess", remove.clone());
    assert_eq!(world.refusal("tess", remove).status, 404);
    assert_eq!(world.refusal("zoe", GetParent { number: two }).status, 404);
    let timeline = world.timeline(two);
    let expected = matches!(
        timeline[..],
        [TimelineEvent::ParentAdded { .. }, TimelineEvent::ParentRemoved { .. }]
    );
    assert!(expected, "{timeline:?}");
}

#[test]
fn a_blocker_in_a_repository_one_cannot_see_is_neither_listed_nor_counted() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.forge.create_repository(NewRepository::named("ada", "secret")).unwrap();
    world.forge.settings_mut("ada/secret").unwrap().visibility = Visibility::Private;
    let new = NewIssue { title: "T".to_owned(), ..NewIssue::default() };
    let create = on("ada/secret", CreateIssue(new));
    let blocker_id = world.forge.handle("ada", 1, create).0.unwrap().id;
    let add = AddBlockedBy { number, blocker_id };
    assert_eq!(world.refusal("will", add.clone()).status, 404);
    world.ask("ada", add);
    assert_eq!(numbers(&mut world, ListBlockedBy { number, page: PAGE }), [0; 0]);
    assert_eq!(world.issue(number).dependencies.map(|found| found.blocked_by), Some(0));
    let seen = world.ask("ada", GetIssue { number });
    assert_eq!(seen.dependencies.map(|found| found.blocked_by), Some(1));
}
