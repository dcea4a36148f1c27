//! The names of an issue's branches.

use crate::ids::{Branch, IssueKey};
use crate::time::Time;

/// Longest slug in a branch name: long enough to recognise the issue, short enough for any file system.
const SLUG_BYTES_MAX: usize = 40;

/// `ralph/issue-<n>-<slug>`, always the same for the same title. It is stored with the first run.
#[must_use]
pub fn branch_for(issue: &IssueKey, title: &str) -> Branch {
    let mut slug = String::new();
    for letter in title.chars().map(|c| c.to_ascii_lowercase()) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() >= SLUG_BYTES_MAX {
            break;
        }
    }
    let number = issue.number;
    match slug.trim_end_matches('-') {
        "" => Branch::new(&format!("ralph/issue-{number}")),
        slug => Branch::new(&format!("ralph/issue-{number}-{slug}")),
    }
}

/// Returns a new branch for an issue, unused even by runs before this store began: its name ends with the second in
/// which it was chosen.
pub(super) fn fresh(issue: &IssueKey, title: &str, now: Time) -> Branch {
    Branch::new(&format!("{}-{}", branch_for(issue, title), now.0 / 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RepoName;

    #[test]
    fn a_branch_name_is_made_of_number_and_title() {
        let issue = IssueKey::new(RepoName::parse("acme/widgets").unwrap(), 12);
        for (title, branch) in [
            ("Add a --json flag!", "ralph/issue-12-add-a-json-flag"),
            ("  ", "ralph/issue-12"),
            ("日本語", "ralph/issue-12"),
            ("../../etc/passwd", "ralph/issue-12-etc-passwd"),
        ] {
            assert_eq!(branch_for(&issue, title).as_str(), branch);
        }
        assert!(branch_for(&issue, &"x".repeat(500)).as_str().len() < 70);
    }
}
