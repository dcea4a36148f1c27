//! Promises about commands: only people with the right to command have given them, each is answered once, in order
//! and rightly, and at the end of a run every issue is as its last command asked.

use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use crate::oracle::record::{Order, Reply as Answer};
use crate::world::{MAINTAINER, OWNER, TRIAGER};
use ralph_core::command::{Command, Manner};
use ralph_core::fact::{Fact, Move, Observation, What};
use ralph_core::ids::IssueKey;
use ralph_core::issue::{
    CommandId, CommandVia, Issue, Managed, PendingCommand, Phase, Slot, StopReason,
};
use ralph_core::label_book::{OwnEvent, command_of};
use ralph_core::world::World;
use ralph_core::{hidden_marker, words};
use ralph_forge::{ListComments, ListIssueEvents, Page, TimelineEntry, TimelineEvent};
use std::collections::BTreeMap;

impl Oracle {
    /// Records the label that a person with the right to command has put on an issue.
    pub(crate) fn note_order(&mut self, key: &IssueKey, event: u64, label: &str) {
        self.record.intents.insert((key.clone(), event));
        if let Some((command, via)) = command_of(label) {
            let orders = self.record.orders.entry(key.clone()).or_default();
            orders.entry(event).or_insert(Order { command, via, answer: None });
        }
    }

    /// A fact is about to be folded: were commands heard from people who may, and is this answer to one right?
    pub(crate) fn judge_answer(&mut self, forge: &mut ForgeSide, fact: &Fact) {
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
                    self.record.typed.contains_key(&(key.clone(), id.at))
                } else {
                    self.record.intents.contains(&(key.clone(), id.id))
                        && !self.record.hand_edits.contains(&id.id)
                };
                match (is_asked, refused) {
                    (false, None) => {
                        let event = id.id;
                        self.broken(
                            "I3",
                            format!("event {event} on {key} was taken for a command, and is none"),
                        );
                    }
                    // One that was shown late may have been overtaken.
                    (true, Some(_)) if forge.may_be_overtaken(key, *id) => {}
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
                            self.record.fresh.insert(key.clone());
                        }
                    }
                    Command::Stop if answer == Answer::Obeyed => {
                        self.record.fresh.remove(key);
                    }
                    Command::Queue | Command::Stop | Command::Pause | Command::Satisfy => {}
                }
                self.note_answer(forge, key, *id, (pending.command, answer));
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
        self.record.hand_edits.extend(ids);
    }

    /// A label is `satisfy` and its opposite by turns; the command line says which it is.
    fn note_satisfied(&mut self, key: &IssueKey, pending: &PendingCommand) {
        let is_satisfied = self.record.satisfied.contains(key);
        let is_undone = match pending.via {
            CommandVia::CommandLine => pending.manner == Manner::Undo,
            CommandVia::CommandLabel | CommandVia::QueuedLabel | CommandVia::Comment => {
                is_satisfied
            }
        };
        if is_undone {
            self.record.satisfied.remove(key);
        } else {
            self.record.satisfied.insert(key.clone());
        }
    }

    /// C3: a command of a person with the right to it is refused only where it could do nothing.
    fn judge_refusal(&mut self, key: &IssueKey, pending: &PendingCommand, issue: &Issue) {
        let command = pending.command;
        let Some(managed) = issue.managed.as_deref() else { return };
        let phase = &managed.phase;
        let is_right = match command {
            Command::Satisfy => {
                pending.manner == Manner::Undo && !self.record.satisfied.contains(key)
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

    fn note_answer(
        &mut self,
        forge: &mut ForgeSide,
        key: &IssueKey,
        id: CommandId,
        (command, answer): (Command, Answer),
    ) {
        let may_be_overtaken = forge.may_be_overtaken(key, id);
        let orders = self.record.orders.entry(key.clone()).or_default();
        let order = if id.is_local {
            self.record.typed.get_mut(&(key.clone(), id.at))
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
            self.record.obeyed.insert(key.clone(), command);
        }
        if is_late || before.is_some() {
            let event = id.id;
            self.broken("C3", format!("{command} on {key} (event {event}) came late or twice"));
        }
    }

    /// C3 at the end: every command was answered or withdrawn, and nothing is otherwise than the last one asked.
    pub(crate) fn judge_orders(&mut self, forge: &mut ForgeSide, world: &World) {
        self.judge_unread_refusals();
        let unheard = self.record.typed.iter().find(|(_, order)| order.answer.is_none());
        if let Some(((key, _), order)) = unheard {
            let line = format!("{} {key} on the command line was never answered", order.command);
            self.broken("C3", line);
        }
        for (key, orders) in std::mem::take(&mut self.record.orders) {
            let issue = world.issue(&key);
            self.judge_unanswered(forge, &key, &orders, issue);
            let Some((issue, managed)) = issue.and_then(|i| Some((i, i.managed.as_deref()?)))
            else {
                continue;
            };
            self.judge_effect(&key, issue, managed);
            self.judge_result(forge, &key, managed);
        }
    }

    fn judge_unanswered(
        &mut self,
        forge: &mut ForgeSide,
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
        // A second `queue` right after one that was obeyed has its effect already.
        let is_repeated = |id: &u64, order: &Order| {
            let before = orders.range(..id).next_back().map(|(_, before)| before);
            let is_queue =
                |it: &Order| (it.command, it.via) == (Command::Queue, CommandVia::CommandLabel);
            before.is_some_and(|it| is_queue(it) && it.answer == Some(Answer::Obeyed))
                && is_queue(order)
        };
        let is_missing = |id: &u64, order: &Order| is_open(order) && !is_repeated(id, order);
        let open: Vec<_> = orders.iter().filter(|(id, order)| is_missing(id, order)).collect();
        if open.is_empty() {
            return;
        }
        let events = forge.label_events(key);
        for (id, order) in open {
            if !self.is_withdrawn(&events, *id) {
                let command = order.command;
                self.broken("C3", format!("{command} on {key} (event {id}) was never answered"));
            }
        }
    }

    /// Says if a person has taken the label of this event off again.
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
        later.any(|entry| takes_off(entry) && !self.record.own_events.contains(&entry.id))
    }

    fn judge_effect(&mut self, key: &IssueKey, issue: &Issue, managed: &Managed) {
        if self.record.satisfied.contains(key) != issue.satisfied {
            let is = if issue.satisfied { "is" } else { "is not" };
            self.broken("C3", format!("{key} {is} satisfied, and the last word was another"));
        }
        let Some(command) = self.record.obeyed.get(key).copied() else { return };
        let is_taken_out = self.record.given_up.contains(key);
        let phase = &managed.phase;
        // A sync pull request that nothing is left of is given back to its repository, which L4 judges.
        if managed.sync.is_some() && *phase == Phase::Out {
            return;
        }
        // A merge that was on its way when the command came stays visible.
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
    fn judge_result(&mut self, forge: &mut ForgeSide, key: &IssueKey, managed: &Managed) {
        let Some(last) = &managed.commands.last else { return };
        if self.record.uncommented.contains(key) {
            return;
        }
        let (number, page) = (key.number, Page::largest());
        let list = forge.look(&key.repo, ListComments { number, since: None, page });
        let Some(list) = list else { return };
        let source = if last.id.is_local { "command line, entry" } else { "event" };
        let (login, event) = (forge.login, format!("({source} {})", last.id.id));
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

    /// Writes down every command on an issue that a person with the right has given.
    pub(crate) fn note_intent(&mut self, forge: &mut ForgeSide, key: &IssueKey) {
        let mut page = Page::largest();
        loop {
            let call = ListIssueEvents { number: key.number, page };
            let Some(events) = forge.look(&key.repo, call) else { return };
            for entry in &events.items {
                let may = [OWNER, MAINTAINER, TRIAGER].contains(&entry.actor.as_str());
                let is_own = self.record.own_events.contains(&entry.id);
                if let (TimelineEvent::Labeled(label), true, false) = (&entry.event, may, is_own) {
                    self.note_order(key, entry.id, &label.name);
                }
            }
            if page.number == events.last_page() {
                return;
            }
            page.number += 1;
        }
    }

    /// Does the issue show the comment that asks for a person? What people did to comments is theirs to know.
    pub(crate) fn is_told(&self, forge: &mut ForgeSide, key: &IssueKey, episode: u32) -> bool {
        let wanted = words::marker(key, &Slot::Escalation { episode });
        let is_meddled_with =
            self.record.uncommented.contains(key) || self.record.rewritten.contains(key);
        let (number, page, since) = (key.number, Page::largest(), None);
        let call = ListComments { number, since, page };
        let Some(list) = forge.look(&key.repo, call) else { return false };
        let is_it = |body: &str| hidden_marker::find(body).as_ref() == Some(&wanted);
        is_meddled_with || list.items.iter().any(|view| is_it(&view.comment.body))
    }
}
