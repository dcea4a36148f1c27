//! The part of a prompt that says how a change is judged: the operator's commands word for word, and the gates that
//! are not skipped.

use super::prompt::Texts;
use super::{listed, quoted_up_to};
use crate::change::FILE_BYTES_MAX;
use crate::gate::Gate;
use crate::ids::Sha;
use crate::job::Turn;
use crate::policy::RepoPolicy;
use minijinja::{Value, context};
use std::sync::LazyLock;

/// The most bytes of commands in a prompt. They are the operator's own, and nobody types more.
const COMMANDS_BYTES_MAX: usize = 16 * 1024;
const MEGABYTE: u64 = 1024 * 1024;

static DEFAULTS: LazyLock<RepoPolicy> = LazyLock::new(RepoPolicy::default);

/// The values of `prompts/judged.md`.
pub(super) fn values(texts: &Texts<'_>) -> Value {
    let rules = texts.rules.unwrap_or(&DEFAULTS);
    let commands = rules.preflight.as_deref().unwrap_or_default();
    let gate = |gate| gate_of(rules, gate);
    let runs = gate(Gate::Preflight).is_some() && !commands.is_empty();
    context! {
        setup => block(&rules.setup),
        preflight => runs.then(|| block(commands)).flatten(),
        integrity => gate(Gate::TestIntegrity).filter(|_| runs),
        test_globs => (!rules.test_globs.is_empty()).then(|| code(&rules.test_globs)),
        product_review => gate(Gate::ProductReview),
        devex_review => gate(Gate::DevexReview),
        checks => checks(texts, rules),
        file_max => format!("{} MB", FILE_BYTES_MAX / MEGABYTE),
    }
}

/// The values for texts of the repository and of the operator. Nothing of the issue is among them: Ralph quotes it.
pub(super) fn names(turn: &Turn, texts: &Texts<'_>) -> Value {
    let rules = texts.rules.unwrap_or(&DEFAULTS);
    context! {
        role => turn.role.name(),
        repo => texts.key.map(|key| key.repo.to_string()).unwrap_or_default(),
        issue => turn.run.issue,
        branch => turn.branch.as_str(),
        base => turn.base.as_str(),
        head => turn.head.as_ref().map(Sha::as_str),
        time_limit => turn.timeout.to_string(),
        setup => rules.setup.clone(),
        preflight => rules.preflight.clone().unwrap_or_default(),
        test_globs => rules.test_globs.clone(),
        checks => required(texts, rules),
    }
}

/// The name of a gate that judges, with what is special about it.
fn gate_of(rules: &RepoPolicy, gate: Gate) -> Option<String> {
    let name = match gate {
        Gate::PlanReview => "Plan review",
        Gate::Preflight => "Preflight",
        Gate::TestIntegrity => "Test integrity",
        Gate::ProductReview => "Product review",
        Gate::DevexReview => "Maintainers' review",
        Gate::Ci => "Required checks",
    };
    let is_advisory = rules.advisory_gates.contains(&gate);
    let says = if is_advisory { " (reported, stops nothing here)" } else { "" };
    (!rules.skipped_gates.contains(&gate)).then(|| format!("{name}{says}"))
}

fn block(commands: &[String]) -> Option<String> {
    (!commands.is_empty()).then(|| quoted_up_to(&commands.join("\n"), COMMANDS_BYTES_MAX))
}

fn code(names: &[String]) -> String {
    format!("`{}`", listed(names, "`, `"))
}

/// The required checks by name, as far as they are known.
fn required(texts: &Texts<'_>, rules: &RepoPolicy) -> Vec<String> {
    rules.required_checks.clone().unwrap_or_else(|| texts.protected.to_vec())
}

fn checks(texts: &Texts<'_>, rules: &RepoPolicy) -> Option<String> {
    gate_of(rules, Gate::Ci)?;
    let names = required(texts, rules);
    match (&rules.required_checks, names.is_empty()) {
        (_, false) => Some(code(&names)),
        (Some(_), true) => None,
        (None, true) => Some(format!("those that the protection of {} names", rules.bot_branch)),
    }
}
