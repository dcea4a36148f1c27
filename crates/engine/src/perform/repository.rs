//! Effects on a repository: its labels, its branches and the pull requests between them.

use super::issue::guard_merge;
use super::{Performed, follow_up, forgiving, is_exists, known, repo, trial};
use crate::engine::Leased;
use crate::ports::{LabelDefinition, NewPull, Ports, Read, RefusalKind};
use ralph_core::digest::Digest;
use ralph_core::effect::RepoAct;
use ralph_core::fact::RepoSettled;
use ralph_core::ids::{Branch, IssueKey, PullNumber, RepoName, Sha};
use ralph_core::label::DEFINITIONS;
use ralph_core::policy::MergeMethod;
use ralph_core::words;

pub(super) fn act(
    leased: &Leased,
    name: &RepoName,
    act: &RepoAct,
    ports: &mut Ports<'_>,
) -> Performed {
    match act {
        RepoAct::DefineLabel { name: label, is_new } => {
            define_label(leased, name, (label, *is_new), ports)
        }
        RepoAct::MakeBranch { branch, at } => {
            let answer = ports.forge.create_branch(name, branch, at);
            let answer = forgiving(answer, RefusalKind::Exists);
            let (head, branch) = (at.clone(), Some(branch.clone()));
            known(leased, answer, |()| repo(RepoSettled::BranchMade { head, branch }))
        }
        RepoAct::RequireChecks { branch, checks } => {
            let checks: Vec<&str> = checks.iter().map(String::as_str).collect();
            let answer = ports.forge.require_checks(name, branch, &checks);
            let branch = branch.clone();
            known(leased, answer, |()| repo(RepoSettled::ChecksRequired { branch }))
        }
        RepoAct::OpenRollup { head, base, title, body, .. } => {
            open_rollup(leased, name, &NewPull { head, base, title, body }, ports)
        }
        RepoAct::EditRollup { pull, body, section_of } => {
            edit_rollup(leased, name, (*pull, body), section_of.as_ref(), ports)
        }
        RepoAct::OpenSync { of, head, base, title, body } => {
            open_sync(leased, name, of, &NewPull { head, base, title, body }, ports)
        }
        RepoAct::MergeSync { pull, head, base } => {
            merge_sync(leased, name, (*pull, head, base), ports)
        }
        RepoAct::DeleteBranch { branch } => {
            let answer = ports.forge.delete_branch(name, branch);
            let answer = forgiving(answer, RefusalKind::Missing);
            let branch = branch.clone();
            known(leased, answer, |()| repo(RepoSettled::BranchDeleted { branch }))
        }
        RepoAct::BuildTrial { number, base, entries } => {
            trial::build(leased, name, (*number, base, entries), ports)
        }
        RepoAct::PushTrial { number, commit } => {
            trial::push(leased, name, (*number, commit), ports)
        }
        RepoAct::OpenTrial { number, head, base, title, body, .. } => {
            let new = NewPull { head, base, title, body };
            trial::open(leased, name, (*number, &new), ports)
        }
        RepoAct::CloseTrial { pull } => {
            let answer = ports.forge.close_pull(name, *pull);
            let answer = forgiving(answer, RefusalKind::Missing);
            let pull = *pull;
            known(leased, answer, |()| repo(RepoSettled::TrialClosed { pull }))
        }
        RepoAct::OpenFollowUp { id, seen, title, body } => {
            follow_up::open(leased, name, (id, *seen), (title, body), ports)
        }
        RepoAct::EditFollowUp { id, issue, seen, body } => {
            let key = IssueKey::new(name.clone(), *issue);
            follow_up::edit(leased, &key, (id, *seen), body, ports)
        }
        RepoAct::WriteMark { .. } => Performed::declined("a mark is written elsewhere".to_owned()),
        RepoAct::TellOfSync { pull, body } => {
            let answer = ports.forge.create_comment(&thread_of(name, *pull), body);
            let number = *pull;
            known(leased, answer, |_| repo(RepoSettled::SyncTold { number }))
        }
    }
}

fn open_sync(
    leased: &Leased,
    name: &RepoName,
    of: &Sha,
    new: &NewPull<'_>,
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.forge.open_pull(name, new);
    if is_exists(&answer) {
        return Performed::Unknown { why: "the forge says that it exists".to_owned() };
    }
    let (of, base) = (of.clone(), new.base.clone());
    known(leased, answer, |pull| repo(RepoSettled::SyncOpened { number: pull.number, of, base }))
}

fn define_label(
    leased: &Leased,
    name: &RepoName,
    (label, is_new): (&str, bool),
    ports: &mut Ports<'_>,
) -> Performed {
    let Some(definition) = definition_of(label) else {
        return Performed::declined(format!("{label} is not a label of Ralph's"));
    };
    let answer = if is_new {
        ports.forge.create_label(name, &definition)
    } else {
        ports.forge.edit_label(name, &definition)
    };
    let name = label.to_owned();
    known(leased, answer, |()| repo(RepoSettled::LabelDefined { name }))
}

fn merge_sync(
    leased: &Leased,
    name: &RepoName,
    (number, head, base): (PullNumber, &Sha, &Branch),
    ports: &mut Ports<'_>,
) -> Performed {
    match guard_merge(name, number, head, Some(base), ports) {
        Ok(None) => {}
        Ok(Some(called_off)) => return Performed::declined(called_off),
        Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
    }
    let answer = ports.forge.merge(name, number, head, MergeMethod::Merge);
    known(leased, answer, |commit| repo(RepoSettled::SyncMerged { number, commit }))
}

fn open_rollup(
    leased: &Leased,
    name: &RepoName,
    new: &NewPull<'_>,
    ports: &mut Ports<'_>,
) -> Performed {
    let answer = ports.forge.open_pull(name, new);
    if is_exists(&answer) {
        return exists(leased, || words::foreign_rollup(new.head, new.base));
    }
    let body = Digest::of(new.body);
    known(leased, answer, |pull| {
        repo(RepoSettled::RollupOpened { number: pull.number, head: pull.head, body })
    })
}

/// Edits a rollup. In a person's pull request only our section changes.
fn edit_rollup(
    leased: &Leased,
    name: &RepoName,
    (pull, body): (PullNumber, &str),
    section_of: Option<&Branch>,
    ports: &mut Ports<'_>,
) -> Performed {
    let text = match section_of {
        None => Ok(Some(body.to_owned())),
        Some(head) => text_with_section(name, pull, (head, body), ports),
    };
    let answer = match text {
        Ok(Some(text)) => ports.forge.edit_pull(name, pull, &text),
        Ok(None) => {
            return Performed::declined(format!("{pull} is no longer from the bot branch"));
        }
        Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
    };
    let body = Digest::of(body);
    known(leased, answer, |()| repo(RepoSettled::RollupEdited { body }))
}

/// The forge says that it already exists: look for it, then ask the forge again. If it repeats its answer, the existing
/// one is something else.
fn exists(leased: &Leased, why_not: impl FnOnce() -> String) -> Performed {
    if leased.looks_first {
        return Performed::declined(why_not());
    }
    Performed::Unknown { why: "the forge says that it exists".to_owned() }
}

/// The current text of a person's pull request with our section in it. `None` if the branch has no such pull request.
fn text_with_section(
    name: &RepoName,
    pull: PullNumber,
    (head, section): (&Branch, &str),
    ports: &mut Ports<'_>,
) -> Read<Option<String>> {
    let all = ports.forge.pulls_from(name, head)?;
    let found = all.into_iter().find(|found| found.number == pull);
    Ok(found.map(|found| words::with_rollup_section(&found.body, section)))
}

/// The comments of a pull request are those of the issue with its number.
pub(super) fn thread_of(name: &RepoName, pull: PullNumber) -> IssueKey {
    IssueKey::new(name.clone(), pull.0)
}

fn definition_of(name: &str) -> Option<LabelDefinition> {
    let found = DEFINITIONS.iter().find(|definition| definition.name == name)?;
    Some(LabelDefinition {
        name: found.name.to_owned(),
        color: found.color.to_owned(),
        description: found.description.to_owned(),
    })
}
