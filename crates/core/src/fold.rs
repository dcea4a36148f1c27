//! Applies facts to what is known. Folding never fails and never chooses: a fact that no longer applies, such as the
//! result of an older attempt, changes nothing.

mod booking;
mod commanded;
mod finished;
mod lane;
mod moved;
mod next_run;
mod observed;
mod recalled;
mod repo;
mod settled;

use crate::fact::{Fact, Observation, Outcome, Settled, Subject, What};
use crate::ids::IssueKey;
use crate::issue::Issue;
use crate::merge_queue::recorded;
use crate::repo::Repo;
use crate::time::{Span, Time};

/// The time by which reads may lag behind writes; until then a read that misses our own write proves nothing.
pub const READ_LAG: Span = Span::from_secs(60);

/// Folds one fact into the rows it is about.
pub fn fold(now: Time, fact: &Fact, issue: &mut Issue, repo: &mut Repo) {
    match &fact.subject {
        Subject::Issue(key) => fold_issue(now, key, &fact.what, issue, repo),
        Subject::Repo(_) => repo::fold(now, &fact.what, repo),
    }
}

fn fold_issue(now: Time, key: &IssueKey, what: &What, issue: &mut Issue, repo: &mut Repo) {
    match what {
        What::Seen(Observation::Recalled(found)) => recalled::fold(now, found, issue, repo),
        What::Seen(observation) => {
            observed::fold(now, observation, issue, repo.bot);
            recorded::saw_pull(now, observation, issue, repo);
            repo::see_red_check(now, key, observation, issue, repo);
        }
        What::Finished { attempt, outcome } => {
            if let Some(managed) = issue.managed.as_mut() {
                let is_survey = managed.is_surveying(*attempt);
                let turn = managed.turn_under_way(*attempt);
                // A turn that ends with an answer, whatever it is, has taken in what it was given.
                if turn.is_some() && matches!(outcome, Outcome::Turn { .. }) {
                    managed.messages.accept(*attempt);
                }
                booking::ended(now, *attempt, Some(outcome), managed, repo);
                finished::fold(now, *attempt, outcome, managed, repo.bot.moves);
                if let Some(turn) = turn {
                    repo.turns.hear(now, key.number, &turn, outcome);
                }
                if is_survey {
                    repo::hear_survey(now, key, outcome, managed.run.as_ref(), repo);
                }
            }
        }
        What::Suspected { attempt, suspicion } => {
            let work = issue.managed.as_mut().and_then(|managed| managed.work.as_mut());
            if let Some(work) = work.filter(|work| work.attempt == *attempt) {
                work.suspicion.clone_from(suspicion);
            }
        }
        What::Interrupted { attempt } => {
            if let Some(managed) = issue.managed.as_mut() {
                booking::ended(now, *attempt, None, managed, repo);
                finished::interrupted(now, *attempt, managed);
            }
        }
        What::Used { attempt, used } => booking::told(now, *attempt, used, issue, repo),
        What::Settled(settled) => {
            if let (Settled::Ended { attempt }, Some(managed)) = (settled, &mut issue.managed) {
                booking::ended(now, *attempt, None, managed, repo);
            }
            settled::fold(now, settled, issue);
            repo::settled_for_issue(now, settled, (key, issue), repo);
        }
        What::RepoSeen(_) => {}
        What::Moved(step) => {
            recorded::heard_of_checks(key, step, issue, repo);
            moved::fold(now, key, step, issue, repo);
        }
    }
    if let Some(managed) = issue.managed.as_mut() {
        managed.messages.take_back(managed.work.as_ref().map(|work| work.attempt));
    }
}
