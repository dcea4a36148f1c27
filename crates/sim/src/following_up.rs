//! Issues that Ralph opens itself: one for each failure that it has run once more, whatever becomes of the answers,
//! and none that it works on without being asked to.

use crate::check_runner::BY_CHANCE;
use crate::town::{MAINTAINER, REQUIRED, STRANGER, Town};
use crate::weather::Fault;
use http::{Method, Request};
use ralph_core::ids::{IssueKey, RepoName, Sha};
use ralph_core::repo::{FollowUpId, FollowUpKind};
use ralph_core::triage::{RedCheck, triage};
use ralph_core::world::World;
use ralph_forge::{CheckCall, CloseReason, IssueCall, IssueEdit, NewIssue, Reply, StateChange};

impl Town {
    /// Ralph has this check run once more: what it says has to be followed up.
    pub(crate) fn note_quarantine(&mut self, repo: &RepoName, id: u64) {
        let Some(Reply::CheckRun(run)) = self.look(repo, CheckCall::GetRun { id }) else { return };
        let follow_up = follow_up(&run.name, run.output.text.as_deref().unwrap_or_default());
        let head = Sha::new(&run.head.to_string());
        self.ledger.quarantined.insert((repo.clone(), follow_up), head);
    }

    /// Ralph has opened an issue: it must be the first for a failure that chance brought about.
    pub(crate) fn judge_new_issue(&mut self, key: &IssueKey) {
        let body = self.body_of(key);
        let Some(follow_up) = FollowUpId::of_text(&body) else {
            return self.broken("Q1", format!("{key} is Ralph's own and has no marker"));
        };
        let place = (key.repo.clone(), follow_up);
        let rule = match place.1.kind {
            FollowUpKind::Quarantine => "Q1",
            FollowUpKind::Papercut => "P1",
        };
        let mut known = REQUIRED.iter().flat_map(|name| BY_CHANCE.map(|log| (*name, log)));
        let is_chance = known.any(|(name, log)| self::follow_up(name, log) == place.1);
        if !is_chance && !self.ledger.proposed.contains_key(&place) {
            self.broken(rule, format!("{key} tells of what never was"));
        }
        if let Some(first) = self.ledger.follow_ups.insert(place, key.clone()) {
            self.broken(rule, format!("{key} tells what {first} tells"));
        }
    }

    /// Is it there for people alone?
    pub(crate) fn is_for_people(&self, key: &IssueKey) -> bool {
        self.ledger.follow_ups.values().any(|own| own == key) && !self.is_small_fix(key)
    }

    /// Somebody sees an issue that Ralph has opened.
    pub(crate) fn meet_new_issue(&mut self, key: &IssueKey) {
        let is_own = self.ledger.follow_ups.values().any(|own| own == key);
        if !is_own || !self.weather.strikes(Fault::PersonCloses, &mut self.prng) {
            return;
        }
        self.say(&format!("people: close {key}, which Ralph has opened"));
        let state = Some(StateChange::Close(CloseReason::NotPlanned));
        let edit = IssueEdit { state, ..IssueEdit::default() };
        self.act(MAINTAINER, &key.repo, IssueCall::Edit { number: key.number, edit });
    }

    /// A failure that was run once more, and that no issue of Ralph's tells of.
    pub(crate) fn unfollowed(&mut self) -> Option<String> {
        let quarantined: Vec<_> = self.ledger.quarantined.clone().into_iter().collect();
        quarantined.into_iter().find_map(|(place, head)| {
            let told = self.ledger.follow_ups.get(&place).cloned();
            let body = told.map(|key| self.body_of(&key)).unwrap_or_default();
            let (repo, id) = place;
            (!body.contains(head.short())).then(|| format!("{id} at {} of {repo}", head.short()))
        })
    }

    /// Nobody asks for what Ralph has opened, so it has no business there.
    pub(crate) fn judge_follow_ups(&mut self, world: &World) {
        if let Some(what) = self.unfollowed() {
            self.broken("Q1", format!("no issue tells of {what}"));
        }
        let is_quarantine =
            |(place, _): &(&(RepoName, FollowUpId), _)| place.1.kind == FollowUpKind::Quarantine;
        let own = self.ledger.follow_ups.iter().filter(is_quarantine).map(|(_, key)| key);
        let is_managed =
            |key: &&IssueKey| world.issue(key).is_some_and(|issue| issue.managed.is_some());
        if let Some(key) = own.clone().find(is_managed).cloned() {
            self.broken("Q1", format!("Ralph works on {key}, which it has opened itself"));
        }
    }

    /// A stranger who knows how markers are made opens the next issue before Ralph does. Where every issue is
    /// worked on it would be just one more of them.
    pub(crate) fn plant_an_issue(&mut self, request: &Request<Vec<u8>>) {
        let path = request.uri().path();
        let repo = path.strip_prefix("/repos/").and_then(|rest| rest.strip_suffix("/issues"));
        let repo = repo.filter(|_| request.method() == Method::POST && !self.is_automatic);
        let Some(repo) = repo.and_then(RepoName::parse) else { return };
        let Self { weather, prng, .. } = self;
        if !weather.strikes(Fault::StrangerPlants, prng) {
            return;
        }
        let new: serde_json::Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let text =
            |name: &str| new.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
        let (title, body) = (text("title").unwrap_or_default(), text("body").unwrap_or_default());
        self.say(&format!("stranger: plants an issue in {repo}"));
        let issue = NewIssue { title, body, labels: Vec::new() };
        self.act(STRANGER, &repo, IssueCall::Create(issue));
    }

    fn body_of(&mut self, key: &IssueKey) -> String {
        match self.look(&key.repo, IssueCall::Get { number: key.number }) {
            Some(Reply::Issue(view)) => view.body,
            _other => String::new(),
        }
    }
}

fn follow_up(name: &str, log: &str) -> FollowUpId {
    FollowUpId::quarantine(&triage(&RedCheck { name, conclusion: "failure", log }))
}
