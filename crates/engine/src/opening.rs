//! Opening: the lease taken, the rows read, what was interrupted recorded, everything decided once.

use crate::agenda::Agenda;
use crate::engine::{Engine, EngineError, Rules};
use crate::mark_reads::MarkReads;
use crate::queue::{Change, Queue};
use crate::requests::Requests;
use crate::store::{Row, RowState, Store, Takeover, WriterProof};
use crate::turn::Input;
use ralph_core::fact::{Fact, Subject, What};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::policy::Policy;
use ralph_core::time::Time;
use std::collections::BTreeSet;

impl Engine {
    /// Takes the writer's lease, reads the state rows, records what was interrupted and decides everything.
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

    /// Opens with other rules; only the simulator has a reason to.
    pub fn with_proof(
        store: Store,
        proof: WriterProof,
        now: Time,
        policy: Policy,
        rules: Rules,
    ) -> Result<Self, EngineError> {
        let world = store.world()?;
        let (rows, lost): (Vec<_>, Vec<_>) =
            store.outbox()?.into_iter().partition(|row| !row.lane.starts_with("process:"));
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

    /// Processes die with Ralph, so rows about them mean nothing to a new start.
    fn drop_process_rows(&mut self, now: Time) -> Result<(), EngineError> {
        let ids: Vec<_> = self.queue.rows().map(|row| row.id).collect();
        for id in ids {
            let outbox = Some(Change::Delete(id));
            self.turn(now, Input { outbox, ..Input::default() })?;
        }
        Ok(())
    }

    /// A row that was in somebody's hands goes back: whether it happened is not known. One that waits to be looked up
    /// waits its time from now on, because the clock that its time was set by may have been set meanwhile.
    fn recover_rows(&mut self, now: Time, rows: Vec<Row>) -> Result<(), EngineError> {
        let soonest = now.plus(self.look_again_after());
        let back = |row: &Row| match row.state {
            RowState::Claimed => {
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
            self.turn(now, Input { outbox, ..Input::default() })?;
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
        self.turn(now, Input { facts, also, ..Input::default() })
    }
}

fn subject_named(text: &str) -> Option<Subject> {
    let issue = IssueKey::parse(text).map(Subject::Issue);
    issue.or_else(|| RepoName::parse(text).map(Subject::Repo))
}
