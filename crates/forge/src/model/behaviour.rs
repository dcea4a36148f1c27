//! Each modelled behaviour has a switch, so that a test can turn one off and prove that some check
//! notices. Nothing but such a test ever turns one.

use super::Forge;
use super::repository::Repository;
use super::turn::Turn;

macro_rules! behaviours {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Something that GitHub does and this forge does too.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Behaviour {
            $($(#[$doc])* $name,)*
        }

        impl Behaviour {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

behaviours! {
    LabelNamesIgnoreCase,
    DuplicateLabelsAreRefused,
    AbsentLabelsCannotBeRemoved,
    UnknownLabelsAreMade,
    ChangesTouchTheIssue,
    SinceFilters,
    CommentsAscend,
    ReopenedIssuesSaySo,
    DisabledIssuesAreGone,
    PullsCloseIssues,
    CommitsCloseIssues,
    OnlyTheDefaultBranchCloses,
    PullsLeaveNoCommitId,
    BodiesCrossReference,
    SubIssuesHaveOneParent,
    SubIssuesHaveNoCycle,
    SummariesCountOpenBlockers,
    WhatOneMayNotSeeDoesNotExist,
    RightsAreNeeded,
    PermissionsAreFolded,
    ProtectionIsHidden,
    OneOpenPullPerPair,
    PullsNeedCommits,
    HeadsFollowTheirBranch,
    DeletedHeadsClose,
    ContainedPullsAreMerged,
    MergeabilityIsUnknownAtFirst,
    DraftsCannotBeMerged,
    OnlyStrictProtectionIsBehind,
    FailedChecksAreUnstable,
    RequiredChecksHoldMerges,
    StatusesCountAsChecks,
    TheLatestRunCounts,
    ApprovalsAreCounted,
    AdministratorsPassUnlessHeld,
    RulesetsGate,
    MergesExpectTheirHead,
    BranchUpdatesComeLater,
    PushesAreFastForward,
    ForceIsRefusedWhereProtected,
    TheFirstBranchBecomesDefault,
    EntityTagsDifferByToken,
    EntityTagsDifferByAccept,
    KnownAnswersAreFree,
    LimitsTurnAway,
    PagesAreLinked,
    HooksAreForAdministrators,
    ClaimsAreVerified,
    ClaimsEnd,
    InstallationTokensEnd,
    InstallationTokensStayAtHome,
    InstallationsHaveNoRole,
}

/// Which behaviours are switched off: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches(u64);

impl Switches {
    pub(crate) fn holds(self, behaviour: Behaviour) -> bool {
        self.0 & Self::bit(behaviour) == 0
    }

    fn switch_off(&mut self, behaviour: Behaviour) {
        self.0 |= Self::bit(behaviour);
    }

    fn bit(behaviour: Behaviour) -> u64 {
        1 << (behaviour as u64)
    }
}

impl Forge {
    /// Makes the forge forget one behaviour, to see whether anyone notices.
    pub fn switch_off(&mut self, behaviour: Behaviour) {
        self.switches.switch_off(behaviour);
        for repository in self.repositories.values_mut() {
            repository.switches = self.switches;
        }
    }

    pub(crate) fn holds(&self, behaviour: Behaviour) -> bool {
        self.switches.holds(behaviour)
    }
}

impl Repository {
    pub(super) fn holds(&self, behaviour: Behaviour) -> bool {
        self.switches.holds(behaviour)
    }
}

impl Turn<'_> {
    pub(super) fn holds(&self, behaviour: Behaviour) -> bool {
        self.forge.holds(behaviour)
    }
}
