//! Required checks are added to a branch's protection, and nothing it has is lost.

use crate::town::{BOT_BRANCH, CHECK, OWNER, Town, repo};
use ralph_core::ids::Branch;
use ralph_core::pull::Required;
use ralph_engine::ports::{Answer, Forge};
use ralph_forge::{BranchCall, Protection, Reply};

fn protection(town: &Town, branch: &str) -> Protection {
    let call = BranchCall::GetProtection { branch: branch.to_owned() };
    match town.act(OWNER, call) {
        Ok(Reply::Protection(found)) => found,
        other => unreachable!("{other:?}"),
    }
}

fn contexts(town: &Town, branch: &str) -> Vec<String> {
    let required = protection(town, branch).required_checks.expect("required checks");
    required.contexts.into_iter().collect()
}

#[test]
fn checks_are_added_to_those_there_are_and_protection_is_made_where_there_is_none() {
    let town = Town::new();
    let mut owner = town.client_of(OWNER);
    let bot = Branch::new(BOT_BRANCH);
    let before = protection(&town, BOT_BRANCH);
    assert_eq!(owner.require_checks(&repo(), &bot, &["lint", CHECK]), Answer::Happened(()));
    assert_eq!(contexts(&town, BOT_BRANCH), [CHECK, "lint"]);
    let after = protection(&town, BOT_BRANCH);
    let rest = |found: &Protection| Protection { required_checks: None, ..found.clone() };
    assert_eq!(rest(&after), rest(&before));
    let main = Branch::new("main");
    assert_eq!(owner.require_checks(&repo(), &main, &[CHECK]), Answer::Happened(()));
    assert_eq!(contexts(&town, "main"), [CHECK]);
    let required = owner.required(&repo(), [&main, &main]).expect("an answer");
    assert_eq!(required, Required::Names(vec![CHECK.to_owned()]));
}

#[test]
fn protection_without_checks_is_left_alone_and_without_rights_nothing_changes() {
    let town = Town::new();
    let main = Branch::new("main");
    let kept = Protection { required_checks: None, ..protection(&town, BOT_BRANCH) };
    let call = BranchCall::SetProtection { branch: "main".to_owned(), protection: kept.clone() };
    town.act(OWNER, call).expect("protection");
    let answer = town.client_of(OWNER).require_checks(&repo(), &main, &[CHECK]);
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    assert_eq!(protection(&town, "main"), kept);
    let bot = Branch::new(BOT_BRANCH);
    let answer = town.client().require_checks(&repo(), &bot, &["lint"]);
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    assert_eq!(contexts(&town, BOT_BRANCH), [CHECK]);
}
