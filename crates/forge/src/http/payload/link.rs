//! Webhooks about sub-issues and dependencies: each link sends one event for either end.

use serde::ser::SerializeMap;

use super::{Notice, Own, Setting};
use crate::http::render::RenderContext;
use crate::http::render::repository::Extent;
use crate::model::event::LinkAction;
use crate::model::issue_view::IssueView;
use crate::model::permission::Permission;
use crate::model::repository_calls::RepositoryView;
use crate::model::timeline::IssueReference;

impl Setting<'_> {
    pub(super) fn sub_issue(
        &mut self,
        parent: &IssueReference,
        child: &IssueReference,
        action: LinkAction,
    ) -> Vec<Notice> {
        let (from_parent, from_child) = match action {
            LinkAction::Added => ("sub_issue_added", "parent_issue_added"),
            LinkAction::Removed => ("sub_issue_removed", "parent_issue_removed"),
        };
        let names = Names {
            first: ["parent_issue", "parent_issue_id", "parent_issue_repo"],
            second: ["sub_issue", "sub_issue_id", "sub_issue_repo"],
        };
        let link = self.link(names, parent, child);
        let Some(link) = link else { return Vec::new() };
        let told = [(from_parent, Side::Second), (from_child, Side::First)];
        let notice = |(action, side)| {
            self.notice("sub_issues", Some(action), &Seen { link: &link, with_repo_of: side })
        };
        told.into_iter().filter_map(notice).collect()
    }

    pub(super) fn dependency(
        &mut self,
        blocked: &IssueReference,
        blocking: &IssueReference,
        action: LinkAction,
    ) -> Vec<Notice> {
        let (from_blocked, from_blocker) = match action {
            LinkAction::Added => ("blocked_by_added", "blocking_added"),
            LinkAction::Removed => ("blocked_by_removed", "blocking_removed"),
        };
        let names = Names {
            first: ["blocked_issue", "blocked_issue_id", "blocked_issue_repo"],
            second: ["blocking_issue", "blocking_issue_id", "blocking_issue_repo"],
        };
        let link = self.link(names, blocked, blocking);
        let Some(link) = link else { return Vec::new() };
        let told = [(from_blocked, Side::Second), (from_blocker, Side::First)];
        let notice = |(action, side)| {
            let seen = Seen { link: &link, with_repo_of: side };
            self.notice("issue_dependencies", Some(action), &seen)
        };
        told.into_iter().filter_map(notice).collect()
    }

    fn link(
        &mut self,
        names: Names,
        first: &IssueReference,
        second: &IssueReference,
    ) -> Option<Link> {
        let end = |reference: &IssueReference| {
            // The receivers are unknown, so an issue elsewhere is named only if its repository is public.
            let elsewhere = self.forge.repository_seen_by(&reference.repo, "")?;
            if elsewhere.id != self.repository.id && elsewhere.role == Permission::None {
                return None;
            }
            let issue = self.forge.peek_issue(&reference.repo, reference.number)?;
            let repository = self.forge.repository_seen_by(&reference.repo, self.actor)?;
            Some((issue, repository))
        };
        Some(Link { names, first: end(first)?, second: end(second)? })
    }
}

/// The field names for the two ends: the issue, its id and its repository.
struct Names {
    first: [&'static str; 3],
    second: [&'static str; 3],
}

struct Link {
    names: Names,
    first: (IssueView, RepositoryView),
    second: (IssueView, RepositoryView),
}

#[derive(Clone, Copy)]
enum Side {
    First,
    Second,
}

/// A link as seen from one end, with the repository of the other.
struct Seen<'a> {
    link: &'a Link,
    with_repo_of: Side,
}

impl Own for Seen<'_> {
    fn entries<M: SerializeMap>(
        &self,
        render: &RenderContext<'_>,
        _repository: &RepositoryView,
        map: &mut M,
    ) -> Result<(), M::Error> {
        let Link { names, first, second } = self.link;
        for ([issue, id, _repo], (view, _repository)) in
            [(names.first, first), (names.second, second)]
        {
            map.serialize_entry(issue, &render.issue(view))?;
            map.serialize_entry(id, &view.id)?;
        }
        let ([_issue, _id, name], repository) = match self.with_repo_of {
            Side::First => (names.first, &first.1),
            Side::Second => (names.second, &second.1),
        };
        map.serialize_entry(name, &render.repository(repository, Extent::Usual))
    }
}
