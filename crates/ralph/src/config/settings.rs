//! The table of all settings, one file per part of the configuration. A setting is one entry here; whatever knows a
//! setting by its name gets it from here.

pub(super) mod agent;
pub(super) mod forge;
pub(super) mod prompts;
mod queue_rule;
pub(super) mod repos;
pub(super) mod sandbox;
pub(super) mod top;
pub(super) mod words;

use super::setting::Table;

/// In the order of the reference.
pub(super) static SECTIONS: [&dyn Table; 16] = [
    &top::TOP,
    &forge::FORGE,
    &forge::APP,
    &agent::AGENT,
    &agent::CREDENTIALS,
    &agent::LIMITS,
    &agent::ROLES,
    &agent::ROLE,
    &agent::ROLE_CREDENTIALS,
    &prompts::PROMPTS,
    &prompts::PROMPT,
    &top::RETENTION,
    &sandbox::SANDBOX,
    &repos::REPO,
    &repos::LANES,
    &repos::GATES,
];
