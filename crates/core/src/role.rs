//! The roles in which agents take turns, and what distinguishes them: where they work, what they see, and how their
//! answers are read.

use crate::gate::Gate;
use crate::lane::Lane;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    ParentVerify,
    Plan,
    PlanReview,
    Implement,
    ProductReview,
    DevexReview,
    CiDebug,
    MergeConflict,
    Survey,
}

/// The rules of a role.
#[derive(Debug)]
pub(crate) struct RoleSpec {
    /// The value of `RALPH_ROLE`, and the name of its table in the configuration.
    name: &'static str,
    /// Its prompt, which extends `prompts/frame.md`.
    pub(crate) prompt: &'static str,
    manner: Manner,
    pub(crate) session: Session,
    /// The reviews whose findings this role has to know.
    hears: &'static [Gate],
    /// True if its prompt covers the sub-issues of its issue.
    pub(crate) sees_children: bool,
    /// The lane whose attempts it makes.
    lane: Option<Lane>,
}

/// The part of a role's rules that the adapter needs to run a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Manner {
    pub place: Place,
    pub asks: Asked,
    pub shows: Shown,
}

/// The place of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The run's own worktree, with the home that its other working turns share.
    #[default]
    Worktree,
    /// A detached checkout of the commit under review, with an empty home. Changes there are noted and dropped.
    Checkout,
}

/// The answer that a turn must give, which determines how it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    Plan,
    /// Changed files, as reported by git.
    #[default]
    Change,
    /// A verdict line, for this gate.
    Verdict(Gate),
    ParentVerify,
    Survey,
}

/// Material that is added to a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    #[default]
    Nothing,
    /// The difference between base and head, with the messages of its commits.
    Difference,
    /// The repository's claims ledger, if it has one.
    Claims,
}

/// The session that a turn resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Session {
    /// The working session of the run.
    Run,
    /// The reviewer's own, to repair a verdict. A review in the session that made the change would be no review.
    Review,
    /// None: each turn begins a fresh one.
    Fresh,
}

const WORKER: RoleSpec = RoleSpec {
    name: "",
    prompt: "",
    manner: Manner { place: Place::Worktree, asks: Asked::Change, shows: Shown::Nothing },
    session: Session::Run,
    hears: &[Gate::ProductReview, Gate::DevexReview],
    sees_children: false,
    lane: None,
};

const REVIEWER: RoleSpec = RoleSpec {
    manner: Manner {
        place: Place::Checkout,
        asks: Asked::Verdict(Gate::ProductReview),
        shows: Shown::Difference,
    },
    session: Session::Review,
    ..WORKER
};

static PARENT_VERIFY: RoleSpec = RoleSpec {
    name: "parent_verify",
    prompt: include_str!("../prompts/parent_verify.md"),
    manner: onlooker(Asked::ParentVerify),
    session: Session::Fresh,
    hears: &[],
    sees_children: true,
    lane: None,
};
static PLAN: RoleSpec = RoleSpec {
    name: "plan",
    prompt: include_str!("../prompts/plan.md"),
    manner: Manner { asks: Asked::Plan, ..WORKER.manner },
    hears: &[Gate::PlanReview],
    sees_children: true,
    ..WORKER
};
static PLAN_REVIEW: RoleSpec = RoleSpec {
    name: "plan_review",
    prompt: include_str!("../prompts/plan_review.md"),
    manner: Manner {
        place: Place::Checkout,
        asks: Asked::Verdict(Gate::PlanReview),
        shows: Shown::Claims,
    },
    hears: &[Gate::PlanReview],
    ..REVIEWER
};
static IMPLEMENT: RoleSpec =
    RoleSpec { name: "implement", prompt: include_str!("../prompts/implement.md"), ..WORKER };
static PRODUCT_REVIEW: RoleSpec = RoleSpec {
    name: "product_review",
    prompt: include_str!("../prompts/product_review.md"),
    hears: &[Gate::ProductReview],
    ..REVIEWER
};
static DEVEX_REVIEW: RoleSpec = RoleSpec {
    name: "devex_review",
    prompt: include_str!("../prompts/devex_review.md"),
    manner: Manner { asks: Asked::Verdict(Gate::DevexReview), ..REVIEWER.manner },
    hears: &[Gate::DevexReview],
    ..REVIEWER
};
static CI_DEBUG: RoleSpec = RoleSpec {
    name: "ci_debug",
    prompt: include_str!("../prompts/ci_debug.md"),
    lane: Some(Lane::CiDebug),
    ..WORKER
};
static MERGE_CONFLICT: RoleSpec = RoleSpec {
    name: "merge_conflict",
    prompt: include_str!("../prompts/merge_conflict.md"),
    lane: Some(Lane::MergeConflict),
    ..WORKER
};
static SURVEY: RoleSpec = RoleSpec {
    name: "survey",
    prompt: include_str!("../prompts/survey.md"),
    manner: onlooker(Asked::Survey),
    session: Session::Fresh,
    hears: &[],
    sees_children: false,
    lane: None,
};

/// The rules of a role that reads a checkout and changes nothing.
const fn onlooker(asks: Asked) -> Manner {
    Manner { place: Place::Checkout, asks, shows: Shown::Nothing }
}

impl Role {
    pub const ALL: [Self; 9] = [
        Self::ParentVerify,
        Self::Plan,
        Self::PlanReview,
        Self::Implement,
        Self::ProductReview,
        Self::DevexReview,
        Self::CiDebug,
        Self::MergeConflict,
        Self::Survey,
    ];

    /// The one list of roles.
    pub(crate) const fn spec(self) -> &'static RoleSpec {
        match self {
            Self::ParentVerify => &PARENT_VERIFY,
            Self::Plan => &PLAN,
            Self::PlanReview => &PLAN_REVIEW,
            Self::Implement => &IMPLEMENT,
            Self::ProductReview => &PRODUCT_REVIEW,
            Self::DevexReview => &DEVEX_REVIEW,
            Self::CiDebug => &CI_DEBUG,
            Self::MergeConflict => &MERGE_CONFLICT,
            Self::Survey => &SURVEY,
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// The reviews whose findings this role has to know.
    #[must_use]
    pub const fn hears(self) -> &'static [Gate] {
        self.spec().hears
    }

    /// The lane whose attempts it makes.
    #[must_use]
    pub const fn lane(self) -> Option<Lane> {
        self.spec().lane
    }

    #[must_use]
    pub const fn manner(self) -> Manner {
        self.spec().manner
    }

    /// True if people's messages reach it: it does the work, and judges nobody else's.
    #[must_use]
    pub const fn takes_messages(self) -> bool {
        matches!(self.spec().manner.place, Place::Worktree)
    }

    /// True if it judges the work of others.
    pub(crate) const fn is_review(self) -> bool {
        matches!(self.spec().session, Session::Review)
    }
}
