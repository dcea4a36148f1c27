//! Messages to a simulated process while it works.

use crate::bugs::Bug;
use crate::world::SimWorld;
use ralph_core::ids::{Attempt, IssueKey};
use ralph_core::messages::MessageId;
use ralph_engine::ports::{Answer, RefusalKind};

impl SimWorld {
    pub(crate) fn tell_process(
        &mut self,
        (issue, attempt): (&IssueKey, Attempt),
        message: MessageId,
        words: &str,
    ) -> Answer<()> {
        let place = (issue.clone(), attempt);
        let process = self.machine.processes.get_mut(&place).filter(|process| process.is_alive);
        let Some(process) = process else {
            return Answer::refused(RefusalKind::Missing, "the turn is over");
        };
        self.oracle.judge_told((issue, attempt), &process.job, words);
        if !process.takes_messages {
            return Answer::refused(RefusalKind::Other, "it takes no words while it works");
        }
        self.oracle.note_given((issue, attempt), words);
        // As if nobody had noticed that the program took it.
        if self.faults.bug == Some(Bug::TellsTwice) {
            return Answer::refused(RefusalKind::Other, "it takes no words while it works");
        }
        process.heard.push(message);
        Answer::Happened(())
    }
}
