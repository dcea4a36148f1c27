//! Reading one table of the file: an unknown name is a problem with its line and the nearest known name, and every value
//! is noted with its origin.

use super::setting::{Section, Table, camel_case};
use super::settings;
use serde::{Serialize, Serializer};
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Longest piece of the file that a complaint repeats.
const REPEATED_CHARS_MAX: usize = 60;

/// A mistake in the file, and what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub line: usize,
    pub says: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.says)
    }
}

/// The place where a value was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    /// A line of the file.
    File(usize),
    /// A variable of the environment.
    Environment(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(line) => write!(f, "config.toml:{line}"),
            Self::Environment(variable) => write!(f, "environment {variable}"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A setting as it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Effective {
    pub key: String,
    pub value: String,
    pub origin: Origin,
    #[serde(skip)]
    pub(crate) needs_restart: bool,
}

/// The problems and the settings found while reading a file.
#[derive(Debug)]
pub(super) struct Book<'t> {
    text: &'t str,
    pub(super) problems: Vec<Problem>,
    pub(super) effective: Vec<Effective>,
}

impl<'t> Book<'t> {
    pub(super) const fn of(text: &'t str) -> Self {
        Self { text, problems: Vec::new(), effective: Vec::new() }
    }

    pub(super) fn complain(&mut self, at: usize, says: String) {
        let problem = Problem { line: self.line(at), says };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    pub(super) fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn repeat(&self, value: &Spanned<DeValue<'_>>) -> String {
        let text = self.text.get(value.span()).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        let is_cut = line.len() < text.len() || line.chars().count() > REPEATED_CHARS_MAX;
        let kept: String = line.chars().take(REPEATED_CHARS_MAX).collect();
        if is_cut { format!("{kept}…") } else { kept }
    }
}

/// One table of the file; `None` when the file has no such table and everything in it is as by default.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'v> {
    table: Option<&'v DeTable<'v>>,
}

type NamedTable<'v> = (&'v str, usize, Option<&'v DeTable<'v>>);
type Entry<'v> = (&'v Spanned<toml::de::DeString<'v>>, &'v Spanned<DeValue<'v>>);

impl<'v> Sheet<'v> {
    /// Opens a table and complains about names that mean nothing there.
    pub(super) fn open(
        book: &mut Book<'_>,
        section: &dyn Table,
        table: Option<&'v DeTable<'v>>,
    ) -> Self {
        let sheet = Self { table };
        let names = section.names();
        for (key, _) in table.into_iter().flatten() {
            let is_known = names
                .iter()
                .any(|name| key.get_ref() == *name || *key.get_ref() == camel_case(name));
            if !is_known {
                book.complain(key.span().start, unknown(key.get_ref(), section));
            }
        }
        for name in names {
            sheet.complain_if_doubled(book, name);
        }
        sheet
    }

    fn entry(&self, name: &str) -> Option<Entry<'v>> {
        self.table?.iter().find(|(key, _)| key.get_ref() == name)
    }

    fn find(&self, name: &str) -> Option<Entry<'v>> {
        self.entry(name).or_else(|| self.entry(&camel_case(name)))
    }

    fn complain_if_doubled(&self, book: &mut Book<'_>, name: &str) {
        let camel = camel_case(name);
        if camel == name {
            return;
        }
        if let (Some((plain, _)), Some((alias, _))) = (self.entry(name), self.entry(&camel)) {
            let other = book.line(plain.span().start);
            let says =
                format!("`{camel}` is the same as `{name}` in line {other}; keep one of them");
            book.complain(alias.span().start, says);
        }
    }

    /// Puts every acceptable value of the file into its place in `target`, and notes each setting with its origin. The
    /// keys begin with `prefix`, which may depend on settings that were read before.
    pub(super) fn fill<T>(
        &self,
        book: &mut Book<'_>,
        section: &Section<T>,
        target: &mut T,
        prefix: &dyn Fn(&T) -> String,
    ) {
        for entry in section.entries() {
            let key = format!("{}{}", prefix(target), entry.name());
            let mut origin = Origin::Default;
            if let Some((name, value)) = self.find(entry.name()) {
                if entry.write(target, value.get_ref()) {
                    origin = Origin::File(book.line(name.span().start));
                } else {
                    let given = if entry.is_secret() {
                        "this value".to_owned()
                    } else {
                        book.repeat(value)
                    };
                    let (written, accepts) = (name.get_ref(), entry.accepts());
                    let says = format!("`{written}` cannot be {given}; write {accepts}");
                    book.complain(name.span().start, says);
                }
            } else if section.inherits.is_some() {
                // Noted in the table that it is inherited from.
                continue;
            }
            let (value, needs_restart) = (entry.show(target), entry.needs_restart());
            book.effective.push(Effective { key, value, origin, needs_restart });
        }
    }

    /// The place of a name in this table.
    pub(super) fn place_of(&self, name: &str) -> Option<usize> {
        self.find(name).map(|(key, _)| key.span().start)
    }

    /// The text that a name has in this table.
    pub(super) fn text_of(&self, name: &str) -> Option<&'v str> {
        self.find(name).and_then(|(_, value)| value.get_ref().as_str())
    }

    /// A table within this one.
    pub(super) fn table(&self, book: &mut Book<'_>, name: &str) -> Option<&'v DeTable<'v>> {
        let (key, value) = self.find(name)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            let says = format!("`{name}` is a table, not {}; write [{name}]", book.repeat(value));
            book.complain(key.span().start, says);
        }
        table
    }

    /// The tables within a table whose names are the operator's own, each with its place; `None` for what is no table.
    pub(super) fn named_tables(table: &'v DeTable<'v>) -> Vec<NamedTable<'v>> {
        let one = |(key, value): Entry<'v>| {
            (key.get_ref().as_ref(), key.span().start, value.get_ref().as_table())
        };
        table.iter().map(one).collect()
    }

    /// The tables of a list of tables, each with its place.
    pub(super) fn tables(&self, book: &mut Book<'_>, name: &str) -> Vec<(usize, &'v DeTable<'v>)> {
        let Some((key, value)) = self.find(name) else { return Vec::new() };
        let mut tables = Vec::new();
        let items = value.get_ref().as_array();
        if items.is_none() {
            let says = format!("`{name}` is a list of tables; write [[{name}]] above each of them");
            book.complain(key.span().start, says);
        }
        for item in items.into_iter().flat_map(|items| items.iter()) {
            match item.get_ref().as_table() {
                Some(table) => tables.push((item.span().start, table)),
                None => {
                    let given = book.repeat(item);
                    let says = format!(
                        "`{name}` is a list of tables, and {given} is none; write [[{name}]]"
                    );
                    book.complain(item.span().start, says);
                }
            }
        }
        tables
    }
}

fn unknown(key: &str, section: &dyn Table) -> String {
    let shown: String = key.chars().take(REPEATED_CHARS_MAX).collect();
    let here = match section.heading() {
        "" => "outside a table".to_owned(),
        heading => format!("in {heading}"),
    };
    let names = section.names();
    let begun = names.iter().copied().find(|name| !key.is_empty() && name.starts_with(key));
    let has_it = |section: &&&dyn Table| {
        section.rows().iter().any(|row| row.name == key || camel_case(row.name) == key)
    };
    let elsewhere = settings::SECTIONS.iter().find(has_it).filter(|_| begun.is_none());
    if let Some(elsewhere) = elsewhere {
        let heading = match elsewhere.heading() {
            "" => "above the first table".to_owned(),
            heading => format!("to {heading}"),
        };
        return format!("`{shown}` is not a setting {here}; it belongs {heading}");
    }
    let nearest = begun.or_else(|| nearest(&shown, names.into_iter())).unwrap_or_default();
    format!("`{shown}` is not a setting {here}; the nearest one is `{nearest}`")
}

/// The known name with the fewest differences in letters; underscores and capitals do not count.
fn nearest(key: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let letters = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let key = letters(key);
    names.min_by_key(|name| strsim::damerau_levenshtein(&key, &letters(name)))
}
