//! Reading the forge: a due resource becomes a question that carries all it needs, the answer becomes facts.
//! Asking happens outside any transaction.

use crate::ports::{Forge, ForgeComment, ForgeIssue, LabelEvent, LabelEvents, Read, Relations};
use crate::store::{Store, StoreError};
use ralph_core::command::Command;
use ralph_core::dependency::{BodyEdge, BodyEdges, parse_body};
use ralph_core::digest::Digest;
use ralph_core::excerpt::{ARTIFACT_BYTES_MAX, Excerpt};
use ralph_core::fact::{Fact, Observation, RepoObservation, What};
use ralph_core::hidden_marker;
use ralph_core::ids::{Branch, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::issue::{
    CommandId, CommandVia, DoneEvidence, Managed, Native, PendingCommand, Phase, Seen, Slot,
};
use ralph_core::label::{self, DEFINITIONS, ManagedLabel, Status};
use ralph_core::policy::Policy;
use ralph_core::repo::{LabelFault, MergedRollup, Repo};
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use ralph_core::world::World;
use std::collections::BTreeMap;

/// Cursors reach back this far, because clocks have one-second steps and pages may be written meanwhile.
const CURSOR_OVERLAP: Span = Span::from_secs(5);

/// The words by which a person resolves an escalation in a comment.
const RESOLVED: &str = "RALPH RESOLVED:";

/// One read of the forge, with everything from the store that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub resource: Resource,
    details: Details,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Details {
    Issues { since: Option<Time> },
    Plain,
    Branches { bot: Branch, default: Option<Branch> },
    Commands { after: u64, bot: Login },
    Comments { after: u64, since: Time, bot: Login },
    Reach { merged: Sha, bot: Branch, rollups: Vec<MergedRollup> },
}

/// What a question brought: facts, the texts they refer to, and how far the cursor moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub resource: Resource,
    pub facts: Vec<Fact>,
    pub texts: Vec<(Digest, String)>,
    pub cursor: Option<(RepoName, Time)>,
    /// The read failed; the inner time is when the forge wants to be asked again.
    pub failed_until: Option<Option<Time>>,
}

impl Question {
    /// `None`: by now there is nothing left to ask.
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
            | Resource::Rollup(..)
            | Resource::Issue(_)
            | Resource::Native(_)
            | Resource::Pull(..) => Some(Details::Plain),
            Resource::Commands(key) => {
                let after = managed(key).map_or(0, |managed| managed.commands.seen_up_to);
                Some(Details::Commands { after, bot: bot() })
            }
            Resource::Comments(key) => managed(key)
                .and_then(awaited_comment)
                .map(|(after, since)| Details::Comments { after, since, bot: bot() }),
            Resource::Reach(key) => bot_branch(&key.repo).and_then(|bot| {
                let Phase::InBot { merged, .. } = &managed(key)?.phase else { return None };
                let rollups = world.repo(&key.repo).map(|repo| repo.rolled_up.clone());
                let rollups = rollups.unwrap_or_default();
                Some(Details::Reach { merged: merged.clone(), bot, rollups })
            }),
        };
        Ok(details.map(|details| Self { resource: resource.clone(), details }))
    }
}

fn default_branch(repo: &Repo) -> Option<Branch> {
    repo.branches.as_ref().map(|branches| branches.default.clone())
}

/// An answer to an escalation is a comment newer than the escalation's own.
fn awaited_comment(managed: &Managed) -> Option<(u64, Time)> {
    let Phase::Escalated { episode, .. } = managed.phase else { return None };
    let posted = managed.comments.get(&Slot::Escalation { episode })?;
    Some((posted.id?.0.max(managed.commands.comments_up_to), posted.at.minus(CURSOR_OVERLAP)))
}

/// Asks the forge.
pub fn ask(question: &Question, now: Time, forge: &mut dyn Forge) -> Reading {
    let mut reading = Reading {
        resource: question.resource.clone(),
        facts: Vec::new(),
        texts: Vec::new(),
        cursor: None,
        failed_until: None,
    };
    if let Err(unread) = fill(&mut reading, question, now, forge) {
        reading.facts.clear();
        reading.texts.clear();
        reading.cursor = None;
        reading.failed_until = Some(unread.until);
    }
    reading
}

fn fill(reading: &mut Reading, question: &Question, now: Time, forge: &mut dyn Forge) -> Read<()> {
    match (&question.resource, &question.details) {
        (Resource::Issues(repo), Details::Issues { since }) => {
            let changed = forge.issues_since(repo, *since)?;
            let newest = changed.iter().map(|issue| issue.updated).max();
            reading.cursor = newest.map(|at| (repo.clone(), at.minus(CURSOR_OVERLAP)));
            changed.into_iter().try_for_each(|issue| show(reading, issue, forge))?;
        }
        (Resource::Issue(key), _) => match forge.issue(key)? {
            Some(issue) => show(reading, issue, forge)?,
            None => reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Gone))),
        },
        (Resource::Native(key), _) => native(reading, key, now, forge)?,
        (Resource::Commands(key), Details::Commands { after, bot }) => {
            commands(reading, key, *after, bot, forge)?;
        }
        (Resource::Comments(key), Details::Comments { after, since, bot }) => {
            comments(reading, key, (*after, *since), bot, forge)?;
        }
        (Resource::Pull(key, number), _) => pull(reading, key, *number, forge)?,
        (Resource::Rollup(repo, number), _) => {
            if let Some(pull) = forge.pull(repo, *number)? {
                tell(reading, repo, RepoObservation::Rollup(pull));
            }
        }
        (Resource::Branches(repo), Details::Branches { bot, .. }) => {
            let branches = forge.branches(repo, bot)?;
            tell(reading, repo, RepoObservation::Branches(branches));
        }
        (Resource::Required(repo), Details::Branches { bot, default }) => {
            let default = default.as_ref().unwrap_or(bot);
            let required = forge.required(repo, [bot, default])?;
            tell(reading, repo, RepoObservation::Required(required));
        }
        (Resource::Labels(repo), _) => {
            let wrong = wrong_labels(&forge.labels(repo)?);
            tell(reading, repo, RepoObservation::Labels { wrong });
        }
        (Resource::Reach(key), Details::Reach { merged, bot, rollups }) => {
            reach(reading, key, (merged, bot), rollups, forge)?;
        }
        (
            Resource::Issues(_)
            | Resource::Commands(_)
            | Resource::Comments(_)
            | Resource::Branches(_)
            | Resource::Required(_)
            | Resource::Reach(_),
            _,
        ) => {}
    }
    Ok(())
}

fn tell(reading: &mut Reading, repo: &RepoName, observation: RepoObservation) {
    reading.facts.push(Fact::of_repo(repo.clone(), What::RepoSeen(observation)));
}

fn show(reading: &mut Reading, issue: ForgeIssue, forge: &mut dyn Forge) -> Read<()> {
    let BodyEdges { blocked_by, blocks } = parse_body(&issue.key.repo, &issue.body);
    let blocks = those_the_author_may_block(blocks, &issue.author, forge)?;
    let body = Excerpt::of(&issue.body, ARTIFACT_BYTES_MAX).as_str().to_owned();
    let digest = Digest::of(&body);
    let seen = Seen {
        title: issue.title,
        open: issue.open,
        author: issue.author,
        labels: issue.labels,
        body: digest,
        blocked_by,
        blocks,
        updated: issue.updated,
        has_relations: issue.has_relations,
    };
    reading.facts.push(Fact::of(issue.key, What::Seen(Observation::Issue(seen))));
    reading.texts.push((digest, body));
    Ok(())
}

/// Whoever may write to a repository may say that its issues have to wait.
fn those_the_author_may_block(
    blocks: Vec<BodyEdge>,
    author: &Login,
    forge: &mut dyn Forge,
) -> Read<Vec<BodyEdge>> {
    let mut may: BTreeMap<RepoName, bool> = BTreeMap::new();
    for edge in &blocks {
        if !may.contains_key(&edge.on.repo) {
            may.insert(edge.on.repo.clone(), forge.rights(&edge.on.repo, author)?.push);
        }
    }
    Ok(blocks.into_iter().filter(|edge| may.get(&edge.on.repo) == Some(&true)).collect())
}

fn native(reading: &mut Reading, key: &IssueKey, now: Time, forge: &mut dyn Forge) -> Read<()> {
    let native = match forge.relations(key)? {
        Relations::Unavailable => Native::Unavailable,
        Relations::Lists { blocked_by, children } => {
            let keys =
                |issues: &[ForgeIssue]| issues.iter().map(|issue| issue.key.clone()).collect();
            let native =
                Native::Read { blocked_by: keys(&blocked_by), children: keys(&children), at: now };
            let mut all = blocked_by.into_iter().chain(children);
            all.try_for_each(|issue| show(reading, issue, forge))?;
            native
        }
    };
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Native(native))));
    Ok(())
}

/// Label events since the last look: which commands were given, by whom, and may they?
fn commands(
    reading: &mut Reading,
    key: &IssueKey,
    after: u64,
    bot: &Login,
    forge: &mut dyn Forge,
) -> Read<()> {
    let events = match forge.label_events(key, after)? {
        LabelEvents::List(events) => events,
        LabelEvents::Unavailable => return labels_at_their_word(reading, key, forge),
    };
    let up_to = events.iter().map(|event| event.id).max().unwrap_or(after);
    let mut commands = BTreeMap::new();
    for event in events.iter().filter(|event| event.is_added && event.actor != *bot) {
        let Some((command, via)) = meaning(&event.label) else { continue };
        if was_withdrawn(event, &events, bot) {
            continue;
        }
        let is_allowed = forge.rights(&key.repo, &event.actor)?.triage;
        let id = CommandId { at: event.at, id: event.id, is_local: false };
        let actor = Some(event.actor.clone());
        commands.insert(id, PendingCommand { command, actor, is_allowed, via });
    }
    let seen = Observation::Commands { up_to, commands };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    Ok(())
}

/// No events, although the issue itself can be read: what it shows now is all there is to know.
fn labels_at_their_word(reading: &mut Reading, key: &IssueKey, forge: &mut dyn Forge) -> Read<()> {
    let observation = match forge.issue(key)? {
        Some(issue) => {
            show(reading, issue, forge)?;
            Observation::EventsUnavailable
        }
        None => Observation::Gone,
    };
    reading.facts.push(Fact::of(key.clone(), What::Seen(observation)));
    Ok(())
}

fn meaning(label: &str) -> Option<(Command, CommandVia)> {
    match label::parse(label)? {
        ManagedLabel::Command(command) => Some((command, CommandVia::CommandLabel)),
        ManagedLabel::Status(Status::Queued) | ManagedLabel::LegacyStatus(Status::Queued) => {
            Some((Command::Queue, CommandVia::QueuedLabel))
        }
        ManagedLabel::Status(_) | ManagedLabel::LegacyStatus(_) | ManagedLabel::Priority(_) => None,
    }
}

/// A person took the label away again before it was handled.
fn was_withdrawn(event: &LabelEvent, events: &[LabelEvent], bot: &Login) -> bool {
    let mut later = events.iter().filter(|later| later.id > event.id);
    later.any(|later| {
        !later.is_added && later.actor != *bot && later.label.eq_ignore_ascii_case(&event.label)
    })
}

/// Comments after an escalation: the first by somebody with write access that resolves it counts.
fn comments(
    reading: &mut Reading,
    key: &IssueKey,
    (after, since): (u64, Time),
    bot: &Login,
    forge: &mut dyn Forge,
) -> Read<()> {
    let is_answer = |comment: &ForgeComment| {
        let is_ours = comment.author == *bot || hidden_marker::find(&comment.body).is_some();
        comment.id.0 > after && !is_ours && comment.body.contains(RESOLVED)
    };
    let all = forge.comments_since(key, since)?;
    for comment in all.into_iter().filter(is_answer) {
        if forge.rights(&key.repo, &comment.author)?.push {
            let id = CommandId { at: comment.created, id: comment.id.0, is_local: false };
            let command = PendingCommand {
                command: Command::Queue,
                actor: Some(comment.author),
                is_allowed: true,
                via: CommandVia::Comment,
            };
            let seen = Observation::Command { id, command };
            reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
            break;
        }
    }
    Ok(())
}

fn pull(
    reading: &mut Reading,
    key: &IssueKey,
    number: PullNumber,
    forge: &mut dyn Forge,
) -> Read<()> {
    let Some(pull) = forge.pull(&key.repo, number)? else { return Ok(()) };
    let checks = forge.checks(&key.repo, &pull.head)?;
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Pull(pull))));
    reading.facts.push(Fact::of(key.clone(), What::Seen(Observation::Checks(checks))));
    Ok(())
}

/// Evidence for done: the merge itself is on the default branch, or a rollup that contained it is.
fn reach(
    reading: &mut Reading,
    key: &IssueKey,
    (merged, bot): (&Sha, &Branch),
    rollups: &[MergedRollup],
    forge: &mut dyn Forge,
) -> Read<()> {
    let branches = forge.branches(&key.repo, bot)?;
    let default_head = branches.default_head.clone();
    let mut evidence = None;
    if forge.contains(&key.repo, &default_head, merged)? {
        let (merged, default_head) = (merged.clone(), default_head.clone());
        evidence = Some(DoneEvidence::Reachable { merged, default_head });
    } else {
        for rollup in rollups {
            let is_member = forge.contains(&key.repo, &rollup.head, merged)?;
            if is_member && forge.contains(&key.repo, &default_head, &rollup.merged)? {
                let (merged, default_head) = (merged.clone(), default_head.clone());
                let rollup = rollup.number;
                evidence = Some(DoneEvidence::RolledUp { rollup, merged, default_head });
                break;
            }
        }
    }
    let seen = Observation::Reach { default_head, evidence };
    reading.facts.push(Fact::of(key.clone(), What::Seen(seen)));
    tell(reading, &key.repo, RepoObservation::Branches(branches));
    Ok(())
}

/// Every label that a repository lacks, or that no longer looks as it should.
#[must_use]
pub fn wrong_labels(present: &[crate::ports::LabelDefinition]) -> BTreeMap<String, LabelFault> {
    let mut wrong = BTreeMap::new();
    for definition in &DEFINITIONS {
        let found = present.iter().find(|label| label.name.eq_ignore_ascii_case(definition.name));
        let fault = match found {
            None => Some(LabelFault::Missing),
            Some(label)
                if !label.color.eq_ignore_ascii_case(definition.color)
                    || label.description != definition.description =>
            {
                Some(LabelFault::Drifted)
            }
            Some(_) => None,
        };
        wrong.extend(fault.map(|fault| (definition.name.to_owned(), fault)));
    }
    wrong
}
