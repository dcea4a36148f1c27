//! Reviews of pulls: an opinion on one commit; the latest of each reviewer counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::behaviour::Behaviour;
use super::paging::{Listing, Page};
use super::permission::{Association, Permission};
use super::refusal::Refusal;
use super::reply::{Reply, Response};
use super::repository::Repository;
use super::turn::Turn;
use crate::git::sha::Sha;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    pub id: u64,
    /// The pull it is on.
    pub number: u64,
    pub author: String,
    pub verdict: ReviewVerdict,
    pub body: String,
    /// The head that was looked at.
    pub commit: Sha,
    /// Unix seconds.
    pub at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReviewVerdict {
    Approved,
    ChangesRequested,
    Commented,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewView {
    pub review: Review,
    pub association: Association,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewCall {
    /// → `Reviews`, oldest first
    List { number: u64, page: Page },
    /// → `Review`; without a commit it is about the head
    Create { number: u64, verdict: ReviewVerdict, body: String, commit: Option<Sha> },
}

impl Repository {
    /// How many reviewers with write access approve last of all; the author does not count.
    pub(super) fn approvals_of(&self, number: u64) -> u32 {
        if !self.holds(Behaviour::ApprovalsAreCounted) {
            return 0;
        }
        let mut latest: BTreeMap<&str, ReviewVerdict> = BTreeMap::new();
        for review in self.reviews.values().filter(|review| review.number == number) {
            let counts = self.permission_of(&review.author) >= Permission::Write;
            match review.verdict {
                ReviewVerdict::Approved | ReviewVerdict::ChangesRequested if counts => {
                    latest.insert(&review.author, review.verdict);
                }
                ReviewVerdict::Approved
                | ReviewVerdict::ChangesRequested
                | ReviewVerdict::Commented => {}
            }
        }
        let approved = latest.values().filter(|verdict| **verdict == ReviewVerdict::Approved);
        u32::try_from(approved.count()).unwrap_or(u32::MAX)
    }
}

impl Turn<'_> {
    pub(super) fn review_call(&mut self, call: ReviewCall) -> Response {
        match call {
            ReviewCall::List { number, page } => {
                self.pull_at(self.key(number))?;
                let repo = self.repo()?;
                let found: Vec<&Review> =
                    repo.reviews.values().filter(|review| review.number == number).collect();
                let view = |review: &&Review| ReviewView {
                    review: (*review).clone(),
                    association: repo.association_of(&review.author),
                };
                Ok(Reply::Reviews(Listing::of(&found, page, view)))
            }
            ReviewCall::Create { number, verdict, body, commit } => {
                self.check_review(number, verdict, &body)?;
                let head = self.pull_at(self.key(number))?.head_sha;
                let (id, author, at) = (self.forge.next_id(), self.actor.clone(), self.now);
                let commit = commit.unwrap_or(head);
                let review = Review { id, number, author, verdict, body, commit, at };
                self.touch(self.key(number))?;
                let repo = self.repo_mut()?;
                let association = repo.association_of(&review.author);
                repo.reviews.insert(id, review.clone());
                Ok(Reply::Review(Box::new(ReviewView { review, association })))
            }
        }
    }

    fn check_review(&self, number: u64, verdict: ReviewVerdict, body: &str) -> Result<(), Refusal> {
        let key = self.key(number);
        self.pull_at(key)?;
        let is_own = self.issue_at(key)?.author == self.actor;
        let (needs_words, refused) = match verdict {
            ReviewVerdict::Approved => (false, "Can not approve your own pull request"),
            ReviewVerdict::ChangesRequested => {
                (true, "Can not request changes on your own pull request")
            }
            ReviewVerdict::Commented => {
                let blank = body.trim().is_empty();
                return if blank { Err(Refusal::unprocessable(NO_WORDS)) } else { Ok(()) };
            }
        };
        if is_own {
            return Err(Refusal::unprocessable(refused));
        }
        if needs_words && body.trim().is_empty() {
            return Err(Refusal::unprocessable(NO_WORDS));
        }
        Ok(())
    }
}

const NO_WORDS: &str = "You need to leave a comment with this review.";
