//! The limits of an account as Claude Code reports them during a turn.

use super::text_at;
use ralph_core::time::{Span, Time};
use ralph_core::turn_end::{LimitUse, SeenLimit};
use serde_json::Value;

const FIVE_HOURS: Span = Span::from_mins(5 * 60);
const WEEK: Span = Span::from_mins(7 * 24 * 60);
/// A part up to this is a fraction of the limit; more is a percentage.
const FRACTION_MAX: f64 = 1.0;

/// The limit that a report is about; `None` if it says nothing that counts.
pub(super) fn reported(info: &Value) -> Option<SeenLimit> {
    let name = text_at(info, "/rateLimitType")?;
    let (window, length) = match name {
        "five_hour" => ("5h", FIVE_HOURS),
        "seven_day" => ("weekly", WEEK),
        // Other limits, such as those of single models, last no longer than a week.
        other => (other, WEEK),
    };
    let is_paid_beyond =
        info.pointer("/isUsingOverage").and_then(Value::as_bool).unwrap_or_default();
    let share = info.pointer("/utilization").and_then(Value::as_f64).map(milli);
    let used = match (text_at(info, "/status")?, share) {
        ("rejected", _) if !is_paid_beyond => LimitUse::Reached,
        (_, Some(share)) => LimitUse::Milli(share),
        ("allowed_warning", None) => LimitUse::Near,
        (_, None) => return None,
    };
    let resets = info.pointer("/resetsAt").and_then(Value::as_i64);
    let resets = resets.map(|seconds| Time(seconds.saturating_mul(1_000)));
    Some(SeenLimit { window: window.to_owned(), length, used, resets })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a part of a whole; a cast saturates"
)]
fn milli(share: f64) -> u32 {
    let fraction = if share > FRACTION_MAX { share / 100.0 } else { share };
    (fraction * 1_000.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_report_names_its_window_the_part_that_is_used_and_its_reset() {
        let used = |info: Value| reported(&info).map(|seen| (seen.window, seen.used));
        let of = |name: &str, used: LimitUse| Some((name.to_owned(), used));
        for (info, expected) in [
            (
                json!({"status": "rejected", "rateLimitType": "five_hour"}),
                of("5h", LimitUse::Reached),
            ),
            (
                json!({"status": "allowed_warning", "rateLimitType": "seven_day", "utilization": 0.91}),
                of("weekly", LimitUse::Milli(910)),
            ),
            (
                json!({"status": "allowed", "rateLimitType": "five_hour", "utilization": 42}),
                of("5h", LimitUse::Milli(420)),
            ),
            (
                json!({"status": "allowed_warning", "rateLimitType": "seven_day_opus"}),
                of("seven_day_opus", LimitUse::Near),
            ),
            (json!({"status": "allowed", "rateLimitType": "five_hour"}), None),
            (
                json!({"status": "rejected", "rateLimitType": "five_hour", "isUsingOverage": true}),
                None,
            ),
            (json!({"status": "allowed"}), None),
        ] {
            assert_eq!(used(info.clone()), expected, "{info}");
        }
        let told = json!({"status": "rejected", "rateLimitType": "five_hour", "resetsAt": 2});
        assert_eq!(reported(&told).and_then(|seen| seen.resets), Some(Time(2_000)));
    }
}
