//! `gh api`, as Debian packages it.

use crate::areas;
use crate::program::Client;

const CLIENT: Client = Client::Gh;

#[test]
fn it_reads_a_repository() {
    areas::repository(CLIENT);
}

#[test]
fn it_keeps_labels() {
    areas::labels(CLIENT);
}

#[test]
fn it_keeps_issues() {
    areas::issues(CLIENT);
}

#[test]
fn it_keeps_comments() {
    areas::comments(CLIENT);
}

#[test]
fn it_relates_issues() {
    areas::relations(CLIENT);
}

#[test]
fn it_opens_and_merges_pulls() {
    areas::pulls(CLIENT);
}

#[test]
fn it_reports_checks() {
    areas::checks(CLIENT);
}

#[test]
fn it_keeps_hooks() {
    areas::hooks(CLIENT);
}

#[test]
fn it_asks_only_for_what_changed() {
    areas::conditional(CLIENT);
}

#[test]
fn it_is_told_of_limits() {
    areas::limits(CLIENT);
}

#[test]
fn it_is_told_why_not() {
    areas::refusals(CLIENT);
}
