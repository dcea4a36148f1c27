//! A setting's entry in the table that parsing, the reference, `ralph doctor` and complaints are made from.

use super::kind::Kind;

/// One setting: its name in the file, what it can be, and what it is when nobody says.
#[derive(Debug)]
pub(super) struct Setting<K: Kind> {
    pub(super) name: &'static str,
    pub(super) kind: K,
    pub(super) default: fn() -> K::Value,
    /// What it does, as a sentence.
    pub(super) says: &'static str,
}

/// A table of the file and what may stand in it.
pub(super) struct Section {
    /// How its heading is written: `[[repos]]`; empty for what stands above all headings.
    pub(super) heading: &'static str,
    pub(super) says: &'static str,
    pub(super) settings: &'static [&'static (dyn Described + Sync)],
    /// Names of the tables within this one.
    pub(super) tables: &'static [&'static str],
}

impl Section {
    /// Every name that is understood here.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        let settings = self.settings.iter().map(|setting| setting.name());
        settings.chain(self.tables.iter().copied())
    }
}

/// A setting whose type does not matter: what the reference and complaints need.
pub(super) trait Described {
    fn name(&self) -> &'static str;
    fn says(&self) -> &'static str;
    fn accepts(&self) -> String;
    fn default_text(&self) -> String;
}

impl<K: Kind> Described for Setting<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn says(&self) -> &'static str {
        self.says
    }

    fn accepts(&self) -> String {
        self.kind.accepts()
    }

    fn default_text(&self) -> String {
        self.kind.show(&(self.default)())
    }
}

/// The same name as the older documents write it: `bot_branch` is `botBranch`.
pub(super) fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut is_upper = false;
    for letter in name.chars() {
        match letter {
            '_' => is_upper = true,
            letter if is_upper => {
                camel.push(letter.to_ascii_uppercase());
                is_upper = false;
            }
            letter => camel.push(letter),
        }
    }
    camel
}
