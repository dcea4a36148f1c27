//! The behaviour of `decide` in whole stories: facts in, moves, effects and standings out, one file per question.

#[cfg(test)]
mod outside;
#[cfg(test)]
mod story;

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod adoption;
#[cfg(test)]
mod again;
#[cfg(test)]
mod answers;
#[cfg(test)]
mod auto_queue;
#[cfg(test)]
mod behind;
mod budgets;
#[cfg(test)]
mod checks;
#[cfg(test)]
mod ci_lane;
#[cfg(test)]
mod circles;
#[cfg(test)]
mod cleanup;
#[cfg(test)]
mod command_labels;
#[cfg(test)]
mod commands;
#[cfg(test)]
mod comments;
#[cfg(test)]
mod conflict_lane;
#[cfg(test)]
mod dependencies;
#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod end;
#[cfg(test)]
mod eventless;
#[cfg(test)]
mod evidence;
#[cfg(test)]
mod fairness;
#[cfg(test)]
mod integrity;
#[cfg(test)]
mod labels;
#[cfg(test)]
mod look;
#[cfg(test)]
mod mark;
#[cfg(test)]
mod merge;
#[cfg(test)]
mod merge_queue;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod notes;
#[cfg(test)]
mod order;
#[cfg(test)]
mod outages;
#[cfg(test)]
mod parent;
#[cfg(test)]
mod process;
#[cfg(test)]
mod pull_blockers;
#[cfg(test)]
mod quarantine;
#[cfg(test)]
mod red_checks;
#[cfg(test)]
mod reruns;
#[cfg(test)]
mod rollup;
#[cfg(test)]
mod run;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod stalls;
#[cfg(test)]
mod survey;
#[cfg(test)]
mod sync;
#[cfg(test)]
mod sync_lane;
#[cfg(test)]
mod throttle;
mod throttle_days;
mod trial_by_hand;
#[cfg(test)]
mod trial_mishaps;
#[cfg(test)]
mod turn;
mod workspace;

#[cfg(test)]
mod findings;
#[cfg(test)]
mod generator;
#[cfg(test)]
mod prompts;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod sentences;
