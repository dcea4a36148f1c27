//! The faults of a run and their rates. Each run draws its own rates; counters prove that every kind of fault was
//! really played.

mod barrier;
pub(crate) mod breaking;
pub(crate) mod cheating;
mod losing;
pub(crate) mod script;
mod stalling;

use self::barrier::Barrier;
use self::script::Script;
use crate::bugs::Bug;
use crate::prng::Prng;
use std::collections::{BTreeMap, BTreeSet};

macro_rules! faults {
    ($($name:ident = $text:literal,)+) => {
        /// Every kind of fault there is.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fault { $($name,)+ }

        impl Fault {
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }
        }
    };
}

faults! {
    NotSent = "request_not_sent",
    LostBefore = "answer_lost_before_change",
    LostAfter = "answer_lost_after_change",
    ErrorBefore = "server_error_before_change",
    ErrorAfter = "server_error_after_change",
    BodyCut = "answer_cut_short",
    BodyGarbled = "answer_is_no_json",
    SlowAnswer = "answer_slow",
    PrimaryLimit = "primary_rate_limit",
    PrimaryLimitBare = "primary_rate_limit_without_reset",
    ScarceRequests = "few_requests_per_hour",
    SecondaryLimit = "secondary_rate_limit",
    SecondaryLimitBare = "secondary_rate_limit_without_retry_after",
    CredentialsRefused = "credentials_refused",
    LabelsRefused = "label_writes_refused",
    ConversationLocked = "conversation_locked",
    ReadFailed = "read_failed",
    StaleRead = "stale_read",
    ReadRefused = "single_read_refused_until_mended",
    RepositoryRenamed = "repository_renamed",
    IssueAstray = "issue_gone_or_moved_away",
    EventShownLate = "label_event_shown_late",
    HookDropped = "webhook_dropped",
    HookDoubled = "webhook_doubled",
    HookLate = "webhook_late_or_reordered",
    AgentHangs = "agent_hangs",
    AgentStalls = "agent_stalls_and_is_ended",
    AgentCrashes = "agent_crashes",
    AgentProgramFails = "agent_program_fails_at_once",
    AgentFailsOnOne = "agent_program_fails_on_one_issue",
    AgentLies = "agent_lies",
    AgentVerifiesWrongly = "agent_verifies_wrongly",
    AgentSurveysBadly = "agent_surveys_badly",
    AgentEmpty = "agent_changes_nothing",
    ConflictStays = "conflict_is_beyond_the_agent",
    AgentLate = "agent_finishes_after_its_end",
    AgentWritesWords = "agent_writes_words_that_the_forge_acts_on",
    AgentBreaks = "agent_breaks_the_build",
    AgentWeakensTests = "agent_weakens_tests",
    AgentAddsSecret = "agent_adds_a_secret",
    FinishDoubled = "result_delivered_twice",
    CommandFails = "setup_or_preflight_fails",
    CommandsCannotRun = "setup_or_preflight_cannot_run",
    CheckFails = "check_fails",
    LaneUseless = "lane_never_repairs",
    CheckFlakes = "check_fails_by_chance",
    CheckInfra = "check_fails_by_its_machine",
    CheckSilent = "check_never_reports",
    CheckStatusToo = "check_reported_as_status_too",
    CrashBefore = "crash_before_perform",
    CrashAfter = "crash_after_perform",
    CrashSettled = "crash_after_settle",
    CrashInWorkspace = "crash_leaves_a_workspace_in_the_making",
    MirrorLost = "mirror_is_deleted",
    Zombie = "old_owner_wakes_up",
    ClockJump = "clock_jumps",
    SecondRalph = "second_ralph_on_the_same_repositories",
    PersonLabels = "person_edits_labels",
    PersonForeign = "person_edits_foreign_labels",
    PersonComments = "person_comments",
    PersonCloses = "person_closes_issue",
    PersonReopens = "person_reopens_issue",
    PersonEdits = "person_edits_dependencies",
    PersonMovesBase = "person_moves_a_base",
    PersonCommands = "person_commands",
    PersonWithdraws = "person_takes_queued_away",
    PersonPushes = "person_pushes_to_the_branch",
    PersonClosesPull = "person_closes_the_pull_request",
    PersonNamesPull = "person_names_a_pull_request_as_blocker",
    PersonDeletesBranch = "person_deletes_the_branch_of_a_pull_request",
    PersonMerges = "person_merges_the_pull_request",
    PersonRebases = "person_changes_the_pull_request_base",
    PersonDeletes = "person_deletes_a_comment",
    PersonLegacy = "person_uses_a_legacy_label",
    PersonBursts = "person_commands_in_a_burst",
    PersonTakesBack = "person_takes_a_command_back",
    PersonTypes = "person_commands_on_the_command_line",
    PersonTypesAstray = "person_commands_what_is_not_there",
    PersonTells = "operator_sends_a_message_to_an_agent",
    PersonSteers = "person_comments_while_agents_work",
    PersonTicks = "person_ticks_a_box",
    PersonRelates = "person_moves_blockers_and_children",
    PersonRewords = "person_edits_a_comment_into_an_answer",
    PersonEditsOurs = "person_edits_a_comment_of_ralph",
    PersonOpensRollup = "person_opens_a_rollup",
    PersonClosesRollup = "person_closes_the_rollup",
    PersonMeddlesTrial = "person_closes_pushes_to_or_merges_a_trial",
    TrialSquashed = "person_squashes_a_trial",
    StrictEndsDirty = "strict_bot_branch_moves_into_a_conflict",
    StrictRunsAway = "strict_bot_branch_moves_on_again_and_again",
    PersonMovesBot = "person_moves_the_bot_branch_at_the_last_moment",
    TrialFails = "trial_fails_by_chance",
    TrialSilent = "trial_never_reports",
    OperatorDrains = "operator_drains",
    OperatorReloads = "operator_reloads_the_policy",
    StrangerCommands = "stranger_commands",
    StrangerSteers = "stranger_comments_while_agents_work",
    StrangerNames = "stranger_names_foreign_repositories",
    StrangerPlants = "stranger_plants_a_marker",
    AccountLimited = "account_of_the_agents_is_limited",
}

/// Rates in thousandths.
#[derive(Debug, Default)]
pub struct FaultPlan {
    rates: BTreeMap<Fault, u64>,
    counts: BTreeMap<Fault, u64>,
    /// Faults that strike at their first chance.
    owed: BTreeSet<Fault>,
    /// Set once the faults are over.
    pub is_calm: bool,
    /// Faults that trials may still meet.
    pub(crate) trial_mishaps: u32,
    pub(crate) script: Script,
    pub(crate) barrier: Barrier,
    pub(crate) bug: Option<Bug>,
}

impl FaultPlan {
    /// Draws the rates of a run: some kinds never strike, some seldom, one or two often.
    pub fn draw(prng: &mut Prng) -> Self {
        let draw = |prng: &mut Prng| match prng.below(4) {
            0 => 0,
            1 | 2 => prng.between(2, 25),
            _ => prng.between(25, 110),
        };
        let rates = Fault::ALL.iter().map(|fault| (*fault, draw(prng))).collect();
        Self { rates, ..Self::default() }
    }

    /// No faults at all: the happy path.
    #[must_use]
    pub fn calm() -> Self {
        Self { is_calm: true, ..Self::default() }
    }

    /// It strikes at its first chance, whatever its rate.
    pub fn owe(&mut self, fault: Fault) {
        self.owed.insert(fault);
    }

    /// Does this fault strike now?
    pub fn strikes(&mut self, fault: Fault, prng: &mut Prng) -> bool {
        let rate = self.rates.get(&fault).copied().unwrap_or(0);
        let strikes = (!self.is_calm && prng.chance(rate)) || self.owed.remove(&fault);
        if strikes {
            self.count(fault);
        }
        strikes
    }

    /// Draws whether this fault strikes now, at a rate so many times lower than others. The caller counts it.
    pub fn threatens(&self, fault: Fault, seldom: u64, prng: &mut Prng) -> bool {
        let rate = self.rate(fault);
        rate > 0 && prng.below(1_000 * seldom) < rate
    }

    #[must_use]
    pub fn rate(&self, fault: Fault) -> u64 {
        if self.is_calm { 0 } else { self.rates.get(&fault).copied().unwrap_or(0) }
    }

    pub fn count(&mut self, fault: Fault) {
        *self.counts.entry(fault).or_insert(0) += 1;
    }

    #[must_use]
    pub const fn counts(&self) -> &BTreeMap<Fault, u64> {
        &self.counts
    }
}
