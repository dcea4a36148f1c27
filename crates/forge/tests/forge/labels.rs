//! Labels of a repository and on issues.

use ralph_forge::{
    AddLabels, CreateLabel, DeleteLabel, EditLabel, EventKind, GetLabel, LabelAction, LabelEdit,
    ListLabels, NewLabel, Page, RemoveLabel, SetLabels, ThreadAction, TimelineEvent,
};

use crate::world::World;

fn new(name: &str) -> CreateLabel {
    let color = Some("0366D6".to_owned());
    CreateLabel(NewLabel { name: name.to_owned(), color, description: None })
}

fn add(number: u64, names: &[&str]) -> AddLabels {
    AddLabels { number, names: names.iter().map(|&name| name.to_owned()).collect() }
}

fn remove(number: u64, name: &str) -> RemoveLabel {
    RemoveLabel { number, name: name.to_owned() }
}

fn names_on(world: &mut World, number: u64) -> Vec<String> {
    let labels = world.issue(number).labels;
    labels.iter().map(|label| label.name.clone()).collect()
}

#[test]
fn a_label_is_found_in_any_case_and_keeps_its_own() {
    let mut world = World::new();
    world.ask("will", new("Ralph:Status:Queued"));
    let found = world.ask("reed", GetLabel { name: "ralph:status:queued".to_owned() });
    assert_eq!(found.name, "Ralph:Status:Queued");
}

#[test]
fn creating_a_label_that_exists_in_another_case_is_422() {
    let mut world = World::new();
    world.ask("will", new("bug"));
    assert_eq!(
        world.refused("will", new("BUG")),
        "422 Validation Failed: Label name already exists"
    );
}

#[test]
fn labels_that_cannot_be_are_422() {
    let mut world = World::new();
    let long = "n".repeat(51);
    let color = |color: &str| {
        let (name, color) = ("ok".to_owned(), Some(color.to_owned()));
        CreateLabel(NewLabel { name, color, description: None })
    };
    let described = |length: usize| {
        let (name, description) = ("ok".to_owned(), Some("d".repeat(length)));
        CreateLabel(NewLabel { name, color: None, description })
    };
    for call in [new(&long), new(" "), color("#ffffff"), color("red"), described(101)] {
        assert_eq!(world.refusal("will", call.clone()).status, 422, "{call:?}");
    }
}

#[test]
fn renaming_a_label_shows_on_the_issues_that_have_it() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", add(number, &["bug"]));
    let edit = LabelEdit { name: Some("defect".to_owned()), ..LabelEdit::default() };
    world.ask("will", EditLabel { name: "Bug".to_owned(), edit });
    assert_eq!(names_on(&mut world, number), ["defect"]);
}

#[test]
fn renaming_to_a_name_that_is_taken_is_422_but_changing_the_case_is_not() {
    let mut world = World::new();
    world.ask("will", new("bug"));
    world.ask("will", new("task"));
    let rename = |to: &str| {
        let edit = LabelEdit { name: Some(to.to_owned()), ..LabelEdit::default() };
        EditLabel { name: "bug".to_owned(), edit }
    };
    assert_eq!(world.refusal("will", rename("Task")).status, 422);
    assert_eq!(world.ask("will", rename("Bug")).name, "Bug");
}

#[test]
fn deleting_a_label_takes_it_from_issues() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", add(number, &["bug", "task"]));
    world.ask("will", DeleteLabel { name: "BUG".to_owned() });
    assert_eq!(names_on(&mut world, number), ["task"]);
    let list = world.ask("reed", ListLabels { page: Page::default() });
    assert_eq!(list.total, 1);
}

#[test]
fn adding_an_unknown_label_creates_it_grey() {
    let mut world = World::new();
    let number = world.open_issue("");
    let events = world.events("will", add(number, &["fresh"]));
    let label = "fresh".to_owned();
    assert_eq!(
        events,
        [
            EventKind::Label { name: label.clone(), action: LabelAction::Created, before: None },
            EventKind::Issue { number, action: ThreadAction::Labeled { label } },
        ]
    );
    let found = world.ask("reed", GetLabel { name: "fresh".to_owned() });
    assert_eq!(found.color, "ededed");
}

#[test]
fn adding_a_label_that_is_there_is_no_event_and_no_change() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", add(number, &["bug"]));
    let before = world.issue(number);
    world.now += 10;
    assert_eq!(world.events("will", add(number, &["BUG"])), []);
    assert_eq!(world.issue(number), before);
}

#[test]
fn several_labels_are_added_at_once_with_an_event_each() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", add(number, &["one"]));
    let all = world.ask("will", add(number, &["one", "two", "three"]));
    assert_eq!(all.total, 3);
    let labeled = |event: &TimelineEvent| matches!(event, TimelineEvent::Labeled(_));
    assert_eq!(world.timeline(number).iter().filter(|event| labeled(event)).count(), 3);
}

#[test]
fn one_bad_name_among_several_adds_none() {
    let mut world = World::new();
    let number = world.open_issue("");
    let long = "n".repeat(51);
    assert_eq!(world.refusal("will", add(number, &["good", &long])).status, 422);
    assert_eq!(names_on(&mut world, number), [""; 0]);
}

#[test]
fn removing_a_label_in_another_case_works_and_answers_what_is_left() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", add(number, &["bug", "task"]));
    let left = world.ask("will", remove(number, "BUG"));
    assert_eq!(left.items.len(), 1);
    assert_eq!(names_on(&mut world, number), ["task"]);
}

#[test]
fn removing_an_absent_label_is_404() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", new("bug"));
    for name in ["bug", "never-made"] {
        let refused = world.refused("will", remove(number, name));
        assert_eq!(refused, "404 Label does not exist");
    }
}

#[test]
fn labels_touch_the_issue() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.now += 5;
    world.ask("will", add(number, &["bug"]));
    assert_eq!(world.issue(number).updated_at, 1_005);
    world.now += 5;
    world.ask("will", remove(number, "bug"));
    assert_eq!(world.issue(number).updated_at, 1_010);
}

#[test]
fn a_pull_is_labelled_through_its_number_as_an_issue() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let events = world.events("tess", add(number, &[]));
    assert_eq!(events, []);
    world.ask("will", new("bug"));
    let events = world.events("tess", add(number, &["bug"]));
    let action = ThreadAction::Labeled { label: "bug".to_owned() };
    assert_eq!(events, [EventKind::Pull { number, action }]);
    assert_eq!(world.see_pull(number).summary.issue.labels.len(), 1);
}

#[test]
fn setting_labels_adds_what_is_missing_and_takes_what_is_too_much() {
    let mut world = World::new();
    let number = world.open_issue("");
    let set = |names: &[&str]| SetLabels {
        number,
        names: names.iter().map(|&name| name.to_owned()).collect(),
    };
    world.ask("will", set(&["one", "two"]));
    let labels = world.ask("will", set(&["TWO", "three"])).items;
    let names: Vec<&str> = labels.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(names, ["two", "three"]);
    assert_eq!(world.ask("will", set(&[])).items, []);
    assert_eq!(world.refusal("reed", set(&[])).status, 403);
}
