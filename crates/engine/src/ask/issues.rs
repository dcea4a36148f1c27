//! Issues as the forge shows them, and the issues they wait for.

use super::Reading;
use super::closing::Ours;
use crate::ports::{Forge, ForgeIssue, Read, Related, RelationCount, Relations, Unread};
use ralph_core::dependency::{BodyEdge, BodyEdges, parse_body};
use ralph_core::digest::Digest;
use ralph_core::excerpt::{ARTIFACT_BYTES_MAX, Excerpt, LINE_BYTES_MAX};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::{Native, Relation, Seen};
use ralph_core::manual_checks::manual_checks;
use ralph_core::repo::FollowUpId;
use ralph_core::time::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The cursor stays this far behind, because clocks have one-second steps and pages may change while they are read.
const CURSOR_OVERLAP: Span = Span::from_secs(5);

/// The part of the forge that Ralph works in, the time, and the forge.
pub(super) type Asked<'a> = (&'a Ours, Time, &'a mut dyn Forge);

/// Reads all issues that changed since the last time. The cursor stays before everything that could not be read whole.
pub(super) fn changed(
    reading: &mut Reading,
    repo: &RepoName,
    since: Option<Time>,
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let changed = forge.issues_since(repo, since)?;
    let skipped = forge.skipped();
    let mut cursor = changed.iter().map(|issue| issue.updated).max();
    for skipped in skipped {
        cursor = cursor.zip(skipped.updated).map(|(cursor, at)| cursor.min(at));
        reading.missed.push(skipped.why);
    }
    for issue in changed {
        let updated = issue.updated;
        match show(reading, issue, (ours, now, forge)) {
            Shown::Whole => continue,
            Shown::InPart => {}
            Shown::NotYet(unread) => reading.missed.push(unread.why),
        }
        cursor = cursor.map(|cursor| cursor.min(updated));
    }
    reading.cursor = cursor.map(|at| (repo.clone(), at.minus(CURSOR_OVERLAP)));
    Ok(())
}

/// Reads one issue. In a repository that is not ours, a refusal means the same as a missing issue.
pub(super) fn one(
    reading: &mut Reading,
    key: &IssueKey,
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let found = match forge.issue(key) {
        Err(unread) if unread.is_refused && !ours.has(&key.repo) => None,
        found => found?,
    };
    match found.filter(|issue| issue.key == *key) {
        Some(issue) => show(reading, issue, (ours, now, forge)).or_unread()?,
        None => reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Gone))),
    }
    Ok(())
}

/// Reads whether an issue in progress still exists, and what blocks it now. If the forge does not count dependencies
/// either, missing lists hold up nothing.
pub(super) fn look(
    reading: &mut Reading,
    key: &IssueKey,
    is_related: bool,
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let Some(issue) = forge.issue(key)?.filter(|issue| issue.key == *key) else {
        reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Gone)));
        return Ok(());
    };
    let may_have = is_related || issue.relations == RelationCount::Some;
    let is_silent = issue.relations == RelationCount::Unknown;
    // Nothing is merged for an issue that a person may have closed.
    show(reading, issue, (ours, now, forge)).or_unread()?;
    if may_have || is_silent {
        match native(reading, key, (ours, now, forge)) {
            Err(unread) if may_have || unread.is_refused => {
                let seen = Observation::Looked { at: now, is_partial: true };
                reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
                return Err(unread);
            }
            Err(_) | Ok(()) => {}
        }
    }
    let seen = Observation::Looked { at: now, is_partial: false };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shown {
    Whole,
    /// Part of it has to be read again.
    InPart,
    /// It was closed, and the cause has to be read again. Until then the issue stays as it was.
    NotYet(Unread),
}

impl Shown {
    /// Turns `NotYet` into a failed read, for reads of this issue alone.
    pub(super) fn or_unread(self) -> Read<()> {
        match self {
            Self::Whole | Self::InPart => Ok(()),
            Self::NotYet(unread) => Err(unread),
        }
    }
}

pub(super) fn show(
    reading: &mut Reading,
    issue: ForgeIssue,
    (ours, now, forge): Asked<'_>,
) -> Shown {
    let closed_by = match ours.closed_by(&issue, now, forge) {
        Ok(closed_by) => closed_by,
        // A closing that the forge refuses to explain counts as a person's.
        Err(unread) if unread.is_refused => {
            reading.missed.push(unread.why);
            None
        }
        Err(unread) => return Shown::NotYet(unread),
    };
    // The text of a pull request declares no dependencies.
    let text = if issue.is_pull { "" } else { issue.body.as_str() };
    let BodyEdges { blocked_by, blocks } = parse_body(&issue.key.repo, text);
    let Blocks { may: blocks, unread } =
        those_the_author_may_block(reading, blocks, &issue.author, (ours, now, forge));
    let body = Excerpt::of(&issue.body, ARTIFACT_BYTES_MAX).as_str().to_owned();
    let digest = Digest::of(&body);
    let seen = Seen {
        title: title_line(issue.title),
        open: issue.open,
        author: issue.author,
        labels: issue.labels,
        body: digest,
        blocked_by,
        blocks,
        manual_checks: manual_checks(text),
        updated: issue.updated,
        has_relations: issue.relations == RelationCount::Some,
        is_pull: Some(issue.is_pull),
        closed_by,
        follow_up: FollowUpId::of_text(text),
    };
    reading.texts.push((digest, body));
    let (seen, shown) = if unread.is_empty() {
        (Observation::Issue(seen), Shown::Whole)
    } else {
        (Observation::IssueInPart { seen, blocks: unread }, Shown::InPart)
    };
    reading.facts.push(Fact::of(issue.key, What::Seen(seen)));
    shown
}

/// Shortens a title to one line: anyone can write one, and it goes into prompts, commit messages and terminal lines.
fn title_line(title: Arc<str>) -> Arc<str> {
    let kept = Excerpt::of(&title, LINE_BYTES_MAX);
    let kept = kept.as_str();
    if kept == &*title && !kept.contains('\n') { title } else { kept.replace('\n', " ").into() }
}

/// Issues that a body says must wait for it.
struct Blocks {
    may: Vec<BodyEdge>,
    /// The rights of the author could not be read.
    unread: Vec<BodyEdge>,
}

/// Keeps the edges that the author may declare: only people with write access to a repository can make its issues wait.
/// Rights are looked up only in repositories that Ralph works in, so that a stranger's text does not send Ralph
/// elsewhere. Rights that the forge refuses to show count as none.
fn those_the_author_may_block(
    reading: &mut Reading,
    blocks: Vec<BodyEdge>,
    author: &Login,
    (ours, _, forge): Asked<'_>,
) -> Blocks {
    let mut known: BTreeMap<RepoName, Option<bool>> = BTreeMap::new();
    let (mut may, mut unread) = (Vec::new(), Vec::new());
    for edge in blocks.into_iter().filter(|edge| ours.has(&edge.on.repo)) {
        let may_push = *known.entry(edge.on.repo.clone()).or_insert_with_key(|repo| {
            match forge.rights(repo, author) {
                Ok(rights) => Some(rights.push),
                Err(why) => {
                    reading.missed.push(why.why);
                    why.is_refused.then_some(false)
                }
            }
        });
        match may_push {
            Some(true) => may.push(edge),
            Some(false) => {}
            None => unread.push(edge),
        }
    }
    Blocks { may, unread }
}

/// Reads native dependencies and sub-issues. Each list counts even if the other one fails.
pub(super) fn native(
    reading: &mut Reading,
    key: &IssueKey,
    (ours, now, forge): Asked<'_>,
) -> Read<()> {
    let Relations { blocked_by, children } = forge.relations(key);
    let failed = match (&blocked_by, &children) {
        (Ok(Related::Unavailable), Ok(Related::Unavailable)) => {
            let seen = Observation::Native(Native::Unavailable);
            reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
            return Ok(());
        }
        // A refusal says more than a limit.
        (Err(one), Err(other)) => {
            return Err(if other.is_refused && !one.is_refused { other } else { one }.clone());
        }
        (Err(why), Ok(_)) => Some((Relation::BlockedBy, why.clone())),
        (Ok(_), Err(why)) => Some((Relation::Children, why.clone())),
        (Ok(_), Ok(_)) => None,
    };
    let mut keys = |related: Read<Related>| match related {
        Ok(Related::List(issues)) => {
            let keys = issues.iter().map(|issue| issue.key.clone()).collect();
            for issue in issues {
                if let Shown::NotYet(unread) = show(reading, issue, (ours, now, forge)) {
                    reading.missed.push(unread.why);
                }
            }
            keys
        }
        Ok(Related::Unavailable) | Err(_) => BTreeSet::new(),
    };
    let (blocked_by, children) = (keys(blocked_by), keys(children));
    let unread = failed.as_ref().map(|(relation, _)| *relation);
    let native = Native::Read { blocked_by, children, at: now, unread };
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Native(native))));
    failed.map_or(Ok(()), |(_, why)| Err(why))
}
