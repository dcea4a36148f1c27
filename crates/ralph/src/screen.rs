//! The only place that prints. Answers go to standard output, complaints to standard error, colours only to
//! a terminal, and nothing from elsewhere can move the cursor.

use crate::error::{CliError, ErrorKind};
use crate::table::Table;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

/// Rows of a terminal that does not say how many it has.
const ROWS: u16 = 24;
const NO_WRAP: &str = "\u{1b}[?7l";
const WRAP: &str = "\u{1b}[?7h";

#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    is_coloured: bool,
    complains_in_colour: bool,
}

/// The look of a piece of text on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Faint,
    Bold,
    Good,
    Busy,
    Waiting,
    Bad,
}

impl Paint {
    const fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Faint => Some("2"),
            Self::Bold => Some("1"),
            Self::Good => Some("32"),
            Self::Busy => Some("33"),
            Self::Waiting => Some("34"),
            Self::Bad => Some("31"),
        }
    }

    pub(crate) fn apply(self, text: &str, is_coloured: bool) -> String {
        match self.code().filter(|_| is_coloured && !text.is_empty()) {
            Some(code) => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            None => text.to_owned(),
        }
    }
}

impl Screen {
    pub(crate) fn new(allows_colour: bool) -> Self {
        Self {
            is_coloured: allows_colour && io::stdout().is_terminal(),
            complains_in_colour: allows_colour && io::stderr().is_terminal(),
        }
    }

    pub(crate) fn paint(&self, paint: Paint, text: &str) -> String {
        paint.apply(text, self.is_coloured)
    }

    pub(crate) fn table(&self, table: &Table) -> String {
        table.render(self.is_coloured)
    }

    /// Writes an answer. A reader that has seen enough and closed the pipe is no failure.
    pub(crate) fn answer(&self, text: &str) -> Result<(), CliError> {
        let mut out = io::stdout().lock();
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(CliError::internal("the answer could not be written")(error))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Is this a terminal on which a picture can move?
    pub(crate) const fn is_live(self) -> bool {
        self.complains_in_colour
    }

    pub(crate) fn table_on_stderr(self, table: &Table) -> String {
        table.render(self.complains_in_colour)
    }

    /// Replaces the last lines on standard error by as many others as the terminal has room for. Gives how
    /// many those are.
    pub(crate) fn redraw(self, lines: usize, frame: &str) -> usize {
        let rows = rustix::termios::tcgetwinsize(io::stderr()).map_or(ROWS, |size| size.ws_row);
        // A terminal that does not know its size says 0; the cursor needs a row too.
        let room = usize::from(if rows == 0 { ROWS } else { rows }).saturating_sub(1);
        let up = if lines > 0 { format!("\u{1b}[{lines}A") } else { String::new() };
        let shown: Vec<_> = frame.lines().take(room).collect();
        let text: String = shown.iter().map(|line| format!("{line}\u{1b}[K\n")).collect();
        // The terminal cuts what is too wide, so that every line takes one row.
        drop(write!(io::stderr().lock(), "{NO_WRAP}{up}{text}\u{1b}[J{WRAP}"));
        shown.len()
    }

    /// Is there a person to ask?
    pub(crate) fn can_ask(self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// A question on standard error, and the line that is typed. `None`: the input has ended.
    pub(crate) fn ask(self, question: &str) -> Option<String> {
        drop(write!(io::stderr().lock(), "{} ", plain(question)));
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(1..) => Some(line.trim().to_owned()),
            Ok(0) | Err(_) => None,
        }
    }

    /// A line of news on standard error.
    pub(crate) fn note(self, line: &str) {
        // A closed standard error is a choice of the caller.
        drop(writeln!(io::stderr().lock(), "{}", plain(line)));
    }

    pub(crate) fn complain(&self, error: &CliError) {
        if error.kind == ErrorKind::Findings {
            return;
        }
        let paint = |paint: Paint, text| paint.apply(text, self.complains_in_colour);
        let mut text = format!("{} {}\n", paint(Paint::Bad, "Error:"), plain(&error.to_string()));
        for detail in &error.details {
            text.push_str(&format!("  {}\n", plain(detail)));
        }
        if let Some(cause) = &error.cause {
            text.push_str(&format!("Caused by: {}\n", plain(cause)));
        }
        if let Some(hint) = error.hint {
            text.push_str(&format!("{} {hint}\n", paint(Paint::Bold, "Hint:")));
        }
        // When even this cannot be written, the exit code is all that is left to say.
        drop(io::stderr().lock().write_all(text.as_bytes()));
    }
}

/// Text from elsewhere on one line: nothing in it can move the cursor, ring, or turn the reading direction.
pub(crate) fn plain(text: &str) -> String {
    let harmless = |letter: char| match letter {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    text.chars().map(harmless).collect::<String>().trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_elsewhere_cannot_move_the_cursor() {
        assert_eq!(plain("a\u{1b}[2Jb\nc\u{202e}d\t"), "a [2Jb c d");
    }

    #[test]
    fn colours_are_for_terminals() {
        assert_eq!(Paint::Bad.apply("no", true), "\u{1b}[31mno\u{1b}[0m");
        assert_eq!(Paint::Bad.apply("no", false), "no");
        assert_eq!(Paint::Plain.apply("yes", true), "yes");
    }
}
