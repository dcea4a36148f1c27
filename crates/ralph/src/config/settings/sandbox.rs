//! The sandbox profile: where alone something may be written.

use super::words::{LOGIN, TEXT, list};
use crate::config::kind::{List, Maybe, Word};
use crate::config::setting::{Section, Setting};
use ralph_core::ids::Login;

pub(in crate::config) static SANDBOX: Section = Section {
    heading: "[sandbox]",
    says: "For trying things out. With this table nothing is written, over the API or by git, to a repository \
           outside of it, and a `[[repos]]` outside is an error.",
    settings: &[&OWNERS, &NAME_PREFIX],
    tables: &[],
};

pub(in crate::config) static OWNERS: Setting<Maybe<List<Word<Login>>>> = Setting {
    name: "owners",
    kind: Maybe(list(LOGIN)),
    default: || None,
    says: "Whose repositories are inside. Needed in this table.",
};

pub(in crate::config) static NAME_PREFIX: Setting<Maybe<Word<String>>> = Setting {
    name: "name_prefix",
    kind: Maybe(TEXT),
    default: || None,
    says: "What their names begin with, in any case. Not set: every name is inside.",
};
