//! One turn: run the agent in its place, then say what it amounts to. An agent's words are evidence to be
//! parsed; about changes only git is asked.

use super::AgentCommand;
use super::empty_words::EmptyWords;
use super::result_file::{self, TurnResult};
use super::surroundings::Surroundings;
use crate::git::{GitError, in_full};
use crate::git_workspaces::{
    Checkout, Merging, Mirror, Taken, Worktree, open_for_turn, request, take_all, take_merge,
};
use crate::jobs::{self, Ticket};
use crate::network::NetworkRule;
use crate::private_files;
use crate::progress::Progress;
use crate::transcript::{Secrets, Transcript};
use crate::wall_clock::duration;
use crate::watchdog::StallMonitor;
use crate::workshop::Workshop;
use ralph_contain::{Capture, Ending, Spec, Stream, Watch};
use ralph_core::answer::{self, ReadReview};
use ralph_core::digest::Digest;
use ralph_core::excerpt::{Excerpt, LOG_BYTES_MAX};
use ralph_core::fact::{Answer, Outcome};
use ralph_core::ids::Sha;
use ralph_core::job::{Asked, Place, Turn};
use ralph_core::run::Head;
use ralph_core::stall::Stall;
use ralph_core::turn_end::EndClass;
use ralph_core::verdict::VerdictKind;
use ralph_core::words;
use std::path::Path;

/// The part of a response that is kept in memory, beginning and end. A plan is cut to less, a verdict is one line.
const RESPONSE_HEAD_BYTES: usize = 256 * 1024;
const RESPONSE_TAIL_BYTES: usize = 768 * 1024;
/// The part of the log that is kept, for the reason of a failure.
const LOG_TAIL_BYTES: usize = 8 * 1024;
const LAST_LINES_BYTES: usize = 1_500;

/// A turn that is about to be taken.
pub(super) struct TurnRunner<'a> {
    pub(super) shop: &'a Workshop,
    pub(super) agent: &'a AgentCommand,
    pub(super) empty: &'a EmptyWords,
    pub(super) ticket: &'a Ticket,
    pub(super) turn: &'a Turn,
    pub(super) prompt: &'a str,
    /// The first lines of the log.
    pub(super) remarks: &'a [String],
}

/// The output of the agent, and the way in which it ended.
struct Said {
    ending: Ending,
    /// For a turn that was halted.
    stall: Option<Stall>,
    response: Capture,
    log: Capture,
    /// The hosts that the sandbox refused, in words; empty without any.
    refused: String,
    result: TurnResult,
    secrets: Secrets,
}

impl TurnRunner<'_> {
    pub(super) fn take(&self) -> jobs::Ending {
        let ending = match self.turn.manner.place {
            Place::Worktree => self.take_in_worktree(),
            Place::Checkout => self.take_in_checkout(),
        };
        ending.unwrap_or_else(|error| {
            let is_program = matches!(error, GitError::Program(_));
            let outcome = if is_program {
                Outcome::AgentFailed { reason: error.in_full(), class: EndClass::Crashed }
            } else {
                self.shop.outcome_of(&error, &self.ticket.issue)
            };
            (outcome, Vec::new())
        })
    }

    /// In the run's own worktree, where changes count.
    fn take_in_worktree(&self) -> Result<jobs::Ending, GitError> {
        let mirror_path = self.shop.home.mirror(&self.ticket.issue.repo.key());
        let mirror = self.shop.known_mirror(self.ticket.switch(), &mirror_path)?;
        let (issue, turn) = (&self.ticket.issue, self.turn);
        let worktree = self.shop.worktree(mirror, issue, turn.run, &turn.path)?;
        open_for_turn(self.shop, &worktree, turn, (issue, self.ticket.attempt))?;
        let said = self.run(mirror, &worktree.path)?;
        self.shop.known_mirror(self.ticket.switch(), mirror.path)?;
        if said.ending != Ending::Exited(0) {
            return Ok(said.failed(turn));
        }
        let ending = match turn.manner.asks {
            Asked::Change => said.changed(self.changes(&worktree, &said)?),
            Asked::Plan | Asked::Verdict(_) | Asked::ParentVerify | Asked::Survey => {
                said.read(turn.manner.asks)
            }
        };
        Ok(self.judged(&said, ending))
    }

    /// In a detached checkout of the commit under review. What is changed there is noted and goes.
    fn take_in_checkout(&self) -> Result<jobs::Ending, GitError> {
        let mirror_path = self.shop.home.mirror(&self.ticket.issue.repo.key());
        let mirror = self.shop.known_mirror(self.ticket.switch(), &mirror_path)?;
        let commit = self.turn.head.as_ref().unwrap_or(&self.turn.base);
        let attempt = (self.turn.run, self.ticket.attempt);
        let scratch = self.shop.scratch(mirror, &self.ticket.issue, attempt)?;
        let checkout = Checkout::make(self.shop, scratch, commit)?;
        let prompt = request(mirror, self.turn, self.prompt)?;
        let said = TurnRunner { prompt: &prompt, ..*self }.run(mirror, &checkout.worktree.path)?;
        if said.ending != Ending::Ended {
            self.note_changes(&checkout, commit);
        }
        if said.ending != Ending::Exited(0) {
            return Ok(said.failed(self.turn));
        }
        let ending = said.read(self.turn.manner.asks);
        Ok(self.judged(&said, ending))
    }

    /// Decides whether an empty answer is the agent's or a failure of its program.
    fn judged(&self, said: &Said, ending: jobs::Ending) -> jobs::Ending {
        let Outcome::Turn { answer, .. } = &ending.0 else { return ending };
        let is_empty = match answer {
            Answer::NoVerdict { .. } => true,
            // A merge may be brought to nothing without a word.
            Answer::Unchanged => self.turn.merging.is_none(),
            Answer::Plan { .. }
            | Answer::Verdict { .. }
            | Answer::Changed(_)
            | Answer::Unresolved { .. }
            | Answer::Parent(_)
            | Answer::Survey(_) => false,
        };
        let words = is_empty.then(|| said.text());
        let says = words.and_then(|words| self.empty.are_programs(&self.ticket.issue, &words));
        match says {
            Some(says) => said.failed_program(&format!("{}: {says}", said.ending)),
            None => ending,
        }
    }

    fn note_changes(&self, checkout: &Checkout<'_>, commit: &Sha) {
        let changes = match checkout.changes(commit) {
            Ok(None) => return,
            Ok(Some(changes)) => changes,
            Err(error) => error.in_full(),
        };
        let folder = self.shop.home.run(&self.ticket.issue, self.turn.run);
        let folder = folder.attempt(self.ticket.attempt, self.turn.role.name());
        let text: String = Excerpt::of(&changes, LOG_BYTES_MAX).into();
        // A note for people: without it nothing else is different.
        drop(private_files::write(&folder.join("discarded.txt"), text.as_bytes()));
    }

    fn run(&self, mirror: Mirror<'_>, place: &Path) -> Result<Said, GitError> {
        let doing = || GitError::file("prepare the turn's folders");
        let (turn, ticket) = (self.turn, self.ticket);
        let around = Surroundings::make(self.shop, ticket, turn, self.prompt).map_err(doing())?;
        let Some(spec) = around.spec(self.agent, ticket, turn, place) else {
            return Err(GitError::Program("the agent's command is empty".to_owned()));
        };
        let access = around.access(&self.shop.home, (self.agent, mirror.path), place);
        let secrets = Secrets::among(&self.agent.environment);
        let create = |name: &str| Transcript::create(&around.folder.join(name), secrets.clone());
        let mut transcript = create("response.txt").map_err(doing())?;
        let mut log_file = create("log.txt").map_err(doing())?;
        let mut response = Capture::new(RESPONSE_HEAD_BYTES, RESPONSE_TAIL_BYTES);
        let mut log = Capture::new(0, LOG_TAIL_BYTES);
        let mut progress = Progress::new(ticket);
        for remark in self.remarks {
            let remark = format!("{remark}\n");
            log_file.take(remark.as_bytes(), &mut |line| progress.show(line));
        }
        let report = |suspicion| ticket.suspect(suspicion);
        let mut monitor = StallMonitor::new(self.agent.stall, place, &report);
        let mut watch = Watch {
            time: duration(turn.timeout),
            switch: ticket.switch(),
            monitor: Some(&mut monitor),
        };
        let reach = self.rule().open(place, &around.folder).map_err(doing())?;
        let (network, limits) = (reach.network(), self.agent.limits);
        let process = self.shop.git.launcher.confined(&Spec { access, network, limits, ..spec });
        let process = process.map_err(|error| GitError::Program(in_full(&error)))?;
        let ending = process.follow(&mut watch, &mut |stream, bytes| {
            let (capture, file) = match stream {
                Stream::Output => (&mut response, &mut transcript),
                Stream::Error => (&mut log, &mut log_file),
            };
            capture.take(bytes);
            file.take(bytes, &mut |line| progress.show(line));
        });
        transcript.finish(&mut |line| progress.show(line));
        log_file.finish(&mut |line| progress.show(line));
        let ending = ending.map_err(|error| GitError::Program(in_full(&error)))?;
        let (stall, result) = (monitor.stall, result_file::read(&around.result_file()));
        let refused = reach.refusals();
        Ok(Said { ending, stall, response, log, refused, result, secrets })
    }

    /// The network of this turn. One that only reads has no use for packages.
    fn rule(&self) -> NetworkRule {
        match self.turn.manner.asks {
            Asked::Change => self.agent.network.clone(),
            Asked::Plan | Asked::Verdict(_) | Asked::ParentVerify | Asked::Survey => {
                self.agent.network.without_registries()
            }
        }
    }

    /// Git's word on what the turn changed.
    fn changes(&self, worktree: &Worktree<'_>, said: &Said) -> Result<Answer, GitError> {
        if !worktree.exists() {
            return Err(GitError::Unusable("the turn removed its own worktree".to_owned()));
        }
        let turn = self.turn;
        if let (Some(base), Some(ours)) = (&turn.merging, &turn.head) {
            return self.merged(worktree, ours, base);
        }
        let title = said.result.title.clone().or_else(|| words::harmless_title(&turn.title));
        let title = title.unwrap_or_else(|| format!("Work on {}", self.ticket.issue));
        let message = format!("{title}\n\nLeft uncommitted by the agent, committed by Ralph.");
        let head = take_all(worktree, &turn.branch, &turn.run.to_string(), &message)?;
        let described = worktree.mirror.describe(&turn.base, &head)?;
        let changed = described.filter(|described| turn.head.as_ref() != Some(&described.commit));
        Ok(changed.map_or(Answer::Unchanged, Answer::Changed))
    }
}

impl TurnRunner<'_> {
    /// As `changes`, for a turn that was to finish a merge.
    fn merged(&self, worktree: &Worktree<'_>, ours: &Sha, base: &Sha) -> Result<Answer, GitError> {
        let (branch, run) = (&self.turn.branch, self.turn.run.to_string());
        let merging = Merging { branch, run: &run, ours, base };
        let message = format!("Merge {} into {branch}", base.short());
        let head = match take_merge(worktree, merging, &message)? {
            Taken::Open(files) => return Ok(Answer::Unresolved { files }),
            Taken::Merged(head) => head,
        };
        let described = worktree.mirror.describe(base, &head)?;
        Ok(described.map_or(Answer::Unchanged, Answer::Changed))
    }
}

impl Said {
    fn text(&self) -> String {
        self.secrets.hide(&self.response.text()).into_owned()
    }

    /// The reason of a turn without a result, with the last lines of the agent.
    fn failed(&self, turn: &Turn) -> jobs::Ending {
        let seen = match self.ending {
            Ending::Halted => self.stall.clone(),
            Ending::TimedOut => Some(Stall::Overtime { limit: turn.timeout }),
            Ending::Exited(_) | Ending::Signalled(_) | Ending::OverLimit(_) | Ending::Ended => None,
        };
        let Some(seen) = seen else { return self.failed_program(&self.ending.to_string()) };
        let session = self.result.session.clone();
        (Outcome::Stalled { seen, last: self.last_lines().into(), session }, Vec::new())
    }

    fn failed_program(&self, how: &str) -> jobs::Ending {
        let reason = format!("{how}\n{}{}", self.last_lines(), self.refused);
        let reason = reason.trim_end().to_owned();
        (Outcome::AgentFailed { reason, class: EndClass::Crashed }, Vec::new())
    }

    fn last_lines(&self) -> Excerpt {
        let log = self.log.text();
        let last = if log.trim().is_empty() { self.response.text() } else { log };
        Excerpt::tail(self.secrets.hide(last.trim()).as_ref(), LAST_LINES_BYTES)
    }

    /// The response as the turn was asked for it.
    fn read(&self, asks: Asked) -> jobs::Ending {
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
    fn changed(&self, answer: Answer) -> jobs::Ending {
        let Answer::Changed(head) = answer else { return self.answered(answer) };
        let said = answer::summary(&self.text());
        let summary = said.as_ref().map(|(digest, _)| *digest);
        let answer = Answer::Changed(Head { summary, ..head });
        (self.answered(answer).0, said.into_iter().collect())
    }

    fn answered(&self, answer: Answer) -> jobs::Ending {
        let TurnResult { session, usage, .. } = &self.result;
        (Outcome::Turn { answer, session: session.clone(), usage: *usage }, Vec::new())
    }
}
