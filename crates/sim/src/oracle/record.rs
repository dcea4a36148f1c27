//! The record of what really happened, kept beside the program under test: the checkers compare its behaviour with
//! this, never with its own words.

use crate::oracle::trials::Tried;
use crate::run::LaneEnds;
use ralph_core::bound::Spent;
use ralph_core::command::Command;
use ralph_core::fact::Subject;
use ralph_core::gate::Gate;
use ralph_core::ids::{IssueKey, RepoName, Sha};
use ralph_core::issue::CommandVia;
use ralph_core::lane::Lane;
use ralph_core::repo::FollowUpId;
use ralph_core::standing::Standing;
use ralph_core::survey::ProposalKind;
use ralph_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Default)]
pub(crate) struct Record {
    /// The number of processes that ran at the last step of the engine.
    pub(crate) busy: u32,
    /// Processes that may run beyond the limits because these were lowered meanwhile.
    pub(crate) tolerated: BTreeMap<RepoName, u32>,
    /// Changes made under one key since it was last settled.
    pub(crate) changes: BTreeMap<String, u32>,
    /// Highest fencing token seen for an issue.
    pub(crate) tokens: BTreeMap<IssueKey, u64>,
    /// Subjects that each gate has really let through.
    pub(crate) passed: BTreeSet<(Gate, String)>,
    /// Commands that a person with the right to them has really given: issue, event or comment id.
    pub(crate) intents: BTreeSet<(IssueKey, u64)>,
    /// Those of them that came as labels, by issue and event, and what became of each.
    pub(crate) orders: BTreeMap<IssueKey, BTreeMap<u64, Order>>,
    /// Issues that a command has named and that are not configured or do not exist.
    pub(crate) astray: BTreeSet<IssueKey>,
    pub(crate) program: super::program::ProgramBook,
    /// Messages that Ralph has taken in.
    pub(crate) told: Vec<super::steering::Told>,
    /// Comments of people without write access.
    pub(crate) strangers_words: BTreeSet<String>,
    /// The number of messages and comments that were written for each issue.
    pub(crate) messages: BTreeMap<IssueKey, u32>,
    /// Commands of the command line, by issue and time.
    pub(crate) typed: BTreeMap<(IssueKey, Time), Order>,
    /// The last command of each issue that was obeyed, `satisfy` apart.
    pub(crate) obeyed: BTreeMap<IssueKey, Command>,
    /// Queued labels on issues where they ask for nothing.
    pub(crate) hand_edits: BTreeSet<u64>,
    /// Label events that Ralph itself brought about.
    pub(crate) own_events: BTreeSet<u64>,
    /// Until when the forge has put off the effects of a lane.
    pub(crate) put_off: BTreeMap<String, Time>,
    /// The run and its counters at the last look, by Ralph's clock.
    pub(crate) spent: BTreeMap<IssueKey, (u32, Time, Spent)>,
    /// The first place of each run's workspace.
    pub(crate) places: BTreeMap<(IssueKey, u32), String>,
    /// Commits that a live process produced.
    pub(crate) produced: BTreeSet<String>,
    /// Commits that people put on branches of Ralph's.
    pub(crate) by_hand: BTreeSet<String>,
    /// Issues that were stopped because they were closed, and when, by Ralph's clock.
    pub(crate) stops: BTreeSet<(IssueKey, Time)>,
    /// Implementation turns whose end reached Ralph, by issue and run, since the counters were last cleared.
    pub(crate) turns: BTreeMap<(IssueKey, u32), u32>,
    /// Subjects that each gate of a run has let through, as Ralph knew when it last started a process.
    pub(crate) let_through: BTreeMap<(IssueKey, u32, Gate), String>,
    /// Turns that verified a parent.
    pub(crate) verifications: u64,
    /// Issues of which an agent said, with strong evidence, that nothing is left to do.
    pub(crate) verified: BTreeSet<IssueKey>,
    /// Issues on which Ralph has said so.
    pub(crate) told_verified: BTreeSet<IssueKey>,
    /// Turns that stalled, counted in the same way.
    pub(crate) stalls: BTreeMap<(IssueKey, u32), u32>,
    /// Runs that an agent took a turn of in a lane.
    pub(crate) lane_runs: BTreeMap<(IssueKey, Lane), BTreeSet<u32>>,
    /// The runs of the attempts that Ralph knew of when it was last looked at, by Ralph's clock.
    pub(crate) lane_attempts: BTreeMap<(IssueKey, Lane), (Time, Vec<u32>)>,
    /// Bounds that were reached, in which episode or run, and how often each.
    pub(crate) bounds: BTreeSet<(&'static str, IssueKey, u32)>,
    pub(crate) lane_ends: LaneEnds,
    /// Checks that chance or their machine made red: repository, commit, name.
    pub(crate) by_chance: BTreeSet<(RepoName, String, String)>,
    /// The reports of the checks of each commit.
    pub(crate) checks_said: BTreeMap<(RepoName, String), ChecksSaid>,
    /// The number of times that Ralph had a check run again.
    pub(crate) reruns: BTreeMap<(RepoName, String, String), u32>,
    /// Failures that were run again, with the commit of the last one.
    pub(crate) quarantined: BTreeMap<(RepoName, FollowUpId), Sha>,
    /// Issues that Ralph has opened itself.
    pub(crate) follow_ups: BTreeMap<(RepoName, FollowUpId), IssueKey>,
    /// Surveys whose end Ralph has heard of.
    pub(crate) surveys: BTreeMap<IssueKey, u32>,
    /// The proposals of these surveys.
    pub(crate) proposed: BTreeMap<(RepoName, FollowUpId), ProposalKind>,
    /// Plans that an agent was told to implement.
    pub(crate) implemented: BTreeSet<(IssueKey, String)>,
    /// The time at which others last moved the bot branch of a repository on.
    pub(crate) bases_moved: BTreeMap<RepoName, Time>,
    /// Merges that every run has: requests that never arrived, and those that a push came before.
    pub(crate) merges_lost: u64,
    pub(crate) merges_pushed: u64,
    /// The standing of each subject, and since when, as Ralph reported it at the last look.
    pub(crate) waits: BTreeMap<Subject, (Standing, Time)>,
    /// Trials that Ralph opened, oldest first.
    pub(crate) trials: Vec<Tried>,
    /// The number of label changes by others, on all issues.
    pub(crate) label_changes: u64,
    /// Effects that were claimed before Ralph was shown what others had done to the labels.
    pub(crate) unknowing: BTreeSet<String>,
    /// Label changes by others on an issue.
    pub(crate) label_news: BTreeMap<IssueKey, LabelNews>,
    /// Queue commands whose labels went without a status while the result comment showed a later command.
    pub(crate) unread_refusals: BTreeSet<(IssueKey, u64)>,
    /// Issues whose last `satisfy` that was obeyed was not to be undone.
    pub(crate) satisfied: BTreeSet<IssueKey>,
    /// Done, reopened and queued again by the people who look after things.
    pub(crate) done_again: BTreeSet<IssueKey>,
    /// Words of reviewers on something before they failed it.
    pub(crate) findings: BTreeMap<(IssueKey, Gate, String), Vec<String>>,
    /// Issues that are to begin afresh, as Ralph has heard.
    pub(crate) fresh: BTreeSet<IssueKey>,
    /// Branches that worktrees were made for, and by which runs.
    pub(crate) branches: BTreeMap<(IssueKey, String), BTreeSet<u32>>,
    /// Branches that were left for a fresh start, and the last run that was on them.
    pub(crate) left: BTreeMap<(IssueKey, String), u32>,
    /// Pull requests that people have opened for issues to wait for, and not brought to an end.
    pub(crate) pulls_by_hand: BTreeSet<(RepoName, u64)>,
    /// People stopped, closed or withdrew these.
    pub(crate) given_up: BTreeSet<IssueKey>,
    /// People rewrote comments of Ralph's on these.
    pub(crate) rewritten: BTreeSet<IssueKey>,
    /// People deleted comments on these.
    pub(crate) uncommented: BTreeSet<IssueKey>,
}

/// A command label that a person with the right to it put on an issue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    pub(crate) command: Command,
    pub(crate) via: CommandVia,
    pub(crate) answer: Option<Reply>,
}

/// Ralph's answer to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    Obeyed,
    Refused,
}

/// The reports of the checks of a commit so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChecksSaid {
    /// The time at which each was green first, by Ralph's clock.
    pub(crate) green: BTreeMap<String, Time>,
    pub(crate) was_red: bool,
}

/// Label changes by others than Ralph, by how many there had been on all issues.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LabelNews {
    /// The last one on this issue.
    pub(crate) happened: u64,
    /// The last one that Ralph can have been shown; `None`: what it was shown last was old.
    pub(crate) shown: Option<u64>,
}

/// A promise that was not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub rule: &'static str,
    pub detail: String,
}
