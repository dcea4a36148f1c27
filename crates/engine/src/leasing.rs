//! Leases effects: the oldest one that is due and whose ordering key is free, unless something has to be read first.

use crate::engine::{Engine, EngineError, Leased};
use crate::mark_reads::{UNSURE, needs_no_mark};
use crate::own_facts::mark_sets_out;
use crate::queue::Change;
use crate::store::{Row, RowState};
use crate::texts;
use crate::transaction::Input;
use ralph_core::effect::Effect;
use ralph_core::label_book;
use ralph_core::repo::mark_good_for;
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use ralph_core::words::{self, Prompt};

/// Pause before checking again whether the text of an issue has been read.
const TEXT_PAUSE: Span = Span::from_secs(5);
/// Longest such pause, after failed reads.
const TEXT_PAUSE_MAX: Span = Span::from_mins(5);
/// Pause before checking again whether a repository is configured.
const OUTSIDE_PAUSE: Span = Span::from_mins(10);
/// Pause before checking again whether a mark has been read.
const MARK_PAUSE: Span = Span::from_secs(1);

impl Engine {
    /// Leases the oldest effect that is due and whose ordering key is free.
    pub fn lease(&mut self, now: Time) -> Result<Option<Leased>, EngineError> {
        let Some(row) = self.next_row(now)? else { return Ok(None) };
        let store = self.store.as_ref().ok_or(EngineError::Broken)?;
        let Prompt { text: prompt, remarks } =
            texts::text_of(store, (&self.world, &self.policy), &row.effect)?;
        let outbox = Some(Change::Update(Row { state: RowState::Leased, ..row.clone() }));
        let facts = label_book::sets_out(&row.effect).into_iter().chain(mark_sets_out(&row.effect));
        let facts = facts.filter(|_| row.is_wanted);
        let facts = facts.collect();
        self.transact(now, Input { facts, outbox, ..Input::default() })?;
        Ok(Some(Leased {
            id: row.id,
            key: row.key,
            looks_first: row.tries > 0 || self.is_outdated(&row.effect),
            only_looks: !row.is_wanted,
            effect: row.effect,
            prompt,
            remarks,
            bot: self.policy.bot.clone(),
            token: self.proof.token(),
            valid_until: self.proof.expires(),
        }))
    }

    /// True if others, or a later copy of this store, worked in the repository. Then the result of the effect may
    /// already exist.
    fn is_outdated(&self, effect: &Effect) -> bool {
        let outdated = self.world.repo(effect.repo()).and_then(|repo| repo.mark.outdated);
        outdated.is_some_and(|outdated| outdated.is_certain)
    }

    /// Returns the next row that is due. The text of an issue is read before its agent starts, because the agent would
    /// guess without it.
    fn next_row(&mut self, now: Time) -> Result<Option<Row>, EngineError> {
        while let Some(row) = self.queue.next(now).cloned() {
            let store = self.store.as_ref().ok_or(EngineError::Broken)?;
            let back = if !self.policy.allows(&row.effect) {
                // Nothing is sent to a repository that is not configured, whatever the reason for the effect.
                Row { due: now.plus(OUTSIDE_PAUSE), reason: words::OUTSIDE.to_owned(), ..row }
            } else if row.is_wanted && !self.is_surely_ours(now, &row.effect) {
                let mark = Resource::Mark(row.effect.repo().clone());
                self.agenda.hurry(now, &mark);
                let (failures, _) = self.agenda.failures(&mark);
                let due = now.plus(MARK_PAUSE.doubled(failures, TEXT_PAUSE_MAX));
                Row { due, reason: UNSURE.to_owned(), ..row }
            } else if let Some(issue) = texts::missing(store, &row.effect)? {
                let (failures, why) = self.agenda.failures(&Resource::Issue(issue.clone()));
                let reason = why.map(str::to_owned).unwrap_or_default();
                self.missing_texts.insert(issue);
                Row { due: now.plus(TEXT_PAUSE.doubled(failures, TEXT_PAUSE_MAX)), reason, ..row }
            } else {
                return Ok(Some(row));
            };
            self.transact(now, Input { outbox: Some(Change::Update(back)), ..Input::default() })?;
        }
        Ok(None)
    }

    /// True if a recent read showed that no other Ralph has taken over the repository.
    fn is_surely_ours(&self, now: Time, effect: &Effect) -> bool {
        let name = effect.repo();
        let has_mark = self.world.repo(name).is_some_and(|repo| repo.mark.own.is_some());
        self.policy.instance.is_none()
            || !has_mark
            || needs_no_mark(effect)
            || self.mark_reads.is_fresh(now, name, mark_good_for(self.policy.poll_interval))
    }
}
