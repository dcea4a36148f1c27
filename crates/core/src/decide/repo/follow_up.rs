//! One issue for each failure that was run once more: opened, and edited when the failure is seen again.

use super::RepoContext;
use crate::effect::RepoAct;
use crate::words;

pub(super) fn want<'a>(cx: &'a RepoContext<'_>) -> impl Iterator<Item = RepoAct> + 'a {
    cx.repo.follow_ups.untold().map(|(id, follow_up, triage)| {
        let body = words::follow_up_body(id, follow_up, triage);
        let (id, seen) = (id.clone(), follow_up.seen);
        match follow_up.issue {
            Some(issue) => RepoAct::EditFollowUp { id, issue, seen, body },
            None => {
                let title = words::follow_up_title(triage);
                RepoAct::OpenFollowUp { id, seen, title, body }
            }
        }
    })
}
