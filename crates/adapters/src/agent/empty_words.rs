//! Answers that nothing can be made of. One may be the agent's own; no answer at all, or the one that another issue got
//! word for word, is a message of the program: a usage limit, a missing key. Some programs end with status 0 all the same.

use ralph_core::digest::Digest;
use ralph_core::ids::IssueKey;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Answers that are remembered: more than are under way at a time. A restart may forget them.
const KEPT_MAX: usize = 64;

/// The latest answers that nothing could be made of, each with the issue that got it.
#[derive(Debug, Default)]
pub(super) struct EmptyWords(Mutex<VecDeque<(IssueKey, Digest)>>);

impl EmptyWords {
    /// Takes note of such an answer. `Some`: it is the program's, and this is how that shows.
    pub(super) fn are_programs(&self, issue: &IssueKey, words: &str) -> Option<String> {
        let words = without_numbers(words);
        if words.is_empty() {
            return Some("it ended without an answer".to_owned());
        }
        let digest = Digest::of(&words);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|(other, said)| other != issue && *said == digest);
        let known = known.map(|(other, _)| format!("its answer is the one that {other} got"));
        all.retain(|(other, said)| other != issue || *said != digest);
        all.push_back((issue.clone(), digest));
        let more = all.len().saturating_sub(KEPT_MAX);
        all.drain(..more);
        known
    }
}

/// One line in which every number is the same: a limit names the time at which it ends.
fn without_numbers(words: &str) -> String {
    let mut line = String::new();
    for word in words.split_whitespace() {
        line.push_str(if line.is_empty() { "" } else { " " });
        let mut parts = word.split(|letter: char| letter.is_ascii_digit());
        line.push_str(parts.next().unwrap_or_default());
        let mut after_number = false;
        for part in parts {
            if !after_number {
                line.push('0');
            }
            line.push_str(part);
            after_number = part.is_empty();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use ralph_core::ids::RepoName;

    fn issue(number: u64) -> IssueKey {
        IssueKey::new(RepoName::parse("acme/widgets").unwrap(), number)
    }

    #[test]
    fn the_words_that_another_issue_got_are_the_programs() {
        let empty = EmptyWords::default();
        let limit = "Usage limit reached, try at 17:03.";
        assert_eq!(empty.are_programs(&issue(7), limit), None, "they may be about the issue");
        assert_eq!(empty.are_programs(&issue(7), limit), None);
        let says = empty.are_programs(&issue(8), "Usage limit  reached,\ntry at 9:10.\n");
        assert_eq!(says.as_deref(), Some("its answer is the one that acme/widgets#7 got"));
        assert!(empty.are_programs(&issue(7), limit).is_some(), "now they are known for both");
        assert_eq!(empty.are_programs(&issue(9), "I cannot find the file."), None);
    }

    #[test]
    fn no_words_are_no_answer_of_any_agent() {
        let empty = EmptyWords::default();
        assert!(empty.are_programs(&issue(7), " \n\t").is_some());
    }

    #[test]
    fn numbers_are_no_difference() {
        for (words, line) in
            [("a 1", "a 0"), ("17:03:22 x9y", "0:0:0 x0y"), ("2026-01-05", "0-0-0"), ("", "")]
        {
            assert_eq!(without_numbers(words), line);
        }
    }
}
