//! People who do as they please: relabel, comment, close, reopen, edit, command, push, at any moment. Some
//! kinds of visits happen in every life, all of them at random.

mod labels;
mod pulls;
mod relations;
mod words;

pub(crate) use pulls::Outdated;
pub(crate) use words::reference;

use crate::schedule::Event;
use crate::town::{MAINTAINER, Town};
use crate::weather::Fault;
use ralph_core::ids::IssueKey;
use ralph_core::label::Status;
use ralph_core::time::Span;
use ralph_forge::{CloseReason, IssueCall, IssueEdit, IssueState, Reply, StateChange};

/// What people do in every life at least once, and what the report calls it.
pub(crate) const IN_EVERY_LIFE: [(Fault, &str); 7] = [
    (Fault::PersonLabels, "relabel"),
    (Fault::PersonComments, "comment"),
    (Fault::PersonCloses, "close"),
    (Fault::PersonReopens, "reopen"),
    (Fault::PersonEdits, "edit_body"),
    (Fault::PersonMovesBase, "move_base"),
    (Fault::PersonCommands, "command"),
];

/// What they do besides, as each life's weather has it.
const BESIDES: [Fault; 22] = [
    Fault::PersonForeign,
    Fault::PersonLegacy,
    Fault::PersonBursts,
    Fault::PersonTakesBack,
    Fault::PersonTypes,
    Fault::PersonTypesAstray,
    Fault::PersonWithdraws,
    Fault::PersonTicks,
    Fault::PersonRelates,
    Fault::PersonRewords,
    Fault::PersonEditsOurs,
    Fault::PersonDeletes,
    Fault::PersonPushes,
    Fault::PersonClosesPull,
    Fault::PersonDeletesBranch,
    Fault::PersonNamesPull,
    Fault::PersonMerges,
    Fault::PersonRebases,
    Fault::PersonOpensRollup,
    Fault::PersonClosesRollup,
    Fault::StrangerCommands,
    Fault::StrangerNames,
];

/// Share of the storm, in thousandths, in which the visits of every life begin. The rest is for those who
/// found nothing to do and come again.
const FIRST_VISITS_PER_MILLE: u64 = 750;
/// After so long somebody who found nothing to do comes again.
const AGAIN_MILLIS: (u64, u64) = (20_000, 120_000);

/// Pull requests are seldom open and issues seldom escalated when people come by, so what is done then is
/// worth more draws.
const SELDOM_DRAWS: u32 = 5;

const fn needs_a_pull(fault: Fault) -> bool {
    matches!(
        fault,
        Fault::PersonPushes
            | Fault::PersonClosesPull
            | Fault::PersonDeletesBranch
            | Fault::PersonMerges
            | Fault::PersonRebases
            | Fault::PersonClosesRollup
    )
}

/// Words that might be taken for an answer to an escalation.
const fn answers(fault: Fault) -> bool {
    matches!(fault, Fault::PersonRewords | Fault::PersonEditsOurs)
}

impl Town {
    /// Each kind of visit that every life has gets its time in the storm.
    pub(crate) fn plan_visits(&mut self, storm: Span) {
        let within = u64::try_from(storm.0).unwrap_or(0) * FIRST_VISITS_PER_MILLE / 1_000;
        for (fault, _) in IN_EVERY_LIFE {
            let at = self.prng.below(within);
            self.schedule.after(self.now, at, Event::Visit(fault));
        }
    }

    /// One of the visits that every life has.
    pub(crate) fn visit(&mut self, fault: Fault) {
        if self.meddles_with_trial(fault) || self.weather.is_calm || self.meddle(fault) {
            return;
        }
        let again = self.prng.between(AGAIN_MILLIS.0, AGAIN_MILLIS.1);
        self.schedule.after(self.now, again, Event::Visit(fault));
    }

    /// A trial is meddled with once, whatever the weather.
    fn meddles_with_trial(&mut self, fault: Fault) -> bool {
        let is_it = fault == Fault::PersonMeddlesTrial;
        if is_it {
            self.meddle(fault);
        }
        is_it
    }

    /// People come by: each kind of meddling has its chance.
    pub(crate) fn people(&mut self) {
        let every_life = IN_EVERY_LIFE.iter().map(|(fault, _)| *fault);
        for fault in every_life.chain(BESIDES) {
            let is_seldom = needs_a_pull(fault) || answers(fault);
            let draws = match fault {
                Fault::PersonClosesRollup => 12 * SELDOM_DRAWS,
                _other if is_seldom => SELDOM_DRAWS,
                _other => 1,
            };
            if (0..draws).any(|_| self.weather.threatens(fault, 1, &mut self.prng)) {
                self.meddle(fault);
            }
        }
    }

    /// Does it to some issue; false if it came to nothing.
    fn meddle(&mut self, fault: Fault) -> bool {
        let Some(key) = self.target(fault) else { return false };
        let before = self.changes_by_others;
        self.meddle_with(fault, &key);
        let has_changed = self.changes_by_others > before;
        if has_changed {
            self.weather.count(fault);
            self.say(&format!("people: {} on {key}", fault.name()));
        }
        has_changed
    }

    /// An issue that it can be done to.
    fn target(&mut self, fault: Fault) -> Option<IssueKey> {
        let suits = |town: &mut Self, key: &IssueKey| match fault {
            Fault::PersonCloses => town.is_open(key),
            Fault::PersonReopens => !town.is_open(key),
            Fault::PersonClosesRollup => town.open_rollup(&key.repo).is_some(),
            Fault::PersonMeddlesTrial => town.open_trial(&key.repo).is_some(),
            fault if needs_a_pull(fault) => town.open_pull_of(key).is_some(),
            Fault::PersonDeletes | Fault::PersonEditsOurs => !town.comments(key).is_empty(),
            Fault::PersonWithdraws => town.statuses_on(key).contains(&Status::Queued),
            Fault::PersonTicks => town.body(key).contains("- ["),
            _any => true,
        };
        let mut keys = self.issues.clone();
        keys.retain(|key| suits(self, key));
        let mut asked = keys.clone();
        asked.retain(|key| {
            let says = answers(fault) || fault == Fault::PersonComments;
            says && self.statuses_on(key).contains(&Status::Escalated)
        });
        self.prng.pick(if asked.is_empty() { &keys } else { &asked }).cloned()
    }

    fn meddle_with(&mut self, fault: Fault, key: &IssueKey) {
        match fault {
            Fault::PersonLabels => self.edit_labels(key),
            Fault::PersonForeign => self.edit_foreign_labels(key),
            Fault::PersonLegacy => self.use_a_legacy_name(key),
            Fault::PersonCommands => self.command(key),
            Fault::PersonBursts => self.command_in_a_burst(key),
            Fault::PersonTakesBack => self.command_and_regret(key),
            Fault::PersonTypes => self.type_a_command(key),
            Fault::PersonTypesAstray => self.type_astray(key),
            Fault::PersonWithdraws => self.take_queued_away(key),
            Fault::PersonComments => self.pretend_to_answer(key),
            Fault::PersonRewords => self.say_and_reword(key),
            Fault::PersonEditsOurs => self.edit_a_comment_of_ours(key),
            Fault::PersonDeletes => self.delete_comment(key),
            Fault::PersonEdits => self.edit_body(key),
            Fault::PersonTicks => self.tick(key),
            Fault::PersonRelates => self.relate_anew(key),
            Fault::PersonCloses => self.close(key),
            Fault::PersonReopens => self.set_state(key, StateChange::Reopen),
            Fault::PersonMovesBase => self.move_base(&key.repo),
            Fault::PersonPushes => self.push_to_branch(key),
            Fault::PersonClosesPull => self.close_pull(key),
            Fault::PersonDeletesBranch => self.delete_branch_of(key),
            Fault::PersonNamesPull => self.name_a_pull(key),
            Fault::PersonMerges => self.merge_by_a_person(key),
            Fault::PersonRebases => self.rebase(key),
            Fault::PersonOpensRollup => self.open_own_rollup(&key.repo),
            Fault::PersonClosesRollup => self.close_rollup(&key.repo),
            Fault::PersonMeddlesTrial => self.meddle_with_trial(&key.repo),
            Fault::StrangerCommands => self.stranger_commands(key),
            Fault::StrangerNames => self.stranger_names_others(key),
            _other => {}
        }
    }

    pub(crate) fn close(&mut self, key: &IssueKey) {
        self.ledger.given_up.insert(key.clone());
        self.set_state(key, StateChange::Close(CloseReason::NotPlanned));
    }

    fn set_state(&mut self, key: &IssueKey, state: StateChange) {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        self.act(MAINTAINER, &key.repo, IssueCall::Edit { number: key.number, edit });
    }

    pub(crate) fn is_open(&mut self, key: &IssueKey) -> bool {
        match self.look(&key.repo, IssueCall::Get { number: key.number }) {
            Some(Reply::Issue(view)) => matches!(view.state, IssueState::Open { .. }),
            _other => false,
        }
    }
}
