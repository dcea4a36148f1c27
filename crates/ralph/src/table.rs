//! Aligned columns. The last one is as long as it likes, so that nothing is cut that explains something. One long cell
//! does not widen its column for all rows: what stands beside it goes below it.

use crate::screen::{Paint, plain};

/// Blanks between two columns.
const GAP: usize = 2;
/// The widest cell that others are aligned with.
const WIDTH_MAX: usize = 60;
/// Lines shown of a text: the first of a log say what ran, and the last what failed.
const LINES_FIRST: usize = 4;
const LINES_LAST: usize = 10;
/// The longest line shown of a text: no sentence is that long, and a line of a log that is says little more.
const LINE_CHARS_MAX: usize = 400;

#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<(Lines, Paint)>>,
}

/// A cell: one line, or a text with several.
type Lines = Vec<String>;

impl Table {
    pub(crate) fn headed(names: &[&str]) -> Self {
        let head = names.iter().map(|name| (vec![name.to_uppercase()], Paint::Faint)).collect();
        Self { rows: vec![head] }
    }

    pub(crate) const fn bare() -> Self {
        Self { rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = (String, Paint)>) {
        let cell = |(text, paint): (String, Paint)| (vec![plain(&text)], paint);
        self.rows.push(cells.into_iter().map(cell).collect());
    }

    /// A row whose texts keep their lines, within bounds.
    pub(crate) fn text_row(&mut self, cells: impl IntoIterator<Item = (String, Paint)>) {
        let cell = |(text, paint): (String, Paint)| (lines_of(&text), paint);
        self.rows.push(cells.into_iter().map(cell).collect());
    }

    pub(crate) fn render(&self, is_coloured: bool) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            for (column, (lines, _)) in row.iter().enumerate() {
                let fitting = lines.iter().map(|line| width(line)).filter(|it| *it <= WIDTH_MAX);
                let width = fitting.max().unwrap_or_default();
                match widths.get_mut(column) {
                    Some(known) => *known = width.max(*known),
                    None => widths.push(width),
                }
            }
        }
        self.rows.iter().map(|row| shown(row, &widths, is_coloured)).collect()
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn lines_of(text: &str) -> Lines {
    let lines = text.lines().map(plain).filter(|line| !line.trim().is_empty());
    let all: Lines = lines.collect();
    // One line alone is a sentence.
    let all: Lines = if all.len() > 1 { all.into_iter().map(shortened).collect() } else { all };
    let left_out = all.len().saturating_sub(LINES_FIRST + LINES_LAST);
    if left_out < 2 {
        return all;
    }
    let last = all.iter().skip(LINES_FIRST + left_out).cloned();
    let more = format!("… {left_out} lines more …");
    all.iter().take(LINES_FIRST).cloned().chain([more]).chain(last).collect()
}

fn shortened(line: String) -> String {
    match width(&line).saturating_sub(LINE_CHARS_MAX) {
        0 => line,
        more => {
            let kept: String = line.chars().take(LINE_CHARS_MAX).collect();
            format!("{kept} … {more} characters more")
        }
    }
}

/// One row, which takes as many lines as it needs. Every line of a cell begins at the cell's own column.
fn shown(row: &[(Lines, Paint)], widths: &[usize], is_coloured: bool) -> String {
    let mut text = String::new();
    // How far the present line is written, and where the next cell begins.
    let (mut written, mut start) = (0, 0);
    for ((lines, paint), width_of_column) in row.iter().zip(widths) {
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
            if number > 0 || written > start {
                text.push('\n');
                written = 0;
            }
            // Blanks are written only once something follows them, so that no line ends in any.
            text.push_str(&" ".repeat(start - written));
            text.push_str(&paint.apply(line, is_coloured));
            written = start + width(line);
        }
        start += width_of_column + GAP;
        // Beside several lines nothing is put: it would seem to belong to the last.
        if lines.len() > 1 {
            written = usize::MAX;
        }
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_log_the_ends_are_shown() {
        let mut table = Table::bare();
        let log: String = (1..=40).map(|number| format!("line {number}\n")).collect();
        table.text_row([(log, Paint::Plain)]);
        let shown = table.render(false);
        assert_eq!(shown.lines().count(), LINES_FIRST + 1 + LINES_LAST);
        assert!(shown.contains("line 4\n… 26 lines more …\nline 31\n"), "{shown}");
    }

    #[test]
    fn of_a_long_line_the_beginning_is_shown() {
        let mut table = Table::bare();
        table.text_row([(format!("first\n{}\nlast", "x".repeat(2_500)), Paint::Plain)]);
        let shown = table.render(false);
        assert!(shown.lines().all(|line| line.chars().count() < LINE_CHARS_MAX + 30), "{shown}");
        assert!(shown.contains("x … 2100 characters more\nlast\n"), "{shown}");
    }

    #[test]
    fn columns_align_whatever_their_colours_and_no_line_ends_in_blanks() {
        let mut table = Table::headed(&["gate", "status", "note"]);
        table.row([
            ("ci".to_owned(), Paint::Plain),
            ("pass".to_owned(), Paint::Good),
            (String::new(), Paint::Plain),
        ]);
        table.row([
            ("preflight".to_owned(), Paint::Plain),
            (String::new(), Paint::Bad),
            ("über\nall".to_owned(), Paint::Plain),
        ]);
        let shown = table.render(false);
        assert_eq!(
            shown,
            "GATE       STATUS  NOTE\nci         pass\npreflight          über all\n"
        );
        let mut logs = Table::bare();
        let cell = |text: &str| (text.to_owned(), Paint::Plain);
        logs.text_row([cell("09:00"), cell("failed:\n  one\n\n  two"), cell("make")]);
        logs.text_row([cell("09:01"), cell(&"x".repeat(WIDTH_MAX + 1)), cell("beside")]);
        logs.text_row([cell("09:02"), cell("short"), cell("beside")]);
        assert_eq!(
            logs.render(false),
            format!(
                "09:00  failed:\n         one\n         two\n                make\n09:01  {}\n                \
                 beside\n09:02  short    beside\n",
                "x".repeat(WIDTH_MAX + 1)
            )
        );
        let stripped = table.render(true).replace("\u{1b}[2m", "").replace("\u{1b}[32m", "");
        assert_eq!(stripped.replace("\u{1b}[0m", ""), shown);
    }
}
