//! What an operator does: take in repositories and add people, with the server running or not.

use ralph_forge::{Permission, add_user, import};

use crate::client::{Api, Clone};
use crate::desk::{Desk, Who, text};

/// A repository elsewhere, with two branches and a tag.
fn elsewhere(desk: &Desk) -> Clone {
    let source = Clone::empty(desk.place("a source"));
    source.commit("README.md", "old\n");
    source.git(&["tag", "v1"]);
    source.git(&["switch", "--quiet", "--create", "topic"]);
    source.commit("topic", "1");
    source.git(&["switch", "--quiet", "main"]);
    source
}

#[test]
fn a_repository_is_taken_in_while_the_server_runs_and_while_it_does_not() {
    let mut desk = Desk::empty();
    let source = elsewhere(&desk);
    let path = source.path.to_str().unwrap().to_owned();
    let data = desk.place("data");
    let imported = import(&data, &path, "ada/one").unwrap();
    assert_eq!(
        (imported.default_branch.as_str(), imported.branches, imported.tags),
        ("main", 2, 1)
    );
    desk.stop();
    import(&data, &path, "ada/two").unwrap();
    desk.start();
    for name in ["ada/one", "ada/two"] {
        let clone = Clone::of(&desk.url(Who::Bot, name), desk.place(&name.replace('/', "-")));
        assert_eq!(clone.read("README.md"), "old\n");
        assert_eq!(clone.git(&["rev-parse", "v1"]), source.git(&["rev-parse", "v1"]));
        clone.commit("new", "1");
        clone.git(&["push", "--quiet"]);
    }
    source.git(&["rev-parse", "HEAD"]);
}

#[test]
fn a_name_that_is_taken_and_a_source_that_is_none_are_refused() {
    let (desk, work) = Desk::new();
    let data = desk.place("data");
    let path = work.path.to_str().unwrap().to_owned();
    let refused = import(&data, &path, "ada/app").unwrap_err().to_string();
    assert!(refused.contains("name already exists"), "{refused}");
    let refused = import(&data, &path, "ada/a b").unwrap_err().to_string();
    assert!(refused.contains("name is invalid"), "{refused}");
    let refused = import(&data, &path, "app").unwrap_err().to_string();
    assert!(refused.contains("use owner/name"), "{refused}");
    let refused = import(&data, "/nowhere", "ada/new").unwrap_err().to_string();
    assert!(refused.contains("/nowhere"), "{refused}");
    assert_eq!(desk.owner().get("/user/repos").as_array().unwrap().len(), 1);
}

#[test]
fn a_person_is_added_with_a_role_everywhere_and_a_token() {
    let (mut desk, _work) = Desk::new();
    let token = add_user(&desk.place("data"), "tess", Permission::Triage).unwrap();
    let api = Api::new(desk.base(), Some(&token));
    let role =
        |api: &Api| text(&api.get("/repos/ada/app/collaborators/tess/permission")["role_name"]);
    assert_eq!(role(&desk.owner()), "triage");
    assert_eq!(api.get("/user")["login"], "tess");
    desk.stop();
    let other = add_user(&desk.place("data"), "tess", Permission::Write).unwrap();
    desk.start();
    assert_eq!(role(&desk.owner()), "write");
    for token in [token, other] {
        assert_eq!(Api::new(desk.base(), Some(&token)).get("/user")["login"], "tess");
    }
}

#[test]
fn the_operators_door_is_closed_to_everybody_else() {
    let (desk, _work) = Desk::new();
    let body = serde_json::json!({"add_user": {"login": "eve", "role": "Admin"}});
    for api in [desk.owner(), desk.bot(), Api::new(desk.base(), None)] {
        assert_eq!(api.status("POST", "/_forge/control", Some(&body)), 401);
    }
}
