//! `ralph doctor` and the forge: whether it takes the token, and what is not well in each repository there.

use crate::canned_forge::{CannedForge, repository};
use crate::doctor::{doctor, healthy, healthy_at, remarks};
use crate::home::{Ran, program, run};
use insta::assert_snapshot;
use serde_json::{Value, json};

const SKIPPED: &str = "required_checks = []\n";

/// The checks of a forge, without those of the home.
fn reported(forge: CannedForge, of_repository: &str) -> (i32, String) {
    let url = forge.serve();
    let ran = doctor(&healthy_at(&url, of_repository), &["--json"]);
    let about_forge = remarks(&ran).replace(&url, "FORGE");
    let lines = about_forge.lines().filter(|line| !line.starts_with("note store"));
    (ran.code, lines.collect::<Vec<_>>().join("\n"))
}

fn findings(forge: CannedForge, of_repository: &str) -> String {
    let (code, reported) = reported(forge, of_repository);
    assert_eq!(code, 1, "{reported}");
    reported
}

fn notes(forge: CannedForge, of_repository: &str) -> String {
    let (code, reported) = reported(forge, of_repository);
    assert_eq!(code, 0, "{reported}");
    reported
}

/// acme/widgets with one thing different.
fn changed(field: &str, value: Value) -> CannedForge {
    let mut repository = repository();
    repository[field] = value;
    CannedForge::healthy().on("/repos/acme/widgets", 200, repository)
}

fn says(ran: &Ran) -> Vec<String> {
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = document["checks"].as_array().unwrap();
    checks.iter().map(|check| check["says"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_forge_that_knows_us_says_who_we_are_and_where_we_may_work() {
    let says = says(&doctor(&healthy(), &["--json"]));
    for expected in [
        "it takes the token and knows us as ralph-bot",
        "acme/widgets: ralph-bot may work there, into bot/integration",
    ] {
        assert!(says.iter().any(|said| said == expected), "{expected}: {says:?}");
    }
}

#[test]
fn a_token_that_is_refused_is_a_finding_that_names_its_variable() {
    let forge = CannedForge::healthy().on("/user", 401, json!({"message": "Bad credentials"}));
    assert_snapshot!(findings(forge, SKIPPED), @"
    finding forge: FORGE refuses the token: GET /user was answered with 401: Bad credentials; the forge refuses our credentials
      -> make a new token for the account Ralph works as, and put it into GITHUB_TOKEN
    ");
}

#[test]
fn a_forge_that_is_not_there_is_a_finding() {
    let ran = doctor(&healthy_at("http://127.0.0.1:1", SKIPPED), &["--json"]);
    assert_eq!(ran.code, 1);
    let reported = remarks(&ran);
    let expected = "finding forge: http://127.0.0.1:1 cannot be reached or is not well: GET /user was not sent";
    assert!(reported.contains(expected), "{reported}");
    let next = "\n  -> check `url` in [forge], the network, and that the forge is up";
    assert!(reported.ends_with(next), "{reported}");
}

#[test]
fn other_answers_of_a_forge_are_told_with_what_to_do() {
    let no =
        |status, message| CannedForge::healthy().on("/user", status, json!({ "message": message }));
    assert_snapshot!(findings(no(404, "Not Found"), SKIPPED), @"
    finding forge: FORGE does not answer what Ralph has to know: GET /user was answered with 404: Not Found
      -> check that `url` in [forge] is the address of the API, and what the token may do
    ");
    assert_snapshot!(findings(no(502, "Bad gateway"), SKIPPED), @"
    finding forge: FORGE cannot be reached or is not well: GET /user was answered with 502: Bad gateway
      -> check `url` in [forge], the network, and that the forge is up
    ");
    let limit = findings(no(403, "You have exceeded a secondary rate limit"), SKIPPED);
    assert!(limit.contains("FORGE has had enough of our requests"), "{limit}");
    assert!(limit.contains("-> ask again in 1m"), "{limit}");
}

#[test]
fn without_a_token_the_forge_is_not_asked_and_the_variable_is_named() {
    let home = healthy();
    let mut command = program();
    command.env("RALPH_HOME", home.path()).env("PATH", crate::doctor::path());
    let ran = run(command.args(["doctor", "--json"]));
    assert_eq!(ran.code, 1);
    assert_snapshot!(remarks(&ran), @"
    note store: no daemon runs; the last writer was test
    finding forge: GITHUB_TOKEN is not set, so there is no token
      -> put a token into GITHUB_TOKEN, or name another variable in `token_env`
    ");
}

#[test]
fn a_token_is_not_sent_where_everybody_could_read_it() {
    let home = healthy_at("http://forge.example:3000", SKIPPED);
    let says = says(&doctor(&home, &["--json"]));
    assert!(says.iter().any(|said| said.contains("is not encrypted")), "{says:?}");
    assert!(!says.iter().any(|said| said.contains("reached")), "{says:?}");
}

#[test]
fn a_repository_that_cannot_be_seen_is_a_finding() {
    let forge =
        CannedForge::healthy().on("/repos/acme/widgets", 404, json!({"message": "Not Found"}));
    assert_snapshot!(findings(forge, SKIPPED), @"
    finding repository: there is no acme/widgets, or ralph-bot may not see it
      -> check the name, and give ralph-bot write access to it
    ");
}

#[test]
fn what_keeps_us_from_working_in_a_repository_is_a_finding() {
    for (field, value, expected) in [
        ("full_name", json!("acme/gadgets"), "acme/widgets is called acme/gadgets now"),
        ("archived", json!(true), "acme/widgets is archived, so nothing in it can be changed"),
        ("has_issues", json!(false), "issues are switched off in acme/widgets"),
        ("permissions", json!({"triage": true}), "ralph-bot may not push to acme/widgets"),
        (
            "allow_merge_commit",
            json!(false),
            "acme/widgets does not allow merging by a merge commit, which `merge_method` asks for",
        ),
    ] {
        let reported = findings(changed(field, value), SKIPPED);
        assert!(
            reported.starts_with(&format!("finding repository: {expected}\n  -> ")),
            "{reported}"
        );
    }
    let squash = changed("allow_merge_commit", json!(false));
    assert_eq!(notes(squash, "required_checks = []\nmerge_method = \"squash\"\n"), "");
}

#[test]
fn an_organization_needs_an_operator_who_may_answer() {
    let owner = json!({"login": "acme", "type": "Organization"});
    assert_snapshot!(findings(changed("owner", owner.clone()), SKIPPED), @"
    finding repository: acme/widgets belongs to an organization, which cannot be notified when a person is needed
      -> set `operator` to the login of a person
    ");
    let permission = "/repos/acme/widgets/collaborators/mia/permission";
    let operated = |rights: Value| {
        let url = changed("owner", owner.clone()).on(permission, 200, rights).serve();
        let home = healthy_at(&url, SKIPPED);
        let path = home.path().join("config.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("operator = \"mia\"\n{text}")).unwrap();
        doctor(&home, &["--json"])
    };
    assert_eq!(operated(json!({"permission": "write", "role_name": "write"})).code, 0);
    let refused = operated(json!({"permission": "read", "role_name": "triage"}));
    assert_eq!(refused.code, 1);
    assert_snapshot!(remarks(&refused), @"
    note store: no daemon runs; the last writer was test
    finding repository: the operator mia has no write access to acme/widgets, so their answers do not count
      -> give mia write access, or name another `operator`
    ");
}

#[test]
fn what_a_start_puts_right_is_a_note() {
    let mut labels = json!(ralph_core::label::DEFINITIONS);
    labels[3]["color"] = json!("000000");
    labels.as_array_mut().unwrap().truncate(10);
    let forge =
        CannedForge::healthy().on("/repos/acme/widgets/labels?per_page=100", 200, labels).on(
            "/repos/acme/widgets/branches/bot%2Fintegration",
            404,
            json!({"message": "Branch not found"}),
        );
    assert_snapshot!(notes(forge, SKIPPED), @"
    note repository: acme/widgets has no branch bot/integration yet; Ralph makes it from main
    note repository: of Ralph's labels in acme/widgets, 6 missing and 1 changed; its next start puts that right
    ");
}

#[test]
fn required_checks_are_held_against_what_the_forge_requires() {
    let head = serde_json::from_str(include_str!("answers/protected_branch.json")).unwrap();
    let requires_ci_and_lint =
        CannedForge::healthy().on("/repos/acme/widgets/branches/bot%2Fintegration", 200, head);
    assert_eq!(notes(requires_ci_and_lint.clone(), ""), "");
    assert_eq!(notes(requires_ci_and_lint.clone(), "required_checks = [\"CI\"]\n"), "");
    assert_eq!(notes(CannedForge::healthy(), "[repos.gates]\nci = \"skip\"\n"), "");
    assert_snapshot!(notes(requires_ci_and_lint, "required_checks = [\"CI\", \"docs\"]\n"), @"
    note repository: acme/widgets: Ralph waits for docs, but the forge lets others merge without
      -> have an admin require docs in the branch protection; ralph-bot is none
    ");
    assert_snapshot!(notes(CannedForge::healthy(), ""), @"
    note repository: no check is required in acme/widgets, so pull requests merge without any
      -> set `required_checks`; [] says that this is on purpose
    ");
    let hidden = CannedForge::healthy().on(
        "/repos/acme/widgets/rules/branches/bot%2Fintegration?per_page=100",
        403,
        json!({"message": "Resource not accessible"}),
    );
    assert_snapshot!(findings(hidden.clone(), ""), @"
    finding repository: which checks acme/widgets requires cannot be read, so nothing is merged there
      -> set `required_checks`, or let the token read branches and rules
    ");
    assert_snapshot!(notes(hidden, "required_checks = [\"CI\"]\n"), @"note repository: which checks the forge requires in acme/widgets cannot be read");
}

#[test]
fn a_clock_that_is_off_is_a_finding() {
    let reported = findings(CannedForge::healthy().dated("Sat, 31 Jan 1998 12:00:05 GMT"), SKIPPED);
    assert!(reported.starts_with("finding forge: the clock of this machine is "), "{reported}");
    assert!(
        reported.contains(" ahead of the forge's\n  -> set this machine's clock"),
        "{reported}"
    );
    let reported = findings(CannedForge::healthy().dated("Sat, 31 Jan 2998 12:00:05 GMT"), SKIPPED);
    assert!(reported.contains(" behind the forge's"), "{reported}");
}

#[test]
fn a_forge_that_breaks_off_is_asked_nothing_more() {
    let forge = CannedForge::healthy().on(
        "/repos/acme/widgets/labels?per_page=100",
        500,
        json!({"message": "no"}),
    );
    let second =
        "required_checks = []\n[[repos]]\nname = \"acme/xylophones\"\npreflight_command = []\n";
    assert_snapshot!(findings(forge, second), @"
    finding forge: FORGE cannot be reached or is not well: GET /repos/acme/widgets/labels?per_page=100 was answered with 500: no
      -> check `url` in [forge], the network, and that the forge is up
    ");
}
