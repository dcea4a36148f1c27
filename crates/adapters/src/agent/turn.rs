//! One turn: run the agent in its place, then say what it amounts to. An agent's words are evidence to be
//! parsed; about changes only git is asked.

use super::conversation::{Conversation, Listener};
use super::empty_words::EmptyWords;
use super::protocol::{self, End, Failure, Feed, Order};
use super::result_file;
use super::said::Said;
use super::surroundings::{Surroundings, about};
use super::{AgentCommand, Kind, logins};
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
use ralph_contain::{Capture, Containment, Ending, Process, Spec, Stream, Watch};
use ralph_core::excerpt::{Excerpt, LOG_BYTES_MAX};
use ralph_core::fact::{Answer, Outcome};
use ralph_core::ids::Sha;
use ralph_core::job::{Asked, Place, Turn};
use ralph_core::turn_end::{EndClass, TurnUse, Usage};
use ralph_core::words;
use std::path::Path;
use std::sync::Arc;

/// The part of a response that is kept in memory, beginning and end. A plan is cut to less, a verdict is one line.
const RESPONSE_HEAD_BYTES: usize = 256 * 1024;
const RESPONSE_TAIL_BYTES: usize = 768 * 1024;
/// The part of the log that is kept, for the reason of a failure.
const LOG_TAIL_BYTES: usize = 8 * 1024;

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
        if said.has_failed() {
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
        if said.has_failed() {
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
        if is_empty && !said.end.refused.is_empty() {
            return said.refused();
        }
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

    /// Runs the program. One that does not know its session any more begins a fresh one with the same prompt.
    fn run(&self, mirror: Mirror<'_>, place: &Path) -> Result<Said, GitError> {
        let own =
            |session: &String| self.agent.program.kind.own_session(session).map(str::to_owned);
        let session = self.turn.session.as_ref().and_then(own);
        let said = self.run_once(mirror, place, session.as_deref())?;
        match (&said.end.failure, session) {
            (Some(Failure::SessionGone), Some(_)) => self.run_once(mirror, place, None),
            (Some(Failure::SessionGone | Failure::Class(..)) | None, _) => Ok(said),
        }
    }

    fn run_once(
        &self,
        mirror: Mirror<'_>,
        place: &Path,
        session: Option<&str>,
    ) -> Result<Said, GitError> {
        let doing = || GitError::file("prepare the turn's folders");
        let (turn, ticket, kind) = (self.turn, self.ticket, self.agent.program.kind);
        let around = Surroundings::make(self.shop, ticket, turn, self.prompt).map_err(doing())?;
        let home = around.private_home();
        let (program, may_write) = (&self.agent.program, turn.manner.asks == Asked::Change);
        let containment = &self.shop.git.launcher.containment;
        let is_sandboxed = matches!(containment, Containment::Bubblewrap(_));
        let (home, prompt) = (home.as_path(), self.prompt);
        let order = Order { program, home, place, prompt, session, may_write, is_sandboxed };
        let mut protocol = protocol::of(kind);
        let launch = protocol.launch(&order);
        around.furnish(self.agent, &launch).map_err(doing())?;
        let Some(spec) = around.spec((self.agent, &launch), about(kind, ticket, turn), place)
        else {
            return Err(GitError::Program("the agent's command is empty".to_owned()));
        };
        let is_read_only = kind != Kind::Command && !may_write;
        let named = (self.agent, mirror.path);
        let access = around.access(self.shop.home.hidden(), named, (place, is_read_only));
        let reach = self.rule().open(place, &around.folder).map_err(doing())?;
        let (network, limits) = (reach.network(), self.agent.limits);
        let process = self.shop.git.launcher.confined(&Spec { access, network, limits, ..spec });
        let mut process = process.map_err(|error| GitError::Program(in_full(&error)))?;
        let conversation = Arc::new(Conversation::new(protocol));
        if let (Feed::Talk(first), Some(input)) = (launch.input, process.stdin.take()) {
            conversation.open(input, first).map_err(doing())?;
        }
        let heard = conversation.clone();
        ticket.listener.begin(Arc::new(move |words: &str| heard.tell(words)));
        let said = self.follow(process, &conversation, (&around, place));
        ticket.listener.pause();
        // A login that cannot be written back is the operator's to renew; the turn itself is over.
        drop(logins::bring_back(home, &program.logins));
        said.map(|said| Said { refused_hosts: reach.refusals(), ..said })
    }

    /// Follows the program to its end, and keeps what it says.
    fn follow(
        &self,
        process: Process,
        conversation: &Conversation,
        (around, place): (&Surroundings, &Path),
    ) -> Result<Said, GitError> {
        let doing = || GitError::file("prepare the turn's folders");
        let (turn, ticket) = (self.turn, self.ticket);
        let secrets = Secrets::among(&self.agent.environment);
        let create = |name: &str| Transcript::create(&around.folder.join(name), secrets.clone());
        let mut transcript = create("response.txt").map_err(doing())?;
        let mut log_file = create("log.txt").map_err(doing())?;
        let is_plain = self.agent.program.kind == Kind::Command;
        let events = around.folder.join("events.jsonl");
        let listener =
            (!is_plain).then(|| Listener::create(conversation, &events, secrets.clone()));
        let mut listener = listener.transpose().map_err(doing())?;
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
        let ending = process.follow(&mut watch, &mut |stream, bytes| {
            let mut show = |line: &str| progress.show(line);
            match (stream, &mut listener) {
                (Stream::Output, Some(listener)) => listener.take(bytes, &mut show),
                (Stream::Output, None) => {
                    response.take(bytes);
                    transcript.take(bytes, &mut show);
                }
                (Stream::Error, _) => {
                    log.take(bytes);
                    log_file.take(bytes, &mut show);
                }
            }
        });
        let mut show = |line: &str| progress.show(line);
        let ending = ending.map_err(|error| GitError::Program(in_full(&error)))?;
        listener.iter_mut().for_each(|listener| listener.finish(&mut show));
        let end = conversation.end(ending, &log.text());
        if !is_plain {
            response.take(end.text.as_bytes());
            transcript.take(end.text.as_bytes(), &mut |_| {});
        }
        transcript.finish(&mut show);
        log_file.finish(&mut show);
        let (stall, mut result) = (monitor.stall, result_file::read(&around.result_file()));
        if !is_plain {
            let session = end.session.as_deref().filter(result_file::is_session);
            result.session = session.map(|id| self.agent.program.kind.name_session(id));
            result.usage = end.usage;
        }
        result.usage = self.tell_use(result.usage, &end);
        Ok(Said {
            ending,
            stall,
            response,
            log,
            result,
            secrets,
            end,
            is_plain,
            refused_hosts: String::new(),
        })
    }

    /// Tells what the turn has used, with its price, and the limits that it saw. It counts however the turn ends.
    fn tell_use(&self, usage: Option<Usage>, end: &End) -> Option<Usage> {
        let model = end.model.as_deref().or(self.agent.program.model.as_deref());
        let usage = usage.map(|usage| self.agent.prices.complete(usage, model));
        if usage.is_some() || !end.limits.is_empty() {
            self.ticket.tell_use(TurnUse { usage, limits: end.limits.clone() });
        }
        usage
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
