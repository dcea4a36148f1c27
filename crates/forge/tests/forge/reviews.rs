//! Reviews, and the approvals that protection may want.

use ralph_forge::{
    CreateReview, MergeState, Protection, ReviewVerdict, ReviewVerdict::Approved,
    ReviewVerdict::ChangesRequested, ReviewVerdict::Commented, SetProtection,
};

use crate::world::World;

fn review(number: u64, verdict: ReviewVerdict) -> CreateReview {
    CreateReview { number, verdict, body: "Words".to_owned(), commit: None }
}

/// A pull by `will` that wants one approval.
fn gated() -> (World, u64) {
    let mut world = World::new();
    let number = world.pull("f", "main", "");
    let protection =
        Protection { required_approvals: Some(1), enforce_admins: true, ..Protection::default() };
    world.ask("ada", SetProtection { branch: "main".to_owned(), protection });
    (world, number)
}

#[test]
fn the_latest_review_of_each_writer_counts() {
    let cases: [(&[(&str, ReviewVerdict)], bool); 6] = [
        (&[], false),
        (&[("max", Approved)], true),
        (&[("max", Commented)], false),
        (&[("reed", Approved)], false),
        (&[("max", Approved), ("max", ChangesRequested)], false),
        (&[("max", ChangesRequested), ("max", Approved), ("max", Commented)], true),
    ];
    for (reviews, passes) in cases {
        let (mut world, number) = gated();
        for (who, verdict) in reviews {
            world.ask(who, review(number, *verdict));
        }
        let state = world.judged(number).merge_state;
        assert_eq!(state == MergeState::Clean, passes, "{reviews:?}: {state:?}");
    }
}

#[test]
fn nobody_judges_their_own_pull_but_may_comment_on_it() {
    let (mut world, number) = gated();
    let refused = world.refused("will", review(number, Approved));
    assert_eq!(refused, "422 Can not approve your own pull request");
    let refused = world.refused("will", review(number, ChangesRequested));
    assert_eq!(refused, "422 Can not request changes on your own pull request");
    let own = world.ask("will", review(number, Commented));
    assert_eq!(own.review.commit, world.tip("f"));
}

#[test]
fn a_review_that_asks_for_changes_needs_words() {
    let (mut world, number) = gated();
    let silent =
        CreateReview { number, verdict: ChangesRequested, body: String::new(), commit: None };
    assert_eq!(world.refused("max", silent), "422 You need to leave a comment with this review.");
}
