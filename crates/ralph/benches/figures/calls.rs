//! The cost of Ralph in the forge's budget: nothing while nothing happens, and little for the whole life of one
//! issue, the echoes of Ralph's own writes included.

use crate::place::{Place, Settings};
use crate::{Outcome, clock, one_issue, say};
use ralph_forge::RouteCount;
use serde_json::{Value, json};
use std::time::Duration;

/// Longer than a life, so that the one poll which reads what a life left behind comes after it.
const POLL: Duration = Duration::from_secs(10);
/// Polls that are watched in an idle repository.
const IDLE_POLLS: u32 = 3;
/// After an issue is done, what it left to be read is read by this many polls.
const POLLS_AFTER: u32 = 1;
/// A poll is over well within this.
const MARGIN: Duration = Duration::from_secs(2);

pub(crate) fn measure() -> Outcome<Value> {
    let poll_interval = format!("{}s", POLL.as_secs());
    let settings = Settings {
        agent: one_issue::AGENT,
        poll_interval: &poll_interval,
        repo: "rollup_batch_size = 1",
    };
    let mut place = Place::set(&settings)?;
    let mut daemon = place.start_daemon()?;
    say("waiting until the labels are there and nothing is left to read");
    place.settle(&mut daemon)?;
    clock::pass(POLL * POLLS_AFTER + MARGIN);
    let before = place.requests()?;
    say("one issue, from its label to the default branch");
    one_issue::run(&mut place, &mut daemon)?;
    clock::pass(POLL * POLLS_AFTER + MARGIN);
    let after = place.requests()?;
    let life = since(&before, &after);
    say(
        "charged calls of one issue's life, by route (answers 304, which cost nothing, in brackets):",
    );
    for RouteCount { method, route, count } in &life {
        say(&format!("  {:3} ({:3})  {method} {route}", count.charged, count.uncharged));
    }
    say(&format!("an idle repository, for {IDLE_POLLS} polls"));
    clock::pass(POLL * IDLE_POLLS);
    let idle = since(&after, &place.requests()?);
    idle.iter().filter(|row| row.count.charged > 0).for_each(|row| {
        say(&format!("  {} charged: {} {}", row.count.charged, row.method, row.route));
    });
    let charged = |rows: &[RouteCount]| rows.iter().map(|row| row.count.charged).sum::<u64>();
    let polled: u64 = idle.iter().map(|row| row.count.uncharged).sum();
    let by_route: Vec<Value> = life
        .iter()
        .filter(|row| row.count.charged > 0)
        .map(|row| json!([format!("{} {}", row.method, row.route), row.count.charged]))
        .collect();
    Ok(json!({
        "life": charged(&life), "idle": charged(&idle), "idle_polled": polled, "by_route": by_route,
    }))
}

/// The requests between two looks.
fn since(before: &[RouteCount], after: &[RouteCount]) -> Vec<RouteCount> {
    let is_same = |one: &RouteCount, other: &RouteCount| {
        one.method == other.method && one.route == other.route
    };
    let mut rows = Vec::new();
    for row in after {
        let mut row = row.clone();
        if let Some(earlier) = before.iter().find(|earlier| is_same(earlier, &row)) {
            row.count.charged -= earlier.count.charged;
            row.count.uncharged -= earlier.count.uncharged;
        }
        if row.count.charged + row.count.uncharged > 0 {
            rows.push(row);
        }
    }
    rows
}
