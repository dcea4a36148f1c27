//! Requests for something that their route does not do. They are refused with words: an answer that ignored
//! a part of the question would be wrong without saying so.

use serde_json::Value;

use super::ask::Ask;
use super::problem::Problem;
use super::route::{Route, Verb};

/// The one version of the API that is spoken here.
const VERSION: &str = "2022-11-28";
const VERSION_HEADER: &str = "x-github-api-version";

/// Routes that change something and take no fields.
const WITHOUT_FIELDS: [&str; 5] = [
    "/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest",
    "/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest",
    "/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun",
    "/repos/{owner}/{repo}/hooks/{hook_id}/pings",
    "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts",
];
/// Deleting takes no fields, with this exception.
const DELETED_BY_FIELD: &str = "/repos/{owner}/{repo}/issues/{issue_number}/sub_issue";

/// Refuses what can be seen before the request is worked on.
pub(super) fn check(route: &Route, ask: &Ask<'_>) -> Result<(), Problem> {
    if let Some(version) = ask.request.headers().get(VERSION_HEADER)
        && version != VERSION
    {
        let words = format!("The version header specified is not supported here; send {VERSION}.");
        return Err(Problem::new(400, words));
    }
    if let Some(name) = ask.contradiction() {
        let words = format!("The parameter `{name}` comes twice with different values.");
        return Err(Problem::unprocessable(words));
    }
    for name in ["page", "per_page"] {
        let value = ask.query(name);
        if value.is_some_and(|value| value.parse::<u64>().is_err()) {
            return Err(Problem::unprocessable(format!("The parameter `{name}` is no number.")));
        }
        ask.forget(name);
    }
    if route.verb == Verb::Get {
        return match first_field(ask.request.body()) {
            Some(field) => Err(not_taken(&field)),
            None => Ok(()),
        };
    }
    if let Some(name) = ask.unread() {
        return Err(unsupported(&name));
    }
    let takes_none = WITHOUT_FIELDS.contains(&route.template)
        || (route.verb == Verb::Delete && route.template != DELETED_BY_FIELD);
    if takes_none && let Some(field) = first_field(ask.request.body()) {
        return Err(not_taken(&field));
    }
    Ok(())
}

fn not_taken(field: &str) -> Problem {
    let words = format!("Invalid request.\n\n`{field}` is not supported here.");
    Problem::unprocessable(words)
}

/// Refuses parameters that the route has not looked at.
pub(super) fn check_read(ask: &Ask<'_>) -> Result<(), Problem> {
    ask.unread().map_or(Ok(()), |name| Err(unsupported(&name)))
}

fn unsupported(name: &str) -> Problem {
    Problem::unprocessable(format!("The parameter `{name}` is not supported here."))
}

fn first_field(body: &[u8]) -> Option<String> {
    match serde_json::from_slice(body).ok()? {
        Value::Object(fields) => fields.keys().next().cloned(),
        Value::Array(values) => (!values.is_empty()).then(|| "a list".to_owned()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
