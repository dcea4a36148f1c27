//! The blockers that keep an issue from being claimed, or park it later. Unknown is neither blocked nor unblocked: it
//! keeps an issue from being claimed and stops nothing that runs.

use super::{Context, Decision};
use crate::escalation::Cause;
use crate::fact::Move;
use crate::ids::IssueKey;
use crate::issue::{Blocked, BlockedSource, Issue, Native, Phase};
use crate::standing::Standing;
use crate::time::{Span, Time};
use crate::unread::{ReadOf, Unread};
use crate::watch::{Pace, Resource, Watch};
use crate::words;
use crate::world::{InLine, World};
use std::collections::BTreeSet;

/// The most issues read one by one at the same time for the text of a single issue. One that is open or missing already
/// makes the issue wait, so no more are read while there is one.
const REFERENCES_READ_MAX: usize = 5;
/// The time after which a person is asked about blockers that are still unknown or missing: forges are seldom out of
/// order for longer, and by then the author had time to correct a line.
const UNKNOWN_MAX: Span = Span::from_mins(180);
/// The most issues searched for a cycle; longer chains simply count as blocked.
const CYCLE_SEARCH_MAX: usize = 1_000;

pub(super) fn next(cx: &Context<'_>) -> Option<Move> {
    match cx.managed.phase {
        Phase::Queued | Phase::Parked { .. } => {
            let on = in_the_way(cx);
            let late = unread_for_too_long(cx, on.as_ref());
            if let Some(cause) = late.or_else(|| missing_for_too_long(cx, on.as_ref())) {
                return Some(Move::Escalated { cause });
            }
            if let Some(cycle) = on.as_ref().and_then(|_| cycle_to_report(cx)) {
                return Some(Move::Escalated { cause: Cause::Cycle(cycle) });
            }
            (on != cx.managed.blocked).then_some(Move::Blocked { on })
        }
        // The end of a step is a checkpoint; a process under way may finish.
        Phase::Running { step } if cx.managed.work.is_none() => {
            let is_merged = cx.managed.pull.as_ref().is_some_and(crate::steps::is_merged);
            let found = open_blockers(cx.world, cx.key, cx.issue);
            let is_missing = |on: &IssueKey| cx.world.issue(on).is_some_and(Issue::is_missing);
            let is_blocked = !found.open.is_empty() || found.missing.iter().any(is_missing);
            (is_blocked && !is_merged).then_some(Move::Parked { at: step })
        }
        Phase::Running { .. }
        | Phase::Out
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => None,
    }
}

/// Escalates an issue whose blockers the forge refuses to show, or never shows: they keep it in line, and after a while
/// a person has to know.
fn unread_for_too_long(cx: &Context<'_>, on: Option<&Blocked>) -> Option<Cause> {
    let on = on.filter(|on| on.source == BlockedSource::DepsUnknown)?;
    let refused = cx.managed.unread.get(&ReadOf::Relations);
    let of =
        if refused.is_some() || on.by.is_empty() { ReadOf::Relations } else { ReadOf::Blockers };
    let why = refused.map_or_else(|| words::NO_ANSWER.to_owned(), |unread| unread.why.clone());
    let is_late = refused.is_some_and(|unread| cx.now >= unread_until(cx, unread))
        || unknown_until(cx).is_some_and(|until| cx.now >= until);
    is_late.then_some(Cause::Unreadable { of, why })
}

/// Escalates an issue whose text names blockers that do not exist: only a person can correct it.
fn missing_for_too_long(cx: &Context<'_>, on: Option<&Blocked>) -> Option<Cause> {
    let on = on.filter(|on| on.source == BlockedSource::DepsMissing)?;
    let is_late = unknown_until(cx).is_some_and(|until| cx.now >= until);
    is_late.then(|| Cause::BlockersMissing(on.by.clone()))
}

fn unknown_until(cx: &Context<'_>) -> Option<Time> {
    cx.managed.blockers_unknown_since().map(|since| since.plus(UNKNOWN_MAX))
}

fn unread_until(cx: &Context<'_>, unread: &Unread) -> Time {
    unread.since.max(cx.managed.since).plus(cx.rules.limits.ci_timeout)
}

pub(super) fn standing(cx: &Context<'_>) -> Standing {
    match &cx.managed.blocked {
        Some(Blocked { source, by }) => Standing::Blocked { source: *source, by: by.clone() },
        None if cx.repo.has_bot_branch(cx.rules) => Standing::InLine,
        None => Standing::WaitsForBotBranch,
    }
}

fn in_the_way(cx: &Context<'_>) -> Option<Blocked> {
    let blocked = |source, by| Some(Blocked { source, by });
    if !cx.rules.knows_preflight() {
        return blocked(BlockedSource::PreflightMissing, Vec::new());
    }
    let found = open_blockers(cx.world, cx.key, cx.issue);
    if !found.open.is_empty() {
        return blocked(BlockedSource::Deps, found.open.into_iter().collect());
    }
    if !found.missing.is_empty() {
        return blocked(BlockedSource::DepsMissing, found.missing.into_iter().collect());
    }
    if found.is_native_unread || !found.unknown.is_empty() {
        return blocked(BlockedSource::DepsUnknown, found.unknown.into_iter().collect());
    }
    None
}

#[derive(Default)]
struct Blockers {
    open: BTreeSet<IssueKey>,
    /// Issues named in the body that do not exist according to the forge. One that was never seen counts from the first
    /// such answer on: seen or not, the issue waits for it.
    missing: BTreeSet<IssueKey>,
    /// Issues referred to, but never read.
    unknown: BTreeSet<IssueKey>,
    is_native_unread: bool,
}

/// The source that says that one issue waits for another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Body,
    /// The blocker's own body.
    Inverse,
    Native,
    Child,
}

/// The state of a blocker for an issue that names it.
enum Blocker {
    Clear,
    Open,
    Missing,
    Unread,
}

/// Collects the blockers of all sources; an unresolved one of any source blocks.
fn open_blockers(world: &World, key: &IssueKey, issue: &Issue) -> Blockers {
    let mut found = Blockers::default();
    let mut look = |on: &IssueKey, edge: Edge| {
        match blocker(world, key, on, edge) {
            Blocker::Clear => false,
            Blocker::Open => found.open.insert(on.clone()),
            Blocker::Missing => found.missing.insert(on.clone()),
            Blocker::Unread => found.unknown.insert(on.clone()),
        };
    };
    for edge in issue.seen.iter().flat_map(|seen| &seen.blocked_by).filter(|edge| !edge.ticked) {
        look(&edge.on, Edge::Body);
    }
    world.blocked_from(key).for_each(|on| look(on, Edge::Inverse));
    match &issue.native {
        Native::Read { blocked_by, children, unread, .. } => {
            found.is_native_unread = unread.is_some();
            blocked_by.iter().for_each(|on| look(on, Edge::Native));
            children.iter().for_each(|on| look(on, Edge::Child));
        }
        Native::Unread => {
            found.is_native_unread = issue.seen.as_ref().is_none_or(|seen| seen.has_relations);
        }
        Native::Unavailable => {}
    }
    found
}

/// Judges one blocker. A child must be closed; a plain blocker may also be merged to the bot branch of the same
/// repository. The forge forgets a deleted issue with everything in it, but the bodies of others still name it.
fn blocker(world: &World, of: &IssueKey, on: &IssueKey, edge: Edge) -> Blocker {
    let Some(issue) = world.issue(on) else { return Blocker::Unread };
    let by_phase = issue.managed.as_ref().is_some_and(|managed| match managed.phase {
        Phase::Done { .. } => true,
        Phase::InBot { .. } => on.repo == of.repo,
        Phase::Out
        | Phase::Queued
        | Phase::Running { .. }
        | Phase::Parked { .. }
        | Phase::Escalated { .. }
        | Phase::Stopped { .. } => false,
    });
    let is_missing = issue.is_missing() || (issue.gone.is_some() && issue.seen.is_none());
    match &issue.seen {
        _ if issue.satisfied => Blocker::Clear,
        _ if edge == Edge::Body && is_missing && !by_phase => Blocker::Missing,
        None => Blocker::Unread,
        Some(seen) if !seen.open || (by_phase && edge != Edge::Child) => Blocker::Clear,
        Some(_) => Blocker::Open,
    }
}

/// The cycle through this issue, if this issue has to report it: each cycle is reported once, by its smallest waiting
/// member.
fn cycle_to_report(cx: &Context<'_>) -> Option<Vec<IssueKey>> {
    let cycle = cycle_through(cx.world, cx.key)?;
    let part = |key: &IssueKey| cx.world.issue(key).map_or(InLine::No, InLine::of);
    let was_told = cycle.iter().any(|key| part(key) == InLine::Told);
    let waiting = cycle.iter().filter(|key| *key == cx.key || part(key) == InLine::Waits);
    (!was_told && waiting.min() == Some(cx.key)).then_some(cycle)
}

fn cycle_through(world: &World, start: &IssueKey) -> Option<Vec<IssueKey>> {
    let mut path = vec![start.clone()];
    let mut seen = BTreeSet::from([start.clone()]);
    let next = |key: &IssueKey| {
        let issue = world.issue(key);
        issue.map(|issue| open_blockers(world, key, issue).open).unwrap_or_default()
    };
    let mut stack = vec![next(start).into_iter()];
    while let Some(level) = stack.last_mut() {
        let Some(key) = level.next() else {
            stack.pop();
            path.pop();
            continue;
        };
        if key == *start {
            return Some(path);
        }
        if seen.len() < CYCLE_SEARCH_MAX && seen.insert(key.clone()) {
            stack.push(next(&key).into_iter());
            path.push(key);
        }
    }
    None
}

/// The read of the issue's page, which shows what the list of changes does not: that it is gone, and its relations. It
/// is read from time to time during a run. An issue that waits in line is not read: there may be thousands.
fn own_watch(cx: &Context<'_>) -> Option<Watch> {
    let pace = match cx.managed.phase {
        _ if cx.issue.gone.is_some() => Pace::Normal,
        Phase::Running { .. } | Phase::Parked { .. } => Pace::Rarely,
        Phase::Queued
        | Phase::Out
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => return None,
    };
    Some(Watch { resource: Resource::Issue(cx.key.clone()), pace })
}

/// Adds the reads that dependencies need: native relations if there may be any, and blockers never read.
pub(super) fn watch(cx: &Context<'_>, decision: &mut Decision) {
    let is_live = match cx.managed.phase {
        Phase::Queued | Phase::Parked { .. } | Phase::Running { .. } => true,
        Phase::Out
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => false,
    };
    if !is_live {
        return;
    }
    decision.watch.extend(own_watch(cx));
    let may_have = cx.issue.seen.as_ref().is_some_and(|seen| seen.has_relations);
    let pace = match &cx.issue.native {
        Native::Unread if may_have => Some(Pace::Normal),
        Native::Read { unread: Some(_), .. } => Some(Pace::Normal),
        Native::Read { .. } => Some(Pace::Rarely),
        Native::Unread | Native::Unavailable => None,
    };
    if let Some(pace) = pace {
        decision.watch.push(Watch { resource: Resource::Native(cx.key.clone()), pace });
    }
    if let Some(unread) = cx.managed.unread.get(&ReadOf::Relations) {
        decision.look_at(cx.now, unread_until(cx, unread));
    }
    if let Some(until) = unknown_until(cx) {
        decision.look_at(cx.now, until);
    }
    let found = open_blockers(cx.world, cx.key, cx.issue);
    // The list of changes shows issues of the same repository, and no pull requests. Only one of these is read often:
    // as long as it blocks, the others make no difference.
    let is_listed = |on: &IssueKey| on.repo == cx.key.repo && kind(cx.world, on) == Some(false);
    let first = found.open.iter().find(|on| kind(cx.world, on) == Some(true));
    let unlisted = found.open.iter().filter(|on| !is_listed(on) && Some(*on) != first);
    let unlisted = unlisted.map(|on| (on, Pace::Rarely)).take(REFERENCES_READ_MAX);
    let often = first.map(|on| (on, Pace::Normal));
    let missing = found.missing.iter().map(|on| {
        let is_certain = cx.world.issue(on).is_some_and(Issue::is_missing);
        (on, if is_certain { Pace::Seldom } else { Pace::Rarely })
    });
    let is_blocked = !found.open.is_empty() || !found.missing.is_empty();
    let unknown = found.unknown.iter().filter(|_| !is_blocked).map(|on| (on, Pace::Normal));
    let references = unlisted.chain(often).chain(missing.take(REFERENCES_READ_MAX));
    for (on, pace) in references.chain(unknown.take(REFERENCES_READ_MAX)) {
        decision.watch.push(Watch { resource: Resource::Issue(on.clone()), pace });
    }
}

/// True for a pull request; `None` while the kind is not known.
fn kind(world: &World, key: &IssueKey) -> Option<bool> {
    world.issue(key)?.seen.as_ref()?.is_pull
}
