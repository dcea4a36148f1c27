//! Finding issues and pulls across repositories.

use super::Forge;
use super::accounts::Account;
use super::event::Event;
use super::issue_list::IssueSort;
use super::issue_view::IssueView;
use super::issues::{Issue, IssueKey};
use super::paging::{Listing, Page, StateFilter};
use super::permission::Permission;
use super::refusal::Refusal;
use super::repository::{Repository, RepositoryId};
use super::request::{Request, operations};
use super::view::View;

/// A search for issues and pulls; everything named must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssueQuery {
    /// `owner/name`; any of them or of the owners, or all one can see when both are empty.
    pub repos: Vec<String>,
    pub owners: Vec<String>,
    pub kind: Option<ThreadKind>,
    pub state: Option<StateFilter>,
    pub merged: Option<bool>,
    pub draft: Option<bool>,
    /// All of them must be there.
    pub labels: Vec<String>,
    /// None of them may be there.
    pub without_labels: Vec<String>,
    pub author: Option<String>,
    pub head: Option<String>,
    pub base: Option<String>,
    /// Changed at or after this moment, in unix seconds.
    pub updated_since: Option<u64>,
    /// Each word must be in one of the places.
    pub words: Vec<String>,
    /// None of these words may be in one of the places.
    pub without_words: Vec<String>,
    pub places: SearchPlaces,
    pub sort: IssueSort,
    /// Instead of the newest.
    pub oldest_first: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadKind {
    Issue,
    Pull,
}

/// The texts that are searched for the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchPlaces {
    pub title: bool,
    pub body: bool,
    pub comments: bool,
}

impl Default for SearchPlaces {
    fn default() -> Self {
        Self { title: true, body: true, comments: true }
    }
}

operations! {
    /// Finds issues and pulls in every repository that the actor can see, the newest first.
    SearchIssues { query: IssueQuery, page: Page }
}

impl Request for SearchIssues {
    type Reply = Listing<IssueView>;

    fn answer(
        self,
        forge: &mut Forge,
        actor: &Account,
        _now: u64,
    ) -> Result<(Listing<IssueView>, Vec<Event>), Refusal> {
        let Self { query, page } = self;
        let mut found: Vec<((u64, u64), IssueKey, &Issue)> = Vec::new();
        for repository in forge.repositories.values() {
            let is_hidden = forge.permission_in(repository, &actor.login) == Permission::None;
            if is_hidden || !query.names(repository) {
                continue;
            }
            for (number, issue) in &repository.issues {
                if query.admits(repository, issue) {
                    let key = IssueKey { repository: repository.id, number: *number };
                    let by = match query.sort {
                        IssueSort::Created => issue.created_at,
                        IssueSort::Updated => issue.updated_at,
                        IssueSort::Comments => issue.comments.len() as u64,
                    };
                    found.push(((by, issue.id), key, issue));
                }
            }
        }
        found.sort_by_key(|(order, _key, _issue)| *order);
        if !query.oldest_first {
            found.reverse();
        }
        let everywhere = RepositoryId(0);
        let view = View::new(forge, &actor.login, everywhere);
        let listing = Listing::of(&found, page, |(_, key, issue)| view.issue_of(*key, issue));
        Ok((listing, Vec::new()))
    }
}

impl IssueQuery {
    fn names(&self, repository: &Repository) -> bool {
        let full_name = repository.full_name();
        let named = self.repos.iter().any(|name| name.eq_ignore_ascii_case(&full_name));
        let owned = self.owners.iter().any(|owner| owner.eq_ignore_ascii_case(&repository.owner));
        named || owned || (self.repos.is_empty() && self.owners.is_empty())
    }

    fn admits(&self, repository: &Repository, issue: &Issue) -> bool {
        self.admits_state(issue)
            && self.admits_labels(repository, issue)
            && self.admits_pull(issue)
            && self.author.as_ref().is_none_or(|author| author.eq_ignore_ascii_case(&issue.author))
            && self.updated_since.is_none_or(|since| issue.updated_at >= since)
            && self.words.iter().all(|word| self.finds(word, repository, issue))
            && !self.without_words.iter().any(|word| self.finds(word, repository, issue))
    }

    fn admits_state(&self, issue: &Issue) -> bool {
        let kind = match self.kind {
            Some(ThreadKind::Issue) => issue.pull.is_none(),
            Some(ThreadKind::Pull) => issue.pull.is_some(),
            None => true,
        };
        kind && self.state.is_none_or(|state| state.admits(issue.state.is_open()))
    }

    fn admits_labels(&self, repository: &Repository, issue: &Issue) -> bool {
        let has = |name: &String| {
            repository.label(name).is_ok_and(|label| issue.labels.contains(&label.id))
        };
        self.labels.iter().all(has) && !self.without_labels.iter().any(has)
    }

    fn admits_pull(&self, issue: &Issue) -> bool {
        let Some(pull) = &issue.pull else {
            return self.head.is_none()
                && self.base.is_none()
                && self.merged != Some(true)
                && self.draft.is_none();
        };
        self.head.as_ref().is_none_or(|head| pull.head == *head)
            && self.base.as_ref().is_none_or(|base| pull.base == *base)
            && self.merged.is_none_or(|merged| pull.merged.is_some() == merged)
            && self.draft.is_none_or(|draft| pull.draft == draft)
    }

    fn finds(&self, word: &str, repository: &Repository, issue: &Issue) -> bool {
        let word = word.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&word);
        let comments = issue.comments.iter().filter_map(|id| repository.comments.get(id));
        (self.places.title && holds(&issue.title))
            || (self.places.body && holds(&issue.body))
            || (self.places.comments && comments.into_iter().any(|comment| holds(&comment.body)))
    }
}
