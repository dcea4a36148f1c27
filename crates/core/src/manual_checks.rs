//! Manual checks in an issue's body: checks that a person has to do by hand before its change is released. They are
//! between `<!-- ralph:manual-checks:start -->` and `<!-- ralph:manual-checks:end -->`, or else under a heading
//! `Manual checks`.

use crate::excerpt::Excerpt;
use crate::markdown::lines_outside_fences;

/// Checks kept of one issue: more than anyone does by hand.
pub const CHECKS_MAX: usize = 20;
/// Longest check; the rest is in the issue.
const CHECK_BYTES_MAX: usize = 200;

const START: &str = "<!-- ralph:manual-checks:start -->";
const END: &str = "<!-- ralph:manual-checks:end -->";
const HEADING: &str = "manual checks";

/// Returns the checks of a body that are not ticked yet, each on one line.
#[must_use]
pub fn manual_checks(body: &str) -> Vec<String> {
    // Most bodies have none, and this runs for every issue at every read.
    if !body.to_ascii_lowercase().contains("manual") {
        return Vec::new();
    }
    let lines: Vec<_> = lines_outside_fences(body).map(str::trim).collect();
    let marked = lines.iter().position(|line| *line == START);
    let checks: Vec<_> = match marked {
        Some(at) => {
            let block = lines.iter().skip(at + 1).take_while(|line| **line != END);
            block.filter_map(|line| check(line)).take(CHECKS_MAX).collect()
        }
        None => headed(&lines).take(CHECKS_MAX).collect(),
    };
    checks
}

/// Returns the checks under the heading, up to the next heading of the same or a higher level.
fn headed<'a>(lines: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    let found = lines.iter().enumerate().find_map(|(at, line)| {
        let (level, text) = heading(line)?;
        text.trim_end_matches(':').eq_ignore_ascii_case(HEADING).then_some((at, level))
    });
    let (at, level) = found.unwrap_or((lines.len(), 0));
    let section = lines.iter().skip(at + 1);
    let is_inside = move |line: &&&str| heading(line).is_none_or(|(other, _)| other > level);
    section.take_while(is_inside).filter_map(|line| check(line))
}

/// The level and the text of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    is_heading.then(|| (level, text.trim().trim_end_matches('#').trim_end()))
}

/// The text of a list item whose box, if it has one, is not ticked.
fn check(line: &str) -> Option<String> {
    let item = line.strip_prefix(['-', '*', '+']).or_else(|| numbered(line))?;
    let item = item.strip_prefix([' ', '\t'])?.trim_start();
    let text = match item.get(..3) {
        Some("[x]" | "[X]") => return None,
        Some("[ ]") => item.get(3..).unwrap_or_default(),
        _no_box => item,
    };
    let text = Excerpt::of(text.trim(), CHECK_BYTES_MAX).as_str().replace('\n', " ");
    (!text.trim().is_empty()).then(|| text.trim().to_owned())
}

/// Returns the text behind `1.` or `1)`.
fn numbered(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let has_number = rest.len() < line.len();
    rest.strip_prefix(['.', ')']).filter(|_| has_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_are_read_from_a_block_or_a_section() {
        for (body, expected) in [
            ("nothing", ""),
            (
                "## Manual checks\n- [ ] open the page\n* press Save\n\ntext\n1. look",
                "open the page|press Save|look",
            ),
            ("### manual checks:\r\n- a\r\n#### More\r\n- b\r\n### Other\r\n- c", "a|b"),
            ("## Manual checks\n- [x] done\n- [X] done too\n- [ ] \n- [ ] not yet", "not yet"),
            ("## Manual checks\n```\n- in code\n```\n- a", "a"),
            ("```\n## Manual checks\n- a\n```", ""),
            ("## Manual checks later\n- a", ""),
            ("Manual checks\n- a", ""),
            ("#Manual checks\n- a", ""),
            (
                "## Manual checks\n- no\n<!-- ralph:manual-checks:start -->\n- yes\n<!-- ralph:manual-checks:end -->\n- no",
                "yes",
            ),
            (
                "<!-- ralph:manual-checks:start -->\n- to the end\n## Heading\n- too",
                "to the end|too",
            ),
            ("## Manual checks\n1) one\n12. twelve\n. none\n-none\n1none", "one|twelve"),
        ] {
            assert_eq!(manual_checks(body).join("|"), expected, "{body:?}");
        }
    }

    #[test]
    fn checks_are_few_short_and_without_secrets() {
        let many = format!("## Manual checks\n{}", "- again\n".repeat(500));
        assert_eq!(manual_checks(&many).len(), CHECKS_MAX);
        let long = manual_checks(&format!("## Manual checks\n- {}", "ä".repeat(5_000)));
        assert!(long.iter().all(|check| check.len() <= CHECK_BYTES_MAX && !check.contains('\n')));
        let token = format!("ghp_{}", "a1".repeat(18));
        let secret = manual_checks(&format!("## Manual checks\n- log in with {token}"));
        assert!(!secret.concat().contains(&token), "{secret:?}");
    }
}
