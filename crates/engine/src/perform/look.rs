//! Looks for the result of an earlier try. Anything that a stranger wrote never counts as ours, whatever it looks like.

mod repository;

use super::{run, settled};
use crate::engine::Leased;
use crate::ports::{ForgeComment, Ports, Read};
use ralph_core::digest::Digest;
use ralph_core::effect::{Effect, IssueAct, MachineAct};
use ralph_core::fact::{RunSettled, Settled, What};
use ralph_core::hidden_marker::HiddenMarker;
use ralph_core::ids::{Branch, IssueKey, Login, PullNumber, Sha};
use ralph_core::issue::Slot;
use ralph_core::pull::PullState;
use ralph_core::rerun::RerunOf;
use ralph_core::time::{Span, Time};
use ralph_core::{hidden_marker, words};

/// Comments and issues are looked for from this long ago, which also covers clocks that differ.
const LOOK_BACK: Span = Span::from_mins(60 * 24 * 30);

/// Returns the result of an earlier try. `None` if there is none, and for changes that are harmless to repeat.
pub(super) fn look(leased: &Leased, now: Time, ports: &mut Ports<'_>) -> Read<Option<What>> {
    match &leased.effect {
        Effect::Issue(key, act) => {
            let issue = OnIssue { key, bot: &leased.bot, now };
            if leased.only_looks { issue.look_back(act, ports) } else { issue.look(act, ports) }
        }
        Effect::Repo(name, act) => repository::look(name, act, (&leased.bot, now), ports),
        Effect::Machine(key, MachineAct::Push { branch, commit, .. }) => {
            let there = ports.workspaces.remote_head(&key.repo, branch)?;
            let is_there = there.as_ref() == Some(commit);
            Ok(is_there.then(|| run(RunSettled::Pushed { commit: commit.clone() })))
        }
        Effect::Machine(
            _,
            MachineAct::Start { .. }
            | MachineAct::End { .. }
            | MachineAct::Tell { .. }
            | MachineAct::RemoveWorkspace { .. },
        ) => Ok(None),
    }
}

struct OnIssue<'a> {
    key: &'a IssueKey,
    /// Our login on the forge.
    bot: &'a Login,
    now: Time,
}

impl OnIssue<'_> {
    fn look(&self, act: &IssueAct, ports: &mut Ports<'_>) -> Read<Option<What>> {
        match act {
            IssueAct::CreateComment { slot, .. } => self.look_for_comment(slot, ports),
            IssueAct::OpenPull { head, replaces, .. } => self.look_for_pull(head, *replaces, ports),
            IssueAct::Merge { pull, .. } => {
                let found = ports.forge.pull(&self.key.repo, *pull)?;
                Ok(found.and_then(|pull| match pull.state {
                    PullState::Merged { commit } => {
                        Some(run(RunSettled::Merged { number: pull.number, commit }))
                    }
                    PullState::Open | PullState::Closed => None,
                }))
            }
            IssueAct::RerunCheck(what) => self.look_for_rerun(what, ports),
            IssueAct::UpdateBranch { pull, head } => self.look_for_update(*pull, head, ports),
            IssueAct::AddLabel { .. }
            | IssueAct::RemoveLabel { .. }
            | IssueAct::EditComment { .. }
            | IssueAct::CloseIssue => Ok(None),
        }
    }

    /// Looks up an act that is no longer desired. Here changes that are harmless to repeat count too; otherwise nothing
    /// would undo them.
    fn look_back(&self, act: &IssueAct, ports: &mut Ports<'_>) -> Read<Option<What>> {
        let mut shows = |label: &str| {
            let issue = ports.forge.issue(self.key)?;
            let mut labels = issue.iter().flat_map(|issue| &issue.labels);
            Ok(labels.any(|shown| shown.eq_ignore_ascii_case(label)))
        };
        match act {
            IssueAct::AddLabel { label } => {
                Ok(shows(label)?.then(|| settled(Settled::LabelAdded(label.clone()))))
            }
            IssueAct::RemoveLabel { label } => {
                Ok((!shows(label)?).then(|| settled(Settled::LabelRemoved(label.clone()))))
            }
            IssueAct::EditComment { slot, .. } => self.look_for_comment(slot, ports),
            IssueAct::CreateComment { .. }
            | IssueAct::OpenPull { .. }
            | IssueAct::Merge { .. }
            | IssueAct::RerunCheck(_)
            | IssueAct::UpdateBranch { .. }
            | IssueAct::CloseIssue => self.look(act, ports),
        }
    }

    /// An issue's branch has one pull request of Ralph's, whatever people did to it, until a successor replaces it. An
    /// open one by another author prevents ours and serves as well: only people who may push to the branch can open
    /// one.
    fn look_for_pull(
        &self,
        head: &Branch,
        replaces: Option<PullNumber>,
        ports: &mut Ports<'_>,
    ) -> Read<Option<What>> {
        let all = ports.forge.pulls_from(&self.key.repo, head)?;
        let is_later = |number: PullNumber| replaces.is_none_or(|closed| number > closed);
        let mut ours = all.iter().filter(|pull| pull.author == *self.bot);
        let found = ours.find(|pull| pull.is_open || is_later(pull.number));
        let found = found.or_else(|| all.iter().find(|pull| pull.is_open));
        let head = Some(head.clone());
        Ok(found.map(|pull| run(RunSettled::PullOpened { number: pull.number, head })))
    }

    /// Looks for a head that contains the one to be updated. The forge answers before it merges, so the branch may
    /// still move; asking again for the same head then changes nothing.
    fn look_for_update(
        &self,
        pull: PullNumber,
        from: &Sha,
        ports: &mut Ports<'_>,
    ) -> Read<Option<What>> {
        let Some(found) = ports.forge.pull(&self.key.repo, pull)? else { return Ok(None) };
        let is_updated =
            found.head != *from && ports.forge.contains(&self.key.repo, &found.head, from)?;
        Ok(is_updated.then(|| run(RunSettled::BranchUpdated)))
    }

    /// Looks whether the check is no longer red, or red from another run.
    fn look_for_rerun(&self, what: &RerunOf, ports: &mut Ports<'_>) -> Read<Option<What>> {
        let found = ports.forge.check_log(&self.key.repo, &what.head, &what.check)?;
        let is_old = found.is_some_and(|log| log.of == Some(what.of));
        Ok((!is_old).then(|| run(RunSettled::CheckRerun(what.clone()))))
    }

    fn look_for_comment(&self, slot: &Slot, ports: &mut Ports<'_>) -> Read<Option<What>> {
        let marker = words::marker(self.key, slot);
        let found = our_comment(self.key, &marker, (self.bot, self.now), ports)?;
        Ok(found.map(|comment| {
            let body = Digest::of(&comment.body);
            settled(Settled::CommentPosted { slot: slot.clone(), id: comment.id, body })
        }))
    }
}

/// The comment by Ralph that carries this marker.
fn our_comment(
    thread: &IssueKey,
    marker: &HiddenMarker,
    (bot, now): (&Login, Time),
    ports: &mut Ports<'_>,
) -> Read<Option<ForgeComment>> {
    let all = ports.forge.comments_since(thread, now.minus(LOOK_BACK))?;
    let mut ours = all.into_iter().filter(|comment| comment.author == *bot);
    Ok(ours.find(|comment| hidden_marker::find(&comment.body).as_ref() == Some(marker)))
}
