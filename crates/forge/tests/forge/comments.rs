//! Comments: lists, edits and who may write.

use ralph_forge::{
    CommentFilter, CommentSort, CreateComment, DeleteComment, Direction, EditComment, GetComment,
    ListComments, ListRepositoryComments, Page,
};

use crate::world::World;

fn say(number: u64, body: &str) -> CreateComment {
    CreateComment { number, body: body.to_owned() }
}

fn comment(world: &mut World, who: &str, number: u64, body: &str) -> u64 {
    world.ask(who, say(number, body)).comment.id
}

fn edit(id: u64, body: &str) -> EditComment {
    EditComment { id, body: body.to_owned() }
}

fn on_issue(world: &mut World, number: u64, since: Option<u64>) -> Vec<String> {
    let call = ListComments { number, since, page: Page::default() };
    let found = world.ask("zoe", call).items;
    found.into_iter().map(|view| view.comment.body).collect()
}

fn on_all(world: &mut World, filter: CommentFilter) -> Vec<String> {
    let call = ListRepositoryComments { filter, page: Page::default() };
    let found = world.ask("zoe", call).items;
    found.into_iter().map(|view| view.comment.body).collect()
}

#[test]
fn comments_of_an_issue_ascend_by_id_even_after_edits() {
    let mut world = World::new();
    let number = world.open_issue("");
    let first = comment(&mut world, "will", number, "a");
    comment(&mut world, "will", number, "b");
    world.now += 9;
    world.ask("will", edit(first, "a2"));
    assert_eq!(on_issue(&mut world, number, None), ["a2", "b"]);
    assert_eq!(on_issue(&mut world, number, Some(1_001)), ["a2"]);
}

#[test]
fn the_comments_of_a_repository_sort_both_ways() {
    let mut world = World::new();
    let (one, two) = (world.open_issue(""), world.open_issue(""));
    let first = comment(&mut world, "will", one, "a");
    comment(&mut world, "will", two, "b");
    world.now += 9;
    world.ask("will", edit(first, "a2"));
    assert_eq!(on_all(&mut world, CommentFilter::default()), ["a2", "b"]);
    let direction = Direction::Descending;
    let newest = CommentFilter { direction, ..CommentFilter::default() };
    assert_eq!(on_all(&mut world, newest), ["b", "a2"]);
    let updated = CommentFilter { sort: CommentSort::Updated, ..CommentFilter::default() };
    assert_eq!(on_all(&mut world, updated), ["b", "a2"]);
    let since = CommentFilter { since: Some(1_009), ..CommentFilter::default() };
    assert_eq!(on_all(&mut world, since), ["a2"]);
}

#[test]
fn writing_editing_and_deleting_a_comment_touch_the_issue() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.now = 1_001;
    let id = comment(&mut world, "will", number, "a");
    assert_eq!((world.issue(number).updated_at, world.issue(number).comments), (1_001, 1));
    world.now = 1_002;
    world.ask("will", edit(id, "b"));
    assert_eq!(world.issue(number).updated_at, 1_002);
    world.now = 1_003;
    world.ask("will", DeleteComment { id });
    assert_eq!((world.issue(number).updated_at, world.issue(number).comments), (1_003, 0));
    assert_eq!(world.refusal("will", GetComment { id }).status, 404);
    assert_eq!(world.timeline(number), []);
}

#[test]
fn anyone_may_comment_but_only_writers_change_the_comments_of_others() {
    let mut world = World::new();
    let number = world.open_issue("");
    let id = comment(&mut world, "zoe", number, "a");
    world.ask("zoe", edit(id, "b"));
    assert_eq!(world.refusal("tess", edit(id, "c")).status, 403);
    assert_eq!(world.refusal("reed", DeleteComment { id }).status, 403);
    world.ask("will", DeleteComment { id });
}

#[test]
fn an_empty_or_endless_comment_is_422() {
    let mut world = World::new();
    let number = world.open_issue("");
    assert_eq!(world.refusal("will", say(number, " ")).status, 422);
    assert_eq!(world.refusal("will", say(number, &"x".repeat(65_537))).status, 422);
    world.ask("will", say(number, &"x".repeat(65_536)));
}

#[test]
fn a_pull_takes_comments_like_an_issue() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    comment(&mut world, "zoe", number, "nice");
    assert_eq!(on_issue(&mut world, number, None), ["nice"]);
}
