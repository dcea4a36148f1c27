//! What one may not see, and what one may not do.

use std::collections::BTreeMap;

use ralph_forge::{
    AccountKind, Association, BranchCall, Call, CommentCall, FoldedPermission, Forge, GitCall,
    IssueCall, IssueEdit, LabelCall, NewLabel, Permission, Protection, RepositoryCall, Request,
    StateChange, Visibility,
};

use crate::world::{REPO, World, take};

fn permission(login: &str) -> RepositoryCall {
    RepositoryCall::Permission { login: login.to_owned() }
}

#[test]
fn a_stranger_does_not_see_a_private_repository_at_all() {
    let mut world = World::new();
    world.forge.settings_mut(REPO).unwrap().visibility = Visibility::Private;
    let number = world.open_issue("");
    assert_eq!(world.refused("zoe", RepositoryCall::Get), "404 Not Found");
    let names = vec!["bug".to_owned()];
    assert_eq!(world.refusal("zoe", LabelCall::Add { number, names }).status, 404);
    world.ask("reed", IssueCall::Get { number });
}

#[test]
fn what_one_sees_but_may_not_do_is_403() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", LabelCall::Add { number, names: vec!["bug".to_owned()] });
    let sha = world.tip("main");
    let close = StateChange::Close(ralph_forge::CloseReason::Completed);
    let label = NewLabel { name: "new".to_owned(), color: None, description: None };
    let new_name = || vec!["unheard-of".to_owned()];
    let title = Some("mine".to_owned());
    let cases: BTreeMap<&str, Vec<Call>> = BTreeMap::from([
        (
            "reed",
            vec![
                LabelCall::Add { number, names: vec!["bug".to_owned()] }.into(),
                LabelCall::Remove { number, name: "bug".to_owned() }.into(),
                IssueCall::Edit {
                    number,
                    edit: IssueEdit { state: Some(close), ..IssueEdit::default() },
                }
                .into(),
            ],
        ),
        (
            "tess",
            vec![
                LabelCall::Create(label).into(),
                LabelCall::Add { number, names: new_name() }.into(),
                IssueCall::Edit { number, edit: IssueEdit { title, ..IssueEdit::default() } }
                    .into(),
                GitCall::CreateRef { branch: "b".to_owned(), sha }.into(),
            ],
        ),
        ("max", vec![RepositoryCall::SetDefaultBranch { branch: "main".to_owned() }.into()]),
    ]);
    for (who, calls) in cases {
        for call in calls {
            assert_eq!(world.refusal(who, call.clone()).status, 403, "{who} {call:?}");
        }
    }
}

#[test]
fn authors_may_edit_and_close_their_own_issue() {
    let mut world = World::new();
    let new = ralph_forge::NewIssue { title: "T".to_owned(), ..Default::default() };
    let number = take!(world.ask("zoe", IssueCall::Create(new)), Issue).number;
    let (title, body) = (Some("U".to_owned()), None);
    let state = Some(StateChange::Close(ralph_forge::CloseReason::Completed));
    world.ask(
        "zoe",
        IssueCall::Edit { number, edit: IssueEdit { title, body, state, labels: None } },
    );
    assert!(!world.issue(number).state.is_open());
}

#[test]
fn the_permission_endpoint_folds_triage_and_maintain_and_tells_the_truth_beside() {
    let mut world = World::new();
    let expected = [
        ("ada", FoldedPermission::Admin, Permission::Admin),
        ("max", FoldedPermission::Write, Permission::Maintain),
        ("will", FoldedPermission::Write, Permission::Write),
        ("tess", FoldedPermission::Read, Permission::Triage),
        ("reed", FoldedPermission::Read, Permission::Read),
        ("zoe", FoldedPermission::Read, Permission::Read),
    ];
    for (login, folded, role) in expected {
        let answer = take!(world.ask("will", permission(login)), Permission);
        assert_eq!((answer.permission, answer.role), (folded, role), "{login}");
    }
    world.forge.settings_mut(REPO).unwrap().visibility = Visibility::Private;
    let answer = take!(world.ask("will", permission("ZOE")), Permission);
    assert_eq!((answer.permission, answer.role), (FoldedPermission::None, Permission::None));
    assert_eq!(world.refusal("will", permission("nobody")).status, 404);
    assert_eq!(world.refusal("tess", permission("ada")).status, 403);
}

#[test]
fn the_association_of_a_commenter_proves_nothing_about_rights() {
    let mut world = World::new();
    let number = world.open_issue("");
    let mut seen = |who: &str| {
        let call = CommentCall::Create { number, body: "hi".to_owned() };
        take!(world.ask(who, call), Comment).association
    };
    assert_eq!(seen("ada"), Association::Owner);
    assert_eq!(seen("will"), Association::Collaborator);
    assert_eq!(seen("reed"), Association::Collaborator, "though they may only read");
    assert_eq!(seen("zoe"), Association::None);
    let pull = world.pull("feature", "main", "");
    world.merge(pull);
    world.forge.grant(REPO, "will", Permission::None).unwrap();
    let call = CommentCall::Create { number, body: "bye".to_owned() };
    let comment = take!(world.ask("will", call), Comment);
    assert_eq!(comment.association, Association::Contributor, "for work that was merged");
}

#[test]
fn protection_without_rights_is_not_found_and_with_rights_not_protected() {
    let mut world = World::new();
    let get = || BranchCall::GetProtection { branch: "main".to_owned() };
    assert_eq!(world.refused("max", get()), "404 Not Found");
    assert_eq!(world.refused("ada", get()), "404 Branch not protected");
    let (branch, protection) = ("main".to_owned(), Protection::default());
    let set = BranchCall::SetProtection { branch, protection };
    assert_eq!(world.refused("max", set.clone()), "404 Not Found");
    world.ask("ada", set);
    world.ask("ada", get());
    assert_eq!(world.refused("max", get()), "404 Not Found");
}

#[test]
fn unknown_callers_have_bad_credentials_and_known_ones_a_name() {
    let mut forge = Forge::new();
    assert_eq!(forge.handle("ghost", 0, Request::GetUser).0.unwrap_err().status, 401);
    forge.create_account("ralph[bot]", AccountKind::Bot);
    let account = take!(forge.handle("Ralph[bot]", 0, Request::GetUser).0.unwrap(), Account);
    assert_eq!((account.login.as_str(), account.kind), ("ralph[bot]", AccountKind::Bot));
}
