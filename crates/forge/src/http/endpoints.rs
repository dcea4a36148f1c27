//! One file per resource: reads the request, asks the model, renders the answer.

pub(super) mod apps;
pub(super) mod branches;
pub(super) mod checks;
pub(super) mod comments;
pub(super) mod deliveries;
pub(super) mod git;
pub(super) mod graphql;
pub(super) mod history;
pub(super) mod hooks;
pub(super) mod issues;
pub(super) mod labels;
pub(super) mod pulls;
pub(super) mod relations;
pub(super) mod repositories;
pub(super) mod reviews;
pub(super) mod search;
pub(super) mod statuses;
pub(super) mod tags;
pub(super) mod users;
