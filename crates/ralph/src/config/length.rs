//! Lengths of time as people write them: `30s`, `1h30m`, `90d`.

use ralph_core::time::Span;

/// From the largest to the smallest, which is also the order in which they have to be written.
const UNITS: [(&str, i64); 5] =
    [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// Reads whole numbers, each with its unit, the larger unit first and no unit twice.
pub(crate) fn parse(text: &str) -> Option<Span> {
    let mut units = UNITS.iter();
    let mut rest = text.trim();
    let mut millis = 0_i64;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = rest.split_at_checked(digits)?;
        let letters =
            after.len() - after.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let (unit, after) = after.split_at_checked(letters)?;
        let (_, factor) = units.find(|(name, _)| *name == unit)?;
        let part = number.parse::<i64>().ok()?.checked_mul(*factor)?;
        millis = millis.checked_add(part)?;
        rest = after;
    }
    Some(Span(millis))
}

/// The shortest way to write it, which `parse` reads back.
pub(super) fn text(span: Span) -> String {
    let mut rest = span.as_millis();
    let mut text = String::new();
    for (unit, factor) in UNITS {
        let whole = rest / factor;
        rest %= factor;
        if whole != 0 {
            text.push_str(&format!("{whole}{unit}"));
        }
    }
    if text.is_empty() { "0s".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lengths_are_read_as_they_are_said() {
        for (text, millis) in [
            ("30s", 30_000),
            ("5m", 300_000),
            ("0s", 0),
            ("1h30m", 5_400_000),
            ("90d", 7_776_000_000),
            ("250ms", 250),
            ("1m5s250ms", 65_250),
            (" 2h ", 7_200_000),
        ] {
            assert_eq!(parse(text), Some(Span(millis)), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_length_is_not_taken_for_one() {
        for text in [
            "",
            " ",
            "30",
            "s",
            "m5",
            "5 m",
            "-5s",
            "1.5h",
            "30m1h",
            "5s5s",
            "5sec",
            "99999999999999999999s",
            "9223372036854775807d",
            "5ｓ",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(millis in 0..i64::MAX) {
            prop_assert_eq!(parse(&text(Span(millis))), Some(Span(millis)));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            parse(&text);
        }
    }
}
