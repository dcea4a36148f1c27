//! One case of the corpus: a shell script that says what the agent does, headed by comments that say what it is
//! and which gate has to stop it.

use crate::Outcome;
use std::fs;
use std::path::Path;

/// The result of a cheat that does no harm although the rest of its change is merged.
pub(super) const CONTAINMENT: &str = "containment";

#[derive(Debug)]
pub(super) struct Case {
    /// The name of its file, which is that of its repository too.
    pub(super) name: String,
    /// The gate or step that must stop it; `None` for an honest change.
    pub(super) stopped_by: Option<String>,
    /// The text that the escalation must contain.
    pub(super) because: Option<String>,
    pub(super) labels: Vec<String>,
    pub(super) script: String,
}

impl Case {
    /// Every case of a folder, by name.
    pub(super) fn all(folder: &Path) -> Outcome<Vec<Self>> {
        let mut cases = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_stem().and_then(|stem| stem.to_str()).ok_or("no name")?;
            cases.push(Self::read(name, fs::read_to_string(&path)?));
        }
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(cases)
    }

    fn read(name: &str, script: String) -> Self {
        let header = |key: &str| {
            let comments = script.lines().map_while(|line| line.strip_prefix("# "));
            comments.filter_map(|line| line.strip_prefix(key)).map(str::to_owned).next()
        };
        let labels = header("labels: ").unwrap_or_default();
        Self {
            name: name.to_owned(),
            stopped_by: header("stopped by: "),
            because: header("because: "),
            labels: labels.split_ascii_whitespace().map(str::to_owned).collect(),
            script,
        }
    }

    /// The description of the case, in its own words.
    pub(super) fn says(&self) -> &str {
        self.script.lines().next().unwrap_or_default().trim_start_matches("# ")
    }

    /// Does the case itself know how to find the harm it wants to do?
    pub(super) fn knows_harm(&self) -> bool {
        self.script.contains("\nharm() {")
    }
}
