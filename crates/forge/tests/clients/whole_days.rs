//! Whole days: from a repository that is made to one whose pull is merged, in one go.

use std::path::Path;

use ralph_forge::{AddedApp, NewApp, Permission, Visibility, add_app, import};
use serde_json::json;

use crate::client::{Api, Clone};
use crate::program::Client;
use crate::signing;
use crate::test_server::{TestServer, Who, text};

/// The App `ralph`, installed for `ada`.
fn register(server: &TestServer) -> AddedApp {
    let new = NewApp {
        slug: "ralph".to_owned(),
        public_key: signing::public_key(),
        role: Permission::Write,
        owners: vec!["ada".to_owned()],
    };
    add_app(&server.place("data"), new).unwrap()
}

/// The variables that a script needs to be an App.
fn facts(app: &AddedApp) -> [(&'static str, String); 3] {
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/claims/app-key.pem");
    let (_account, installation) = &app.installations[0];
    [
        ("APP_ID", app.id.to_string()),
        ("INSTALLATION", installation.to_string()),
        ("APP_KEY", key.display().to_string()),
    ]
}

pub(crate) fn of_api(client: Client) {
    let server = TestServer::empty();
    let app = register(&server);
    let facts = facts(&app);
    let facts = facts.each_ref().map(|(name, value)| (*name, value.as_str()));
    let steps = [
        "a repository made and pushed to",
        "labels, one of them with a slash",
        "issues made, talked about and closed",
        "every page of a list",
        "files: binary, large, a link and a folder",
        "commits and what lies between two",
        "branches and tags",
        "a pull with its files and its patch",
        "checks and statuses",
        "reviewed, protected and merged",
        "its timeline",
        "found by a search",
        "a known answer is free",
        "an app with its own token",
        "what is not done here is refused with words",
    ];
    client.does(&server, "day", &facts, &steps);
    let clone = Clone::of(&server.url(Who::Owner, "ada/day"), server.place("after"));
    assert_eq!(clone.read("folder/file"), "1\n");
    assert_eq!(
        clone.git(&["branch", "--remotes", "--format=%(refname)"]),
        "refs/remotes/origin/HEAD\nrefs/remotes/origin/main"
    );
    assert_eq!(clone.git(&["tag"]), "heavy\nlight");
    let stranger = Api::new(server.base(), None);
    assert_eq!(stranger.status("GET", "/repos/ada/day", None), 401);
}

pub(crate) fn of_git() {
    let server = TestServer::empty();
    let source = Clone::empty(server.place("source"));
    source.commit("README.md", "# day\n");
    source.git(&["tag", "v1"]);
    let path = source.path.display().to_string();
    import(&server.place("data"), &path, "ada/day", Visibility::Private).unwrap();
    let app = register(&server);
    let claim = Api::new(server.base(), Some(&signing::now(app.id)));
    let (_account, installation) = &app.installations[0];
    let path = format!("/app/installations/{installation}/access_tokens");
    let token = text(&claim.ask("POST", &path, None)["token"]);
    let work = Clone::of(&server.url(Who::Owner, "ada/day"), server.place("before"));
    work.git(&["switch", "--quiet", "--create", "offered"]);
    work.commit("offered", "1\n");
    work.git(&["push", "--quiet", "origin", "offered"]);
    let pull = json!({"title": "Offered", "head": "offered", "base": "main"});
    server.owner().ask("POST", "/repos/ada/day/pulls", Some(&pull));
    let protection = json!({
        "required_status_checks": {"strict": false, "contexts": ["build"]},
        "enforce_admins": true,
        "required_pull_request_reviews": null,
        "restrictions": null,
    });
    let branch = "/repos/ada/day/branches/main/protection";
    server.owner().ask("PUT", branch, Some(&protection));
    let steps = [
        "cloned with a token, and not without",
        "branches and tags pushed",
        "large and binary files pushed",
        "fetched: a pull, a commit, a part",
        "history rewritten only by force",
        "refused what is protected, hidden or misnamed",
        "all or nothing when it is atomic",
        "an app with its own token",
        "branches and tags deleted",
    ];
    let facts = [("APP_TOKEN", token.as_str())];
    Client::Git.does(&server, "day", &facts, &steps);
    let names = server.owner().get("/repos/ada/day/git/matching-refs/");
    let names: Vec<String> =
        names.as_array().unwrap().iter().map(|one| text(&one["ref"])).collect();
    let left = [
        "refs/heads/files",
        "refs/heads/main",
        "refs/heads/offered",
        "refs/pull/1/head",
        "refs/tags/v1",
    ];
    assert_eq!(names, left);
}
