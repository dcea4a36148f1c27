//! The play of a script: which turn a conversation gets, how far it is, and what the model answers next.

use crate::failure::Failure;
use crate::position::Position;
use crate::script::{Act, Script, Turn, Usage};
use std::collections::BTreeMap;

/// A conversation as an agent sent it, in terms that all wire formats share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversation {
    pub(crate) model: String,
    /// The latest prompt of the user.
    pub(crate) prompt: String,
    /// The number of prompts so far, the latest included.
    pub(crate) prompts: usize,
    /// The names of the tools that the agent offers. A call without tools is for the agent itself, a title for instance.
    pub(crate) tools: Vec<String>,
    /// The last tool call that was answered since the latest prompt.
    pub(crate) done: Option<Position>,
    pub(crate) streams: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Reply(Reply),
    /// What is said before the failure of a connection, and the failure.
    Fail(Vec<String>, Failure),
    /// The script has no answer to this, with the reason.
    Refuse(String),
}

/// One reply: texts, then a tool call or the end of the turn.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) texts: Vec<String>,
    /// A step that needs a tool, and its position.
    pub(crate) act: Option<(Position, Act)>,
    pub(crate) usage: Usage,
}

#[derive(Debug)]
pub(crate) struct Play {
    script: Script,
    /// The number of turns that each role has begun.
    begun: BTreeMap<usize, usize>,
    /// Turns that got no reply yet, by role, number of prompts and prompt: a repeated request continues them.
    open: BTreeMap<(usize, usize, String), usize>,
    /// How often a step has failed.
    failed: BTreeMap<Position, u32>,
    /// From here on no step fails.
    is_well: bool,
}

impl Play {
    pub(crate) const fn new(script: Script) -> Self {
        Self {
            script,
            begun: BTreeMap::new(),
            open: BTreeMap::new(),
            failed: BTreeMap::new(),
            is_well: false,
        }
    }

    pub(crate) const fn recover(&mut self) {
        self.is_well = true;
    }

    /// The name of the role that plays this conversation, and what the model answers.
    pub(crate) fn next(&mut self, asked: &Conversation) -> (Option<String>, Next) {
        let Some(at) = self.script.roles.iter().position(|role| role.when.holds(&asked.prompt))
        else {
            let words = format!("no role of the script knows the prompt {:?}", asked.prompt);
            return (None, Next::Refuse(words));
        };
        let name = self.script.roles.get(at).map(|role| role.name.clone());
        let next = match asked.done {
            Some(done) => self.answer(Position { step: done.step + 1, ..done }),
            None => match self.turn_of(at, asked) {
                Ok(turn) => self.answer(Position { role: at, turn, step: 0 }),
                Err(words) => Next::Refuse(words),
            },
        };
        if asked.done.is_none() && matches!(next, Next::Reply(_)) {
            self.open.remove(&(at, asked.prompts, asked.prompt.clone()));
        }
        (name, next)
    }

    /// The turn that a prompt without tool results is in: the one that failed before, or the next.
    fn turn_of(&mut self, role: usize, asked: &Conversation) -> Result<usize, String> {
        let key = (role, asked.prompts, asked.prompt.clone());
        if let Some(&turn) = self.open.get(&key) {
            return Ok(turn);
        }
        let begun = self.begun.entry(role).or_default();
        let turn = *begun;
        if let Some(role) = self.script.roles.get(role)
            && !role.repeats
            && turn >= role.turns.len()
        {
            return Err(format!("{} has played all of its {turn} turns", role.name));
        }
        *begun += 1;
        self.open.insert(key, turn);
        Ok(turn)
    }

    fn answer(&mut self, from: Position) -> Next {
        let Some(turn) = self.turn(from) else {
            return Next::Refuse(format!("the script has no turn at {from}"));
        };
        let mut reply = Reply { usage: turn.usage, ..Reply::default() };
        for (step, now) in turn.steps.iter().enumerate().skip(from.step) {
            let position = Position { step, ..from };
            match now {
                Act::Say(text) => reply.texts.push(text.clone()),
                Act::Read { .. } | Act::Write { .. } | Act::Run { .. } => {
                    reply.act = Some((position, now.clone()));
                    break;
                }
                Act::Fail { how, times } => {
                    let failed = self.failed.entry(position).or_default();
                    if *failed < *times && !self.is_well {
                        *failed += 1;
                        return Next::Fail(reply.texts, how.clone());
                    }
                }
            }
        }
        Next::Reply(reply)
    }

    fn turn(&self, at: Position) -> Option<Turn> {
        let role = self.script.roles.get(at.role)?;
        let turn = role.turns.get(at.turn);
        turn.or_else(|| role.turns.last().filter(|_| role.repeats)).cloned()
    }
}
