//! Aligned columns. The last one is as long as it likes, so that nothing is cut that explains something.

use crate::screen::{Paint, plain};

/// Blanks between two columns.
const GAP: usize = 2;

#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<(String, Paint)>>,
}

impl Table {
    pub(crate) fn headed(names: &[&str]) -> Self {
        let head = names.iter().map(|name| (name.to_uppercase(), Paint::Faint)).collect();
        Self { rows: vec![head] }
    }

    pub(crate) const fn bare() -> Self {
        Self { rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = (String, Paint)>) {
        self.rows.push(cells.into_iter().map(|(text, paint)| (plain(&text), paint)).collect());
    }

    pub(crate) fn render(&self, is_coloured: bool) -> String {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.rows {
            for (column, (text, _)) in row.iter().enumerate() {
                let width = text.chars().count();
                match widths.get_mut(column) {
                    Some(known) => *known = width.max(*known),
                    None => widths.push(width),
                }
            }
        }
        self.rows.iter().map(|row| line(row, &widths, is_coloured)).collect()
    }
}

fn line(row: &[(String, Paint)], widths: &[usize], is_coloured: bool) -> String {
    let mut line = String::new();
    let mut missing = 0;
    for ((text, paint), width) in row.iter().zip(widths) {
        // Blanks are written only once something follows them, so that no line ends in any.
        if !text.is_empty() {
            line.push_str(&" ".repeat(missing));
            line.push_str(&paint.apply(text, is_coloured));
            missing = 0;
        }
        missing += width.saturating_sub(text.chars().count()) + GAP;
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let stripped = table.render(true).replace("\u{1b}[2m", "").replace("\u{1b}[32m", "");
        assert_eq!(stripped.replace("\u{1b}[0m", ""), shown);
    }
}
