//! People and labels: hand edits, old names, commands one by one, in bursts and taken back.

use crate::town::{MAINTAINER, TRIAGER, Town};
use ralph_core::command::Command;
use ralph_core::label::Status;
use ralph_forge::{IssueCall, LabelCall, Reply};

/// Commands given within one second, of which the last decides.
const BURSTS: [[Command; 2]; 6] = [
    [Command::Pause, Command::Queue],
    [Command::Queue, Command::Pause],
    [Command::Stop, Command::Queue],
    [Command::Queue, Command::Stop],
    [Command::Pause, Command::Stop],
    [Command::Satisfy, Command::Pause],
];
/// Names of another time.
const LEGACY: [&str; 6] = [
    "ralph:queued",
    "ralph:in-progress",
    "ralph:in-bot",
    "ralph:done",
    "ralph:escalated",
    "ralph:blocked",
];

impl Town {
    pub(super) fn edit_labels(&mut self, number: u64) {
        let Some(status) = self.prng.pick(&Status::ALL).copied() else { return };
        let name = status.label().to_owned();
        if self.prng.chance(500) {
            self.label(MAINTAINER, number, vec![name]);
        } else if status != Status::Queued {
            self.act(MAINTAINER, LabelCall::Remove { number, name });
        }
    }

    pub(super) fn edit_foreign_labels(&mut self, number: u64) {
        let names = vec!["help wanted".to_owned(), "Ralphs-favourite".to_owned()];
        self.act(MAINTAINER, LabelCall::Add { number, names });
    }

    pub(super) fn use_a_legacy_name(&mut self, number: u64) {
        let name = self.prng.pick(&LEGACY).map(|name| (*name).to_owned());
        self.label(MAINTAINER, number, name.into_iter().collect());
    }

    /// Somebody who may puts labels on, which Ralph may have to take as commands.
    fn label(&mut self, who: &str, number: u64, names: Vec<String>) {
        self.act(who, LabelCall::Add { number, names });
        let key = self.key(number);
        self.note_intent(&key);
    }

    pub(super) fn command(&mut self, number: u64) {
        let commands =
            [Command::Queue, Command::Pause, Command::Pause, Command::Stop, Command::Satisfy];
        let command = self.prng.pick(&commands).copied().unwrap_or(Command::Queue);
        let who = self.commander();
        self.order(who, number, &[command]);
    }

    /// Opposite commands within a second: at once, one after the other, or one of them twice.
    pub(super) fn command_in_a_burst(&mut self, number: u64) {
        let Some([first, last]) = self.prng.pick(&BURSTS).copied() else { return };
        let who = self.commander();
        match self.prng.below(3) {
            0 => self.order(who, number, &[first, last]),
            1 => {
                self.order(who, number, &[first]);
                let other = self.commander();
                self.order(other, number, &[last]);
            }
            _ => {
                self.order(who, number, &[first]);
                let name = first.label().to_owned();
                self.act(who, LabelCall::Remove { number, name });
                self.order(who, number, &[last, first]);
            }
        }
    }

    fn commander(&mut self) -> &'static str {
        if self.prng.chance(500) { TRIAGER } else { self.keeper() }
    }

    fn order(&mut self, who: &str, number: u64, commands: &[Command]) {
        if commands.contains(&Command::Stop) {
            self.ledger.given_up.insert(self.key(number));
        }
        let names = commands.iter().map(|command| command.label().to_owned()).collect();
        self.label(who, number, names);
    }

    /// Takes off whatever command is there.
    pub(super) fn take_a_command_back(&mut self, number: u64) {
        let Some(Reply::Issue(view)) = self.look(IssueCall::Get { number }) else { return };
        let mut names = view.labels.iter().map(|label| label.name.as_str());
        if let Some(name) = names.find(|name| Command::from_label(name).is_some()) {
            let (who, name) = (self.commander(), name.to_owned());
            self.act(who, LabelCall::Remove { number, name });
        }
    }

    pub(super) fn take_queued_away(&mut self, number: u64) {
        let key = self.key(number);
        self.ledger.given_up.insert(key);
        let (who, name) = (self.keeper(), Status::Queued.label().to_owned());
        self.act(who, LabelCall::Remove { number, name });
    }
}
