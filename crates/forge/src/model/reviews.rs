//! Reviews of pulls: an opinion on one commit; the latest of each reviewer counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::context::Context;
use super::paging::{Listing, Page};
use super::permission::{Association, Permission};
use super::refusal::Refusal;
use super::repository::Repository;
use super::request::{Operation, operations};
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

operations! {
    /// Returns the reviews of a pull, oldest first.
    ListReviews { number: u64, page: Page }
    /// Reviews a commit of a pull; its head unless `commit` names another.
    CreateReview { number: u64, verdict: ReviewVerdict, body: String, commit: Option<Sha> }
}

impl Repository {
    /// Returns the number of reviewers with write access whose latest verdict is an approval. The
    /// author does not count.
    pub(super) fn approvals_of(&self, number: u64) -> u32 {
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

impl Repository {
    pub(super) fn review_view(&self, review: &Review) -> ReviewView {
        let association = self.association_of(&review.author);
        ReviewView { review: review.clone(), association }
    }
}

impl Operation for ListReviews {
    type Reply = Listing<ReviewView>;

    fn run(self, context: &mut Context<'_>) -> Result<Listing<ReviewView>, Refusal> {
        let repo = context.repo()?;
        repo.pull(self.number)?;
        let found: Vec<&Review> =
            repo.reviews.values().filter(|review| review.number == self.number).collect();
        Ok(Listing::of(&found, self.page, |review| repo.review_view(review)))
    }
}

impl Operation for CreateReview {
    type Reply = ReviewView;

    fn run(self, context: &mut Context<'_>) -> Result<ReviewView, Refusal> {
        let key = context.key(self.number);
        let head = context.pull_at(key)?.head_sha;
        self.check(context.issue_at(key)?.author == context.actor)?;
        let Self { number, verdict, body, commit } = self;
        let (id, author, at) = (context.forge.next_id(), context.actor.clone(), context.now);
        let commit = commit.unwrap_or(head);
        let review = Review { id, number, author, verdict, body, commit, at };
        context.touch(key)?;
        let repo = context.repo_mut()?;
        let view = repo.review_view(&review);
        repo.reviews.insert(id, review);
        Ok(view)
    }
}

impl CreateReview {
    /// Refuses verdicts on a pull of one's own and verdicts without the words that they need.
    fn check(&self, is_own: bool) -> Result<(), Refusal> {
        let is_blank = self.body.trim().is_empty();
        let (needs_words, refused) = match self.verdict {
            ReviewVerdict::Approved => (false, "Can not approve your own pull request"),
            ReviewVerdict::ChangesRequested => {
                (true, "Can not request changes on your own pull request")
            }
            ReviewVerdict::Commented => {
                return if is_blank { Err(Refusal::unprocessable(NO_WORDS)) } else { Ok(()) };
            }
        };
        if is_own {
            return Err(Refusal::unprocessable(refused));
        }
        if needs_words && is_blank {
            return Err(Refusal::unprocessable(NO_WORDS));
        }
        Ok(())
    }
}

const NO_WORDS: &str = "You need to leave a comment with this review.";
