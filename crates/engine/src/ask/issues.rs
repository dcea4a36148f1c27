//! Issues as the forge shows them, and what they wait for.

use super::Reading;
use crate::ports::{Forge, ForgeIssue, Read, Relations};
use ralph_core::dependency::{BodyEdge, BodyEdges, parse_body};
use ralph_core::digest::Digest;
use ralph_core::excerpt::{ARTIFACT_BYTES_MAX, Excerpt, LINE_BYTES_MAX};
use ralph_core::fact::{Fact, Observation, What};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::issue::{Native, Seen};
use ralph_core::manual_checks::manual_checks;
use ralph_core::repo::FollowUpId;
use ralph_core::time::{Span, Time};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cursors reach back this far, because clocks have one-second steps and pages may be written meanwhile.
const CURSOR_OVERLAP: Span = Span::from_secs(5);

/// Everything that changed since the last time.
pub(super) fn changed(
    reading: &mut Reading,
    repo: &RepoName,
    since: Option<Time>,
    forge: &mut dyn Forge,
) -> Read<()> {
    let changed = forge.issues_since(repo, since)?;
    let newest = changed.iter().map(|issue| issue.updated).max();
    reading.cursor = newest.map(|at| (repo.clone(), at.minus(CURSOR_OVERLAP)));
    changed.into_iter().try_for_each(|issue| show(reading, issue, forge))
}

pub(super) fn show(reading: &mut Reading, issue: ForgeIssue, forge: &mut dyn Forge) -> Read<()> {
    // A pull request waits for nothing and blocks nothing by its own word.
    let text = if issue.is_pull { "" } else { issue.body.as_str() };
    let BodyEdges { blocked_by, blocks } = parse_body(&issue.key.repo, text);
    let blocks = those_the_author_may_block(blocks, &issue.author, forge)?;
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
        has_relations: issue.has_relations,
        is_pull: Some(issue.is_pull),
        follow_up: FollowUpId::of_text(text),
    };
    reading.facts.push(Fact::of(issue.key, What::Seen(Observation::Issue(seen))));
    reading.texts.push((digest, body));
    Ok(())
}

/// Titles come from anybody, and go into prompts, commit messages and lines of a terminal.
fn title_line(title: Arc<str>) -> Arc<str> {
    let kept = Excerpt::of(&title, LINE_BYTES_MAX);
    let kept = kept.as_str();
    if kept == &*title && !kept.contains('\n') { title } else { kept.replace('\n', " ").into() }
}

/// Whoever may write to a repository may say that its issues have to wait.
fn those_the_author_may_block(
    blocks: Vec<BodyEdge>,
    author: &Login,
    forge: &mut dyn Forge,
) -> Read<Vec<BodyEdge>> {
    let mut may: BTreeMap<RepoName, bool> = BTreeMap::new();
    for edge in &blocks {
        if !may.contains_key(&edge.on.repo) {
            may.insert(edge.on.repo.clone(), forge.rights(&edge.on.repo, author)?.push);
        }
    }
    Ok(blocks.into_iter().filter(|edge| may.get(&edge.on.repo) == Some(&true)).collect())
}

pub(super) fn native(
    reading: &mut Reading,
    key: &IssueKey,
    now: Time,
    forge: &mut dyn Forge,
) -> Read<()> {
    let native = match forge.relations(key)? {
        Relations::Unavailable => Native::Unavailable,
        Relations::Lists { blocked_by, children } => {
            let keys =
                |issues: &[ForgeIssue]| issues.iter().map(|issue| issue.key.clone()).collect();
            let native =
                Native::Read { blocked_by: keys(&blocked_by), children: keys(&children), at: now };
            let mut all = blocked_by.into_iter().chain(children);
            all.try_for_each(|issue| show(reading, issue, forge))?;
            native
        }
    };
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Native(native))));
    Ok(())
}
