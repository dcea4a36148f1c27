//! Comments by which a person resolves an escalation.

use crate::command::Manner;
use crate::markdown::lines_outside_fences_and_comments;

/// The words by which a comment resolves an escalation.
const RESOLVED: &str = "RALPH RESOLVED:";

/// The word behind them that asks for a new plan.
const REPLAN: &str = "replan";

/// Returns the form of the `queue` command in a comment that resolves an escalation. Quotes, fenced code and hidden
/// text do not count.
#[must_use]
pub fn manner(comment: &str) -> Option<Manner> {
    let is_quote = |line: &str| line.trim_start().starts_with('>');
    let own = lines_outside_fences_and_comments(comment).filter(|line| !is_quote(line));
    let answers = own.filter_map(|line| Some(line.split_once(RESOLVED)?.1));
    answers.map(|answer| if asks_for_plan(answer) { Manner::Fresh } else { Manner::Plain }).max()
}

/// True if the answer begins with the word: "no need to replan" does not ask for a plan.
fn asks_for_plan(answer: &str) -> bool {
    let words = answer.split(|letter: char| !letter.is_alphanumeric() && letter != '-');
    let first = words.map(|word| word.trim_matches('-')).find(|word| !word.is_empty());
    first.is_some_and(|word| word.eq_ignore_ascii_case(REPLAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_comments_own_words_resolve() {
        for (comment, expected) in [
            ("RALPH RESOLVED: go on", true),
            ("Thanks!\r\n\r\nI think **RALPH RESOLVED:** fits.", true),
            ("> what now?\n\nRALPH RESOLVED: this", true),
            ("```\ncode\n```\nRALPH RESOLVED: this", true),
            ("> RALPH RESOLVED: says who?", false),
            ("  > > RALPH RESOLVED: says who?", false),
            ("```\nRALPH RESOLVED: an example\n```", false),
            ("<!--\nRALPH RESOLVED: unseen\n-->", false),
            ("<!-- RALPH RESOLVED: unseen -->", false),
            ("ralph resolved: no", false),
            ("RALPH RESOLVED", false),
            ("", false),
        ] {
            assert_eq!(manner(comment).is_some(), expected, "{comment:?}");
        }
    }

    #[test]
    fn the_first_word_of_an_answer_may_ask_for_a_new_plan() {
        for (comment, expected) in [
            ("RALPH RESOLVED: replan", Manner::Fresh),
            ("**RALPH RESOLVED:** Replan, `tests/a.py` may change.", Manner::Fresh),
            ("RALPH RESOLVED: `replan`", Manner::Fresh),
            ("RALPH RESOLVED:replan.", Manner::Fresh),
            ("RALPH RESOLVED: go on\nRALPH RESOLVED: replan", Manner::Fresh),
            ("RALPH RESOLVED: no need to replan", Manner::Plain),
            ("RALPH RESOLVED: replanning is not needed", Manner::Plain),
            ("RALPH RESOLVED: re-plan-free", Manner::Plain),
            ("RALPH RESOLVED:", Manner::Plain),
            ("> RALPH RESOLVED: replan\nRALPH RESOLVED: go on", Manner::Plain),
            ("replan\nRALPH RESOLVED: go on", Manner::Plain),
        ] {
            assert_eq!(manner(comment), Some(expected), "{comment:?}");
        }
    }
}
