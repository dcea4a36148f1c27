//! A setting's entry in the table that parsing, aliases, origins, the reference, reloads and complaints are made from.

use super::kind::Kind;
use toml::de::DeValue;

/// One setting of a table that is read into a `T`.
#[derive(Debug)]
pub(super) struct Setting<T, K: Kind> {
    name: &'static str,
    kind: K,
    /// The field that keeps the value. The default is its value in `T::default()`.
    place: fn(&mut T) -> &mut K::Value,
    says: &'static str,
    needs_restart: bool,
}

impl<T, K: Kind> Setting<T, K> {
    /// `says` is a sentence about what the setting does.
    pub(super) const fn new(
        name: &'static str,
        kind: K,
        place: fn(&mut T) -> &mut K::Value,
        says: &'static str,
    ) -> Self {
        Self { name, kind, place, says, needs_restart: false }
    }

    /// A running daemon cannot take up a change of this setting.
    pub(super) const fn at_restart(mut self) -> Self {
        self.needs_restart = true;
        self
    }
}

/// A setting whose type does not matter.
pub(super) trait Entry<T>: Sync {
    fn name(&self) -> &'static str;
    fn says(&self) -> &'static str;

    /// The values that are accepted, to follow "write".
    fn accepts(&self) -> String;

    /// The value in this target, as one would write it in the file.
    fn show(&self, target: &mut T) -> String;

    /// Puts a value into its place. Returns false, and changes nothing, if it is not acceptable.
    fn write(&self, target: &mut T, value: &DeValue<'_>) -> bool;

    /// A complaint does not repeat a secret.
    fn is_secret(&self) -> bool {
        false
    }

    fn needs_restart(&self) -> bool {
        false
    }
}

impl<T, K: Kind + Sync> Entry<T> for Setting<T, K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn says(&self) -> &'static str {
        self.says
    }

    fn accepts(&self) -> String {
        self.kind.accepts()
    }

    fn show(&self, target: &mut T) -> String {
        self.kind.show((self.place)(target))
    }

    fn write(&self, target: &mut T, value: &DeValue<'_>) -> bool {
        let read = self.kind.read(value);
        let is_acceptable = read.is_some();
        read.into_iter().for_each(|value| *(self.place)(target) = value);
        is_acceptable
    }

    fn is_secret(&self) -> bool {
        self.kind.is_secret()
    }

    fn needs_restart(&self) -> bool {
        self.needs_restart
    }
}

/// A table of the file and the settings in it.
pub(super) struct Section<T: 'static> {
    /// The heading as it is written: `[[repos]]`; empty for the settings above all headings.
    pub(super) heading: &'static str,
    pub(super) says: &'static str,
    pub(super) settings: &'static [&'static dyn Entry<T>],
    /// Names of the tables within this one.
    pub(super) tables: &'static [&'static str],
    /// The heading of the table whose values hold where this one has none. Settings that need a restart are not
    /// inherited: they hold for the whole daemon.
    pub(super) inherits: Option<&'static str>,
}

impl<T> Section<T> {
    pub(super) fn entries(&self) -> impl Iterator<Item = &'static dyn Entry<T>> {
        let inherits = self.inherits.is_some();
        self.settings.iter().copied().filter(move |entry| !(inherits && entry.needs_restart()))
    }
}

/// A section whose target does not matter: what the reference and complaints need.
pub(super) trait Table: Sync {
    fn heading(&self) -> &'static str;
    fn says(&self) -> &'static str;
    fn tables(&self) -> &'static [&'static str];
    fn rows(&self) -> Vec<Row>;

    /// Every name that is understood here.
    fn names(&self) -> Vec<&'static str> {
        let settings = self.rows().into_iter().map(|row| row.name);
        settings.chain(self.tables().iter().copied()).collect()
    }
}

/// A setting's line in the reference.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) default: String,
    pub(super) says: String,
    pub(super) accepts: String,
}

impl<T: Default> Table for Section<T> {
    fn heading(&self) -> &'static str {
        self.heading
    }

    fn says(&self) -> &'static str {
        self.says
    }

    fn tables(&self) -> &'static [&'static str] {
        self.tables
    }

    fn rows(&self) -> Vec<Row> {
        let mut defaults = T::default();
        let row = |entry: &dyn Entry<T>| Row {
            name: entry.name(),
            default: match self.inherits {
                Some(_) => "not set".to_owned(),
                None => entry.show(&mut defaults),
            },
            says: match self.inherits {
                Some(heading) => format!("As in `{heading}`, for this role."),
                None => entry.says().to_owned(),
            },
            accepts: entry.accepts(),
        };
        self.entries().map(row).collect()
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
