//! Configured repositories that nothing can be done in. That is told at the start, and not after an agent has
//! worked for nothing.

use crate::config::Config;
use crate::daemon_status::Degraded;
use crate::hindrance::hindrances;
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
    let mut why = |name: &RepoName| {
        let found = client.repository(name).ok()?;
        let hindrance = hindrances(us, name, found.as_ref()).into_iter().next()?;
        Some(format!("{}; {}", hindrance.says, hindrance.next))
    };
    let found = config.repos.keys().filter_map(|name| Some((name, why(name)?)));
    found.map(|(repo, why)| LeftOut { repo: repo.clone(), why }).collect()
}
