//! What happens to a request on its way to the forge and back: lost, refused, answered late or from a stale
//! replica.

use super::SimForge;
use crate::town::{BOT, REPO, Town};
use crate::weather::Fault;
use ralph_core::ids::IssueKey;
use ralph_core::time::Span;
use ralph_engine::ports::{Answer, Read, Refusal, RefusalKind, Unread};
use ralph_forge::{Call, Reply, Request};

impl SimForge {
    pub(super) fn read(&self, call: impl Into<Call>) -> Read<Result<Reply, ralph_forge::Refusal>> {
        let town = &mut *self.0.borrow_mut();
        let unread = |until, why: &str| Err(Unread { until, why: why.to_owned() });
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::ReadFailed, prng) {
            return unread(None, "the connection was reset");
        }
        if weather.rate(Fault::PrimaryLimit) > 0 && prng.chance(3) {
            weather.count(Fault::PrimaryLimit);
            let reset = town.ralph_time().plus(Span::from_mins(10));
            return unread(Some(reset), "403: rate limit exceeded");
        }
        let is_stale = weather.strikes(Fault::StaleRead, prng);
        let (now, request) = (town.seconds(), Request::on(REPO, call));
        let response = match town.stale().filter(|_| is_stale) {
            Some(forge) => forge.handle(BOT, now, request).0,
            None => town.forge.handle(BOT, now, request).0,
        };
        Ok(response)
    }

    pub(super) fn write(&self, call: impl Into<Call>) -> Answer<Reply> {
        let town = &mut *self.0.borrow_mut();
        let call = call.into();
        if let Some(turned_away) = town.turned_away(&call) {
            return turned_away;
        }
        let unknown = |why: &str| Answer::Unknown { why: why.to_owned() };
        let Town { weather, prng, .. } = town;
        if weather.strikes(Fault::LostBefore, prng) {
            return unknown("timed out");
        }
        let is_error = weather.strikes(Fault::ServerError, prng);
        if is_error && prng.chance(500) {
            return unknown("502");
        }
        let is_lost = weather.strikes(Fault::LostAfter, prng);
        town.keep_for_stale_reads();
        let request = Request::on(REPO, call.clone());
        let (response, events) = town.forge.handle(BOT, town.seconds(), request);
        town.judge_write(&call, &response, &events);
        town.spread(&events);
        if is_error || is_lost {
            return unknown("no answer");
        }
        match response {
            Ok(reply) => Answer::Happened(reply),
            Err(refusal) => Answer::Refused(classify(&refusal)),
        }
    }
}

impl Town {
    /// Somebody pushes to the branch, or closes the issue, after the last look and before the merge.
    pub(super) fn meddle_at_the_last_moment(&mut self) {
        let Self { weather, prng, performing, .. } = self;
        let issue = performing.as_ref().and_then(|key| IssueKey::parse(key.split(':').next()?));
        let Some(issue) = issue else { return };
        let (pushes, closes) = (
            weather.strikes(Fault::PersonPushes, prng),
            weather.strikes(Fault::PersonCloses, prng),
        );
        if pushes {
            self.say(&format!("people: push to the branch of {issue} at the last moment"));
            self.push_to_branch(issue.number);
        }
        if closes {
            self.say(&format!("people: close {issue} at the last moment"));
            self.close(issue.number);
        }
    }

    /// Limits and refusals that keep a write from being looked at.
    fn turned_away(&mut self, call: &Call) -> Option<Answer<Reply>> {
        let now = self.ralph_time();
        let Self { weather, prng, .. } = self;
        let later = |until, why: &str| Some(Answer::Later { until, why: why.to_owned() });
        if weather.strikes(Fault::PrimaryLimit, prng) {
            let reset =
                now.plus(Span::from_secs(i64::try_from(prng.between(60, 1_800)).unwrap_or(60)));
            return later(Some(reset), "403: rate limit exceeded");
        }
        if weather.strikes(Fault::SecondaryLimit, prng) {
            let until = prng.chance(500).then(|| now.plus(Span::from_secs(90)));
            return later(until, "403: secondary rate limit");
        }
        let is_label = matches!(call, Call::Label(_));
        if is_label && weather.rate(Fault::LabelsRefused) > 0 && prng.chance(30) {
            self.labels_refused_until = self.now.plus(Span::from_mins(20));
        }
        if is_label && !self.weather.is_calm && self.now < self.labels_refused_until {
            self.weather.count(Fault::LabelsRefused);
            let message = "403: you may not label here".to_owned();
            return Some(Answer::Refused(Refusal { kind: RefusalKind::Other, message }));
        }
        None
    }
}

fn classify(refusal: &ralph_forge::Refusal) -> Refusal {
    let message = refusal.to_string();
    let kind = match refusal.status {
        404 | 410 => RefusalKind::Missing,
        422 if message.contains("already exists") => RefusalKind::Exists,
        _other => RefusalKind::Other,
    };
    Refusal { kind, message }
}
