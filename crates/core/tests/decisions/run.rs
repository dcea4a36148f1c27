//! A run, step by step: the happy path as a whole, and the order in which its evidence is gathered.

use crate::end::reaches_default;
use crate::story::Story;
use insta::assert_snapshot;
use ralph_core::effect::Act;
use ralph_core::gate::Gate;
use ralph_core::job::Job;
use ralph_core::recipe::Step;
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
    assert_snapshot!(story.told(), @"");
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
    assert_snapshot!(steps.join("\n"), @"");
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
        let attempt = story.managed(7).attempt;
        let outcome = story.success(7, step);
        let what = ralph_core::fact::What::Finished { attempt, outcome };
        story.tell(&ralph_core::fact::Fact::of(crate::story::Which::key(&7), what));
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
        // Ralph dies and starts the step again: the effect is there to be looked at.
        let attempt = story.managed(7).attempt;
        let died = ralph_core::fact::What::Interrupted { attempt };
        story.tell(&ralph_core::fact::Fact::of(crate::story::Which::key(&7), died));
        for effect in story.wanted() {
            if let Act::Start { job, .. } = effect.act {
                jobs.push(describe(&job));
            }
        }
    }
    assert_snapshot!(jobs.join("\n"), @"");
}

fn describe(job: &Job) -> String {
    match job {
        Job::Workspace { run, path, branch, base } => {
            format!("workspace {run} {path:?} {branch} from {base}")
        }
        Job::Setup { run, path, commands, timeout } => {
            format!("setup {run} {path:?} {commands:?} {timeout}")
        }
        Job::Preflight { run, commit, commands, timeout } => {
            format!("preflight {run} {commit} {commands:?} {timeout}")
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
