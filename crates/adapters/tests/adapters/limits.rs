//! A turn or a command that uses more than the operator allows has failed, and says why.

use crate::stage::{RUN, Set, Stage, containments};
use ralph_contain::Limits;
use ralph_core::fact::Outcome;
use ralph_core::job::Job;
use ralph_core::time::Span;

#[test]
fn a_turn_and_a_command_over_a_limit_fail_with_the_reason() {
    for kept in containments() {
        let limits = Limits { processes: Some(25), ..Limits::default() };
        let mut stage = Stage::set(&Set { kept, limits, ..Set::default() });
        stage.prepare();
        let many = "for one in $(seq 50); do sleep 1000 & done; wait";
        let outcome = stage.implement(many);
        let Outcome::AgentFailed { reason, .. } = outcome else { panic!("{kept:?}: {outcome:?}") };
        assert!(reason.contains("over the limit of processes"), "{kept:?}: {reason}");
        let commands = vec![many.to_owned()];
        let setup =
            Job::Setup { run: RUN, path: stage.worktree(), commands, timeout: Span::from_secs(60) };
        let outcome = stage.run(&setup, "");
        let Outcome::CommandsFailed { excerpt, .. } = outcome else {
            panic!("{kept:?}: {outcome:?}")
        };
        assert!(excerpt.contains("over the limit of processes"), "{kept:?}: {excerpt}");
    }
}
