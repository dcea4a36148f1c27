//! Issues: numbers, lists, edits and states.

use ralph_forge::{
    AddLabels, CloseReason, CreateComment, CreateIssue, Direction, EditIssue, EventKind, GetIssue,
    GetPull, IssueEdit, IssueFilter, IssueSort, IssueState, ListIssues, NewIssue, Page,
    StateChange, StateFilter, ThreadAction,
};

use crate::world::World;

fn edit(number: u64, edit: IssueEdit) -> EditIssue {
    EditIssue { number, edit }
}

fn close(number: u64) -> EditIssue {
    let state = Some(StateChange::Close(CloseReason::Completed));
    edit(number, IssueEdit { state, ..IssueEdit::default() })
}

fn reopen(number: u64) -> EditIssue {
    edit(number, IssueEdit { state: Some(StateChange::Reopen), ..IssueEdit::default() })
}

fn listed(world: &mut World, filter: IssueFilter) -> Vec<u64> {
    let call = ListIssues { filter, page: Page::largest() };
    world.ask("zoe", call).items.iter().map(|issue| issue.number).collect()
}

#[test]
fn issues_and_pulls_share_one_sequence_of_numbers() {
    let mut world = World::new();
    let numbers = [world.open_issue(""), world.pull("feature", "main", ""), world.open_issue("")];
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn a_pull_reads_as_an_issue_and_an_issue_not_as_a_pull() {
    let mut world = World::new();
    let issue = world.open_issue("");
    let pull = world.pull("feature", "main", "");
    assert_eq!(world.issue(issue).pull, None);
    assert!(world.issue(pull).pull.is_some());
    assert_eq!(world.refusal("will", GetPull { number: issue }).status, 404);
}

#[test]
fn an_issue_needs_a_title() {
    let mut world = World::new();
    let call = CreateIssue(NewIssue::default());
    assert_eq!(world.refused("zoe", call), "422 Validation Failed: Issue title is missing");
}

#[test]
fn an_issue_that_is_not_there_is_404() {
    assert_eq!(World::new().refused("ada", GetIssue { number: 9 }), "404 Not Found");
}

#[test]
fn closing_says_who_when_and_why_and_keeps_the_labels() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", AddLabels { number, names: vec!["bug".to_owned()] });
    world.now += 7;
    let state = Some(StateChange::Close(CloseReason::NotPlanned));
    world.ask("tess", edit(number, IssueEdit { state, ..IssueEdit::default() }));
    let issue = world.issue(number);
    let (reason, by) = (CloseReason::NotPlanned, "tess".to_owned());
    assert_eq!(issue.state, IssueState::Closed { reason, by, at: 1_007 });
    assert_eq!((issue.updated_at, issue.labels.len()), (1_007, 1));
}

#[test]
fn closing_twice_or_reopening_what_is_open_changes_nothing() {
    let mut world = World::new();
    let number = world.open_issue("");
    assert_eq!(world.events("will", reopen(number)), []);
    let closed = EventKind::Issue { number, action: ThreadAction::Closed };
    assert_eq!(world.events("will", close(number)), [closed]);
    let before = world.issue(number);
    world.now += 1;
    assert_eq!(world.events("will", close(number)), []);
    assert_eq!(world.issue(number), before);
}

#[test]
fn a_reopened_issue_says_so() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", close(number));
    world.ask("will", reopen(number));
    assert_eq!(world.issue(number).state, IssueState::Open { reopened: true });
}

#[test]
fn edits_touch_the_issue_only_when_they_change_something() {
    let mut world = World::new();
    let number = world.open_issue("body");
    let body = |body: &str| IssueEdit { body: Some(body.to_owned()), ..IssueEdit::default() };
    world.now += 1;
    assert_eq!(world.events("will", edit(number, body("body"))), []);
    assert_eq!(world.issue(number).updated_at, 1_000);
    let edited = EventKind::Issue { number, action: ThreadAction::Edited };
    assert_eq!(world.events("will", edit(number, body("more"))), [edited]);
    assert_eq!(world.issue(number).updated_at, 1_001);
}

#[test]
fn lists_show_open_issues_and_pulls_newest_first() {
    let mut world = World::new();
    let closed = world.open_issue("");
    world.ask("will", close(closed));
    world.open_issue("");
    world.pull("feature", "main", "");
    assert_eq!(listed(&mut world, IssueFilter::default()), [3, 2]);
    let state = StateFilter::All;
    assert_eq!(listed(&mut world, IssueFilter { state, ..IssueFilter::default() }), [3, 2, 1]);
    let state = StateFilter::Closed;
    assert_eq!(listed(&mut world, IssueFilter { state, ..IssueFilter::default() }), [1]);
}

#[test]
fn a_list_by_labels_wants_all_of_them_in_any_case() {
    let mut world = World::new();
    for labels in [vec!["a"], vec!["a", "b"], vec![]] {
        let number = world.open_issue("");
        let names = labels.into_iter().map(str::to_owned).collect();
        world.ask("will", AddLabels { number, names });
    }
    for (labels, found) in [(vec!["A"], vec![2, 1]), (vec!["a", "B"], vec![2]), (vec!["c"], vec![])]
    {
        let labels = labels.into_iter().map(str::to_owned).collect();
        assert_eq!(listed(&mut world, IssueFilter { labels, ..IssueFilter::default() }), found);
    }
}

#[test]
fn since_includes_the_same_second() {
    let mut world = World::new();
    world.open_issue("");
    world.now += 1;
    world.open_issue("");
    let mut since = |since: u64| {
        listed(&mut world, IssueFilter { since: Some(since), ..IssueFilter::default() })
    };
    assert_eq!(since(1_000), [2, 1]);
    assert_eq!(since(1_001), [2]);
    assert_eq!(since(1_002), [0; 0]);
}

#[test]
fn sorting_by_update_follows_changes() {
    let mut world = World::new();
    let first = world.open_issue("");
    world.open_issue("");
    world.now += 1;
    world.ask("will", AddLabels { number: first, names: vec!["bug".to_owned()] });
    let mut sorted = |direction| {
        let sort = IssueSort::Updated;
        listed(&mut world, IssueFilter { sort, direction, ..IssueFilter::default() })
    };
    assert_eq!(sorted(Direction::Descending), [1, 2]);
    assert_eq!(sorted(Direction::Ascending), [2, 1]);
}

#[test]
fn sorting_by_comments_counts_them() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.open_issue("");
    world.ask("zoe", CreateComment { number, body: "hi".to_owned() });
    let commented = IssueFilter { sort: IssueSort::Comments, ..IssueFilter::default() };
    assert_eq!(listed(&mut world, commented), [1, 2]);
}

#[test]
fn pages_have_30_items_by_default_and_100_at_most() {
    let mut world = World::new();
    for _ in 0..101 {
        world.open_issue("");
    }
    let mut page = |number, size| {
        let page = Page { number, size };
        let call = ListIssues { filter: IssueFilter::default(), page };
        let list = world.ask("zoe", call);
        (list.items.len(), list.total, list.last_page())
    };
    assert_eq!(page(1, 0), (30, 101, 4));
    assert_eq!(page(4, 30), (11, 101, 4));
    assert_eq!(page(1, 500), (100, 101, 2));
    assert_eq!(page(9, 100), (0, 101, 2));
}

#[test]
fn labels_of_a_new_issue_are_dropped_when_its_author_may_not_label() {
    let mut world = World::new();
    let new = || {
        let (title, labels) = ("T".to_owned(), vec!["bug".to_owned()]);
        NewIssue { title, body: String::new(), labels }
    };
    for (who, count) in [("zoe", 0), ("will", 1)] {
        let issue = world.ask(who, CreateIssue(new()));
        assert_eq!(issue.labels.len(), count, "{who}");
    }
    let (number, _events) =
        world.forge.open_issue_from_template("zoe", 1_000, "ada/app", new()).unwrap();
    assert_eq!(world.issue(number).labels.len(), 1, "a template labels for anyone");
}
