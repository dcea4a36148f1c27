//! Facts of the journal as lines of an issue's story; `None` for facts that are not worth a line.

use super::escalation::summary;
use super::stall;
use crate::fact::{Fact, Move, Observation, Outcome, RunMove, RunSettled, Settled, What};
use crate::gate::GateStatus;
use crate::issue::{DoneEvidence, PendingCommand};
use std::collections::BTreeSet;

const EXCUSED: &str =
    "the agents' program fails on every issue: that does not count against this one";
const MEETS_BASE: &str = "conflicts with its base: the worktree merges that to see where";

#[must_use]
pub fn line(fact: &Fact) -> Option<String> {
    match &fact.what {
        What::Seen(observation) => seen(observation),
        What::RepoSeen(_) => None,
        What::Finished { attempt, outcome } => {
            Some(format!("attempt {attempt}: {}", ended(outcome)))
        }
        // The end of the turn has a line.
        What::Used { .. } => None,
        What::Suspected { attempt, suspicion } => Some(match suspicion {
            Some(suspicion) => format!("attempt {attempt}: {}", stall::suspected(suspicion)),
            None => format!("attempt {attempt} gets on again"),
        }),
        What::Interrupted { attempt } => Some(format!("attempt {attempt} was interrupted")),
        What::Settled(settled) => self::settled(settled),
        What::Moved(step) => Some(moved(step)),
    }
}

fn seen(observation: &Observation) -> Option<String> {
    match observation {
        Observation::Issue(seen) | Observation::IssueInPart { seen, .. } if !seen.open => {
            Some("the issue is closed".to_owned())
        }
        Observation::Unread { of, why } => Some(super::unread::could_not(*of, why)),
        Observation::Gone => Some("the issue is gone".to_owned()),
        Observation::Commands { commands, .. } => {
            let mut lines = commands.values().map(asks);
            let first = lines.next()?;
            Some(lines.fold(first, |all, next| format!("{all}; {next}")))
        }
        Observation::Command { command, .. } => Some(asks(command)),
        Observation::EventsUnavailable => {
            Some("who applied its labels, and when, cannot be read".to_owned())
        }
        Observation::RedCheck { triage, .. } => Some(super::checks::blamed(triage)),
        Observation::Notes { notes, .. } => {
            let authors: BTreeSet<_> = notes.iter().map(|note| note.author.to_string()).collect();
            (!authors.is_empty())
                .then(|| format!("answered by {}", Vec::from_iter(authors).join(", ")))
        }
        Observation::Message(message) => {
            Some(format!("message {} from {}", message.id, message.from))
        }
        Observation::Proof { found } => {
            Some(format!("what shows that nothing is left was read: {}", found.join(", ")))
        }
        Observation::Issue(_)
        | Observation::IssueInPart { .. }
        | Observation::Native(_)
        | Observation::Looked { .. }
        | Observation::CommentsRead { .. }
        | Observation::Pull(_)
        | Observation::Checks(_)
        | Observation::Found(_)
        | Observation::Recalled(_)
        | Observation::Reach { .. } => None,
    }
}

fn asks(command: &PendingCommand) -> String {
    let PendingCommand { command, actor, manner, .. } = command;
    format!("{} asks: {}", super::actor(actor.as_ref()), manner.of(*command))
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::WorkspaceReady { base, .. } => format!("worktree ready at {}", base.short()),
        Outcome::WorkspaceConflict { files, .. } => {
            format!("{} files conflict with the base", files.len())
        }
        Outcome::CommandsPassed { command, .. } if command.is_empty() => {
            "no command had to be run".to_owned()
        }
        Outcome::CommandsPassed { .. } => "commands passed".to_owned(),
        Outcome::CommandsFailed { command, .. } => format!("`{command}` failed"),
        Outcome::Turn { answer, .. } => match answer {
            crate::fact::Answer::Plan { .. } => "plan written".to_owned(),
            crate::fact::Answer::Verdict { pass: true, .. } => "reviewer says pass".to_owned(),
            crate::fact::Answer::Verdict { pass: false, reason, .. } => {
                format!("reviewer says fail: {reason}")
            }
            crate::fact::Answer::NoVerdict { why, .. } => format!("no valid verdict: {why}"),
            crate::fact::Answer::Changed(head) => format!("new head {}", head.commit.short()),
            crate::fact::Answer::Unchanged => "nothing was changed".to_owned(),
            crate::fact::Answer::Parent(verdict) if verdict.work_remains => {
                format!("work remains: {}", verdict.reason)
            }
            crate::fact::Answer::Parent(verdict) => {
                format!("nothing is left: {}", verdict.reason)
            }
            crate::fact::Answer::Survey(proposals) => {
                format!("surveyed, small fixes proposed: {}", proposals.len())
            }
            crate::fact::Answer::Unresolved { files } => {
                format!("{} files conflict still", files.len())
            }
        },
        Outcome::TimedOut { limit } => format!("ended after its limit of {limit}"),
        Outcome::Stalled { seen, .. } => format!("stalled, {}", stall::seen(seen)),
        Outcome::WorkspaceLost { reason } => {
            format!("the workspace is made again: {reason}")
        }
        Outcome::Failed { reason } => format!("failed: {reason}"),
        Outcome::AgentFailed { reason, .. } => format!("the agent's program failed: {reason}"),
    }
}

fn settled(settled: &Settled) -> Option<String> {
    Some(match settled {
        Settled::LabelAdded(label) => format!("label {label} added"),
        Settled::LabelRemoved(label) => format!("label {label} removed"),
        Settled::LabelRefused { label, reason } => format!("label {label} refused: {reason}"),
        Settled::CommentPosted { slot, id, .. } => {
            format!("comment {} written as {id}", String::from(slot.clone()))
        }
        Settled::CommentGone { slot } => {
            format!("comment {} was deleted", String::from(slot.clone()))
        }
        Settled::CommentRefused { reason, .. } => format!("comment refused: {reason}"),
        Settled::IssueClosed => "issue closed".to_owned(),
        Settled::CloseRefused { reason } => format!("closing refused: {reason}"),
        Settled::Started { attempt } => format!("attempt {attempt} is running"),
        Settled::Ended { attempt } => format!("attempt {attempt} was ended"),
        Settled::MessageGiven { attempt, message } => {
            format!("message {message} given to attempt {attempt} while it works")
        }
        Settled::MessageRefused { attempt, message, reason } => {
            format!("message {message} waits for the turn after attempt {attempt}: {reason}")
        }
        Settled::LabelSent { .. }
        | Settled::LabelUnsent { .. }
        | Settled::NeverHappened { .. }
        | Settled::Repo(_) => return None,
        Settled::Run(run) => match run {
            RunSettled::Pushed { commit } => format!("pushed {}", commit.short()),
            RunSettled::PushRefused { reason } => format!("push refused: {reason}"),
            RunSettled::PullOpened { number, .. } => format!("pull request {number} opened"),
            RunSettled::PullRefused { reason } => format!("pull request refused: {reason}"),
            RunSettled::Merged { number, commit } => {
                format!("{number} merged as {}", commit.short())
            }
            RunSettled::MergeRefused { reason } => format!("merge refused: {reason}"),
            RunSettled::BaseMoved { head } => {
                format!("merge called off: the bot branch is at {} by now", head.short())
            }
            RunSettled::CheckRerun(what) => format!("`{}` is run again", what.check),
            RunSettled::RerunRefused { what, reason } => {
                format!("running `{}` again was refused: {reason}", what.check)
            }
            RunSettled::BranchUpdated => "the forge merges the base into the branch".to_owned(),
            RunSettled::UpdateRefused { reason } => format!("update refused: {reason}"),
            RunSettled::WorkspaceRemoved => "worktree removed".to_owned(),
            RunSettled::WorktreeGivenUp { path, rescued: None } => {
                format!("worktree {} removed, nothing in it had to be saved", path.as_str())
            }
            RunSettled::WorktreeGivenUp { path, rescued: Some(rescue) } => {
                format!("worktree {} removed, what was in it is saved as {rescue}", path.as_str())
            }
            RunSettled::WorkspaceKept { reason, .. } => format!("worktree kept: {reason}"),
        },
    })
}

fn moved(step: &Move) -> String {
    match step {
        Move::Adopted { status } => format!("taken over as {status}"),
        Move::AutoQueued => "queued by itself: every open issue is to be worked on".to_owned(),
        Move::PapercutQueued => "queued by itself: a survey proposed it as a small fix".to_owned(),
        Move::Commanded { refused: None, .. } => "command obeyed".to_owned(),
        Move::Commanded { refused: Some(why), .. } => format!("command refused: {why}"),
        Move::Forgotten => "there is nothing to keep of it".to_owned(),
        Move::SyncConflicted { .. } => {
            "it conflicts with the bot branch: taken up to resolve that".to_owned()
        }
        Move::SyncResolved { head: Some(_) } => {
            "its branch has the bot branch in it: given back to its repository, which merges it"
                .to_owned()
        }
        Move::SyncResolved { head: None } => {
            "there is nothing left to resolve: given back to its repository".to_owned()
        }
        Move::Rehomed { .. } => "Ralph's home was moved, its worktrees with it".to_owned(),
        Move::TakenOut => "taken out of the queue by a person".to_owned(),
        Move::Stopped { .. } => "stopped".to_owned(),
        Move::Blocked { on: None } => "nothing blocks it now".to_owned(),
        Move::Blocked { on: Some(blocked) } => {
            super::standing(&crate::standing::Standing::Blocked {
                source: blocked.source,
                by: blocked.by.clone(),
            })
        }
        Move::Claimed { .. } => "claimed".to_owned(),
        Move::Resumed => "resumed".to_owned(),
        Move::AnswersUnread => "goes on: comments cannot be read".to_owned(),
        Move::Parked { at } => format!("parked at {at}: a blocker appeared"),
        Move::Reached { step } => format!("next step: {step}"),
        Move::Started { attempt, step, .. } => format!("attempt {attempt} of this issue: {step}"),
        Move::Ending { .. } => "its process is to be ended".to_owned(),
        Move::LaneEntered(entry) => super::lane::entered(entry),
        Move::Run(step) => run_moved(step),
        Move::Trial(step) => super::trial::moved(step),
        Move::Mark(step) => super::mark::moved(step),
        Move::Escalated { cause } => format!("escalated: {}", summary(cause)),
        Move::MergedToBot { pull, .. } => format!("{pull} is in the bot branch"),
        Move::Rebatched { batch } => format!("joins batch {}", batch + 1),
        Move::Done { evidence } => match evidence {
            DoneEvidence::Reachable { merged, default_head } => {
                format!("done: {} is part of {}", merged.short(), default_head.short())
            }
            DoneEvidence::HeadReachable { head, default_head, .. } => {
                format!("done: {} is part of {}", head.short(), default_head.short())
            }
            DoneEvidence::RolledUp { rollup, .. } => format!("done: part of rollup {rollup}"),
            DoneEvidence::Verified { comment } => {
                format!("done: nothing is left, as comment {comment} says")
            }
        },
    }
}

fn run_moved(step: &RunMove) -> String {
    match step {
        RunMove::Judged { gate, record } => {
            format!("gate {gate}: {}", word(record.status))
        }
        RunMove::Replan { reason, .. } => format!("back to planning: {reason}"),
        RunMove::ProofMissing => {
            "what is to show that nothing is left is not among the sub-issues', or cannot be read"
                .to_owned()
        }
        RunMove::ParentSeeded { .. } => {
            "it is unclear whether anything is left: it is worked on".to_owned()
        }
        RunMove::Reimplement { reason } => format!("back to implementation: {reason}"),
        RunMove::BringUpToDate { from, .. } => {
            format!("{} is behind: the base is to be merged into it", from.short())
        }
        RunMove::MeetBase => MEETS_BASE.to_owned(),
        RunMove::ReplacePull { number } => {
            format!("{number} is closed: the branch gets another pull request")
        }
        RunMove::LookPassedOver => "goes on: the forge did not show the issue in time".to_owned(),
        RunMove::SurveyPassedOver => "no survey: no worker was free in time".to_owned(),
        RunMove::TakeBranch => "takes the new head of its branch".to_owned(),
        RunMove::Steered => "back to its agent: a message waits for it".to_owned(),
        RunMove::Excused => EXCUSED.to_owned(),
        RunMove::TestAgain { .. } => "tested again: the bot branch has moved on".to_owned(),
        RunMove::ChecksLate { checks, .. } => {
            format!("checks did not report in time: {}", super::listed(checks, ", "))
        }
    }
}

const fn word(status: GateStatus) -> &'static str {
    match status {
        GateStatus::Pending => "pending",
        GateStatus::Pass => "pass",
        GateStatus::Fail => "fail",
        GateStatus::Skipped => "skipped",
    }
}
