//! Promises about people who steer: a message reaches an agent that does the work, is there until a turn has accepted it,
//! and is accepted once.

use crate::oracle::Oracle;
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, Settled, What};
use ralph_core::ids::{Attempt, IssueKey, RepoName};
use ralph_core::issue::Managed;
use ralph_core::job::{Job, Place, Turn};
use ralph_core::messages::MessageId;
use ralph_core::time::{Span, Time};
use ralph_core::world::World;
use ralph_engine::ports::Start;
use ralph_forge::{CommentAction, Event, EventKind};
use std::collections::BTreeSet;

/// A merge that was under way when the message came cannot be called back.
const MERGE_UNDER_WAY: Span = Span::from_secs(30);

/// A message that Ralph has taken in.
#[derive(Debug)]
pub(crate) struct Told {
    issue: IssueKey,
    text: String,
    /// By Ralph's clock.
    at: Time,
    /// The attempts whose agents have seen it.
    given: BTreeSet<Attempt>,
    /// The number of them that ended with an answer, as Ralph has heard.
    accepted: u32,
    /// It is a comment: Ralph may read it late, and shows answers to an escalation to everybody.
    is_comment: bool,
}

impl Told {
    /// True if an agent has to get it yet, for certain.
    const fn is_due(&self) -> bool {
        self.accepted == 0 && !self.is_comment
    }

    /// True if it is among the messages of a prompt.
    fn is_in(&self, turn: &Turn, prompt: &str) -> bool {
        let mut messages = turn.messages.iter();
        match self.is_comment {
            true => messages.any(|message| is_of(message.text, &self.text)),
            false => prompt.contains(&self.text),
        }
    }
}

/// True if this is the digest of a text, or of the text with more words behind it.
fn is_of(digest: Digest, text: &str) -> bool {
    digest == Digest::of(text) || digest == Digest::of(&format!("{text} And soon."))
}

impl Oracle {
    /// Ralph was given a message; is it there now?
    pub(crate) fn note_told(&mut self, issue: &IssueKey, text: String, of: Option<&Managed>) {
        let digest = Digest::of(&text);
        let mut kept = of.into_iter().flat_map(|managed| &managed.messages.kept);
        if kept.any(|kept| kept.message.text == digest) {
            let (issue, at) = (issue.clone(), self.clock.ralph_time());
            let (given, accepted, is_comment) = (BTreeSet::new(), 0, false);
            self.record.told.push(Told { issue, text, at, given, accepted, is_comment });
        }
    }

    /// A person with write access has commented.
    pub(crate) fn note_comment(&mut self, issue: &IssueKey, text: String) {
        let (issue, at) = (issue.clone(), self.clock.ralph_time());
        let (given, accepted, is_comment) = (BTreeSet::new(), 0, true);
        self.record.told.push(Told { issue, text, at, given, accepted, is_comment });
    }

    /// People have commented. Any of it may ask for another turn.
    pub(crate) fn note_comments(&mut self, events: &[Event]) {
        for event in events {
            if let EventKind::Comment { number, action: CommentAction::Created, .. } = &event.kind
                && let Some(repo) = RepoName::parse(&event.repo)
            {
                *self.record.messages.entry(IssueKey::new(repo, *number)).or_insert(0) += 1;
            }
        }
    }

    /// A process starts with this prompt.
    pub(crate) fn note_started(&mut self, start: &Start<'_>) {
        let Job::Turn(turn) = start.job else { return };
        let of_issue = self.record.told.iter_mut().filter(|told| told.issue == *start.issue);
        for told in of_issue.filter(|told| told.is_in(turn, start.prompt)) {
            told.given.insert(start.attempt);
        }
    }

    /// A program takes these words while it works.
    pub(crate) fn note_given(&mut self, (issue, attempt): (&IssueKey, Attempt), words: &str) {
        let shown = self.record.told.iter_mut();
        for told in shown.filter(|told| told.issue == *issue && words.contains(&told.text)) {
            told.given.insert(attempt);
        }
    }

    /// S4: an agent is shown these words.
    fn judge_strangers(&mut self, key: &IssueKey, words: &str) {
        let shown = self.record.strangers_words.iter().find(|text| words.contains(*text)).cloned();
        if let Some(text) = shown {
            self.broken("S4", format!("an agent of {key} is shown {text:?} of a stranger"));
        }
    }

    /// S3: a message is passed on to a process while it works.
    pub(crate) fn judge_told(
        &mut self,
        (issue, attempt): (&IssueKey, Attempt),
        job: &Job,
        words: &str,
    ) {
        self.judge_strangers(issue, words);
        let is_worker = matches!(job, Job::Turn(turn) if turn.manner.place == Place::Worktree);
        if !is_worker || !self.is_for(issue, words) {
            self.broken("S3", format!("attempt {attempt} of {issue} is told {words:?}"));
        }
    }

    /// S1 and S3: the prompt of a turn that is about to start.
    pub(crate) fn judge_messages(
        &mut self,
        key: &IssueKey,
        turn: &Turn,
        prompt: &str,
        of: &Managed,
    ) {
        self.judge_strangers(key, prompt);
        let role = turn.role.name();
        let is_worker = turn.manner.place == Place::Worktree;
        let mut wrong = Vec::new();
        for told in &self.record.told {
            let is_shown = told.is_in(turn, prompt);
            if is_shown && (!is_worker || told.issue != *key) {
                wrong.push(("S3", format!("{role} of {key} is shown {:?}", told.text)));
            }
            let started = of.work.as_ref().map(|work| work.started);
            let is_due = told.is_due() && Some(told.at) < started && told.issue == *key;
            if is_worker && is_due && !is_shown {
                wrong.push(("S1", format!("{role} of {key} is not shown {:?}", told.text)));
            }
        }
        wrong.into_iter().for_each(|(rule, detail)| self.broken(rule, detail));
    }

    /// S2: the answer of a turn has reached Ralph.
    pub(crate) fn judge_accepted(&mut self, key: &IssueKey, attempt: Attempt) {
        let mut twice = Vec::new();
        let given = |told: &&mut Told| told.issue == *key && told.given.contains(&attempt);
        for told in self.record.told.iter_mut().filter(given) {
            told.accepted += 1;
            if told.accepted > 1 {
                twice.push(format!("two turns of {key} have taken in {:?}", told.text));
            }
        }
        twice.into_iter().for_each(|detail| self.broken("S2", detail));
    }

    /// S1: the change of an issue is about to be merged.
    pub(crate) fn judge_untold_merge(&mut self, key: &IssueKey) {
        let before = self.clock.ralph_time().minus(MERGE_UNDER_WAY);
        let is_due = |told: &&Told| told.issue == *key && told.is_due() && told.at < before;
        if let Some(told) = self.record.told.iter().find(is_due) {
            let detail = format!("{key} is merged, and no agent has taken in {:?}", told.text);
            self.broken("S1", detail);
        }
    }

    /// S1, at the end: a message that no turn has accepted still waits.
    pub(crate) fn judge_waiting(&mut self, world: &World) {
        let is_kept = |told: &Told| {
            let managed = world.issue(&told.issue).and_then(|issue| issue.managed.as_deref());
            let digest = Digest::of(&told.text);
            managed.is_some_and(|it| it.messages.waiting().any(|it| it.text == digest))
        };
        let lost = self.record.told.iter().find(|told| told.is_due() && !is_kept(told));
        if let Some(told) = lost {
            let detail = format!("{:?} for {} is lost", told.text, told.issue);
            self.broken("S1", detail);
        }
    }

    /// The number of messages that were sent for an issue.
    pub(crate) fn messages_for(&self, issue: &IssueKey) -> u32 {
        self.record.messages.get(issue).copied().unwrap_or_default()
    }

    fn is_for(&self, issue: &IssueKey, words: &str) -> bool {
        let mut meant = self.record.told.iter().filter(|told| words.contains(&told.text));
        meant.all(|told| told.issue == *issue)
    }
}

/// The news of a process that is over, with the messages that its program was given.
pub(crate) fn news(fact: Fact, heard: Vec<MessageId>) -> Vec<Fact> {
    let What::Finished { attempt, .. } = fact.what else { return vec![fact] };
    let subject = fact.subject.clone();
    let given = heard.into_iter().map(|message| {
        let what = What::Settled(Settled::MessageGiven { attempt, message });
        Fact { subject: subject.clone(), what }
    });
    given.chain([fact]).collect()
}
