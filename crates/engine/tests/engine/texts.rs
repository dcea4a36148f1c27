//! Longer texts are kept while something refers to them.

use crate::whole_run;
use ralph_core::digest::Digest;
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_core::time::Span;

const ORPHAN: &str = "a text that nobody asked for";

#[test]
fn texts_that_nothing_names_go_and_all_others_stay() {
    let mut harness = whole_run::waiting_for_checks();
    harness.engine().forget_texts().unwrap();
    let named = harness.look("SELECT digest FROM blob ORDER BY digest");
    assert!(named.len() > 1, "{named:?}");
    let now = harness.now;
    let orphan = vec![(Digest::of(ORPHAN), ORPHAN.to_owned())];
    harness.engine().observe_with_texts(now, Vec::new(), orphan).unwrap();
    assert_eq!(harness.engine().forget_texts().unwrap(), 1);
    assert_eq!(harness.look("SELECT digest FROM blob ORDER BY digest"), named);

    // Without the story only state rows and effects refer to texts, which is enough to continue.
    harness.engine().forget_facts(now.plus(Span(1))).unwrap();
    harness.engine().forget_texts().unwrap();
    let body = harness.issue(7).seen.as_ref().unwrap().body;
    assert!(harness.engine().store().unwrap().blob(body).unwrap().is_some());
    harness.dies_and_returns();
    harness.forge.ci = Some(CheckState::Pass);
    harness.rounds_until(|harness| matches!(harness.managed(7).phase, Phase::InBot { .. }));
    assert_eq!(harness.issue(7).seen.as_ref().unwrap().body, body);
}
