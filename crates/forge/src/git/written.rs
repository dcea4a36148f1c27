//! Changes in memory, written down as git does.

use super::commit::Commit;
use super::diff::{ChangeForm, FileChange, FileStatus};

/// The changes as a diff, or as the mail of one commit.
pub(super) fn show(changes: &[FileChange], commit: &Commit, form: ChangeForm) -> String {
    let diff: String = changes.iter().map(file).collect();
    match form {
        ChangeForm::Diff => diff,
        ChangeForm::Patch => {
            let Commit { sha, author, email, message, .. } = commit;
            let title = message.lines().next().unwrap_or_default();
            format!(
                "From {sha} Mon Sep 17 00:00:00 2001\nFrom: {author} <{email}>\n\
                 Subject: [PATCH] {title}\n\n---\n\n{diff}-- \n\n"
            )
        }
    }
}

fn file(change: &FileChange) -> String {
    let path = &change.path;
    let (kind, from, to) = match change.status {
        FileStatus::Added => {
            ("new file mode 100644\n", "/dev/null".to_owned(), format!("b/{path}"))
        }
        FileStatus::Removed => {
            ("deleted file mode 100644\n", format!("a/{path}"), "/dev/null".to_owned())
        }
        FileStatus::Modified => ("", format!("a/{path}"), format!("b/{path}")),
    };
    let patch = change.patch.as_deref().unwrap_or_default();
    format!("diff --git a/{path} b/{path}\n{kind}--- {from}\n+++ {to}\n{patch}\n")
}
