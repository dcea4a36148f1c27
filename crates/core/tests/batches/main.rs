//! The planner of the merge queue: the entries merged, those sent back, and the number of runs.

mod trace;

use ralph_core::merge_queue::{BARREN_MAX, BARREN_PAUSE, Ended, Next, Planner};
use ralph_core::time::Time;
use trace::{play, shuffled};

#[test]
fn every_bad_one_is_sent_back_and_every_other_is_merged_whatever_the_order() {
    for (shuffle, bad) in (0..200).flat_map(|shuffle| [0, 1, 7, 20, 64].map(|bad| (shuffle, bad))) {
        for batch_max in [1, 3, 16, 50] {
            let line = shuffled(64, shuffle);
            let mut played = play(&line, |member| member < bad, batch_max);
            played.merged.sort_unstable();
            played.ejected.sort_unstable();
            assert_eq!(played.ejected, (0..bad).collect::<Vec<_>>(), "{shuffle} {batch_max}");
            assert_eq!(played.merged, (bad..64).collect::<Vec<_>>(), "{shuffle} {batch_max}");
        }
    }
}

#[test]
fn what_is_green_is_merged_in_the_order_of_the_line() {
    assert_eq!(play(&[3, 1, 2], |_| false, 8).merged, [3, 1, 2]);
    assert_eq!(play(&[3, 1, 2], |member| member == 1, 8).merged, [3, 2]);
}

#[test]
fn red_is_halved_and_a_right_half_of_one_is_not_tried_again() {
    let mut planner = Planner::default();
    let all = ["a", "b", "c"];
    assert_eq!(planner.next(&all, 8), Next::Try(all.to_vec()));
    assert_eq!(planner.ended(&all, Ended::Red), None);
    assert_eq!(planner.next(&all, 8), Next::Try(vec!["a", "b"]));
    assert_eq!(planner.ended(&["a", "b"], Ended::Green), None);
    assert_eq!(planner.next(&["c", "d"], 8), Next::Eject("c"));
    planner.ejected();
    assert_eq!(planner.next(&["d"], 8), Next::Try(vec!["d"]));
}

#[test]
fn a_red_left_half_says_nothing_about_the_right_one() {
    let mut planner = Planner::default();
    planner.ended(&["a", "b"], Ended::Red);
    assert_eq!(planner.next(&["a", "b", "c"], 8), Next::Try(vec!["a"]));
    assert_eq!(planner.ended(&["a"], Ended::Red), Some("a"), "one alone is not split");
    assert_eq!(planner.next(&["b", "c"], 8), Next::Try(vec!["b", "c"]));
}

#[test]
fn suspicion_ends_when_one_of_them_leaves_or_something_else_is_merged() {
    let mut planner = Planner::default();
    planner.ended(&["a", "b"], Ended::Red);
    assert_eq!(planner.next(&["b", "c"], 8), Next::Try(vec!["b", "c"]), "a was stopped");
    planner.base_moved();
    assert_eq!(planner.next(&["a", "b"], 8), Next::Try(vec!["a", "b"]));
    planner.ended(&["a", "b"], Ended::Red);
    planner.ended(&["a"], Ended::Void);
    assert_eq!(planner.next(&["a", "b"], 8), Next::Try(vec!["a", "b"]));
}

#[test]
fn fewer_are_taken_after_failures_and_more_after_successes() {
    let line: Vec<u32> = (0..64).collect();
    let taken = |planner: &Planner<u32>| match planner.next(&line, 50) {
        Next::Try(trial) => trial.len(),
        Next::Eject(_) | Next::Nothing => 0,
    };
    let (mut good, mut bad) = (Planner::default(), Planner::default());
    let at_first = taken(&good);
    for member in 0..32 {
        good.ended(&[member], Ended::Green);
        bad.ended(&[member], Ended::Green);
        bad.ended(&[member], Ended::Red);
    }
    assert_eq!((at_first, taken(&good), taken(&bad)), (8, 32, 1));
    assert_eq!(good.next(&line, 1), Next::Try(vec![0]), "never more than the operator allows");
}

#[test]
fn trials_that_merge_nothing_shrink_to_one_and_pause() {
    let (mut planner, line): (Planner<u32>, Vec<u32>) = (Planner::default(), (0..64).collect());
    for tried in 0..BARREN_MAX {
        assert_eq!(planner.history.pause_until(Time(0)), None, "{tried}");
        planner.ended(&line, Ended::Void);
    }
    assert_eq!(planner.next(&line, 50), Next::Try(vec![0]));
    assert_eq!(planner.history.pause_until(Time(5)), Some(Time(5).plus(BARREN_PAUSE)));
    planner.ended(&[0], Ended::Green);
    assert_eq!(planner.history.pause_until(Time(5)), None);
    assert_ne!(planner.next(&line, 50), Next::Try(vec![0]));
}

#[test]
fn once_they_have_merged_nothing_for_too_long_what_was_red_is_taken_one_by_one_too() {
    let (mut planner, line): (Planner<u32>, Vec<u32>) = (Planner::default(), (0..64).collect());
    for _ in 1..BARREN_MAX {
        planner.ended(&line, Ended::Void);
    }
    planner.ended(&[3, 4, 5, 6], Ended::Red);
    assert_eq!(planner.next(&line, 50), Next::Try(vec![3]));
    planner.ended(&[3], Ended::Green);
    assert_ne!(planner.next(&line, 50), Next::Try(vec![0]));
}
