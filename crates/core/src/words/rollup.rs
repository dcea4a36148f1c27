//! What the pull requests of a whole repository say.

use super::line;
use crate::hidden_marker::{HiddenMarker, MarkerKind};
use crate::ids::{Branch, IssueKey, Login, PullNumber, RepoName, Sha};
use crate::repo::{SyncPull, SyncTrouble, sync_branch};

#[must_use]
pub fn rollup_title(batch: u32, members: usize) -> String {
    format!("Rollup: batch {} ({members} pull requests)", batch + 1)
}

/// `first`: a pull request that a person has to see to before this one.
#[must_use]
pub fn rollup_body(
    repo: &RepoName,
    batch: u32,
    members: &[(IssueKey, PullNumber)],
    first: Option<PullNumber>,
) -> String {
    let marker = HiddenMarker::new(MarkerKind::Rollup, &format!("{repo}-{}", batch + 1), None);
    let mut body = format!("{}\nReady for the default branch:\n", marker.render());
    for (issue, pull) in members {
        line(&mut body, format_args!("\n- {pull} for #{}", issue.number));
    }
    body.push('\n');
    if let Some(sync) = first {
        line(
            &mut body,
            format_args!(
                "\n{sync} comes first: it brings the default branch's changes into the bot branch, \
                 and waits for a person.\n"
            ),
        );
    }
    for (issue, _) in members {
        line(&mut body, format_args!("\nCloses #{}", issue.number));
    }
    body
}

#[must_use]
pub fn sync_title(default: &Branch, bot: &Branch) -> String {
    format!("Sync: bring {default} into {bot}")
}

#[must_use]
pub fn sync_body(default: &Branch, bot: &Branch, of: &Sha) -> String {
    format!(
        "`{default}` has changes that `{bot}` lacks. This brings them over, up to {}, so that the next \
         rollup does not run into them.\n\n\
         Ralph merges it with a merge commit once its required checks have passed, and says so here if \
         it cannot. Closed unmerged, it is not offered again until `{default}` moves on.",
        of.short()
    )
}

/// The marker by which the comment on a sync pull request is found again.
#[must_use]
pub fn sync_marker(pull: PullNumber) -> HiddenMarker {
    HiddenMarker::new(MarkerKind::Sync, &pull.0.to_string(), None)
}

/// The one comment that asks a person to see to a sync pull request.
#[must_use]
pub fn sync_trouble(
    open: &SyncPull,
    bot: &Branch,
    trouble: &SyncTrouble,
    operator: &Login,
) -> String {
    let (marker, branch) = (sync_marker(open.number).render(), sync_branch(&open.of));
    let what = super::repository::trouble(trouble);
    let how = match trouble {
        SyncTrouble::Conflict | SyncTrouble::Behind => format!(
            "Merge `{bot}` into `{branch}` (no rebase, no force-push), push it, and merge this pull \
             request with a merge commit."
        ),
        SyncTrouble::ChecksFailed(_) | SyncTrouble::Stuck(_) => format!(
            "Run the checks again, and Ralph merges it once they have passed. Or mend it on \
             `{branch}`, and merge this pull request with a merge commit."
        ),
        SyncTrouble::MergeRefused(_) | SyncTrouble::Changed => {
            "Merge this pull request with a merge commit, or close it.".to_owned()
        }
    };
    format!("{marker}\n@{operator} Ralph needs a person here: {what}.\n\n{how}")
}
