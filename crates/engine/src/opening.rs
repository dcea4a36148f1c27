//! Opening: takes the lease, reads the rows, records interrupted work and decides everything once.

use crate::agenda::Agenda;
use crate::engine::{Engine, EngineError, Rules};
use crate::mark_reads::MarkReads;
use crate::queue::{Change, Queue};
use crate::requests::Requests;
use crate::store::{Row, RowState, Store, Takeover, WriterProof};
use crate::transaction::Input;
use ralph_core::fact::{Fact, Subject, What};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use std::collections::BTreeSet;

impl Engine {
    /// Takes the writer's lease, reads the state rows, records interrupted work and decides everything.
    pub fn open(
        mut store: Store,
        owner: &str,
        now: Time,
        policy: Policy,
        takeover: Takeover,
    ) -> Result<Self, EngineError> {
        let proof = store.take_writer_lease(owner, now, takeover).map_err(EngineError::Lease)?;
        Self::with_proof(store, proof, now, policy, Rules::default())
    }

    /// Opens with other rules. Only the simulator does this.
    pub fn with_proof(
        store: Store,
        proof: WriterProof,
        now: Time,
        policy: Policy,
        rules: Rules,
    ) -> Result<Self, EngineError> {
        let world = store.world()?;
        let (rows, lost): (Vec<_>, Vec<_>) =
            store.outbox()?.into_iter().partition(|row| !row.ordering_key.starts_with("process:"));
        let standings = store.verdicts()?;
        let subject = |text: &str| subject_named(text);
        let standings =
            standings.into_iter().filter_map(|(name, s)| Some((subject(&name)?, s))).collect();
        let agenda = Agenda::new(policy.poll_interval);
        let requests = Requests::load(store.requests()?);
        let mut engine = Self {
            store: Some(store),
            world,
            rules,
            policy,
            proof,
            queue: Queue::load(lost),
            agenda,
            requests,
            mark_reads: MarkReads::default(),
            standings,
            missing_texts: BTreeSet::new(),
            faults: Vec::new(),
            restless: 0,
            is_broken: false,
        };
        engine.drop_process_rows(now)?;
        engine.recover_rows(now, rows)?;
        engine.wake_up(now)?;
        Ok(engine)
    }

    /// Deletes rows about processes. Processes die with Ralph, so these rows mean nothing to a new start.
    fn drop_process_rows(&mut self, now: Time) -> Result<(), EngineError> {
        let ids: Vec<_> = self.queue.rows().map(|row| row.id).collect();
        for id in ids {
            let outbox = Some(Change::Delete(id));
            self.transact(now, Input { outbox, ..Input::default() })?;
        }
        Ok(())
    }

    /// Puts leased rows back, because it is unknown whether they happened. A row that waits for a look-up waits its
    /// full time again, because the clock may have been changed since.
    fn recover_rows(&mut self, now: Time, rows: Vec<Row>) -> Result<(), EngineError> {
        let soonest = now.plus(self.look_again_after());
        let back = |row: &Row| match row.state {
            RowState::Leased => {
                let reason = "Ralph ended while this was under way".to_owned();
                let (state, tries) = (RowState::Pending, row.tries.saturating_add(1));
                Some(Row { state, tries, due: soonest, reason, ..row.clone() })
            }
            RowState::Pending if row.tries > 0 && row.due < soonest => {
                Some(Row { due: soonest, ..row.clone() })
            }
            RowState::Pending => None,
        };
        let recovered: Vec<_> = rows.iter().filter_map(back).collect();
        self.queue = Queue::load(rows);
        for back in recovered {
            let outbox = Some(Change::Update(back));
            self.transact(now, Input { outbox, ..Input::default() })?;
        }
        Ok(())
    }

    fn wake_up(&mut self, now: Time) -> Result<(), EngineError> {
        let interrupted = self.world.issues().filter_map(|(key, issue)| {
            let work = issue.managed.as_ref()?.work.as_ref()?;
            Some(Fact::of(key.clone(), What::Interrupted { attempt: work.attempt }))
        });
        let facts = interrupted.collect();
        let also = self.everything();
        self.transact(now, Input { facts, also, ..Input::default() })
    }
}

fn subject_named(text: &str) -> Option<Subject> {
    let issue = IssueKey::parse(text).map(Subject::Issue);
    issue.or_else(|| RepoName::parse(text).map(Subject::Repo))
}
