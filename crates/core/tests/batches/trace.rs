//! Runs the planner over a line of pull requests of which some are bad, and counts the cost.

use ralph_core::merge_queue::{Ended, Next, Planner};

/// The result of one line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) runs: u32,
    pub(crate) merged: Vec<u32>,
    pub(crate) ejected: Vec<u32>,
}

/// Merges a line from its front. A trial build is red if one of its entries is bad.
pub(crate) fn play(line: &[u32], is_bad: impl Fn(u32) -> bool, batch_max: u32) -> Played {
    let (mut planner, mut ready, mut played) =
        (Planner::default(), line.to_vec(), Played::default());
    loop {
        let bad = match planner.next(&ready, batch_max) {
            Next::Nothing => return played,
            Next::Eject(bad) => {
                // Not a trial build but a run of the entry's own checks, whose logs its repair needs.
                played.runs += 1;
                planner.ejected();
                Some(bad)
            }
            Next::Try(trial) => {
                played.runs += 1;
                let is_red = trial.iter().any(|member| is_bad(*member));
                let bad = planner.ended(&trial, if is_red { Ended::Red } else { Ended::Green });
                if !is_red {
                    ready.retain(|member| !trial.contains(member));
                    played.merged.extend(trial);
                }
                bad
            }
        };
        ready.retain(|member| Some(*member) != bad);
        played.ejected.extend(bad);
    }
}

/// Returns the members of one trace in one order of a thousand, always the same for the same number.
pub(crate) fn shuffled(members: u32, shuffle: u64) -> Vec<u32> {
    let mut line: Vec<u32> = (0..members).collect();
    let mut state = shuffle;
    for end in (1..line.len()).rev() {
        let chosen = usize::try_from(draw(&mut state) % (end as u64 + 1)).unwrap_or_default();
        line.swap(end, chosen);
    }
    line
}

/// Splitmix64.
fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
