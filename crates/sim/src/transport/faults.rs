//! What happens to a request on its way to the forge and back: lost, turned away, answered late, wrongly or
//! from a stale replica.

use super::{Carried, answers};
use crate::errand::Fate;
use crate::fate::MergeMishap;
use crate::town::{STRANGER, Town};
use crate::weather::Fault;
use http::{Method, Request, Response, StatusCode};
use ralph_core::hidden_marker;
use ralph_core::ids::IssueKey;
use ralph_core::time::Span;
use ralph_forge::CommentCall;
use ralph_github::NoResponse;

/// A limit holds up everything Ralph does, so it is drawn that many times more seldom than other faults.
const LIMITS_SELDOM: u64 = 50;
/// A primary limit lasts until its window ends. Only the end of a window is played, so it is drawn more often.
const PRIMARY_SELDOM: u64 = 4;
const PRIMARY_SECONDS_MAX: u64 = 1_800;
/// Refused credentials hold up everything for minutes.
const CREDENTIALS_SELDOM: u64 = 100;
/// There are more ways for a write to fail than there would be with one draw each.
const WRITES_SELDOM: u64 = 2;
const SLOW_SELDOM: u64 = 4;
const PLANTS_OFTEN: u32 = 4;
/// Label writes are refused for long; most must go through, or nothing about labels would be proved.
const LABELS_SELDOM: u64 = 4;
/// A locked conversation is unlocked again before people are through with it.
const LOCKED_MINUTES_MAX: u64 = 40;
/// Merges are few while people meddle.
const PUSHES_OFTEN: u32 = 4;

/// So many merges in a thousand are preceded by a push, while there are mishaps left for it.
const PUSHED_PER_MILLE: u64 = 80;
const OVERTAKEN_PER_MILLE: u64 = 400;
/// What is told to Ralph is never older than a minute: the longest wait and the way to Ralph's ears.
const WAIT_MAX: Span = Span::from_secs(50);

/// How a write fails, before or after the forge has done it.
const WRITE_MISHAPS: [Fault; 7] = [
    Fault::NotSent,
    Fault::LostBefore,
    Fault::ErrorBefore,
    Fault::LostAfter,
    Fault::ErrorAfter,
    Fault::BodyCut,
    Fault::BodyGarbled,
];
/// How a read fails.
const READ_MISHAPS: [Fault; 5] =
    [Fault::NotSent, Fault::LostBefore, Fault::ErrorBefore, Fault::BodyCut, Fault::BodyGarbled];

impl Town {
    /// One request by Ralph's client, and what it comes back with.
    pub(crate) fn carry(&mut self, request: &Request<Vec<u8>>) -> Carried {
        self.judge_request(request);
        let is_read = request.method() == Method::GET;
        let (fate, carried) = match self.turned_away(request) {
            Some((fate, answer)) => (fate, Ok(answer)),
            None if is_read => match self.keeps_from_ralph(request) {
                Some(answer) => (Fate::Refused, Ok(answer)),
                None => self.carry_read(request),
            },
            None => self.carry_write(request),
        };
        if !is_read {
            self.errand.fate = Some(fate);
        }
        carried
    }

    fn carry_read(&mut self, request: &Request<Vec<u8>>) -> (Fate, Carried) {
        let Self { weather, prng, .. } = self;
        let mishap = if weather.strikes(Fault::ReadFailed, prng) {
            prng.pick(&READ_MISHAPS).copied()
        } else {
            None
        };
        self.suffer(request, mishap, |town| {
            let may_be_stale = town.errand.waited == Span::ZERO && town.stale().is_some();
            let Self { weather, prng, .. } = town;
            let is_stale = may_be_stale && weather.strikes(Fault::StaleRead, prng);
            town.errand.is_stale |= is_stale;
            let now = town.millis();
            let mut response = match town.stale().filter(|_| is_stale) {
                Some(replica) => replica.respond(now, request).response,
                None => town.site.respond(now, request).response,
            };
            town.hide(request, &mut response);
            response
        })
    }

    fn carry_write(&mut self, request: &Request<Vec<u8>>) -> (Fate, Carried) {
        let is_merge = request.uri().path().ends_with("/merge");
        let fated = if is_merge { self.meddle_at_the_last_moment() } else { None };
        let seldom = if is_merge { 1 } else { WRITES_SELDOM };
        self.plant_a_marker(request);
        self.plant_an_issue(request);
        let Self { weather, prng, .. } = self;
        let mut mishaps = WRITE_MISHAPS.into_iter();
        let mishap = mishaps.find(|fault| weather.threatens(*fault, seldom, prng));
        let is_lost = fated == Some(MergeMishap::Lost);
        let mishap = if is_lost { Some(Fault::LostBefore) } else { mishap };
        self.suffer(request, mishap, |town| {
            town.keep_for_stale_reads();
            let answered = town.site.respond(town.millis(), request);
            town.judge_write(&answered.events);
            town.follow(&answered.events);
            answered.response
        })
    }

    /// Brings the request to the forge and the answer back, as far as the mishap lets them come.
    fn suffer(
        &mut self,
        request: &Request<Vec<u8>>,
        mishap: Option<Fault>,
        answer: impl FnOnce(&mut Self) -> Response<Vec<u8>>,
    ) -> (Fate, Carried) {
        let no_answer = || Err(NoResponse::NoAnswer { why: "timed out".to_owned() });
        let suffered = match mishap {
            Some(Fault::NotSent) => {
                (Fate::NotSent, Err(NoResponse::NotSent { why: "connection refused".to_owned() }))
            }
            Some(Fault::LostBefore) => (Fate::Unclear, no_answer()),
            Some(Fault::ErrorBefore) => (Fate::Unclear, Ok(answers::server_error(&mut self.prng))),
            mishap => {
                let mut response = answer(self);
                self.wait(&response);
                match mishap {
                    Some(Fault::LostAfter) => (Fate::Unclear, no_answer()),
                    Some(Fault::ErrorAfter) => {
                        (Fate::Unclear, Ok(answers::server_error(&mut self.prng)))
                    }
                    Some(fault)
                        if response.status().is_success() && !response.body().is_empty() =>
                    {
                        garble(response.body_mut(), fault);
                        (Fate::Garbled, Ok(response))
                    }
                    _none => return (fate_of(&response), Ok(response)),
                }
            }
        };
        if let Some(fault) = mishap {
            self.weather.count(fault);
            self.tell_fault(fault, request);
        }
        suffered
    }

    /// Some answers take their time. One that is old already does not.
    fn wait(&mut self, response: &Response<Vec<u8>>) {
        let reset = response.headers().get("x-ratelimit-reset");
        if let Some(reset) = reset.and_then(|value| value.to_str().ok()?.parse().ok()) {
            self.window_ends = reset;
        }
        let Self { weather, prng, errand, .. } = self;
        if errand.is_stale || !weather.threatens(Fault::SlowAnswer, SLOW_SELDOM, prng) {
            return;
        }
        weather.count(Fault::SlowAnswer);
        let longer = Span(i64::try_from(prng.between(2_000, 40_000)).unwrap_or(0));
        errand.waited = errand.waited.plus(longer).min(WAIT_MAX);
    }

    /// Limits and refusals that keep a request from being looked at.
    fn turned_away(&mut self, request: &Request<Vec<u8>>) -> Option<(Fate, Response<Vec<u8>>)> {
        if self.weather.is_calm {
            return None;
        }
        let (fault, fate, answer) = if let Some((fault, answer)) = self.limit() {
            (fault, Fate::TurnedAway, answer)
        } else if self.refuses_credentials() {
            (Fault::CredentialsRefused, Fate::TurnedAway, answers::bad_credentials())
        } else if self.refuses_labels(request) {
            (Fault::LabelsRefused, Fate::Refused, answers::may_not_label())
        } else if self.is_locked(request) {
            (Fault::ConversationLocked, Fate::Refused, answers::conversation_is_locked())
        } else {
            return None;
        };
        self.weather.count(fault);
        self.tell_fault(fault, request);
        Some((fate, answer))
    }

    fn limit(&mut self) -> Option<(Fault, Response<Vec<u8>>)> {
        let left = self.window_ends.saturating_sub(self.seconds());
        let Self { weather, prng, window_ends, .. } = self;
        if (1..=PRIMARY_SECONDS_MAX).contains(&left)
            && weather.threatens(Fault::PrimaryLimit, PRIMARY_SELDOM, prng)
        {
            let answer = answers::primary_limit(prng, Some(*window_ends));
            return Some((Fault::PrimaryLimit, answer));
        }
        let others = [Fault::PrimaryLimitBare, Fault::SecondaryLimit, Fault::SecondaryLimitBare];
        let fault =
            others.into_iter().find(|fault| weather.threatens(*fault, LIMITS_SELDOM, prng))?;
        let answer = match fault {
            Fault::PrimaryLimitBare => answers::primary_limit(prng, None),
            Fault::SecondaryLimit => {
                let seconds = prng.between(20, 120);
                answers::secondary_limit(prng, Some(seconds))
            }
            _bare => answers::secondary_limit(prng, None),
        };
        Some((fault, answer))
    }

    fn refuses_credentials(&mut self) -> bool {
        let Self { weather, prng, .. } = self;
        if weather.threatens(Fault::CredentialsRefused, CREDENTIALS_SELDOM, prng) {
            let minutes = i64::try_from(prng.between(2, 8)).unwrap_or(2);
            self.credentials_refused_until = self.now.plus(Span::from_mins(minutes));
        }
        self.now < self.credentials_refused_until
    }

    fn refuses_labels(&mut self, request: &Request<Vec<u8>>) -> bool {
        let is_label = request.method() != Method::GET && request.uri().path().contains("/labels");
        let Self { weather, prng, now, labels_refused_until, .. } = self;
        if !is_label {
            return false;
        }
        if *now >= *labels_refused_until
            && weather.threatens(Fault::LabelsRefused, LABELS_SELDOM, prng)
        {
            *labels_refused_until = now.plus(Span::from_mins(20));
        }
        *now < *labels_refused_until
    }

    /// A conversation is locked for a while, or those who may comment in it are restricted.
    fn is_locked(&mut self, request: &Request<Vec<u8>>) -> bool {
        let path = request.uri().path();
        let is_comment = request.method() == Method::POST && path.ends_with("/comments");
        let Self { weather, prng, errand, now, locked, .. } = self;
        let issue = errand.effect.as_ref().and_then(|key| IssueKey::parse(key.split(':').next()?));
        let Some(issue) = issue.filter(|_| is_comment) else { return false };
        let is_over = locked.get(&issue).is_none_or(|until| *until <= *now);
        if is_over && weather.threatens(Fault::ConversationLocked, 1, prng) {
            let minutes = i64::try_from(prng.between(2, LOCKED_MINUTES_MAX)).unwrap_or(2);
            locked.insert(issue.clone(), now.plus(Span::from_mins(minutes)));
        }
        locked.get(&issue).is_some_and(|until| *now < *until)
    }

    /// Somebody pushes to the branch, or closes the issue, after the last look and before the merge. Gives what befalls
    /// this merge in every life.
    fn meddle_at_the_last_moment(&mut self) -> Option<MergeMishap> {
        let effect = self.errand.effect.as_ref();
        let issue = effect.and_then(|key| IssueKey::parse(key.split(':').next()?))?;
        let fated = self.merge_mishap();
        let Self { weather, prng, .. } = self;
        let (pushes, closes) = (
            (0..PUSHES_OFTEN).any(|_| weather.strikes(Fault::PersonPushes, prng)),
            weather.strikes(Fault::PersonCloses, prng),
        );
        // Most merges come when the weather has cleared.
        let pushes = pushes || self.is_trial_struck(PUSHED_PER_MILLE);
        let pushes = pushes || fated == Some(MergeMishap::Pushed);
        if self.is_to_be_overtaken(&issue) {
            self.weather.count(Fault::PersonMovesBot);
            self.move_bot_at_the_last_moment(&issue.repo);
        }
        if fated == Some(MergeMishap::Pushed) {
            self.weather.count(Fault::PersonPushes);
        }
        if pushes {
            self.say(&format!("people: push to the branch of {issue} at the last moment"));
            self.push_to_branch(&issue);
        }
        if closes {
            self.say(&format!("people: close {issue} at the last moment"));
            self.close(&issue);
        }
        fated
    }

    fn is_to_be_overtaken(&mut self, issue: &IssueKey) -> bool {
        let pull = self.open_pull_of(issue);
        let is_tried = pull.is_some_and(|pull| self.is_tried(&issue.repo, pull));
        is_tried && self.is_trial_struck(OVERTAKEN_PER_MILLE)
    }

    /// A stranger who knows how markers are made writes the next one before Ralph does.
    fn plant_a_marker(&mut self, request: &Request<Vec<u8>>) {
        if request.method() != Method::POST || !request.uri().path().ends_with("/comments") {
            return;
        }
        let Self { weather, prng, errand, .. } = self;
        let issue = errand.effect.as_ref().and_then(|key| IssueKey::parse(key.split(':').next()?));
        let text: serde_json::Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let text = text.get("body").and_then(serde_json::Value::as_str).unwrap_or_default();
        let (Some(issue), Some(marker)) = (issue, hidden_marker::find(text)) else { return };
        // Comments are few, so this is worth more draws.
        if (0..PLANTS_OFTEN).any(|_| weather.strikes(Fault::StrangerPlants, prng)) {
            self.say(&format!("stranger: plants {} on {issue}", marker.render()));
            let (number, body) = (issue.number, format!("{}\nAll is well.", marker.render()));
            self.act(STRANGER, &issue.repo, CommentCall::Create { number, body });
        }
    }

    fn tell_fault(&mut self, fault: Fault, request: &Request<Vec<u8>>) {
        let line = format!("{}: {} {}", fault.name(), request.method(), request.uri().path());
        self.say(&line);
    }
}

/// What the forge itself made of a request.
fn fate_of(response: &Response<Vec<u8>>) -> Fate {
    let is_used_up =
        response.headers().get("x-ratelimit-remaining").is_some_and(|left| left == "0");
    match response.status() {
        status if status.is_success() => Fate::Done,
        status if status.is_server_error() => Fate::Unclear,
        StatusCode::FORBIDDEN if is_used_up => Fate::TurnedAway,
        _other => Fate::Refused,
    }
}

/// The connection broke in the middle, or something on the way put its own page there.
fn garble(body: &mut Vec<u8>, fault: Fault) {
    if fault == Fault::BodyCut {
        body.truncate(body.len() / 2);
    } else {
        *body = answers::PROXY_PAGE.to_vec();
    }
}
