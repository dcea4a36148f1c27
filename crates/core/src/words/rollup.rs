//! The texts of the pull requests for a whole repository: rollup and sync.

use super::{line, one_line};
use crate::hidden_marker::{HiddenMarker, MarkerKind};
use crate::ids::{Branch, Login, PullNumber, RepoName, Sha};
use crate::repo::{SyncPull, SyncTrouble, sync_branch};

/// The most manual checks listed in one rollup, a fraction of what GitHub takes as a body; more are only counted.
const CHECKS_TOLD_MAX: usize = 100;

/// The title of a rollup. It stays the same while the rollup is open: more pull requests may join, and the body lists
/// them.
#[must_use]
pub fn rollup_title(batch: u32, bot: &Branch, default: &Branch) -> String {
    format!("Rollup {}: {bot} into {default}", batch + 1)
}

/// The end of Ralph's section in a person's text.
const SECTION_END: &str = "<!-- ralph-rollup:end -->";

/// A person's text with Ralph's section in it: in place of an earlier one of the same rollup, or at the end. Nothing
/// else is changed.
#[must_use]
pub fn with_rollup_section(text: &str, section: &str) -> String {
    let marker = section.lines().next().unwrap_or_default();
    // A marker that a person quoted has no section end after it, or another marker in between.
    let earlier = text.rmatch_indices(marker).find_map(|(start, _)| {
        let (before, rest) = text.split_at_checked(start)?;
        Some((before, rest.split_once(SECTION_END)?.1))
    });
    match earlier {
        Some((before, after)) => format!("{before}{section}\n{SECTION_END}{after}"),
        None if text.trim().is_empty() => format!("{section}\n{SECTION_END}"),
        None => format!("{}\n\n{section}\n{SECTION_END}", text.trim_end()),
    }
}

/// One change of a rollup.
#[derive(Debug, Clone, Copy)]
pub struct RollupMember<'a> {
    pub issue: u64,
    pub pull: PullNumber,
    pub manual_checks: &'a [String],
}

/// The text of a rollup. `first`: a pull request that a person has to handle before this one.
#[must_use]
pub fn rollup_body(
    repo: &RepoName,
    batch: u32,
    members: &[RollupMember<'_>],
    first: Option<PullNumber>,
) -> String {
    let marker = HiddenMarker::new(MarkerKind::Rollup, &format!("{repo}-{}", batch + 1), None);
    let mut body = format!("{}\nReady for the default branch:\n", marker.render());
    for RollupMember { issue, pull, .. } in members {
        line(&mut body, format_args!("\n- {pull} for #{issue}"));
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
    manual_checks(&mut body, members);
    for RollupMember { issue, .. } in members {
        line(&mut body, format_args!("\nCloses #{issue}"));
    }
    body
}

fn manual_checks(body: &mut String, members: &[RollupMember<'_>]) {
    let all = members.iter().flat_map(|member| {
        member.manual_checks.iter().map(move |check| (member.issue, check.as_str()))
    });
    let mut last = None;
    for (issue, check) in all.clone().take(CHECKS_TOLD_MAX) {
        if last.is_none() {
            body.push_str("\nTo be tried by hand, as the issues ask:\n");
        }
        if last.replace(issue) != Some(issue) {
            line(body, format_args!("\nFor #{issue}:\n"));
        }
        // As code nothing in it takes effect: no mention, no reference, no closing line.
        line(body, format_args!("- [ ] `{}`\n", one_line(check)));
    }
    match all.count().saturating_sub(CHECKS_TOLD_MAX) {
        0 => {}
        more => line(body, format_args!("\n{more} more are in the issues.\n")),
    }
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

/// The one comment that asks a person to handle a sync pull request.
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
        SyncTrouble::Unreadable(_) => {
            "Let Ralph read it, and Ralph merges it once its checks have passed. Or merge this pull \
             request with a merge commit."
                .to_owned()
        }
        SyncTrouble::MergeRefused(_) | SyncTrouble::Changed => {
            "Merge this pull request with a merge commit, or close it.".to_owned()
        }
    };
    format!("{marker}\n@{operator} Ralph needs a person here: {what}.\n\n{how}")
}

/// The reason why a rollup cannot be opened.
#[must_use]
pub fn foreign_rollup(head: &Branch, base: &Branch) -> String {
    format!("an account that may not push has a pull request from {head} to {base} open; close it")
}
