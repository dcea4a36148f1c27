//! Pushes and what they are refused for.

use std::collections::BTreeMap;

use ralph_forge::{
    BranchCommit, Conclusion, Content, CreateBranch, DeleteBranch, Enforcement, EventKind,
    Expected, GetBranchTip, GetRepository, MergeMethod, MergeState, MoveBranch, NewCommit,
    Permission, Protection, PushBranch, Rule, Ruleset, SetProtection, Sha, TimelineEvent, on,
};

use crate::world::{REPO, World, merge_by, names};

fn push(branch: &str, sha: Sha, expected_old: Expected, force: bool) -> PushBranch {
    PushBranch { branch: branch.to_owned(), sha, expected_old, force }
}

/// A commit that no branch leads to.
fn object(world: &mut World, parent: Sha, path: &str) -> Sha {
    let new = NewCommit {
        parents: vec![parent],
        content: Content::written([(path, "text")]),
        message: "Object".to_owned(),
        author: "will".to_owned(),
        at: world.now,
    };
    world.forge.commit(REPO, new).unwrap()
}

fn protect(world: &mut World, protection: Protection) {
    let branch = "main".to_owned();
    world.ask("ada", SetProtection { branch, protection });
}

#[test]
fn a_chain_of_commits_is_made_first_and_pushed_later() {
    let mut world = World::new();
    let base = world.tip("main");
    let first = object(&mut world, base, "a");
    let second = object(&mut world, first, "b");
    assert!(world.forge.find_commit(REPO, second).is_some());
    let events = world.events("will", push("work", second, Expected::Absent, false));
    let (branch, before, after) = ("work".to_owned(), None, Some(second));
    assert_eq!(events, [EventKind::Push { branch, before, after, forced: false }]);
    assert!(world.forge.is_ancestor(REPO, first, world.tip("work")));
}

#[test]
fn a_push_that_finds_the_branch_elsewhere_is_refused() {
    let mut world = World::new();
    let base = world.tip("main");
    let sha = object(&mut world, base, "a");
    world.write("main", "b", "1");
    let stale = push("main", sha, Expected::At(base), true);
    assert_eq!(world.refusal("will", stale).status, 409);
    assert_eq!(world.refusal("will", push("main", sha, Expected::Absent, true)).status, 409);
}

#[test]
fn only_fast_forwards_are_pushed_unless_forced() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let before = world.tip("feature");
    let base = world.tip("main");
    let sha = object(&mut world, base, "other");
    let call = |force| push("feature", sha, Expected::Anything, force);
    assert_eq!(world.refused("will", call(false)), "422 Update is not a fast forward");
    let events = world.events("will", call(true));
    assert!(events.contains(&EventKind::PullSynchronized { number, before, after: sha }));
    assert!(world.timeline(number).contains(&TimelineEvent::HeadForcePushed));
}

#[test]
fn pushing_what_is_there_already_is_no_event() {
    let mut world = World::new();
    let tip = world.tip("main");
    assert_eq!(world.events("will", push("main", tip, Expected::Anything, false)), []);
}

#[test]
fn a_protected_branch_takes_only_commits_that_passed_its_checks() {
    let mut world = World::new();
    world.require("main", &["ci"], false);
    let base = world.tip("main");
    let sha = object(&mut world, base, "a");
    let call = || push("main", sha, Expected::Anything, false);
    let refused = world.refused("ada", call());
    assert!(refused.starts_with("422 Protected branch update failed"), "{refused}");
    world.report(sha, "ci", Conclusion::Success);
    world.ask("will", call());
}

#[test]
fn a_person_cannot_commit_to_a_branch_that_wants_pulls() {
    let mut world = World::new();
    protect(&mut world, Protection { required_approvals: Some(0), ..Protection::default() });
    let (branch, message) = ("main".to_owned(), "Direct".to_owned());
    let commit = BranchCommit { branch, content: Content::Changes(BTreeMap::new()), message };
    let refused = world.forge.commit_on_branch("will", 1_000, REPO, commit).unwrap_err();
    assert!(refused.to_string().ends_with("Changes must be made through a pull request."));
    let number = world.pull("feature", "main", "");
    world.merge(number);
}

#[test]
fn approvals_block_since_nobody_can_give_them() {
    let mut world = World::new();
    protect(&mut world, Protection { required_approvals: Some(1), ..Protection::default() });
    let number = world.pull("feature", "main", "");
    assert_eq!(world.judged(number).merge_state, MergeState::Blocked);
    assert_eq!(world.refusal("will", merge_by(number, MergeMethod::Merge)).status, 405);
}

#[test]
fn administrators_pass_checks_unless_held_to_them() {
    for enforce_admins in [false, true] {
        let mut world = World::new();
        let number = world.pull("feature", "main", "");
        let checks = ralph_forge::RequiredChecks { strict: false, contexts: names(&["ci"]) };
        let required_checks = Some(checks);
        let protection = Protection { required_checks, enforce_admins, ..Protection::default() };
        protect(&mut world, protection);
        assert_eq!(world.refusal("max", merge_by(number, MergeMethod::Merge)).status, 405);
        let (response, _events) = world.respond("ada", merge_by(number, MergeMethod::Merge));
        assert_eq!(response.is_ok(), !enforce_admins);
    }
}

#[test]
fn a_protected_branch_is_neither_forced_nor_deleted_even_by_its_owner() {
    let mut world = World::new();
    let base = world.tip("main");
    world.branch("bot");
    world.write("bot", "a", "1");
    let other = object(&mut world, base, "other");
    let set = |protection| SetProtection { branch: "bot".to_owned(), protection };
    world.ask("ada", set(Protection::default()));
    let delete = || DeleteBranch { branch: "bot".to_owned() };
    let force = || push("bot", other, Expected::Anything, true);
    assert_eq!(world.refusal("ada", force()).status, 422);
    assert_eq!(world.refusal("ada", delete()).status, 422);
    let (allow_force_pushes, allow_deletions) = (true, true);
    world.ask(
        "ada",
        set(Protection { allow_force_pushes, allow_deletions, ..Protection::default() }),
    );
    world.ask("will", force());
    world.ask("will", delete());
}

#[test]
fn rulesets_hold_for_pushes_except_for_those_they_name() {
    let mut world = World::new();
    world.branch("bot");
    let ruleset = Ruleset {
        name: "bot".to_owned(),
        enforcement: Enforcement::Active,
        branches: vec!["bot".to_owned()],
        rules: vec![Rule::PullRequest { approvals: 0 }, Rule::NonFastForward, Rule::Deletion],
        bypass: names(&["max"]),
    };
    world.forge.add_ruleset(REPO, ruleset).unwrap();
    let base = world.tip("bot");
    let sha = object(&mut world, base, "a");
    assert_eq!(world.refusal("ada", push("bot", sha, Expected::Anything, false)).status, 422);
    world.ask("max", push("bot", sha, Expected::Anything, false));
    let delete = || DeleteBranch { branch: "bot".to_owned() };
    assert_eq!(world.refusal("ada", delete()).status, 422);
    world.ask("max", delete());
}

#[test]
fn a_test_makes_branches_whatever_the_rules_say() {
    let mut world = World::new();
    let rules = vec![Rule::PullRequest { approvals: 1 }];
    let ruleset = Ruleset {
        name: "all".to_owned(),
        enforcement: Enforcement::Active,
        branches: vec!["~ALL".to_owned()],
        rules,
        bypass: names(&[]),
    };
    world.forge.add_ruleset(REPO, ruleset).unwrap();
    let tip = world.tip("main");
    let call = CreateBranch { branch: "bot".to_owned(), sha: tip };
    assert_eq!(world.refusal("ada", call).status, 422);
    world.forge.create_branch(REPO, "bot", tip).unwrap();
    assert_eq!(world.tip("bot"), tip);
    assert_eq!(world.forge.create_branch(REPO, "bot", tip).unwrap_err().status, 422);
}

#[test]
fn references_are_created_moved_and_deleted_with_githubs_words() {
    let mut world = World::new();
    let base = world.tip("main");
    let sha = object(&mut world, base, "a");
    let branch = || "bot".to_owned();
    let unknown = "f".repeat(40).parse().unwrap();
    let create = |sha| CreateBranch { branch: branch(), sha };
    let update = |sha| MoveBranch { branch: branch(), sha, force: false };
    let delete = || DeleteBranch { branch: branch() };
    assert_eq!(world.refused("will", update(sha)), "422 Reference does not exist");
    assert_eq!(world.refused("will", create(unknown)), "422 Object does not exist");
    world.ask("will", create(sha));
    assert_eq!(world.refused("will", create(sha)), "422 Reference already exists");
    assert_eq!(world.refused("will", update(base)), "422 Update is not a fast forward");
    world.ask("will", delete());
    assert_eq!(world.refused("will", delete()), "422 Reference does not exist");
    assert_eq!(world.refusal("will", GetBranchTip { branch: branch() }).status, 404);
    let main = DeleteBranch { branch: "main".to_owned() };
    assert_eq!(world.refusal("ada", main).status, 422, "the default branch stays");
}

#[test]
fn names_that_git_does_not_take_are_422() {
    let mut world = World::new();
    let sha = world.tip("main");
    for name in ["", "a b", "a..b", "a//b", "/a", "a/", ".a", "a.lock", "a~1", "a.", "a:b"] {
        assert_eq!(
            world.refusal("will", push(name, sha, Expected::Absent, false)).status,
            422,
            "{name}"
        );
    }
    world.ask("will", push("ralph/issue-1-fix_it.now", sha, Expected::Absent, false));
}

#[test]
fn someone_whose_rights_were_taken_pushes_no_more() {
    let mut world = World::new();
    let base = world.tip("main");
    let sha = object(&mut world, base, "a");
    world.forge.grant(REPO, "will", Permission::None).unwrap();
    let call = push("main", sha, Expected::Anything, false);
    assert_eq!(world.refusal("will", call).status, 403);
}

#[test]
fn a_branch_that_is_a_folder_of_another_is_422() {
    let mut world = World::new();
    world.branch("work/one");
    let sha = world.tip("main");
    for name in ["work", "work/one/more"] {
        let refused = world.refused("will", push(name, sha, Expected::Absent, false));
        let words = "422 Reference cannot be created beside refs/heads/work/one";
        assert_eq!(refused, words);
    }
    world.ask("will", push("work/other", sha, Expected::Absent, false));
}

#[test]
fn the_first_branch_of_an_empty_repository_becomes_its_default() {
    let mut world = World::new();
    world.forge.create_empty_repository("ada", "empty", world.now).unwrap();
    let new = NewCommit {
        parents: Vec::new(),
        content: Content::written([("a", "1")]),
        message: "First".to_owned(),
        author: "ada".to_owned(),
        at: world.now,
    };
    let sha = world.forge.commit("ada/empty", new).unwrap();
    let call = push("trunk", sha, Expected::Absent, false);
    let (response, _events) = world.forge.handle("ada", 1_000, on("ada/empty", call));
    response.unwrap();
    let get = on("ada/empty", GetRepository);
    let view = world.forge.handle("ada", 1_000, get).0.unwrap();
    assert_eq!(view.default_branch, "trunk");
}
