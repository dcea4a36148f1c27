//! The output of a turn's program and its end, and what they amount to. An agent's words are evidence to be parsed.

use super::protocol::{End, Failure};
use super::result_file::TurnResult;
use crate::jobs;
use crate::transcript::Secrets;
use ralph_contain::{Capture, Ending};
use ralph_core::answer::{self, ReadReview};
use ralph_core::digest::Digest;
use ralph_core::excerpt::Excerpt;
use ralph_core::fact::{Answer, Outcome};
use ralph_core::job::{Asked, Turn};
use ralph_core::run::Head;
use ralph_core::stall::Stall;
use ralph_core::turn_end::EndClass;
use ralph_core::verdict::VerdictKind;

/// The part of the program's words that the reason of a failure repeats.
const LAST_LINES_BYTES: usize = 1_500;

/// The output of the agent, and the way in which it ended.
pub(super) struct Said {
    pub(super) ending: Ending,
    /// For a turn that was halted.
    pub(super) stall: Option<Stall>,
    pub(super) response: Capture,
    pub(super) log: Capture,
    pub(super) result: TurnResult,
    pub(super) secrets: Secrets,
    /// The end in the words of a program whose kind is known.
    pub(super) end: End,
    pub(super) is_plain: bool,
    /// The hosts that the sandbox refused, in words; empty without any.
    pub(super) refused_hosts: String,
}

impl Said {
    /// True if there is no answer. The exit status of a program whose kind is known says less than its words.
    pub(super) fn has_failed(&self) -> bool {
        match self.ending {
            Ending::TimedOut | Ending::Halted | Ending::OverLimit(_) | Ending::Ended => true,
            Ending::Exited(code) if self.is_plain => code != 0,
            Ending::Signalled(_) if self.is_plain => true,
            Ending::Exited(_) | Ending::Signalled(_) => self.end.failure.is_some(),
        }
    }

    pub(super) fn text(&self) -> String {
        self.secrets.hide(&self.response.text()).into_owned()
    }

    /// The reason of a turn without a result, with the last lines of the agent.
    pub(super) fn failed(&self, turn: &Turn) -> jobs::Ending {
        let seen = match self.ending {
            Ending::Halted => self.stall.clone(),
            Ending::TimedOut => Some(Stall::Overtime { limit: turn.timeout }),
            Ending::OverLimit(_) => return self.failed_program(&self.ending.to_string()),
            Ending::Exited(_) | Ending::Signalled(_) | Ending::Ended => None,
        };
        let Some(seen) = seen else {
            return match &self.end.failure {
                Some(Failure::Class(class, says)) => self.failed_as(*class, says),
                Some(Failure::SessionGone) => {
                    self.failed_program("the program does not know its own session")
                }
                None => self.failed_program(&self.ending.to_string()),
            };
        };
        let session = self.result.session.clone();
        (Outcome::Stalled { seen, last: self.last_lines().into(), session }, Vec::new())
    }

    pub(super) fn failed_program(&self, how: &str) -> jobs::Ending {
        let reason = format!("{how}\n{}{}", self.last_lines(), self.refused_hosts);
        let reason = reason.trim_end().to_owned();
        (Outcome::AgentFailed { reason, class: EndClass::Crashed }, Vec::new())
    }

    fn failed_as(&self, class: EndClass, says: &str) -> jobs::Ending {
        let says = self.secrets.hide(says);
        let says: String = Excerpt::of(says.trim(), LAST_LINES_BYTES).into();
        let reason = format!("{says}{}", self.refused_hosts);
        (Outcome::AgentFailed { reason, class }, Vec::new())
    }

    /// A turn that came to nothing because tools were refused, which no exit status shows.
    pub(super) fn refused(&self) -> jobs::Ending {
        let tools = self.end.refused.join(", ");
        let says = format!("tools were refused: {tools}\n{}", self.last_lines());
        self.failed_as(EndClass::PermissionRefused, &says)
    }

    fn last_lines(&self) -> Excerpt {
        let log = self.log.text();
        let last = if log.trim().is_empty() { self.response.text() } else { log };
        Excerpt::tail(self.secrets.hide(last.trim()).as_ref(), LAST_LINES_BYTES)
    }

    /// The response as the turn was asked for it.
    pub(super) fn read(&self, asks: Asked) -> jobs::Ending {
        match asks {
            Asked::Plan => self.plan(),
            Asked::Verdict(gate) => self.review(VerdictKind::of(gate)),
            Asked::ParentVerify => self.uncut(answer::parent),
            Asked::Survey => self.uncut(answer::survey),
            // Git's word counts, and there is no worktree here to ask it about.
            Asked::Change => self.answered(Answer::Unchanged),
        }
    }

    fn plan(&self) -> jobs::Ending {
        match answer::plan(&self.text()) {
            Ok(plan) => {
                let texts: Vec<(Digest, String)> = vec![(plan.digest, plan.text)];
                (self.answered(plan.answer).0, texts)
            }
            Err(missing) => {
                let why = missing.to_string();
                self.answered(Answer::no_verdict(why))
            }
        }
    }

    /// A response of which a part is missing may hold a second verdict there.
    fn review(&self, kind: VerdictKind) -> jobs::Ending {
        let ReadReview { answer, said } = match self.response.cut() {
            0 => answer::review(kind, &self.text()),
            cut => {
                let why = format!("the response is too long to be read: {cut} bytes were cut");
                ReadReview::without_verdict(why, &self.text())
            }
        };
        (self.answered(answer).0, said.into_iter().collect())
    }

    /// As with a review, a response of which a part is missing says nothing for sure.
    fn uncut(&self, read: fn(&str) -> Answer) -> jobs::Ending {
        let answer = match self.response.cut() {
            0 => read(&self.text()),
            cut => {
                let why = format!("the response is too long to be read: {cut} bytes were cut");
                Answer::no_verdict(why)
            }
        };
        self.answered(answer)
    }

    /// The answer of a turn that changes files, with the agent's last words about the change.
    pub(super) fn changed(&self, answer: Answer) -> jobs::Ending {
        let Answer::Changed(head) = answer else { return self.answered(answer) };
        let said = answer::summary(&self.text());
        let summary = said.as_ref().map(|(digest, _)| *digest);
        let answer = Answer::Changed(Head { summary, ..head });
        (self.answered(answer).0, said.into_iter().collect())
    }

    pub(super) fn answered(&self, answer: Answer) -> jobs::Ending {
        let TurnResult { session, usage, .. } = &self.result;
        (Outcome::Turn { answer, session: session.clone(), usage: *usage }, Vec::new())
    }
}
