//! Reading the forge: a due resource becomes a question that carries everything it needs, and the answer becomes facts.
//! Questions are asked outside any transaction.

mod check_logs;
mod closing;
mod commands;
mod comments;
mod evidence;
mod issues;
mod labels;
pub(crate) mod mark;
mod proof;
mod protection;
mod pulls;
mod reach;
mod recall;
mod sync;
mod trial;

pub use labels::wrong_labels;

use crate::ports::{Forge, Read, Unread};
use crate::store::{Store, StoreError};
use closing::Ours;
use comments::Awaited;
use ralph_core::digest::Digest;
use ralph_core::fact::{Fact, Observation, RepoObservation, What};
use ralph_core::ids::{Branch, IssueKey, Login, RepoName, Sha};
use ralph_core::issue::{Native, Phase, TakenIn};
use ralph_core::policy::Policy;
use ralph_core::pull::Required;
use ralph_core::repo::Repo;
use ralph_core::run::branch_for;
use ralph_core::time::Time;
use ralph_core::unread::ReadOf;
use ralph_core::watch::Resource;
use ralph_core::world::World;

/// One read of the forge, with everything from the store that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub resource: Resource,
    details: Details,
    ours: Ours,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Details {
    Issues {
        since: Option<Time>,
    },
    Plain,
    /// True if native dependencies or sub-issues are known.
    Look {
        is_related: bool,
    },
    Branches {
        bot: Branch,
        default: Option<Branch>,
    },
    Commands {
        known: TakenIn,
        bot: Login,
    },
    Comments {
        awaited: Awaited,
        bot: Login,
    },
    Behind {
        default_head: Sha,
        bot_head: Sha,
    },
    Reach(reach::Wanted),
    Protection(protection::Wanted),
    Evidence {
        own: Branch,
        bot: Branch,
    },
    Recall {
        own: Branch,
        bot: Login,
    },
    Proof(Vec<proof::Cited>),
}

/// The result of a question: facts, the texts they refer to, and the new position of the cursor. Parts that were read
/// before a failure count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub resource: Resource,
    pub facts: Vec<Fact>,
    pub texts: Vec<(Digest, String)>,
    pub cursor: Option<(RepoName, Time)>,
    /// The reason why the read as a whole failed.
    pub failed: Option<Unread>,
    /// The reasons why single entries could not be read.
    pub missed: Vec<String>,
}

impl Question {
    /// `None` if there is nothing left to ask by now.
    pub(crate) fn about(
        resource: &Resource,
        world: &World,
        policy: &Policy,
        store: &Store,
    ) -> Result<Option<Self>, StoreError> {
        let managed = |key: &IssueKey| world.issue(key).and_then(|issue| issue.managed.as_deref());
        let bot_branch = |repo: &RepoName| policy.repo(repo).map(|rules| rules.bot_branch.clone());
        let bot = || policy.bot.clone();
        let details = match resource {
            Resource::Issues(repo) => Some(Details::Issues { since: store.cursor(repo)? }),
            Resource::Branches(repo) | Resource::Required(repo) => bot_branch(repo).map(|bot| {
                let default = world.repo(repo).and_then(default_branch);
                Details::Branches { bot, default }
            }),
            Resource::Labels(_)
            | Resource::Mark(_)
            | Resource::Rollup(..)
            | Resource::Sync(..)
            | Resource::Trial(..)
            | Resource::Tree(..)
            | Resource::Issue(_)
            | Resource::Native(_)
            | Resource::Pull(..)
            | Resource::CheckLog(..) => Some(Details::Plain),
            Resource::Behind(repo) => {
                let branches = world.repo(repo).and_then(|repo| repo.branches.as_ref());
                branches.and_then(|branches| {
                    let (default_head, bot_head) =
                        (branches.default_head.clone(), branches.bot_head.clone()?);
                    Some(Details::Behind { default_head, bot_head })
                })
            }
            Resource::Protection(repo) => policy
                .repo(repo)
                .and_then(|rules| protection::Wanted::by(rules, repo, world))
                .map(Details::Protection),
            Resource::Look(key) => world.issue(key).map(|issue| {
                let is_related = !matches!(issue.native, Native::Unread | Native::Unavailable);
                Details::Look { is_related }
            }),
            Resource::Commands(key) => {
                let known = managed(key).map(|managed| managed.commands.taken_in.clone());
                Some(Details::Commands { known: known.unwrap_or_default(), bot: bot() })
            }
            Resource::Comments(key) => managed(key)
                .and_then(|managed| comments::awaited(managed, policy.repo(&key.repo)))
                .map(|awaited| Details::Comments { awaited, bot: bot() }),
            Resource::Reach(key) => bot_branch(&key.repo).and_then(|bot| {
                let managed = managed(key)?;
                let Phase::InBot { merged, .. } = &managed.phase else { return None };
                let merged = merged.clone();
                let head = managed.run.as_ref().and_then(|run| run.pushed.clone());
                let rollups = world.repo(&key.repo).map(|repo| repo.rolled_up.clone());
                let rollups = rollups.unwrap_or_default();
                Some(Details::Reach(reach::Wanted { merged, head, bot, rollups }))
            }),
            Resource::Recall(key) => world.issue(key).map(|issue| {
                let run = managed(key).and_then(|managed| managed.run.as_ref());
                let own =
                    run.map_or_else(|| branch_for(key, issue.title()), |run| run.branch.clone());
                Details::Recall { own, bot: bot() }
            }),
            Resource::Evidence(key) => bot_branch(&key.repo).and_then(|bot| {
                let own = branch_for(key, world.issue(key)?.title());
                Some(Details::Evidence { own, bot })
            }),
            Resource::Proof(key) => proof::cited(world, policy, key).map(Details::Proof),
        };
        Ok(details.map(|details| {
            let ours = Ours::of(resource, world, policy);
            Self { resource: resource.clone(), details, ours }
        }))
    }
}

fn default_branch(repo: &Repo) -> Option<Branch> {
    repo.branches.as_ref().map(|branches| branches.default.clone())
}

pub fn ask(question: &Question, now: Time, forge: &mut dyn Forge) -> Reading {
    let mut reading = Reading {
        resource: question.resource.clone(),
        facts: Vec::new(),
        texts: Vec::new(),
        cursor: None,
        failed: None,
        missed: Vec::new(),
    };
    // Entries skipped by earlier reads are not part of this one.
    drop(forge.skipped());
    let read = fill(&mut reading, question, now, forge);
    reading.missed.extend(forge.skipped().into_iter().map(|skipped| skipped.why));
    if let Err(unread) = read {
        reading.cursor = None;
        reading.facts.extend(waits_for(&reading, &unread));
        reading.failed = Some(unread);
    }
    reading
}

/// The fact that tells an issue or repository why a read it waits for was refused. A read without an answer is only
/// tried again.
fn waits_for(reading: &Reading, unread: &Unread) -> Option<Fact> {
    let why = unread.why.clone();
    let (key, of) = match &reading.resource {
        _ if !unread.is_refused => return None,
        Resource::Required(repo) => {
            let seen = RepoObservation::RequiredUnread { why };
            return Some(Fact::of_repo(repo.clone(), What::RepoSeen(seen)));
        }
        Resource::Sync(repo, number) => {
            let seen = RepoObservation::SyncUnread { number: *number, why };
            return Some(Fact::of_repo(repo.clone(), What::RepoSeen(seen)));
        }
        Resource::Issue(key) => (key, ReadOf::Issue),
        Resource::Look(key) if reading.facts.is_empty() => (key, ReadOf::Issue),
        Resource::Look(key) | Resource::Native(key) => (key, ReadOf::Relations),
        Resource::Comments(key) => (key, ReadOf::Comments),
        Resource::Pull(key, _) if reading.facts.is_empty() => (key, ReadOf::Pull),
        Resource::Pull(key, _) => (key, ReadOf::Checks),
        Resource::Reach(key) => (key, ReadOf::Reach),
        Resource::Issues(_)
        | Resource::Branches(_)
        | Resource::Labels(_)
        | Resource::Mark(_)
        | Resource::Recall(_)
        | Resource::Protection(_)
        | Resource::Rollup(..)
        | Resource::Behind(_)
        | Resource::Trial(..)
        | Resource::Tree(..)
        | Resource::Commands(_)
        | Resource::CheckLog(..)
        | Resource::Proof(_)
        | Resource::Evidence(_) => return None,
    };
    Some(Fact::of(key.clone(), What::Seen(Observation::Unread { of, why })))
}

fn fill(reading: &mut Reading, question: &Question, now: Time, forge: &mut dyn Forge) -> Read<()> {
    match (&question.resource, &question.details) {
        (Resource::Issues(repo), Details::Issues { since }) => {
            issues::changed(reading, repo, *since, (&question.ours, now, forge))?;
        }
        (Resource::Issue(key), _) => issues::one(reading, key, (&question.ours, now, forge))?,
        (Resource::Look(key), Details::Look { is_related }) => {
            issues::look(reading, key, *is_related, (&question.ours, now, forge))?;
        }
        (Resource::Native(key), _) => issues::native(reading, key, (&question.ours, now, forge))?,
        (Resource::Commands(key), Details::Commands { known, bot }) => {
            commands::read(reading, key, (known, bot), (&question.ours, now, forge))?;
        }
        (Resource::Comments(key), Details::Comments { awaited, bot }) => {
            comments::read(reading, key, (awaited, now), bot, forge)?;
        }
        (Resource::Pull(key, number), _) => pulls::read(reading, key, *number, forge)?,
        (Resource::CheckLog(key, head, name), _) => {
            check_logs::read(reading, key, head, name, forge)?;
        }
        (Resource::Rollup(repo, number), _) => {
            tell(reading, repo, RepoObservation::Rollup(pulls::shown(repo, *number, forge)?));
        }
        (Resource::Sync(repo, number), _) => {
            pulls::of_repo(reading, (repo, *number), RepoObservation::Sync, forge)?;
        }
        (Resource::Trial(repo, number), _) => {
            pulls::of_repo(reading, (repo, *number), RepoObservation::Trial, forge)?;
        }
        (Resource::Tree(repo, commit), _) => trial::tree(reading, repo, commit, forge)?,
        (Resource::Behind(repo), Details::Behind { default_head, bot_head }) => {
            sync::compare(reading, repo, (default_head, bot_head), forge)?;
        }
        (Resource::Branches(repo), Details::Branches { bot, .. }) => {
            tell(reading, repo, RepoObservation::Branches(forge.branches(repo, bot)?));
        }
        (Resource::Required(repo), Details::Branches { bot, default }) => {
            required(reading, repo, [bot, default.as_ref().unwrap_or(bot)], forge)?;
        }
        (Resource::Protection(repo), Details::Protection(wanted)) => {
            protection::read(reading, repo, wanted, forge)?;
        }
        (Resource::Mark(repo), _) => {
            tell(reading, repo, RepoObservation::Mark(mark::seen(forge.mark(repo)?)));
        }
        (Resource::Labels(repo), _) => labels(reading, repo, forge)?,
        (Resource::Reach(key), Details::Reach(wanted)) => reach::read(reading, key, wanted, forge)?,
        (Resource::Recall(key), Details::Recall { own, bot }) => {
            recall::read(reading, key, (own, bot), (&question.ours, now, forge))?;
        }
        (Resource::Evidence(key), Details::Evidence { own, bot }) => {
            evidence::read(reading, key, (own, bot), forge)?;
        }
        (Resource::Proof(key), Details::Proof(cited)) => proof::read(reading, key, cited, forge)?,
        (
            Resource::Issues(_)
            | Resource::Look(_)
            | Resource::Commands(_)
            | Resource::Comments(_)
            | Resource::Branches(_)
            | Resource::Required(_)
            | Resource::Protection(_)
            | Resource::Behind(_)
            | Resource::Reach(_)
            | Resource::Recall(_)
            | Resource::Evidence(_)
            | Resource::Proof(_),
            _,
        ) => {}
    }
    Ok(())
}

fn labels(reading: &mut Reading, repo: &RepoName, forge: &mut dyn Forge) -> Read<()> {
    let wrong = wrong_labels(&forge.labels(repo)?);
    tell(reading, repo, RepoObservation::Labels { wrong });
    Ok(())
}

fn required(
    reading: &mut Reading,
    repo: &RepoName,
    branches: [&Branch; 2],
    forge: &mut dyn Forge,
) -> Read<()> {
    let required = forge.required(repo, branches)?;
    let is_unknown = required == Required::Unknown;
    tell(reading, repo, RepoObservation::Required(required));
    if is_unknown {
        let why: Vec<_> = forge.skipped().into_iter().map(|skipped| skipped.why).collect();
        return Err(Unread::refused(why.join("; ")));
    }
    Ok(())
}

fn tell(reading: &mut Reading, repo: &RepoName, observation: RepoObservation) {
    reading.facts.push(Fact::of_repo(repo.clone(), What::RepoSeen(observation)));
}
