//! What an operator can ask for by putting a command label on an issue.

use crate::label::{self, ManagedLabel};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Each command is one label; the forge's event that applied the label identifies the request.
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

    /// The word an operator uses, on the command line too.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Pause => "pause",
            Self::Stop => "stop",
            Self::Satisfy => "satisfy",
        }
    }

    /// Reads the short name, without case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| name.eq_ignore_ascii_case(command.name()))
    }

    /// Reads a label's full name; any label that is not a command is `None`.
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
    fn nothing_else_is_a_command() {
        for label in
            ["", "queue", "ralph:queue", "ralph:cmd:", "ralph:cmd:queued", "ralph:cmd: stop"]
        {
            assert_eq!(Command::from_label(label), None, "{label}");
        }
    }
}
