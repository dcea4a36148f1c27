//! The checks that must be green before a merge, by the configuration and by the forge. With admin rights the two can be
//! brought together; nothing that is required is ever taken away.

use super::Check;
use super::repository::{ABOUT, Subject, mended};
use ralph_core::gate::Gate;
use ralph_core::pull::Required;
use ralph_core::repo::Branches;
use ralph_engine::ports::{Forge as _, Read};
use ralph_github::{Client, Repository, Transport};
use std::collections::BTreeSet;

impl Subject<'_> {
    pub(super) fn required<T: Transport>(
        &self,
        client: &mut Client<T>,
        found: &Repository,
        branches: &Branches,
    ) -> Read<Vec<Check>> {
        if self.repo.policy.skipped_gates.contains(&Gate::Ci) {
            return Ok(Vec::new());
        }
        let branch_names = [&self.repo.policy.bot_branch, &found.default_branch];
        let Some(configured) = &self.repo.policy.required_checks else {
            let required = client.required(self.name, branch_names)?;
            return Ok(self.by_protection_alone(&required).into_iter().collect());
        };
        if found.is_admin && !configured.is_empty() {
            return self.kept_required(client, configured, branches);
        }
        let missing = missing(configured, client.required(self.name, branch_names)?);
        Ok(self.reported(missing.as_deref()).into_iter().collect())
    }

    fn reported(&self, missing: Option<&[&str]>) -> Option<Check> {
        let (us, name) = (self.us, self.name);
        match missing {
            None => Some(self.unreadable()),
            Some([]) => None,
            Some(missing) => {
                let missing = missing.join(", ");
                let says = format!(
                    "{name}: Ralph waits for {missing}, but the forge lets others merge without"
                );
                let next = format!(
                    "have an admin require {missing} in the branch protection; {us} is none"
                );
                Some(Check::note(ABOUT, says).next(next))
            }
        }
    }

    /// Both branches are to require what is configured, as far as it was ever reported.
    fn kept_required<T: Transport>(
        &self,
        client: &mut Client<T>,
        configured: &[String],
        branches: &Branches,
    ) -> Read<Vec<Check>> {
        let name = self.name;
        let mut heads = BTreeSet::from([&branches.default_head]);
        heads.extend(&branches.bot_head);
        let mut reported = BTreeSet::new();
        for head in heads {
            reported.extend(client.checks(name, head)?.by_name.into_keys());
        }
        let mut checks = Vec::new();
        let is_there = branches.bot_head.is_some() || self.repair;
        let mut both = BTreeSet::from([&branches.default]);
        both.extend(Some(&self.repo.policy.bot_branch).filter(|_| is_there));
        for branch in both {
            let Some(missing) = missing(configured, client.required(name, [branch, branch])?)
            else {
                checks.push(self.unreadable());
                continue;
            };
            let (known, unknown): (Vec<_>, Vec<_>) =
                missing.into_iter().partition(|check| reported.contains(*check));
            if !unknown.is_empty() {
                let unknown = unknown.join(", ");
                let says = format!(
                    "{branch} of {name} does not require {unknown}, which nothing has reported there yet"
                );
                let next = "it is required once it has reported; require it by hand if it reports on pull \
                            requests alone";
                checks.push(Check::note(ABOUT, says).next(next));
            }
            if known.is_empty() {
                continue;
            }
            let shown = known.join(", ");
            checks.push(if self.repair {
                let answer = client.require_checks(name, branch, &known);
                mended(answer, format!("{branch} of {name} requires {shown} now"))
            } else {
                let says = format!(
                    "{name}: Ralph waits for {shown}, but {branch} lets others merge without"
                );
                Check::note(ABOUT, says).next("`ralph doctor --repair` has it required")
            });
        }
        Ok(checks)
    }

    fn unreadable(&self) -> Check {
        let name = self.name;
        Check::note(ABOUT, format!("which checks the forge requires in {name} cannot be read"))
    }

    fn by_protection_alone(&self, required: &Required) -> Option<Check> {
        let name = self.name;
        match required {
            Required::Names(_) => None,
            Required::Nothing => {
                let says =
                    format!("no check is required in {name}, so pull requests merge without any");
                let next = "set `required_checks`; [] says that this is on purpose";
                Some(Check::note(ABOUT, says).next(next))
            }
            Required::Unknown => {
                let says = format!(
                    "which checks {name} requires cannot be read, so nothing is merged there"
                );
                let next = "set `required_checks`, or let the token read branches and rules";
                Some(Check::finding(ABOUT, says, next))
            }
        }
    }
}

/// The checks that are configured and not required; `None` when that cannot be read.
fn missing(configured: &[String], required: Required) -> Option<Vec<&str>> {
    let all = configured.iter().map(String::as_str);
    match required {
        Required::Names(names) => {
            Some(all.filter(|check| !names.iter().any(|name| name == check)).collect())
        }
        Required::Nothing => Some(all.collect()),
        Required::Unknown => None,
    }
}
