//! An issue as the forge shows it: the data from its text, its native relations, and that it is gone.

use crate::dependency::BodyEdge;
use crate::digest::Digest;
use crate::ids::{Branch, IssueKey, Login};
use crate::repo::FollowUpId;
use crate::time::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The forge says that there is no such issue. A replica that lags may not know a new issue yet, so one answer proves
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    pub since: Time,
    /// Said again after reads had time to catch up.
    pub is_certain: bool,
    /// It was closed before it disappeared, so no issue has to wait for it.
    #[serde(default)]
    pub was_closed: bool,
}

/// The issue as the forge last showed it, own writes included.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub title: Arc<str>,
    pub open: bool,
    pub author: Login,
    pub labels: BTreeSet<Arc<str>>,
    pub body: Digest,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<BodyEdge>,
    /// Issues that its body declares blocked by it, if its author has write access to their repository.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<BodyEdge>,
    /// Checks that a person has to do by hand before its change is released.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub manual_checks: Vec<String>,
    pub updated: Time,
    /// The forge's own count says that native relations may exist.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_relations: bool,
    /// True for a pull request. Ralph never works on one as an issue, but other issues may wait for it. `None`: an
    /// earlier version did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_pull: Option<bool>,
    /// The branch of Ralph that brought the commit which closed it. `None`: it is open, or a person closed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<Branch>,
    /// The follow-up id in its text. It counts only if Ralph wrote the issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follow_up: Option<FollowUpId>,
}

impl Seen {
    /// True if Ralph opened it as a follow-up.
    #[must_use]
    pub fn is_by_ralph(&self, ralph: &Login) -> bool {
        self.follow_up.is_some() && self.author == *ralph
    }
}

/// The state of native dependencies and sub-issues.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Native {
    /// Never read successfully: neither blocked nor unblocked.
    #[default]
    Unread,
    /// The forge has no such feature here; the body decides.
    Unavailable,
    Read {
        blocked_by: BTreeSet<IssueKey>,
        children: BTreeSet<IssueKey>,
        at: Time,
        /// The list that was never read successfully, if one is missing. The other one still counts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unread: Option<Relation>,
    },
}

/// The two native lists; a forge may have one without the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    BlockedBy,
    Children,
}
