//! How often each route was asked, for tests that promise how little a client asks.

use std::collections::BTreeMap;

use serde::Serialize;

use super::route::Verb;

/// Requests to paths that no route fits.
const ELSEWHERE: &str = "(no route)";

#[derive(Clone, Debug, Default)]
pub(super) struct Counts(BTreeMap<(&'static str, &'static str), Count>);

/// Requests to one route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    pub charged: u64,
    /// Answers 304, which cost nothing.
    pub uncharged: u64,
}

#[derive(Serialize)]
struct Row {
    method: &'static str,
    route: &'static str,
    charged: u64,
    uncharged: u64,
}

impl Counts {
    pub(super) fn add(&mut self, verb: Verb, template: Option<&'static str>, is_charged: bool) {
        let key = (verb.name(), template.unwrap_or(ELSEWHERE));
        let count = self.0.entry(key).or_default();
        if is_charged {
            count.charged += 1;
        } else {
            count.uncharged += 1;
        }
    }

    pub(super) fn of(&self, method: &str, template: &str) -> Count {
        let found =
            self.0.iter().find(|((verb, route), _count)| *verb == method && *route == template);
        found.map(|(_key, count)| *count).unwrap_or_default()
    }

    pub(super) fn rows(&self) -> impl Serialize {
        let row = |((method, route), count): (&(&'static str, &'static str), &Count)| Row {
            method,
            route,
            charged: count.charged,
            uncharged: count.uncharged,
        };
        self.0.iter().map(row).collect::<Vec<Row>>()
    }
}
