//! The expensive checks: memory against rows, rows against the journal, deciding a part against deciding everything.
//! Played at every crash, every 128 steps and at the end.

use crate::forge::ForgeSide;
use crate::oracle::Oracle;
use ralph_core::effect::Effect;
use ralph_core::fact::Subject;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::Issue;
use ralph_core::repo::Repo;
use ralph_core::world::World;
use ralph_engine::store::Store;
use ralph_engine::{Engine, Rules};
use std::collections::BTreeMap;

impl Oracle {
    pub(crate) fn judge_consistency(
        &mut self,
        forge: &mut ForgeSide,
        engine: &Engine,
        rules: &Rules,
    ) {
        self.judge_rows(forge, engine);
        self.judge_full_decision(engine, rules);
    }

    /// The same in the middle of things: what time alone brings about may be due and not decided yet.
    pub(crate) fn judge_consistency_at_death(
        &mut self,
        forge: &mut ForgeSide,
        engine: &Engine,
        rules: &Rules,
    ) {
        self.judge_rows(forge, engine);
        let now = self.clock.ralph_time();
        if engine.next_alarm().is_none_or(|at| at > now) {
            self.judge_full_decision(engine, rules);
        }
    }

    /// E5 and E6.
    fn judge_rows(&mut self, forge: &mut ForgeSide, engine: &Engine) {
        let Some(store) = engine.store() else { return };
        let seq = self.facts.last().map_or(0, |entry| entry.seq);
        let read = self.rows.read(store);
        let (true, Ok(journal)) = (read, store.journal_after(seq)) else {
            self.broken("E5", "the stored rows cannot be read".to_owned());
            return;
        };
        if let Some(difference) = self.rows.difference(engine.world()) {
            self.broken("E5", difference);
        }
        for entry in &journal {
            self.judge_answer(forge, &entry.fact);
            self.judge_blame(forge, entry.at, &entry.fact);
            self.folded.apply(entry.at, &entry.fact);
        }
        self.facts.extend(journal);
        if let Some(difference) = self.rows.difference(&self.folded) {
            self.broken("E6", difference);
        }
        let stored = store.outbox().unwrap_or_default();
        if !engine.outbox().eq(stored.iter()) {
            self.broken("E5", "the outbox in memory differs from the stored one".to_owned());
        }
    }

    /// E6 for the whole journal: the facts in the store are the end of all facts that were ever stored and folded.
    pub(crate) fn judge_journal(&mut self, engine: &Engine) {
        let Some(Ok(kept)) = engine.store().map(|store| store.journal_after(0)) else { return };
        if !self.facts.ends_with(&kept) {
            self.broken("E6", "the journal has lost a fact in its middle".to_owned());
        }
    }

    /// E4: what would be decided now for everything is what is wanted already. A clock that was set back shows
    /// a time at which other things were right, so nothing is compared until it is past that again.
    fn judge_full_decision(&mut self, engine: &Engine, rules: &Rules) {
        let (world, now) = (engine.world(), self.clock.ralph_time());
        // What is due at this very moment is decided next.
        let is_due = engine.next_alarm().is_some_and(|due| due <= now);
        if now < self.clock.set_back_from() || is_due {
            return;
        }
        let plan = (rules.decide)(world, &world.everything(engine.policy()), now, engine.policy());
        let mut rows: BTreeMap<Subject, Vec<&Effect>> = BTreeMap::new();
        for row in engine.outbox().filter(|row| row.is_wanted) {
            rows.entry(row.effect.subject()).or_default().push(&row.effect);
        }
        for decision in &plan.decisions {
            if let Some(step) = decision.moves.first() {
                self.broken("E4", format!("{} would move: {step:?}", decision.subject));
                continue;
            }
            let mut wanted: Vec<_> = decision.effects.iter().map(Effect::key).collect();
            let queued = rows.remove(&decision.subject).unwrap_or_default();
            let mut queued: Vec<_> = queued.into_iter().map(Effect::key).collect();
            wanted.sort();
            queued.sort();
            if wanted != queued {
                let subject = &decision.subject;
                self.broken("E4", format!("{subject}: wanted {wanted:?}, queued {queued:?}"));
            }
        }
    }
}

/// The stored state rows. A text that was read before is not parsed again.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    issues: BTreeMap<IssueKey, (String, Issue)>,
    repos: BTreeMap<RepoName, Repo>,
}

impl Rows {
    /// Reads what is stored now; false if it cannot be read.
    fn read(&mut self, store: &Store) -> bool {
        let (Ok(texts), Ok(repos)) = (store.issue_texts(), store.repos()) else { return false };
        let mut known = std::mem::take(&mut self.issues);
        self.repos = repos.into_iter().collect();
        for (key, text) in texts {
            let row = match known.remove(&key).filter(|(known, _)| *known == text) {
                Some(row) => row,
                None => match serde_json::from_str(&text) {
                    Ok(issue) => (text, issue),
                    Err(_) => return false,
                },
            };
            self.issues.insert(key, row);
        }
        true
    }

    fn difference(&self, world: &World) -> Option<String> {
        let rows = self.issues.iter().map(|(key, (_, issue))| (key, issue));
        for ((key, a), (twin, b)) in rows.zip(world.issues()) {
            if key != twin || a != b {
                return Some(format!("{key} differs from {twin}:\n  {a:?}\n  {b:?}"));
            }
        }
        for ((name, a), (twin, b)) in self.repos.iter().zip(world.repos()) {
            if name != twin || a != b {
                return Some(format!("{name} differs from {twin}:\n  {a:?}\n  {b:?}"));
            }
        }
        let counts = (world.issues().count(), world.repos().count());
        let is_whole = counts == (self.issues.len(), self.repos.len());
        (!is_whole).then(|| "one has more rows than the other".to_owned())
    }
}
