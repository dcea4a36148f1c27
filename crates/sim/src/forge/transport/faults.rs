//! Faults on the way to the forge and back: requests are lost, turned away, answered late, wrongly or from a stale
//! replica.

use super::{Carried, answers};
use crate::faults::Fault;
use crate::faults::script::MergeMishap;
use crate::forge::ForgeSide;
use crate::machine::Machine;
use crate::machine::task::RequestEnd;
use crate::world::{STRANGER, SimWorld};
use http::{Method, Request, Response, StatusCode};
use ralph_core::hidden_marker;
use ralph_core::ids::IssueKey;
use ralph_core::time::Span;
use ralph_forge::CreateComment;
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
/// The longest wait for an answer. With the way to Ralph, an answer is at most a minute old.
const WAIT_MAX: Span = Span::from_secs(50);

/// The faults of a write, before or after the forge has done it.
const WRITE_MISHAPS: [Fault; 7] = [
    Fault::NotSent,
    Fault::LostBefore,
    Fault::ErrorBefore,
    Fault::LostAfter,
    Fault::ErrorAfter,
    Fault::BodyCut,
    Fault::BodyGarbled,
];
/// The faults of a read.
const READ_MISHAPS: [Fault; 5] =
    [Fault::NotSent, Fault::LostBefore, Fault::ErrorBefore, Fault::BodyCut, Fault::BodyGarbled];

impl SimWorld {
    /// One request by Ralph's client, and what it comes back with.
    pub(crate) fn carry(&mut self, request: &Request<Vec<u8>>) -> Carried {
        self.oracle.judge_request(&mut self.forge, request);
        let is_read = request.method() == Method::GET;
        let (end, carried) = match self.turned_away(request) {
            Some((end, answer)) => (end, Ok(answer)),
            None if is_read => match self.keeps_from_ralph(request) {
                Some(answer) => (RequestEnd::Refused, Ok(answer)),
                None => self.carry_read(request),
            },
            None => self.carry_write(request),
        };
        if !is_read {
            self.machine.task.end = Some(end);
        }
        carried
    }

    fn carry_read(&mut self, request: &Request<Vec<u8>>) -> (RequestEnd, Carried) {
        let Self { faults, prng, .. } = self;
        let mishap = if faults.strikes(Fault::ReadFailed, prng) {
            prng.pick(&READ_MISHAPS).copied()
        } else {
            None
        };
        self.suffer(request, mishap, |world| {
            let may_be_stale =
                world.machine.task.waited == Span::ZERO && world.forge.stale().is_some();
            let Self { faults, prng, .. } = world;
            let is_stale = may_be_stale && faults.strikes(Fault::StaleRead, prng);
            world.machine.task.is_stale |= is_stale;
            let now = world.clock.millis();
            let mut response = match world.forge.stale().filter(|_| is_stale) {
                Some(replica) => replica.respond(now, request).response,
                None => world.forge.site.respond(now, request).response,
            };
            world.hide(request, &mut response);
            response
        })
    }

    fn carry_write(&mut self, request: &Request<Vec<u8>>) -> (RequestEnd, Carried) {
        let is_merge = request.uri().path().ends_with("/merge");
        let scripted = if is_merge { self.meddle_at_the_last_moment() } else { None };
        let seldom = if is_merge { 1 } else { WRITES_SELDOM };
        self.plant_a_marker(request);
        self.plant_an_issue(request);
        let Self { faults, prng, .. } = self;
        let mut mishaps = WRITE_MISHAPS.into_iter();
        let mishap = mishaps.find(|fault| faults.threatens(*fault, seldom, prng));
        let is_lost = scripted == Some(MergeMishap::Lost);
        let mishap = if is_lost { Some(Fault::LostBefore) } else { mishap };
        self.suffer(request, mishap, |world| {
            world.keep_for_stale_reads();
            let answered = world.forge.site.respond(world.clock.millis(), request);
            world.judge_write(&answered.events);
            world.follow(&answered.events);
            answered.response
        })
    }

    /// Brings the request to the forge and the answer back, as far as the mishap lets them come.
    fn suffer(
        &mut self,
        request: &Request<Vec<u8>>,
        mishap: Option<Fault>,
        answer: impl FnOnce(&mut Self) -> Response<Vec<u8>>,
    ) -> (RequestEnd, Carried) {
        let no_answer = || Err(NoResponse::NoAnswer { why: "timed out".to_owned() });
        let suffered = match mishap {
            Some(Fault::NotSent) => (
                RequestEnd::NotSent,
                Err(NoResponse::NotSent { why: "connection refused".to_owned() }),
            ),
            Some(Fault::LostBefore) => (RequestEnd::Unclear, no_answer()),
            Some(Fault::ErrorBefore) => {
                (RequestEnd::Unclear, Ok(answers::server_error(&mut self.prng)))
            }
            mishap => {
                let mut response = answer(self);
                self.wait(&response);
                match mishap {
                    Some(Fault::LostAfter) => (RequestEnd::Unclear, no_answer()),
                    Some(Fault::ErrorAfter) => {
                        (RequestEnd::Unclear, Ok(answers::server_error(&mut self.prng)))
                    }
                    Some(fault)
                        if response.status().is_success() && !response.body().is_empty() =>
                    {
                        garble(response.body_mut(), fault);
                        (RequestEnd::Garbled, Ok(response))
                    }
                    _none => return (end_of(&response), Ok(response)),
                }
            }
        };
        if let Some(fault) = mishap {
            self.faults.count(fault);
            self.tell_fault(fault, request);
        }
        suffered
    }

    /// Some answers take their time. One that is old already does not.
    fn wait(&mut self, response: &Response<Vec<u8>>) {
        let reset = response.headers().get("x-ratelimit-reset");
        if let Some(reset) = reset.and_then(|value| value.to_str().ok()?.parse().ok()) {
            self.forge.window_ends = reset;
        }
        let Self { faults, prng, machine: Machine { task, .. }, .. } = self;
        if task.is_stale || !faults.threatens(Fault::SlowAnswer, SLOW_SELDOM, prng) {
            return;
        }
        faults.count(Fault::SlowAnswer);
        let longer = Span(i64::try_from(prng.between(2_000, 40_000)).unwrap_or(0));
        task.waited = task.waited.plus(longer).min(WAIT_MAX);
    }

    /// Limits and refusals that keep a request from being looked at.
    fn turned_away(
        &mut self,
        request: &Request<Vec<u8>>,
    ) -> Option<(RequestEnd, Response<Vec<u8>>)> {
        if self.faults.is_calm {
            return None;
        }
        let (fault, end, answer) = if let Some((fault, answer)) = self.limit() {
            (fault, RequestEnd::TurnedAway, answer)
        } else if self.refuses_credentials() {
            (Fault::CredentialsRefused, RequestEnd::TurnedAway, answers::bad_credentials())
        } else if self.refuses_labels(request) {
            (Fault::LabelsRefused, RequestEnd::Refused, answers::may_not_label())
        } else if self.draws_lock(request) {
            (Fault::ConversationLocked, RequestEnd::Refused, answers::conversation_is_locked())
        } else {
            return None;
        };
        self.faults.count(fault);
        self.tell_fault(fault, request);
        Some((end, answer))
    }

    fn limit(&mut self) -> Option<(Fault, Response<Vec<u8>>)> {
        let left = self.forge.window_ends.saturating_sub(self.clock.seconds());
        let Self { faults, prng, forge: ForgeSide { window_ends, .. }, .. } = self;
        if (1..=PRIMARY_SECONDS_MAX).contains(&left)
            && faults.threatens(Fault::PrimaryLimit, PRIMARY_SELDOM, prng)
        {
            let answer = answers::primary_limit(prng, Some(*window_ends));
            return Some((Fault::PrimaryLimit, answer));
        }
        let others = [Fault::PrimaryLimitBare, Fault::SecondaryLimit, Fault::SecondaryLimitBare];
        let fault =
            others.into_iter().find(|fault| faults.threatens(*fault, LIMITS_SELDOM, prng))?;
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
        let Self { faults, prng, .. } = self;
        if faults.threatens(Fault::CredentialsRefused, CREDENTIALS_SELDOM, prng) {
            let minutes = i64::try_from(prng.between(2, 8)).unwrap_or(2);
            self.forge.credentials_refused_until = self.clock.now().plus(Span::from_mins(minutes));
        }
        self.clock.now() < self.forge.credentials_refused_until
    }

    fn refuses_labels(&mut self, request: &Request<Vec<u8>>) -> bool {
        let is_label = request.method() != Method::GET && request.uri().path().contains("/labels");
        let now = &self.clock.now();
        let Self { faults, prng, forge: ForgeSide { labels_refused_until, .. }, .. } = self;
        if !is_label {
            return false;
        }
        if *now >= *labels_refused_until
            && faults.threatens(Fault::LabelsRefused, LABELS_SELDOM, prng)
        {
            *labels_refused_until = now.plus(Span::from_mins(20));
        }
        *now < *labels_refused_until
    }

    /// A conversation is locked for a while, or those who may comment in it are restricted.
    fn draws_lock(&mut self, request: &Request<Vec<u8>>) -> bool {
        let path = request.uri().path();
        let is_comment = request.method() == Method::POST && path.ends_with("/comments");
        let now = &self.clock.now();
        let Self {
            faults,
            prng,
            machine: Machine { task, .. },
            forge: ForgeSide { locked, .. },
            ..
        } = self;
        let issue = task.effect.as_ref().and_then(|key| IssueKey::parse(key.split(':').next()?));
        let Some(issue) = issue.filter(|_| is_comment) else { return false };
        let is_over = locked.get(&issue).is_none_or(|until| *until <= *now);
        if is_over && faults.threatens(Fault::ConversationLocked, 1, prng) {
            let minutes = i64::try_from(prng.between(2, LOCKED_MINUTES_MAX)).unwrap_or(2);
            locked.insert(issue.clone(), now.plus(Span::from_mins(minutes)));
        }
        locked.get(&issue).is_some_and(|until| *now < *until)
    }

    /// A person pushes to the branch, or closes the issue, after the last look and before the merge. Returns the
    /// scripted mishap of this merge.
    fn meddle_at_the_last_moment(&mut self) -> Option<MergeMishap> {
        let effect = self.machine.task.effect.as_ref();
        let issue = effect.and_then(|key| IssueKey::parse(key.split(':').next()?))?;
        let scripted = self.merge_mishap();
        let Self { faults, prng, .. } = self;
        let (pushes, closes) = (
            (0..PUSHES_OFTEN).any(|_| faults.strikes(Fault::PersonPushes, prng)),
            faults.strikes(Fault::PersonCloses, prng),
        );
        // Most merges come after the other faults have ended.
        let pushes = pushes || self.strikes_trial(PUSHED_PER_MILLE);
        let pushes = pushes || scripted == Some(MergeMishap::Pushed);
        if self.draws_overtaking(&issue) {
            self.faults.count(Fault::PersonMovesBot);
            self.move_bot_at_the_last_moment(&issue.repo);
        }
        if scripted == Some(MergeMishap::Pushed) {
            self.faults.count(Fault::PersonPushes);
        }
        if pushes {
            self.trace.say(&format!("people: push to the branch of {issue} at the last moment"));
            self.push_to_branch(&issue);
        }
        if closes {
            self.trace.say(&format!("people: close {issue} at the last moment"));
            self.close(&issue);
        }
        scripted
    }

    fn draws_overtaking(&mut self, issue: &IssueKey) -> bool {
        let pull = self.forge.open_pull_of(&self.machine, issue);
        let is_tried =
            pull.is_some_and(|pull| self.oracle.is_tried(&mut self.forge, &issue.repo, pull));
        is_tried && self.strikes_trial(OVERTAKEN_PER_MILLE)
    }

    /// A stranger who knows how markers are made writes the next one before Ralph does.
    fn plant_a_marker(&mut self, request: &Request<Vec<u8>>) {
        if request.method() != Method::POST || !request.uri().path().ends_with("/comments") {
            return;
        }
        let Self { faults, prng, machine: Machine { task, .. }, .. } = self;
        let issue = task.effect.as_ref().and_then(|key| IssueKey::parse(key.split(':').next()?));
        let text: serde_json::Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let text = text.get("body").and_then(serde_json::Value::as_str).unwrap_or_default();
        let (Some(issue), Some(marker)) = (issue, hidden_marker::find(text)) else { return };
        // Comments are few, so this is worth more draws.
        if (0..PLANTS_OFTEN).any(|_| faults.strikes(Fault::StrangerPlants, prng)) {
            self.trace.say(&format!("stranger: plants {} on {issue}", marker.render()));
            let (number, body) = (issue.number, format!("{}\nAll is well.", marker.render()));
            self.act(STRANGER, &issue.repo, CreateComment { number, body });
        }
    }

    fn tell_fault(&mut self, fault: Fault, request: &Request<Vec<u8>>) {
        let line = format!("{}: {} {}", fault.name(), request.method(), request.uri().path());
        self.trace.say(&line);
    }
}

/// The end of a request as the forge itself decided it.
fn end_of(response: &Response<Vec<u8>>) -> RequestEnd {
    let is_used_up =
        response.headers().get("x-ratelimit-remaining").is_some_and(|left| left == "0");
    match response.status() {
        status if status.is_success() => RequestEnd::Done,
        status if status.is_server_error() => RequestEnd::Unclear,
        StatusCode::FORBIDDEN if is_used_up => RequestEnd::TurnedAway,
        _other => RequestEnd::Refused,
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
