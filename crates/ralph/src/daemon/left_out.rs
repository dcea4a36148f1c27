//! Configured repositories that nothing can be done in. That is told at the start, and not after an agent has
//! worked for nothing.

use crate::config::Config;
use crate::daemon_status::Degraded;
use ralph_core::ids::{Login, RepoName};
use ralph_github::{Client, Transport};

/// A repository that is not worked in until the next start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LeftOut {
    pub(crate) repo: RepoName,
    pub(crate) why: String,
}

impl LeftOut {
    pub(super) fn degraded(&self) -> Degraded {
        Degraded { what: self.repo.to_string(), why: self.why.clone(), until: None }
    }
}

/// A forge that does not answer now may do so later: only its word counts.
pub(super) fn find<T: Transport>(
    client: &mut Client<T>,
    us: &Login,
    config: &Config,
) -> Vec<LeftOut> {
    let mut why = |name: &RepoName| match client.repository(name) {
        Ok(None) => Some(format!("there is no {name}, or {us} may not see it")),
        Ok(Some(found)) if found.is_archived => {
            Some(format!("{name} is archived, so nothing in it can be changed"))
        }
        Ok(Some(found)) if !found.rights.push => Some(format!("{us} may not push to {name}")),
        Ok(Some(_)) | Err(_) => None,
    };
    let found = config.repos.keys().filter_map(|name| Some((name, why(name)?)));
    found.map(|(repo, why)| LeftOut { repo: repo.clone(), why }).collect()
}
