//! `ralph prompt`: the template of a role, or the prompt of an issue's next turn in it.

use super::CommandContext;
use crate::args::Format;
use crate::error::{CliError, ErrorKind};
use ralph_core::ids::IssueKey;
use ralph_core::job::Role;
use ralph_core::words::{self, Prompt};
use serde::Serialize;
use std::path::Path;

/// The issue whose prompt is shown, and the settings by which its work is judged.
pub(super) struct Of<'a> {
    pub(super) key: IssueKey,
    pub(super) config: Option<&'a Path>,
}

#[derive(Serialize)]
struct Document<'a> {
    role: &'static str,
    issue: Option<String>,
    prompt: &'a str,
    /// Texts that could not be used, and why.
    remarks: &'a [String],
}

pub(super) fn run(
    context: &CommandContext<'_>,
    role: Role,
    of: Option<&Of<'_>>,
    format: Format,
) -> Result<(), CliError> {
    match of {
        Some(of) => rendered(context, role, of, format),
        None => template(context, role, format),
    }
}

fn template(context: &CommandContext<'_>, role: Role, format: Format) -> Result<(), CliError> {
    let text = words::prompt_template(role);
    show(context, (role, None), &Prompt { text, remarks: Vec::new() }, format)
}

fn rendered(
    context: &CommandContext<'_>,
    role: Role,
    of: &Of<'_>,
    format: Format,
) -> Result<(), CliError> {
    let policy = context.policy(of.config)?;
    if policy.repo(&of.key.repo).is_none() {
        let says = format!("{} is not configured", of.key.repo);
        let hint = "add a [[repos]] with its name to the configuration";
        return Err(CliError::new(ErrorKind::Request, says).with_hint(hint));
    }
    let prompt = context.reader()?.prompt(&of.key, role, context.now, &policy)?;
    let prompt = prompt.ok_or_else(|| CommandContext::unknown_issue(&of.key))?;
    for remark in &prompt.remarks {
        context.screen.note(remark);
    }
    show(context, (role, Some(&of.key)), &prompt, format)
}

fn show(
    context: &CommandContext<'_>,
    (role, issue): (Role, Option<&IssueKey>),
    prompt: &Prompt,
    format: Format,
) -> Result<(), CliError> {
    let (text, remarks) = (prompt.text.as_str(), prompt.remarks.as_slice());
    if format.json {
        let issue = issue.map(ToString::to_string);
        return context.answer_json(&Document { role: role.name(), issue, prompt: text, remarks });
    }
    context.screen.answer(&format!("{}\n", text.trim_end()))
}
