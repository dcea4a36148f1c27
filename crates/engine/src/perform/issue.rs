//! Effects on an issue of the forge and its pull request.

use super::{Performed, forgiving, happened, is_exists, known, run, settled};
use crate::engine::Leased;
use crate::ports::{Answer, NewPull, Ports, Read, RefusalKind};
use ralph_core::digest::Digest;
use ralph_core::effect::IssueAct;
use ralph_core::fact::{RunSettled, Settled};
use ralph_core::ids::{Branch, IssueKey, PullNumber, RepoName, Sha};
use ralph_core::words;

pub(super) fn act(
    leased: &Leased,
    key: &IssueKey,
    act: &IssueAct,
    ports: &mut Ports<'_>,
) -> Performed {
    match act {
        IssueAct::AddLabel { label } => {
            let answer = ports.forge.add_label(key, label);
            known(leased, answer, |()| settled(Settled::LabelAdded(label.clone())))
        }
        IssueAct::RemoveLabel { label } => {
            let answer = forgiving(ports.forge.remove_label(key, label), RefusalKind::Missing);
            known(leased, answer, |()| settled(Settled::LabelRemoved(label.clone())))
        }
        IssueAct::CreateComment { slot, body } => {
            let (slot, digest) = (slot.clone(), Digest::of(body));
            let posted = |id| settled(Settled::CommentPosted { slot, id, body: digest });
            known(leased, ports.forge.create_comment(key, body), posted)
        }
        IssueAct::EditComment { slot, id, body } => {
            let answer = ports.forge.edit_comment(key, *id, body);
            if let Answer::Refused(refusal) = &answer
                && refusal.kind == RefusalKind::Missing
            {
                return happened(leased, settled(Settled::CommentGone { slot: slot.clone() }));
            }
            let (slot, id, body) = (slot.clone(), *id, Digest::of(body));
            known(leased, answer, |()| settled(Settled::CommentPosted { slot, id, body }))
        }
        IssueAct::CloseIssue => {
            known(leased, ports.forge.close_issue(key), |()| settled(Settled::IssueClosed))
        }
        IssueAct::OpenPull { head, base, title, body, .. } => {
            let body = format!("{body}{}", leased.prompt);
            let new = NewPull { head, base, title, body: &body };
            let answer = ports.forge.open_pull(&key.repo, &new);
            if is_exists(&answer) {
                return Performed::Unknown { why: "the forge says that it exists".to_owned() };
            }
            let head = Some(head.clone());
            known(leased, answer, |pull| run(RunSettled::PullOpened { number: pull.number, head }))
        }
        IssueAct::Merge { pull, head, base, method, onto } => {
            match guard_merge(&key.repo, *pull, head, base.as_ref(), ports) {
                Ok(None) => {}
                Ok(Some(called_off)) => return Performed::declined(called_off),
                Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
            }
            match moved_on(&key.repo, head, (base.as_ref(), onto.as_ref()), ports) {
                Ok(None) => {}
                Ok(Some(head)) => return happened(leased, run(RunSettled::BaseMoved { head })),
                Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
            }
            let answer = ports.forge.merge(&key.repo, *pull, head, *method);
            let number = *pull;
            known(leased, answer, |commit| run(RunSettled::Merged { number, commit }))
        }
        IssueAct::RerunCheck(what) => {
            let answer = ports.forge.rerun(&key.repo, what.of);
            known(leased, answer, |()| run(RunSettled::CheckRerun(what.clone())))
        }
        IssueAct::UpdateBranch { pull, head } => {
            let answer = ports.forge.update_branch(&key.repo, *pull, head);
            known(leased, answer, |()| run(RunSettled::BranchUpdated))
        }
    }
}

/// Returns the head that the branch has moved to, if the pull request was not tested with it. An older head than the
/// tested one is ignored, because reads lag. A change from a trial build does not contain the tested base itself.
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

/// Checks a pull request right before the merge: the forge compares the head, but not the base.
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
