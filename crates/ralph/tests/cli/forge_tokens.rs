//! `ralph forge token`: which tokens are good, and their end.

use crate::home::Home;

#[test]
fn tokens_are_listed_without_themselves_and_revoked_for_good() {
    let home = Home::empty();
    let added = home.ralph(&["forge", "user", "add", "tess", "--permission", "read"]);
    assert_eq!(added.code, 0, "{}", added.shown());
    let token = added.stdout.split_whitespace().last().expect("a token").to_owned();
    let listed = home.ralph(&["forge", "token", "list", "--json"]).json();
    let [only] = listed.as_array().expect("a list").as_slice() else { panic!("{listed}") };
    assert_eq!((&only["login"], &only["purpose"]), (&"tess".into(), &"forge user add".into()));
    assert!(!listed.to_string().contains(&token));
    let shown = home.ralph(&["forge", "token", "list"]).stdout;
    let id = only["id"].as_str().expect("an id");
    assert!(shown.contains(id) && shown.contains("tess"), "{shown}");
    assert_eq!(home.ralph(&["forge", "token", "revoke", id]).code, 0);
    assert_eq!(home.ralph(&["forge", "token", "list", "--json"]).json(), serde_json::json!([]));
    let again = home.ralph(&["forge", "token", "revoke", &token]);
    assert!(
        again.code != 0 && again.stderr.contains("ralph forge token list"),
        "{}",
        again.shown()
    );
}
