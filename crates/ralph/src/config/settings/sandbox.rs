//! The sandbox profile: the only repositories that Ralph may write to.

use super::words::{LOGIN, TEXT, list};
use crate::config::kind::Maybe;
use crate::config::setting::{Section, Setting};
use ralph_core::ids::Login;

/// The table `[sandbox]` as it stands in the file.
#[derive(Debug, Default)]
pub(in crate::config) struct SandboxTable {
    pub(in crate::config) owners: Option<Vec<Login>>,
    pub(in crate::config) name_prefix: Option<String>,
}

pub(in crate::config) static SANDBOX: Section<SandboxTable> = Section {
    heading: "[sandbox]",
    says: "For trying things out. With this table nothing is written, over the API or by \
             git, to a repository outside of it, and a `[[repos]]` outside is an error.",
    settings: &[
        &Setting::new(
            "owners",
            Maybe(list(LOGIN)),
            |limits: &mut SandboxTable| &mut limits.owners,
            "Whose repositories are inside. Needed in this table.",
        )
        .at_restart(),
        &Setting::new(
            "name_prefix",
            Maybe(TEXT),
            |limits: &mut SandboxTable| &mut limits.name_prefix,
            "What their names begin with, in any case. Not set: every name is inside.",
        )
        .at_restart(),
    ],
    tables: &[],
    inherits: None,
};
