//! A store with 10,000 known issues.

use crate::home::Home;
use crate::sample_store::SampleStore;

#[test]
fn ten_thousand_known_issues_are_told_completely() {
    let home = Home::empty();
    drop(SampleStore::begin(&home).know(1..10_001));
    let document = home.ralph(&["status", "--json"]).json();
    let issues = document["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 1_000);
    assert!(issues.iter().all(|issue| issue["number"].as_u64().unwrap() % 10 == 0));
    assert_eq!(issues[7]["title"], "Issue 80 of a very large project");
    let shown = home.ralph(&["status"]);
    assert_eq!(shown.code, 0);
    assert!(shown.stdout.contains("1000 issues: "), "{}", shown.stdout);
}
