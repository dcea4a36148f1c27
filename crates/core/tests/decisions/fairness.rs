//! Shares between repositories: by weight while all have work, without starvation, and without credit for idle time.

use crate::outside::QUEUED;
use crate::story::{Story, policy, repo, rules};
use ralph_core::bound::Bound;
use ralph_core::command::Command;
use ralph_core::fact::{Fact, Observation, Settled, What};
use ralph_core::ids::{IssueKey, Login};
use ralph_core::issue::{CommandId, CommandVia, PendingCommand, Phase, Seen};
use ralph_core::policy::RepoPolicy;
use ralph_core::world::Touched;
use std::collections::{BTreeMap, BTreeSet};

/// A world of repositories by name and weight, with one worker for all of them.
fn repositories(weights: &[(&str, u32)]) -> Story {
    let mut policy = policy();
    policy.max_workers = 1;
    policy.repos.clear();
    for (name, weight_milli) in weights {
        let rules = RepoPolicy { weight_milli: *weight_milli, ..rules() };
        policy.repos.insert(repo(name), rules);
    }
    Story::new(policy)
}

/// Queues issues `from..to` of a repository all at once.
fn stock(story: &mut Story, name: &str, numbers: std::ops::Range<u64>) {
    let mut touched = Touched::default();
    for number in numbers {
        let key = IssueKey::new(repo(name), number);
        let seen = Seen {
            title: "t".into(),
            open: true,
            author: Login::new("ann"),
            labels: BTreeSet::from([QUEUED.into()]),
            body: ralph_core::digest::Digest::of(""),
            blocked_by: Vec::new(),
            blocks: Vec::new(),
            manual_checks: Vec::new(),
            is_pull: Some(false),
            closed_by: None,
            follow_up: None,
            updated: story.now,
            has_relations: false,
        };
        let id = CommandId { at: story.now, id: number, is_local: false };
        let actor = Some(Login::new("ann"));
        let (command, via) = (Command::Queue, CommandVia::QueuedLabel);
        let command = PendingCommand::plain(command, actor, true, via);
        let commands = BTreeMap::from([(id, command)]);
        let commands = Observation::Commands {
            up_to: number,
            commands,
            own: Vec::new(),
            withdrawn: BTreeSet::new(),
            is_partial: false,
        };
        for seen in [Observation::Issue(seen), commands] {
            let fact = Fact::of(key.clone(), What::Seen(seen));
            touched.add(story.world.apply(story.now, &fact));
        }
    }
    story.rest(touched);
}

/// Closes and ends the issue at work, which makes room for the next claim. Returns its repository.
fn serve_one(story: &mut Story) -> Option<String> {
    let busy = |(name, queues): (&ralph_core::ids::RepoName, &ralph_core::world::Queues)| {
        Some(IssueKey::new(name.clone(), *queues.busy.keys().next()?))
    };
    let key = story.world.all_queues().find_map(busy)?;
    let mut seen = story.issue(key.clone()).seen.clone()?;
    seen.open = false;
    story.reads(key.clone(), Observation::Issue(seen));
    let attempt = story.managed(key.clone()).attempt;
    story.tell(&Fact::of(key.clone(), What::Settled(Settled::Ended { attempt })));
    Some(key.repo.to_string())
}

fn serve(story: &mut Story, claims: usize) -> Vec<String> {
    (0..claims).map_while(|_| serve_one(story)).collect()
}

fn count(served: &[String], name: &str) -> usize {
    served.iter().filter(|served| *served == name).count()
}

#[test]
fn claims_are_shared_by_weight() {
    let weights = [("acme/a", 1_000), ("acme/b", 2_000), ("acme/c", 500)];
    let mut story = repositories(&weights);
    for (name, _) in weights {
        stock(&mut story, name, 1..301);
    }
    let served = serve(&mut story, 300);
    assert_eq!(served.len(), 300);
    for (name, weight) in weights {
        let fair = 300.0 * f64::from(weight) / 3_500.0;
        let got = count(&served, name) as f64;
        assert!((got - fair).abs() <= fair * 0.05, "{name} got {got} of {fair}");
    }
}

#[test]
fn a_repository_that_was_idle_gets_no_burst() {
    let mut story = repositories(&[("acme/a", 1_000), ("acme/b", 1_000)]);
    stock(&mut story, "acme/a", 1..200);
    serve(&mut story, 100);
    stock(&mut story, "acme/b", 1..200);
    let served = serve(&mut story, 21);
    assert!((9..=11).contains(&count(&served, "acme/b")), "{served:?}");
}

#[test]
fn among_fifty_repositories_with_a_hundred_issues_nobody_starves() {
    let names: Vec<_> = (10..60).map(|n| format!("acme/r{n}")).collect();
    let mut story =
        repositories(&names.iter().map(|name| (name.as_str(), 1_000)).collect::<Vec<_>>());
    for name in &names {
        stock(&mut story, name, 1..101);
    }
    let served = serve(&mut story, 6_000);
    assert_eq!(served.len(), 5_000, "everybody is served in the end");
    for round in served.chunks(50) {
        let different: BTreeSet<_> = round.iter().collect();
        assert_eq!(different.len(), 50, "each once in every round: {round:?}");
    }
}

#[test]
fn the_shares_survive_a_restart() {
    let mut story = repositories(&[("acme/a", 1_000), ("acme/b", 1_000)]);
    stock(&mut story, "acme/a", 1..200);
    serve(&mut story, 100);
    let mut reopened = Story::new(story.policy.clone());
    for (name, repo) in story.world.repos() {
        reopened.world.load_repo(name.clone(), repo.clone());
    }
    for (key, issue) in story.world.issues() {
        reopened.world.load_issue(key.clone(), issue.clone());
    }
    reopened.looks_at_everything();
    stock(&mut reopened, "acme/b", 1..200);
    let served = serve(&mut reopened, 21);
    assert!((9..=11).contains(&count(&served, "acme/b")), "{served:?}");
}

/// Ends the step of the issue at work so that the run continues, and returns its repository.
fn step_one(story: &mut Story) -> Option<String> {
    let busy = |(name, queues): (&ralph_core::ids::RepoName, &ralph_core::world::Queues)| {
        Some(IssueKey::new(name.clone(), *queues.busy.keys().next()?))
    };
    let key = story.world.all_queues().find_map(busy)?;
    let attempt = story.managed(key.clone()).attempt;
    story.tell(&Fact::of(key.clone(), What::Interrupted { attempt }));
    Some(key.repo.to_string())
}

#[test]
fn an_urgent_repository_does_not_starve_the_steps_of_the_others() {
    let mut story = repositories(&[("acme/calm", 1_000), ("acme/urgent", 1_000)]);
    for rules in story.policy.repos.values_mut() {
        rules.limits.bounds.set(Bound::INTERRUPTIONS, 1_000);
    }
    stock(&mut story, "acme/calm", 1..5);
    stock(&mut story, "acme/urgent", 1..5);
    for number in 1..5 {
        let key = IssueKey::new(repo("acme/urgent"), number);
        let mut seen = story.issue(key.clone()).seen.clone().unwrap();
        seen.labels.insert("ralph:priority:p0".into());
        story.reads(key, Observation::Issue(seen));
    }
    let served: Vec<_> = (0..40).map_while(|_| step_one(&mut story)).collect();
    assert_eq!(served.len(), 40);
    assert!((18..=22).contains(&count(&served, "acme/calm")), "{served:?}");
}

/// Ends one step at work successfully, and closes the issue once it needs no more processes. Returns the repository and
/// the length of its run.
fn step_through(story: &mut Story) -> Option<String> {
    let busy = |(name, queues): (&ralph_core::ids::RepoName, &ralph_core::world::Queues)| {
        Some(IssueKey::new(name.clone(), *queues.busy.keys().next()?))
    };
    let key = story.world.all_queues().find_map(busy)?;
    let work = story.managed(key.clone()).work.clone()?;
    let outcome = story.success(key.clone(), work.step);
    story.tell(&Fact::of(key.clone(), What::Finished { attempt: work.attempt, outcome }));
    if matches!(story.managed(key.clone()).phase, Phase::Running { step } if !step.takes_slot()) {
        let mut seen = story.issue(key.clone()).seen.clone()?;
        seen.open = false;
        story.reads(key.clone(), Observation::Issue(seen));
    }
    Some(key.repo.to_string())
}

#[test]
fn among_fifty_repositories_every_step_of_every_run_is_shared_fairly() {
    let names: Vec<_> = (10..60).map(|n| format!("acme/r{n}")).collect();
    let mut story =
        repositories(&names.iter().map(|name| (name.as_str(), 1_000)).collect::<Vec<_>>());
    for name in &names {
        stock(&mut story, name, 1..101);
    }
    // Six of them have only urgent issues.
    for (name, number) in names.iter().take(6).flat_map(|name| (1..101).map(move |n| (name, n))) {
        let key = IssueKey::new(repo(name), number);
        let mut seen = story.issue(key.clone()).seen.clone().unwrap();
        seen.labels.insert("ralph:priority:p0".into());
        story.reads(key, Observation::Issue(seen));
    }
    let served: Vec<_> = (0..3_000).map_while(|_| step_through(&mut story)).collect();
    assert_eq!(served.len(), 3_000);
    for window in served.windows(100).step_by(50) {
        let different: BTreeSet<_> = window.iter().collect();
        assert_eq!(different.len(), 50, "everybody within two rounds: {window:?}");
    }
    let urgent = served.iter().filter(|name| names[..6].contains(name)).count();
    assert!((330..=390).contains(&urgent), "six of fifty got {urgent} of 3,000 steps");
    let ended = story.world.issues().filter(|(_, issue)| !issue.is_open()).count();
    assert!(ended > 200, "whole runs, not first steps: {ended}");
}
