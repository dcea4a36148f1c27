//! Required checks are added to a branch's protection, and nothing it has is lost.

use crate::daemon::{Daemon, rules};
use crate::world::{BOT, BOT_BRANCH, CHECK, OWNER, REPO, World, repo};
use ralph_core::ids::Branch;
use ralph_core::policy::RepoPolicy;
use ralph_core::pull::Required;
use ralph_engine::ports::{Answer, Forge};
use ralph_forge::{
    AddLabels, CheckOutput, CheckState, Conclusion, CreateCheckRun, CreateIssue, DeleteProtection,
    GetProtection, GetPull, NewCheckRun, NewIssue, Permission, Protection, SetProtection,
};

/// Rounds of a second, more than lie between two rare looks.
const LOOKS: usize = 330;

fn protection(world: &World, branch: &str) -> Protection {
    let call = GetProtection { branch: branch.to_owned() };
    match world.act(OWNER, call) {
        Ok(found) => found,
        other => unreachable!("{other:?}"),
    }
}

fn contexts(world: &World, branch: &str) -> Vec<String> {
    let required = protection(world, branch).required_checks.expect("required checks");
    required.contexts.into_iter().collect()
}

#[test]
fn checks_are_added_to_those_there_are_and_protection_is_made_where_there_is_none() {
    let world = World::new();
    let mut owner = world.client_of(OWNER);
    let bot = Branch::new(BOT_BRANCH);
    let before = protection(&world, BOT_BRANCH);
    assert_eq!(owner.require_checks(&repo(), &bot, &["lint", CHECK]), Answer::Happened(()));
    assert_eq!(contexts(&world, BOT_BRANCH), [CHECK, "lint"]);
    let after = protection(&world, BOT_BRANCH);
    let rest = |found: &Protection| Protection { required_checks: None, ..found.clone() };
    assert_eq!(rest(&after), rest(&before));
    let main = Branch::new("main");
    assert_eq!(owner.require_checks(&repo(), &main, &[CHECK]), Answer::Happened(()));
    assert_eq!(contexts(&world, "main"), [CHECK]);
    let required = owner.required(&repo(), [&main, &main]).expect("an answer");
    assert_eq!(required, Required::Names(vec![CHECK.to_owned()]));
}

#[test]
fn protection_without_checks_keeps_all_it_has_and_without_rights_nothing_changes() {
    let world = World::new();
    let main = Branch::new("main");
    for allows in [true, false] {
        let kept = Protection {
            required_checks: None,
            required_approvals: allows.then_some(2),
            enforce_admins: !allows,
            allow_force_pushes: allows,
            allow_deletions: allows,
        };
        let call = SetProtection { branch: "main".to_owned(), protection: kept.clone() };
        world.act(OWNER, call).expect("protection");
        let answer = world.client_of(OWNER).require_checks(&repo(), &main, &[CHECK]);
        assert_eq!(answer, Answer::Happened(()));
        assert_eq!(contexts(&world, "main"), [CHECK]);
        assert_eq!(Protection { required_checks: None, ..protection(&world, "main") }, kept);
    }
    let bot = Branch::new(BOT_BRANCH);
    let answer = world.client().require_checks(&repo(), &bot, &["lint"]);
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    assert_eq!(contexts(&world, BOT_BRANCH), [CHECK]);
}

/// A daemon that is to keep two checks required, of which the head of the default branch has seen one.
fn keeping(world: &World, role: Permission) -> Daemon {
    world.model(|forge| forge.grant(REPO, BOT, role)).expect("a role");
    let run = NewCheckRun {
        name: CHECK.to_owned(),
        head: world.model(|forge| forge.branch(REPO, "main")).expect("a head"),
        state: CheckState::Completed(Conclusion::Success),
        details_url: None,
        output: CheckOutput::default(),
    };
    world.act(OWNER, CreateCheckRun(run)).expect("a check");
    let required_checks = Some(vec![CHECK.to_owned(), "lint".to_owned()]);
    Daemon::new(world, RepoPolicy { required_checks, ..rules() })
}

fn is_protected(world: &World, branch: &str) -> bool {
    let call = GetProtection { branch: branch.to_owned() };
    world.act(OWNER, call).is_ok()
}

#[test]
fn with_a_configured_list_both_branches_are_kept_requiring_what_was_ever_reported() {
    let world = World::new();
    let mut daemon = keeping(&world, Permission::Admin);
    daemon.idle_round();
    assert_eq!([contexts(&world, "main"), contexts(&world, BOT_BRANCH)], [[CHECK], [CHECK]]);
    // A person removes the protection; it is back by the next rare look.
    world.act(OWNER, DeleteProtection { branch: "main".to_owned() }).expect("removed");
    for _ in 0..LOOKS {
        daemon.idle_round();
    }
    assert_eq!(contexts(&world, "main"), [CHECK]);
}

#[test]
fn a_branch_that_is_protected_and_requires_nothing_yet_is_widened_too() {
    let world = World::new();
    let bare = Protection { required_approvals: Some(1), ..Protection::default() };
    let call = SetProtection { branch: "main".to_owned(), protection: bare.clone() };
    world.act(OWNER, call).expect("protection");
    keeping(&world, Permission::Admin).idle_round();
    assert_eq!(contexts(&world, "main"), [CHECK]);
    assert_eq!(Protection { required_checks: None, ..protection(&world, "main") }, bare);
}

#[test]
fn a_check_that_runs_on_pull_requests_alone_is_required_as_well() {
    let world = World::new();
    world.model(|forge| forge.grant(REPO, BOT, Permission::Admin)).expect("a role");
    let required_checks = Some(vec![CHECK.to_owned(), "lint".to_owned()]);
    let mut daemon = Daemon::new(&world, RepoPolicy { required_checks, ..rules() });
    let issue = NewIssue { title: "Add a flag".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(issue)).expect("an issue");
    daemon.round();
    let names = vec!["ralph:status:queued".to_owned()];
    world.act(OWNER, AddLabels { number: 1, names }).expect("a label");
    daemon.rounds_until(|daemon| daemon.world.look(GetPull { number: 2 }).is_ok());
    assert!(!is_protected(&world, "main"));
    world.passes(2);
    for _ in 0..LOOKS {
        daemon.idle_round();
    }
    assert_eq!(contexts(&world, "main"), [CHECK]);
}

#[test]
fn without_admin_rights_or_without_a_list_protection_is_left_alone() {
    let world = World::new();
    let mut daemon = keeping(&world, Permission::Write);
    let other = World::new();
    keeping(&other, Permission::Admin);
    let mut listless = Daemon::new(&other, rules());
    for _ in 0..LOOKS {
        daemon.idle_round();
        listless.idle_round();
    }
    assert!(!is_protected(&world, "main") && !is_protected(&other, "main"));
}

#[test]
fn that_a_branch_wants_up_to_date_heads_is_told_to_admins() {
    let world = World::new();
    let bot = Branch::new(BOT_BRANCH);
    let mut owner = world.client_of(OWNER);
    assert_eq!(owner.wants_up_to_date(&repo(), &bot), Ok(Some(false)));
    assert_eq!(owner.wants_up_to_date(&repo(), &Branch::new("main")), Ok(Some(false)));
    let mut strict = protection(&world, BOT_BRANCH);
    strict.required_checks.as_mut().expect("required checks").strict = true;
    let call = SetProtection { branch: BOT_BRANCH.to_owned(), protection: strict };
    world.act(OWNER, call).expect("protection");
    assert_eq!(world.client_of(OWNER).wants_up_to_date(&repo(), &bot), Ok(Some(true)));
}
