//! Acting as a GitHub App: a token for each account, renewed before it ends, and nothing asked twice.

use crate::world::{OWNER, World, key, repo};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, Forge, Rights};
use ralph_forge::{CreateIssue, NewIssue, NewRepository, SiteSettings, on};
use ralph_github::Client;

const TOKENS: &str = "POST /app/installations/_/access_tokens";
const INSTALLATION: &str = "GET /installation";

fn world() -> World {
    let world = World::with(&SiteSettings { allow_faults: true, ..SiteSettings::default() });
    let new = NewIssue { title: "x".to_owned(), ..NewIssue::default() };
    world.act(OWNER, CreateIssue(new)).expect("an issue");
    world
}

/// The number of each of the App's own requests since the last look.
fn asked(world: &World) -> (u32, u32) {
    let (charged, _free) = world.take_counts();
    let count = |route: &str| {
        charged.iter().filter(|(name, _)| name.ends_with(route)).map(|(_, count)| count).sum()
    };
    (count(INSTALLATION.trim_start_matches("GET ")), count(TOKENS))
}

fn label(client: &mut Client<World>, name: &str) {
    assert_eq!(client.add_label(&key(1), name), Answer::Happened(()), "{name}");
}

#[test]
fn an_app_is_its_own_user_and_has_the_rights_it_was_granted() {
    let world = world();
    let mut client = world.client_of_app(world.register_app(&[OWNER]), None);
    assert_eq!(client.identity().expect("a login").as_str(), "ralph[bot]");
    let found = client.repository(&repo()).expect("an answer").expect("a repository");
    assert_eq!(found.rights, Rights { triage: true, push: true });
    assert!(!found.is_admin && found.lacks.is_empty(), "{found:?}");
    let Answer::Happened(id) = client.create_comment(&key(1), "Here") else { unreachable!("no") };
    let comments = client.comments_since(&key(1), world.now()).expect("comments");
    let comment = comments.iter().find(|found| found.id == id).expect("the comment");
    assert_eq!(comment.author.as_str(), "ralph[bot]");
}

#[test]
fn a_token_is_asked_for_once_per_account_and_never_used_in_another() {
    let world = world();
    let app = world.register_app(&[OWNER, "zed"]);
    world.model(|forge| {
        forge.create_user("zed");
        forge.create_repository(NewRepository::named("zed", "tools")).expect("a repository");
        let new = NewIssue { title: "y".to_owned(), ..NewIssue::default() };
        let on = on("zed/tools", CreateIssue(new));
        forge.handle("zed", 1, on).0.expect("an issue");
    });
    world.register_app(&[]);
    let mut client = world.client_of_app(app, None);
    let tools = RepoName::parse("zed/tools").expect("a name");
    for round in 0..3 {
        label(&mut client, &format!("a{round}"));
        let other = client.add_label(&IssueKey::new(tools.clone(), 1), &format!("b{round}"));
        assert_eq!(other, Answer::Happened(()));
    }
    assert_eq!(asked(&world), (2, 2));
    let (one, other) = (client.git_token(&repo()), client.git_token(&tools));
    assert_ne!(one.expect("a token"), other.expect("a token"));
    assert_eq!(asked(&world), (0, 0), "git shows the same token");
}

#[test]
fn a_token_is_renewed_when_a_fifth_of_its_life_is_left() {
    let world = world();
    let mut client = world.client_of_app(world.register_app(&[OWNER]), None);
    label(&mut client, "a");
    assert_eq!(asked(&world), (1, 1));
    world.later(Span(Span::from_mins(48).0 - 1));
    label(&mut client, "b");
    assert_eq!(asked(&world), (0, 0));
    world.later(Span(1));
    label(&mut client, "c");
    assert_eq!(asked(&world), (0, 1), "the installation is known");
    world.later(Span::from_mins(47));
    label(&mut client, "d");
    assert_eq!(asked(&world), (0, 0), "a whole life again");
}

#[test]
fn an_early_renewal_that_fails_costs_nothing_and_a_late_one_means_waiting() {
    let world = world();
    let mut client = world.client_of_app(world.register_app(&[OWNER]), None);
    label(&mut client, "a");
    world.fault(r#"[{"method": "POST", "path": "access_tokens", "status": 502}]"#);
    world.later(Span::from_mins(50));
    asked(&world);
    label(&mut client, "b");
    label(&mut client, "c");
    assert_eq!(asked(&world), (0, 1), "not again at every request");
    world.later(Span::from_mins(10));
    let Answer::Later { until: None, why } = client.add_label(&key(1), "d") else {
        unreachable!("sent without a token")
    };
    assert!(why.contains("access_tokens was answered with 502"), "{why}");
    world.fault("[]");
    label(&mut client, "d");
}

#[test]
fn a_token_that_is_taken_back_is_replaced_and_the_request_sent_again() {
    let world = world();
    let mut client = world.client_of_app(world.register_app(&[OWNER]), None);
    label(&mut client, "a");
    asked(&world);
    world.fault(r#"[{"method": "POST", "path": "labels", "status": 401, "times": 1}]"#);
    label(&mut client, "b");
    assert_eq!(asked(&world), (0, 1));
    world.fault(r#"[{"method": "POST", "path": "labels", "status": 401}]"#);
    let Answer::Later { until: Some(_), why } = client.add_label(&key(1), "c") else {
        unreachable!("sent")
    };
    assert!(why.contains("401") && why.contains("credentials"), "{why}");
    assert_eq!(asked(&world), (0, 1), "tried again once, not for ever");
}

#[test]
fn where_the_app_is_not_installed_nothing_is_written_and_the_others_go_on() {
    let world = world();
    let mut client = world.client_of_app(world.register_app(&[OWNER]), None);
    world.model(|forge| {
        forge.create_user("zed");
        forge.create_repository(NewRepository::named("zed", "tools")).expect("a repository");
    });
    let tools = RepoName::parse("zed/tools").expect("a name");
    assert_eq!(client.repository(&tools).expect("an answer"), None);
    let answer = client.add_label(&IssueKey::new(tools, 1), "x");
    let Answer::Later { until: Some(_), why } = answer else { unreachable!("{answer:?}") };
    assert!(why.contains("the App is not installed for zed/tools"), "{why}");
    label(&mut client, "a");
}

#[test]
fn a_chosen_installation_is_not_looked_up_and_a_wrong_key_is_named() {
    let world = world();
    let app = world.register_app(&[OWNER]);
    let mut client = world.client_of_app(app, Some(1));
    label(&mut client, "a");
    assert_eq!(asked(&world), (0, 1));
    let mut other = world.client_of_app(app + 1, None);
    let unread = other.identity().expect_err("nobody's App");
    assert!(unread.why.contains("Integration not found"), "{}", unread.why);
    world.fault(r#"[{"method": "GET", "path": "/app", "status": 401}]"#);
    let unread = client.identity().expect_err("refused");
    assert!(unread.why.contains("refuses the App's key") && unread.until.is_some());
}
