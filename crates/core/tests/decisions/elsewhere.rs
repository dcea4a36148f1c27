//! Repositories that are not or no longer configured, and issues that do not exist: Ralph does nothing to either.

use crate::story::{Story, Which as _, repo};
use insta::assert_snapshot;
use ralph_core::check::{Rule, check};
use ralph_core::command::Command;
use ralph_core::decide::decide;
use ralph_core::fact::Observation;
use ralph_core::issue::Phase;
use ralph_core::steps::Step;
use ralph_core::time::Span;

#[test]
fn a_command_for_a_repository_that_is_not_configured_is_refused_and_forgotten() {
    for command in [Command::Queue, Command::Pause, Command::Stop] {
        let mut story = Story::plain();
        story.sees(("acme/lib", 1), &["ralph:status:queued"]);
        story.ordered(("acme/lib", 1), command);
        assert!(story.told().contains("acme/lib is not configured here"), "{command}");
        assert_eq!(story.wanted(), [], "{command}");
        assert!(story.world.issue(&("acme/lib", 1).key()).unwrap().managed.is_none());
    }
}

#[test]
fn an_issue_elsewhere_that_others_wait_for_can_be_satisfied_here() {
    let mut story = Story::plain();
    story.sees(("acme/lib", 1), &[]);
    story.ordered(("acme/lib", 1), Command::Satisfy);
    let issue = story.world.issue(&("acme/lib", 1).key()).unwrap();
    assert!(issue.satisfied && issue.managed.is_none());
    assert_eq!(story.wanted(), []);
}

#[test]
fn a_repository_that_is_taken_out_of_the_configuration_is_left_alone_and_what_is_known_waits() {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, Step::Plan);
    let rules = std::mem::take(&mut story.policy.repos);
    story.looks_at_everything();
    let wanted: Vec<_> = story.wanted().iter().map(ralph_core::effect::Effect::key).collect();
    assert!(wanted.iter().all(|key| key.contains(":end:")), "{wanted:?}");
    story.settles();
    assert_eq!(story.wanted(), []);
    assert_snapshot!(story.stands(7.key()), @"in-progress: its repository is not configured, or is left out for now: nothing is done to it");
    story.passes(Span::from_mins(600));
    assert_eq!(story.wanted(), []);
    story.policy.repos = rules;
    assert!(story.policy.repos.contains_key(&repo("acme/app")));
    story.looks_at_everything();
    story.reaches(7, Step::Plan);
}

#[test]
fn an_issue_that_does_not_exist_is_looked_for_refused_and_forgotten() {
    let mut story = Story::plain();
    story.ordered(999, Command::Queue);
    assert_eq!(story.wanted(), []);
    assert_snapshot!(story.stands(999.key()), @"no status: reads whether there is such an issue");
    story.reads(999, Observation::Gone);
    assert!(story.managed(999).commands.last.is_none(), "a replica may not know it yet");
    story.passes(Span::from_secs(60));
    story.reads(999, Observation::Gone);
    assert!(story.told().contains("The forge says that there is no issue acme/app#999"));
    assert!(story.world.issue(&999.key()).unwrap().managed.is_none());
    assert_eq!(story.wanted(), []);
}

#[test]
fn a_command_for_an_issue_that_is_not_read_yet_is_obeyed_once_it_is() {
    let mut story = Story::plain();
    story.ordered(12, Command::Queue);
    assert_eq!(story.managed(12).phase, Phase::Out);
    story.sees(12, &[]);
    assert!(matches!(story.managed(12).phase, Phase::Running { .. }));
}

#[test]
fn a_decision_with_an_effect_on_a_repository_that_is_not_configured_is_a_fault() {
    let mut story = Story::plain();
    story.queued(7);
    let touched = story.world.everything(&story.policy);
    let plan = decide(&story.world, &touched, story.now, &story.policy);
    assert!(plan.decisions.iter().any(|decision| !decision.effects.is_empty()));
    assert_eq!(check(&story.world, &plan, &story.policy), []);
    story.policy.repos.clear();
    let faults = check(&story.world, &plan, &story.policy);
    assert!(faults.iter().any(|fault| fault.rule == Rule::NotConfigured), "{faults:?}");
}
