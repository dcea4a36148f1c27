//! The operator's own texts in the prompts of roles.

use super::agent::ROLE_NAMES;
use super::words::{FILE, TEXT};
use crate::config::kind::{Flag, Maybe};
use crate::config::setting::{Section, Setting};
use ralph_core::role_text::{ROLE_TEXT_BYTES_MAX, RoleText};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The table `[prompts.<role>]` as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptConfig {
    pub(in crate::config) text: Option<String>,
    pub(in crate::config) file: Option<PathBuf>,
    replace: bool,
}

impl PromptConfig {
    /// The text for the role, or what is wrong with it.
    pub(in crate::config) fn read(&self, text: &str) -> Result<RoleText, String> {
        let read = RoleText::parse(text).map_err(|why| why.to_string())?;
        Ok(RoleText { replaces: read.replaces || self.replace, ..read })
    }

    /// The text of the file that the table names; `None` if it names none.
    pub(in crate::config) fn read_file(&self) -> Option<Result<RoleText, String>> {
        let file = self.file.as_deref()?;
        let named = |why: &dyn std::fmt::Display| format!("{}: {why}", file.display());
        let text = beginning(file).map_err(|error| named(&error));
        Some(text.and_then(|text| self.read(&text).map_err(|why| named(&why))))
    }
}

/// As much of a file as shows whether it is too long.
fn beginning(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let most = u64::try_from(ROLE_TEXT_BYTES_MAX).map_or(u64::MAX, |most| most + 1);
    File::open(path)?.take(most).read_to_string(&mut text)?;
    Ok(text)
}

pub(in crate::config) static PROMPTS: Section<PromptConfig> = Section {
    heading: "[prompts]",
    says: "One table per role whose prompt gets a text of your own.",
    settings: &[],
    tables: &ROLE_NAMES,
    inherits: None,
};

pub(in crate::config) static PROMPT: Section<PromptConfig> = Section {
    heading: "[prompts.<role>]",
    says: "A text or a file, in every repository. [Agents](agents.md#prompts) has the names that it may use, and how a \
           repository adds its own.",
    settings: &[
        &Setting::new(
            "text",
            Maybe(TEXT),
            |prompt: &mut PromptConfig| &mut prompt.text,
            "The text, at most 16 KiB.",
        ),
        &Setting::new(
            "file",
            Maybe(FILE),
            |prompt: &mut PromptConfig| &mut prompt.file,
            "The file with the text, instead of `text`. It is read at the start and at each reload.",
        ),
        &Setting::new(
            "replace",
            Flag,
            |prompt: &mut PromptConfig| &mut prompt.replace,
            "The text takes the place of Ralph's task for the role, instead of following it. What Ralph quotes, how the \
             work is judged and how to end stay.",
        ),
    ],
    tables: &[],
    inherits: None,
};
