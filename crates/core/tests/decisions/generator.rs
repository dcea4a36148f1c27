//! Random histories: a handful of issues to which anything may happen at any time, likely events more often.

use crate::outside::{
    QUEUED, changed, commands_failed, failed, head, no_verdict, planned, verdict,
};
use crate::story::{Story, policy, repo, rules};
use proptest::prelude::*;
use proptest::sample::select;
use ralph_core::command::Command;
use ralph_core::dependency::BodyEdge;
use ralph_core::effect::{Effect, IssueAct};
use ralph_core::fact::{ConflictAt, Fact, Observation, Outcome, RepoObservation, Settled, What};
use ralph_core::ids::{Attempt, Branch, IssueKey, Sha};
use ralph_core::issue::{CommandVia, DoneEvidence, Native, Phase};
use ralph_core::policy::RepoPolicy;
use ralph_core::pull::{Mergeable, Pull, PullState, Required};
use ralph_core::run::WorkState;
use ralph_core::time::Span;

/// One event of a history.
#[derive(Debug, Clone)]
pub(crate) enum Event {
    /// Every desired effect takes place, and its process and its checks succeed.
    GoOn(usize),
    Labels(usize, Vec<&'static str>),
    Open(usize, bool),
    BlockedBy(usize, Option<usize>, bool),
    Native(usize, Option<usize>, bool),
    Order(usize, Command, bool, bool),
    Events(usize),
    Finish(usize, u8),
    FinishWrong(usize, u32, u8),
    Interrupt(usize),
    Perform(usize),
    Refuse(usize),
    Gone(usize),
    Pull(usize, u8),
    Checks(usize, &'static str),
    Reach(usize, bool),
    Branches(u8, bool),
    Rollup(u8),
    Required(u8),
    Drain(bool),
    Pass(i64),
}

/// An issue of another repository, which waits for no other.
const NEIGHBOUR: usize = 0;

pub(crate) fn keys() -> Vec<IssueKey> {
    let app = |number| IssueKey::new(repo("acme/app"), number);
    vec![IssueKey::new(repo("acme/lib"), 1), app(1), app(2), app(3), app(4)]
}

const LABELS: &[&str] = &[
    QUEUED,
    "ralph:queued",
    "ralph:status:in-progress",
    "ralph:status:paused",
    "ralph:status:escalated",
    "ralph:status:done",
    "ralph:status:stopped",
    "ralph:status:mine",
    "ralph:cmd:stop",
    "ralph:cmd:queue",
    "ralph:priority:p0",
    "bug",
];

pub(crate) fn event() -> impl Strategy<Value = Event> {
    let issue = || 0..5_usize;
    let labels = prop::collection::vec(select(LABELS), 0..4);
    prop_oneof![
        40 => issue().prop_map(Event::GoOn),
        6 => issue().prop_map(|i| Event::Order(i, Command::Queue, true, true)),
        40 => (0..6_usize).prop_map(Event::Perform),
        30 => issue().prop_map(|i| Event::Finish(i, 0)),
        6 => (issue(), 1..8_u8).prop_map(|(i, how)| Event::Finish(i, how)),
        2 => (issue(), 0..3_u32, 0..8_u8).prop_map(|(i, off, how)| Event::FinishWrong(i, off, how)),
        3 => issue().prop_map(Event::Interrupt),
        3 => (0..6_usize).prop_map(Event::Refuse),
        1 => (0..6_usize).prop_map(Event::Gone),
        4 => (issue(), labels).prop_map(|(i, labels)| Event::Labels(i, labels)),
        2 => (issue(), any::<bool>()).prop_map(|(i, open)| Event::Open(i, open)),
        2 => (issue(), prop::option::of(issue()), any::<bool>())
            .prop_map(|(i, on, ticked)| Event::BlockedBy(i, on, ticked)),
        2 => (issue(), prop::option::of(issue()), any::<bool>())
            .prop_map(|(i, on, child)| Event::Native(i, on, child)),
        4 => (issue(), select(&Command::ALL[..]), any::<bool>(), any::<bool>())
            .prop_map(|(i, command, allowed, local)| Event::Order(i, command, allowed, local)),
        3 => issue().prop_map(Event::Events),
        12 => (issue(), prop_oneof![5 => Just(0), 2 => 1..9_u8]).prop_map(|(i, how)| Event::Pull(i, how)),
        12 => (issue(), select(&["success", "success", "failure", "queued"][..]))
            .prop_map(|(i, state)| Event::Checks(i, state)),
        4 => (issue(), any::<bool>()).prop_map(|(i, is)| Event::Reach(i, is)),
        3 => (0..3_u8, any::<bool>()).prop_map(|(at, bot)| Event::Branches(at, bot)),
        3 => (0..3_u8).prop_map(Event::Rollup),
        2 => (0..3_u8).prop_map(Event::Required),
        1 => any::<bool>().prop_map(Event::Drain),
        6 => select(&[1_i64, 30, 61, 120, 301, 1_801, 2_701][..]).prop_map(Event::Pass),
    ]
}

pub(crate) fn world() -> Story {
    let mut policy = policy();
    policy.max_workers = 2;
    let setup = vec!["make setup".to_owned()];
    let app = RepoPolicy { slots: 2, claims_max: 3, required_checks: None, setup, ..rules() };
    policy.repos = [(repo("acme/app"), app), (repo("acme/lib"), rules())].into();
    let mut story = Story::new(policy);
    for key in keys() {
        story.sees(key, &[]);
    }
    story
}

pub(crate) fn happen(story: &mut Story, event: &Event) {
    let keys = keys();
    let key = |at: usize| keys[at].clone();
    match event {
        Event::GoOn(at) => {
            story.settles();
            finish(story, &key(*at), 0, 0);
            show_pull(story, &key(*at), 0);
            show_checks(story, &key(*at), "success");
        }
        Event::Labels(at, labels) => story.sees(key(*at), labels),
        Event::Open(at, open) => story.sees_issue(key(*at), |seen| seen.open = *open),
        Event::BlockedBy(at, on, ticked) => {
            let on = on.filter(|_| *at != NEIGHBOUR).map(key);
            let edge = on.map(|on| BodyEdge { on, ticked: *ticked });
            story.sees_issue(key(*at), |seen| seen.blocked_by = edge.into_iter().collect());
        }
        Event::Native(at, on, is_child) => {
            let on = on.filter(|_| *at != NEIGHBOUR).map(key);
            let (children, blocked_by): (Vec<_>, Vec<_>) = on.into_iter().partition(|_| *is_child);
            let (children, blocked_by) =
                (children.into_iter().collect(), blocked_by.into_iter().collect());
            let at_time = story.now;
            let native = Native::Read { blocked_by, children, at: at_time, unread: None };
            story.reads(key(*at), Observation::Native(native));
        }
        Event::Order(at, command, is_allowed, is_local) => {
            let via = if *is_local { CommandVia::CommandLine } else { CommandVia::CommandLabel };
            let (id, command) = story.event(*command, via, *is_allowed);
            if *is_local {
                let id = ralph_core::issue::CommandId { is_local: true, ..id };
                story.reads(key(*at), Observation::Command { id, command });
            } else {
                story.reads_events(key(*at), vec![(id, command)]);
            }
        }
        Event::Events(at) => story.reads_events(key(*at), Vec::new()),
        Event::Drain(draining) => {
            story.policy.draining = *draining;
            story.looks_at_everything();
        }
        Event::Pass(secs) => story.passes(Span::from_secs(*secs)),
        Event::Finish(at, how) => finish(story, &key(*at), 0, *how),
        Event::FinishWrong(at, off, how) => finish(story, &key(*at), off + 1, *how),
        Event::Interrupt(at) => interrupt(story, &key(*at)),
        Event::Perform(nth) => settle(story, *nth, Settling::Happens),
        Event::Refuse(nth) => settle(story, *nth, Settling::Refused),
        Event::Gone(nth) => settle(story, *nth, Settling::Gone),
        Event::Pull(at, how) => show_pull(story, &key(*at), *how),
        Event::Checks(at, state) => show_checks(story, &key(*at), state),
        Event::Reach(at, is_there) => show_reach(story, &key(*at), *is_there),
        Event::Branches(head, has_bot) => {
            story.reads_branches(&format!("main-{head}"), has_bot.then_some("bot"));
        }
        Event::Rollup(how) => show_rollup(story, *how),
        Event::Required(how) => {
            let required = match how {
                0 => Required::Unknown,
                1 => Required::Nothing,
                _ => Required::Names(vec!["ci".to_owned()]),
            };
            story.reads_repo("acme/app", RepoObservation::Required(required));
        }
    }
}

fn conflict(story: &Story, key: &IssueKey) -> Outcome {
    let run = story.run(key.clone());
    let path = story.policy.worktrees.worktree(key, run.slot, run.id);
    let at = ConflictAt {
        path,
        base: Sha::new("base-2"),
        head: head("same"),
        guidance: Default::default(),
    };
    Outcome::WorkspaceConflict { files: vec!["a".to_owned()], at: Some(Box::new(at)) }
}

fn finish(story: &mut Story, key: &IssueKey, off: u32, how: u8) {
    let Some(work) = story.issue(key.clone()).managed.as_ref().and_then(|m| m.work.clone()) else {
        return;
    };
    if work.state == WorkState::Starting && off == 0 {
        return;
    }
    let outcome = match how {
        0 => story.success(key.clone(), work.step),
        1 => failed("crashed"),
        2 => commands_failed("red"),
        3 => no_verdict(),
        4 => verdict(false, "no"),
        5 => changed("same"),
        6 => planned("same"),
        _ => conflict(story, key),
    };
    let attempt = Attempt(work.attempt.0.wrapping_sub(off));
    story.tell(&Fact::of(key.clone(), What::Finished { attempt, outcome }));
}

fn interrupt(story: &mut Story, key: &IssueKey) {
    if let Some(managed) = story.issue(key.clone()).managed.as_ref() {
        let attempt = managed.attempt;
        story.tell(&Fact::of(key.clone(), What::Interrupted { attempt }));
    }
}

#[derive(Clone, Copy)]
enum Settling {
    Happens,
    Refused,
    Gone,
}

fn settle(story: &mut Story, nth: usize, how: Settling) {
    let wanted = story.wanted();
    let Some(effect) = wanted.get(nth % wanted.len().max(1)) else { return };
    let fact = match how {
        Settling::Happens => story.happens(effect),
        Settling::Refused => effect.refused("not allowed"),
        Settling::Gone => {
            let Effect::Issue(_, IssueAct::EditComment { slot, .. }) = effect else { return };
            let what = What::Settled(Settled::CommentGone { slot: slot.clone() });
            Fact { subject: effect.subject(), what }
        }
    };
    story.tell(&fact);
}

fn has_pull(story: &Story, key: &IssueKey) -> bool {
    let run = story.issue(key.clone()).managed.as_ref().and_then(|m| m.run.as_ref());
    run.is_some_and(|run| run.pull.is_some() && run.pushed.is_some())
}

fn show_pull(story: &mut Story, key: &IssueKey, how: u8) {
    if !has_pull(story, key) {
        return;
    }
    story.reads_pull(key.clone(), |pull| match how {
        0 => {}
        1 => pull.state = PullState::Closed,
        2 => pull.state = PullState::Merged { commit: Sha::new("by-hand") },
        3 => pull.base = Branch::new("main"),
        4 => pull.head = Sha::new("other"),
        5 => pull.mergeable = Mergeable::Unknown,
        6 => pull.mergeable = Mergeable::Dirty,
        7 => pull.mergeable = Mergeable::Behind,
        _ => pull.mergeable = Mergeable::Blocked,
    });
}

fn show_checks(story: &mut Story, key: &IssueKey, state: &str) {
    if has_pull(story, key) {
        story.reads_checks(key.clone(), &[("ci", state)]);
    }
}

/// The neighbour's bot branch is not modelled.
fn show_reach(story: &mut Story, key: &IssueKey, is_there: bool) {
    if key.repo == repo("acme/lib") {
        return;
    }
    let Some(managed) = story.issue(key.clone()).managed.as_ref() else { return };
    let Phase::InBot { merged, .. } = &managed.phase else { return };
    let (merged, default_head) = (merged.clone(), Sha::new("main-1"));
    let found = DoneEvidence::Reachable { merged, default_head: default_head.clone() };
    let evidence = is_there.then_some(found);
    story.reads(key.clone(), Observation::Reach { default_head, evidence });
}

fn show_rollup(story: &mut Story, how: u8) {
    let open = story.world.repo(&repo("acme/app")).and_then(|repo| repo.batch.rollup.clone());
    let Some(open) = open else { return };
    let pull = Pull {
        number: open.number,
        head: Sha::new("bot"),
        base: Branch::new("main"),
        state: match how {
            0 => PullState::Open,
            1 => PullState::Closed,
            _ => PullState::Merged { commit: Sha::new("rolled-up") },
        },
        mergeable: Mergeable::Clean,
        checks: None,
        read_at: story.now,
    };
    story.reads_repo("acme/app", RepoObservation::Rollup(pull));
}
