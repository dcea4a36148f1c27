//! The way to give a message to work under way, and what became of each: a program takes words only between its start
//! and its end, and the end of the work names the messages that it was given.

use crate::wall_clock;
use ralph_core::messages::MessageId;
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, RefusalKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The pause before a program that is about to start is tried again.
const START_PAUSE: Span = Span::from_secs(2);
pub(crate) const OVER: &str = "the turn is over";
const DEAF: &str = "its program takes no words while it works";

/// Passes words on to a program that runs; false if it takes none.
pub(crate) type Teller = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Clones share everything.
#[derive(Clone, Default)]
pub(crate) struct Listener(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    stage: Stage,
    /// The messages that the program was given, with their words.
    heard: Vec<(MessageId, String)>,
}

#[derive(Default)]
enum Stage {
    /// No program runs yet.
    #[default]
    Starting,
    Running(Teller),
    Over,
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

impl Listener {
    /// A program runs. One that replaces another, which did not know its session, is given the same messages.
    pub(crate) fn begin(&self, teller: Teller) {
        let mut state = self.state();
        state.heard.retain(|(_, words)| teller(words));
        state.stage = Stage::Running(teller);
    }

    /// The program has ended; another may follow.
    pub(crate) fn pause(&self) {
        self.state().stage = Stage::Starting;
    }

    /// The work is over. Returns the messages that its program was given.
    pub(crate) fn end(&self) -> Vec<MessageId> {
        let mut state = self.state();
        state.stage = Stage::Over;
        std::mem::take(&mut state.heard).into_iter().map(|(message, _)| message).collect()
    }

    pub(crate) fn tell(&self, message: MessageId, words: &str) -> Answer<()> {
        let mut state = self.state();
        if state.heard.iter().any(|(known, _)| *known == message) {
            return Answer::Happened(());
        }
        let is_taken = match &state.stage {
            Stage::Starting => {
                let until = Some(wall_clock::now().plus(START_PAUSE));
                return Answer::Later { until, why: "its program is starting".to_owned() };
            }
            Stage::Over => return Answer::refused(RefusalKind::Missing, OVER),
            Stage::Running(teller) => teller(words),
        };
        if !is_taken {
            return Answer::refused(RefusalKind::Other, DEAF);
        }
        state.heard.push((message, words.to_owned()));
        Answer::Happened(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: MessageId = MessageId::Tell(1);

    #[test]
    fn a_message_is_taken_once_and_only_while_a_program_runs() {
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = said.clone();
        let listener = Listener::default();
        assert!(matches!(listener.tell(ONE, "a"), Answer::Later { .. }));
        listener.begin(Arc::new(move |words| {
            kept.lock().unwrap().push(words.to_owned());
            true
        }));
        assert_eq!(listener.tell(ONE, "a"), Answer::Happened(()));
        assert_eq!(listener.tell(ONE, "a"), Answer::Happened(()), "asked again");
        assert_eq!(*said.lock().unwrap(), ["a"]);
        assert_eq!(listener.end(), [ONE]);
        assert!(matches!(listener.tell(MessageId::Tell(2), "b"), Answer::Refused(_)));
    }

    #[test]
    fn a_program_that_takes_the_place_of_another_gets_its_messages_and_a_deaf_one_none() {
        let listener = Listener::default();
        listener.begin(Arc::new(|_| true));
        assert_eq!(listener.tell(ONE, "a"), Answer::Happened(()));
        listener.pause();
        listener.begin(Arc::new(|_| false));
        assert!(matches!(listener.tell(ONE, "a"), Answer::Refused(_)));
        assert_eq!(listener.end(), []);
    }
}
