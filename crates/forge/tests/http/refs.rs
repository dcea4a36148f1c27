//! Commits and references that no branch leads to, made over the API.

use serde_json::{Value, json};

use crate::site::{REPO, World};

/// A commit with the tree of the default branch.
fn commit(world: &mut World, message: &str, parents: &[&Value]) -> Value {
    let main =
        world.get("ada", &format!("{REPO}/git/ref/heads/main")).json["object"]["sha"].clone();
    let main = main.as_str().unwrap().to_owned();
    let tree = world.get("ada", &format!("{REPO}/git/commits/{main}")).json["tree"]["sha"].clone();
    let body = json!({"message": message, "tree": tree, "parents": parents});
    let made = world.post("ada", &format!("{REPO}/git/commits"), &body);
    assert_eq!((made.status, &made.json["message"]), (201, &json!(message)));
    made.json["sha"].clone()
}

#[test]
fn of_two_who_move_a_reference_at_once_one_is_refused() {
    let mut world = World::new();
    let path = format!("{REPO}/git/refs/ralph/instance");
    let first = commit(&mut world, "first", &[]);
    assert_eq!(world.get("ada", &format!("{REPO}/git/ref/ralph/instance")).status, 404);
    let create = json!({"ref": "refs/ralph/instance", "sha": first});
    assert_eq!(world.post("ada", &format!("{REPO}/git/refs"), &create).status, 201);
    let again = world.post("ada", &format!("{REPO}/git/refs"), &create);
    assert_eq!(again.refusal(), "422 Reference already exists");

    let (one, other) =
        (commit(&mut world, "one", &[&first]), commit(&mut world, "other", &[&first]));
    assert_eq!(world.patch("ada", &path, &json!({"sha": one})).status, 200);
    let late = world.patch("ada", &path, &json!({"sha": other}));
    assert_eq!(late.refusal(), "422 Update is not a fast forward");
    let shown = world.get("ada", &format!("{REPO}/git/ref/ralph/instance")).json;
    assert_eq!((&shown["ref"], &shown["object"]["sha"]), (&json!("refs/ralph/instance"), &one));
    let says = world.get("ada", &format!("{REPO}/git/commits/{}", one.as_str().unwrap()));
    assert_eq!(says.json["message"], "one");

    assert_eq!(world.patch("ada", &path, &json!({"sha": other, "force": true})).status, 200);
    assert_eq!(world.delete("ada", &path).status, 204);
    let gone = world.patch("ada", &path, &json!({"sha": one}));
    assert_eq!(gone.refusal(), "422 Reference does not exist");
    let branches = world.get("ada", &format!("{REPO}/branches")).json;
    let names = branches.as_array().unwrap().iter().map(|branch| branch["name"].clone());
    assert!(!names.into_iter().any(|name| name.as_str().unwrap().contains("ralph")));
}

#[test]
fn a_commit_needs_a_tree_and_parents_that_are_there() {
    let mut world = World::new();
    let nowhere = "0123456789012345678901234567890123456789";
    let main =
        world.get("ada", &format!("{REPO}/git/ref/heads/main")).json["object"]["sha"].clone();
    let path = format!("{REPO}/git/commits");
    let tree = json!({"message": "m", "tree": nowhere, "parents": []});
    assert_eq!(world.post("ada", &path, &tree).status, 422);
    let main = main.as_str().unwrap();
    let tree = world.get("ada", &format!("{path}/{main}")).json["tree"]["sha"].clone();
    let parent = json!({"message": "m", "tree": tree, "parents": [nowhere]});
    assert_eq!(world.post("ada", &path, &parent).status, 422);
}
