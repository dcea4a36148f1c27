//! Writes the mark which says that this Ralph works in a repository.

use super::{Performed, known, repo};
use crate::ask::mark::seen;
use crate::engine::Leased;
use crate::ports::{NewMark, Ports, Read};
use ralph_core::fact::{RepoSettled, What};
use ralph_core::ids::{RepoName, Sha};
use ralph_core::repo::{Mark, OwnMark, SeenMark};
use ralph_core::time::Time;
use ralph_core::words;

pub(super) fn write(
    leased: &Leased,
    (name, like): (&RepoName, &Sha),
    (mark, over): (&Mark, Option<&SeenMark>),
    now: Time,
    ports: &mut Ports<'_>,
) -> Performed {
    let since = if mark.since == Time::default() { now } else { mark.since };
    let mark = Mark { since, renewed: now, ..mark.clone() };
    let message = words::mark(&mark);
    let new = NewMark { over: over.map(|over| &over.commit), like, message: &message };
    let answer = ports.forge.write_mark(name, &new);
    known(leased, answer, |commit| {
        repo(match commit {
            Some(commit) => {
                let over = over.cloned();
                RepoSettled::MarkWritten(Box::new(OwnMark { commit, mark, over }))
            }
            None => RepoSettled::MarkMoved,
        })
    })
}

/// Looks for a mark of this very start.
pub(super) fn look(
    name: &RepoName,
    mark: &Mark,
    over: Option<&SeenMark>,
    ports: &mut Ports<'_>,
) -> Read<Option<What>> {
    let Some(SeenMark { commit, mark: Some(found) }) = seen(ports.forge.mark(name)?) else {
        return Ok(None);
    };
    let is_it = found.store == mark.store && found.start == mark.start;
    let own = OwnMark { commit, mark: found, over: over.cloned() };
    Ok(is_it.then(|| repo(RepoSettled::MarkWritten(Box::new(own)))))
}
