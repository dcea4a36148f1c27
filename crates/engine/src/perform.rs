//! Carrying out one effect, outside any transaction. At most one change; when an earlier try may have left
//! something, the look-up comes first. Nothing here chooses.

use crate::engine::Claimed;
use crate::ports::{Answer, LabelDefinition, NewPull, Ports, Read, RefusalKind, Start};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct, MachineAct, RepoAct};
use ralph_core::fact::{Fact, RepoSettled, RunSettled, Settled, What};
use ralph_core::ids::{Branch, IssueKey, PullNumber, RepoName, Sha};
use ralph_core::issue::Slot;
use ralph_core::job::Job;
use ralph_core::label::DEFINITIONS;
use ralph_core::pull::PullState;
use ralph_core::recipe::Step;
use ralph_core::removal::Removal;
use ralph_core::time::{Span, Time};
use ralph_core::{hidden_marker, words};

/// Comments are looked for from a little before the first try on, against clocks that differ.
const LOOK_BACK: Span = Span::from_mins(60 * 24 * 30);

/// What is known after performing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Performed {
    Happened(Vec<Fact>),
    Refused(String),
    /// Looked up only, and it never took place.
    Absent,
    Later {
        until: Option<Time>,
        why: String,
    },
    Unknown {
        why: String,
    },
}

/// Performs a claimed effect.
pub fn perform(claimed: &Claimed, now: Time, ports: &mut Ports<'_>) -> Performed {
    if now >= claimed.valid_until {
        return Performed::Later {
            until: None,
            why: "the lease ran out before sending".to_owned(),
        };
    }
    let found = if claimed.looks_first || claimed.only_looks {
        match look(claimed, now, ports) {
            Ok(found) => found,
            Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
        }
    } else {
        None
    };
    match found {
        Some(what) => happened(claimed, what),
        None if claimed.only_looks => Performed::Absent,
        None => act(claimed, ports),
    }
}

fn happened(claimed: &Claimed, what: What) -> Performed {
    Performed::Happened(vec![Fact { subject: claimed.effect.subject(), what }])
}

fn settled(settled: Settled) -> What {
    What::Settled(settled)
}

fn run(settled: RunSettled) -> What {
    What::Settled(Settled::Run(settled))
}

fn repo(settled: RepoSettled) -> What {
    What::Settled(Settled::Repo(settled))
}

/// Did an earlier try take place? `None` for no, and for changes that are harmless to ask for twice.
fn look(claimed: &Claimed, now: Time, ports: &mut Ports<'_>) -> Read<Option<What>> {
    match &claimed.effect {
        Effect::Issue(key, act) if claimed.only_looks => look_back_on_issue(key, act, now, ports),
        Effect::Issue(key, act) => look_on_issue(key, act, now, ports),
        // The bot branch has many; the marker tells which batch one was opened for.
        Effect::Repo(name, RepoAct::OpenRollup { head, body, .. }) => {
            let wanted = hidden_marker::find(body);
            let all = ports.forge.pulls_from(name, head)?;
            let found = all.into_iter().find(|pull| hidden_marker::find(&pull.body) == wanted);
            Ok(found.map(|pull| {
                let (number, head, body) = (pull.number, pull.head, Digest::of(&pull.body));
                repo(RepoSettled::RollupOpened { number, head, body })
            }))
        }
        Effect::Machine(key, MachineAct::Push { branch, commit, .. }) => {
            let there = ports.workspaces.remote_head(&key.repo, branch)?;
            let is_there = there.as_ref() == Some(commit);
            Ok(is_there.then(|| run(RunSettled::Pushed { commit: commit.clone() })))
        }
        Effect::Repo(
            _,
            RepoAct::DefineLabel { .. } | RepoAct::MakeBranch { .. } | RepoAct::EditRollup { .. },
        )
        | Effect::Machine(
            _,
            MachineAct::Start { .. } | MachineAct::End { .. } | MachineAct::RemoveWorkspace { .. },
        ) => Ok(None),
    }
}

fn look_on_issue(
    key: &IssueKey,
    act: &IssueAct,
    now: Time,
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    match act {
        IssueAct::CreateComment { slot, .. } => look_for_comment(key, slot, now, ports),
        // A task's branch has one pull request for ever, whatever people did to it since.
        IssueAct::OpenPull { head, .. } => {
            let found = ports.forge.pulls_from(&key.repo, head)?.into_iter().next();
            Ok(found.map(|pull| run(RunSettled::PullOpened { number: pull.number })))
        }
        IssueAct::Merge { pull, .. } => {
            let found = ports.forge.pull(&key.repo, *pull)?;
            Ok(found.and_then(|pull| match pull.state {
                PullState::Merged { commit } => {
                    Some(run(RunSettled::Merged { number: pull.number, commit }))
                }
                PullState::Open | PullState::Closed => None,
            }))
        }
        IssueAct::AddLabel { .. }
        | IssueAct::RemoveLabel { .. }
        | IssueAct::EditComment { .. }
        | IssueAct::CloseIssue => Ok(None),
    }
}

/// Nobody wants it any more. Then what is harmless to do twice has to be known of too, or nobody would take
/// it back.
fn look_back_on_issue(
    key: &IssueKey,
    act: &IssueAct,
    now: Time,
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let mut shows = |label: &str| {
        let issue = ports.forge.issue(key)?;
        let mut labels = issue.iter().flat_map(|issue| &issue.labels);
        Ok(labels.any(|shown| shown.eq_ignore_ascii_case(label)))
    };
    match act {
        IssueAct::AddLabel { label } => {
            Ok(shows(label)?.then(|| settled(Settled::LabelAdded(label.clone()))))
        }
        IssueAct::RemoveLabel { label } => {
            Ok((!shows(label)?).then(|| settled(Settled::LabelRemoved(label.clone()))))
        }
        IssueAct::EditComment { slot, .. } => look_for_comment(key, slot, now, ports),
        IssueAct::CreateComment { .. }
        | IssueAct::OpenPull { .. }
        | IssueAct::Merge { .. }
        | IssueAct::CloseIssue => look_on_issue(key, act, now, ports),
    }
}

fn look_for_comment(
    key: &IssueKey,
    slot: &Slot,
    now: Time,
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let marker = words::marker(key, slot);
    let comments = ports.forge.comments_since(key, now.minus(LOOK_BACK))?;
    let ours = comments
        .into_iter()
        .find(|comment| hidden_marker::find(&comment.body).is_some_and(|found| found == marker));
    Ok(ours.map(|comment| {
        let body = Digest::of(&comment.body);
        settled(Settled::CommentPosted { slot: slot.clone(), id: comment.id, body })
    }))
}

/// Turns an answer of the forge into what is known.
fn known<T>(claimed: &Claimed, answer: Answer<T>, what: impl FnOnce(T) -> What) -> Performed {
    match answer {
        Answer::Happened(value) => happened(claimed, what(value)),
        Answer::Refused(refusal) => Performed::Refused(refusal.message),
        Answer::Later { until, why } => Performed::Later { until, why },
        Answer::Unknown { why } => Performed::Unknown { why },
    }
}

/// What was to be gone and is not there, or was to be made and is there, counts as done.
fn forgiving(answer: Answer<()>, kind: RefusalKind) -> Answer<()> {
    match answer {
        Answer::Refused(refusal) if refusal.kind == kind => Answer::Happened(()),
        Answer::Happened(())
        | Answer::Refused(_)
        | Answer::Later { .. }
        | Answer::Unknown { .. } => answer,
    }
}

fn act(claimed: &Claimed, ports: &mut Ports<'_>) -> Performed {
    match &claimed.effect {
        Effect::Issue(key, act) => act_on_issue(claimed, key, act, ports),
        Effect::Repo(name, act) => act_on_repo(claimed, name, act, ports),
        Effect::Machine(key, act) => act_on_machine(claimed, key, act, ports),
    }
}

fn act_on_issue(
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
        IssueAct::OpenPull { head, base, title, body } => {
            let new = NewPull { head, base, title, body };
            let answer = ports.forge.open_pull(&key.repo, &new);
            if is_exists(&answer) {
                return Performed::Unknown { why: "the forge says that it exists".to_owned() };
            }
            known(claimed, answer, |pull| run(RunSettled::PullOpened { number: pull.number }))
        }
        IssueAct::Merge { pull, head, base, method } => {
            match guard_merge(key, *pull, head, base.as_ref(), ports) {
                Ok(None) => {}
                Ok(Some(called_off)) => return Performed::Refused(called_off),
                Err(unread) => return Performed::Later { until: unread.until, why: unread.why },
            }
            let answer = ports.forge.merge(&key.repo, *pull, head, *method);
            let number = *pull;
            known(claimed, answer, |commit| run(RunSettled::Merged { number, commit }))
        }
    }
}

/// The last look before a merge: the forge itself compares the head, but not what it is merged into.
fn guard_merge(
    key: &IssueKey,
    number: PullNumber,
    head: &Sha,
    base: Option<&Branch>,
    ports: &mut Ports<'_>,
) -> Read<Option<String>> {
    let Some(found) = ports.forge.pull(&key.repo, number)? else { return Ok(None) };
    let wanted_base = base.filter(|base| **base != found.base);
    Ok(if let Some(base) = wanted_base {
        Some(words::changed_before_merge("base", found.base.as_str(), base.as_str()))
    } else if found.head != *head {
        Some(words::changed_before_merge("head", found.head.short(), head.short()))
    } else {
        None
    })
}

/// Effects on this machine: worktrees and processes.
fn act_on_machine(
    claimed: &Claimed,
    key: &IssueKey,
    act: &MachineAct,
    ports: &mut Ports<'_>,
) -> Performed {
    match act {
        MachineAct::Push { workspace, branch, commit } => {
            let answer = ports.workspaces.push(key, workspace, branch, commit);
            let commit = commit.clone();
            known(claimed, answer, |()| run(RunSettled::Pushed { commit }))
        }
        MachineAct::RemoveWorkspace { path, proof } => {
            let answer = ports.workspaces.remove(path, proof);
            known(claimed, answer, |rescued| match proof {
                Removal::Done(_) => run(RunSettled::WorkspaceRemoved),
                Removal::GivenUp(_) => {
                    run(RunSettled::WorktreeGivenUp { path: path.clone(), rescued })
                }
            })
        }
        MachineAct::Start { attempt, job } => {
            let (token, prompt) = (claimed.token, claimed.prompt.as_str());
            let attempt = *attempt;
            let start = Start { issue: key, attempt, token, job, prompt };
            let answer = match job {
                Job::Workspace { .. } => ports.workspaces.prepare(&start),
                Job::Setup { .. } | Job::Preflight { .. } => ports.gates.start(&start),
                Job::Turn(_) => ports.agents.start(&start),
            };
            known(claimed, answer, |()| settled(Settled::Started { attempt }))
        }
        MachineAct::End { attempt, step } => {
            let answer = match step {
                Step::Workspace => ports.workspaces.end(key, *attempt),
                Step::Setup | Step::Preflight => ports.gates.end(key, *attempt),
                Step::Plan
                | Step::PlanReview
                | Step::Implement
                | Step::ProductReview
                | Step::DevexReview
                | Step::Publish
                | Step::Checks
                | Step::Merge => ports.agents.end(key, *attempt),
            };
            known(claimed, answer, |()| settled(Settled::Ended { attempt: *attempt }))
        }
    }
}

fn is_exists<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Answer::Refused(refusal) if refusal.kind == RefusalKind::Exists)
}

fn act_on_repo(
    claimed: &Claimed,
    name: &RepoName,
    act: &RepoAct,
    ports: &mut Ports<'_>,
) -> Performed {
    match act {
        RepoAct::DefineLabel { name: label, is_new } => {
            let Some(definition) = definition_of(label) else {
                return Performed::Refused(format!("{label} is not a label of Ralph's"));
            };
            let answer = if *is_new {
                ports.forge.create_label(name, &definition)
            } else {
                ports.forge.edit_label(name, &definition)
            };
            let label = label.clone();
            known(claimed, answer, |()| repo(RepoSettled::LabelDefined { name: label }))
        }
        RepoAct::MakeBranch { branch, at } => {
            let answer = ports.forge.create_branch(name, branch, at);
            let answer = forgiving(answer, RefusalKind::Exists);
            known(claimed, answer, |()| repo(RepoSettled::BranchMade { head: at.clone() }))
        }
        RepoAct::OpenRollup { head, base, title, body, .. } => {
            let new = NewPull { head, base, title, body };
            let answer = ports.forge.open_pull(name, &new);
            if is_exists(&answer) {
                return Performed::Unknown { why: "the forge says that it exists".to_owned() };
            }
            let body = Digest::of(body);
            known(claimed, answer, |pull| {
                repo(RepoSettled::RollupOpened { number: pull.number, head: pull.head, body })
            })
        }
        RepoAct::EditRollup { pull, body } => {
            let answer = ports.forge.edit_pull(name, *pull, body);
            let body = Digest::of(body);
            known(claimed, answer, |()| repo(RepoSettled::RollupEdited { body }))
        }
    }
}

fn definition_of(name: &str) -> Option<LabelDefinition> {
    let found = DEFINITIONS.iter().find(|definition| definition.name == name)?;
    Some(LabelDefinition {
        name: found.name.to_owned(),
        color: found.color.to_owned(),
        description: found.description.to_owned(),
    })
}
