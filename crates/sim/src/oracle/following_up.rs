//! Promises about issues that Ralph opens itself: one for each failure that it has run again, whatever becomes of
//! the answers, and none that it works on without being asked.

use crate::forge::ForgeSide;
use crate::forge::check_runner::BY_CHANCE;
use crate::oracle::Oracle;
use crate::world::REQUIRED;
use ralph_core::ids::{IssueKey, RepoName, Sha};
use ralph_core::repo::{FollowUpId, FollowUpKind};
use ralph_core::triage::{RedCheck, triage};
use ralph_core::world::World;
use ralph_forge::GetCheckRun;

impl Oracle {
    /// Records that Ralph has this check run again: its log has to be followed up.
    pub(crate) fn note_quarantine(&mut self, forge: &mut ForgeSide, repo: &RepoName, id: u64) {
        let Some(run) = forge.look(repo, GetCheckRun { id }) else { return };
        let follow_up = follow_up(&run.name, run.output.text.as_deref().unwrap_or_default());
        let head = Sha::new(&run.head.to_string());
        self.record.quarantined.insert((repo.clone(), follow_up), head);
    }

    /// Ralph has opened an issue: it must be the first for a failure that chance brought about.
    pub(crate) fn judge_new_issue(&mut self, forge: &mut ForgeSide, key: &IssueKey) {
        let body = forge.body(key);
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
        if !is_chance && !self.record.proposed.contains_key(&place) {
            self.broken(rule, format!("{key} describes what never happened"));
        }
        if let Some(first) = self.record.follow_ups.insert(place, key.clone()) {
            self.broken(rule, format!("{key} tells what {first} tells"));
        }
    }

    /// Is it there for people alone?
    pub(crate) fn is_for_people(&self, key: &IssueKey) -> bool {
        self.record.follow_ups.values().any(|own| own == key) && !self.is_small_fix(key)
    }

    /// A failure that was run again and that no issue of Ralph describes.
    pub(crate) fn unfollowed(&mut self, forge: &mut ForgeSide) -> Option<String> {
        let quarantined: Vec<_> = self.record.quarantined.clone().into_iter().collect();
        quarantined.into_iter().find_map(|(place, head)| {
            let told = self.record.follow_ups.get(&place).cloned();
            let body = told.map(|key| forge.body(&key)).unwrap_or_default();
            let (repo, id) = place;
            (!body.contains(head.short())).then(|| format!("{id} at {} of {repo}", head.short()))
        })
    }

    /// Ralph does not work on the issues it has opened, because no person asks for them.
    pub(crate) fn judge_follow_ups(&mut self, forge: &mut ForgeSide, world: &World) {
        if let Some(what) = self.unfollowed(forge) {
            self.broken("Q1", format!("no issue describes {what}"));
        }
        let is_quarantine =
            |(place, _): &(&(RepoName, FollowUpId), _)| place.1.kind == FollowUpKind::Quarantine;
        let own = self.record.follow_ups.iter().filter(is_quarantine).map(|(_, key)| key);
        let is_managed =
            |key: &&IssueKey| world.issue(key).is_some_and(|issue| issue.managed.is_some());
        if let Some(key) = own.clone().find(is_managed).cloned() {
            self.broken("Q1", format!("Ralph works on {key}, which it has opened itself"));
        }
    }
}

fn follow_up(name: &str, log: &str) -> FollowUpId {
    FollowUpId::quarantine(&triage(&RedCheck { name, conclusion: "failure", log }))
}
