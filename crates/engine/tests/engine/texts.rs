//! Longer texts are kept while something refers to them.

use crate::life;
use ralph_core::digest::Digest;
use ralph_core::issue::Phase;
use ralph_core::pull::CheckState;
use ralph_core::time::Span;

const ORPHAN: &str = "a text that nobody asked for";

#[test]
fn texts_that_nothing_names_go_and_all_others_stay() {
    let mut desk = life::waiting_for_checks();
    desk.engine().forget_texts().unwrap();
    let named = desk.look("SELECT digest FROM blob ORDER BY digest");
    assert!(named.len() > 1, "{named:?}");
    let now = desk.now;
    let orphan = vec![(Digest::of(ORPHAN), ORPHAN.to_owned())];
    desk.engine().observe_with_texts(now, Vec::new(), orphan).unwrap();
    assert_eq!(desk.engine().forget_texts().unwrap(), 1);
    assert_eq!(desk.look("SELECT digest FROM blob ORDER BY digest"), named);

    // Without the story only state rows and effects refer to texts, which is enough to continue.
    desk.engine().forget_facts(now.plus(Span(1))).unwrap();
    desk.engine().forget_texts().unwrap();
    let body = desk.issue(7).seen.as_ref().unwrap().body;
    assert!(desk.engine().store().unwrap().blob(body).unwrap().is_some());
    desk.dies_and_returns();
    desk.forge.ci = Some(CheckState::Pass);
    desk.rounds_until(|desk| matches!(desk.managed(7).phase, Phase::InBot { .. }));
    assert_eq!(desk.issue(7).seen.as_ref().unwrap().body, body);
}
