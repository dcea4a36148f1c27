//! Things that one may not see, and things that one may not do.

use ralph_forge::{
    AccountKind, AddLabels, Association, CreateBranch, CreateComment, CreateIssue, CreateLabel,
    EditIssue, EditRepository, FoldedPermission, Forge, GetIssue, GetPermission, GetProtection,
    GetRepository, GetUser, IssueEdit, NewLabel, Permission, Protection, RemoveLabel,
    RepositoryEdit, SetProtection, StateChange, Visibility,
};

use crate::world::{REPO, World};

fn permission(login: &str) -> GetPermission {
    GetPermission { login: login.to_owned() }
}

#[test]
fn a_stranger_does_not_see_a_private_repository_at_all() {
    let mut world = World::new();
    world.forge.settings_mut(REPO).unwrap().visibility = Visibility::Private;
    let number = world.open_issue("");
    assert_eq!(world.refused("zoe", GetRepository), "404 Not Found");
    let names = vec!["bug".to_owned()];
    assert_eq!(world.refusal("zoe", AddLabels { number, names }).status, 404);
    world.ask("reed", GetIssue { number });
}

#[test]
fn what_one_sees_but_may_not_do_is_403() {
    let mut world = World::new();
    let number = world.open_issue("");
    world.ask("will", AddLabels { number, names: vec!["bug".to_owned()] });
    let sha = world.tip("main");
    let close = StateChange::Close(ralph_forge::CloseReason::Completed);
    let label = NewLabel { name: "new".to_owned(), color: None, description: None };
    let edit = |edit| EditIssue { number, edit };
    let forbidden = |who: &str, refusal: ralph_forge::Refusal| {
        assert_eq!(refusal.status, 403, "{who} {refusal}");
    };
    let bug = vec!["bug".to_owned()];
    forbidden("reed", world.refusal("reed", AddLabels { number, names: bug }));
    forbidden("reed", world.refusal("reed", RemoveLabel { number, name: "bug".to_owned() }));
    let state = edit(IssueEdit { state: Some(close), ..IssueEdit::default() });
    forbidden("reed", world.refusal("reed", state));
    forbidden("tess", world.refusal("tess", CreateLabel(label)));
    let names = vec!["unheard-of".to_owned()];
    forbidden("tess", world.refusal("tess", AddLabels { number, names }));
    let title = edit(IssueEdit { title: Some("mine".to_owned()), ..IssueEdit::default() });
    forbidden("tess", world.refusal("tess", title));
    forbidden("tess", world.refusal("tess", CreateBranch { branch: "b".to_owned(), sha }));
    let default_branch = Some("main".to_owned());
    let default = RepositoryEdit { default_branch, ..RepositoryEdit::default() };
    forbidden("max", world.refusal("max", EditRepository(default)));
}

#[test]
fn authors_may_edit_and_close_their_own_issue() {
    let mut world = World::new();
    let new = ralph_forge::NewIssue { title: "T".to_owned(), ..Default::default() };
    let number = world.ask("zoe", CreateIssue(new)).number;
    let (title, body) = (Some("U".to_owned()), None);
    let state = Some(StateChange::Close(ralph_forge::CloseReason::Completed));
    world.ask("zoe", EditIssue { number, edit: IssueEdit { title, body, state, labels: None } });
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
        let answer = world.ask("will", permission(login));
        assert_eq!((answer.permission, answer.role), (folded, role), "{login}");
    }
    world.forge.settings_mut(REPO).unwrap().visibility = Visibility::Private;
    let answer = world.ask("will", permission("ZOE"));
    assert_eq!((answer.permission, answer.role), (FoldedPermission::None, Permission::None));
    assert_eq!(world.refusal("will", permission("nobody")).status, 404);
    assert_eq!(world.refusal("tess", permission("ada")).status, 403);
}

#[test]
fn the_association_of_a_commenter_proves_nothing_about_rights() {
    let mut world = World::new();
    let number = world.open_issue("");
    let mut seen = |who: &str| {
        let call = CreateComment { number, body: "hi".to_owned() };
        world.ask(who, call).association
    };
    assert_eq!(seen("ada"), Association::Owner);
    assert_eq!(seen("will"), Association::Collaborator);
    assert_eq!(seen("reed"), Association::Collaborator, "though they may only read");
    assert_eq!(seen("zoe"), Association::None);
    let pull = world.pull("feature", "main", "");
    world.merge(pull);
    world.forge.grant(REPO, "will", Permission::None).unwrap();
    let call = CreateComment { number, body: "bye".to_owned() };
    let comment = world.ask("will", call);
    assert_eq!(comment.association, Association::Contributor, "for work that was merged");
}

#[test]
fn protection_without_rights_is_not_found_and_with_rights_not_protected() {
    let mut world = World::new();
    let get = || GetProtection { branch: "main".to_owned() };
    assert_eq!(world.refused("max", get()), "404 Not Found");
    assert_eq!(world.refused("ada", get()), "404 Branch not protected");
    let (branch, protection) = ("main".to_owned(), Protection::default());
    let set = SetProtection { branch, protection };
    assert_eq!(world.refused("max", set.clone()), "404 Not Found");
    world.ask("ada", set);
    world.ask("ada", get());
    assert_eq!(world.refused("max", get()), "404 Not Found");
}

#[test]
fn unknown_callers_have_bad_credentials_and_known_ones_a_name() {
    let mut forge = Forge::new();
    assert_eq!(forge.handle("ghost", 0, GetUser).0.unwrap_err().status, 401);
    forge.create_account("ralph[bot]", AccountKind::Bot);
    let account = forge.handle("Ralph[bot]", 0, GetUser).0.unwrap();
    assert_eq!((account.login.as_str(), account.kind), ("ralph[bot]", AccountKind::Bot));
}
