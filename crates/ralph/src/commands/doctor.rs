//! `ralph doctor`: one check after the other, each with what was found and what to do about it, then every
//! setting with who chose it.

mod batches;
mod forge;
mod home;
mod leftovers;
mod programs;
mod repository;
mod required;
mod room;
mod settings;
mod store;
mod tools;
mod trials;
mod unsupported;
mod worktrees;

use super::CommandContext;
use crate::args::{DoctorWish, Format};
use crate::config::{Config, ConfigError, Effective, Origin};
use crate::error::CliError;
use crate::screen::{Paint, plain};
use crate::table::Table;
pub(super) use repository::{Preparation, to_make, unmet};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The home and the configuration that are examined.
struct Examination<'a> {
    context: &'a CommandContext<'a>,
    config: Result<Config, ConfigError>,
    /// The file that was read.
    config_file: PathBuf,
    wish: DoctorWish,
}

/// The result of one check.
#[derive(Debug, Serialize)]
struct Check {
    about: &'static str,
    #[serde(rename = "verdict")]
    severity: Severity,
    says: String,
    /// The next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Severity {
    Ok,
    /// Worth knowing, and nothing to worry about.
    Note,
    Repaired,
    Finding,
}

impl Severity {
    /// Findings first, then repairs, notes and the rest.
    const fn place(self) -> u8 {
        match self {
            Self::Finding => 0,
            Self::Repaired => 1,
            Self::Note => 2,
            Self::Ok => 3,
        }
    }
}

/// The areas that are checked, in the order of the report. A new area is a file and a line here.
const AREAS: [fn(&Examination<'_>) -> Vec<Check>; 11] = [
    home::checks,
    settings::checks,
    programs::checks,
    store::checks,
    leftovers::checks,
    worktrees::checks,
    room::checks,
    tools::checks,
    unsupported::checks,
    forge::checks,
    trials::checks,
];

#[derive(Serialize)]
struct Document<'a> {
    ok: bool,
    checks: &'a [Check],
    settings: &'a [Effective],
}

pub(super) fn run(
    context: &CommandContext<'_>,
    wish: DoctorWish,
    config: Option<&Path>,
    format: Format,
) -> Result<(), CliError> {
    let path = config.map_or_else(|| context.home.config(), Path::to_owned);
    let examination = Examination { context, config: Config::load(&path), config_file: path, wish };
    let checks: Vec<_> = AREAS.iter().flat_map(|area| area(&examination)).collect();
    let settings = match &examination.config {
        Ok(config) => forge::with_secrets(config),
        Err(_) => Vec::new(),
    };
    let ok = checks.iter().all(|check| check.severity != Severity::Finding);
    if format.json {
        context.answer_json(&Document { ok, checks: &checks, settings: &settings })?;
    } else {
        context.screen.answer(&for_people(context, &checks, &settings))?;
    }
    if ok { Ok(()) } else { Err(CliError::findings()) }
}

fn for_people(context: &CommandContext<'_>, checks: &[Check], settings: &[Effective]) -> String {
    let mut table = Table::bare();
    // What has to be done comes first, whatever was looked at before it.
    let mut checks: Vec<_> = checks.iter().collect();
    checks.sort_by_key(|check| check.severity.place());
    for Check { about, severity, says, next } in &checks {
        let (word, paint) = match severity {
            Severity::Ok => ("ok", Paint::Good),
            Severity::Note => ("note", Paint::Waiting),
            Severity::Repaired => ("repaired", Paint::Good),
            Severity::Finding => ("finding", Paint::Bad),
        };
        let name = (*about).to_owned();
        table.row([(word.to_owned(), paint), (name, Paint::Bold), (says.clone(), Paint::Plain)]);
        if let Some(next) = next {
            let blank = || (String::new(), Paint::Plain);
            table.row([blank(), blank(), (format!("next: {next}"), Paint::Plain)]);
        }
    }
    let mut text = context.screen.table(&table);
    let findings = checks.iter().filter(|check| check.severity == Severity::Finding).count();
    let summary = match findings {
        0 => "Everything is well.".to_owned(),
        1 => "1 finding, at the top.".to_owned(),
        many => format!("{many} findings, at the top."),
    };
    text.push_str(&format!("\n{summary}\n"));
    if !settings.is_empty() {
        let mut table = Table::headed(&["setting", "value", "from"]);
        // The operator's own before the defaults.
        let mut settings: Vec<_> = settings.iter().collect();
        settings.sort_by_key(|setting| setting.origin == Origin::Default);
        for Effective { key, value, origin, .. } in settings {
            table.row([
                (key.clone(), Paint::Plain),
                (plain(value), Paint::Plain),
                (origin.to_string(), Paint::Faint),
            ]);
        }
        text.push_str(&format!("\n{}\n{summary}\n", context.screen.table(&table)));
    }
    text
}

impl Check {
    fn ok(about: &'static str, says: impl Into<String>) -> Self {
        Self { about, severity: Severity::Ok, says: says.into(), next: None }
    }

    fn note(about: &'static str, says: impl Into<String>) -> Self {
        Self { about, severity: Severity::Note, says: says.into(), next: None }
    }

    fn repaired(about: &'static str, says: impl Into<String>) -> Self {
        Self { about, severity: Severity::Repaired, says: says.into(), next: None }
    }

    fn finding(about: &'static str, says: impl Into<String>, next: impl Into<String>) -> Self {
        Self { about, severity: Severity::Finding, says: says.into(), next: Some(next.into()) }
    }

    fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }
}
