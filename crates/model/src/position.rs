//! The place in a script, written into the id of each tool call, so that a conversation itself says how far it is.

use std::fmt;

/// A step of a turn of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) role: usize,
    pub(crate) turn: usize,
    pub(crate) step: usize,
}

impl Position {
    /// The position in an id that this server gave to a tool call. Agents may put their own letters around it.
    pub(crate) fn in_id(id: &str) -> Option<Self> {
        let rest = id.get(id.find("script-")?..)?;
        let mut numbers = rest.split('-').skip(1).map(|part| {
            let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
            part.get(..end).and_then(|digits| digits.parse().ok())
        });
        let mut next = || numbers.next().flatten();
        Some(Self { role: next()?, turn: next()?, step: next()? })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "script-{}-{}-{}", self.role, self.turn, self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_the_position_that_it_was_made_for() {
        let position = Position { role: 2, turn: 0, step: 13 };
        assert_eq!(Position::in_id(&position.to_string()), Some(position));
        assert_eq!(Position::in_id(&format!("call_{position}_x")), Some(position));
        assert_eq!(Position::in_id("call_1"), None);
        assert_eq!(Position::in_id("script-1-2"), None);
    }
}
