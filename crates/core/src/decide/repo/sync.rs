//! Brings the changes of the default branch into the bot branch by a pull request, under the same required checks as
//! every other change.

use super::super::Decision;
use super::RepoContext;
use crate::bound::Bound;
use crate::effect::RepoAct;
use crate::ids::{IssueKey, Sha};
use crate::issue::Phase;
use crate::merge_queue;
use crate::pull::{CheckState, Mergeable};
use crate::repo::{Branches, SyncPull, SyncTrouble, sync_branch};
use crate::standing::SyncStanding;
use crate::time::{Span, Time};
use crate::watch::{Pace, Resource, Watch};
use crate::words;

/// The shortest time between two sync pull requests, so that a default branch that moves all day does not get one for
/// each commit.
const BETWEEN_SYNCS: Span = Span::from_mins(10);

/// The desired act and its standing; `None` while there is nothing to bring.
pub(super) fn want(
    cx: &RepoContext<'_>,
    branches: &Branches,
    decision: &mut Decision,
) -> (Option<RepoAct>, Option<SyncStanding>) {
    if let Some(open) = &cx.repo.sync.open {
        let (act, standing) = under_way(cx, open, decision);
        return (act, Some(standing));
    }
    let Some(bot_head) = &branches.bot_head else { return (None, None) };
    if *bot_head == branches.default_head {
        return (None, None);
    }
    let compared = cx.repo.sync.compared.as_ref();
    match compared.filter(|compared| compared.holds_for(branches)) {
        None => {
            let resource = Resource::Behind(cx.name.clone());
            decision.watch.push(Watch { resource, pace: Pace::Normal });
            (None, Some(SyncStanding::Comparing))
        }
        Some(compared) if compared.is_behind => offer(cx, branches, decision),
        Some(_) => (None, None),
    }
}

/// Makes first a branch, then its pull request. What was begun for one head is finished for that head.
fn offer(
    cx: &RepoContext<'_>,
    branches: &Branches,
    decision: &mut Decision,
) -> (Option<RepoAct>, Option<SyncStanding>) {
    let sync = &cx.repo.sync;
    if sync.declined.as_ref() == Some(&branches.default_head) {
        return (None, Some(SyncStanding::Declined));
    }
    let from = sync.opened_last.map(|at| at.plus(BETWEEN_SYNCS)).filter(|from| *from > cx.now);
    if let Some(from) = from {
        decision.look_again(from);
        return (None, Some(SyncStanding::Opening));
    }
    let (default, bot) = (&branches.default, &cx.rules.bot_branch);
    let act = match &sync.branch_at {
        None => {
            let at = branches.default_head.clone();
            RepoAct::MakeBranch { branch: sync_branch(&at), at }
        }
        Some(of) => RepoAct::OpenSync {
            of: of.clone(),
            head: sync_branch(of),
            base: bot.clone(),
            title: words::sync_title(default, bot),
            body: words::sync_body(default, bot, of),
        },
    };
    (Some(act), Some(SyncStanding::Opening))
}

fn under_way(
    cx: &RepoContext<'_>,
    open: &SyncPull,
    decision: &mut Decision,
) -> (Option<RepoAct>, SyncStanding) {
    let pull = open.number;
    let is_settling = open.seen.as_ref().is_none_or(|seen| seen.mergeable == Mergeable::Unknown);
    let resource = Resource::Sync(cx.name.clone(), pull);
    let pace = if is_settling { Pace::Soon } else { Pace::Normal };
    decision.watch.push(Watch { resource, pace });
    if let Some(standing) = in_lane(cx, open, decision) {
        return (None, standing);
    }
    let deadline = open.put_at().plus(cx.rules.limits.ci_timeout);
    match judge(cx, open, deadline) {
        Judged::Waits => {
            decision.look_again(deadline);
            let why = open.unread.as_ref().or(cx.repo.required_unread.as_ref()).cloned();
            (None, SyncStanding::Open { pull, until: Some(deadline), why })
        }
        Judged::Ready(head) => {
            let base = cx.rules.bot_branch.clone();
            let standing = SyncStanding::Open { pull, until: None, why: None };
            (Some(RepoAct::MergeSync { pull, head, base }), standing)
        }
        Judged::Trouble(trouble) => {
            let operator = cx.policy.operator_of(cx.name);
            let tell = (!open.is_told).then(|| RepoAct::TellOfSync {
                pull,
                body: words::sync_trouble(open, &cx.rules.bot_branch, &trouble, &operator),
            });
            (tell, SyncStanding::NeedsPerson { pull, trouble })
        }
    }
}

/// The standing of the conflict lane for it; `None` if the lane has nothing to do with it, or a person has stopped the
/// lane.
fn in_lane(cx: &RepoContext<'_>, open: &SyncPull, decision: &mut Decision) -> Option<SyncStanding> {
    let (pull, trouble) = (open.number, SyncTrouble::Conflict);
    let looks = cx.rules.limits.of(Bound::CONFLICT_LOOKS);
    let key = IssueKey::new(cx.name.clone(), pull.0);
    let issue = cx.world.issue(&key);
    let managed = issue.and_then(|issue| issue.managed.as_deref());
    match managed.filter(|managed| managed.sync.is_some()).map(|managed| &managed.phase) {
        Some(Phase::Queued | Phase::Running { .. } | Phase::Parked { .. }) => {
            Some(SyncStanding::Resolving { pull })
        }
        // Its own comment asks for a person.
        Some(Phase::Escalated { .. }) => Some(SyncStanding::NeedsPerson { pull, trouble }),
        Some(Phase::Stopped { .. } | Phase::InBot { .. } | Phase::Done { .. }) => None,
        Some(Phase::Out) | None if open.is_for_lane(&cx.rules.bot_branch, looks) => {
            // The lane takes it up once it was read like an issue.
            decision.watch.push(Watch { resource: Resource::Issue(key), pace: Pace::Soon });
            Some(SyncStanding::Resolving { pull })
        }
        Some(Phase::Out) | None => None,
    }
}

enum Judged {
    Waits,
    /// This head may be merged.
    Ready(Sha),
    Trouble(SyncTrouble),
}

fn judge(cx: &RepoContext<'_>, open: &SyncPull, deadline: Time) -> Judged {
    let is_late = deadline <= cx.now;
    let unread = |why: Option<&String>| match is_late {
        true => {
            let why = why.cloned().unwrap_or_else(|| words::NO_ANSWER.to_owned());
            Judged::Trouble(SyncTrouble::Unreadable(why))
        }
        false => Judged::Waits,
    };
    let Some(pull) = &open.seen else { return unread(open.unread.as_ref()) };
    if pull.head != *open.own_head() || pull.base != cx.rules.bot_branch {
        return Judged::Trouble(SyncTrouble::Changed);
    }
    if pull.mergeable == Mergeable::Dirty {
        return Judged::Trouble(SyncTrouble::Conflict);
    }
    // The required checks are not known yet: that never counts as none.
    let Some(required) = merge_queue::required(cx.rules, cx.repo) else {
        return unread(cx.repo.required_unread.as_ref());
    };
    let failed = merge_queue::in_state(required, pull, CheckState::Fail);
    let pending = merge_queue::in_state(required, pull, CheckState::Pending);
    if !failed.is_empty() {
        return Judged::Trouble(SyncTrouble::ChecksFailed(failed));
    }
    if pull.mergeable == Mergeable::Behind {
        return Judged::Trouble(SyncTrouble::Behind);
    }
    let is_ready = match pull.mergeable {
        Mergeable::Clean | Mergeable::Unstable => pending.is_empty(),
        Mergeable::Unknown
        | Mergeable::Dirty
        | Mergeable::Behind
        | Mergeable::Blocked
        | Mergeable::Draft => false,
    };
    match open.last_refusal.as_ref() {
        Some(why) if open.refusals >= cx.rules.limits.of(Bound::MERGE_REFUSALS) => {
            Judged::Trouble(SyncTrouble::MergeRefused(why.clone()))
        }
        _ if is_ready => Judged::Ready(pull.head.clone()),
        _ if open.unread.is_some() => unread(open.unread.as_ref()),
        _ if is_late => Judged::Trouble(SyncTrouble::Stuck(pending)),
        _ => Judged::Waits,
    }
}
