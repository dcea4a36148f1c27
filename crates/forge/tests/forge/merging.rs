//! Merging pull requests in the three ways.

use std::collections::BTreeSet;

use ralph_forge::{
    Conclusion, CreateBranch, DeleteBranch, EventKind, ListCommitPulls, ListPulls, MergeMethod,
    MergeOrder, MergePull, Page, PullFilter, SetDraft, Sha, TimelineEvent, UpdatePullBranch,
};

use crate::world::{REPO, World, merge_by};

fn parents(world: &World, sha: Sha) -> Vec<Sha> {
    world.forge.find_commit(REPO, sha).unwrap().parents.clone()
}

fn update(number: u64, expected_head: Option<Sha>) -> UpdatePullBranch {
    UpdatePullBranch { number, expected_head }
}

#[test]
fn a_merge_commit_has_base_and_head_as_parents() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let (base, head) = (world.tip("main"), world.tip("feature"));
    world.now += 2;
    let events = world.events("max", merge_by(number, MergeMethod::Merge));
    let tip = world.tip("main");
    assert_eq!(parents(&world, tip), [base, head]);
    assert!(events.contains(&EventKind::PullMerged { number, merge_commit: tip }));
    let (branch, before, after) = ("main".to_owned(), Some(base), Some(tip));
    assert!(events.contains(&EventKind::Push { branch, before, after, forced: false }));
    let record = world.see_pull(number).summary.merged.unwrap();
    assert_eq!((record.by.as_str(), record.at, record.commit), ("max", 1_002, tip));
    assert!(world.timeline(number).contains(&TimelineEvent::Merged { commit: tip }));
}

#[test]
fn a_squash_is_one_commit_and_the_head_is_not_reachable() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let (base, head) = (world.tip("main"), world.tip("feature"));
    world.ask("will", merge_by(number, MergeMethod::Squash));
    let tip = world.tip("main");
    assert_eq!(parents(&world, tip), [base]);
    assert!(!world.forge.is_ancestor(REPO, head, tip));
    let commit = world.forge.find_commit(REPO, tip).unwrap();
    assert_eq!(world.forge.text_at(REPO, tip, "feature").as_deref(), Some("feature"));
    assert!(commit.message.starts_with("Change (#1)"));
}

#[test]
fn a_rebase_makes_the_commits_again_on_the_base() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.write("feature", "second", "2");
    let base = world.write("main", "elsewhere", "1");
    world.ask("will", merge_by(number, MergeMethod::Rebase));
    let second = world.tip("main");
    let first = parents(&world, second)[0];
    assert_eq!(parents(&world, first), [base]);
    let files = world.forge.paths_at(REPO, second);
    let files: Vec<&str> = files.iter().map(AsRef::as_ref).collect();
    assert_eq!(files, ["README.md", "elsewhere", "feature", "second"]);
}

#[test]
fn a_rebase_leaves_merge_commits_out() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.write("main", "elsewhere", "1");
    world.ask("will", update(number, None));
    world.forge.run_background(world.now);
    let base = world.tip("main");
    world.ask("will", merge_by(number, MergeMethod::Rebase));
    assert_eq!(parents(&world, world.tip("main")), [base]);
}

#[test]
fn a_rebase_that_conflicts_on_the_way_is_405_though_the_result_would_merge() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.write("feature", "README.md", "detour");
    world.write("feature", "README.md", "# app\n");
    world.write("main", "README.md", "changed");
    assert_eq!(world.judged(number).mergeable, Some(true));
    let refused = world.refused("will", merge_by(number, MergeMethod::Rebase));
    assert_eq!(refused, "405 This branch can't be rebased");
    world.merge(number);
}

#[test]
fn a_method_that_is_not_allowed_is_405() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.forge.settings_mut(REPO).unwrap().merge_methods = BTreeSet::from([MergeMethod::Squash]);
    assert_eq!(world.refusal("will", merge_by(number, MergeMethod::Merge)).status, 405);
    world.ask("will", merge_by(number, MergeMethod::Squash));
}

#[test]
fn a_merge_has_the_message_it_was_given_or_githubs_own() {
    let mut world = World::new();
    for (name, message) in [("one", None), ("two", Some("Mine".to_owned()))] {
        let number = world.pull(name, "main", "");
        let expected = message
            .clone()
            .unwrap_or_else(|| format!("Merge pull request #{number} from ada/{name}\n\nChange"));
        let order = MergeOrder { message, ..MergeOrder::default() };
        world.ask("will", MergePull { number, order });
        let commit = world.forge.find_commit(REPO, world.tip("main")).unwrap();
        assert_eq!(commit.message, expected);
    }
}

#[test]
fn a_merge_for_another_head_is_409() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let seen = world.tip("feature");
    let now = world.write("feature", "late", "1");
    let order = |sha| {
        let expected_head = Some(sha);
        MergePull { number, order: MergeOrder { expected_head, ..MergeOrder::default() } }
    };
    assert_eq!(
        world.refused("will", order(seen)),
        "409 Head branch was modified. Review and try the merge again."
    );
    world.ask("will", order(now));
}

#[test]
fn conflicts_drafts_closed_and_merged_pulls_are_405() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.ask("will", SetDraft { number, draft: true });
    let merge = || merge_by(number, MergeMethod::Merge);
    assert_eq!(world.refused("will", merge()), "405 Pull Request is still a draft");
    world.ask("will", SetDraft { number, draft: false });
    world.write("main", "feature", "clash");
    assert_eq!(world.refused("will", merge()), "405 Pull Request is not mergeable");
    world.ask("will", DeleteBranch { branch: "feature".to_owned() });
    assert_eq!(world.refusal("will", merge()).status, 405);
    let other = world.pull("other", "main", "");
    world.merge(other);
    assert_eq!(world.refusal("will", merge_by(other, MergeMethod::Merge)).status, 405);
}

#[test]
fn a_missing_or_failing_required_check_is_405() {
    let mut world = World::new();
    world.branch("bot");
    world.require("bot", &["ci"], false);
    let number = world.pull("feature", "bot", "");
    let head = world.tip("feature");
    let merge = || merge_by(number, MergeMethod::Merge);
    let refused = world.refused("ada", merge());
    assert_eq!(refused, "405 Required status check \"ci\" is expected.");
    world.report(head, "ci", Conclusion::Failure);
    let refused = world.refused("ada", merge());
    assert_eq!(refused, "405 Required status check \"ci\" is failing.");
    world.report(head, "ci", Conclusion::Success);
    world.ask("ada", merge());
}

#[test]
fn a_head_behind_a_strict_base_is_405_until_updated() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.write("main", "elsewhere", "1");
    world.require("main", &[], true);
    assert_eq!(world.refusal("will", merge_by(number, MergeMethod::Merge)).status, 405);
    world.ask("will", update(number, None));
    world.forge.run_background(world.now);
    world.merge(number);
}

#[test]
fn readers_may_not_merge() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    assert_eq!(world.refusal("tess", merge_by(number, MergeMethod::Merge)).status, 403);
}

#[test]
fn an_update_is_accepted_now_and_pushed_later() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let (head, base) = (world.tip("feature"), world.write("main", "elsewhere", "1"));
    world.ask("will", update(number, Some(head)));
    assert_eq!(world.tip("feature"), head);
    let events = world.forge.run_background(2_000);
    let after = world.tip("feature");
    assert_eq!(parents(&world, after), [head, base]);
    assert_eq!((events[0].actor.as_str(), events[0].at), ("will", 2_000));
    let kinds: Vec<_> = events.into_iter().map(|event| event.kind).collect();
    assert!(kinds.contains(&EventKind::PullSynchronized { number, before: head, after }));
    assert_eq!(world.forge.run_background(2_001), [], "once");
}

#[test]
fn an_update_that_makes_no_sense_is_422() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    assert_eq!(world.refusal("will", update(number, None)).status, 422, "up to date");
    let base = world.write("main", "elsewhere", "1");
    assert_eq!(world.refusal("will", update(number, Some(base))).status, 422, "another head");
    let closed = world.pull("closed", "main", "");
    world.write("main", "more", "1");
    world.ask("will", DeleteBranch { branch: "closed".to_owned() });
    assert_eq!(world.refusal("will", update(closed, None)).status, 422, "closed");
    world.write("main", "feature", "clash");
    assert_eq!(world.refusal("will", update(number, None)).status, 422, "in conflict");
}

#[test]
fn an_update_whose_head_moved_meanwhile_is_dropped() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    world.write("main", "elsewhere", "1");
    world.ask("will", update(number, None));
    let pushed = world.write("feature", "late", "1");
    assert_eq!(world.forge.run_background(world.now), []);
    assert_eq!(world.tip("feature"), pushed);
}

#[test]
fn a_pull_whose_commits_reach_the_base_by_another_way_is_merged() {
    let mut world = World::new();
    let inner = world.pull("inner", "main", "");
    world.ask("will", CreateBranch { branch: "outer".to_owned(), sha: world.tip("inner") });
    world.write("outer", "outer", "1");
    let outer = world.pull_between("outer", "main", "");
    let tip = world.merge(outer);
    let record = world.see_pull(inner).summary.merged.unwrap();
    assert_eq!(record.commit, tip);
}

#[test]
fn the_head_branch_goes_with_the_merge_where_so_chosen() {
    let mut world = World::new();
    world.forge.settings_mut(REPO).unwrap().delete_branch_on_merge = true;
    let number = world.pull("feature", "main", "");
    world.merge(number);
    assert_eq!(world.forge.branch(REPO, "feature"), None);
    assert!(world.see_pull(number).summary.merged.is_some());
}

#[test]
fn the_pulls_of_a_commit_are_found_by_their_commits_and_their_merge() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let head = world.tip("feature");
    let pulls = |world: &mut World, sha| {
        let found = world.ask("zoe", ListCommitPulls { sha, page: Page::default() }).items;
        found.iter().map(|pull| pull.issue.number).collect::<Vec<_>>()
    };
    assert_eq!(pulls(&mut world, head), [number]);
    let merge = world.merge(number);
    assert_eq!(pulls(&mut world, head), [number]);
    assert_eq!(pulls(&mut world, merge), [number]);
    let list = ListPulls { filter: PullFilter::default(), page: Page::default() };
    assert_eq!(world.ask("zoe", list).total, 0);
}
