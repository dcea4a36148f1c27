//! The issue made from a survey's proposal. Title and text are an agent's words, and quoted as such.

use super::{line, one_line, quoted};
use crate::repo::{FollowUp, FollowUpId};
use crate::survey::{Proposal, ProposalKind};

#[must_use]
pub fn papercut_body(id: &FollowUpId, follow_up: &FollowUp, proposal: &Proposal) -> String {
    let mut body = format!("{}\nAn agent proposed this", id.marker().render());
    if let Some(occurrence) = follow_up.occurrences.first() {
        line(&mut body, format_args!(" after its work on #{}", occurrence.issue));
        if let Some(pull) = occurrence.pull {
            line(&mut body, format_args!(" ({pull})"));
        }
    }
    body.push_str(". Its words are quoted and unchecked.\n");
    if !proposal.body.is_empty() {
        line(&mut body, format_args!("\n{}\n", quoted(&proposal.body)));
    }
    if !proposal.files.is_empty() {
        let files: Vec<_> =
            proposal.files.iter().map(|file| format!("`{}`", one_line(file))).collect();
        line(&mut body, format_args!("\nFiles: {}\n", files.join(", ")));
    }
    body.push_str(match proposal.kind {
        ProposalKind::Mechanical => {
            "\nIt is said to be small and to change no behaviour, so Ralph queues it. It has to pass the same \
             gates as everything else; closing this issue, or `ralph:cmd:stop`, turns it down.\n"
        }
        ProposalKind::Behaviour => {
            "\nIt may change behaviour, so a person decides: `ralph:cmd:queue` has Ralph work on it, closing this \
             issue turns it down.\n"
        }
    });
    body.push_str("\nProposed again it gets no second issue.\n");
    body
}
