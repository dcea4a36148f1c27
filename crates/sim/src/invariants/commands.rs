//! Promises about commands: only people who may have given them, each is answered once, in order and rightly,
//! and at the end of a life every issue is as its last command asked.

use crate::ledger::{Order, Reply as Answer};
use crate::town::Town;
use ralph_core::command::{Command, Manner};
use ralph_core::fact::{Fact, Move, Observation, What};
use ralph_core::ids::IssueKey;
use ralph_core::issue::{CommandId, CommandVia, Issue, Managed, PendingCommand, Phase, StopReason};
use ralph_core::label_book::{OwnEvent, wish};
use ralph_core::world::World;
use ralph_forge::{CommentCall, IssueCall, Page, Reply, TimelineEntry, TimelineEvent};
use std::collections::BTreeMap;

impl Town {
    /// Somebody who may command has put this label on an issue.
    pub(crate) fn note_order(&mut self, key: &IssueKey, event: u64, label: &str) {
        self.ledger.intents.insert((key.clone(), event));
        if let Some((command, via)) = wish(label) {
            let orders = self.ledger.orders.entry(key.clone()).or_default();
            orders.entry(event).or_insert(Order { command, via, answer: None });
        }
    }

    /// A fact is about to be folded: were commands heard from people who may, and is this answer to one right?
    pub(crate) fn judge_answer(&mut self, fact: &Fact) {
        let Some(key) = fact.subject.issue() else { return };
        self.note_fresh(key, &fact.what);
        match &fact.what {
            What::Seen(Observation::Commands { commands, own, .. }) => {
                self.note_hand_edits(key, commands, own);
            }
            What::Moved(Move::Commanded { id, refused }) => {
                let issue = self.folded.issue(key).cloned();
                let Some(issue) = issue.as_ref() else { return };
                let pending =
                    issue.managed.as_ref().and_then(|managed| managed.commands.pending.get(id));
                let Some(pending) = pending else { return };
                let is_asked = if id.is_local {
                    self.ledger.typed.contains_key(&(key.clone(), id.at))
                } else {
                    self.ledger.intents.contains(&(key.clone(), id.id))
                        && !self.ledger.hand_edits.contains(&id.id)
                };
                match (is_asked, refused) {
                    (false, None) => {
                        let event = id.id;
                        self.broken("I3", format!("nobody wants what event {event} on {key} asks"));
                    }
                    // One that was shown late may have been overtaken.
                    (true, Some(_)) if self.may_be_overtaken(key, *id) => {}
                    (true, Some(_)) => self.judge_refusal(key, pending, issue),
                    (true, None) | (false, Some(_)) => {}
                }
                let answer = if refused.is_none() { Answer::Obeyed } else { Answer::Refused };
                if answer == Answer::Obeyed && pending.command == Command::Satisfy {
                    self.note_satisfied(key, pending);
                }
                let is_again = issue
                    .managed
                    .as_ref()
                    .is_some_and(|managed| matches!(managed.phase, Phase::Done { .. }));
                match pending.command {
                    Command::Queue if answer == Answer::Obeyed => {
                        if is_again || pending.manner == Manner::Fresh {
                            self.ledger.fresh.insert(key.clone());
                        }
                    }
                    Command::Stop if answer == Answer::Obeyed => {
                        self.ledger.fresh.remove(key);
                    }
                    Command::Queue | Command::Stop | Command::Pause | Command::Satisfy => {}
                }
                self.note_answer(key, *id, pending.command, answer);
            }
            _other => {}
        }
    }

    /// A queued label asks for something only where the issue is out of the queue or escalated.
    fn note_hand_edits(
        &mut self,
        key: &IssueKey,
        commands: &BTreeMap<CommandId, PendingCommand>,
        own: &[OwnEvent],
    ) {
        let managed = self.folded.issue(key).and_then(|issue| issue.managed.as_deref());
        let hears = managed
            .is_none_or(|managed| matches!(managed.phase, Phase::Out | Phase::Escalated { .. }));
        if hears {
            return;
        }
        let labels = commands.iter().filter(|(_, given)| given.via == CommandVia::QueuedLabel);
        let ours = own.iter().filter(|event| Command::from_label(&event.label).is_none());
        let ids = labels.map(|(id, _)| id.id).chain(ours.map(|event| event.id.id));
        self.ledger.hand_edits.extend(ids);
    }

    /// A label is `satisfy` and its opposite by turns; the command line says which it is.
    fn note_satisfied(&mut self, key: &IssueKey, pending: &PendingCommand) {
        let is_satisfied = self.ledger.satisfied.contains(key);
        let is_undone = match pending.via {
            CommandVia::CommandLine => pending.manner == Manner::Undo,
            CommandVia::CommandLabel | CommandVia::QueuedLabel | CommandVia::Comment => {
                is_satisfied
            }
        };
        if is_undone {
            self.ledger.satisfied.remove(key);
        } else {
            self.ledger.satisfied.insert(key.clone());
        }
    }

    /// C3: a command of somebody who may is refused only where there is nothing that it could do.
    fn judge_refusal(&mut self, key: &IssueKey, pending: &PendingCommand, issue: &Issue) {
        let command = pending.command;
        let Some(managed) = issue.managed.as_deref() else { return };
        let phase = &managed.phase;
        let is_right = match command {
            Command::Satisfy => {
                pending.manner == Manner::Undo && !self.ledger.satisfied.contains(key)
            }
            Command::Queue => {
                let is_closing = matches!(phase, Phase::Done { is_closed: false, .. });
                !issue.is_open() || is_closing || matches!(phase, Phase::InBot { .. })
            }
            Command::Pause => {
                !matches!(phase, Phase::Queued | Phase::Running { .. } | Phase::Parked { .. })
            }
            Command::Stop => {
                matches!(phase, Phase::Out | Phase::InBot { .. } | Phase::Done { .. })
            }
        };
        if !is_right {
            self.broken("C3", format!("{command} on {key} was refused, and it is {phase:?}"));
        }
    }

    /// An event that showed late, or whose actor could not be looked up for a while.
    fn may_be_overtaken(&self, key: &IssueKey, id: CommandId) -> bool {
        self.unreadable.shown_late.contains(&id.id)
            || self.unreadable.rights_refused.contains(&key.repo)
    }

    fn note_answer(&mut self, key: &IssueKey, id: CommandId, command: Command, answer: Answer) {
        let may_be_overtaken = self.may_be_overtaken(key, id);
        let orders = self.ledger.orders.entry(key.clone()).or_default();
        let order = if id.is_local {
            self.ledger.typed.get_mut(&(key.clone(), id.at))
        } else {
            orders.get_mut(&id.id)
        };
        let (is_label, before) = match order {
            Some(order) => (true, order.answer.replace(answer)),
            None => (false, None),
        };
        let is_late = is_label
            && !id.is_local
            && !may_be_overtaken
            && orders.range(id.id + 1..).any(|(_, order)| order.answer.is_some());
        if answer == Answer::Obeyed && command != Command::Satisfy {
            self.ledger.obeyed.insert(key.clone(), command);
        }
        if is_late || before.is_some() {
            let event = id.id;
            self.broken("C3", format!("{command} on {key} (event {event}) came late or twice"));
        }
    }

    /// C3 at the end: every command was answered or withdrawn, and nothing is otherwise than the last one asked.
    pub(crate) fn judge_orders(&mut self, world: &World) {
        self.judge_unread_refusals();
        let unheard = self.ledger.typed.iter().find(|(_, order)| order.answer.is_none());
        if let Some(((key, _), order)) = unheard {
            let line = format!("{} {key} on the command line was never answered", order.command);
            self.broken("C3", line);
        }
        for (key, orders) in std::mem::take(&mut self.ledger.orders) {
            let issue = world.issue(&key);
            self.judge_unanswered(&key, &orders, issue);
            let Some((issue, managed)) = issue.and_then(|i| Some((i, i.managed.as_deref()?)))
            else {
                continue;
            };
            self.judge_effect(&key, issue, managed);
            self.judge_result(&key, managed);
        }
    }

    fn judge_unanswered(
        &mut self,
        key: &IssueKey,
        orders: &BTreeMap<u64, Order>,
        issue: Option<&Issue>,
    ) {
        let is_managed = issue.is_some_and(|issue| issue.managed.is_some());
        let is_open = |order: &Order| match order.via {
            // A queued label is an order only on an open issue that is out of the queue or escalated.
            CommandVia::QueuedLabel => !is_managed && issue.is_none_or(Issue::is_open),
            CommandVia::CommandLabel | CommandVia::Comment | CommandVia::CommandLine => {
                order.answer.is_none()
            }
        };
        // Who gave `queue` anew right after one that was obeyed has what they asked for.
        let is_anew = |id: &u64, order: &Order| {
            let before = orders.range(..id).next_back().map(|(_, before)| before);
            let is_queue =
                |it: &Order| (it.command, it.via) == (Command::Queue, CommandVia::CommandLabel);
            before.is_some_and(|it| is_queue(it) && it.answer == Some(Answer::Obeyed))
                && is_queue(order)
        };
        let is_missing = |id: &u64, order: &Order| is_open(order) && !is_anew(id, order);
        let open: Vec<_> = orders.iter().filter(|(id, order)| is_missing(id, order)).collect();
        if open.is_empty() {
            return;
        }
        let events = self.label_events(key);
        for (id, order) in open {
            if !self.is_withdrawn(&events, *id) {
                let command = order.command;
                self.broken("C3", format!("{command} on {key} (event {id}) was never answered"));
            }
        }
    }

    /// Has somebody other than Ralph taken the label of this event off again?
    fn is_withdrawn(&self, events: &[TimelineEntry], id: u64) -> bool {
        let given = events.iter().find_map(|entry| match &entry.event {
            TimelineEvent::Labeled(label) if entry.id == id => Some(label),
            _other => None,
        });
        let takes_off = |entry: &TimelineEntry| match (&entry.event, given) {
            (TimelineEvent::Unlabeled(label), Some(given)) => label.name == given.name,
            _other => false,
        };
        let mut later = events.iter().filter(|entry| entry.id > id);
        later.any(|entry| takes_off(entry) && !self.ledger.own_events.contains(&entry.id))
    }

    pub(super) fn label_events(&mut self, key: &IssueKey) -> Vec<TimelineEntry> {
        let (mut page, mut all) = (Page::largest(), Vec::new());
        loop {
            let call = IssueCall::Events { number: key.number, page };
            let Some(Reply::Timeline(events)) = self.look(&key.repo, call) else { return all };
            let is_last = page.number >= events.last_page();
            all.extend(events.items);
            if is_last {
                return all;
            }
            page.number += 1;
        }
    }

    fn judge_effect(&mut self, key: &IssueKey, issue: &Issue, managed: &Managed) {
        if self.ledger.satisfied.contains(key) != issue.satisfied {
            let is = if issue.satisfied { "is" } else { "is not" };
            self.broken("C3", format!("{key} {is} satisfied, and the last word was another"));
        }
        let Some(command) = self.ledger.obeyed.get(key).copied() else { return };
        let is_taken_out = self.ledger.given_up.contains(key);
        let phase = &managed.phase;
        // A sync pull request that nothing is left of is given back to its repository, which L4 judges.
        if managed.sync.is_some() && *phase == Phase::Out {
            return;
        }
        // A merge that was on its way when the command came is told as it is.
        let is_merged = matches!(phase, Phase::InBot { .. } | Phase::Done { .. });
        let agrees = match command {
            Command::Queue => {
                let is_stopped = matches!(phase, Phase::Stopped { why: StopReason::Command });
                let is_out = *phase == Phase::Out && !is_taken_out;
                !managed.is_paused && !is_stopped && !is_out
            }
            Command::Pause => {
                let is_ended = matches!(phase, Phase::Stopped { .. } | Phase::Escalated { .. });
                managed.is_paused || is_ended || is_merged
            }
            Command::Stop => is_merged || matches!(phase, Phase::Stopped { .. }),
            Command::Satisfy => true,
        };
        if !agrees {
            self.broken("C3", format!("the last word on {key} was {command}, and it is {phase:?}"));
        }
    }

    /// The one result comment tells what became of the last command, unless people would not have it.
    fn judge_result(&mut self, key: &IssueKey, managed: &Managed) {
        let Some(last) = &managed.commands.last else { return };
        if self.ledger.uncommented.contains(key) {
            return;
        }
        let (number, page) = (key.number, Page::largest());
        let list = self.look(&key.repo, CommentCall::List { number, since: None, page });
        let Some(Reply::Comments(list)) = list else { return };
        let source = if last.id.is_local { "command line, entry" } else { "event" };
        let (login, event) = (self.login, format!("({source} {})", last.id.id));
        let is_told = list
            .items
            .iter()
            .map(|view| &view.comment)
            .any(|comment| comment.author == login && comment.body.contains(&event));
        if !is_told {
            let command = last.command;
            self.broken("C3", format!("what became of {command} on {key} {event} is not told"));
        }
    }
}
