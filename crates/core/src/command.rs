//! The commands that an operator gives by putting a label on an issue.

use crate::label::{self, ManagedLabel};
use serde::{Deserialize, Serialize};
use std::fmt;

/// An operator's command. Each is one label; the forge's event that applied the label identifies the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Command {
    Queue,
    Pause,
    Stop,
    Satisfy,
}

impl Command {
    pub const ALL: [Self; 4] = [Self::Queue, Self::Pause, Self::Stop, Self::Satisfy];

    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Queue => "ralph:cmd:queue",
            Self::Pause => "ralph:cmd:pause",
            Self::Stop => "ralph:cmd:stop",
            Self::Satisfy => "ralph:cmd:satisfy",
        }
    }

    /// The word for the command, on the command line too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Pause => "pause",
            Self::Stop => "stop",
            Self::Satisfy => "satisfy",
        }
    }

    /// Reads the short name, ignoring case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| name.eq_ignore_ascii_case(command.name()))
    }

    /// Reads a label's full name; `None` for a label that is not a command.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let Some(ManagedLabel::Command(command)) = label::parse(label) else { return None };
        Some(command)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The form in which a command is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manner {
    #[default]
    Plain,
    /// `queue` with a new plan, on a fresh branch.
    Fresh,
    /// `satisfy`, taken back.
    Undo,
}

impl Manner {
    pub const ALL: [Self; 3] = [Self::Plain, Self::Fresh, Self::Undo];

    const fn name(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Fresh => "fresh",
            Self::Undo => "undo",
        }
    }

    /// Reads a command as a person would type it: `queue`, `queue --fresh`, `satisfy --undo`.
    #[must_use]
    pub fn read(text: &str) -> Option<(Command, Self)> {
        let (command, manner) = match text.split_once(" --") {
            Some((command, name)) => {
                let mut named = Self::ALL.into_iter().filter(|known| *known != Self::Plain);
                (command, named.find(|known| known.name() == name)?)
            }
            None => (text, Self::Plain),
        };
        let command = Command::from_name(command)?;
        let fits = match manner {
            Self::Plain => true,
            Self::Fresh => command == Command::Queue,
            Self::Undo => command == Command::Satisfy,
        };
        fits.then_some((command, manner))
    }

    /// The command as a person would type it.
    #[must_use]
    pub fn of(self, command: Command) -> String {
        match self {
            Self::Plain => command.to_string(),
            Self::Fresh | Self::Undo => format!("{command} --{}", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_read_back_from_its_label_and_its_name() {
        for command in Command::ALL {
            assert_eq!(Command::from_label(command.label()), Some(command));
            assert_eq!(Command::from_name(&command.to_string().to_uppercase()), Some(command));
            assert_eq!(command.label(), format!("ralph:cmd:{command}"));
        }
    }

    #[test]
    fn a_command_is_read_back_as_it_is_typed() {
        use Manner::{Fresh, Plain, Undo};
        let plain = Command::ALL.map(|command| (command, Plain));
        for (command, manner) in
            plain.into_iter().chain([(Command::Queue, Fresh), (Command::Satisfy, Undo)])
        {
            assert_eq!(Manner::read(&manner.of(command)), Some((command, manner)));
        }
        assert_eq!(Fresh.of(Command::Queue), "queue --fresh");
        for text in
            ["stop --fresh", "queue --undo", "queue --", "queue --fresh --undo", "--fresh", ""]
        {
            assert_eq!(Manner::read(text), None, "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_command() {
        for label in
            ["", "queue", "ralph:queue", "ralph:cmd:", "ralph:cmd:queued", "ralph:cmd: stop"]
        {
            assert_eq!(Command::from_label(label), None, "{label}");
        }
    }
}
