//! Pull requests: opening, listing, editing.

use ralph_forge::{
    CloseReason, CreatePull, DeleteBranch, EditIssue, EditPull, EventKind, FileStatus, IssueEdit,
    ListPullCommits, ListPullFiles, ListPulls, MergeMethod, Page, PullEdit, PullFilter, PullSort,
    SetDraft, StateChange, StateFilter, ThreadAction, TimelineEvent,
};

use crate::world::{World, merge_by, new_pull};

fn listed(world: &mut World, filter: PullFilter) -> Vec<u64> {
    let call = ListPulls { filter, page: Page::default() };
    world.ask("zoe", call).items.iter().map(|pull| pull.issue.number).collect()
}

fn change(number: u64, state: StateChange) -> EditPull {
    EditPull { number, edit: PullEdit { state: Some(state), ..PullEdit::default() } }
}

fn close(number: u64) -> EditPull {
    change(number, StateChange::Close(CloseReason::Completed))
}

fn delete(branch: &str) -> DeleteBranch {
    DeleteBranch { branch: branch.to_owned() }
}

#[test]
fn a_second_open_pull_for_head_and_base_is_422_and_another_base_is_fine() {
    let mut world = World::new();
    world.branch("bot");
    let first = world.pull("feature", "main", "");
    let again = || CreatePull(new_pull("feature", "main", ""));
    assert_eq!(
        world.refused("will", again()),
        "422 Validation Failed: A pull request already exists for ada:feature."
    );
    world.pull_between("feature", "bot", "");
    world.ask("will", close(first));
    world.ask("will", again());
}

#[test]
fn a_pull_without_commits_is_422() {
    let mut world = World::new();
    world.branch("feature");
    let create = || CreatePull(new_pull("feature", "main", ""));
    let expected = "422 Validation Failed: No commits between main and feature";
    assert_eq!(world.refused("will", create()), expected);
    world.write("main", "f", "1");
    assert_eq!(world.refused("will", create()), expected, "behind is not ahead");
}

#[test]
fn a_pull_needs_both_branches_and_a_title() {
    let mut world = World::new();
    world.branch("feature");
    world.write("feature", "f", "1");
    for (head, base) in [("nowhere", "main"), ("feature", "nowhere")] {
        let call = CreatePull(new_pull(head, base, ""));
        assert_eq!(world.refusal("will", call).status, 422);
    }
    let mut untitled = new_pull("feature", "main", "");
    untitled.title.clear();
    assert_eq!(world.refusal("will", CreatePull(untitled)).status, 422);
    let call = CreatePull(new_pull("feature", "main", ""));
    assert_eq!(world.refusal("reed", call).status, 403);
}

#[test]
fn a_refused_pull_takes_no_number() {
    let mut world = World::new();
    world.branch("feature");
    world.refusal("will", CreatePull(new_pull("feature", "main", "")));
    assert_eq!(world.open_issue(""), 1);
}

#[test]
fn lists_filter_by_head_base_and_state() {
    let mut world = World::new();
    world.branch("bot");
    let one = world.pull("one", "main", "");
    let two = world.pull("two", "bot", "");
    world.ask("will", close(one));
    let head = |head: &str| Some(head.to_owned());
    let all = PullFilter { state: StateFilter::All, ..PullFilter::default() };
    assert_eq!(listed(&mut world, PullFilter::default()), [two]);
    assert_eq!(listed(&mut world, all.clone()), [two, one]);
    let closed = PullFilter { state: StateFilter::Closed, ..PullFilter::default() };
    assert_eq!(listed(&mut world, closed), [one]);
    assert_eq!(listed(&mut world, PullFilter { head: head("one"), ..all.clone() }), [one]);
    assert_eq!(listed(&mut world, PullFilter { base: head("bot"), ..all }), [two]);
}

#[test]
fn a_list_by_update_shows_the_pull_that_changed_last_first() {
    let mut world = World::new();
    let (one, two) = (world.pull("one", "main", ""), world.pull("two", "main", ""));
    world.now += 1;
    world.write("one", "more", "1");
    let updated = PullFilter { sort: PullSort::Updated, ..PullFilter::default() };
    assert_eq!(listed(&mut world, updated), [one, two]);
}

#[test]
fn the_head_follows_pushes_while_the_pull_is_open() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let before = world.tip("feature");
    world.now += 4;
    let (after, events) = world.commit("feature", "more", "1", "More");
    assert!(events.contains(&EventKind::PullSynchronized { number, before, after }));
    let pull = world.see_pull(number);
    assert_eq!((pull.summary.head_sha, pull.summary.issue.updated_at), (after, 1_004));
}

#[test]
fn merged_and_closed_pulls_keep_their_head() {
    let mut world = World::new();
    let (merged, closed) = (world.pull("one", "main", ""), world.pull("two", "main", ""));
    let heads = [world.tip("one"), world.tip("two")];
    world.merge(merged);
    world.ask("will", close(closed));
    world.write("one", "more", "1");
    world.write("two", "more", "2");
    let seen = [merged, closed].map(|number| world.see_pull(number).summary.head_sha);
    assert_eq!(seen, heads);
}

#[test]
fn files_and_commits_show_what_the_pull_adds_even_after_the_merge() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.write("feature", "README.md", "new");
    world.write("main", "elsewhere", "1");
    for _ in ["open", "merged"] {
        let page = Page::default();
        let commits = world.ask("zoe", ListPullCommits { number, page });
        assert_eq!(commits.total, 2);
        assert!(
            commits.items.is_sorted_by_key(|commit| commit.parents.contains(&world.tip("main")))
        );
        let files = world.ask("zoe", ListPullFiles { number, page }).items;
        let files: Vec<_> = files.iter().map(|file| (&*file.path, file.status)).collect();
        let expected = [("README.md", FileStatus::Modified), ("feature", FileStatus::Added)];
        assert_eq!(files, expected);
        let pull = world.see_pull(number);
        assert_eq!((pull.commits, pull.changed_files), (2, 2));
        if pull.summary.merged.is_none() {
            world.merge(number);
        }
    }
}

#[test]
fn deleting_the_head_branch_closes_the_pull() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let events = world.events("will", delete("feature"));
    assert!(events.contains(&EventKind::Pull { number, action: ThreadAction::Closed }));
    assert!(world.timeline(number).contains(&TimelineEvent::HeadDeleted));
    let pull = world.see_pull(number);
    assert!(!pull.summary.issue.state.is_open() && pull.summary.merged.is_none());
    let refused = world.refused("will", change(number, StateChange::Reopen));
    assert!(refused.starts_with("422 ") && refused.contains("has been deleted"), "{refused}");
}

#[test]
fn deleting_the_base_branch_closes_the_pull_too() {
    let mut world = World::new();
    world.branch("bot");
    let number = world.pull("feature", "bot", "");
    world.ask("will", delete("bot"));
    assert!(!world.issue(number).state.is_open());
}

#[test]
fn a_reopened_pull_takes_the_tip_of_its_branch() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.ask("will", close(number));
    let tip = world.write("feature", "more", "1");
    world.ask("will", change(number, StateChange::Reopen));
    assert_eq!(world.see_pull(number).summary.head_sha, tip);
    assert_eq!(listed(&mut world, PullFilter::default()), [number]);
}

#[test]
fn a_merged_pull_does_not_reopen_and_a_replaced_one_neither() {
    let mut world = World::new();
    let merged = world.pull("one", "main", "");
    world.ask("will", merge_by(merged, MergeMethod::Squash));
    assert_eq!(
        world.refused("will", change(merged, StateChange::Reopen)),
        "422 Validation Failed: state cannot be changed. The pull request was merged."
    );
    let replaced = world.pull("two", "main", "");
    world.ask("will", close(replaced));
    world.pull_between("two", "main", "");
    assert_eq!(world.refusal("will", change(replaced, StateChange::Reopen)).status, 422);
}

#[test]
fn closing_a_pull_as_an_issue_closes_the_pull() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let state = Some(StateChange::Close(CloseReason::Completed));
    let edit = IssueEdit { state, ..IssueEdit::default() };
    world.ask("will", EditIssue { number, edit });
    assert_eq!(listed(&mut world, PullFilter::default()), [0; 0]);
}

#[test]
fn a_pull_moves_to_another_base_unless_that_is_taken() {
    let mut world = World::new();
    world.branch("bot");
    let number = world.pull("feature", "main", "");
    let base = |base: &str| {
        let edit = PullEdit { base: Some(base.to_owned()), ..PullEdit::default() };
        EditPull { number, edit }
    };
    world.ask("will", base("bot"));
    assert_eq!(world.see_pull(number).summary.base, "bot");
    world.pull_between("feature", "main", "");
    assert_eq!(world.refusal("will", base("main")).status, 422);
    assert_eq!(world.refusal("will", base("nowhere")).status, 422);
}

#[test]
fn a_draft_becomes_ready() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    for draft in [true, false] {
        let events = world.events("will", SetDraft { number, draft });
        assert_eq!(events, [EventKind::PullDraft { number, draft }]);
        assert_eq!(world.see_pull(number).summary.draft, draft);
    }
    assert_eq!(world.events("will", SetDraft { number, draft: false }), []);
}
