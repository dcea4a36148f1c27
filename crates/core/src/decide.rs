//! The one place that decides: from the known state, the time and the operator's policy follows what happens next and
//! why. It is pure and total; the same question gets the same answer.

mod accounts;
mod admit;
mod adopt;
mod auto_queue;
pub(crate) mod behind;
mod blocked;
mod cleanup;
mod command;
pub(crate) mod comments;
mod elsewhere;
mod end;
mod labels;
pub(crate) mod lanes;
pub(crate) mod look;
mod messages;
mod notes;
mod outage;
mod recall;
mod repo;
pub(crate) mod step;
pub(crate) mod sync_lane;
pub(crate) mod unread;
mod unseen;
mod work;

use crate::effect::{Effect, IssueAct, MachineAct};
use crate::fact::{Fact, Move, Subject, What};
use crate::ids::{IssueKey, RepoName};
use crate::issue::{Issue, Managed, Phase, StopReason};
use crate::job::Turn;
use crate::policy::{Policy, RepoPolicy};
use crate::repo::Repo;
use crate::role::Role;
use crate::run::Run;
use crate::standing::Standing;
use crate::steps;
use crate::time::Time;
use crate::watch::{Pace, Resource, Watch};
use crate::world::{Touched, World};

pub(crate) use repo::RepoContext;

/// The decisions on everything that was touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    pub decisions: Vec<Decision>,
}

/// The decision on one issue or repository. `effects` holds all desired effects, not only new ones: an effect that is
/// missing from it is no longer desired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub subject: Subject,
    /// Moves to fold first; while there are any, the rest is not final.
    pub moves: Vec<Move>,
    pub effects: Vec<Effect>,
    pub standing: Option<Standing>,
    pub watch: Vec<Watch>,
    /// The time to look again although nothing happened.
    pub again: Option<Time>,
}

impl Decision {
    const fn nothing(subject: Subject) -> Self {
        Self {
            subject,
            moves: Vec::new(),
            effects: Vec::new(),
            standing: None,
            watch: Vec::new(),
            again: None,
        }
    }

    fn moving(subject: Subject, step: Move) -> Self {
        Self { moves: vec![step], ..Self::nothing(subject) }
    }

    /// The moves as facts, ready to be folded.
    pub fn facts(&self) -> impl Iterator<Item = Fact> {
        let fact =
            |step: &Move| Fact { subject: self.subject.clone(), what: What::Moved(step.clone()) };
        self.moves.iter().map(fact)
    }

    /// Schedules another look at a future time. A time that has passed brings nothing new.
    fn look_at(&mut self, now: Time, at: Time) {
        if at > now {
            self.look_again(at);
        }
    }

    pub(crate) fn look_again(&mut self, at: Time) {
        self.again = Some(self.again.map_or(at, |known| known.min(at)));
    }
}

/// Decides for everything that was touched. Admission, which chooses between issues, comes only when nothing else
/// moves.
#[must_use]
pub fn decide(world: &World, touched: &Touched, now: Time, policy: &Policy) -> Plan {
    let mut decisions = Vec::with_capacity(touched.issues.len() + touched.repos.len());
    decisions.extend(touched.issues.iter().map(|key| decide_issue(world, key, now, policy)));
    decisions.extend(touched.repos.iter().map(|name| repo::decide(world, name, now, policy)));
    if touched.admission && decisions.iter().all(|decision| decision.moves.is_empty()) {
        decisions.extend(recall::in_line(world, touched, now, policy));
        decisions.extend(admit::admit(world, now, policy));
    }
    Plan { decisions }
}

/// Everything a decision about one issue may look at.
pub(crate) struct Context<'a> {
    pub(crate) world: &'a World,
    pub(crate) key: &'a IssueKey,
    pub(crate) issue: &'a Issue,
    pub(crate) managed: &'a Managed,
    pub(crate) repo: &'a Repo,
    pub(crate) policy: &'a Policy,
    pub(crate) rules: &'a RepoPolicy,
    pub(crate) now: Time,
}

/// The answer of a phase or step.
pub(crate) enum Next {
    Move(Move),
    Act(Effect, Standing),
    Wait(Standing),
    /// Nothing to do until something is read.
    Read(Standing, Vec<Watch>),
    /// Nothing to do before this time, unless something is read.
    Until(Standing, Vec<Watch>, Time),
}

impl Context<'_> {
    pub(crate) const fn run(&self) -> Option<&Run> {
        self.managed.run.as_ref()
    }

    pub(crate) fn on_issue(&self, act: IssueAct) -> Effect {
        Effect::Issue(self.key.clone(), act)
    }

    pub(crate) fn on_machine(&self, act: MachineAct) -> Effect {
        Effect::Machine(self.key.clone(), act)
    }
}

/// The stand-in for a repository that Ralph has not read.
static UNREAD: std::sync::LazyLock<Repo> = std::sync::LazyLock::new(Repo::default);

pub(crate) fn repo_of<'a>(world: &'a World, name: &RepoName) -> &'a Repo {
    world.repo(name).unwrap_or(&UNREAD)
}

/// True if Ralph may start and write anything in this repository.
fn is_ours(repo: &Repo, policy: &Policy) -> bool {
    repo.mark.is_ours(policy.instance.as_ref(), &repo.refusals)
}

fn decide_issue(world: &World, key: &IssueKey, now: Time, policy: &Policy) -> Decision {
    let subject = Subject::Issue(key.clone());
    let Some(issue) = world.issue(key) else { return Decision::nothing(subject) };
    let is_ours = is_ours(repo_of(world, &key.repo), policy);
    let Some(managed) = issue.managed.as_deref() else {
        // The text and the labels of a pull request ask for no work.
        if !is_ours {
            return Decision::nothing(subject);
        }
        if issue.is_pull() {
            let begun = sync_lane::begins(repo_of(world, &key.repo), key, issue, policy);
            return begun.unwrap_or_else(|| Decision::nothing(subject));
        }
        let queued = auto_queue::decide(repo_of(world, &key.repo), key, issue, policy);
        return queued.unwrap_or_else(|| adopt::decide(key, issue, policy));
    };
    let Some(rules) = policy.repo(&key.repo) else { return elsewhere::decide(key, managed) };
    let repo = repo_of(world, &key.repo);
    let cx = Context { world, key, issue, managed, repo, policy, rules, now };
    if !is_ours {
        let goes_on = repo.mark.may_work(policy.instance.as_ref(), &repo.refusals)
            && matches!(managed.phase, Phase::Running { step } if step.takes_slot());
        return if goes_on { work::go_on(wanted(&cx)) } else { work::let_go(&cx) };
    }
    if let Some(decision) = unseen::decide(&cx) {
        return decision;
    }
    recall::first(&cx, wanted(&cx))
}

/// The turn of a role on an issue as it would be decided now; `None` if Ralph does not know the issue or its
/// repository.
#[must_use]
pub fn preview_turn(
    world: &World,
    key: &IssueKey,
    role: Role,
    now: Time,
    policy: &Policy,
) -> Option<Turn> {
    let (issue, rules) = (world.issue(key)?, policy.repo(&key.repo)?);
    let (managed, repo) = (issue.managed.as_deref()?, repo_of(world, &key.repo));
    let cx = Context { world, key, issue, managed, repo, policy, rules, now };
    steps::preview(&cx, role)
}

/// The decision on an issue as it is known.
fn wanted(cx: &Context<'_>) -> Decision {
    match settle_first(cx) {
        Some(step) => Decision::moving(Subject::Issue(cx.key.clone()), step),
        None => settled(cx),
    }
}

/// The move that comes before anything else: a merge that took place, commands, and what people did to the issue
/// itself.
fn settle_first(cx: &Context<'_>) -> Option<Move> {
    cleanup::rehomed(cx)
        .or_else(|| sync_lane::next(cx))
        .or_else(|| outage::excused(cx))
        .or_else(|| steps::by_ralph(cx))
        .or_else(|| command::next(cx))
        .or_else(|| adopt::unexplained(cx))
        .or_else(|| taken_out(cx))
        .or_else(|| closed_by_a_person(cx))
        .or_else(|| blocked::next(cx))
        .or_else(|| notes::next(cx))
}

fn taken_out(cx: &Context<'_>) -> Option<Move> {
    let is_waiting = matches!(cx.managed.phase, Phase::Queued) && !cx.managed.is_paused;
    let status = cx.managed.status()?;
    let is_gone = cx.managed.labels.is_confirmed && !labels::shows(cx.issue, status);
    // A sync pull request is not in the queue by its label.
    if cx.managed.sync.is_some() {
        return None;
    }
    (is_waiting && (is_gone || cx.issue.is_pull())).then_some(Move::TakenOut)
}

/// Stops an issue that a person closed. Once the change is merged, the merge decides instead.
fn closed_by_a_person(cx: &Context<'_>) -> Option<Move> {
    let pull = cx.managed.pull.as_ref().filter(|pull| steps::is_merged(pull));
    let is_merged = pull.is_some_and(|pull| steps::leads_to_default(cx, pull));
    let is_gone = cx.issue.gone.is_some_and(|gone| gone.is_certain);
    let why = if is_gone { StopReason::Gone } else { StopReason::Closed };
    // The repository of a sync pull request handles its end.
    let is_meant = (is_gone || !cx.issue.is_closed_by_ralph()) && cx.managed.sync.is_none();
    let is_stopped = cx.issue.is_closed() && is_meant && cx.managed.phase.goes_on();
    (is_stopped && !is_merged).then_some(Move::Stopped { why })
}

fn settled(cx: &Context<'_>) -> Decision {
    let subject = Subject::Issue(cx.key.clone());
    let next = match work::next(cx) {
        Some(next) => next,
        None => next_of_phase(cx),
    };
    let mut decision = Decision::nothing(subject);
    match next {
        Next::Move(step) => {
            decision.moves.push(step);
            return decision;
        }
        Next::Act(effect, standing) => {
            decision.effects.push(effect);
            decision.standing = Some(standing);
        }
        Next::Wait(standing) => decision.standing = Some(standing),
        Next::Read(standing, watch) => {
            decision.standing = Some(standing);
            decision.watch = watch;
        }
        Next::Until(standing, watch, at) => {
            decision.standing = Some(standing);
            decision.watch = watch;
            decision.look_at(cx.now, at);
        }
    }
    if let Some(work) = &cx.managed.work {
        decision.look_at(cx.now, work.deadline);
    }
    comments::want(cx, &mut decision);
    labels::want(cx, &mut decision);
    blocked::watch(cx, &mut decision);
    notes::watch(cx, &mut decision);
    messages::watch(cx, &mut decision);
    messages::want(cx, &mut decision);
    sync_lane::watch(cx, &mut decision);
    cleanup::want(cx, &mut decision);
    decision
}

fn next_of_phase(cx: &Context<'_>) -> Next {
    match &cx.managed.phase {
        Phase::Out => Next::Wait(Standing::Out),
        Phase::Queued | Phase::Parked { .. } | Phase::Running { .. } if cx.managed.is_paused => {
            Next::Wait(Standing::Paused { at: paused_at(cx.managed) })
        }
        Phase::Queued | Phase::Parked { .. } => Next::Wait(blocked::standing(cx)),
        Phase::Running { step } => step::next(cx, *step),
        Phase::Escalated { cause, episode } => steps::by_hand(cx).map_or_else(
            || {
                let untold = comments::untold(cx, *episode);
                let standing = Standing::Escalated { cause: cause.clone(), untold };
                Next::Read(standing, watch_for_people(cx))
            },
            Next::Move,
        ),
        Phase::Stopped { why } => Next::Wait(Standing::Stopped { why: *why }),
        Phase::InBot { merged, batch, .. } => end::in_bot(cx, merged, *batch),
        Phase::Done { is_closed, .. } => end::done(cx, *is_closed),
    }
}

/// The reads that may resolve an escalation: of a comment, or of a merge by hand.
fn watch_for_people(cx: &Context<'_>) -> Vec<Watch> {
    let comments = Resource::Comments(cx.key.clone());
    let pull = cx.run().and_then(|run| run.pull);
    let pull = pull.map(|number| Resource::Pull(cx.key.clone(), number));
    let watch = |resource| Watch { resource, pace: Pace::Normal };
    std::iter::once(comments).chain(pull).map(watch).collect()
}

const fn paused_at(managed: &Managed) -> Option<steps::Step> {
    match managed.phase {
        Phase::Running { step } | Phase::Parked { at: step } => Some(step),
        Phase::Out
        | Phase::Queued
        | Phase::Escalated { .. }
        | Phase::Stopped { .. }
        | Phase::InBot { .. }
        | Phase::Done { .. } => None,
    }
}
