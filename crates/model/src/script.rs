//! Scripts: the roles that a model plays, the prompts that they are recognised by, and the steps of their turns.

use crate::failure::Failure;

/// The number of times of a failure that never ends.
pub const ALWAYS: u32 = u32::MAX;

/// The answers of the model. Roles are tried in order, and the first whose condition holds plays the turn.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(crate) roles: Vec<Role>,
}

#[derive(Debug, Clone)]
pub(crate) struct Role {
    pub(crate) name: String,
    pub(crate) when: When,
    pub(crate) turns: Vec<Turn>,
    /// The last turn is played again and again, instead of refusing a further prompt.
    pub(crate) repeats: bool,
}

/// A condition on the latest prompt of the user.
#[derive(Debug, Clone)]
pub enum When {
    Always,
    /// The prompt contains this text.
    Contains(String),
    /// All of these hold.
    All(Vec<Self>),
    /// This does not hold.
    Not(Box<Self>),
}

/// The work for one prompt, and the tokens that each of its replies costs.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    pub(crate) steps: Vec<Act>,
    pub(crate) usage: Usage,
}

/// One step of a turn. A reply of the model ends with a tool call, with a failure or with the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    Say(String),
    /// Reads a file with the agent's own tool. Paths are relative to the agent's folder.
    Read {
        path: String,
    },
    /// Writes a file with the agent's own tool. Claude Code and OpenCode refuse to replace a file that they have not read.
    Write {
        path: String,
        content: String,
    },
    /// Runs a shell command with the agent's own tool.
    Run {
        command: String,
    },
    /// The request fails this many times; after that the turn continues with the next step. Text before a failure of
    /// the connection is sent, text before any other failure is lost.
    Fail {
        how: Failure,
        times: u32,
    },
}

/// Tokens of one reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// All tokens that were read, cached ones included.
    pub input: u64,
    /// The part of `input` that came from a cache.
    pub cached: u64,
    pub output: u64,
}

impl Script {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a role that plays each of these turns once, one for each prompt. A further prompt is refused.
    #[must_use]
    pub fn role(self, name: &str, when: When, turns: impl IntoIterator<Item = Turn>) -> Self {
        self.with(name, when, turns.into_iter().collect(), false)
    }

    /// Adds a role that plays the same turn for every prompt.
    #[must_use]
    pub fn always(self, name: &str, when: When, turn: Turn) -> Self {
        self.with(name, when, vec![turn], true)
    }

    /// Adds the roles of another script, which are tried after those of this one.
    #[must_use]
    pub fn followed_by(mut self, other: Self) -> Self {
        self.roles.extend(other.roles);
        self
    }

    /// The same script with another text in place of `from`, in what is said, written and run.
    #[must_use]
    pub fn with_text(mut self, from: &str, to: &str) -> Self {
        let turns = self.roles.iter_mut().flat_map(|role| &mut role.turns);
        for step in turns.flat_map(|turn| &mut turn.steps) {
            match step {
                Act::Say(text) | Act::Run { command: text } | Act::Read { path: text } => {
                    *text = text.replace(from, to);
                }
                Act::Write { path, content } => {
                    (*path, *content) = (path.replace(from, to), content.replace(from, to));
                }
                Act::Fail { .. } => {}
            }
        }
        self
    }

    fn with(mut self, name: &str, when: When, turns: Vec<Turn>, repeats: bool) -> Self {
        self.roles.push(Role { name: name.to_owned(), when, turns, repeats });
        self
    }
}

impl When {
    #[must_use]
    pub fn contains(text: &str) -> Self {
        Self::Contains(text.to_owned())
    }

    pub(crate) fn holds(&self, prompt: &str) -> bool {
        match self {
            Self::Always => true,
            Self::Contains(text) => prompt.contains(text),
            Self::All(conditions) => conditions.iter().all(|condition| condition.holds(prompt)),
            Self::Not(condition) => !condition.holds(prompt),
        }
    }
}

impl Turn {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn say(self, text: &str) -> Self {
        self.then(Act::Say(text.to_owned()))
    }

    #[must_use]
    pub fn read(self, path: &str) -> Self {
        self.then(Act::Read { path: path.to_owned() })
    }

    #[must_use]
    pub fn write(self, path: &str, content: &str) -> Self {
        self.then(Act::Write { path: path.to_owned(), content: content.to_owned() })
    }

    #[must_use]
    pub fn run(self, command: &str) -> Self {
        self.then(Act::Run { command: command.to_owned() })
    }

    /// The next request fails, however often it is tried.
    #[must_use]
    pub fn fail(self, how: Failure) -> Self {
        self.then(Act::Fail { how, times: ALWAYS })
    }

    /// The next requests fail this many times.
    #[must_use]
    pub fn fail_times(self, how: Failure, times: u32) -> Self {
        self.then(Act::Fail { how, times })
    }

    #[must_use]
    pub const fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    fn then(mut self, step: Act) -> Self {
        self.steps.push(step);
        self
    }
}

impl Default for Usage {
    fn default() -> Self {
        Self { input: 1000, cached: 600, output: 20 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_combine() {
        let review = When::contains("review");
        let plan = When::All(vec![review.clone(), When::contains("plan")]);
        let change = When::All(vec![review, When::Not(Box::new(When::contains("plan")))]);
        assert!(plan.holds("review this plan"));
        assert!(!change.holds("review this plan"));
        assert!(change.holds("review this change"));
        assert!(When::Always.holds(""));
    }
}
