//! `ralph status`.

use crate::home::Home;
use crate::sample_store::{SampleStore, sample_home};
use insta::assert_snapshot;

#[test]
fn every_managed_issue_is_listed_with_its_verdict_and_what_waits_in_the_outbox() {
    assert_snapshot!(sample_home().ralph(&["status"]).shown(), @"
    exit 0
    --- stdout
    ISSUE           STATUS       PRIORITY  SINCE              TITLE                                WHERE IT STANDS
    acme/widgets#2  escalated    p2        2024-01-01 00:00Z  Choose a colour for the button, or…  needs a person: The product documents leave a question open. [product-gap]
    acme/widgets#1  in-progress  p2        2024-01-01 00:00Z  Add a --json flag                    no daemon runs; implement was about to start, and goes on once one does
    acme/widgets#4  queued       p2        2024-01-01 00:00Z  Clear [2Jthe screen                  blocked by acme/widgets#3 [deps]

    3 issues: 1 escalated, 1 in-progress, 1 queued

    In the outbox:
    EFFECT                                         STATE    TRIES  DUE                PUT BACK BECAUSE
    acme/widgets#1:comment:command                 pending  1      2024-01-01 00:01Z  no answer
    acme/widgets#1:label+ralph:status:in-progress  pending  0      2024-01-01 00:00Z
    acme/widgets#2:comment:command                 pending  0      2024-01-01 00:00Z
    acme/widgets#4:comment:command                 pending  0      2024-01-01 00:00Z
    acme/widgets#4:label+ralph:status:queued       pending  0      2024-01-01 00:00Z
    acme/widgets#1:start:6                         pending  0      2024-01-01 00:00Z
    acme/widgets#2:comment:escalation-1            pending  0      2024-01-01 00:00Z
    acme/widgets#2:label+ralph:status:escalated    pending  0      2024-01-01 00:00Z

    No daemon runs; the last writer's lease ended 2024-01-01 00:01Z.
    --- stderr
    ");
}

#[test]
fn a_store_without_issues_says_so() {
    let home = Home::empty();
    drop(SampleStore::begin(&home));
    assert_snapshot!(home.ralph(&["status"]).shown(), @"
    exit 0
    --- stdout
    No issue is managed yet.
    The outbox is empty.
    No daemon runs; the last writer's lease ended 2024-01-01 00:01Z.
    --- stderr
    ");
}

#[test]
fn as_json_it_is_one_document_with_the_same_content() {
    let document = sample_home().ralph(&["status", "--json"]).json();
    let issues = document["issues"].as_array().unwrap();
    let numbers: Vec<_> = issues.iter().map(|issue| issue["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 4]);
    assert_eq!(issues[1]["status"], "escalated");
    assert_eq!(issues[1]["standing"]["is"], "escalated");
    assert_eq!(document["by_status"]["queued"], 1);
    assert!(document["outbox"].as_array().unwrap().iter().any(|row| row["tries"] == 1));
    assert!(document["writer_until"].is_i64());
}

#[test]
fn it_reads_while_a_writer_has_the_store_open() {
    let home = sample_home();
    let closed = home.ralph(&["status", "--json"]).json();
    let writer = SampleStore::begin(&home);
    let open = home.ralph(&["status", "--json"]).json();
    assert_eq!(
        open["issues"].as_array().unwrap().len(),
        closed["issues"].as_array().unwrap().len()
    );
    drop(writer);
}
