//! Branches, their protection and rulesets.

use ralph_forge::{
    AddContexts, DeleteProtection, Enforcement, GetBranch, GetProtection, ListBranches, ListRules,
    Page, Protection, RequiredChecks, Rule, RuleView, Ruleset, SetProtection,
};

use crate::world::{REPO, World, names};

fn ruleset(branch: &str, rules: Vec<Rule>) -> Ruleset {
    Ruleset {
        name: "rules".to_owned(),
        enforcement: Enforcement::Active,
        branches: vec![branch.to_owned()],
        rules,
        bypass: names(&[]),
    }
}

fn get(branch: &str) -> GetBranch {
    GetBranch { branch: branch.to_owned() }
}

#[test]
fn everyone_reads_the_required_checks_of_a_branch() {
    let mut world = World::new();
    let branch = world.ask("zoe", get("main"));
    assert_eq!((branch.protected, branch.required_checks), (false, None));
    world.require("main", &["ci"], true);
    let branch = world.ask("zoe", get("main"));
    let checks = RequiredChecks { strict: true, contexts: names(&["ci"]) };
    assert_eq!((branch.protected, branch.required_checks), (true, Some(checks)));
    assert_eq!(world.refused("ada", get("nowhere")), "404 Branch not found");
}

#[test]
fn a_branch_is_listed_as_protected_by_a_ruleset_too() {
    let mut world = World::new();
    world.branch("bot");
    world.forge.add_ruleset(REPO, ruleset("bot", vec![Rule::Deletion])).unwrap();
    let list = ListBranches { protected: Some(true), page: Page::default() };
    let found = world.ask("zoe", list).items;
    assert_eq!(found.iter().map(|branch| &*branch.name).collect::<Vec<_>>(), ["bot"]);
    assert_eq!(found[0].required_checks, None, "rulesets are read elsewhere");
}

#[test]
fn putting_protection_replaces_it_whole() {
    let mut world = World::new();
    world.require("main", &["ci"], true);
    let protection = Protection { required_approvals: Some(0), ..Protection::default() };
    let branch = || "main".to_owned();
    let set = SetProtection { branch: branch(), protection: protection.clone() };
    world.ask("ada", set);
    let get = GetProtection { branch: branch() };
    assert_eq!(world.ask("ada", get), protection);
}

#[test]
fn contexts_are_added_to_those_that_are_required() {
    let mut world = World::new();
    let add = |context: &str| {
        let contexts = vec![context.to_owned()];
        AddContexts { branch: "main".to_owned(), contexts }
    };
    assert_eq!(world.refused("ada", add("ci")), "404 Branch not protected");
    world.require("main", &["ci"], true);
    let protection = world.ask("ada", add("lint"));
    assert_eq!(protection.required_checks.unwrap().contexts, names(&["ci", "lint"]));
}

#[test]
fn protection_is_deleted_once_and_only_for_branches_that_exist() {
    let mut world = World::new();
    world.require("main", &["ci"], true);
    let delete = |branch: &str| DeleteProtection { branch: branch.to_owned() };
    world.ask("ada", delete("main"));
    assert_eq!(world.refused("ada", delete("main")), "404 Branch not protected");
    assert_eq!(world.refused("ada", delete("nowhere")), "404 Branch not found");
}

#[test]
fn the_rules_for_a_branch_come_from_every_active_ruleset_that_names_it() {
    let mut world = World::new();
    let all = world.forge.add_ruleset(REPO, ruleset("~ALL", vec![Rule::Deletion])).unwrap();
    let main = ruleset("~DEFAULT_BRANCH", vec![Rule::NonFastForward]);
    let main = world.forge.add_ruleset(REPO, main).unwrap();
    let off = Ruleset { enforcement: Enforcement::Disabled, ..ruleset("main", vec![]) };
    world.forge.add_ruleset(REPO, off).unwrap();
    let rules = |branch: &str| ListRules { branch: branch.to_owned() };
    let deletion = RuleView { ruleset_id: all, rule: Rule::Deletion };
    let forward = RuleView { ruleset_id: main, rule: Rule::NonFastForward };
    assert_eq!(world.ask("zoe", rules("other")), std::slice::from_ref(&deletion));
    assert_eq!(world.ask("zoe", rules("main")), [deletion, forward]);
}
