//! Effects on an issue of the forge and its pull request.

use super::{Performed, forgiving, happened, is_exists, known, run, settled};
use crate::engine::Claimed;
use crate::ports::{Answer, NewPull, Ports, Read, RefusalKind};
use ralph_core::digest::Digest;
use ralph_core::effect::IssueAct;
use ralph_core::fact::{RunSettled, Settled};
use ralph_core::ids::{Branch, IssueKey, PullNumber, RepoName, Sha};
use ralph_core::words;

pub(super) fn act(
    claimed: &Claimed,
    key: &IssueKey,
    act: &IssueAct,
    ports: &mut Ports<'_>,
) -> Performed {
    match act {
        IssueAct::AddLabel { label } => {
            let answer = ports.forge.add_label(key, label);
            known(claimed, answer, |()| settled(Settled::LabelAdded(label.clone())))
        }
        IssueAct::RemoveLabel { label } => {
            let answer = forgiving(ports.forge.remove_label(key, label), RefusalKind::Missing);
            known(claimed, answer, |()| settled(Settled::LabelRemoved(label.clone())))
        }
        IssueAct::CreateComment { slot, body } => {
            let (slot, digest) = (slot.clone(), Digest::of(body));
            let posted = |id| settled(Settled::CommentPosted { slot, id, body: digest });
            known(claimed, ports.forge.create_comment(key, body), posted)
        }
        IssueAct::EditComment { slot, id, body } => {
            let answer = ports.forge.edit_comment(key, *id, body);
            if let Answer::Refused(refusal) = &answer
                && refusal.kind == RefusalKind::Missing
            {
                return happened(claimed, settled(Settled::CommentGone { slot: slot.clone() }));
            }
            let (slot, id, body) = (slot.clone(), *id, Digest::of(body));
            known(claimed, answer, |()| settled(Settled::CommentPosted { slot, id, body }))
        }
        IssueAct::CloseIssue => {
            known(claimed, ports.forge.close_issue(key), |()| settled(Settled::IssueClosed))
        }
        IssueAct::OpenPull { head, base, title, body, .. } => {
            let new = NewPull { head, base, title, body };
            let answer = ports.forge.open_pull(&key.repo, &new);
            if is_exists(&answer) {
                return Performed::Unknown { why: "the forge says that it exists".to_owned() };
            }
            let head = Some(head.clone());
            known(claimed, answer, |pull| run(RunSettled::PullOpened { number: pull.number, head }))
        }
        IssueAct::Merge { pull, head, base, method, onto } => {
            match guard_merge(&key.repo, *pull, head, base.as_ref(), ports) {
                Ok(None) => {}
                Ok(Some(called_off)) => return Performed::Refused(called_off),
                Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
            }
            match moved_on(&key.repo, head, (base.as_ref(), onto.as_ref()), ports) {
                Ok(None) => {}
                Ok(Some(head)) => return happened(claimed, run(RunSettled::BaseMoved { head })),
                Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
            }
            let answer = ports.forge.merge(&key.repo, *pull, head, *method);
            let number = *pull;
            known(claimed, answer, |commit| run(RunSettled::Merged { number, commit }))
        }
        IssueAct::RerunCheck(what) => {
            let answer = ports.forge.rerun(&key.repo, what.of);
            known(claimed, answer, |()| run(RunSettled::CheckRerun(what.clone())))
        }
        IssueAct::UpdateBranch { pull, head } => {
            let answer = ports.forge.update_branch(&key.repo, *pull, head);
            known(claimed, answer, |()| run(RunSettled::BranchUpdated))
        }
    }
}

/// Where the branch has moved on to, if that is nothing the head was tested with. A head that is older than what it
/// was tested with is no news: reads lag. What was tried together with others does not contain that itself.
fn moved_on(
    repo: &RepoName,
    head: &Sha,
    (base, onto): (Option<&Branch>, Option<&Sha>),
    ports: &mut Ports<'_>,
) -> Read<Option<Sha>> {
    let (Some(base), Some(onto)) = (base, onto) else { return Ok(None) };
    let seen = ports.forge.branches(repo, base)?.bot_head.filter(|seen| seen != onto);
    let Some(seen) = seen else { return Ok(None) };
    let is_tested =
        ports.forge.contains(repo, head, &seen)? || ports.forge.contains(repo, onto, &seen)?;
    Ok((!is_tested).then_some(seen))
}

/// The last look before a merge: the forge itself compares the head, but not what it is merged into.
pub(super) fn guard_merge(
    repo: &RepoName,
    number: PullNumber,
    head: &Sha,
    base: Option<&Branch>,
    ports: &mut Ports<'_>,
) -> Read<Option<String>> {
    let Some(found) = ports.forge.pull(repo, number)? else { return Ok(None) };
    let wanted_base = base.filter(|base| **base != found.base);
    Ok(if let Some(base) = wanted_base {
        Some(words::changed_before_merge("base", found.base.as_str(), base.as_str()))
    } else if found.head != *head {
        Some(words::changed_before_merge("head", found.head.short(), head.short()))
    } else {
        None
    })
}
