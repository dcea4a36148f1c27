//! People who do as they please: relabel, comment, close, reopen, edit, command, push, at any moment. Some kinds of
//! visits happen in every run, all of them at random.

mod labels;
pub(crate) mod operator;
mod pulls;
mod relations;
mod resolver;
mod steering;
pub(crate) mod syncing;
mod trials;
mod words;

pub(crate) use pulls::Outdated;
pub(crate) use steering::STEERING;
pub(crate) use words::reference;

use crate::faults::Fault;
use crate::schedule::Event;
use crate::world::{MAINTAINER, SimWorld};
use ralph_core::ids::IssueKey;
use ralph_core::label::Status;
use ralph_core::time::Span;
use ralph_engine::Engine;
use ralph_forge::{CloseReason, EditIssue, IssueEdit, StateChange};

/// The visits that every run has at least once, and their names in the report.
pub(crate) const IN_EVERY_RUN: [(Fault, &str); 7] = [
    (Fault::PersonLabels, "relabel"),
    (Fault::PersonComments, "comment"),
    (Fault::PersonCloses, "close"),
    (Fault::PersonReopens, "reopen"),
    (Fault::PersonEdits, "edit_body"),
    (Fault::PersonMovesBase, "move_base"),
    (Fault::PersonCommands, "command"),
];

/// Further visits, at the rates of each run's fault plan.
const BESIDES: [Fault; 25] = [
    Fault::PersonForeign,
    Fault::PersonLegacy,
    Fault::PersonBursts,
    Fault::PersonTakesBack,
    Fault::PersonTypes,
    Fault::PersonTypesAstray,
    Fault::PersonTells,
    Fault::PersonSteers,
    Fault::StrangerSteers,
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

/// The share of the time with faults, in thousandths, in which the visits of every run begin. The rest is for
/// visitors who found nothing to do and come again.
const FIRST_VISITS_PER_MILLE: u64 = 750;
/// The time after which a visitor who found nothing to do comes again.
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

/// The people around the repositories, and the issues they have opened.
#[derive(Debug, Default)]
pub(crate) struct People {
    /// The issues people have asked for, oldest first.
    pub(crate) issues: Vec<IssueKey>,
    /// The number of events on the forge that others than Ralph caused.
    pub(crate) changes_by_others: u64,
    pub(crate) outdated: Outdated,
    /// Surveys propose something.
    pub(crate) has_proposals: bool,
    /// The operator wants every open issue worked on, labelled or not.
    pub(crate) is_automatic: bool,
}

impl SimWorld {
    /// Plans each kind of visit that every run has.
    pub(crate) fn plan_visits(&mut self, with_faults: Span) {
        let within = u64::try_from(with_faults.0).unwrap_or(0) * FIRST_VISITS_PER_MILLE / 1_000;
        for (fault, _) in IN_EVERY_RUN {
            let at = self.prng.below(within);
            self.schedule.after(self.clock.now(), at, Event::Visit(fault));
        }
    }

    /// One of the visits that every run has.
    pub(crate) fn visit(&mut self, fault: Fault) {
        if self.meddles_with_trial(fault) || self.faults.is_calm || self.meddle(fault) {
            return;
        }
        let again = self.prng.between(AGAIN_MILLIS.0, AGAIN_MILLIS.1);
        self.schedule.after(self.clock.now(), again, Event::Visit(fault));
    }

    /// A trial is meddled with once, whatever the fault plan.
    fn meddles_with_trial(&mut self, fault: Fault) -> bool {
        let is_it = fault == Fault::PersonMeddlesTrial;
        if is_it {
            self.meddle(fault);
        }
        is_it
    }

    /// People come by: each kind of meddling has its chance.
    pub(crate) fn people(&mut self) {
        let every_run = IN_EVERY_RUN.iter().map(|(fault, _)| *fault);
        for fault in every_run.chain(BESIDES) {
            let is_seldom = needs_a_pull(fault) || answers(fault);
            let draws = match fault {
                Fault::PersonClosesRollup => 12 * SELDOM_DRAWS,
                Fault::PersonTells | Fault::PersonSteers | Fault::StrangerSteers => {
                    2 * SELDOM_DRAWS
                }
                _other if is_seldom => SELDOM_DRAWS,
                _other => 1,
            };
            if (0..draws).any(|_| self.faults.threatens(fault, 1, &mut self.prng)) {
                self.meddle(fault);
            }
        }
    }

    /// Does it to some issue; false if it came to nothing.
    fn meddle(&mut self, fault: Fault) -> bool {
        let Some(key) = self.target(fault) else { return false };
        let before = self.people.changes_by_others;
        self.meddle_with(fault, &key);
        let has_changed = self.people.changes_by_others > before;
        if has_changed {
            self.faults.count(fault);
            self.trace.say(&format!("people: {} on {key}", fault.name()));
        }
        has_changed
    }

    /// An issue that it can be done to.
    fn target(&mut self, fault: Fault) -> Option<IssueKey> {
        let suits = |world: &mut Self, key: &IssueKey| match fault {
            Fault::PersonCloses => world.forge.is_open(key),
            Fault::PersonReopens => !world.forge.is_open(key),
            Fault::PersonClosesRollup => world.forge.open_rollup(&key.repo).is_some(),
            Fault::PersonMeddlesTrial => world.forge.open_trial(&key.repo).is_some(),
            fault if needs_a_pull(fault) => world.forge.open_pull_of(&world.machine, key).is_some(),
            Fault::PersonDeletes | Fault::PersonEditsOurs => !world.forge.comments(key).is_empty(),
            Fault::PersonWithdraws => world.forge.statuses_on(key).contains(&Status::Queued),
            Fault::PersonTicks => world.forge.body(key).contains("- ["),
            _any => true,
        };
        let mut keys = self.people.issues.clone();
        keys.retain(|key| suits(self, key));
        let mut asked = keys.clone();
        asked.retain(|key| {
            let says = answers(fault) || fault == Fault::PersonComments;
            says && self.forge.statuses_on(key).contains(&Status::Escalated)
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
            Fault::PersonTells => self.tell(key),
            Fault::PersonSteers => self.steer(key),
            Fault::StrangerSteers => self.steer_as_a_stranger(key),
            Fault::PersonWithdraws => self.take_queued_away(key),
            Fault::PersonComments => self.pretend_to_answer(key),
            Fault::PersonRewords => self.say_and_reword(key),
            Fault::PersonEditsOurs => self.edit_a_comment_of_ours(key),
            Fault::PersonDeletes => self.delete_comment(key),
            Fault::PersonEdits => self.edit_body(key),
            Fault::PersonTicks => self.tick(key),
            Fault::PersonRelates => self.change_relation(key),
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
        self.oracle.record.given_up.insert(key.clone());
        self.set_state(key, StateChange::Close(CloseReason::NotPlanned));
    }

    fn set_state(&mut self, key: &IssueKey, state: StateChange) {
        let edit = IssueEdit { state: Some(state), ..IssueEdit::default() };
        self.act(MAINTAINER, &key.repo, EditIssue { number: key.number, edit });
    }
}

impl People {
    /// An issue that a person queued and Ralph has not seen.
    pub(crate) fn unseen(&self, engine: &Engine) -> Option<IssueKey> {
        let is_known =
            |key: &&IssueKey| engine.world().issue(key).is_some_and(|issue| issue.seen.is_some());
        self.issues.iter().find(|key| !is_known(key)).cloned()
    }
}
