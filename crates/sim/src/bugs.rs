//! Bugs planted at the seams, each of which some checker must catch. The program under test is never
//! changed: a request or an answer is rewritten on its way, a port lies, an effect is rewritten, a decision is
//! swapped, a row is tampered with.

mod decisions;
mod hunt;
mod outages;
mod places;
mod steering;
mod syncs;
mod trials;
mod waits;

pub use hunt::{Catch, catch_all};

use ralph_core::bound::Spent;
use ralph_core::check::check;
use ralph_core::effect::{Effect, IssueAct, MachineAct};
use ralph_core::fact::{Fact, Observation, RunSettled, Settled, What};
use ralph_core::ids::IssueKey;
use ralph_core::issue::PendingCommand;
use ralph_core::job::Job;
use ralph_core::label_book::command_of;
use ralph_core::time::{Span, Time};
use ralph_core::watch::Resource;
use ralph_engine::store::{Store, StoreError};
use ralph_engine::{Leased, Performed, Question, Reading, Rules};

macro_rules! bugs {
    ($($name:ident: $rules:expr, $text:literal;)+) => {
        /// Every planted bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Bug { $($name,)+ }

        impl Bug {
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The bug of this name.
            pub fn named(name: &str) -> Result<Self, String> {
                match name {
                    $(stringify!($name) => Ok(Self::$name),)+
                    _other => Err("no such bug; `--bugs` lists them".to_owned()),
                }
            }

            /// Says what the bug does.
            #[must_use]
            pub const fn says(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The rule that must fire first, then others that may as well.
            #[must_use]
            pub const fn caught_by(self) -> &'static [&'static str] {
                match self { $(Self::$name => &$rules,)+ }
            }
        }
    };
}

bugs! {
    ForeignLabel: ["I1"], "client: writes a label outside the namespace";
    KeepsOldStatus: ["I2"], "decision: never takes an old status label away";
    StrangerMayCommand: ["I3"], "client: takes everybody's labels as commands";
    BlockedLabel: ["I4"], "client: shows a blocked issue with a label";
    ClaimWaitsForLabel: ["I5"], "decision: claims only once the label is written";
    LabelsHoldMerges: ["I5"], "effect: what a label write has to wait for holds merges too";
    PullToDefaultBranch: ["I6"], "client: opens task pull requests against the default branch";
    WorksInMainCheckout: ["I7"], "effect: runs the agent in the main checkout";
    ForgetsItsSlot: ["I7"], "decision: a workspace that was being made at a death is made elsewhere";
    StaleOwnerWrites: ["I8"], "store: the fencing check lets an old owner through";
    RetryCommentAfterTimeout: ["I9", "I10"], "client: sends a comment again after a time-out";
    LabelWrittenTwice: ["I9"], "client: takes a label off and sets it again when no answer came";
    NeverLooksFirst: ["I9", "I10", "I2", "I3", "C3", "Q1", "P1"], "effect: tries again without looking whether it happened";
    PerformsTwice: ["I9", "I10", "Q1", "P1"], "effect: performs again at once when no answer came";
    ForgetsClaimedAtRestart: ["I9", "I10", "Q1", "P1", "I2"], "store: a restart forgets what was under way";
    CommentWithoutMarker: ["I10"], "client: drops the marker of a comment";
    MergeWithoutHead: ["I11", "G5"], "client: merges whatever the head is by then";
    MergesWithoutWaiting: ["I11", "I12", "G5", "R1"], "decision: merges while required checks are running";
    MergesOnStaleBase: ["G5", "G6", "I11", "I5"], "decision: merges what was tested with an older bot branch";
    MergesUntried: ["G5", "G6"], "decision: takes a trial for green while its checks are running";
    MergesAfterMismatch: ["G6", "G5"], "decision: goes on with a trial although a merge gave something else than was tried";
    BlamesTheTrial: ["G7"], "decision: takes the red checks of a trial for those of its members";
    LeavesTrials: ["L3"], "decision: leaves the branch of a trial that is over";
    ReviewOfAnotherDiff: ["I11"], "decision: takes a review of an earlier diff for one of this diff";
    PreflightOfAnotherTree: ["I11"], "decision: takes the preflight of what was before an update for one of what came of it";
    MergesConflicts: ["I11"], "port: takes files that are in conflict still for resolved";
    TakesTheLostForSeen: ["I11"], "reading: takes an issue that is gone for one that was seen";
    PlanOfAnotherReview: ["I11"], "decision: takes any plan as reviewed once one was written";
    DoneWithoutEvidence: ["I11", "I14", "L4", "G5"], "client: takes every merge as arrived on the default branch";
    ClosesAtMerge: ["I11"], "decision: closes the issue when its change is in the bot branch";
    ClosesBeforeComment: ["I11"], "decision: closes a verified parent before the comment that says why is there";
    BelievesAnyAddress: ["I11"], "port: takes any address for one of a sub-issue";
    TakesHeadsTests: ["I11"], "port: judges a change by its own version of the tests";
    DropsFindings: ["F1"], "effect: keeps what reviews found from the agent";
    DropsMessages: ["S1"], "effect: keeps the operator's messages from the agent";
    TellsTwice: ["S2"], "port: reports a message that the program took as not taken";
    StrangerSteers: ["S4"], "client: takes what a stranger has to say about the work for a maintainer's words";
    TellsReviewers: ["S3", "S2"], "decision: gives messages to whoever works";
    GoesOnInstead: ["C4", "G5", "I9", "I11"], "effect: makes the worktree of a fresh start on the branch that was left";
    PushesUnscanned: ["G1"], "port: takes what a turn left without looking at it";
    TakesWordsAsTheyAre: ["D1", "I13", "L2"], "port: takes the messages of an agent's commits as they are";
    RepeatsGates: ["G2", "I12"], "decision: runs preflight again although it has passed";
    CounterResetAtRestart: ["I12", "E6"], "store: a restart resets the retry counters";
    NeverGivesUp: ["I12"], "decision: retries without bounds";
    AgentBeforeRerun: ["T1"], "decision: repairs at once what chance may have made red";
    ForgetsReruns: ["T1", "I9"], "decision: has a check run again and again";
    FollowUpTwice: ["Q1", "I9", "P1"], "client: asks twice for each issue of Ralph's own";
    SurveysForEver: ["P1", "I12", "E2", "I5"], "decision: surveys what came of a survey";
    LaneForgetsAttempts: ["I12", "I5"], "decision: counts no attempts of a lane";
    UpdatesForEver: ["I12"], "decision: brings a branch that is behind up to date without bounds";
    NudgesForEver: ["I12"], "decision: nudges an agent that stalls as often as it likes";
    PauseIgnored: ["I13", "C3"], "decision: goes on with a paused issue";
    StopIgnored: ["I13"], "decision: goes on with a stopped issue";
    ForgetsToRescue: ["I14"], "port: removes a given-up worktree without saving what is in it";
    RemovesEarly: ["I14"], "decision: removes the worktree before the issue is done";
    CommandLabelGoesFirst: ["C1"], "decision: removes the command label before the status is set";
    AnyMarkerIsOurs: ["C2"], "client: takes everybody's marked comments for Ralph's";
    EditedWordsCount: ["I3"], "client: takes what a comment was edited into for what it said at first";
    OwnWritesAreWishes: ["I3", "I13", "C1", "W1"], "reading: takes Ralph's own queued labels for another person's command";
    OwnLoginIsDeaf: ["C3", "L2", "I2"], "reading: hears nothing that is said under Ralph's own login";
    ForgetsACommand: ["C3", "I2"], "reading: of two commands read at once the first is lost";
    RefusesForNoReason: ["C3"], "decision: refuses a command that is to be obeyed";
    InsanePlan: ["E1"], "decision: wants the same effect twice";
    NeverRests: ["E2"], "decision: two rules undo each other";
    SlotsIgnored: ["E3"], "decision: starts more processes than there are slots";
    StopLeavesProcess: ["L3", "E3", "I8"], "port: reports a process as ended and lets it run";
    ForgetsDeadlines: ["W1", "E4", "E2"], "decision: does not look again when a wait has lasted as long as it may";
    ForgetsDependents: ["E4", "I2", "I5", "C3", "E2"], "decision: looks only at the issue that changed";
    RowDrifts: ["E5", "E6"], "store: a row is changed behind the engine's back";
    ForgetsAFact: ["E6"], "store: a fact is missing from the journal";
    OldAttemptCounts: ["E7", "L3"], "news: the result of an ended attempt counts for the new one";
    DrainIgnored: ["E8"], "decision: starts processes although Ralph drains";
    ServerErrorIsRefusal: ["H1"], "client: takes an error of the server for a refusal";
    LimitIsRefusal: ["H1"], "client: takes a limit for a refusal";
    LostCountsAsUnsent: ["H1"], "client: takes a lost answer for a request that was never sent";
    KeptAnswerStays: ["H2"], "client: goes on with the kept answer although a new one came";
    WritesElsewhere: ["N1"], "client: writes labels to a repository that is not configured";
    AsksForEver: ["R1", "E4"], "decision: wants a label that is there already, over and over";
    BlamesIssues: ["B1", "I12", "E2", "I2", "R1"], "decision: asks a person about every issue whose agent fails, although it fails for all";
    TriesAtOnce: ["B1", "I12", "E4", "B3"], "decision: goes on starting turns while the agents' program fails";
    StartsWhileLimited: ["B3", "B1", "I12", "E4", "B2"], "decision: starts turns with an account that is limited";
    BlamesNoIssue: ["B2", "B1", "I12", "E4"], "decision: goes on with an issue that the agents' program fails on alone";
    LabelsNeverSettle: ["L1", "I9", "I2"], "effect: label writes are always put off";
    LostMergeIsDone: ["L2"], "effect: counts a lost answer to a merge as merged";
    LeavesBranches: ["L3"], "decision: leaves the branch of a merged sync pull request";
    ForgetsToSync: ["L4"], "decision: leaves the bot branch without the default branch's changes";
    LeavesSyncConflicts: ["L4", "I5"], "decision: leaves the conflict of a sync pull request as it is";
    TakesClosingsForStops: ["D1", "I13"], "reading: takes what a commit of Ralph's branches closed for closed by a person";
    ForgetsToQueue: ["L2"], "decision: leaves open issues without labels alone";
    HidesRefusals: ["W2", "C3", "I2"], "reading: drops the reason of a read that was refused";
    HeedsNoMark: ["M1"], "decision: a second Ralph works without looking for a mark";
    NeverPolls: ["L2", "C3", "I2"], "reading: relies on webhooks alone";
}

impl Bug {
    /// The rules with this bug in them. Where the plan checker would catch it first, it is switched off, so
    /// that the checker behind it has to.
    #[must_use]
    pub fn rules(self) -> Rules {
        let blind = |_: &_, _: &_, _: &_| Vec::new();
        let swapped = |decide| Rules { decide, check: blind };
        match self {
            Self::KeepsOldStatus => swapped(decisions::keeps_old_status),
            Self::ClaimWaitsForLabel => swapped(decisions::claim_waits_for_label),
            Self::MergesWithoutWaiting => swapped(decisions::merges_without_waiting),
            Self::MergesOnStaleBase => swapped(decisions::merges_on_stale_base),
            Self::MergesUntried => swapped(trials::merges_untried),
            Self::MergesAfterMismatch => swapped(trials::merges_after_mismatch),
            Self::LeavesTrials => swapped(trials::leaves_trials),
            Self::RepeatsGates => swapped(decisions::repeats_gates),
            Self::ReviewOfAnotherDiff => swapped(decisions::review_of_another_diff),
            Self::PreflightOfAnotherTree => swapped(decisions::preflight_of_another_tree),
            Self::UpdatesForEver => swapped(decisions::updates_for_ever),
            Self::PlanOfAnotherReview => swapped(decisions::plan_of_another_review),
            Self::ClosesAtMerge => swapped(decisions::closes_at_merge),
            Self::ClosesBeforeComment => swapped(decisions::closes_before_comment),
            Self::NeverGivesUp => swapped(decisions::never_gives_up),
            Self::AgentBeforeRerun => swapped(decisions::agent_before_rerun),
            Self::ForgetsReruns => swapped(decisions::forgets_reruns),
            Self::NudgesForEver => swapped(decisions::nudges_for_ever),
            Self::LaneForgetsAttempts => swapped(decisions::lane_forgets_attempts),
            Self::PauseIgnored => swapped(decisions::pause_ignored),
            Self::StopIgnored => swapped(decisions::stop_ignored),
            Self::RemovesEarly => swapped(decisions::removes_early),
            Self::ForgetsItsSlot => swapped(places::forgets_its_slot),
            Self::CommandLabelGoesFirst => swapped(decisions::command_label_goes_first),
            Self::RefusesForNoReason => swapped(decisions::refuses_for_no_reason),
            Self::InsanePlan => Rules { decide: decisions::insane_plan, check },
            Self::NeverRests => swapped(decisions::never_rests),
            Self::AsksForEver => swapped(decisions::asks_for_ever),
            Self::BlamesIssues => swapped(outages::blames_issues),
            Self::TriesAtOnce => swapped(outages::tries_at_once),
            Self::StartsWhileLimited => swapped(outages::starts_while_limited),
            Self::BlamesNoIssue => swapped(outages::blames_no_issue),
            Self::DrainIgnored => swapped(decisions::drain_ignored),
            Self::SlotsIgnored => swapped(decisions::slots_ignored),
            Self::BlamesTheTrial => swapped(trials::blames_the_trial),
            Self::LeavesBranches => swapped(decisions::leaves_branches),
            Self::ForgetsToSync => swapped(decisions::forgets_to_sync),
            Self::LeavesSyncConflicts => swapped(syncs::leaves_sync_conflicts),
            Self::ForgetsToQueue => swapped(decisions::forgets_to_queue),
            Self::SurveysForEver => swapped(decisions::surveys_for_ever),
            Self::TellsReviewers => swapped(steering::tells_reviewers),
            Self::ForgetsDeadlines => swapped(waits::forgets_deadlines),
            Self::ForgetsDependents => swapped(decisions::forgets_dependents),
            _others => Rules::default(),
        }
    }

    /// Rewrites an effect between the outbox and the ports.
    pub(crate) fn rewrite_claimed(self, leased: &mut Leased) {
        match self {
            Self::NeverLooksFirst => leased.looks_first = false,
            Self::DropsFindings => {
                if let Some((before, _)) = leased.prompt.split_once(", in the reviewer's words.") {
                    leased.prompt = before.to_owned();
                }
            }
            Self::DropsMessages => steering::drop_messages(leased),
            Self::GoesOnInstead => {
                if let Effect::Machine(_, MachineAct::Start { job, .. }) = &mut leased.effect
                    && let Job::Workspace { branch, leaves: Some(left), .. } = job
                {
                    branch.clone_from(left);
                }
            }
            Self::WorksInMainCheckout => {
                if let Effect::Machine(_, MachineAct::Start { job: Job::Turn(turn), .. }) =
                    &mut leased.effect
                    && let Ok(path) = serde_json::from_str("\"/srv/checkout\"")
                {
                    turn.path = path;
                }
            }
            _others => {}
        }
    }

    /// Rewrites what is reported of an effect.
    pub(crate) fn rewrite_performed(self, leased: &Leased, now: Time, performed: &mut Performed) {
        match (self, &leased.effect) {
            // A request that arrived and is reported as unsent would be taken for another person's.
            (
                Self::LabelsNeverSettle,
                Effect::Issue(_, IssueAct::AddLabel { label } | IssueAct::RemoveLabel { label }),
            ) if command_of(label).is_none() => {
                let until = Some(now.plus(Span::from_mins(600)));
                *performed = Performed::Later { until, why: "put off".to_owned() };
            }
            (Self::LostMergeIsDone, Effect::Issue(_, IssueAct::Merge { pull, head, .. })) => {
                if matches!(performed, Performed::Unknown { .. }) {
                    let merged = RunSettled::Merged { number: *pull, commit: head.clone() };
                    let what = What::Settled(Settled::Run(merged));
                    let subject = leased.effect.subject();
                    *performed = Performed::Happened(vec![Fact { subject, what }]);
                }
            }
            _others => {}
        }
    }

    /// Rewrites what a reading brought.
    pub(crate) fn rewrite_reading(self, login: &str, reading: &mut Reading) {
        match self {
            Self::OwnLoginIsDeaf => hear_nothing_from(login, reading),
            Self::OwnWritesAreWishes => forget_own_writes(reading),
            Self::ForgetsACommand => forget_the_first(reading),
            Self::TakesClosingsForStops => syncs::forget_closers(reading),
            Self::HidesRefusals => {
                reading.failed = None;
                reading.missed.clear();
            }
            _others => {}
        }
    }

    /// Takes every answer that one of these issues is gone for a look at it.
    pub(crate) fn find_lost(
        self,
        lost: impl Fn(&IssueKey) -> bool,
        now: Time,
        reading: &mut Reading,
    ) {
        if self != Self::TakesTheLostForSeen {
            return;
        }
        for fact in &mut reading.facts {
            if fact.subject.issue().is_some_and(&lost)
                && let What::Seen(seen @ Observation::Gone) = &mut fact.what
            {
                *seen = Observation::Looked { at: now, is_partial: false };
            }
        }
    }

    /// Keeps a question from being asked.
    pub(crate) fn swallows(self, question: &Question) -> bool {
        let is_issue = matches!(question.resource, Resource::Issues(_) | Resource::Issue(_));
        self == Self::NeverPolls && is_issue
    }

    /// Tampers with the store of a dead process before the next one opens it.
    pub(crate) fn tamper_at_restart(self, store: &mut Store) -> Result<(), StoreError> {
        match self {
            Self::CounterResetAtRestart => {
                let world = store.world()?;
                for (key, issue) in world.issues() {
                    let mut issue = issue.clone();
                    if let Some(run) = issue.managed.as_mut().and_then(|m| m.run.as_mut()) {
                        run.spent = Spent::default();
                        store.tamper_with_issue(key, &issue)?;
                    }
                }
                Ok(())
            }
            Self::ForgetsClaimedAtRestart => store.tamper_with_outbox(),
            _others => Ok(()),
        }
    }

    /// Tampers with the store of a living process.
    pub(crate) fn tamper(self, store: &mut Store) -> Result<(), StoreError> {
        match self {
            Self::ForgetsAFact => store.tamper_with_journal(),
            Self::RowDrifts => {
                let world = store.world()?;
                let Some((key, issue)) = world.issues().next() else { return Ok(()) };
                let mut issue = issue.clone();
                issue.satisfied = !issue.satisfied;
                store.tamper_with_issue(key, &issue)
            }
            _others => Ok(()),
        }
    }
}

fn hear_nothing_from(login: &str, reading: &mut Reading) {
    let is_heard = |command: &PendingCommand| {
        command.actor.as_ref().is_none_or(|actor| actor.as_str() != login)
    };
    reading.facts.retain_mut(|fact| match &mut fact.what {
        What::Seen(Observation::Commands { commands, own, .. }) => {
            commands.retain(|_, command| is_heard(command));
            own.clear();
            true
        }
        What::Seen(Observation::Command { command, .. }) => is_heard(command),
        _other => true,
    });
}

/// Forgets the record of own writes: every label added under Ralph's login becomes a command.
fn forget_own_writes(reading: &mut Reading) {
    for fact in &mut reading.facts {
        let What::Seen(Observation::Commands { commands, own, .. }) = &mut fact.what else {
            continue;
        };
        for event in own.drain(..).filter(|event| event.is_added) {
            let Some((command, via)) = command_of(&event.label) else { continue };
            let (actor, is_allowed) = (Some(event.actor), true);
            commands.insert(event.id, PendingCommand::plain(command, actor, is_allowed, via));
        }
    }
}

fn forget_the_first(reading: &mut Reading) {
    for fact in &mut reading.facts {
        if let What::Seen(Observation::Commands { commands, .. }) = &mut fact.what
            && commands.len() > 1
        {
            commands.pop_first();
        }
    }
}
