//! People and labels: hand edits, old names, commands one by one, in bursts and taken back.

use crate::schedule::Event;
use crate::world::{MAINTAINER, SimWorld, TRIAGER};
use ralph_core::command::{Command, Manner};
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::label::Status;
use ralph_forge::{AddLabels, RemoveLabel};

/// Commands given within one second, of which the last decides.
const BURSTS: [[Command; 2]; 6] = [
    [Command::Pause, Command::Queue],
    [Command::Queue, Command::Pause],
    [Command::Stop, Command::Queue],
    [Command::Queue, Command::Stop],
    [Command::Pause, Command::Stop],
    [Command::Satisfy, Command::Pause],
];
/// A repository that is not configured, and a number above those of all issues.
const ELSEWHERE: &str = "acme/elsewhere";
const NO_SUCH_ISSUE: u64 = 9_000;

/// Names of another time.
const LEGACY: [&str; 6] = [
    "ralph:queued",
    "ralph:in-progress",
    "ralph:in-bot",
    "ralph:done",
    "ralph:escalated",
    "ralph:blocked",
];

impl SimWorld {
    /// Puts a status label on, or takes one off. A person who takes the queued one off gives the issue up.
    pub(super) fn edit_labels(&mut self, key: &IssueKey) {
        let shown = self.forge.statuses_on(key);
        let (there, others): (Vec<_>, Vec<_>) =
            Status::ALL.into_iter().partition(|status| shown.contains(status));
        let there: Vec<_> = there.into_iter().filter(|name| *name != Status::Queued).collect();
        let taken_off = self.prng.pick(&there).copied().filter(|_| self.prng.chance(500));
        if let Some(status) = taken_off {
            let (number, name) = (key.number, status.label().to_owned());
            self.act(MAINTAINER, &key.repo, RemoveLabel { number, name });
        } else if let Some(status) = self.prng.pick(&others) {
            self.label(MAINTAINER, key, vec![status.label().to_owned()]);
        }
    }

    pub(super) fn edit_foreign_labels(&mut self, key: &IssueKey) {
        let names = vec!["help wanted".to_owned(), "Ralphs-favourite".to_owned()];
        self.act(MAINTAINER, &key.repo, AddLabels { number: key.number, names });
    }

    pub(super) fn use_a_legacy_name(&mut self, key: &IssueKey) {
        let name = self.prng.pick(&LEGACY).map(|name| (*name).to_owned());
        self.label(MAINTAINER, key, name.into_iter().collect());
    }

    /// A person with the right to it puts labels on, which Ralph may have to take as commands.
    fn label(&mut self, who: &str, key: &IssueKey, names: Vec<String>) {
        self.act(who, &key.repo, AddLabels { number: key.number, names });
        self.oracle.note_intent(&mut self.forge, key);
    }

    pub(super) fn command(&mut self, key: &IssueKey) {
        let commands =
            [Command::Queue, Command::Pause, Command::Pause, Command::Stop, Command::Satisfy];
        let command = self.prng.pick(&commands).copied().unwrap_or(Command::Queue);
        let who = self.commander();
        self.order(who, key, &[command]);
    }

    /// Opposite commands within a second: at once, one after the other, or one of them twice.
    pub(super) fn command_in_a_burst(&mut self, key: &IssueKey) {
        let Some([first, last]) = self.prng.pick(&BURSTS).copied() else { return };
        let who = self.commander();
        match self.prng.below(3) {
            0 => self.order(who, key, &[first, last]),
            1 => {
                self.order(who, key, &[first]);
                let other = self.commander();
                self.order(other, key, &[last]);
            }
            _ => {
                self.order(who, key, &[first]);
                let name = first.label().to_owned();
                self.act(who, &key.repo, RemoveLabel { number: key.number, name });
                self.order(who, key, &[last, first]);
            }
        }
    }

    fn commander(&mut self) -> &'static str {
        if self.prng.chance(500) { TRIAGER } else { self.forge.keeper() }
    }

    fn order(&mut self, who: &str, key: &IssueKey, commands: &[Command]) {
        if commands.contains(&Command::Stop) {
            self.oracle.record.given_up.insert(key.clone());
        }
        let names = commands.iter().map(|command| command.label().to_owned()).collect();
        self.label(who, key, names);
    }

    /// Gives a command and takes it back, at once or a while later, when it may have been obeyed.
    pub(super) fn command_and_regret(&mut self, key: &IssueKey) {
        let Some(command) = self.prng.pick(&Command::ALL).copied() else { return };
        let who = self.commander();
        self.order(who, key, &[command]);
        let regretted = if self.prng.chance(300) { 0 } else { self.prng.between(1_000, 60_000) };
        let event = Event::TakesBack { issue: key.clone(), command };
        self.schedule.after(self.clock.now(), regretted, event);
    }

    pub(crate) fn take_back(&mut self, key: &IssueKey, command: Command) {
        let (who, name) = (self.commander(), command.label().to_owned());
        self.act(who, &key.repo, RemoveLabel { number: key.number, name });
    }

    /// Uses the command line on Ralph's own machine.
    pub(super) fn type_a_command(&mut self, key: &IssueKey) {
        let Some(command) = self.prng.pick(&Command::ALL).copied() else { return };
        let manner = match command {
            Command::Queue if self.prng.chance(400) => Manner::Fresh,
            Command::Satisfy if self.prng.chance(400) => Manner::Undo,
            Command::Queue | Command::Satisfy | Command::Pause | Command::Stop => Manner::Plain,
        };
        let event = Event::Types { issue: key.clone(), command, manner };
        self.schedule.after(self.clock.now(), 0, event);
    }

    /// A repository that is not configured, or a number that no issue has.
    pub(super) fn type_astray(&mut self, key: &IssueKey) {
        let commands = [Command::Queue, Command::Pause, Command::Stop];
        let Some(command) = self.prng.pick(&commands).copied() else { return };
        let number = NO_SUCH_ISSUE + self.prng.below(10);
        let elsewhere = RepoName::parse(ELSEWHERE).filter(|_| self.prng.chance(500));
        let issue = match elsewhere {
            Some(repo) => IssueKey::new(repo, key.number),
            None => IssueKey::new(key.repo.clone(), number),
        };
        self.oracle.record.astray.insert(issue.clone());
        self.schedule.after(
            self.clock.now(),
            0,
            Event::Types { issue, command, manner: Manner::default() },
        );
    }

    pub(super) fn take_queued_away(&mut self, key: &IssueKey) {
        self.oracle.record.given_up.insert(key.clone());
        let (who, name) = (self.forge.keeper(), Status::Queued.label().to_owned());
        self.act(who, &key.repo, RemoveLabel { number: key.number, name });
    }
}
