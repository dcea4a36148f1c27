//! Events and timelines of issues.

use ralph_forge::{
    AddLabels, CreateComment, CreateIssue, EditIssue, IssueEdit, ListIssueEvents, ListTimeline,
    NewIssue, NewRepository, Page, RemoveLabel, StateChange, TimelineEntry, TimelineEvent,
    Visibility, on,
};

use crate::world::World;

fn events(world: &mut World, number: u64) -> Vec<TimelineEntry> {
    let call = ListIssueEvents { number, page: Page::largest() };
    world.ask("zoe", call).items
}

fn say(number: u64, body: &str) -> CreateComment {
    CreateComment { number, body: body.to_owned() }
}

#[test]
fn label_events_name_the_actor_and_a_new_id_for_each_application() {
    let mut world = World::new();
    let number = world.open_issue("");
    let add = || AddLabels { number, names: vec!["cmd".to_owned()] };
    world.ask("will", add());
    world.ask("tess", RemoveLabel { number, name: "cmd".to_owned() });
    world.ask("tess", add());
    let found = events(&mut world, number);
    let actors: Vec<&str> = found.iter().map(|entry| entry.actor.as_str()).collect();
    assert_eq!(actors, ["will", "tess", "tess"]);
    assert!(found.is_sorted_by(|earlier, later| earlier.id < later.id));
    assert!(matches!(found[0].event, TimelineEvent::Labeled(_)));
    assert!(matches!(found[1].event, TimelineEvent::Unlabeled(_)));
    assert!(matches!(found[2].event, TimelineEvent::Labeled(_)));
}

#[test]
fn renaming_closing_and_reopening_are_events() {
    let mut world = World::new();
    let number = world.open_issue("");
    let title = Some("New".to_owned());
    let rename = IssueEdit { title, ..IssueEdit::default() };
    world.ask("will", EditIssue { number, edit: rename });
    let reason = ralph_forge::CloseReason::Duplicate;
    for state in [StateChange::Close(reason), StateChange::Reopen] {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        world.ask("will", EditIssue { number, edit });
    }
    assert_eq!(
        world.timeline(number),
        [
            TimelineEvent::Renamed { from: "T".to_owned(), to: "New".to_owned() },
            TimelineEvent::Closed { reason, commit: None, elsewhere: None },
            TimelineEvent::Reopened,
        ]
    );
}

#[test]
fn a_body_and_a_comment_that_name_an_issue_cross_reference_it_once() {
    let mut world = World::new();
    let target = world.open_issue("");
    let pull = world.pull("feature", "main", &format!("Fixes #{target}"));
    world.ask("will", say(pull, &format!("see #{target} and #{target}")));
    let source = match &world.timeline(target)[..] {
        [TimelineEvent::CrossReferenced { source }] => source.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((source.number, source.is_pull, source.repo.as_str()), (pull, true, "ada/app"));
    assert_eq!(events(&mut world, target), [], "only the timeline shows it");
}

#[test]
fn a_comment_shows_in_the_timeline_and_not_among_the_events() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", say(number, "hello"));
    assert!(matches!(world.timeline(number)[..], [TimelineEvent::Commented { .. }]));
    assert_eq!(events(&mut world, number), []);
}

#[test]
fn code_html_comments_and_things_that_only_look_like_it_name_nothing() {
    let mut world = World::new();
    let target = world.open_issue("");
    for body in [
        "`#1`",
        "```\n#1\n```",
        "~~~ text\n#1\n~~~",
        "<!-- ralph id=#1 -->",
        "a#1",
        "#1a",
        "#0",
        "##1",
        "&#1;",
        "#99",
        "other/repo#1",
        "https://example.com/x/y/z#1",
    ] {
        world.open_issue(body);
    }
    assert_eq!(world.timeline(target), []);
    for body in ["(#1)", "#1.", "ADA/App#1", "`code` then #1", "a ` alone #1"] {
        world.open_issue(body);
    }
    assert_eq!(world.timeline(target).len(), 5);
}

#[test]
fn naming_an_issue_one_cannot_see_leaves_no_trace_there() {
    let mut world = World::new();
    world.forge.create_repository(NewRepository::named("ada", "secret")).unwrap();
    world.forge.settings_mut("ada/secret").unwrap().visibility = Visibility::Private;
    let new = || NewIssue { title: "T".to_owned(), ..NewIssue::default() };
    world.forge.handle("ada", 1, on("ada/secret", CreateIssue(new()))).0.unwrap();
    for (who, seen) in [("zoe", 0), ("ada", 1)] {
        let body = "see ada/secret#1".to_owned();
        world.ask(who, CreateIssue(NewIssue { body, ..new() }));
        let timeline = on("ada/secret", ListTimeline { number: 1, page: Page::default() });
        let reply = world.forge.handle("ada", 1, timeline).0.unwrap();
        assert_eq!(reply.total, seen, "{who}");
    }
}

#[test]
fn a_pushed_commit_that_names_an_issue_references_it_once() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.branch("feature");
    let (sha, _events) = world.commit("feature", "f", "1", "Work on #1");
    world.pull_between("feature", "main", "");
    world.merge(2);
    assert_eq!(
        world.timeline(number),
        [TimelineEvent::Referenced { commit: sha, elsewhere: None }]
    );
}
