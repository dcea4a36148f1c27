//! The state store: it opens, it is whole, and who writes to it.

use super::{Check, Examination};
use crate::daemon_status::DaemonStatus;
use crate::error::ErrorKind;
use crate::moment::moment;
use crate::writer_lock;
use ralph_core::standing::{MarkStanding, Standing};
use ralph_engine::store::{Reader, RepoReport, StoreError, advice_on_damage};
use std::error::Error as _;

const ABOUT: &str = "store";

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let reader = match examination.context.reader() {
        Ok(reader) => reader,
        Err(error) if error.kind == ErrorKind::NoStore => {
            let path = examination.context.home.store();
            let says =
                format!("there is none at {} yet; the first `ralph run` makes it", path.display());
            return vec![Check::note(ABOUT, says)];
        }
        Err(error) => {
            let cause = error.cause.as_ref().map_or_else(String::new, |cause| format!(": {cause}"));
            let next = error.hint.unwrap_or("do as the message says");
            return vec![Check::finding(ABOUT, format!("{error}{cause}"), next)];
        }
    };
    let mut checks = vec![whole(examination, &reader), writer(examination, &reader)];
    let status = reader.status();
    checks.extend(status.iter().flat_map(|status| &status.repos).filter_map(held));
    if let Ok(Some(drain)) = status.map(|status| status.draining) {
        let since = moment(examination.context.now, drain.since);
        let says = format!("nothing new is started, as {} asked {since}", drain.by);
        checks.push(Check::note(ABOUT, says).next("`ralph resume` ends that"));
    }
    checks
}

/// Another Ralph works in a configured repository.
fn held(repo: &RepoReport) -> Option<Check> {
    let Standing::Repository { mark: Some(MarkStanding::Theirs { .. }), .. } = &repo.standing
    else {
        return None;
    };
    let next = format!("stop one of the two, or `ralph take-over {}`", repo.repo);
    Some(Check::finding(ABOUT, format!("{}: {}", repo.repo, repo.says), &next))
}

fn whole(examination: &Examination<'_>, reader: &Reader) -> Check {
    let next = || advice_on_damage(&examination.context.home.store());
    match reader.damage() {
        Ok(None) => Check::ok(ABOUT, "it opens and is whole"),
        Ok(Some(damage)) => Check::finding(ABOUT, format!("it is damaged: {damage}"), next()),
        Err(error) => Check::finding(ABOUT, in_full(&error), next()),
    }
}

fn writer(examination: &Examination<'_>, reader: &Reader) -> Check {
    let (home, now) = (&examination.context.home, examination.context.now);
    let writer = match reader.writer() {
        Ok(writer) => writer,
        Err(error) => return Check::finding(ABOUT, in_full(&error), "try again"),
    };
    let owner = writer.map_or_else(|| "no process".to_owned(), |writer| writer.owner);
    let said = DaemonStatus::read(home).ok().flatten();
    match (writer_lock::is_held(home), said) {
        (Ok(true), Some(said)) if said.is_stale(now) => {
            let (pid, heard) = (said.pid, moment(now, said.heartbeat));
            let says = format!("process {pid} ({owner}) holds it, but was last active {heard}");
            let next =
                "look for a full disk, or end that process and start it again; nothing is lost";
            Check::finding(ABOUT, says, next)
        }
        (Ok(true), Some(said)) => {
            let heard = moment(now, said.heartbeat);
            let pid = said.pid;
            Check::ok(ABOUT, format!("process {pid} ({owner}) writes to it, last active {heard}"))
        }
        (Ok(true), None) => Check::ok(ABOUT, format!("{owner} writes to it")),
        (Ok(false), _) => {
            Check::note(ABOUT, format!("no daemon runs; the last writer was {owner}"))
        }
        (Err(error), _) => {
            let says = format!("cannot find out whether a daemon runs: {error}");
            Check::finding(ABOUT, says, "look at the rights of state.lock in the home folder")
        }
    }
}

fn in_full(error: &StoreError) -> String {
    let cause = error.source().map_or_else(String::new, |cause| format!(": {cause}"));
    format!("{error}{cause}")
}
