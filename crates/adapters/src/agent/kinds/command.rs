//! Any program: the prompt on standard input, the answer on standard output, exit status 0 for a turn that ended well.

use crate::agent::event::Event;
use crate::agent::protocol::{End, Launch, Order, Protocol};
use ralph_contain::Ending;
use ralph_core::time::Time;

#[derive(Debug)]
pub(in crate::agent) struct PlainCommand;

impl Protocol for PlainCommand {
    fn launch(&mut self, order: &Order<'_>) -> Launch {
        Launch { arguments: order.program.arguments.clone(), ..Launch::default() }
    }

    fn hear(&mut self, _line: &str) -> Vec<Event> {
        Vec::new()
    }

    fn end(&mut self, _ending: Ending, _log: &str, _now: Time) -> End {
        End::default()
    }
}
