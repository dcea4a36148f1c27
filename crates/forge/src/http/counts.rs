//! Counts of requests per route, for tests that promise few requests of a client.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::route::Verb;

/// Requests to paths that no route fits.
const ELSEWHERE: &str = "(no route)";

#[derive(Clone, Debug, Default)]
pub(super) struct Counts(BTreeMap<(&'static str, &'static str), BTreeMap<String, Count>>);

/// Requests to one route.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
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
    /// `login` is empty for a request without a good token.
    pub(super) fn add(
        &mut self,
        login: &str,
        verb: Verb,
        template: Option<&'static str>,
        is_charged: bool,
    ) {
        let key = (verb.name(), template.unwrap_or(ELSEWHERE));
        let count = self.0.entry(key).or_default().entry(login.to_owned()).or_default();
        if is_charged {
            count.charged += 1;
        } else {
            count.uncharged += 1;
        }
    }

    pub(super) fn of(&self, method: &str, template: &str) -> Count {
        let found =
            self.0.iter().find(|((verb, route), _by)| *verb == method && *route == template);
        found.map(|(_key, by)| sum(by.values())).unwrap_or_default()
    }

    /// Every route that was asked, by anybody or by one user.
    pub(super) fn rows(&self, login: Option<&str>) -> impl Serialize {
        let row = |(&(method, route), by): (&(&'static str, &'static str), &BTreeMap<_, _>)| {
            let count = match login {
                Some(login) => *by.get(login)?,
                None => sum(by.values()),
            };
            let Count { charged, uncharged } = count;
            Some(Row { method, route, charged, uncharged })
        };
        self.0.iter().filter_map(row).collect::<Vec<Row>>()
    }
}

fn sum<'a>(counts: impl Iterator<Item = &'a Count>) -> Count {
    counts.fold(Count::default(), |sum, count| Count {
        charged: sum.charged + count.charged,
        uncharged: sum.uncharged + count.uncharged,
    })
}
