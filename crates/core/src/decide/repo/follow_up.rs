//! One issue for each failure that was rerun, edited when the failure is seen again, and one for each small fix that a
//! survey proposed, while surveys are enabled.

use super::RepoContext;
use crate::effect::RepoAct;
use crate::repo::Untold;
use crate::words;

pub(super) fn want<'a>(cx: &'a RepoContext<'_>) -> impl Iterator<Item = RepoAct> + 'a {
    let untold = cx.repo.follow_ups.untold();
    let wanted = untold.filter(|(_, _, untold)| match untold {
        Untold::RedCheck(_) => true,
        Untold::Proposal(_) => cx.rules.survey,
    });
    wanted.map(|(id, follow_up, untold)| {
        let body = match untold {
            Untold::RedCheck(triage) => words::follow_up_body(id, follow_up, triage),
            Untold::Proposal(proposal) => words::papercut_body(id, follow_up, proposal),
        };
        let (id, seen) = (id.clone(), follow_up.seen);
        match (follow_up.issue, untold) {
            (Some(issue), _) => RepoAct::EditFollowUp { id, issue, seen, body },
            (None, Untold::RedCheck(triage)) => {
                RepoAct::OpenFollowUp { id, seen, title: words::follow_up_title(triage), body }
            }
            (None, Untold::Proposal(proposal)) => {
                RepoAct::OpenFollowUp { id, seen, title: proposal.title.clone(), body }
            }
        }
    })
}
