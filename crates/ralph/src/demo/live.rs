//! The demo's display: on a terminal a table that moves and the latest lines, elsewhere one
//! line per event.

use super::outcome::Outcome;
use super::stage::News;
use crate::screen::{Paint, Screen, plain};
use std::collections::VecDeque;

/// Lines of news below the table.
const LINES: usize = 8;
/// Longest line of news on a terminal.
const LINE_LETTERS_MAX: usize = 100;

pub(super) struct Live {
    screen: Screen,
    is_silent: bool,
    lines: VecDeque<String>,
    /// Lines on the terminal that the next frame replaces.
    drawn: usize,
}

impl Live {
    pub(super) const fn new(screen: Screen, is_silent: bool) -> Self {
        Self { screen, is_silent, lines: VecDeque::new(), drawn: 0 }
    }

    pub(super) fn introduce(&self) {
        if !self.is_silent {
            self.screen.note(
                "A forge, a sample project and nine issues on this machine alone. The agent is scripted; \
                 the rest is real.",
            );
        }
    }

    pub(super) fn hear(&mut self, news: News) {
        let line = match news {
            News::Decided { issue, line } => format!("#{issue} {line}"),
            News::Output { issue, line } => format!("#{issue}   | {line}"),
        };
        self.say(&line);
    }

    pub(super) fn say(&mut self, line: &str) {
        if self.is_silent {
            return;
        }
        if !self.screen.is_live() {
            self.screen.note(line);
            return;
        }
        self.lines.push_back(plain(line).chars().take(LINE_LETTERS_MAX).collect());
        if self.lines.len() > LINES {
            self.lines.pop_front();
        }
    }

    /// Draws over the last frame.
    pub(super) fn draw(&mut self, outcome: &Outcome) {
        if self.is_silent || !self.screen.is_live() {
            return;
        }
        let mut frame = format!("\n{}\n", self.screen.table_on_stderr(&outcome.table()));
        for line in &self.lines {
            frame.push_str(&Paint::Faint.apply(line, true));
            frame.push('\n');
        }
        frame.push_str(&format!("\n{:.0} s\n", outcome.seconds));
        self.drawn = self.screen.redraw(self.drawn, &frame);
    }

    /// Leaves the last frame where it is.
    pub(super) const fn finish(&mut self) {
        self.drawn = 0;
    }
}
