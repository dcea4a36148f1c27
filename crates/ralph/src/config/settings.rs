//! The table of all settings, one file per part of the configuration. Everything that knows a setting by
//! name gets it from here.

pub(super) mod agent;
pub(super) mod forge;
mod queue_rule;
pub(super) mod repos;
pub(super) mod sandbox;
pub(super) mod top;
mod words;

use super::setting::Section;

/// In the order of the reference.
pub(super) static SECTIONS: [&Section; 11] = [
    &top::TOP,
    &forge::FORGE,
    &forge::APP,
    &agent::AGENT,
    &agent::ROLES,
    &agent::ROLE,
    &top::RETENTION,
    &sandbox::SANDBOX,
    &repos::REPO,
    &repos::LANES,
    &repos::GATES,
];
