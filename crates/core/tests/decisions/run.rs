//! A run, step by step: the happy path as a whole, and the order in which its evidence is gathered.

use crate::end::reaches_default;
use crate::story::{Story, Which as _};
use insta::assert_snapshot;
use ralph_core::effect::{Effect, MachineAct};
use ralph_core::gate::Gate;
use ralph_core::job::Job;
use ralph_core::steps::Step;
use ralph_core::time::Span;

#[test]
fn the_whole_life_of_an_issue() {
    let mut story = Story::with(|rules| rules.setup = vec!["make setup".to_owned()]);
    story.reads_branches("main-1", Some("bot-1"));
    story.queued(7);
    story.merges(7);
    story.passes(Span::from_mins(5));
    story.settles();
    reaches_default(&mut story, 7);
    story.settles();
    assert_snapshot!(story.told(), @"
    #7 command obeyed
    #7 claimed
    #7 > label+ralph:status:in-progress
    #7 attempt 1 of this issue: workspace
    #7 > start:1
    #7 > label-ralph:status:queued
    #7 next step: setup
    #7 attempt 2 of this issue: setup
    #7 > start:2
    #7 next step: plan
    #7 attempt 3 of this issue: plan
    #7 > start:3
    #7 next step: plan review
    #7 attempt 4 of this issue: plan review
    #7 > start:4
    #7 next step: implement
    #7 attempt 5 of this issue: implement
    #7 > start:5
    #7 next step: preflight
    #7 attempt 6 of this issue: preflight
    #7 > start:6
    #7 next step: test integrity
    #7 gate test_integrity: pass
    #7 next step: product review
    #7 attempt 7 of this issue: product review
    #7 > start:7
    #7 next step: devex review
    #7 attempt 8 of this issue: devex review
    #7 > start:8
    #7 next step: publish
    #7 > push:commit-5
    #7 > pull:ralph/issue-7-issue-7:bot/integration
    #7 next step: checks
    #7 gate ci: pass
    #7 next step: merge
    #7 > merge:#107:commit-5
    #7 #107 is in the bot branch
    #7 > label+ralph:status:in-bot
    #7 > label-ralph:status:in-progress
    repository > rollup:0
    #7 done: merge-7 is part of main-2
    #7 > close
    #7 > label+ralph:status:done
    #7 > rmworktree:/srv/trees/acme__app/slot-0/7/7-1
    #7 > label-ralph:status:in-bot
    ");
    assert_eq!(story.stands(7), "done: done");
    assert_eq!(story.labels(7), "ralph:status:done");
}

#[test]
fn the_gates_are_met_in_the_contracts_order() {
    let mut story = Story::plain();
    story.queued(7);
    let mut steps = Vec::new();
    for step in [
        Step::Workspace,
        Step::Plan,
        Step::PlanReview,
        Step::Implement,
        Step::Preflight,
        Step::ProductReview,
        Step::DevexReview,
        Step::Checks,
        Step::Merge,
    ] {
        story.reaches(7, step);
        let run = story.run(7);
        let passed = Gate::ALL.iter().filter(|gate| run.passed(**gate)).count();
        steps.push(format!("{step}: {passed}, {}", run.is_ready_for_pull()));
        if step == Step::Checks {
            story.reads_pull(7, |pull| pull.mergeable = ralph_core::pull::Mergeable::Blocked);
            story.reads_checks(7, &[("ci", "success")]);
        }
    }
    assert_snapshot!(steps.join("\n"), @"
    workspace: 0, false
    plan: 0, false
    plan review: 0, false
    implement: 1, false
    preflight: 1, false
    product review: 3, false
    devex review: 4, false
    checks: 5, true
    merge: 6, true
    ");
}

#[test]
fn a_pull_request_is_opened_only_when_everything_before_has_passed() {
    let mut story = Story::plain();
    story.queued(7);
    for _ in 0..7 {
        story.settles();
        assert!(!story.told().contains("> p"), "neither push nor pull before the reviews");
        assert!(!story.run(7).is_ready_for_pull());
        let step = story.managed(7).work.as_ref().expect("a process").step;
        story.ends(7, story.success(7, step));
    }
    assert!(story.run(7).is_ready_for_pull());
    assert_eq!(story.wants(7), "push:commit-4");
    story.performs("push");
    assert_eq!(story.wants(7), "pull:ralph/issue-7-issue-7:bot/integration");
}

#[test]
fn a_process_is_told_everything_it_needs() {
    let mut story = Story::with(|rules| rules.setup = vec!["make setup".to_owned()]);
    story.queued(7);
    let mut jobs = Vec::new();
    for step in [Step::Workspace, Step::Setup, Step::Implement, Step::Preflight] {
        story.settles();
        while story.managed(7).work.as_ref().map(|work| work.step) != Some(step) {
            let at = story.managed(7).work.as_ref().expect("a process").step;
            story.finishes(7, story.success(7, at));
        }
        story.told();
        // Ralph dies and starts the step again: the effect is there to be inspected.
        let attempt = story.managed(7).attempt;
        let died = ralph_core::fact::What::Interrupted { attempt };
        story.tell(&ralph_core::fact::Fact::of(7.key(), died));
        for effect in story.wanted() {
            if let Effect::Machine(_, MachineAct::Start { job, .. }) = effect {
                jobs.push(describe(&job));
            }
        }
    }
    assert_snapshot!(jobs.join("\n"), @r#"
    workspace 7-1 /srv/trees/acme__app/slot-0/7/7-1 ralph/issue-7-issue-7 from bot/integration
    setup 7-1 /srv/trees/acme__app/slot-0/7/7-1 ["make setup"] 10m
    implement 7-1 /srv/trees/acme__app/slot-0/7/7-1 ralph/issue-7-issue-7 head None base base 30m
    preflight 7-1 commit-8 after ["make setup"] 10m: ["make check"] 2m
    "#);
}

fn describe(job: &Job) -> String {
    match job {
        Job::Workspace { run, path, branch, base, .. } => {
            format!("workspace {run} {path:?} {branch} from {base}")
        }
        Job::Setup { run, path, commands, timeout } => {
            format!("setup {run} {path:?} {commands:?} {timeout}")
        }
        Job::Preflight { run, commit, setup, setup_timeout, commands, timeout } => {
            format!(
                "preflight {run} {commit} after {setup:?} {setup_timeout}: {commands:?} {timeout}"
            )
        }
        Job::Integrity { run, base, commit, commands, timeout, .. } => {
            format!("integrity {run} {commit} with the tests of {base}: {commands:?} {timeout}")
        }
        Job::Turn(turn) => format!(
            "{} {} {:?} {} head {:?} base {} {}",
            turn.role.name(),
            turn.run,
            turn.path,
            turn.branch,
            turn.head,
            turn.base,
            turn.timeout
        ),
    }
}
