//! Things that the forge keeps from Ralph: single reads that it refuses until a person mends it, a repository that has another
//! name for a while, issues that are gone or moved away, label events that show late, and a repository of strangers.

use crate::faults::Fault;
use crate::forge::ForgeSide;
use crate::world::{FORGE, MAINTAINER, STRANGER, SimWorld};
use http::header::{ETAG, HeaderValue, LOCATION};
use http::{Request, Response, StatusCode};
use ralph_core::command::Command;
use ralph_core::ids::{IssueKey, RepoName};
use ralph_core::issue::{CommandId, Phase};
use ralph_core::time::{Span, Time};
use ralph_engine::Engine;
use ralph_forge::{CreateComment, CreateIssue, NewIssue, NewRepository, Sha};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A public repository in which Ralph may do nothing but read.
pub(crate) const FOREIGN: &str = "mallory/lib";
pub(crate) const FOREIGN_OWNER: &str = "mallory";

/// A refused read lasts until a person sees it, so it is drawn that many times more seldom than other faults.
const REFUSED_SELDOM: u64 = 8;
/// One in so many issues goes while the checks of its pull request run, in a run in which issues go at all.
const LOST_IN_CHECKS: u64 = 6;
/// Long enough for checks, reruns and trials.
const LOST_FOR: Span = Span::from_mins(180);
const RENAMED_SELDOM: u64 = 40;
const LATE_SELDOM: u64 = 3;
/// The address of a renamed repository, and its new name.
const RENAMED_PATH: &str = "/repositories/999999";
const RENAMED_TO: &str = "acme/renamed";
/// An event shows late within the lag that Ralph grants to its own.
const LATE_SECONDS: (u64, u64) = (30, 200);

/// The first characters of every command label.
const COMMAND_PREFIX: &[u8] = b"ralph:cmd:";

#[derive(Debug, Default)]
pub(crate) struct Unreadable {
    /// Paths that are refused, and when Ralph last asked for each.
    refused: BTreeMap<String, Time>,
    /// Paths that were refused at some time, and repositories that had another name.
    once: BTreeSet<String>,
    /// Repositories in which a read of a person's rights was refused at some time: commands may arrive late there.
    pub(crate) rights_refused: BTreeSet<RepoName>,
    renamed: Option<(RepoName, Time)>,
    /// Issues that are gone, since when by Ralph's clock, and how the forge says so.
    astray: BTreeMap<IssueKey, (Time, StatusCode)>,
    /// Those of them that went while their checks ran, and the time by which they come back: later than the end of the
    /// faults, so that Ralph would merge without them.
    back_by: BTreeMap<IssueKey, Time>,
    /// Label events that do not show before this time.
    late: BTreeMap<u64, Time>,
    pub(crate) shown_late: BTreeSet<u64>,
}

impl Unreadable {
    /// Rules out lists of which nothing is hidden, because parsing all lists is expensive.
    fn may_hide(&self, path: &str, body: &[u8]) -> bool {
        if path.ends_with("/events") {
            !self.late.is_empty()
                || body.windows(COMMAND_PREFIX.len()).any(|part| part == COMMAND_PREFIX)
        } else {
            !self.astray.is_empty()
        }
    }

    /// Was it kept from Ralph at some time which branch of this repository brought the commit that closed the issue?
    pub(crate) fn kept_closer(&self, key: &IssueKey, home: &RepoName, commit: Sha) -> bool {
        let timeline = format!("/repos/{}/issues/{}/timeline", key.repo, key.number);
        let pulls = format!("/repos/{home}/commits/{commit}/pulls");
        let names = [key.repo.to_string(), home.to_string()];
        self.once.contains(&timeline)
            || self.once.contains(&pulls)
            || names.iter().any(|name| self.once.contains(name))
    }
}

impl SimWorld {
    pub(crate) fn make_foreign_repository(&mut self) {
        let owner = FOREIGN_OWNER.to_owned();
        self.forge.model_mut().create_user(FOREIGN_OWNER);
        let new = NewRepository {
            owner,
            name: "lib".to_owned(),
            default_branch: "main".to_owned(),
            files: BTreeMap::new(),
            at: self.clock.seconds(),
        };
        let made = self.forge.model_mut().create_repository(new);
        debug_assert!(made.is_ok(), "the owner exists and the name is free");
        let Some(repo) = RepoName::parse(FOREIGN) else { return };
        let (title, body) = ("Unrelated".to_owned(), String::new());
        let issue = NewIssue { title, body, labels: Vec::new() };
        self.act(FOREIGN_OWNER, &repo, CreateIssue(issue));
    }

    /// A stranger's issue names a repository that Ralph has no business in, and issues that do not exist.
    pub(crate) fn stranger_names_others(&mut self, key: &IssueKey) {
        let title = "See also".to_owned();
        let missing: String =
            (900..940).map(|number| format!("- [ ] {FOREIGN}#{number}\n")).collect();
        let body = format!("## Blocks\n- {FOREIGN}#1\n\n## Blocked by\n{missing}");
        let new = NewIssue { title, body, labels: Vec::new() };
        let made = self.act(STRANGER, &key.repo, CreateIssue(new));
        if let Some(view) = made.filter(|_| !self.people.is_automatic) {
            self.people.issues.push(IssueKey::new(key.repo.clone(), view.number));
        }
    }

    /// An answer in place of the forge's, to a question of Ralph's.
    pub(crate) fn keeps_from_ralph(
        &mut self,
        request: &Request<Vec<u8>>,
    ) -> Option<Response<Vec<u8>>> {
        if self.machine.task.effect.is_some() {
            return None;
        }
        let path = request.uri().path().to_owned();
        if let Some(answer) = self.renamed(&path) {
            return Some(answer);
        }
        if self.draws_refusal(&path) {
            self.machine.task.refused = Some(path);
            return Some(saying(StatusCode::FORBIDDEN, "Resource not accessible by integration"));
        }
        self.gone(&path)
    }

    fn renamed(&mut self, path: &str) -> Option<Response<Vec<u8>>> {
        let now = self.clock.now();
        let repo = path.strip_prefix("/repos/").and_then(|rest| {
            let mut parts = rest.splitn(3, '/');
            RepoName::parse(&format!("{}/{}", parts.next()?, parts.next()?))
        });
        let is_ours = repo.as_ref().is_some_and(|repo| self.forge.repos.contains(repo));
        let Self { faults, prng, forge: ForgeSide { unreadable, .. }, .. } = self;
        if is_ours
            && unreadable.renamed.is_none()
            && faults.threatens(Fault::RepositoryRenamed, RENAMED_SELDOM, prng)
        {
            let minutes = i64::try_from(prng.between(3, 15)).unwrap_or(3);
            unreadable.renamed =
                repo.clone().map(|repo| (repo, now.plus(Span::from_mins(minutes))));
            unreadable.once.extend(repo.as_ref().map(ToString::to_string));
            faults.count(Fault::RepositoryRenamed);
        }
        unreadable.renamed.take_if(|(_, until)| *until <= now);
        let (renamed, _) = unreadable.renamed.as_ref()?;
        if path == RENAMED_PATH {
            let text = format!(r#"{{"full_name":"{RENAMED_TO}","default_branch":"main"}}"#);
            return Some(Response::new(text.into_bytes()));
        }
        if repo.as_ref() != Some(renamed) {
            return None;
        }
        let rest = path.strip_prefix(&format!("/repos/{renamed}")).unwrap_or_default();
        self.machine.task.refused = Some(RENAMED_TO.to_owned());
        Some(moved(&format!("{FORGE}{RENAMED_PATH}{rest}")))
    }

    fn draws_refusal(&mut self, path: &str) -> bool {
        let now = self.clock.now();
        // That a log is not to be had is an answer, and the account says who Ralph is.
        let can_be = path.starts_with("/repos/") && !path.ends_with("/logs");
        let Self { faults, prng, forge: ForgeSide { unreadable, .. }, .. } = self;
        if let Some(asked) = unreadable.refused.get_mut(path) {
            *asked = now;
            return true;
        }
        let strikes = can_be && faults.threatens(Fault::ReadRefused, REFUSED_SELDOM, prng);
        if strikes {
            unreadable.refused.insert(path.to_owned(), now);
            unreadable.once.insert(path.to_owned());
            let of =
                path.strip_prefix("/repos/").and_then(|rest| rest.split_once("/collaborators/"));
            unreadable.rights_refused.extend(of.and_then(|(repo, _)| RepoName::parse(repo)));
            faults.count(Fault::ReadRefused);
            self.trace.say(&format!("from now on refused: GET {path}"));
        }
        strikes
    }

    fn gone(&mut self, path: &str) -> Option<Response<Vec<u8>>> {
        let (repo, number) = path.strip_prefix("/repos/")?.split_once("/issues/")?;
        let key = IssueKey::new(RepoName::parse(repo)?, number.parse().ok()?);
        if self.faults.threatens(Fault::IssueAstray, 1, &mut self.prng) {
            self.lose(&key);
        }
        let (_, status) = self.forge.unreadable.astray.get(&key)?;
        Some(match *status {
            StatusCode::MOVED_PERMANENTLY => {
                moved(&format!("{FORGE}/repositories/888888/issues/1"))
            }
            status => saying(status, "Not Found"),
        })
    }

    fn lose(&mut self, key: &IssueKey) {
        if !self.people.issues.contains(key) || self.forge.unreadable.astray.contains_key(key) {
            return;
        }
        let statuses = [StatusCode::NOT_FOUND, StatusCode::GONE, StatusCode::MOVED_PERMANENTLY];
        let status = self.prng.pick(&statuses).copied().unwrap_or(StatusCode::GONE);
        self.forge.unreadable.astray.insert(key.clone(), (self.clock.ralph_time(), status));
        self.faults.count(Fault::IssueAstray);
        self.trace.say(&format!("{key} is answered with {status} from now on"));
    }

    /// An issue may go while the checks of its pull request run.
    pub(crate) fn lose_issue_of(&mut self, repo: &RepoName, branch: &str) {
        if let Some(key) = issue_of_branch(repo, branch)
            && self.faults.rate(Fault::IssueAstray) > 0
            && self.prng.below(LOST_IN_CHECKS) == 0
        {
            self.lose(&key);
            self.forge.unreadable.back_by.insert(key, self.clock.now().plus(LOST_FOR));
        }
    }

    /// Takes out of a list what Ralph is not to see yet.
    pub(crate) fn hide(&mut self, request: &Request<Vec<u8>>, response: &mut Response<Vec<u8>>) {
        let path = request.uri().path();
        let is_list = path.ends_with("/issues") || path.ends_with("/events");
        if self.machine.task.effect.is_some() || !is_list || response.status() != StatusCode::OK {
            return;
        }
        if !self.forge.unreadable.may_hide(path, response.body()) {
            return;
        }
        let Ok(Value::Array(mut list)) = serde_json::from_slice(response.body()) else { return };
        let before = list.len();
        if path.ends_with("/events") {
            self.keep_an_event_back(&list);
            let (now, late) = (self.clock.now(), &self.forge.unreadable.late);
            let is_hidden = |id: u64| late.get(&id).is_some_and(|until| *until > now);
            list.retain(|entry| !entry["id"].as_u64().is_some_and(is_hidden));
        } else {
            let repo = path.strip_prefix("/repos/").and_then(|rest| rest.strip_suffix("/issues"));
            let Some(repo) = repo.and_then(RepoName::parse) else { return };
            let astray = &self.forge.unreadable.astray;
            let is_gone = |number: u64| astray.contains_key(&IssueKey::new(repo.clone(), number));
            list.retain(|entry| !entry["number"].as_u64().is_some_and(is_gone));
        }
        if list.len() == before {
            return;
        }
        *response.body_mut() = serde_json::to_vec(&list).unwrap_or_default();
        response.headers_mut().insert(ETAG, HeaderValue::from_static("\"not all of it\""));
    }

    /// The newest command shows later than what comes after it.
    fn keep_an_event_back(&mut self, list: &[Value]) {
        let Some(newest) = list.iter().rev().find(|entry| {
            let label = entry.pointer("/label/name").and_then(Value::as_str).unwrap_or_default();
            entry.get("event").is_some_and(|event| event == "labeled")
                && Command::from_label(label).is_some()
        }) else {
            return;
        };
        let Some(id) = newest.get("id").and_then(Value::as_u64) else { return };
        let Self { faults, prng, forge: ForgeSide { unreadable, .. }, .. } = self;
        let is_known = unreadable.shown_late.contains(&id);
        if is_known || !faults.threatens(Fault::EventShownLate, LATE_SELDOM, prng) {
            return;
        }
        faults.count(Fault::EventShownLate);
        let seconds = prng.between(LATE_SECONDS.0, LATE_SECONDS.1);
        let until = self.clock.now().plus(Span::from_secs(i64::try_from(seconds).unwrap_or(30)));
        unreadable.late.insert(id, until);
        unreadable.shown_late.insert(id);
        self.trace.say(&format!("event {id} shows {seconds} s late"));
    }

    /// Brings back what was gone when the faults end, but for issues that Ralph was about to merge.
    pub(crate) fn end_refusals(&mut self) {
        self.forge.unreadable.late.clear();
        self.forge.unreadable.renamed = None;
        self.bring_back(|unreadable, key| !unreadable.back_by.contains_key(key));
    }

    /// Brings back the issues that Ralph has stopped because they were gone, and those that were gone for long.
    fn bring_back_in_time(&mut self, engine: &Engine) {
        let now = self.clock.now();
        self.bring_back(|unreadable, key| {
            let issue = engine.world().issue(key);
            let phase = issue.and_then(|issue| issue.managed.as_deref()).map(|known| &known.phase);
            matches!(phase, Some(Phase::Stopped { .. }))
                || unreadable.back_by.get(key).is_none_or(|by| *by <= now)
        });
    }

    /// A person comments on each issue that is back.
    fn bring_back(&mut self, is_back: impl Fn(&Unreadable, &IssueKey) -> bool) {
        let unreadable = &mut self.forge.unreadable;
        let back: Vec<_> =
            unreadable.astray.keys().filter(|key| is_back(unreadable, key)).cloned().collect();
        for key in back {
            self.forge.unreadable.astray.remove(&key);
            let body = "It is here again.".to_owned();
            self.act(MAINTAINER, &key.repo, CreateComment { number: key.number, body });
        }
    }

    /// People mend what `ralph status` shows. What Ralph does not ask for any longer is missed by no one.
    pub(crate) fn mend_reads(&mut self, engine: &Engine) {
        let shown: Vec<String> = engine.unread().map(|unread| unread.why).collect();
        let patience = Span(engine.policy().poll_interval.0 * 12);
        let now = self.clock.now();
        self.bring_back_in_time(engine);
        let before = self.forge.unreadable.refused.len();
        self.forge.unreadable.refused.retain(|path, asked| {
            let is_shown = shown.iter().any(|why| why.contains(path.as_str()));
            !is_shown && now.since(*asked) <= patience
        });
        if self.forge.unreadable.refused.len() < before {
            self.forge.last_act = self.clock.now();
            self.trace.say("people: let Ralph read what it could not");
        }
    }
}

impl ForgeSide {
    /// The same for what an escalation names.
    pub(crate) fn mend_read(&mut self, why: &str) {
        self.unreadable.refused.retain(|path, _| !why.contains(path.as_str()));
    }

    pub(crate) fn refuses_reads(&self) -> bool {
        !self.unreadable.refused.is_empty()
            || self.unreadable.renamed.is_some()
            || !self.unreadable.astray.is_empty()
    }

    pub(crate) fn is_lost(&self, key: &IssueKey) -> bool {
        self.unreadable.astray.contains_key(key)
    }

    /// The time since which the issue of this branch is gone, by Ralph's clock.
    pub(crate) fn lost_since(&self, repo: &RepoName, branch: &str) -> Option<Time> {
        let key = issue_of_branch(repo, branch)?;
        self.unreadable.astray.get(&key).map(|(since, _)| *since)
    }

    /// An event that showed late, or whose actor could not be looked up for a while.
    pub(crate) fn may_be_overtaken(&self, key: &IssueKey, id: CommandId) -> bool {
        self.unreadable.shown_late.contains(&id.id)
            || self.unreadable.rights_refused.contains(&key.repo)
    }
}

fn issue_of_branch(repo: &RepoName, branch: &str) -> Option<IssueKey> {
    let number = branch.strip_prefix("ralph/issue-")?.split('-').next()?;
    Some(IssueKey::new(repo.clone(), number.parse().ok()?))
}

fn saying(status: StatusCode, message: &str) -> Response<Vec<u8>> {
    let mut response = Response::new(format!("{{\"message\":\"{message}\"}}").into_bytes());
    *response.status_mut() = status;
    response
}

fn moved(to: &str) -> Response<Vec<u8>> {
    let mut response = saying(StatusCode::MOVED_PERMANENTLY, "Moved Permanently");
    if let Ok(to) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, to);
    }
    response
}
