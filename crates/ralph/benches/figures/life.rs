//! One issue's life against a plain script that does the same.

use crate::place::{Place, Settings};
use crate::{Outcome, Size, clock, median, one_issue, say};
use serde_json::{Value, json};

pub(crate) fn measure(size: Size) -> Outcome<Value> {
    let settings =
        Settings { agent: one_issue::AGENT, poll_interval: "30s", repo: "rollup_batch_size = 1" };
    let mut place = Place::set(&settings)?;
    let mut daemon = place.start_daemon()?;
    place.settle(&mut daemon)?;
    let mut took = Vec::new();
    for _ in 0..size.pick(7, 2) {
        let life = one_issue::live(&mut place, &mut daemon)?;
        took.push(clock::ms(life.done.duration_since(life.labelled)));
        place.settle(&mut daemon)?;
    }
    say(&format!("{took:.0?} ms"));
    Ok(json!({ "ralph_ms": median(&mut took) }))
}
