//! The table of all settings, one file per part of the configuration. A setting is one entry here; whatever knows a
//! setting by its name gets it from here.

pub(super) mod agent;
pub(super) mod forge;
pub(super) mod prompts;
mod queue_rule;
pub(super) mod repos;
pub(super) mod sandbox;
pub(super) mod spending;
pub(super) mod top;
pub(super) mod words;

use super::setting::Table;

/// In the order of the reference.
pub(super) static SECTIONS: [&dyn Table; 21] = [
    &top::TOP,
    &forge::FORGE,
    &forge::APP,
    &agent::AGENT,
    &agent::CREDENTIALS,
    &agent::LIMITS,
    &agent::ROLES,
    &agent::ROLE,
    &agent::ROLE_CREDENTIALS,
    &spending::ACCOUNT,
    &spending::THROTTLE,
    &spending::WINDOW,
    &spending::BUDGET,
    &spending::PRICE,
    &prompts::PROMPTS,
    &prompts::PROMPT,
    &top::RETENTION,
    &sandbox::SANDBOX,
    &repos::REPO,
    &repos::LANES,
    &repos::GATES,
];
