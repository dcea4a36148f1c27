//! People who do as they please: relabel, comment, close, reopen, edit, command, push, at any moment. Some
//! kinds of visits happen in every life, all of them at random.

mod labels;
mod pulls;
mod relations;
mod words;

use crate::schedule::Event;
use crate::town::{MAINTAINER, Town};
use crate::weather::Fault;
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
const BESIDES: [Fault; 16] = [
    Fault::PersonForeign,
    Fault::PersonLegacy,
    Fault::PersonBursts,
    Fault::PersonTakesBack,
    Fault::PersonWithdraws,
    Fault::PersonTicks,
    Fault::PersonRelates,
    Fault::PersonRewords,
    Fault::PersonEditsOurs,
    Fault::PersonDeletes,
    Fault::PersonPushes,
    Fault::PersonClosesPull,
    Fault::PersonMerges,
    Fault::PersonRebases,
    Fault::PersonClosesRollup,
    Fault::StrangerCommands,
];

/// Share of the storm, in thousandths, in which the visits of every life begin. The rest is for those who
/// found nothing to do and come again.
const FIRST_VISITS_PER_MILLE: u64 = 750;
/// After so long somebody who found nothing to do comes again.
const AGAIN_MILLIS: (u64, u64) = (20_000, 120_000);

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
        if self.weather.is_calm || self.meddle(fault) {
            return;
        }
        let again = self.prng.between(AGAIN_MILLIS.0, AGAIN_MILLIS.1);
        self.schedule.after(self.now, again, Event::Visit(fault));
    }

    /// People come by: each kind of meddling has its chance.
    pub(crate) fn people(&mut self) {
        let every_life = IN_EVERY_LIFE.iter().map(|(fault, _)| *fault);
        for fault in every_life.chain(BESIDES) {
            if self.weather.threatens(fault, 1, &mut self.prng) {
                self.meddle(fault);
            }
        }
    }

    /// Does it to some issue; false if it came to nothing.
    fn meddle(&mut self, fault: Fault) -> bool {
        let Some(number) = self.target(fault) else { return false };
        let before = self.changes_by_others;
        self.meddle_with(fault, number);
        let has_changed = self.changes_by_others > before;
        if has_changed {
            self.weather.count(fault);
            self.say(&format!("people: {} on #{number}", fault.name()));
        }
        has_changed
    }

    /// An issue that it can be done to.
    fn target(&mut self, fault: Fault) -> Option<u64> {
        let suits = |town: &mut Self, number: u64| match fault {
            Fault::PersonCloses => town.is_open(number),
            Fault::PersonReopens => !town.is_open(number),
            Fault::PersonPushes
            | Fault::PersonClosesPull
            | Fault::PersonMerges
            | Fault::PersonRebases => town.open_pull_of(number).is_some(),
            _any => true,
        };
        let numbers: Vec<_> = (1..=self.issues).filter(|number| suits(self, *number)).collect();
        self.prng.pick(&numbers).copied()
    }

    fn meddle_with(&mut self, fault: Fault, number: u64) {
        match fault {
            Fault::PersonLabels => self.edit_labels(number),
            Fault::PersonForeign => self.edit_foreign_labels(number),
            Fault::PersonLegacy => self.use_a_legacy_name(number),
            Fault::PersonCommands => self.command(number),
            Fault::PersonBursts => self.command_in_a_burst(number),
            Fault::PersonTakesBack => self.take_a_command_back(number),
            Fault::PersonWithdraws => self.take_queued_away(number),
            Fault::PersonComments => self.pretend_to_answer(number),
            Fault::PersonRewords => self.reword(number),
            Fault::PersonEditsOurs => self.edit_a_comment_of_ours(number),
            Fault::PersonDeletes => self.delete_comment(number),
            Fault::PersonEdits => self.edit_body(number),
            Fault::PersonTicks => self.tick(number),
            Fault::PersonRelates => self.relate_anew(number),
            Fault::PersonCloses => self.close(number),
            Fault::PersonReopens => self.set_state(number, StateChange::Reopen),
            Fault::PersonMovesBase => self.move_base(),
            Fault::PersonPushes => self.push_to_branch(number),
            Fault::PersonClosesPull => self.close_pull(number),
            Fault::PersonMerges => self.merge_by_a_person(number),
            Fault::PersonRebases => self.rebase(number),
            Fault::PersonClosesRollup => self.close_rollup(),
            Fault::StrangerCommands => self.stranger_commands(number),
            _other => {}
        }
    }

    pub(crate) fn close(&mut self, number: u64) {
        let key = self.key(number);
        self.ledger.given_up.insert(key);
        self.set_state(number, StateChange::Close(CloseReason::NotPlanned));
    }

    fn set_state(&mut self, number: u64, state: StateChange) {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        self.act(MAINTAINER, IssueCall::Edit { number, edit });
    }

    pub(crate) fn is_open(&mut self, number: u64) -> bool {
        match self.look(IssueCall::Get { number }) {
            Some(Reply::Issue(view)) => matches!(view.state, IssueState::Open { .. }),
            _other => false,
        }
    }
}
