//! Promises about labels: which ones Ralph touches, how often, and what an issue shows once it is reconciled.

use crate::forge::{ForgeSide, ShownAnswer};
use crate::machine::Machine;
use crate::oracle::Oracle;
use crate::oracle::record::Reply as Answer;
use crate::world::BOT;
use ralph_core::effect::{Effect, IssueAct, OrderingKey, RepoAct};
use ralph_core::fact::{Observation, What};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{Issue, Phase};
use ralph_core::label::{self, ManagedLabel, Status};
use ralph_core::time::{Span, Time};
use ralph_engine::{Engine, Leased, Performed, Reading};
use ralph_forge::{EventKind, GetIssue, IssueState, ListIssueEvents, Page, ThreadAction};
use std::collections::BTreeSet;

/// Longer than the engine waits when the forge does not say how long.
const LATER_MAX: Span = Span::from_mins(5);

impl Oracle {
    /// A label that Ralph itself has set, taken off, made or changed.
    pub(super) fn judge_label_event(
        &mut self,
        forge: &mut ForgeSide,
        machine: &Machine,
        repo: &RepoName,
        kind: &EventKind,
    ) {
        let name = match kind {
            EventKind::Issue {
                number,
                action: ThreadAction::Labeled { label } | ThreadAction::Unlabeled { label },
            } => {
                self.count_change(machine);
                self.note_own_event(forge, repo, *number);
                label
            }
            EventKind::Label { name, .. } => name,
            _other => return,
        };
        if !label::is_managed(name) {
            self.broken("I1", format!("Ralph touched the label {name:?}"));
        }
        let is_set = matches!(kind, EventKind::Issue { action: ThreadAction::Labeled { .. }, .. });
        if is_set && name.contains("block") {
            self.broken("I4", format!("Ralph set {name:?}"));
        }
    }

    /// Records that Ralph caused the newest event of an issue, so it is no command.
    fn note_own_event(&mut self, forge: &mut ForgeSide, repo: &RepoName, number: u64) {
        let mut page = Page::largest();
        loop {
            let call = ListIssueEvents { number, page };
            let Some(events) = forge.look(repo, call) else { return };
            if page.number >= events.last_page() {
                self.record.own_events.extend(events.items.last().map(|entry| entry.id));
                return;
            }
            page.number = events.last_page();
        }
    }

    /// Records that others have changed labels: Ralph may have to write its own again.
    pub(crate) fn note_label_changes(&mut self, events: &[ralph_forge::Event]) {
        for event in events.iter().filter(|event| event.actor != BOT) {
            let EventKind::Issue { number, action } = &event.kind else { continue };
            let Some(repo) = RepoName::parse(&event.repo) else { continue };
            let key = IssueKey::new(repo, *number);
            let written = format!("{key}:");
            if matches!(action, ThreadAction::Labeled { .. } | ThreadAction::Unlabeled { .. }) {
                self.record.label_changes += 1;
                let happened = self.record.label_changes;
                self.record.label_news.entry(key).or_default().happened = happened;
            }
            self.record.changes.retain(|key, _| !key.starts_with(&written));
        }
    }

    /// The label changes by others that a reading made now shows. A lagging replica may show fewer.
    pub(crate) const fn label_news(&self, is_stale: bool) -> Option<u64> {
        if is_stale { None } else { Some(self.record.label_changes) }
    }

    /// Ralph is shown issues as they were when it asked.
    pub(crate) fn note_shown(&mut self, reading: &Reading, as_of: Option<u64>) {
        for fact in &reading.facts {
            let (Some(key), What::Seen(Observation::Issue(_) | Observation::IssueInPart { .. })) =
                (fact.subject.issue(), &fact.what)
            else {
                continue;
            };
            self.record.label_news.entry(key.clone()).or_default().shown = as_of;
        }
    }

    /// Was Ralph shown everything that others did to the labels of this issue?
    fn knows_labels(&self, key: &IssueKey) -> bool {
        let news = self.record.label_news.get(key).copied().unwrap_or_default();
        news.shown.is_some_and(|shown| shown >= news.happened)
    }

    /// An effect is on its way: what Ralph hears of the labels from now on comes too late for it.
    pub(super) fn note_claim(&mut self, key: &IssueKey, effect: &str) {
        if self.knows_labels(key) {
            self.record.unknowing.remove(effect);
        } else {
            self.record.unknowing.insert(effect.to_owned());
        }
    }

    /// I2 during a run: once Ralph wants no label changed and knows what people did, the forge shows the one status.
    pub(crate) fn judge_labels<'a>(
        &mut self,
        forge: &mut ForgeSide,
        engine: &Engine,
        keys: impl IntoIterator<Item = &'a IssueKey>,
    ) {
        for key in keys {
            let is_known = self.knows_labels(key);
            let Some(issue) = engine.world().issue(key).filter(|_| is_known) else { continue };
            if is_reconciled(issue) && !is_writing(engine, key) && !is_held_back(engine, key) {
                self.judge_status(forge, key, issue, |name| {
                    let label = label::parse(name);
                    label.is_some_and(|label| status_of(&label).is_some())
                        && !is_echoed(issue, name)
                });
            }
        }
    }

    /// I2 at the end: the forge shows exactly the status of the phase, and no command.
    pub(crate) fn judge_labels_at_end(
        &mut self,
        forge: &mut ForgeSide,
        key: &IssueKey,
        issue: &Issue,
    ) {
        self.judge_status(forge, key, issue, |name| {
            label::parse(name).is_some_and(|label| !matches!(label, ManagedLabel::Priority(_)))
        });
    }

    fn judge_status(
        &mut self,
        forge: &mut ForgeSide,
        key: &IssueKey,
        issue: &Issue,
        counts: impl Fn(&str) -> bool,
    ) {
        let call = GetIssue { number: key.number };
        let Some(view) = forge.look(&key.repo, call) else { return };
        let names = view.labels.iter().map(|label| label.name.as_str());
        let shown: BTreeSet<_> = names.filter(|name| counts(name)).collect();
        let status = issue.managed.as_ref().and_then(|managed| managed.status());
        let wanted = status.map(Status::label).into_iter();
        let wanted: BTreeSet<_> = wanted.filter(|name| counts(name)).collect();
        if shown != wanted {
            self.broken("I2", format!("{key} shows {shown:?} instead of {wanted:?} (by Ralph)"));
        }
    }

    /// The forge has put an effect off.
    pub(crate) fn note_put_off(&mut self, leased: &Leased, now: Time, performed: &Performed) {
        let Performed::Later { until, .. } = performed else { return };
        let until = until.unwrap_or_else(|| now.plus(LATER_MAX));
        let repo = leased.effect.repo().to_string();
        let lane = if is_label(&leased.effect) {
            OrderingKey::Labels(repo)
        } else {
            leased.effect.ordering_key()
        };
        let known = self.record.put_off.entry(lane.name()).or_insert(until);
        *known = until.max(*known);
    }

    /// I5: an effect that is not a label waits only if the forge has put off an effect of the same kind.
    pub(crate) fn judge_held(&mut self, engine: &Engine) {
        for (lane, until) in engine.paused_keys() {
            let mut rows = engine.outbox().filter(|row| row.ordering_key == lane);
            let waits = rows.any(|row| !is_label(&row.effect));
            let put_off = self.record.put_off.get(lane);
            if waits && put_off.is_none_or(|put_off| until > *put_off) {
                self.broken(
                    "I5",
                    format!("{lane} is held, and the forge has put off nothing in it"),
                );
            }
        }
    }

    /// A queue command's label has gone: is its status there, or was exactly this command refused?
    pub(super) fn judge_cleared(
        &mut self,
        forge: &mut ForgeSide,
        machine: &Machine,
        key: &IssueKey,
        name: &str,
    ) {
        if !name.starts_with("ralph:cmd:queue") {
            return;
        }
        let call = GetIssue { number: key.number };
        let Some(view) = forge.look(&key.repo, call) else { return };
        let shows_status = view.labels.iter().any(|label| label.name.starts_with("ralph:status:"));
        // A person who takes the queued label away wants no status.
        let is_withdrawn = self.record.given_up.contains(key);
        let is_open = matches!(view.state, IssueState::Open { .. });
        // A person may have taken the status off again, unseen by Ralph.
        let effect = machine.task.effect.as_ref();
        let knew = !effect.is_some_and(|effect| self.record.unknowing.contains(effect));
        let knew = knew && self.knows_labels(key);
        let is_right = shows_status || is_withdrawn || !is_open || !knew;
        // A refusal that people have rewritten cannot be read.
        let is_right = is_right || self.record.rewritten.contains(key);
        if is_right {
            return;
        }
        let applied = forge.last_application(key, name);
        match applied.map(|event| (event, forge.shown_answer(key, event))) {
            Some((_, ShownAnswer::Refused)) => {}
            // The one result comment shows a later command by now, or the conversation is locked and there is none:
            // the journal has the answer to this one.
            Some((event, ShownAnswer::NotShown)) => {
                self.record.unread_refusals.insert((key.clone(), event));
            }
            Some((_, ShownAnswer::Otherwise)) | None => self.cleared_too_early(key, name),
        }
    }

    fn cleared_too_early(&mut self, key: &IssueKey, name: &str) {
        self.broken("C1", format!("{name} was removed from {key} before its status was set"));
    }

    /// C1: a queue command whose label went without a status was refused, if the comment no longer shows its answer.
    pub(crate) fn judge_unread_refusals(&mut self) {
        for (key, event) in std::mem::take(&mut self.record.unread_refusals) {
            let order = self.record.orders.get(&key).and_then(|orders| orders.get(&event));
            // A label by a person without the right to it is no order, and refused in any case.
            if order.is_some_and(|order| order.answer != Some(Answer::Refused)) {
                self.cleared_too_early(&key, "ralph:cmd:queue");
            }
        }
    }
}

const fn is_label(effect: &Effect) -> bool {
    match effect {
        Effect::Issue(_, act) => {
            matches!(act, IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. })
        }
        Effect::Repo(_, act) => matches!(act, RepoAct::DefineLabel { .. }),
        Effect::Machine(..) => false,
    }
}

/// Does Ralph look first whose the repository is, or what was done in it?
fn is_held_back(engine: &Engine, key: &IssueKey) -> bool {
    let Some(repo) = engine.world().repo(&key.repo) else { return false };
    let recalled = engine.world().issue(key).and_then(|issue| issue.recalled);
    !repo.mark.is_ours(engine.policy().instance.as_ref(), &repo.refusals)
        || !repo.mark.is_looked_up(recalled)
}

fn is_writing(engine: &Engine, key: &IssueKey) -> bool {
    engine.outbox().any(|row| match &row.effect {
        Effect::Issue(of, IssueAct::AddLabel { .. } | IssueAct::RemoveLabel { .. }) => of == key,
        Effect::Issue(..) | Effect::Repo(..) | Effect::Machine(..) => false,
    })
}

/// As far as Ralph knows, is there nothing to correct?
fn is_reconciled(issue: &Issue) -> bool {
    let Some(managed) = issue.managed.as_deref() else { return false };
    // A queued label on these may be a person's wish, which is heard before it is cleared away.
    let hears_wishes = matches!(managed.phase, Phase::Out | Phase::Escalated { .. });
    let shows_queued = issue
        .labels()
        .filter_map(label::parse)
        .any(|label| status_of(&label) == Some(Status::Queued));
    let is_sure = managed.labels.retry_at.is_none() && managed.labels.contradicted_until.is_none();
    issue.seen.is_some() && is_sure && !(hears_wishes && shows_queued)
}

/// For a while after its own write Ralph takes a read that shows something else for a stale one.
fn is_echoed(issue: &Issue, name: &str) -> bool {
    let book = issue.managed.as_ref().map(|managed| &managed.labels);
    book.is_some_and(|book| book.echoes.iter().any(|echo| echo.label.eq_ignore_ascii_case(name)))
}

const fn status_of(label: &ManagedLabel) -> Option<Status> {
    match label {
        ManagedLabel::Status(status) | ManagedLabel::LegacyStatus(status) => Some(*status),
        ManagedLabel::Command(_) | ManagedLabel::Priority(_) => None,
    }
}

#[cfg(test)]
mod tests;
