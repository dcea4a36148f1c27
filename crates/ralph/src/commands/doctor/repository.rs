//! A repository as the forge shows it: it is there, we may do in it what has to be done, and a person hears
//! us when a person is needed.

use super::{Check, Severity};
use crate::config::RepoConfig;
use crate::hindrance::hindrances;
use ralph_core::ids::{Branch, Login, RepoName, Sha};
use ralph_core::label::DEFINITIONS;
use ralph_core::policy::MergeMethod;
use ralph_core::repo::{Branches, LabelFault};
use ralph_engine::ports::{Answer, Forge as _, LabelDefinition, Read};
use ralph_engine::wrong_labels;
use ralph_github::{Client, Demand, Repository, Transport};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const ABOUT: &str = "repository";

/// The repository that is asked about, and for whom.
pub(super) struct Subject<'a> {
    pub(super) us: &'a Login,
    pub(super) operator: Option<&'a Login>,
    pub(super) name: &'a RepoName,
    pub(super) repo: &'a RepoConfig,
    /// Mend what can be mended.
    pub(super) repair: bool,
}

impl Subject<'_> {
    pub(super) fn checks<T: Transport>(&self, client: &mut Client<T>) -> Read<Vec<Check>> {
        let (us, name) = (self.us, self.name);
        let found = client.repository(name)?;
        let hindrances = hindrances(us, name, found.as_ref()).into_iter();
        let mut checks: Vec<_> =
            hindrances.map(|found| Check::finding(ABOUT, found.says, found.next)).collect();
        // Nothing can be read under a name that it no longer has.
        let Some(found) = found.filter(|found| found.is_called(name)) else { return Ok(checks) };
        checks.extend(self.itself(&found));
        checks.extend(self.operator(client, &found)?);
        let branches = client.branches(name, &self.repo.policy.bot_branch)?;
        if branches.bot_head.is_none() {
            checks.push(self.no_bot_branch(client, &branches));
        }
        checks.extend(self.required(client, &found, &branches)?);
        checks.extend(self.demands(client, &found)?);
        checks.extend(self.batches(client)?);
        let wrong = wrong_labels(&client.labels(name)?);
        checks.extend(self.labels(client, &wrong));
        if checks.iter().all(|check| check.severity != Severity::Finding) {
            let says = format!("{name}: {us} may work there, into {}", self.repo.policy.bot_branch);
            checks.insert(0, Check::ok(ABOUT, says));
        }
        Ok(checks)
    }

    /// The checks of the repository itself.
    fn itself(&self, found: &Repository) -> Vec<Check> {
        let name = self.name;
        let mut checks = Vec::new();
        let mut finding = |says: String, next: String| {
            checks.push(Check::finding(ABOUT, says, next));
        };
        if found.refused_merges.contains(&self.repo.policy.merge_method) {
            let how = method(self.repo.policy.merge_method);
            let says =
                format!("{name} does not allow merging by {how}, which `merge_method` asks for");
            let next = "allow it in the settings of the repository, or choose another method";
            finding(says, next.to_owned());
        }
        checks
    }

    /// Demands of the two branches that Ralph does not meet.
    fn demands<T: Transport>(
        &self,
        client: &mut Client<T>,
        found: &Repository,
    ) -> Read<Vec<Check>> {
        let mut checks = Vec::new();
        for branch in BTreeSet::from([&self.repo.policy.bot_branch, &found.default_branch]) {
            for demand in client.unmet_demands(self.name, branch)? {
                let (_, says) = unmet(branch.as_str(), demand);
                checks.push(Check::note(ABOUT, format!("{}: {says}", self.name)));
            }
        }
        Ok(checks)
    }

    /// Does a person hear us, and does their answer count?
    fn operator<T: Transport>(
        &self,
        client: &mut Client<T>,
        found: &Repository,
    ) -> Read<Option<Check>> {
        let name = self.name;
        let Some(operator) = self.operator else {
            let says = format!(
                "{name} belongs to an organization, which cannot be notified when a person is needed"
            );
            let next = "set `operator` to the login of a person";
            return Ok(found.is_of_organization.then(|| Check::finding(ABOUT, says, next)));
        };
        // The forge shows the rights of others only to users who may push.
        if !found.rights.push || client.rights(name, operator)?.push {
            return Ok(None);
        }
        let says = format!(
            "the operator {operator} has no write access to {name}, so their answers do not count"
        );
        let next = format!("give {operator} write access, or name another `operator`");
        Ok(Some(Check::finding(ABOUT, says, next)))
    }

    fn no_bot_branch<T: Transport>(&self, client: &mut Client<T>, found: &Branches) -> Check {
        let (name, bot, default) = (self.name, &self.repo.policy.bot_branch, &found.default);
        if !self.repair {
            let says = format!("{name} has no branch {bot} yet; Ralph makes it from {default}");
            return Check::note(ABOUT, says);
        }
        let made = client.create_branch(name, bot, &found.default_head);
        mended(made, format!("{name} has the branch {bot} now, made from {default}"))
    }

    /// One line for all of them: missing ones are made, changed ones set back.
    fn labels<T: Transport>(
        &self,
        client: &mut Client<T>,
        wrong: &BTreeMap<String, LabelFault>,
    ) -> Option<Check> {
        let count = |is: LabelFault| wrong.values().filter(|fault| **fault == is).count();
        let faults = [(LabelFault::Missing, "missing"), (LabelFault::Drifted, "changed")];
        let reported: Vec<_> = faults
            .into_iter()
            .map(|(fault, word)| (count(fault), word))
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let (name, reported) = (self.name, reported.join(" and "));
        if reported.is_empty() {
            return None;
        }
        if !self.repair {
            let says =
                format!("of Ralph's labels in {name}, {reported}; its next start puts that right");
            return Some(Check::note(ABOUT, says));
        }
        if let Some(failed) = put_labels(client, name, wrong) {
            return Some(failed);
        }
        Some(Check::repaired(
            ABOUT,
            format!("of Ralph's labels in {name}, {reported} are put right"),
        ))
    }
}

/// The parts that Ralph makes in a repository before it can work there.
#[derive(Debug)]
pub(in crate::commands) struct Preparation {
    /// In words: "the branch bot/integration", "16 labels".
    pub(in crate::commands) says: Vec<String>,
    wrong: BTreeMap<String, LabelFault>,
    /// The commit to make the branch from, if there is none yet.
    branch_from: Option<Sha>,
}

pub(in crate::commands) fn to_make<T: Transport>(
    client: &mut Client<T>,
    name: &RepoName,
    bot: &Branch,
) -> Read<Preparation> {
    let branches = client.branches(name, bot)?;
    let wrong = wrong_labels(&client.labels(name)?);
    let mut says = Vec::new();
    says.extend(branches.bot_head.is_none().then(|| format!("the branch {bot}")));
    says.extend((!wrong.is_empty()).then(|| format!("{} labels", wrong.len())));
    let branch_from = branches.bot_head.is_none().then_some(branches.default_head);
    Ok(Preparation { says, wrong, branch_from })
}

impl Preparation {
    /// Makes them. Gives what was done, or why it was not.
    pub(in crate::commands) fn make<T: Transport>(
        &self,
        client: &mut Client<T>,
        name: &RepoName,
        bot: &Branch,
    ) -> Vec<String> {
        let mut checks = Vec::new();
        if let Some(from) = &self.branch_from {
            let made = client.create_branch(name, bot, from);
            checks.push(mended(made, format!("{name} has the branch {bot} now")));
        }
        checks.push(match put_labels(client, name, &self.wrong) {
            Some(failed) => failed,
            None => Check::repaired(ABOUT, format!("{name} has all of Ralph's labels now")),
        });
        checks.into_iter().map(|check| check.says).collect()
    }
}

/// Makes missing labels and sets changed ones back. Gives the first that failed.
fn put_labels<T: Transport>(
    client: &mut Client<T>,
    name: &RepoName,
    wrong: &BTreeMap<String, LabelFault>,
) -> Option<Check> {
    for definition in &DEFINITIONS {
        let label = LabelDefinition {
            name: definition.name.to_owned(),
            color: definition.color.to_owned(),
            description: definition.description.to_owned(),
        };
        let put = match wrong.get(definition.name) {
            None => continue,
            Some(LabelFault::Missing) => client.create_label(name, &label),
            Some(LabelFault::Drifted) => client.edit_label(name, &label),
        };
        let check = mended(put, String::new());
        if check.severity == Severity::Finding {
            return Some(check);
        }
    }
    None
}

/// A demand of a branch that Ralph does not meet: its name, and what comes of it.
pub(in crate::commands) fn unmet(branch: &str, demand: Demand) -> (&'static str, String) {
    match demand {
        Demand::Signatures => {
            let says = format!(
                "{branch} takes signed commits only, and Ralph's are not, so its merges are refused"
            );
            ("signed commits", says)
        }
        Demand::MergeQueue => {
            let says = format!(
                "{branch} is merged into by GitHub's merge queue only, which Ralph does not use; a person has to put \
                 rollups into it, and the bot branch has to be without one"
            );
            ("merge queue", says)
        }
    }
}

/// The result of a repair on the forge.
pub(super) fn mended(answer: Answer<()>, says: String) -> Check {
    let why = match answer {
        Answer::Happened(()) => return Check::repaired(ABOUT, says),
        Answer::Refused(refusal) => refusal.message,
        Answer::Later { why, .. } | Answer::Unknown { why } => why,
    };
    let next = "look at what the forge says; Ralph tries again at its next start";
    Check::finding(ABOUT, format!("the forge does not let us put it right: {why}"), next)
}

const fn method(how: MergeMethod) -> &'static str {
    match how {
        MergeMethod::Merge => "a merge commit",
        MergeMethod::Squash => "squashing",
        MergeMethod::Rebase => "rebasing",
    }
}
