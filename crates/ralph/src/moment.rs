//! A moment as people say it: how long ago while that is easy to grasp, the date and the time after that.

use ralph_core::time::{Span, Time};

/// Beyond this a date says more than a number of hours.
const NEAR: Span = Span::from_mins(24 * 60);

pub(crate) fn moment(now: Time, then: Time) -> String {
    let (ago, ahead) = (now.since(then), then.since(now));
    if then == Time::default() {
        return "-".to_owned();
    }
    if ago.max(ahead) >= NEAR {
        // The date and the time of day, without seconds.
        let whole = then.to_string();
        return whole.get(..16).map_or(whole.clone(), |minutes| format!("{minutes}Z"));
    }
    if ago.max(ahead) < Span::from_secs(1) {
        return "now".to_owned();
    }
    if ahead > ago { format!("in {ahead}") } else { format!("{ago} ago") }
}

/// The time of day, for a line of a log.
pub(crate) fn clock_time(at: Time) -> String {
    let whole = at.to_string();
    whole.get(11..19).map_or(whole.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_moments_are_told_by_their_distance_and_far_ones_by_their_date() {
        let now = Time(1_772_323_199_000);
        for (then, reported) in [
            (now, "now"),
            (now.minus(Span::from_secs(90)), "1m30s ago"),
            (now.plus(Span::from_secs(40)), "in 40s"),
            (now.minus(Span::from_mins(23 * 60)), "23h00m ago"),
            (now.minus(NEAR), "2026-02-27 23:59Z"),
            (now.plus(NEAR), "2026-03-01 23:59Z"),
            (Time::default(), "-"),
        ] {
            assert_eq!(moment(now, then), reported);
        }
    }
}
