//! The conditions for testing changes together before they are merged.

use super::Check;
use super::repository::{ABOUT, Subject};
use ralph_engine::ports::Read;
use ralph_github::{Client, Transport};

impl Subject<'_> {
    /// A branch that takes up-to-date heads only takes one after the other.
    pub(super) fn batches<T: Transport>(&self, client: &mut Client<T>) -> Read<Option<Check>> {
        let (name, bot) = (self.name, &self.repo.policy.bot_branch);
        if self.repo.policy.batch_max < 2 || client.wants_up_to_date(name, bot)? != Some(true) {
            return Ok(None);
        }
        let says = format!(
            "{bot} of {name} requires branches to be up to date before merging, so pull requests are tested \
             one after the other and `batch_max` does nothing"
        );
        let next = "drop that rule to have them tested together, or set `batch_max = 1`";
        Ok(Some(Check::note(ABOUT, says).next(next)))
    }
}
