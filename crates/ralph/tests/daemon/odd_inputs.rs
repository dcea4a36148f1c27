//! Text and places that nobody thinks of when writing a program.

use crate::stage::{Stage, WORK};

#[test]
fn a_plain_issue_goes_all_the_way() {
    let stage = Stage::set(WORK);
    let issue = stage.forge.open_issue("Do it", "Please.");
    let ran = stage.work();
    eprintln!("{}", ran.stderr);
    assert_eq!(stage.forge.status(issue), ["in-bot"]);
    stage.forge.merge_rollup();
    eprintln!("{}", stage.work().stderr);
    assert_eq!(stage.forge.status(issue), ["done"]);
    eprintln!("{}", stage.explained(issue));
    stage.forge.assert_nothing_twice();
    stage.assert_nobody_left();
}
