//! The operator at work: drains, resumes, and changes the settings of a Ralph that runs.

use crate::faults::Fault;
use crate::schedule::Event;
use crate::world::SimWorld;
use ralph_core::policy::Policy;
use ralph_core::time::Span;

/// So many runs in a thousand have an operator who cannot leave things alone.
const OPERATED_PER_MILLE: u64 = 400;
const CLAIMS_AFTER: u32 = 4;
/// The shortest and the longest drain, in milliseconds.
const DRAIN_MILLIS: (u64, u64) = (60_000, 600_000);

/// A change of the policy by the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Drain,
    Resume,
    /// A reload with other settings.
    Reload,
    /// Everything as it has to be for the good end.
    Settle,
}

impl SimWorld {
    pub(crate) fn plan_operations(&mut self, with_faults: Span) {
        if !self.prng.chance(OPERATED_PER_MILLE) {
            return;
        }
        let with_faults = u64::try_from(with_faults.0).unwrap_or(0);
        let drained = self.prng.below(with_faults);
        let resumed = drained + self.prng.between(DRAIN_MILLIS.0, DRAIN_MILLIS.1);
        self.schedule.after(self.clock.now(), drained, Event::Operator(Operation::Drain));
        self.schedule.after(self.clock.now(), resumed, Event::Operator(Operation::Resume));
        for _ in 0..self.prng.between(1, 2) {
            let at = self.prng.below(with_faults);
            self.schedule.after(self.clock.now(), at, Event::Operator(Operation::Reload));
        }
    }

    /// Changes the policy as the operator has it.
    pub(crate) fn operate(&mut self, operation: Operation, policy: &mut Policy) {
        let fault = match operation {
            Operation::Drain => Some(Fault::OperatorDrains),
            Operation::Reload => Some(Fault::OperatorReloads),
            Operation::Resume | Operation::Settle => None,
        };
        if let Some(fault) = fault {
            self.faults.count(fault);
        }
        self.trace.say(&format!("operator: {operation:?}"));
        match operation {
            Operation::Drain => policy.draining = !self.faults.is_calm,
            Operation::Resume => policy.draining = false,
            Operation::Reload => self.change_settings(policy),
            Operation::Settle => {
                policy.draining = false;
                for rules in policy.repos.values_mut() {
                    // Several have to be at their checks at once to be tried together.
                    rules.claims_max = rules.claims_max.max(CLAIMS_AFTER);
                    // One survey that proposes nothing is as good as many.
                    rules.survey &=
                        self.people.has_proposals || self.oracle.record.surveys.is_empty();
                    rules.preflight.get_or_insert_with(|| vec!["make check".to_owned()]);
                }
            }
        }
    }

    fn change_settings(&mut self, policy: &mut Policy) {
        let mut draw = |from, to| u32::try_from(self.prng.between(from, to)).unwrap_or(1);
        policy.max_workers = draw(1, 3);
        policy.poll_interval = Span::from_secs(i64::from(draw(300, 2_400)));
        for rules in policy.repos.values_mut() {
            rules.slots = draw(1, 3);
            rules.claims_max = draw(1, 8);
            rules.rollup_size = draw(1, 5);
            rules.weight_milli = draw(100, 10_000);
            let is_configured = draw(0, 3) > 0;
            rules.preflight = is_configured.then(|| vec!["make check".to_owned()]);
        }
    }
}
