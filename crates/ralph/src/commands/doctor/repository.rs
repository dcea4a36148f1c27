//! A repository as the forge shows it: it is there, we may do in it what has to be done, and somebody hears
//! us when a person is needed.

use super::{Check, Verdict};
use crate::config::RepoConfig;
use ralph_core::gate::Gate;
use ralph_core::ids::{Branch, Login, RepoName};
use ralph_core::policy::MergeMethod;
use ralph_core::pull::Required;
use ralph_core::repo::LabelFault;
use ralph_engine::ports::{Forge as _, LabelDefinition, Read};
use ralph_engine::wrong_labels;
use ralph_github::{Client, Repository, Transport};

const ABOUT: &str = "repository";

/// Who is asked about, and for whom.
pub(super) struct Subject<'a> {
    pub(super) us: &'a Login,
    pub(super) operator: Option<&'a Login>,
    pub(super) name: &'a RepoName,
    pub(super) repo: &'a RepoConfig,
}

impl Subject<'_> {
    pub(super) fn checks<T: Transport>(&self, client: &mut Client<T>) -> Read<Vec<Check>> {
        let (us, name) = (self.us, self.name);
        let Some(found) = client.repository(name)? else {
            let says = format!("there is no {name}, or {us} may not see it");
            let next = format!("check the name, and give {us} write access to it");
            return Ok(vec![Check::finding(ABOUT, says, next)]);
        };
        let mut checks = self.itself(&found);
        checks.extend(self.operator(client, &found)?);
        let branches = client.branches(name, &self.repo.bot_branch)?;
        checks.extend(branches.bot_head.is_none().then(|| self.no_bot_branch(&branches.default)));
        checks.extend(self.required(client, &found)?);
        checks.extend(self.labels(&client.labels(name)?));
        if checks.iter().all(|check| check.verdict != Verdict::Finding) {
            let says = format!("{name}: {us} may work there, into {}", self.repo.bot_branch);
            checks.insert(0, Check::ok(ABOUT, says));
        }
        Ok(checks)
    }

    /// What is said of the repository alone.
    fn itself(&self, found: &Repository) -> Vec<Check> {
        let (us, name) = (self.us, self.name);
        let mut checks = Vec::new();
        let mut finding = |says: String, next: String| {
            checks.push(Check::finding(ABOUT, says, next));
        };
        if !found.full_name.eq_ignore_ascii_case(name.as_str()) {
            let now = &found.full_name;
            finding(format!("{name} is called {now} now"), format!("set its `name` to \"{now}\""));
        }
        if found.is_archived {
            let next = "unarchive it, or take it out of the configuration".to_owned();
            finding(format!("{name} is archived, so nothing in it can be changed"), next);
        }
        if !found.has_issues {
            let next = "switch them on in the settings of the repository".to_owned();
            finding(format!("issues are switched off in {name}"), next);
        }
        if !found.rights.push {
            finding(
                format!("{us} may not push to {name}"),
                format!("give {us} write access to it"),
            );
        }
        if found.refused_merges.contains(&self.repo.merge_method) {
            let how = method(self.repo.merge_method);
            let says =
                format!("{name} does not allow to merge by {how}, as `merge_method` wants it");
            let next = "allow it in the settings of the repository, or choose another method";
            finding(says, next.to_owned());
        }
        checks
    }

    /// Does somebody hear us, and does what they answer count?
    fn operator<T: Transport>(
        &self,
        client: &mut Client<T>,
        found: &Repository,
    ) -> Read<Option<Check>> {
        let name = self.name;
        let Some(operator) = self.operator else {
            let says = format!(
                "{name} belongs to an organization, which nobody can notify: when a person is needed, nobody \
                 hears of it"
            );
            let next = "set `operator` to the login of a person";
            return Ok(found.is_of_organization.then(|| Check::finding(ABOUT, says, next)));
        };
        // Only those who may push are told what others may.
        if !found.rights.push || client.rights(name, operator)?.push {
            return Ok(None);
        }
        let says = format!(
            "the operator {operator} has no write access to {name}, so their answers do not count"
        );
        let next = format!("give {operator} write access, or name another `operator`");
        Ok(Some(Check::finding(ABOUT, says, next)))
    }

    fn no_bot_branch(&self, default: &Branch) -> Check {
        let (name, bot) = (self.name, &self.repo.bot_branch);
        Check::note(ABOUT, format!("{name} has no branch {bot} yet; Ralph makes it from {default}"))
    }

    /// What must be green before a merge, by the configuration and by the forge.
    fn required<T: Transport>(
        &self,
        client: &mut Client<T>,
        found: &Repository,
    ) -> Read<Option<Check>> {
        let (name, bot) = (self.name, &self.repo.bot_branch);
        if self.repo.skipped_gates.contains(&Gate::Ci) {
            return Ok(None);
        }
        let configured = match &self.repo.required_checks {
            Some(configured) if configured.is_empty() => return Ok(None),
            configured => configured.as_deref(),
        };
        let required = client.required(name, [bot, &found.default_branch])?;
        let Some(configured) = configured else {
            return Ok(self.by_protection_alone(&required));
        };
        let missing: Vec<_> = match &required {
            Required::Names(names) => configured
                .iter()
                .filter(|check| !names.contains(check))
                .map(String::as_str)
                .collect(),
            Required::Nothing => configured.iter().map(String::as_str).collect(),
            Required::Unknown => {
                let says = format!("which checks the forge requires in {name} cannot be read");
                return Ok(Some(Check::note(ABOUT, says)));
            }
        };
        if missing.is_empty() {
            return Ok(None);
        }
        let missing = missing.join(", ");
        let says =
            format!("{name}: Ralph waits for {missing}, but the forge lets others merge without");
        let next = if found.is_admin {
            format!("require {missing} in the protection of {bot} and {}", found.default_branch)
        } else {
            let us = self.us;
            format!("have an admin require {missing} in the branch protection; {us} is none")
        };
        Ok(Some(Check::note(ABOUT, says).next(next)))
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

    fn labels(&self, present: &[LabelDefinition]) -> Option<Check> {
        let wrong = wrong_labels(present);
        let count = |is: LabelFault| wrong.values().filter(|fault| **fault == is).count();
        let faults = [(LabelFault::Missing, "missing"), (LabelFault::Drifted, "changed")];
        let told: Vec<_> = faults
            .into_iter()
            .map(|(fault, word)| (count(fault), word))
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let says = format!(
            "of Ralph's labels in {}, {}; its next start puts that right",
            self.name,
            told.join(" and ")
        );
        (!told.is_empty()).then(|| Check::note(ABOUT, says))
    }
}

const fn method(how: MergeMethod) -> &'static str {
    match how {
        MergeMethod::Merge => "a merge commit",
        MergeMethod::Squash => "squashing",
        MergeMethod::Rebase => "rebasing",
    }
}
