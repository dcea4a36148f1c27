//! Reading issues: what changed, one of them, its relations, label events and comments.

use crate::client::Client;
use crate::clocks::Clocks;
use crate::moment;
use crate::page::PAGE_ITEMS;
use crate::reading::{Miss, if_there};
use crate::route;
use crate::transport::Transport;
use crate::wire::issue::{Comment, Issue, IssueEvent};
use ralph_core::ids::{IssueKey, Login, RepoName};
use ralph_core::time::{Span, Time};
use ralph_engine::ports::{
    ForgeComment, ForgeIssue, LabelEvents, Read, Related, Relations, Unread,
};
use std::collections::BTreeMap;

/// A list may be as old as this, and take as long as this to read; what changed meanwhile must still be
/// in the next one.
const READ_LAG: Span = Span::from_secs(60);
/// An issue that has not changed for so long has reached every replica, also if our clock is minutes ahead.
const SETTLED_AFTER: Span = Span::from_mins(10);
/// The beginning of the list moves in steps of this length. While it stands still, so does the address, and
/// an unchanged list costs nothing.
const WINDOW: Span = Span::from_mins(10);
/// The cursor lies at most this much before the newest change of the list that it is taken from.
const CURSOR_LAG: Span = Span::from_secs(5);

impl<T: Transport> Client<T> {
    /// All issues changed since then, and a few that changed a little before.
    ///
    /// In order of creation an issue that changes while pages are read comes in, but moves nothing out of
    /// the pages still to come.
    pub(crate) fn read_issues(
        &mut self,
        repo: &RepoName,
        since: Option<Time>,
    ) -> Read<Vec<ForgeIssue>> {
        let begin = since.map(|cursor| self.account().known().begin(repo, cursor, window(cursor)));
        let since = begin.map(|at| format!("&since={}", route::part(&moment::shown(at))));
        let path = format!(
            "/repos/{repo}/issues?state=all&sort=created&direction=asc&per_page={PAGE_ITEMS}{}",
            since.unwrap_or_default()
        );
        let asked = self.account().now();
        let pages = match self.list_each::<Issue>(&path) {
            // Of too many issues those that are open come first; one that is closed is read when it is asked for.
            Err(Miss::Unread(unread)) if unread.is_refused && begin.is_none() => {
                self.list_each::<Issue>(&path.replace("state=all", "state=open"))?
            }
            pages => pages?,
        };
        let issues = pages.iter().flat_map(|page| page.iter()).filter(|issue| !issue.is_pull());
        let by_number: BTreeMap<_, _> = issues.map(|issue| (issue.number, issue)).collect();
        let issues: Vec<_> = by_number.into_values().map(|issue| issue.shown(repo)).collect();
        let newest = issues.iter().map(|issue| issue.updated).max();
        if let Some(newest) = newest.filter(|_| pages.len() > 1) {
            self.begin_later(repo, asked, newest);
        }
        Ok(issues)
    }

    /// A list of several pages would be asked for page by page at every poll: the next one begins as late as
    /// it may, so that a crowd which came at once does not stay in it for ever.
    fn begin_later(&self, repo: &RepoName, asked: Time, newest: Time) {
        let do_clocks_agree = self.clocks() == Some(Clocks::Agree);
        // What a replica may still have kept back by then was in no list that was asked for earlier.
        let has_settled = do_clocks_agree && asked >= newest.plus(READ_LAG).plus(CURSOR_LAG);
        let lag = if has_settled { Span::ZERO } else { READ_LAG };
        self.account().known().begin_at(repo, newest.minus(CURSOR_LAG).minus(lag));
    }

    /// An issue that went to another repository is as gone from this one as one that was deleted.
    pub(crate) fn read_issue(&mut self, key: &IssueKey) -> Read<Option<ForgeIssue>> {
        let url = self.account().address.of(&route::issue(key));
        match self.fetch::<Issue>((&url, Some(&key.repo)), None) {
            Ok(issue) => Ok(Some(issue.value.shown(&key.repo))),
            Err(miss) if miss.is_missing() || miss.is_moved() => {
                self.confirm_repository(&key.repo)?;
                Ok(None)
            }
            Err(miss) => Err(miss.into()),
        }
    }

    /// The forge lists pull requests among the issues of an author; they are left out.
    pub(crate) fn read_issues_by(
        &mut self,
        repo: &RepoName,
        who: &Login,
        since: Time,
    ) -> Read<Vec<ForgeIssue>> {
        let path = format!(
            "/repos/{repo}/issues?state=all&sort=created&direction=asc&per_page={PAGE_ITEMS}\
             &creator={}&since={}",
            route::part(who.as_str()),
            route::part(&moment::shown(since))
        );
        let pages = self.list::<Vec<Issue>>(&path)?;
        let issues = pages.iter().flat_map(|page| page.iter()).filter(|issue| !issue.is_pull());
        Ok(issues.map(|issue| issue.shown(repo)).collect())
    }

    pub(crate) fn read_relations(&mut self, key: &IssueKey) -> Relations {
        let blocked_by = self.related(key, "dependencies/blocked_by", "dependencies");
        let children = self.related(key, "sub_issues", "sub-issues");
        Relations { blocked_by, children }
    }

    fn related(&mut self, key: &IssueKey, which: &str, called: &str) -> Read<Related> {
        let path = format!("{}/{which}?per_page={PAGE_ITEMS}", route::issue(key));
        let Some(pages) = if_there(self.list::<Vec<Issue>>(&path))? else {
            self.settled_issue(key, called)?;
            return Ok(Related::Unavailable);
        };
        let issues = pages.iter().flat_map(|page| page.iter());
        Ok(Related::List(issues.map(|issue| issue.shown(&key.repo)).collect()))
    }

    /// The list only grows at its end, so all pages but the last stay as they are and cost nothing.
    pub(crate) fn read_label_events(&mut self, key: &IssueKey, after: u64) -> Read<LabelEvents> {
        let path = format!("{}/events?per_page={PAGE_ITEMS}", route::issue(key));
        let Some(pages) = if_there(self.list_each::<IssueEvent>(&path))? else {
            return self.no_label_events(key);
        };
        let events = pages.iter().flat_map(|page| page.iter()).filter_map(IssueEvent::label_event);
        let mut events: Vec<_> = events.filter(|event| event.id > after).collect();
        events.sort_by_key(|event| event.id);
        events.dedup_by_key(|event| event.id);
        Ok(LabelEvents::List(events))
    }

    fn no_label_events(&mut self, key: &IssueKey) -> Read<LabelEvents> {
        self.settled_issue(key, "label events")?;
        Ok(LabelEvents::Unavailable)
    }

    /// A list of an issue is missing although the issue is there: the forge has no such feature, unless the
    /// issue changed so lately that a lagging replica may just not have it yet.
    fn settled_issue(&mut self, key: &IssueKey, list: &str) -> Read<()> {
        let unread = |why| Err(Unread::failed(why));
        match self.read_issue(key)? {
            Some(issue) if self.account().now().since(issue.updated) > SETTLED_AFTER => Ok(()),
            Some(_) => unread(format!("the {list} of {key} are not there yet")),
            None => unread(format!("{key} is not there, so its {list} cannot be read")),
        }
    }

    pub(crate) fn read_comments(&mut self, key: &IssueKey, since: Time) -> Read<Vec<ForgeComment>> {
        let since = moment::shown(since);
        let path = format!(
            "{}/comments?since={}&per_page={PAGE_ITEMS}",
            route::issue(key),
            route::part(&since)
        );
        let pages = self.list_each::<Comment>(&path)?;
        let comments = pages.iter().flat_map(|page| page.iter());
        let by_id: BTreeMap<_, _> = comments.map(|comment| (comment.id, comment)).collect();
        Ok(by_id.into_values().map(Comment::shown).collect())
    }
}

/// The time at which the list begins for a cursor.
const fn window(since: Time) -> Time {
    let at = since.minus(READ_LAG);
    at.minus(Span(at.0.rem_euclid(WINDOW.0)))
}
